// Executes STORE: patterns of lines of the unified buffer, or rows of the accumulators, to device memory.
//
// Promises   Instructions start in program order, slot s on port s mod PORTS, run in parallel on different ports, and
//            complete (done_o) in program order once the memory has confirmed all bursts. error_o with done_o: a
//            response of this instruction was an error.
// Latency    First address 4 cycles, first data 7 cycles after cmd_valid_i.
// Throughput Per port a line and a burst a cycle; accumulators: a row, both its lines, a cycle for all ports together.
// Back-pressure cmd_ready_o waits for the port of the instruction at hand; see store_port.
// Limits     16 instructions between start and done, 4 per port. Addresses were checked at dispatch.
`default_nettype none
module store_unit #(
    parameter PORTS = 4
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 cmd_valid_i,
    output logic                 cmd_ready_o,
    input  logic [127:0]         cmd_i,
    input  logic [127:0]         prefix_i,
    input  logic [16*64-1:0]     slot_base_i,
    output logic                 done_o,
    output logic                 error_o,
    output logic [1:0]           state_o,
    // AXI4 write channels, one per port.
    output logic [PORTS-1:0]     awvalid_o,
    input  logic [PORTS-1:0]     awready_i,
    output logic [PORTS*64-1:0]  awaddr_o,
    output logic [PORTS*8-1:0]   awlen_o,
    output logic [PORTS-1:0]     wvalid_o,
    input  logic [PORTS-1:0]     wready_i,
    output logic [PORTS*512-1:0] wdata_o,
    output logic [PORTS-1:0]     wlast_o,
    input  logic [PORTS-1:0]     bvalid_i,
    output logic [PORTS-1:0]     bready_o,
    input  logic [PORTS*2-1:0]   bresp_i,
    // Unified-buffer read ports.
    output logic [PORTS-1:0]     rd_valid_o,
    output logic [PORTS*18-1:0]  rd_line_o,
    input  logic [PORTS-1:0]     rd_ready_i,
    input  logic [PORTS-1:0]     rd_rsp_valid_i,
    input  logic [PORTS*512-1:0] rd_rsp_data_i,
    // Accumulator read port.
    output logic                 acc_valid_o,
    output logic [12:0]          acc_row_o,
    input  logic                 acc_ready_i,
    input  logic                 acc_rsp_valid_i,
    input  logic [1023:0]        acc_rsp_data_i
);
  localparam PORT_W = PORTS > 1 ? $clog2(PORTS) : 1;

  // The instruction at hand, with its slot's address.
  logic              valid_q, start;
  logic [127:0]      cmd_q, prefix_q;
  logic [57:0]       base_q;
  logic [PORT_W-1:0] port_q;
  logic [3:0]        slot;
  assign slot = cmd_i[heddle_isa_pkg::STORE_SLOT_LSB +: heddle_isa_pkg::STORE_SLOT_W];
  assign cmd_ready_o = !valid_q | start;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (cmd_ready_o) begin
      valid_q <= cmd_valid_i;
      if (cmd_valid_i) begin
        cmd_q <= cmd_i;
        prefix_q <= prefix_i;
        base_q <= slot_base_i[slot*64+6 +: 58];
        port_q <= PORT_W'({28'd0, slot} % PORTS);
      end
    end

  logic [PORTS-1:0] port_ready, complete, failed, moved;
  logic             order_ready, idle;
  assign start = valid_q & order_ready & port_ready[port_q];
  completion_order #(.PORTS(PORTS)) i_order (
      .clk_i(clk_i), .rst_ni(rst_ni), .start_i(start), .start_port_i(port_q), .ready_o(order_ready),
      .complete_i(complete), .error_i(failed), .done_o(done_o), .error_o(error_o), .idle_o(idle));

  // Accumulator port. Whose request is passed on stands in a register, so that neither the choice nor what depends on its
  // being served is in the other's path. It stays with a port while nobody else asks, moves to the next that asks when its
  // request was served or there was none, and waits at the port of the instruction at hand when nobody asks: that asks two
  // cycles later, so the choice costs it none. A request stays until it is served. The answer finds its way by what was
  // accepted three cycles before.
  logic [PORTS-1:0]    acc_valid, acc_pair;
  logic [PORTS*13-1:0] acc_row;
  logic [PORTS-1:0]    acc_at_q, acc_at_d, acc_at_1_q, acc_at_2_q, acc_at_3_q;  // one-hot
  logic                acc_pair_1_q, acc_pair_2_q, acc_pair_3_q, acc_at_hand;
  assign acc_valid_o = |(acc_valid & acc_at_q);
  assign acc_at_hand = valid_q && cmd_q[heddle_isa_pkg::STORE_SOURCE_LSB];
  always_comb begin : pass_on
    logic [31:0] i;
    acc_row_o = '0;
    for (i = 0; i < PORTS; i = i + 1) acc_row_o = acc_row_o | (acc_at_q[i] ? acc_row[i*13 +: 13] : '0);
  end
  always_comb begin : choose
    logic [31:0]      i;
    logic [PORTS-1:0] other;
    acc_at_d = acc_at_q;
    if (acc_at_hand) acc_at_d = PORTS'(1) << port_q;
    if (acc_valid_o) acc_at_d = acc_at_q;
    for (i = 1; i < PORTS; i = i + 1) begin  // the nearest last, which counts
      other = ((acc_at_q << (PORTS - i)) | (acc_at_q >> i)) & acc_valid;
      if (other != '0) acc_at_d = other;
    end
    if (acc_valid_o && !acc_ready_i) acc_at_d = acc_at_q;
  end
  always_ff @(posedge clk_i) begin
    acc_at_q     <= !rst_ni ? PORTS'(1) : acc_at_d;
    acc_at_1_q   <= acc_at_q;
    acc_at_2_q   <= acc_at_1_q;
    acc_at_3_q   <= acc_at_2_q;
    acc_pair_1_q <= |(acc_pair & acc_at_q);
    acc_pair_2_q <= acc_pair_1_q;
    acc_pair_3_q <= acc_pair_2_q;
  end

  genvar g;
  generate
    for (g = 0; g < PORTS; g = g + 1) begin : gen_port
      store_port i_port (
          .clk_i(clk_i), .rst_ni(rst_ni), .cmd_valid_i(valid_q && order_ready && port_q == g), .cmd_ready_o(port_ready[g]),
          .cmd_i(cmd_q), .prefix_i(prefix_q), .base_i(base_q), .complete_o(complete[g]), .error_o(failed[g]),
          .moved_o(moved[g]),
          .awvalid_o(awvalid_o[g]), .awready_i(awready_i[g]), .awaddr_o(awaddr_o[g*64 +: 64]), .awlen_o(awlen_o[g*8 +: 8]),
          .wvalid_o(wvalid_o[g]), .wready_i(wready_i[g]), .wdata_o(wdata_o[g*512 +: 512]), .wlast_o(wlast_o[g]),
          .bvalid_i(bvalid_i[g]), .bready_o(bready_o[g]), .bresp_i(bresp_i[g*2 +: 2]),
          .rd_valid_o(rd_valid_o[g]), .rd_line_o(rd_line_o[g*18 +: 18]), .rd_ready_i(rd_ready_i[g]),
          .rd_rsp_valid_i(rd_rsp_valid_i[g]), .rd_rsp_data_i(rd_rsp_data_i[g*512 +: 512]),
          .acc_valid_o(acc_valid[g]), .acc_row_o(acc_row[g*13 +: 13]), .acc_pair_o(acc_pair[g]),
          .acc_ready_i(acc_ready_i && acc_at_q[g]), .acc_rsp_valid_i(acc_rsp_valid_i && acc_at_3_q[g]),
          .acc_rsp_pair_i(acc_pair_3_q), .acc_rsp_data_i(acc_rsp_data_i));
    end
  endgenerate

  // 0 idle, 1 busy, 2 waits for memory or a buffer port.
  always_ff @(posedge clk_i)
    if (!rst_ni)           state_o <= 2'd0;
    else if (|moved)       state_o <= 2'd1;
    else if (valid_q || !idle) state_o <= 2'd2;
    else                   state_o <= 2'd0;
endmodule
`default_nettype wire
