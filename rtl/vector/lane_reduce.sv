// Sum and maximum of a row's lanes by a binary tree.
//
// Promises    v[l] + v[l + LANES/2], then the halves of what is left, down to one (docs/design.md, section 2); max: NaN if
//             any lane is NaN, max(+0, -0) = +0. Lanes that take no part are the caller's +0 or -Inf.
// Latency     Sum: log2(LANES) * FP32_ADD_LATENCY; maximum: log2(LANES). One row a cycle each, no back-pressure.
// Limits      LANES is a power of two and at least 2.
`default_nettype none

module lane_reduce #(
    parameter LANES = 32
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                sum_valid_i,
    input  logic                max_valid_i,
    input  logic                last_i,
    input  logic [LANES*32-1:0] row_i,
    output logic                sum_valid_o,
    output logic                sum_last_o,
    output logic [31:0]         sum_o,
    output logic                max_valid_o,
    output logic                max_last_o,
    output logic [31:0]         max_o
);
  localparam DEPTH = $clog2(LANES);
  localparam SUM_LATENCY = DEPTH * heddle_pkg::FP32_ADD_LATENCY;

  // ------------------------------------------------------------------------------------------------------------ sum
  // Level g + 1 holds LANES >> (g + 1) sums in its low bits.
  logic [LANES*32-1:0] level[0:DEPTH];
  logic [DEPTH:0] level_valid;
  assign level[0] = row_i;
  assign level_valid[0] = sum_valid_i;
  genvar g;
  generate
    for (g = 0; g < DEPTH; g = g + 1) begin : gen_level
      localparam HALF = (LANES >> (g + 1)) * 32;
      logic [HALF-1:0] sum;
      fp32_add #(.LANES(LANES >> (g + 1))) i_add (
          .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(level_valid[g]), .a_i(level[g][HALF-1:0]),
          .b_i(level[g][HALF +: HALF]), .valid_o(level_valid[g+1]), .sum_o(sum));
      assign level[g+1] = {{(LANES * 32 - HALF) {1'b0}}, sum};
    end
  endgenerate
  assign sum_valid_o = level_valid[DEPTH];
  assign sum_o = level[DEPTH][31:0];
  logic unused_high;
  assign unused_high = &{1'b0, level[DEPTH][LANES*32-1:32]};

  logic [SUM_LATENCY-1:0] sum_last_q;
  always_ff @(posedge clk_i) sum_last_q <= {sum_last_q[SUM_LATENCY-2:0], last_i};
  assign sum_last_o = sum_last_q[SUM_LATENCY-1];

  // -------------------------------------------------------------------------------------------------------- maximum
  // The first level compares sign and magnitude (there is one NaN, and it is positive) and makes unsigned keys: their
  // order is the order of the numbers, -0 below +0 and NaN above everything.
  logic [DEPTH-1:0] max_valid_q, max_last_q;
  logic [31:0] keys[0:LANES*DEPTH-1];  // level g from LANES * g on
  assign max_valid_o = max_valid_q[DEPTH-1];
  assign max_last_o = max_last_q[DEPTH-1];
  logic [31:0] top_q;
  assign max_o = top_q ^ (top_q[31] ? 32'h8000_0000 : 32'hFFFF_FFFF);

  always_ff @(posedge clk_i) begin : maximum
    logic [31:0] t, i, j, a, b;
    logic greater;
    if (!rst_ni) max_valid_q <= '0;
    else max_valid_q <= {max_valid_q[DEPTH-2:0], max_valid_i};
    max_last_q <= {max_last_q[DEPTH-2:0], last_i};
    for (t = DEPTH - 1; t > 0; t = t - 1)
      if (max_valid_q[t-1]) begin
        for (i = 0; i < LANES; i = i + 1)
          if (i < (LANES >> (t + 1))) begin
            a = keys[LANES*(t-1) + i];
            b = keys[LANES*(t-1) + i + (LANES >> (t + 1))];
            keys[LANES*t + i] = a > b ? a : b;
          end
        if (t == DEPTH - 1) top_q <= keys[LANES*t];
      end
    if (max_valid_i) begin
      for (j = 0; j < LANES / 2; j = j + 1) begin
        a = row_i[32*j +: 32];
        b = row_i[32*(j + LANES/2) +: 32];
        greater = a[30:0] > b[30:0] ? !a[31] : b[31];
        a = greater ? a : b;
        keys[j] = a ^ (a[31] ? 32'hFFFF_FFFF : 32'h8000_0000);
      end
    end
  end
endmodule

`default_nettype wire
