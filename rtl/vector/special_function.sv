// One lane of exp, log and reciprocal of fp32: the bits of sim/numerics/functions.h.
//
// Promises    At most 2 ulp; special cases and flushing as docs/design.md, section 2, says.
// Latency     heddle_pkg::SPECIAL_FUNCTION_LATENCY cycles, the same for every function. One a cycle, no back-pressure.
// Method      Quadratic of the table's segment (function_rom), in integers with 28 fraction bits:
//             exp         stages 1 to 5: x log2(e) = k + f; the table gives 2^f
//             log         stages 15 to 23: e ln(2) + (m - 1) g(m), normalised; the table gives g
//             reciprocal  the table gives 1/m
//             6 look-up, 7 to 14 the polynomial by Horner's rule, 24 round half up, 25 pack.
// Extension   A new function takes a page of the table and a value of page_i; what it needs before the table belongs into
//             stages 1 to 5, what it needs after it into 15 to 23.
`default_nettype none

module special_function #(
`ifdef SYNTHESIS
    parameter STRUCTURAL = 1
`else
    parameter STRUCTURAL = 0
`endif
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        valid_i,
    input  logic [1:0]  page_i,  // 0 exp, 1 log, 2 reciprocal
    input  logic [31:0] x_i,
    output logic        valid_o,
    output logic        busy_o,
    output logic [31:0] y_o
);
  localparam STAGES = heddle_pkg::SPECIAL_FUNCTION_LATENCY;
  localparam [1:0] EXP = 2'd0, LOG = 2'd1, RECIPROCAL = 2'd2;
  localparam [31:0] LOG2_E = 32'd3098164009;  // log2(e) in units of 2^-31
  localparam [31:0] LN_2 = 32'd2977044472;    // ln(2) in units of 2^-32
  // A result that the polynomial has no part in.
  localparam [2:0] COMPUTED = 3'd0, IS_NAN = 3'd1, IS_INF = 3'd2, IS_ZERO = 3'd3;

  logic [STAGES:1] valid_q;
  assign valid_o = valid_q[STAGES];
  assign busy_o = |valid_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[STAGES-1:1], valid_i};
  end

  // ------------------------------------------------------------------- stages 1 to 3: classify; x log2(e), sign apart
  logic [31:0] x1_q, x2_q, x3_q;
  logic [1:0]  page1_q, page2_q, page3_q;
  logic [2:0]  kind1_q, kind2_q, kind3_q;
  logic [6:0]  shift1_q, shift2_q, shift3_q;  // right shift of exp's product; bit 6: everything
  logic [9:0]  e1_q, e2_q, e3_q;
  logic [55:0] scaled3;

  logic [7:0] exponent;
  logic       is_nan;
  logic [2:0] kind;
  logic [7:0] shift;
  logic [9:0] e;
  assign exponent = x_i[30:23];
  assign is_nan = exponent == 8'd255 && x_i[22:0] != 23'd0;
  assign shift = 8'd133 - exponent;
  always_comb begin
    kind = COMPUTED;
    e = 10'd0;
    case (page_i)
      EXP: if (exponent > 8'd133) kind = x_i[31] ? IS_ZERO : IS_INF;
      LOG: begin
        if (exponent == 8'd0 || exponent == 8'd255) kind = IS_INF;
        if (x_i[31] && exponent != 8'd0) kind = IS_NAN;
        e = {2'd0, exponent} - (x_i[22] ? 10'd126 : 10'd127);
      end
      default: begin
        if (exponent == 8'd0) kind = IS_INF;
        if (exponent >= 8'd254) kind = IS_ZERO;
        e = 10'd253 - {2'd0, exponent};
      end
    endcase
    if (is_nan) kind = IS_NAN;
  end

  multiplier #(.A_BITS(32), .B_BITS(24), .STRUCTURAL(STRUCTURAL)) i_scale (
      .clk_i(clk_i), .en_i({valid_q[2:1], valid_i}), .a_i(LOG2_E), .b_i({1'b1, x_i[22:0]}), .product_o(scaled3));
  logic unused_scaled;
  assign unused_scaled = &{1'b0, scaled3[20:0]};

  // ------------------------------------------------------- stages 4 and 5: exp's product into place; what the table sees
  logic [34:0] shifted4_q;
  logic [2:0]  shift4_q;
  logic [31:0] x4_q;
  logic [1:0]  page4_q;
  logic [2:0]  kind4_q;
  logic [9:0]  e4_q;
  logic [34:0] shifted5;
  logic [35:0] t5;
  logic [9:0]  k5, exponent5;
  assign shifted5 = shifted4_q >> shift4_q;
  assign t5 = {36{x4_q[31]}} ^ {1'b0, shifted5};
  assign k5 = {t5[35], t5[35:27]};
  assign exponent5 = (page4_q == EXP ? k5 : e4_q) + (page4_q == EXP ? 10'd127 : 10'd0);

  // From stage 5 on a lane is: 43:41 kind, 40:39 page, 38 sign, 37:28 exponent, 27 zero, 26:20 segment, 19:0 u.
  logic [43:0] side[5:STAGES-1];
  logic [8:0]  addr5_q;

  // ------------------------------------------------------------------------- stages 6 to 14: c0 + (c1 + c2 u) u
  logic [28:0] c0_6;
  logic [22:0] c1_6;
  logic [15:0] c2_6;
  logic [19:0] u6_q, u10_q;
  logic [29:0] square9;
  logic [23:0] slope10_q;
  logic [43:0] product13;
  logic [28:0] y14_q;
  // The coefficients wait for their turn.
  logic [22:0] c1_7_q, c1_8_q, c1_9_q;
  logic [28:0] c0_wait[7:13];

  function_rom i_rom (.clk_i(clk_i), .addr_i(addr5_q), .c0_o(c0_6), .c1_o(c1_6), .c2_o(c2_6));
  multiplier #(.A_BITS(16), .A_SIGNED(1), .B_BITS(14), .STRUCTURAL(STRUCTURAL)) i_square (
      .clk_i(clk_i), .en_i(valid_q[8:6]), .a_i(c2_6), .b_i(u6_q[19:6]), .product_o(square9));
  multiplier #(.A_BITS(24), .A_SIGNED(1), .B_BITS(20), .STRUCTURAL(STRUCTURAL)) i_slope (
      .clk_i(clk_i), .en_i(valid_q[12:10]), .a_i(slope10_q), .b_i(u10_q), .product_o(product13));
  logic unused_low;
  assign unused_low = &{1'b0, square9[13:0], product13[19:0], u6_q[5:0]};

  // ------------------------------------------------------------ stages 15 to 23: log's sum in units of 2^-51, normalised
  // Sign and magnitude: where both terms count and their signs differ, e ln(2) is the larger one.
  logic [22:0] d14_q;  // |m - 1| in units of 2^-24
  logic [7:0]  e14_q;  // |e|
  logic        e_negative14_q, differ14_q;
  logic [50:0] log_m17;
  logic [39:0] log_e17;
  logic [1:0]  signs15_q, signs16_q, signs17_q;  // 1 negative, 0 subtract
  logic [58:0] magnitude18_q, magnitude19_q, magnitude20_q, magnitude21_q;
  logic [27:0] magnitude22_q;
  logic        sign18_q, sign19_q, sign20_q, sign21_q, sign22_q, sign23_q;
  logic [24:0] magnitude23_q;
  logic [5:0]  zeros19_q, zeros20_q, zeros21_q, zeros22_q, zeros23_q;
  logic [58:0] at22;
  logic [27:0] at23;
  logic [28:0] y_wait[15:23];

  multiplier #(.A_BITS(28), .B_BITS(23), .STRUCTURAL(STRUCTURAL)) i_log_m (
      .clk_i(clk_i), .en_i(valid_q[16:14]), .a_i(y14_q[28:1]), .b_i(d14_q), .product_o(log_m17));
  multiplier #(.A_BITS(32), .B_BITS(8), .STRUCTURAL(STRUCTURAL)) i_log_e (
      .clk_i(clk_i), .en_i(valid_q[16:14]), .a_i(LN_2), .b_i(e14_q), .product_o(log_e17));

  assign at22 = magnitude21_q[58:55] == 4'd0 ? magnitude21_q << 4 : magnitude21_q;
  assign at23 = magnitude22_q[27:26] == 2'd0 ? magnitude22_q << 2 : magnitude22_q;

  // ------------------------------------------------------------------------------------- stages 24 and 25: round, pack
  logic [24:0] rounded24_q;
  logic [9:0]  exponent24_q, one_more24_q;
  logic        sign24_q, zero24_q;
  logic [9:0]  exponent25;

  assign exponent25 = rounded24_q[24] ? one_more24_q : exponent24_q;

  logic unused_ends;
  assign unused_ends = &{1'b0, at22[30:0], at23[1:0], rounded24_q[23]};

  always_ff @(posedge clk_i) begin : stages
    logic [31:0] s;
    logic [24:0] base;  // 24 bits and the one below
    if (valid_q[24]) begin
      case (side[24][43:41])
        IS_NAN: y_o <= 32'h7FC0_0000;
        IS_INF: y_o <= {sign24_q, 31'h7F80_0000};
        IS_ZERO: y_o <= {sign24_q, 31'd0};
        default:
          if (zero24_q || exponent25[9] || exponent25 == 10'd0) y_o <= {sign24_q, 31'd0};
          else if (exponent25[8] || exponent25[7:0] == 8'd255) y_o <= {sign24_q, 31'h7F80_0000};
          else y_o <= {sign24_q, exponent25[7:0], rounded24_q[22:0]};
      endcase
    end
    if (valid_q[23]) begin
      case (side[23][40:39])
        EXP: base = y_wait[23][28:4];
        LOG: base = magnitude23_q;
        default: base = y_wait[23][27:3];
      endcase
      // 1/1 and sums that reach the next power of two carry into the exponent.
      rounded24_q <= {1'b0, base[24:1]} + {24'd0, base[0]};
      exponent24_q <= side[23][40:39] == LOG ? 10'd134 - {4'd0, zeros23_q} : side[23][37:28];
      one_more24_q <= side[23][40:39] == LOG ? 10'd135 - {4'd0, zeros23_q} : side[23][37:28] + 10'd1;
      zero24_q <= side[23][40:39] == LOG && !magnitude23_q[24];
      sign24_q <= side[23][40:39] == LOG && side[23][43:41] == COMPUTED ? sign23_q : side[23][38];
    end
    if (valid_q[22]) begin
      magnitude23_q <= at23[27] ? at23[27:3] : at23[26:2];
      zeros23_q <= zeros22_q | {4'd0, magnitude22_q[27:26] == 2'd0, !at23[27]};
      sign23_q <= sign22_q;
    end
    if (valid_q[21]) begin
      magnitude22_q <= at22[58:31];
      zeros22_q <= zeros21_q | {3'd0, magnitude21_q[58:55] == 4'd0, 2'd0};
      sign22_q <= sign21_q;
    end
    if (valid_q[20]) begin
      magnitude21_q <= magnitude20_q[58:51] == 8'd0 ? magnitude20_q << 8 : magnitude20_q;
      zeros21_q <= zeros20_q | {2'd0, magnitude20_q[58:51] == 8'd0, 3'd0};
      sign21_q <= sign20_q;
    end
    if (valid_q[19]) begin
      magnitude20_q <= magnitude19_q[58:43] == 16'd0 ? magnitude19_q << 16 : magnitude19_q;
      zeros20_q <= zeros19_q | {1'b0, magnitude19_q[58:43] == 16'd0, 4'd0};
      sign20_q <= sign19_q;
    end
    if (valid_q[18]) begin
      magnitude19_q <= magnitude18_q[58:27] == 32'd0 ? magnitude18_q << 32 : magnitude18_q;
      zeros19_q <= {magnitude18_q[58:27] == 32'd0, 5'd0};
      sign19_q <= sign18_q;
    end
    if (valid_q[17]) begin
      magnitude18_q <= {log_e17, 19'd0} + ({8'd0, log_m17} ^ {59{signs17_q[0]}}) + {58'd0, signs17_q[0]};
      sign18_q <= signs17_q[1];
    end
    if (valid_q[16]) signs17_q <= signs16_q;
    if (valid_q[15]) signs16_q <= signs15_q;
    if (valid_q[14]) signs15_q <= {e_negative14_q, differ14_q};
    if (valid_q[13]) begin
      y14_q <= c0_wait[13] + {{5{product13[43]}}, product13[43:20]};
      // Above 1.5 the significand is halved: m - 1 is negative there, (fraction - 1) / 2.
      d14_q <= side[13][26] ? 23'd0 - side[13][26:4] : {side[13][25:4], 1'b0};
      e14_q <= side[13][37] ? 8'd0 - side[13][35:28] : side[13][35:28];
      e_negative14_q <= side[13][37:28] == 10'd0 ? side[13][26] : side[13][37];
      differ14_q <= side[13][37:28] != 10'd0 && side[13][37] != side[13][26];
    end
    if (valid_q[9]) begin
      slope10_q <= {c1_9_q[22], c1_9_q} + {{8{square9[29]}}, square9[29:14]};
      u10_q <= side[9][19:0];
    end
    if (valid_q[8]) c1_9_q <= c1_8_q;
    if (valid_q[7]) c1_8_q <= c1_7_q;
    if (valid_q[6]) c1_7_q <= c1_6;
    if (valid_q[5]) u6_q <= side[5][19:0];
    // What waits moves last stage first.
    for (s = 23; s > 15; s = s - 1) if (valid_q[s-1]) y_wait[s] = y_wait[s-1];
    if (valid_q[14]) y_wait[15] = y14_q;
    for (s = 13; s > 7; s = s - 1) if (valid_q[s-1]) c0_wait[s] = c0_wait[s-1];
    if (valid_q[6]) c0_wait[7] = c0_6;
    for (s = STAGES - 1; s > 5; s = s - 1) if (valid_q[s-1]) side[s] = side[s-1];
    if (valid_q[4]) begin
      if (page4_q == EXP) begin
        addr5_q <= {page4_q, t5[26:20]};
        side[5] = {kind4_q, page4_q, 1'b0, exponent5, 1'b0, t5[26:0]};
      end else begin
        addr5_q <= {page4_q, x4_q[22:16]};
        // log: the sign that its special results take.
        side[5] = {kind4_q, page4_q, page4_q == LOG ? x4_q[30:23] == 8'd0 : x4_q[31], exponent5, 1'b0, x4_q[22:0], 4'd0};
      end
    end
    if (valid_q[3]) begin
      shifted4_q <= (shift3_q[6] || x3_q[30:23] == 8'd0) ? 35'd0 : scaled3[55:21] >> {shift3_q[5:3], 3'd0};
      shift4_q <= shift3_q[2:0];
      x4_q <= x3_q;
      page4_q <= page3_q;
      kind4_q <= kind3_q;
      e4_q <= e3_q;
    end
    if (valid_q[2]) begin
      x3_q <= x2_q;
      page3_q <= page2_q;
      kind3_q <= kind2_q;
      shift3_q <= shift2_q;
      e3_q <= e2_q;
    end
    if (valid_q[1]) begin
      x2_q <= x1_q;
      page2_q <= page1_q;
      kind2_q <= kind1_q;
      shift2_q <= shift1_q;
      e2_q <= e1_q;
    end
    if (valid_i) begin
      x1_q <= x_i;
      page1_q <= page_i;
      kind1_q <= kind;
      shift1_q <= {shift[7:6] != 2'd0, shift[5:0]};
      e1_q <= e;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i)
    if (rst_ni && valid_i && page_i > RECIPROCAL) $error("special function: no page %0d", page_i);
`endif
endmodule

`default_nettype wire
