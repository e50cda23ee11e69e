// Stage 2 of VEC: m and operand b to s (VOP.add).
//
// Promises    s = m; m + imm_a; m + b; m - b; b - m; max(m, b); max(m, imm_a). Rows leave in order. b waits here from
//             the row's issue (b_push_i, in row order) until its m arrives.
// Latency     1 cycle if the row needs no addition and none is under way, else 1 + FP32_ADD_LATENCY: a row that needs
//             none goes through as m + (-0) behind those that do. One row a cycle, no back-pressure.
// Limits      Fewer than B_DEPTH rows between issue and m: vector_multiply's latency.
`default_nettype none

module vector_add #(
    parameter LANES = 32
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                b_push_i,
    input  logic [LANES*32-1:0] b_i,
    input  logic                valid_i,
    input  logic                last_i,
    input  logic [2:0]          op_i,
    input  logic                uses_b_i,
    input  logic [31:0]         imm_i,    // no subnormal, one NaN
    input  logic [LANES*32-1:0] m_i,
    output logic                valid_o,
    output logic                last_o,
    output logic                busy_o,
    output logic [LANES*32-1:0] s_o
);
  localparam LATENCY = heddle_pkg::FP32_ADD_LATENCY;
  localparam B_DEPTH = 16;

  // Unsigned order of the keys is the order of the numbers, -0 below +0 and NaN above everything.
  function automatic [31:0] key(input [31:0] x);
    key = x ^ (x[31] ? 32'hFFFF_FFFF : 32'h8000_0000);
  endfunction

  logic b_valid;
  logic [LANES*32-1:0] b_row;
  row_fifo #(.WIDTH(LANES * 32), .DEPTH(B_DEPTH)) i_b (
      .clk_i(clk_i), .rst_ni(rst_ni), .push_i(b_push_i), .data_i(b_i), .pop_i(valid_i && uses_b_i), .valid_o(b_valid),
      .data_o(b_row));

  logic valid_q, last_q, needs_q;
  logic [LANES*32-1:0] x_q, y_q;

  always_ff @(posedge clk_i) begin : prepare
    logic [31:0] i, m, y;
    if (valid_i) begin
      for (i = 0; i < LANES; i = i + 1) begin
        m = m_i[32*i +: 32];
        y = uses_b_i ? b_row[32*i +: 32] : imm_i;
        case (op_i)
          heddle_isa_pkg::VOP_ADD_IMM, heddle_isa_pkg::VOP_ADD_B: begin
            x_q[32*i +: 32] <= m;
            y_q[32*i +: 32] <= y;
          end
          heddle_isa_pkg::VOP_ADD_SUB_B: begin
            x_q[32*i +: 32] <= m;
            y_q[32*i +: 32] <= y ^ 32'h8000_0000;
          end
          heddle_isa_pkg::VOP_ADD_RSUB_B: begin
            x_q[32*i +: 32] <= m ^ 32'h8000_0000;
            y_q[32*i +: 32] <= y;
          end
          heddle_isa_pkg::VOP_ADD_MAX_B, heddle_isa_pkg::VOP_ADD_MAX_IMM: begin
            x_q[32*i +: 32] <= key(m) > key(y) ? m : y;
            y_q[32*i +: 32] <= 32'h8000_0000;
          end
          default: begin
            x_q[32*i +: 32] <= m;
            y_q[32*i +: 32] <= 32'h8000_0000;
          end
        endcase
      end
      needs_q <= op_i == heddle_isa_pkg::VOP_ADD_IMM || op_i == heddle_isa_pkg::VOP_ADD_B
              || op_i == heddle_isa_pkg::VOP_ADD_SUB_B || op_i == heddle_isa_pkg::VOP_ADD_RSUB_B;
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
    if (rst_ni && valid_i && uses_b_i && !b_valid) $error("vector_add: m without its b");
`endif
endmodule

`default_nettype wire
