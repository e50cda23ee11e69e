// Reports completions in program order: engines complete their own instructions in order, but run in parallel.
//
// Promises   done_o one cycle per instruction in the order of start_i, with the error its engine reported; at the
//            earliest two cycles after complete_i. At most DEPTH instructions between start_i and done_o: ready_o.
`default_nettype none
module completion_order #(
    parameter PORTS = 4,
    parameter DEPTH = 16,             // a power of two
    parameter PORT_W = PORTS > 1 ? $clog2(PORTS) : 1
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              start_i,
    input  logic [PORT_W-1:0] start_port_i,
    output logic              ready_o,
    input  logic [PORTS-1:0]  complete_i,
    input  logic [PORTS-1:0]  error_i,
    output logic              done_o,
    output logic              error_o,
    output logic              idle_o
);
  localparam INDEX_W = $clog2(DEPTH);

  logic [PORT_W-1:0] order_q [0:DEPTH-1];
  logic [INDEX_W:0]  order_head_q, order_tail_q;
  // Per port: errors of completed instructions that wait for their turn.
  logic [DEPTH-1:0] errors_q [0:PORTS-1];
  logic [INDEX_W:0]    head_q [0:PORTS-1];
  logic [INDEX_W:0]    tail_q [0:PORTS-1];

  logic [PORT_W-1:0] port;
  logic              due;
  assign port    = order_q[order_head_q[INDEX_W-1:0]];
  assign due     = order_head_q != order_tail_q && head_q[port] != tail_q[port];
  assign ready_o = (order_tail_q ^ order_head_q) != {1'b1, {INDEX_W{1'b0}}};
  assign idle_o  = order_head_q == order_tail_q;

  logic [31:0] p;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      order_head_q <= '0;
      order_tail_q <= '0;
      done_o <= 1'b0;
      error_o <= 1'b0;
      for (p = 0; p < PORTS; p = p + 1) begin
        errors_q[p] <= '0;
        head_q[p] <= '0;
        tail_q[p] <= '0;
      end
    end else begin
      done_o <= due;
      error_o <= due & errors_q[port][head_q[port][INDEX_W-1:0]];
      if (start_i) begin
        order_q[order_tail_q[INDEX_W-1:0]] <= start_port_i;
        order_tail_q <= order_tail_q + 1'b1;
      end
      if (due) begin
        order_head_q <= order_head_q + 1'b1;
        head_q[port] <= head_q[port] + 1'b1;
      end
      for (p = 0; p < PORTS; p = p + 1)
        if (complete_i[p]) begin
          errors_q[p][tail_q[p][INDEX_W-1:0]] <= error_i[p];
          tail_q[p] <= tail_q[p] + 1'b1;
        end
    end
endmodule
`default_nettype wire
