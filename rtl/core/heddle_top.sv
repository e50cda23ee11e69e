// A core as a Vitis kernel: clock, reset and AXI under the names that packaging expects, four data ports m_axi_gmem0 to 3 and
// m_axi_prog for the program.
//
// Promises: adds wires and constants only: 64-byte beats, INCR bursts, full strobes, one ID. m_axi_prog never writes.
// The reset passes two registers, because it comes from far away. Not run on a card.
// Limits: configurations with four AXI ports.
`default_nettype none

module heddle_top (
    input  logic ap_clk,
    input  logic ap_rst_n,
    output logic interrupt,
    input  logic s_axi_control_awvalid,
    output logic s_axi_control_awready,
    input  logic [11:0] s_axi_control_awaddr,
    input  logic s_axi_control_wvalid,
    output logic s_axi_control_wready,
    input  logic [31:0] s_axi_control_wdata,
    input  logic [3:0] s_axi_control_wstrb,
    output logic s_axi_control_bvalid,
    input  logic s_axi_control_bready,
    output logic [1:0] s_axi_control_bresp,
    input  logic s_axi_control_arvalid,
    output logic s_axi_control_arready,
    input  logic [11:0] s_axi_control_araddr,
    output logic s_axi_control_rvalid,
    input  logic s_axi_control_rready,
    output logic [31:0] s_axi_control_rdata,
    output logic [1:0] s_axi_control_rresp,
    output logic m_axi_prog_arvalid,
    input  logic m_axi_prog_arready,
    output logic [63:0] m_axi_prog_araddr,
    output logic [7:0] m_axi_prog_arlen,
    output logic m_axi_prog_arid,
    output logic [2:0] m_axi_prog_arsize,
    output logic [1:0] m_axi_prog_arburst,
    output logic [1:0] m_axi_prog_arlock,
    output logic [3:0] m_axi_prog_arcache,
    output logic [2:0] m_axi_prog_arprot,
    output logic [3:0] m_axi_prog_arqos,
    output logic [3:0] m_axi_prog_arregion,
    input  logic m_axi_prog_rvalid,
    output logic m_axi_prog_rready,
    input  logic [511:0] m_axi_prog_rdata,
    input  logic [1:0] m_axi_prog_rresp,
    input  logic m_axi_prog_rlast,
    input  logic m_axi_prog_rid,
    output logic m_axi_prog_awvalid,
    input  logic m_axi_prog_awready,
    output logic [63:0] m_axi_prog_awaddr,
    output logic [7:0] m_axi_prog_awlen,
    output logic m_axi_prog_awid,
    output logic [2:0] m_axi_prog_awsize,
    output logic [1:0] m_axi_prog_awburst,
    output logic [1:0] m_axi_prog_awlock,
    output logic [3:0] m_axi_prog_awcache,
    output logic [2:0] m_axi_prog_awprot,
    output logic [3:0] m_axi_prog_awqos,
    output logic [3:0] m_axi_prog_awregion,
    output logic m_axi_prog_wvalid,
    input  logic m_axi_prog_wready,
    output logic [511:0] m_axi_prog_wdata,
    output logic [63:0] m_axi_prog_wstrb,
    output logic m_axi_prog_wlast,
    input  logic m_axi_prog_bvalid,
    output logic m_axi_prog_bready,
    input  logic [1:0] m_axi_prog_bresp,
    input  logic m_axi_prog_bid,
    output logic m_axi_gmem0_arvalid,
    input  logic m_axi_gmem0_arready,
    output logic [63:0] m_axi_gmem0_araddr,
    output logic [7:0] m_axi_gmem0_arlen,
    output logic m_axi_gmem0_arid,
    output logic [2:0] m_axi_gmem0_arsize,
    output logic [1:0] m_axi_gmem0_arburst,
    output logic [1:0] m_axi_gmem0_arlock,
    output logic [3:0] m_axi_gmem0_arcache,
    output logic [2:0] m_axi_gmem0_arprot,
    output logic [3:0] m_axi_gmem0_arqos,
    output logic [3:0] m_axi_gmem0_arregion,
    input  logic m_axi_gmem0_rvalid,
    output logic m_axi_gmem0_rready,
    input  logic [511:0] m_axi_gmem0_rdata,
    input  logic [1:0] m_axi_gmem0_rresp,
    input  logic m_axi_gmem0_rlast,
    input  logic m_axi_gmem0_rid,
    output logic m_axi_gmem0_awvalid,
    input  logic m_axi_gmem0_awready,
    output logic [63:0] m_axi_gmem0_awaddr,
    output logic [7:0] m_axi_gmem0_awlen,
    output logic m_axi_gmem0_awid,
    output logic [2:0] m_axi_gmem0_awsize,
    output logic [1:0] m_axi_gmem0_awburst,
    output logic [1:0] m_axi_gmem0_awlock,
    output logic [3:0] m_axi_gmem0_awcache,
    output logic [2:0] m_axi_gmem0_awprot,
    output logic [3:0] m_axi_gmem0_awqos,
    output logic [3:0] m_axi_gmem0_awregion,
    output logic m_axi_gmem0_wvalid,
    input  logic m_axi_gmem0_wready,
    output logic [511:0] m_axi_gmem0_wdata,
    output logic [63:0] m_axi_gmem0_wstrb,
    output logic m_axi_gmem0_wlast,
    input  logic m_axi_gmem0_bvalid,
    output logic m_axi_gmem0_bready,
    input  logic [1:0] m_axi_gmem0_bresp,
    input  logic m_axi_gmem0_bid,
    output logic m_axi_gmem1_arvalid,
    input  logic m_axi_gmem1_arready,
    output logic [63:0] m_axi_gmem1_araddr,
    output logic [7:0] m_axi_gmem1_arlen,
    output logic m_axi_gmem1_arid,
    output logic [2:0] m_axi_gmem1_arsize,
    output logic [1:0] m_axi_gmem1_arburst,
    output logic [1:0] m_axi_gmem1_arlock,
    output logic [3:0] m_axi_gmem1_arcache,
    output logic [2:0] m_axi_gmem1_arprot,
    output logic [3:0] m_axi_gmem1_arqos,
    output logic [3:0] m_axi_gmem1_arregion,
    input  logic m_axi_gmem1_rvalid,
    output logic m_axi_gmem1_rready,
    input  logic [511:0] m_axi_gmem1_rdata,
    input  logic [1:0] m_axi_gmem1_rresp,
    input  logic m_axi_gmem1_rlast,
    input  logic m_axi_gmem1_rid,
    output logic m_axi_gmem1_awvalid,
    input  logic m_axi_gmem1_awready,
    output logic [63:0] m_axi_gmem1_awaddr,
    output logic [7:0] m_axi_gmem1_awlen,
    output logic m_axi_gmem1_awid,
    output logic [2:0] m_axi_gmem1_awsize,
    output logic [1:0] m_axi_gmem1_awburst,
    output logic [1:0] m_axi_gmem1_awlock,
    output logic [3:0] m_axi_gmem1_awcache,
    output logic [2:0] m_axi_gmem1_awprot,
    output logic [3:0] m_axi_gmem1_awqos,
    output logic [3:0] m_axi_gmem1_awregion,
    output logic m_axi_gmem1_wvalid,
    input  logic m_axi_gmem1_wready,
    output logic [511:0] m_axi_gmem1_wdata,
    output logic [63:0] m_axi_gmem1_wstrb,
    output logic m_axi_gmem1_wlast,
    input  logic m_axi_gmem1_bvalid,
    output logic m_axi_gmem1_bready,
    input  logic [1:0] m_axi_gmem1_bresp,
    input  logic m_axi_gmem1_bid,
    output logic m_axi_gmem2_arvalid,
    input  logic m_axi_gmem2_arready,
    output logic [63:0] m_axi_gmem2_araddr,
    output logic [7:0] m_axi_gmem2_arlen,
    output logic m_axi_gmem2_arid,
    output logic [2:0] m_axi_gmem2_arsize,
    output logic [1:0] m_axi_gmem2_arburst,
    output logic [1:0] m_axi_gmem2_arlock,
    output logic [3:0] m_axi_gmem2_arcache,
    output logic [2:0] m_axi_gmem2_arprot,
    output logic [3:0] m_axi_gmem2_arqos,
    output logic [3:0] m_axi_gmem2_arregion,
    input  logic m_axi_gmem2_rvalid,
    output logic m_axi_gmem2_rready,
    input  logic [511:0] m_axi_gmem2_rdata,
    input  logic [1:0] m_axi_gmem2_rresp,
    input  logic m_axi_gmem2_rlast,
    input  logic m_axi_gmem2_rid,
    output logic m_axi_gmem2_awvalid,
    input  logic m_axi_gmem2_awready,
    output logic [63:0] m_axi_gmem2_awaddr,
    output logic [7:0] m_axi_gmem2_awlen,
    output logic m_axi_gmem2_awid,
    output logic [2:0] m_axi_gmem2_awsize,
    output logic [1:0] m_axi_gmem2_awburst,
    output logic [1:0] m_axi_gmem2_awlock,
    output logic [3:0] m_axi_gmem2_awcache,
    output logic [2:0] m_axi_gmem2_awprot,
    output logic [3:0] m_axi_gmem2_awqos,
    output logic [3:0] m_axi_gmem2_awregion,
    output logic m_axi_gmem2_wvalid,
    input  logic m_axi_gmem2_wready,
    output logic [511:0] m_axi_gmem2_wdata,
    output logic [63:0] m_axi_gmem2_wstrb,
    output logic m_axi_gmem2_wlast,
    input  logic m_axi_gmem2_bvalid,
    output logic m_axi_gmem2_bready,
    input  logic [1:0] m_axi_gmem2_bresp,
    input  logic m_axi_gmem2_bid,
    output logic m_axi_gmem3_arvalid,
    input  logic m_axi_gmem3_arready,
    output logic [63:0] m_axi_gmem3_araddr,
    output logic [7:0] m_axi_gmem3_arlen,
    output logic m_axi_gmem3_arid,
    output logic [2:0] m_axi_gmem3_arsize,
    output logic [1:0] m_axi_gmem3_arburst,
    output logic [1:0] m_axi_gmem3_arlock,
    output logic [3:0] m_axi_gmem3_arcache,
    output logic [2:0] m_axi_gmem3_arprot,
    output logic [3:0] m_axi_gmem3_arqos,
    output logic [3:0] m_axi_gmem3_arregion,
    input  logic m_axi_gmem3_rvalid,
    output logic m_axi_gmem3_rready,
    input  logic [511:0] m_axi_gmem3_rdata,
    input  logic [1:0] m_axi_gmem3_rresp,
    input  logic m_axi_gmem3_rlast,
    input  logic m_axi_gmem3_rid,
    output logic m_axi_gmem3_awvalid,
    input  logic m_axi_gmem3_awready,
    output logic [63:0] m_axi_gmem3_awaddr,
    output logic [7:0] m_axi_gmem3_awlen,
    output logic m_axi_gmem3_awid,
    output logic [2:0] m_axi_gmem3_awsize,
    output logic [1:0] m_axi_gmem3_awburst,
    output logic [1:0] m_axi_gmem3_awlock,
    output logic [3:0] m_axi_gmem3_awcache,
    output logic [2:0] m_axi_gmem3_awprot,
    output logic [3:0] m_axi_gmem3_awqos,
    output logic [3:0] m_axi_gmem3_awregion,
    output logic m_axi_gmem3_wvalid,
    input  logic m_axi_gmem3_wready,
    output logic [511:0] m_axi_gmem3_wdata,
    output logic [63:0] m_axi_gmem3_wstrb,
    output logic m_axi_gmem3_wlast,
    input  logic m_axi_gmem3_bvalid,
    output logic m_axi_gmem3_bready,
    input  logic [1:0] m_axi_gmem3_bresp,
    input  logic m_axi_gmem3_bid
);
  localparam PORTS = 4;

  logic reset_1_q, reset_2_q;
  always_ff @(posedge ap_clk) begin
    reset_1_q <= ap_rst_n;
    reset_2_q <= reset_1_q;
  end

  // prog: constants
  assign m_axi_prog_arid = 1'b0;
  assign m_axi_prog_arsize = 3'd6;
  assign m_axi_prog_arburst = 2'd1;
  assign m_axi_prog_arlock = 2'd0;
  assign m_axi_prog_arcache = 4'd3;
  assign m_axi_prog_arprot = 3'd0;
  assign m_axi_prog_arqos = 4'd0;
  assign m_axi_prog_arregion = 4'd0;
  assign m_axi_prog_awid = 1'b0;
  assign m_axi_prog_awsize = 3'd6;
  assign m_axi_prog_awburst = 2'd1;
  assign m_axi_prog_awlock = 2'd0;
  assign m_axi_prog_awcache = 4'd3;
  assign m_axi_prog_awprot = 3'd0;
  assign m_axi_prog_awqos = 4'd0;
  assign m_axi_prog_awregion = 4'd0;
  assign m_axi_prog_wstrb = {64{1'b1}};
  assign m_axi_prog_awvalid = 1'b0;
  assign m_axi_prog_awaddr = 64'd0;
  assign m_axi_prog_awlen = 8'd0;
  assign m_axi_prog_wvalid = 1'b0;
  assign m_axi_prog_wdata = 512'd0;
  assign m_axi_prog_wlast = 1'b0;
  assign m_axi_prog_bready = 1'b1;
  // gmem0: constants
  assign m_axi_gmem0_arid = 1'b0;
  assign m_axi_gmem0_arsize = 3'd6;
  assign m_axi_gmem0_arburst = 2'd1;
  assign m_axi_gmem0_arlock = 2'd0;
  assign m_axi_gmem0_arcache = 4'd3;
  assign m_axi_gmem0_arprot = 3'd0;
  assign m_axi_gmem0_arqos = 4'd0;
  assign m_axi_gmem0_arregion = 4'd0;
  assign m_axi_gmem0_awid = 1'b0;
  assign m_axi_gmem0_awsize = 3'd6;
  assign m_axi_gmem0_awburst = 2'd1;
  assign m_axi_gmem0_awlock = 2'd0;
  assign m_axi_gmem0_awcache = 4'd3;
  assign m_axi_gmem0_awprot = 3'd0;
  assign m_axi_gmem0_awqos = 4'd0;
  assign m_axi_gmem0_awregion = 4'd0;
  assign m_axi_gmem0_wstrb = {64{1'b1}};
  // gmem1: constants
  assign m_axi_gmem1_arid = 1'b0;
  assign m_axi_gmem1_arsize = 3'd6;
  assign m_axi_gmem1_arburst = 2'd1;
  assign m_axi_gmem1_arlock = 2'd0;
  assign m_axi_gmem1_arcache = 4'd3;
  assign m_axi_gmem1_arprot = 3'd0;
  assign m_axi_gmem1_arqos = 4'd0;
  assign m_axi_gmem1_arregion = 4'd0;
  assign m_axi_gmem1_awid = 1'b0;
  assign m_axi_gmem1_awsize = 3'd6;
  assign m_axi_gmem1_awburst = 2'd1;
  assign m_axi_gmem1_awlock = 2'd0;
  assign m_axi_gmem1_awcache = 4'd3;
  assign m_axi_gmem1_awprot = 3'd0;
  assign m_axi_gmem1_awqos = 4'd0;
  assign m_axi_gmem1_awregion = 4'd0;
  assign m_axi_gmem1_wstrb = {64{1'b1}};
  // gmem2: constants
  assign m_axi_gmem2_arid = 1'b0;
  assign m_axi_gmem2_arsize = 3'd6;
  assign m_axi_gmem2_arburst = 2'd1;
  assign m_axi_gmem2_arlock = 2'd0;
  assign m_axi_gmem2_arcache = 4'd3;
  assign m_axi_gmem2_arprot = 3'd0;
  assign m_axi_gmem2_arqos = 4'd0;
  assign m_axi_gmem2_arregion = 4'd0;
  assign m_axi_gmem2_awid = 1'b0;
  assign m_axi_gmem2_awsize = 3'd6;
  assign m_axi_gmem2_awburst = 2'd1;
  assign m_axi_gmem2_awlock = 2'd0;
  assign m_axi_gmem2_awcache = 4'd3;
  assign m_axi_gmem2_awprot = 3'd0;
  assign m_axi_gmem2_awqos = 4'd0;
  assign m_axi_gmem2_awregion = 4'd0;
  assign m_axi_gmem2_wstrb = {64{1'b1}};
  // gmem3: constants
  assign m_axi_gmem3_arid = 1'b0;
  assign m_axi_gmem3_arsize = 3'd6;
  assign m_axi_gmem3_arburst = 2'd1;
  assign m_axi_gmem3_arlock = 2'd0;
  assign m_axi_gmem3_arcache = 4'd3;
  assign m_axi_gmem3_arprot = 3'd0;
  assign m_axi_gmem3_arqos = 4'd0;
  assign m_axi_gmem3_arregion = 4'd0;
  assign m_axi_gmem3_awid = 1'b0;
  assign m_axi_gmem3_awsize = 3'd6;
  assign m_axi_gmem3_awburst = 2'd1;
  assign m_axi_gmem3_awlock = 2'd0;
  assign m_axi_gmem3_awcache = 4'd3;
  assign m_axi_gmem3_awprot = 3'd0;
  assign m_axi_gmem3_awqos = 4'd0;
  assign m_axi_gmem3_awregion = 4'd0;
  assign m_axi_gmem3_wstrb = {64{1'b1}};

  logic unused;
  assign unused = &{m_axi_prog_awready, m_axi_prog_wready, m_axi_prog_bvalid, m_axi_prog_bresp, m_axi_prog_rid, m_axi_prog_bid, m_axi_gmem0_rid, m_axi_gmem0_bid, m_axi_gmem1_rid, m_axi_gmem1_bid, m_axi_gmem2_rid, m_axi_gmem2_bid, m_axi_gmem3_rid, m_axi_gmem3_bid};

  heddle_core #(
      .AXI_PORTS(PORTS)
  ) u_core (
      .clk_i(ap_clk),
      .rst_ni(reset_2_q),
      .interrupt_o(interrupt),
      .s_axi_control_awvalid_i(s_axi_control_awvalid),
      .s_axi_control_awready_o(s_axi_control_awready),
      .s_axi_control_awaddr_i(s_axi_control_awaddr),
      .s_axi_control_wvalid_i(s_axi_control_wvalid),
      .s_axi_control_wready_o(s_axi_control_wready),
      .s_axi_control_wdata_i(s_axi_control_wdata),
      .s_axi_control_wstrb_i(s_axi_control_wstrb),
      .s_axi_control_bvalid_o(s_axi_control_bvalid),
      .s_axi_control_bready_i(s_axi_control_bready),
      .s_axi_control_bresp_o(s_axi_control_bresp),
      .s_axi_control_arvalid_i(s_axi_control_arvalid),
      .s_axi_control_arready_o(s_axi_control_arready),
      .s_axi_control_araddr_i(s_axi_control_araddr),
      .s_axi_control_rvalid_o(s_axi_control_rvalid),
      .s_axi_control_rready_i(s_axi_control_rready),
      .s_axi_control_rdata_o(s_axi_control_rdata),
      .s_axi_control_rresp_o(s_axi_control_rresp),
      .m_axi_prog_arvalid_o(m_axi_prog_arvalid),
      .m_axi_prog_arready_i(m_axi_prog_arready),
      .m_axi_prog_araddr_o(m_axi_prog_araddr),
      .m_axi_prog_arlen_o(m_axi_prog_arlen),
      .m_axi_prog_rvalid_i(m_axi_prog_rvalid),
      .m_axi_prog_rready_o(m_axi_prog_rready),
      .m_axi_prog_rdata_i(m_axi_prog_rdata),
      .m_axi_prog_rresp_i(m_axi_prog_rresp),
      .m_axi_prog_rlast_i(m_axi_prog_rlast),
      .m_axi_arvalid_o({m_axi_gmem3_arvalid, m_axi_gmem2_arvalid, m_axi_gmem1_arvalid, m_axi_gmem0_arvalid}),
      .m_axi_arready_i({m_axi_gmem3_arready, m_axi_gmem2_arready, m_axi_gmem1_arready, m_axi_gmem0_arready}),
      .m_axi_araddr_o({m_axi_gmem3_araddr, m_axi_gmem2_araddr, m_axi_gmem1_araddr, m_axi_gmem0_araddr}),
      .m_axi_arlen_o({m_axi_gmem3_arlen, m_axi_gmem2_arlen, m_axi_gmem1_arlen, m_axi_gmem0_arlen}),
      .m_axi_rvalid_i({m_axi_gmem3_rvalid, m_axi_gmem2_rvalid, m_axi_gmem1_rvalid, m_axi_gmem0_rvalid}),
      .m_axi_rready_o({m_axi_gmem3_rready, m_axi_gmem2_rready, m_axi_gmem1_rready, m_axi_gmem0_rready}),
      .m_axi_rdata_i({m_axi_gmem3_rdata, m_axi_gmem2_rdata, m_axi_gmem1_rdata, m_axi_gmem0_rdata}),
      .m_axi_rresp_i({m_axi_gmem3_rresp, m_axi_gmem2_rresp, m_axi_gmem1_rresp, m_axi_gmem0_rresp}),
      .m_axi_rlast_i({m_axi_gmem3_rlast, m_axi_gmem2_rlast, m_axi_gmem1_rlast, m_axi_gmem0_rlast}),
      .m_axi_awvalid_o({m_axi_gmem3_awvalid, m_axi_gmem2_awvalid, m_axi_gmem1_awvalid, m_axi_gmem0_awvalid}),
      .m_axi_awready_i({m_axi_gmem3_awready, m_axi_gmem2_awready, m_axi_gmem1_awready, m_axi_gmem0_awready}),
      .m_axi_awaddr_o({m_axi_gmem3_awaddr, m_axi_gmem2_awaddr, m_axi_gmem1_awaddr, m_axi_gmem0_awaddr}),
      .m_axi_awlen_o({m_axi_gmem3_awlen, m_axi_gmem2_awlen, m_axi_gmem1_awlen, m_axi_gmem0_awlen}),
      .m_axi_wvalid_o({m_axi_gmem3_wvalid, m_axi_gmem2_wvalid, m_axi_gmem1_wvalid, m_axi_gmem0_wvalid}),
      .m_axi_wready_i({m_axi_gmem3_wready, m_axi_gmem2_wready, m_axi_gmem1_wready, m_axi_gmem0_wready}),
      .m_axi_wdata_o({m_axi_gmem3_wdata, m_axi_gmem2_wdata, m_axi_gmem1_wdata, m_axi_gmem0_wdata}),
      .m_axi_wlast_o({m_axi_gmem3_wlast, m_axi_gmem2_wlast, m_axi_gmem1_wlast, m_axi_gmem0_wlast}),
      .m_axi_bvalid_i({m_axi_gmem3_bvalid, m_axi_gmem2_bvalid, m_axi_gmem1_bvalid, m_axi_gmem0_bvalid}),
      .m_axi_bready_o({m_axi_gmem3_bready, m_axi_gmem2_bready, m_axi_gmem1_bready, m_axi_gmem0_bready}),
      .m_axi_bresp_i({m_axi_gmem3_bresp, m_axi_gmem2_bresp, m_axi_gmem1_bresp, m_axi_gmem0_bresp}),
      .sim_stall_i(32'd0)
  );
endmodule

`default_nettype wire
