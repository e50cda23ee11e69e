// product = a * b: one integer multiplier of at most 32 x 32 bits, b unsigned, a signed or not.
//
// Promises    The exact product, A_BITS + B_BITS bits. Two forms with the same bits and latency: STRUCTURAL = 0 is `*`, fast
//             to simulate; STRUCTURAL = 1 is made of LUTs, so that synthesis uses no DSP block (all of them belong to
//             the array). It takes two bits of b at a time: stage 1 makes 3a, stage 2 adds rows of 0, a, 2a or 3a in
//             groups of three (a LUT chooses the row and adds it in one), stage 3 adds the groups.
// Latency     3 cycles; en_i[s] lets stage s + 1 take its input (the caller's valid bits). One a cycle, no back-pressure.
// Limits      B_BITS at most 36, A_BITS + B_BITS at most 64.
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
      localparam R = W + 2;       // a row: up to 3a
      localparam G = W + 6;       // a group: a times six bits of b
      localparam GROUPS = (B_BITS + 5) / 6;

      logic signed [W-1:0] a1_q;
      logic signed [R-1:0] triple1_q;
      logic [6*GROUPS-1:0] b1_q;
      always_ff @(posedge clk_i)
        if (en_i[0]) begin
          a1_q <= a;
          triple1_q <= {{2{a[W-1]}}, a} + {a[W-1], a, 1'b0};
          b1_q <= {{(6 * GROUPS - B_BITS) {1'b0}}, b_i};
        end

      logic signed [G-1:0] group2[0:5];
      for (g = 0; g < 6; g = g + 1) begin : gen_group
        if (g < GROUPS) begin : gen_used
          logic signed [R-1:0] row0, row1, row2, sum1, sum2;
          assign row0 = (b1_q[6*g+1] ? (b1_q[6*g] ? triple1_q : {a1_q[W-1], a1_q, 1'b0})
                                     : (b1_q[6*g] ? {{2{a1_q[W-1]}}, a1_q} : '0));
          assign row1 = (b1_q[6*g+3] ? (b1_q[6*g+2] ? triple1_q : {a1_q[W-1], a1_q, 1'b0})
                                     : (b1_q[6*g+2] ? {{2{a1_q[W-1]}}, a1_q} : '0));
          assign row2 = (b1_q[6*g+5] ? (b1_q[6*g+4] ? triple1_q : {a1_q[W-1], a1_q, 1'b0})
                                     : (b1_q[6*g+4] ? {{2{a1_q[W-1]}}, a1_q} : '0));
          assign sum1 = {{2{row0[R-1]}}, row0[R-1:2]} + row1;  // below 4a
          assign sum2 = {{2{sum1[R-1]}}, sum1[R-1:2]} + row2;
          logic signed [G-1:0] group2_q;
          always_ff @(posedge clk_i) if (en_i[1]) group2_q <= {sum2, sum1[1:0], row0[1:0]};
          assign group2[g] = group2_q;
        end else begin : gen_unused
          assign group2[g] = '0;
        end
      end

      // 12 bits of b each, then 24, then 36.
      logic signed [G-1:0]  top01, top23, top45;
      logic signed [G+5:0]  twelve0, twelve1, twelve2;
      logic signed [G+5:0]  top24;
      logic signed [G+17:0] twenty4;
      logic signed [G+5:0]  top36;
      logic signed [G+29:0] product3_q;
      assign top01 = {{6{group2[0][G-1]}}, group2[0][G-1:6]} + group2[1];
      assign top23 = {{6{group2[2][G-1]}}, group2[2][G-1:6]} + group2[3];
      assign top45 = {{6{group2[4][G-1]}}, group2[4][G-1:6]} + group2[5];
      assign twelve0 = {top01, group2[0][5:0]};
      assign twelve1 = {top23, group2[2][5:0]};
      assign twelve2 = {top45, group2[4][5:0]};
      assign top24 = {{12{twelve0[G+5]}}, twelve0[G+5:12]} + twelve1;
      assign twenty4 = {top24, twelve0[11:0]};
      assign top36 = {{12{twenty4[G+17]}}, twenty4[G+17:24]} + twelve2;
      always_ff @(posedge clk_i) if (en_i[2]) product3_q <= {top36, twenty4[23:0]};
      assign product_o = product3_q[P_BITS-1:0];
      logic unused_ok;
      assign unused_ok = &{1'b0, product3_q[G+29:P_BITS]};
    end
  endgenerate
endmodule

`default_nettype wire
