// One operand of the vector unit, from the answers of its memories to rows of fp32 in order.
//
// Promises    bf16 is widened, subnormals become zeros of their sign, every NaN 0x7FC00000.
// Latency     One cycle from answer to head. One row a cycle.
// Back-pressure room_o: another read may be accepted; counts rows asked for and not yet taken (accepted_i, pop_i),
//             because answers cannot be refused.
`default_nettype none

module vector_operand #(
    parameter LANES = 32,
    parameter DEPTH = 8
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                accepted_i,
    output logic                room_o,
    // Answers; at most one of the two in a cycle.
    input  logic                ub_valid_i,
    input  logic                ub_fp32_i,  // else a line of bf16 in the low half
    input  logic [LANES*32-1:0] ub_data_i,
    input  logic                acc_valid_i,
    input  logic [LANES*32-1:0] acc_data_i,
    // The head.
    output logic                valid_o,
    output logic [LANES*32-1:0] data_o,
    input  logic                pop_i
);
  localparam ADDR_W = $clog2(DEPTH);

  logic [LANES*32-1:0] memory[0:DEPTH-1];
  logic [ADDR_W-1:0] write_q, read_q;
  logic [ADDR_W:0] count_q;     // rows held
  logic [ADDR_W:0] promised_q;  // rows held or asked for

  assign room_o = !promised_q[ADDR_W];
  assign valid_o = count_q != '0;
  assign data_o = memory[read_q];

  logic push;
  assign push = ub_valid_i || acc_valid_i;

  always_ff @(posedge clk_i) begin : store
    logic [LANES*32-1:0] answer, row;
    logic [31:0] i, v;
    if (push) begin
      answer = acc_valid_i ? acc_data_i : ub_data_i;
      for (i = 0; i < LANES; i = i + 1) begin
        v = (acc_valid_i || ub_fp32_i) ? answer[32*i +: 32] : {ub_data_i[16*i +: 16], 16'd0};
        v = (v[30:23] == 8'd0) ? v & 32'h8000_0000 : v;
        v = (v[30:23] == 8'd255 && v[22:0] != 23'd0) ? 32'h7FC0_0000 : v;
        row[32*i +: 32] = v;
      end
      memory[write_q] <= row;
    end
  end

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      write_q <= '0;
      read_q <= '0;
      count_q <= '0;
      promised_q <= '0;
    end else begin
      if (push) write_q <= write_q + 1'b1;
      if (pop_i) read_q <= read_q + 1'b1;
      count_q <= count_q + {{ADDR_W{1'b0}}, push} - {{ADDR_W{1'b0}}, pop_i};
      promised_q <= promised_q + {{ADDR_W{1'b0}}, accepted_i} - {{ADDR_W{1'b0}}, pop_i};
    end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i)
    if (rst_ni) begin
      if (push && count_q[ADDR_W]) $error("vector_operand: overflow");
      if (pop_i && !valid_o) $error("vector_operand: underflow");
      if (ub_valid_i && acc_valid_i) $error("vector_operand: two answers at once");
    end
`endif
endmodule

`default_nettype wire
