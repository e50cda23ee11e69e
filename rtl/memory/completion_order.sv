// Reports completions in program order: engines complete their own instructions in order, but run in parallel.
//
// Promises   done_o one cycle per instruction in the order of start_i, with the error its engine reported; at the
//            earliest one cycle after complete_i. At most DEPTH instructions between start_i and done_o: ready_o.
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
  logic [PORTS-1:0]  pending, next_failed;  // per port: an instruction has completed and waits for its turn

  logic [PORT_W-1:0] port;
  logic              due;
  assign port    = order_q[order_head_q[INDEX_W-1:0]];
  assign due     = order_head_q != order_tail_q && pending[port];
  assign ready_o = (order_tail_q ^ order_head_q) != {1'b1, {INDEX_W{1'b0}}};
  assign idle_o  = order_head_q == order_tail_q;

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      order_head_q <= '0;
      order_tail_q <= '0;
      done_o <= 1'b0;
      error_o <= 1'b0;
    end else begin
      done_o <= due;
      error_o <= due & next_failed[port];
      if (start_i) begin
        order_q[order_tail_q[INDEX_W-1:0]] <= start_port_i;
        order_tail_q <= order_tail_q + 1'b1;
      end
      if (due) order_head_q <= order_head_q + 1'b1;
    end

  genvar g;
  generate
    for (g = 0; g < PORTS; g = g + 1) begin : gen_port
      logic [DEPTH-1:0] errors_q;
      logic [INDEX_W:0] head_q, tail_q;
      logic             waiting;  // one has completed earlier and not had its turn
      assign waiting        = head_q != tail_q;
      assign pending[g]     = waiting || complete_i[g];
      assign next_failed[g] = waiting ? errors_q[head_q[INDEX_W-1:0]] : error_i[g];
      always_ff @(posedge clk_i)
        if (!rst_ni) begin
          head_q <= '0;
          tail_q <= '0;
        end else begin
          if (complete_i[g]) begin
            errors_q[tail_q[INDEX_W-1:0]] <= error_i[g];
            tail_q <= tail_q + 1'b1;
          end
          if (due && port == PORT_W'(g)) head_q <= head_q + 1'b1;
        end
    end
  endgenerate
endmodule
`default_nettype wire
