// Block result: the exact integer sum of 32 products becomes fp32, LANES columns at a time.
//
// Promises    result = rne_fp32(sum * 2^(ea + eb - 282)): to nearest even with 24 bits, below 2^-126 zero of its sign, Inf on
//             overflow, +0 for sum = 0, NaN 0x7FC00000 if ea or eb is 255 (docs/design.md, section 2).
// Inputs      sum_i: LANES words of 64 bits, two's complement, |sum| < 2^35. ea_i: exponent of the row, common to all lanes.
//             eb_i: exponent of each column. All valid with valid_i.
// Latency     heddle_pkg::INT_TO_FP32_LATENCY cycles, fixed. Throughput one a cycle. No back-pressure.
//
// Stage by stage: 1 magnitude, 2 to 4 normalise to bit 34, 5 round, 6 pack. Last to first, as in fp32_add.
`default_nettype none

module int_to_fp32 #(
    parameter LANES = 32
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                valid_i,
    input  logic [LANES*64-1:0] sum_i,
    input  logic [         7:0] ea_i,
    input  logic [ LANES*8-1:0] eb_i,
    output logic                valid_o,
    output logic [LANES*32-1:0] result_o
);
  localparam STAGES = heddle_pkg::INT_TO_FP32_LATENCY;

  logic [STAGES:1] valid_q;  // stage s holds a result
  assign valid_o = valid_q[STAGES];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[STAGES-1:1], valid_i};
  end

  // Flags beside the magnitudes: 31 sign, 30 NaN, 29:24 leading zeros removed so far, 9:0 exponent.
  localparam SIGN = 31, NAN = 30, ZEROS = 24;
  localparam [31:0] BIAS = 121;  // exponent field of a sum whose leading one is bit 34: ea + eb - 282 + 34 + 127

  logic [63:0] mag1[0:LANES-1];
  logic [31:0] flags1[0:LANES-1];
  logic [63:0] mag2[0:LANES-1];
  logic [31:0] flags2[0:LANES-1];
  logic [63:0] mag3[0:LANES-1];
  logic [31:0] flags3[0:LANES-1];
  logic [31:0] mag4[0:LANES-1];  // bit 31 the unit, bit 7 rounds, 6:0 sticky
  logic [31:0] flags4[0:LANES-1];
  logic [31:0] round5[0:LANES-1];
  logic [31:0] flags5[0:LANES-1];  // 31 sign, 30 NaN, 29 zero
  logic [31:0] exponent5[0:LANES-1];  // 9:0 two's complement; 25:16 one more
  localparam ZERO = 29;

  always_ff @(posedge clk_i) begin : stages
    logic [31:0] i1, i2, i3, i4, i5, i6;
    logic [31:0] t, u, v;
    logic [63:0] m;
    if (valid_q[5]) begin
      for (i6 = 0; i6 < LANES; i6 = i6 + 1) begin
        t = round5[i6][24] ? exponent5[i6] >> 16 : exponent5[i6];
        u = flags5[i6];
        v = (u[ZERO] || t[9] || t[9:0] == 10'd0) ? 32'd0 : {1'b0, t[7:0], round5[i6][22:0]};
        v = (!u[ZERO] && !t[9] && (t[8] || t[7:0] == 8'd255)) ? 32'h7F80_0000 : v;
        result_o[32*i6 +: 32] <= u[NAN] ? 32'h7FC0_0000 : {u[SIGN], v[30:0]};
      end
    end
    if (valid_q[4]) begin
      for (i5 = 0; i5 < LANES; i5 = i5 + 1) begin
        t = mag4[i5];
        u = t[7] && (t[8] || (t & 32'h7F) != 0) ? 32'd1 : 32'd0;
        round5[i5] = (t >> 8) + u;
        u = (flags4[i5] >> ZEROS) & 32'h3F;
        v = (flags4[i5] & 32'h3FF) - u - BIAS;
        t = (flags4[i5] & 32'h3FF) - u - (BIAS - 32'd1);
        exponent5[i5] = (v & 32'h3FF) | ((t & 32'h3FF) << 16);
        flags5[i5] = (flags4[i5] & 32'hC000_0000) | ((mag4[i5] >> 31) == 0 ? 32'd1 << ZERO : 32'd0);
      end
    end
    if (valid_q[3]) begin
      for (i4 = 0; i4 < LANES; i4 = i4 + 1) begin
        m = mag3[i4];
        u = (m >> 33) == 0 ? 32'd2 : 32'd0;
        m = (m >> 33) == 0 ? m << 2 : m;
        u = (m >> 34) == 0 ? u | 32'd1 : u;
        m = (m >> 34) == 0 ? m << 1 : m;
        t = m[34:3];
        mag4[i4] = t | (m[2:0] != 3'd0 ? 32'd1 : 32'd0);
        flags4[i4] = flags3[i4] | (u << ZEROS);
      end
    end
    if (valid_q[2]) begin
      for (i3 = 0; i3 < LANES; i3 = i3 + 1) begin
        m = mag2[i3];
        u = (m >> 27) == 0 ? 32'd8 : 32'd0;
        m = (m >> 27) == 0 ? m << 8 : m;
        u = (m >> 31) == 0 ? u | 32'd4 : u;
        m = (m >> 31) == 0 ? m << 4 : m;
        mag3[i3] = m;
        flags3[i3] = flags2[i3] | (u << ZEROS);
      end
    end
    if (valid_q[1]) begin
      for (i2 = 0; i2 < LANES; i2 = i2 + 1) begin
        m = mag1[i2];
        u = (m >> 19) == 0 ? 32'd16 : 32'd0;
        u = (m >> 3) == 0 ? 32'd32 : u;
        // After 32 no other step of this stage can be needed: at most three bits were left.
        mag2[i2] = (m >> 3) == 0 ? m << 32 : ((m >> 19) == 0 ? m << 16 : m);
        flags2[i2] = flags1[i2] | (u << ZEROS);
      end
    end
    if (valid_i) begin
      for (i1 = 0; i1 < LANES; i1 = i1 + 1) begin
        m = sum_i[64*i1 +: 64];
        mag1[i1] = (m[63] ? 64'd0 - m : m) & 64'h7_FFFF_FFFF;
        t = {24'd0, eb_i[8*i1 +: 8]};
        u = t + {24'd0, ea_i};
        flags1[i1] = u | ({31'd0, m[63]} << SIGN) | (t == 32'd255 || ea_i == 8'd255 ? 32'd1 << NAN : 32'd0);
      end
    end
  end
endmodule

`default_nettype wire
