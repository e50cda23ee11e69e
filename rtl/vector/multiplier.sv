// product = a * b: one integer multiplier of at most 32 x 32 bits, b unsigned, a signed or not.
//
// Promises    The exact product, A_BITS + B_BITS bits. Two forms with the same bits and latency: STRUCTURAL = 0 is `*`, fast
//             to simulate; STRUCTURAL = 1 sums a row of `a` per bit of b in carry chains, two additions a stage, so
//             that synthesis uses no DSP block (all of them belong to the array).
// Latency     3 cycles; en_i[s] lets stage s + 1 take its input (the caller's valid bits). One a cycle, no back-pressure.
// Limits      A_BITS and B_BITS at most 32 (A_BITS 31 when unsigned in the structural form has no further limit).
`default_nettype none

module multiplier #(
    parameter A_BITS = 24,
    parameter A_SIGNED = 0,
    parameter B_BITS = 24,
`ifdef SYNTHESIS
    parameter STRUCTURAL = 1
`else
    parameter STRUCTURAL = 0
`endif
) (
    input  logic                      clk_i,
    input  logic [2:0]                en_i,
    input  logic [A_BITS-1:0]         a_i,
    input  logic [B_BITS-1:0]         b_i,
    output logic [A_BITS+B_BITS-1:0]  product_o
);
  localparam P_BITS = A_BITS + B_BITS;
  localparam W = A_BITS + 1;  // a with a sign bit

  logic signed [W-1:0] a;
  assign a = (A_SIGNED != 0) ? {a_i[A_BITS-1], a_i} : {1'b0, a_i};

  genvar g;
  generate
    if (STRUCTURAL == 0) begin : gen_behavioural
      logic signed [P_BITS+1:0] p1_q, p2_q, p3_q;
      always_ff @(posedge clk_i) begin
        if (en_i[2]) p3_q <= p2_q;
        if (en_i[1]) p2_q <= p1_q;
        if (en_i[0]) p1_q <= $signed({{(B_BITS + 1){a[W-1]}}, a}) * $signed({{(A_BITS + 2){1'b0}}, b_i});
      end
      assign product_o = p3_q[P_BITS-1:0];
      logic unused_ok;
      assign unused_ok = &{1'b0, p3_q[P_BITS+1:P_BITS]};
    end else begin : gen_structural
      logic [31:0] b;
      assign b = {{(32 - B_BITS){1'b0}}, b_i};

      // Sums of 4 rows, then of 16, then of 32; a sum leaves the low bits of its first term alone.
      logic signed [W+3:0]  sum4_q [0:7];
      logic signed [W+15:0] sum16_q [0:1];
      logic signed [W+31:0] sum32_q;
      for (g = 0; g < 8; g = g + 1) begin : gen_sum4
        logic signed [W-1:0] row0, row1, row2, row3;
        logic signed [W:0] even, odd;
        logic signed [W+1:0] low, high;
        logic signed [W+1:0] top;
        assign row0 = b[4*g] ? a : '0;
        assign row1 = b[4*g+1] ? a : '0;
        assign row2 = b[4*g+2] ? a : '0;
        assign row3 = b[4*g+3] ? a : '0;
        assign even = {{2{row0[W-1]}}, row0[W-1:1]} + {row1[W-1], row1};
        assign odd = {{2{row2[W-1]}}, row2[W-1:1]} + {row3[W-1], row3};
        assign low = {even, row0[0]};
        assign high = {odd, row2[0]};
        assign top = {{2{low[W+1]}}, low[W+1:2]} + high;
        always_ff @(posedge clk_i) if (en_i[0]) sum4_q[g] <= {top, low[1:0]};
      end
      for (g = 0; g < 2; g = g + 1) begin : gen_sum16
        logic signed [W+3:0] even, odd;
        logic signed [W+7:0] low, high;
        logic signed [W+7:0] top;
        assign even = {{4{sum4_q[4*g][W+3]}}, sum4_q[4*g][W+3:4]} + sum4_q[4*g+1];
        assign odd = {{4{sum4_q[4*g+2][W+3]}}, sum4_q[4*g+2][W+3:4]} + sum4_q[4*g+3];
        assign low = {even, sum4_q[4*g][3:0]};
        assign high = {odd, sum4_q[4*g+2][3:0]};
        assign top = {{8{low[W+7]}}, low[W+7:8]} + high;
        always_ff @(posedge clk_i) if (en_i[1]) sum16_q[g] <= {top, low[7:0]};
      end
      logic signed [W+15:0] top32;
      assign top32 = {{16{sum16_q[0][W+15]}}, sum16_q[0][W+15:16]} + sum16_q[1];
      always_ff @(posedge clk_i) if (en_i[2]) sum32_q <= {top32, sum16_q[0][15:0]};
      assign product_o = sum32_q[P_BITS-1:0];
      logic unused_ok;
      assign unused_ok = &{1'b0, sum32_q[W+31:P_BITS]};
    end
  endgenerate
endmodule

`default_nettype wire
