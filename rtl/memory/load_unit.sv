// Executes LOAD: patterns of lines from device memory, or zeros, into the unified buffer.
//
// Promises   Instructions start in program order, slot s on port s mod PORTS, run in parallel on different ports, and
//            complete (done_o) in program order. error_o with done_o: a beat of this instruction came with an error.
// Latency    First address 4 cycles after cmd_valid_i; done_o at most 4 cycles after the last line was accepted.
// Throughput Per port a line and a burst a cycle.
// Back-pressure cmd_ready_o waits for the port of the instruction at hand; see load_port.
// Limits     16 instructions between start and done, 4 per port. Addresses were checked at dispatch.
`default_nettype none
module load_unit #(
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
    // AXI4 read channels, one per port.
    output logic [PORTS-1:0]     arvalid_o,
    input  logic [PORTS-1:0]     arready_i,
    output logic [PORTS*64-1:0]  araddr_o,
    output logic [PORTS*8-1:0]   arlen_o,
    input  logic [PORTS-1:0]     rvalid_i,
    output logic [PORTS-1:0]     rready_o,
    input  logic [PORTS*512-1:0] rdata_i,
    input  logic [PORTS*2-1:0]   rresp_i,
    input  logic [PORTS-1:0]     rlast_i,
    // Unified-buffer write ports.
    output logic [PORTS-1:0]     wr_valid_o,
    output logic [PORTS*18-1:0]  wr_line_o,
    output logic [PORTS*512-1:0] wr_data_o,
    input  logic [PORTS-1:0]     wr_ready_i
);
  localparam PORT_W = PORTS > 1 ? $clog2(PORTS) : 1;

  // The instruction at hand, with its slot's address.
  logic              valid_q, start;
  logic [127:0]      cmd_q, prefix_q;
  logic [57:0]       base_q;
  logic [PORT_W-1:0] port_q;
  logic [3:0]        slot;
  assign slot = cmd_i[heddle_isa_pkg::LOAD_SLOT_LSB +: heddle_isa_pkg::LOAD_SLOT_W];
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

  genvar g;
  generate
    for (g = 0; g < PORTS; g = g + 1) begin : gen_port
      load_port i_port (
          .clk_i(clk_i), .rst_ni(rst_ni), .cmd_valid_i(valid_q && order_ready && port_q == g), .cmd_ready_o(port_ready[g]),
          .cmd_i(cmd_q), .prefix_i(prefix_q), .base_i(base_q), .complete_o(complete[g]), .error_o(failed[g]),
          .moved_o(moved[g]),
          .arvalid_o(arvalid_o[g]), .arready_i(arready_i[g]), .araddr_o(araddr_o[g*64 +: 64]), .arlen_o(arlen_o[g*8 +: 8]),
          .rvalid_i(rvalid_i[g]), .rready_o(rready_o[g]), .rdata_i(rdata_i[g*512 +: 512]), .rresp_i(rresp_i[g*2 +: 2]),
          .rlast_i(rlast_i[g]),
          .wr_valid_o(wr_valid_o[g]), .wr_line_o(wr_line_o[g*18 +: 18]), .wr_data_o(wr_data_o[g*512 +: 512]),
          .wr_ready_i(wr_ready_i[g]));
    end
  endgenerate

  // 0 idle, 1 busy, 2 waits for memory or the buffer.
  always_ff @(posedge clk_i)
    if (!rst_ni)           state_o <= 2'd0;
    else if (|moved)       state_o <= 2'd1;
    else if (valid_q || !idle) state_o <= 2'd2;
    else                   state_o <= 2'd0;
endmodule
`default_nettype wire
