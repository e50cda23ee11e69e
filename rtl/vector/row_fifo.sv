// A small first-in first-out buffer in distributed RAM, read without latency.
//
// Promises    What is pushed is at the head from the next cycle on. Push and pop may meet in one cycle.
// Back-pressure None: whoever pushes counts credits, so that it never overflows (asserted).
// Limits      DEPTH is a power of two and at least 2.
`default_nettype none

module row_fifo #(
    parameter WIDTH = 1024,
    parameter DEPTH = 8
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             push_i,
    input  logic [WIDTH-1:0] data_i,
    input  logic             pop_i,
    output logic             valid_o,  // something is there
    output logic [WIDTH-1:0] data_o    // the head
);
  localparam ADDR_W = $clog2(DEPTH);

  logic [WIDTH-1:0] memory[0:DEPTH-1];
  logic [ADDR_W:0] write_q, read_q;  // with a wrap bit; they are all the control there is, so that push and pop may come late

  assign valid_o = write_q != read_q;
  assign data_o = memory[read_q[ADDR_W-1:0]];

  always_ff @(posedge clk_i) begin
    if (push_i) memory[write_q[ADDR_W-1:0]] <= data_i;
    if (!rst_ni) begin
      write_q <= '0;
      read_q <= '0;
    end else begin
      if (push_i) write_q <= write_q + 1'b1;
      if (pop_i) read_q <= read_q + 1'b1;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i)
    if (rst_ni) begin
      if (push_i && write_q == {~read_q[ADDR_W], read_q[ADDR_W-1:0]}) $error("row_fifo: overflow");
      if (pop_i && !valid_o) $error("row_fifo: underflow");
    end
`endif
endmodule

`default_nettype wire
