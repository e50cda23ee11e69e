// fp32 addition, LANES at a time: sum = a + b.
//
// Promises    Round to nearest even; subnormal operands count as zero of their sign, subnormal sums become zero of
//             their sign; every NaN is 0x7FC00000; x - x = +0 (docs/design.md, section 2).
// Latency     heddle_pkg::FP32_ADD_LATENCY cycles, fixed. Throughput one a cycle. No back-pressure.
// Simulation  A stage costs time only while it holds a result.
//
// Stage by stage: 1 compare, 2 swap, 3 and 4 align, 5 add, 6 and 7 normalise, 8 round, 9 pack.
// The stages run last to first, so that each reads what its predecessor held before the clock edge.
`default_nettype none

module fp32_add #(
    parameter LANES = 32
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                valid_i,
    input  logic [LANES*32-1:0] a_i,
    input  logic [LANES*32-1:0] b_i,
    output logic                valid_o,
    output logic [LANES*32-1:0] sum_o
);
  localparam STAGES = heddle_pkg::FP32_ADD_LATENCY;

  logic [STAGES:1] valid_q;  // stage s holds a result
  assign valid_o = valid_q[STAGES];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[STAGES-1:1], valid_i};
  end

  // Flags that travel beside the significands: 31 sign of the larger, 10 NaN, 9 Inf, 8 subtract, 7:0 exponent of the larger.
  localparam SIGN = 31, NAN = 10, INF = 9, SUB = 8;

  logic [31:0] a1[0:LANES-1];
  logic [31:0] b1[0:LANES-1];
  logic [31:0] diff1[0:LANES-1];  // 16 b is larger, 15:8 exponent b - a, 7:0 exponent a - b
  logic [31:0] big2[0:LANES-1];
  logic [31:0] small2[0:LANES-1];
  logic [31:0] diff2[0:LANES-1];
  logic [31:0] big3[0:LANES-1];  // significand, three bits below the unit
  logic [31:0] small3[0:LANES-1];
  logic [31:0] diff3[0:LANES-1];  // 3 sticky, 2:0 what is left to shift
  logic [31:0] flags3[0:LANES-1];
  logic [31:0] big4[0:LANES-1];
  logic [31:0] small4[0:LANES-1];
  logic [31:0] flags4[0:LANES-1];
  logic [31:0] sum5[0:LANES-1];  // 28 bits
  logic [31:0] flags5[0:LANES-1];
  logic [31:0] sum6[0:LANES-1];
  logic [31:0] flags6[0:LANES-1];
  logic [31:0] zeros6[0:LANES-1];  // leading zeros removed so far
  logic [31:0] sum7[0:LANES-1];
  logic [31:0] flags7[0:LANES-1];
  logic [31:0] zeros7[0:LANES-1];
  logic [31:0] round8[0:LANES-1];
  logic [31:0] flags8[0:LANES-1];  // as above, bit 11: zero
  logic [31:0] exponent8[0:LANES-1];  // 10 bits two's complement; and in 25:16 one more
  localparam ZERO = 11;

  always_ff @(posedge clk_i) begin : stages
    logic [31:0] i1, i2, i3, i4, i5, i6, i7, i8, i9;
    logic [31:0] t, u, v, w;
    if (valid_q[8]) begin
      for (i9 = 0; i9 < LANES; i9 = i9 + 1) begin
        t = round8[i9][24] ? exponent8[i9] >> 16 : exponent8[i9];
        u = flags8[i9];
        // t is the exponent; at or below zero the sum is flushed, from 255 on it is infinite.
        v = (u[ZERO] || t[9] || t[9:0] == 10'd0) ? 32'd0 : {1'b0, t[7:0], round8[i9][22:0]};
        v = (!u[ZERO] && !t[9] && (t[8] || t[7:0] == 8'd255)) || u[INF] ? 32'h7F80_0000 : v;
        sum_o[32*i9 +: 32] <= u[NAN] ? 32'h7FC0_0000 : {u[SIGN], v[30:0]};
      end
    end
    if (valid_q[7]) begin
      for (i8 = 0; i8 < LANES; i8 = i8 + 1) begin
        t = sum7[i8];
        u = {31'd0, t[3] & (t[4] | t[2] | t[1] | t[0])};
        round8[i8] = (t >> 4) + u;
        v = {24'd0, flags7[i8][7:0]} - zeros7[i8];
        w = {24'd0, flags7[i8][7:0]} + 32'd1 - zeros7[i8];
        exponent8[i8] = (w & 32'h3FF) | (((v + 32'd2) & 32'h3FF) << 16);
        // A difference of nothing is +0; the sum of two zeros keeps their sign.
        v = {31'd0, ~t[27]};
        w = v & (flags7[i8] >> SUB) & 32'd1;
        flags8[i8] = ((flags7[i8] & ~(w << SIGN)) & ~(32'd1 << ZERO)) | (v << ZERO);
      end
    end
    if (valid_q[6]) begin
      for (i7 = 0; i7 < LANES; i7 = i7 + 1) begin
        t = sum6[i7];
        u = (t & 32'h0F00_0000) == 0 ? 32'd4 : 32'd0;
        t = (t & 32'h0F00_0000) == 0 ? t << 4 : t;
        u = (t & 32'h0C00_0000) == 0 ? u | 32'd2 : u;
        t = (t & 32'h0C00_0000) == 0 ? t << 2 : t;
        u = (t & 32'h0800_0000) == 0 ? u | 32'd1 : u;
        t = (t & 32'h0800_0000) == 0 ? t << 1 : t;
        sum7[i7] = t & 32'h0FFF_FFFF;
        zeros7[i7] = zeros6[i7] | u;
        flags7[i7] = flags6[i7];
      end
    end
    if (valid_q[5]) begin
      for (i6 = 0; i6 < LANES; i6 = i6 + 1) begin
        t = sum5[i6];
        u = (t & 32'h0FFF_F000) == 0 ? 32'd16 : 32'd0;
        t = (t & 32'h0FFF_F000) == 0 ? t << 16 : t;
        u = (t & 32'h0FF0_0000) == 0 ? u | 32'd8 : u;
        t = (t & 32'h0FF0_0000) == 0 ? t << 8 : t;
        sum6[i6] = t & 32'h0FFF_FFFF;
        zeros6[i6] = u;
        flags6[i6] = flags5[i6];
      end
    end
    if (valid_q[4]) begin
      for (i5 = 0; i5 < LANES; i5 = i5 + 1) begin
        t = flags4[i5];
        u = t[SUB] ? 32'hFFFF_FFFF : 32'd0;
        sum5[i5] = (big4[i5] + (small4[i5] ^ u) + {31'd0, t[SUB]}) & 32'h0FFF_FFFF;
        flags5[i5] = t;
      end
    end
    if (valid_q[3]) begin
      for (i4 = 0; i4 < LANES; i4 = i4 + 1) begin
        t = diff3[i4] & 32'd7;
        u = small3[i4] >> t;
        v = (u << t) != small3[i4] ? 32'd1 : 32'd0;
        small4[i4] = u | v | (diff3[i4] >> 3);
        big4[i4] = big3[i4];
        flags4[i4] = flags3[i4];
      end
    end
    if (valid_q[2]) begin
      for (i3 = 0; i3 < LANES; i3 = i3 + 1) begin
        t = big2[i3];
        u = small2[i3];
        v = t & 32'h7F80_0000;
        w = u & 32'h7F80_0000;
        big3[i3] = v == 0 ? 32'd0 : ((t & 32'h007F_FFFF) | 32'h0080_0000) << 3;
        flags3[i3] = (t & 32'h8000_0000) | (v >> 23) | (((t ^ u) >> 31) << SUB)
            | (v == 32'h7F80_0000 ? 32'd1 << INF : 32'd0)
            | (v == 32'h7F80_0000 && ((t & 32'h007F_FFFF) != 0 || (w == 32'h7F80_0000 && ((t ^ u) >> 31) != 0))
               ? 32'd1 << NAN : 32'd0);
        t = w == 0 ? 32'd0 : ((u & 32'h007F_FFFF) | 32'h0080_0000) << 3;
        v = diff2[i3] & 32'h18;
        u = t >> v;
        small3[i3] = u;
        diff3[i3] = (diff2[i3] & 32'd7) | ((u << v) != t ? 32'd8 : 32'd0);
      end
    end
    if (valid_q[1]) begin
      for (i2 = 0; i2 < LANES; i2 = i2 + 1) begin
        t = diff1[i2];
        big2[i2] = t[16] ? b1[i2] : a1[i2];
        small2[i2] = t[16] ? a1[i2] : b1[i2];
        t = t[16] ? (t >> 8) & 32'hFF : t & 32'hFF;
        diff2[i2] = t > 32'd31 ? 32'd31 : t;
      end
    end
    if (valid_i) begin
      for (i1 = 0; i1 < LANES; i1 = i1 + 1) begin
        t = a_i[32*i1 +: 32];
        u = b_i[32*i1 +: 32];
        a1[i1] = t;
        b1[i1] = u;
        v = (t >> 23) & 32'hFF;
        w = (u >> 23) & 32'hFF;
        diff1[i1] = ((v - w) & 32'hFF) | (((w - v) & 32'hFF) << 8)
            | ((u & 32'h7FFF_FFFF) > (t & 32'h7FFF_FFFF) ? 32'h1_0000 : 32'd0);
      end
    end
  end
endmodule

`default_nettype wire
