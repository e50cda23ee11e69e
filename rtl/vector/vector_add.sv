// Stage 2 of VEC: m and operand b to s (VOP.add).
//
// Promises    s = m; m + imm_a; m + b; m - b; b - m; max(m, b); max(m, imm_a). Rows leave in order. b or imm_a waits here
//             from the row's issue (issue_i, in row order) until its m arrives.
// Latency     1 cycle if the row needs no addition and none is under way, else 1 + FP32_ADD_LATENCY: a row that needs
//             none goes through as m + (-0) behind those that do. One row a cycle, no back-pressure.
// Limits      Fewer than Y_DEPTH rows between issue and m: vector_multiply's latency.
`default_nettype none

module vector_add #(
    parameter LANES = 32
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                issue_i,
    input  logic [2:0]          issue_op_i,
    input  logic [31:0]         imm_i,       // no subnormal, one NaN
    input  logic [LANES*32-1:0] b_i,
    input  logic                valid_i,     // m and what is to be done with it
    input  logic                last_i,
    input  logic [2:0]          op_i,
    input  logic [LANES*32-1:0] m_i,
    output logic                valid_o,
    output logic                last_o,
    output logic                busy_o,
    output logic [LANES*32-1:0] s_o
);
  localparam LATENCY = heddle_pkg::FP32_ADD_LATENCY;
  localparam Y_DEPTH = 16;

  // By sign and magnitude: -0 below +0, and the one NaN, which is positive, above everything.
  function automatic greater(input [31:0] x, input [31:0] y);
    greater = x[30:0] > y[30:0] ? !x[31] : y[31];
  endfunction

  // The second operand.
  logic takes_imm, y_valid, y_pop;
  logic [LANES*32-1:0] y_row;
  assign takes_imm = issue_op_i == heddle_isa_pkg::VOP_ADD_IMM || issue_op_i == heddle_isa_pkg::VOP_ADD_MAX_IMM;
  assign y_pop = valid_i && op_i != heddle_isa_pkg::VOP_ADD_PASS;
  row_fifo #(.WIDTH(LANES * 32), .DEPTH(Y_DEPTH)) i_y (
      .clk_i(clk_i), .rst_ni(rst_ni), .push_i(issue_i && issue_op_i != heddle_isa_pkg::VOP_ADD_PASS),
      .data_i(takes_imm ? {LANES{imm_i}} : b_i), .pop_i(y_pop), .valid_o(y_valid), .data_o(y_row));

  logic valid_q, last_q, needs_q;
  logic [LANES*32-1:0] x_q, y_q;

  logic is_max, adds;
  assign is_max = op_i == heddle_isa_pkg::VOP_ADD_MAX_B || op_i == heddle_isa_pkg::VOP_ADD_MAX_IMM;
  assign adds = op_i == heddle_isa_pkg::VOP_ADD_IMM || op_i == heddle_isa_pkg::VOP_ADD_B
      || op_i == heddle_isa_pkg::VOP_ADD_SUB_B || op_i == heddle_isa_pkg::VOP_ADD_RSUB_B;

  always_ff @(posedge clk_i) begin : prepare
    logic [31:0] i, m, y, flip_m, flip_y;
    if (valid_i) begin
      flip_m = op_i == heddle_isa_pkg::VOP_ADD_RSUB_B ? 32'h8000_0000 : 32'd0;
      flip_y = op_i == heddle_isa_pkg::VOP_ADD_SUB_B ? 32'h8000_0000 : 32'd0;
      for (i = 0; i < LANES; i = i + 1) begin
        m = m_i[32*i +: 32];
        y = y_row[32*i +: 32];
        x_q[32*i +: 32] <= is_max && !greater(m, y) ? y : m ^ flip_m;
        y_q[32*i +: 32] <= adds ? y ^ flip_y : 32'h8000_0000;
      end
      needs_q <= adds;
      last_q <= last_i;
    end
    valid_q <= valid_i && rst_ni;
  end

  logic [LATENCY:1] in_pipe_q;  // where the adder holds rows
  logic enter, sum_valid, pipe_busy;
  logic [LANES*32-1:0] sum;
  logic [LATENCY:1] last_pipe_q;
  assign pipe_busy = |in_pipe_q;
  assign enter = valid_q && (needs_q || pipe_busy);

  fp32_add #(.LANES(LANES)) i_add (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(enter), .a_i(x_q), .b_i(y_q), .valid_o(sum_valid), .sum_o(sum));
  always_ff @(posedge clk_i) begin
    last_pipe_q <= {last_pipe_q[LATENCY-1:1], last_q};
    if (!rst_ni) in_pipe_q <= '0;
    else in_pipe_q <= {in_pipe_q[LATENCY-1:1], enter};
  end

  assign valid_o = sum_valid || (valid_q && !enter);
  assign last_o = sum_valid ? last_pipe_q[LATENCY] : last_q;
  assign s_o = sum_valid ? sum : x_q;
  assign busy_o = valid_q || pipe_busy;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i)
    if (rst_ni && y_pop && !y_valid) $error("vector_add: m without its second operand");
`endif
endmodule

`default_nettype wire
