// Stage 1 of VEC: operands a and b to m (VOP.mul).
//
// Promises    m = a; a * imm_m; a * b; b > 0 ? a : +0; b == lane index ? a : +0. Rows leave in order.
// Latency     1 cycle if the row needs no multiplication and none is under way, else 1 + FP32_MUL_LATENCY: a row that
//             needs none goes through as a * 1 behind those that do. One row a cycle, no back-pressure.
`default_nettype none

module vector_multiply #(
    parameter LANES = 32
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                valid_i,
    input  logic [3:0]          beside_i,  // whatever travels with the row
    input  logic [2:0]          op_i,
    input  logic [31:0]         imm_i,     // no subnormal, one NaN
    input  logic                a_imm_i,   // operand a is imm_i
    input  logic [LANES*32-1:0] a_i,
    input  logic [LANES*32-1:0] b_i,
    output logic                valid_o,
    output logic [3:0]          beside_o,
    output logic                busy_o,
    output logic [LANES*32-1:0] m_o
);
  localparam LATENCY = heddle_pkg::FP32_MUL_LATENCY;

  function automatic [31:0] index_as_fp32(input [4:0] i);
    if (i[4]) index_as_fp32 = {9'd131, i[3:0], 19'd0};
    else if (i[3]) index_as_fp32 = {9'd130, i[2:0], 20'd0};
    else if (i[2]) index_as_fp32 = {9'd129, i[1:0], 21'd0};
    else if (i[1]) index_as_fp32 = {9'd128, i[0], 22'd0};
    else if (i[0]) index_as_fp32 = 32'h3F80_0000;
    else index_as_fp32 = 32'd0;
  endfunction

  logic valid_q, needs_q;
  logic [3:0] beside_q;
  logic [LANES*32-1:0] x_q, y_q;

  always_ff @(posedge clk_i) begin : prepare
    logic [31:0] i, a, b;
    logic keep;
    if (valid_i) begin
      for (i = 0; i < LANES; i = i + 1) begin
        a = a_imm_i ? imm_i : a_i[32*i +: 32];
        b = b_i[32*i +: 32];
        case (op_i)
          heddle_isa_pkg::VOP_MUL_MASK_POSITIVE:  // NaN has its top fraction bit set, Inf has not
            keep = !b[31] && b[30:23] != 8'd0 && !(b[30:23] == 8'd255 && b[22]);
          heddle_isa_pkg::VOP_MUL_LANE_EQUAL:
            keep = b == index_as_fp32(i[4:0]) || (i == 32'd0 && b[30:0] == 31'd0);
          default: keep = 1'b1;
        endcase
        x_q[32*i +: 32] <= keep ? a : 32'd0;
        y_q[32*i +: 32] <= op_i == heddle_isa_pkg::VOP_MUL_IMM ? imm_i
                         : op_i == heddle_isa_pkg::VOP_MUL_B ? b : 32'h3F80_0000;
      end
      needs_q <= op_i == heddle_isa_pkg::VOP_MUL_IMM || op_i == heddle_isa_pkg::VOP_MUL_B;
      beside_q <= beside_i;
    end
    valid_q <= valid_i && rst_ni;
  end

  logic enter, product_valid, pipe_busy;
  logic [LANES*32-1:0] product;
  logic [4*LATENCY-1:0] beside_pipe_q;
  assign enter = valid_q && (needs_q || pipe_busy);

  fp32_mul #(.LANES(LANES)) i_mul (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(enter), .a_i(x_q), .b_i(y_q), .valid_o(product_valid),
      .busy_o(pipe_busy), .product_o(product));
  always_ff @(posedge clk_i) beside_pipe_q <= {beside_pipe_q[4*LATENCY-5:0], beside_q};

  assign valid_o = product_valid || (valid_q && !enter);
  assign beside_o = product_valid ? beside_pipe_q[4*LATENCY-1 -: 4] : beside_q;
  assign m_o = product_valid ? product : x_q;
  assign busy_o = valid_q || pipe_busy;
endmodule

`default_nettype wire
