// fp32 multiplication, LANES at a time: product = a * b.
//
// Promises    Round to nearest even; subnormal operands count as zero of their sign, subnormal products become zero of
//             their sign; every NaN is 0x7FC00000; Inf * 0 = NaN (docs/design.md, section 2).
// Latency     heddle_pkg::FP32_MUL_LATENCY cycles, fixed. Throughput one a cycle. No back-pressure.
//             busy_o: a stage holds a product (valid_o included).
// Simulation  A stage costs time only while it holds a product.
// Synthesis   STRUCTURAL = 1: the significands meet in carry chains of `multiplier`, without DSP blocks.
//
// Stage by stage: 1 to 3 multiply, 4 normalise and round, 5 pack.
// The stages run last to first, so that each reads what its predecessor held before the clock edge.
`default_nettype none

module fp32_mul #(
    parameter LANES = 32,
`ifdef SYNTHESIS
    parameter STRUCTURAL = 1
`else
    parameter STRUCTURAL = 0
`endif
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                valid_i,
    input  logic [LANES*32-1:0] a_i,
    input  logic [LANES*32-1:0] b_i,
    output logic                valid_o,
    output logic                busy_o,
    output logic [LANES*32-1:0] product_o
);
  localparam STAGES = heddle_pkg::FP32_MUL_LATENCY;

  logic [STAGES:1] valid_q;  // stage s holds a product
  assign valid_o = valid_q[STAGES];
  assign busy_o = |valid_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[STAGES-1:1], valid_i};
  end

  // Flags beside the significands: 31 sign, 14 zero, 13 Inf, 12 NaN; up to stage 2 9:0 the exponent, two's complement.
  localparam SIGN = 31, ZERO = 14, INF = 13, NAN = 12;

  logic [31:0] flags1[0:LANES-1];
  logic [31:0] flags2[0:LANES-1];
  logic [31:0] flags3[0:LANES-1];
  logic [31:0] flags4[0:LANES-1];
  logic [31:0] exponent3[0:LANES-1];  // 9:0 the exponent, 19:10 one more, 29:20 two more
  logic [31:0] exponent4[0:LANES-1];  // 9:0 the exponent, 19:10 one more
  logic [31:0] round4[0:LANES-1];  // 25 bits: a carry out of the significand
  logic [63:0] product1[0:LANES-1];  // 48 bits; idle in the structural form, where structural3 holds them
  logic [63:0] product2[0:LANES-1];
  logic [63:0] product3[0:LANES-1];
  logic [LANES*48-1:0] structural3;

  always_ff @(posedge clk_i) begin : stages
    logic [31:0] i1, i2, i3, i4, i5;
    logic [31:0] t, u, v, w;
    logic [47:0] q;
    if (valid_q[4]) begin
      for (i5 = 0; i5 < LANES; i5 = i5 + 1) begin
        t = round4[i5];
        u = flags4[i5];
        // The exponent: at or below zero the product is flushed, from 255 on it is infinite.
        v = (t[24] ? exponent4[i5] >> 10 : exponent4[i5]) & 32'h3FF;
        w = (u[ZERO] || v[9] || v == 32'd0) ? 32'd0 : {1'b0, v[7:0], t[22:0]};
        w = ((!u[ZERO] && !v[9] && (v[8] || v[7:0] == 8'd255)) || u[INF]) ? 32'h7F80_0000 : w;
        product_o[32*i5 +: 32] <= u[NAN] ? 32'h7FC0_0000 : {u[SIGN], w[30:0]};
      end
    end
    if (valid_q[3]) begin
      for (i4 = 0; i4 < LANES; i4 = i4 + 1) begin
        q = (STRUCTURAL != 0) ? structural3[48*i4 +: 48] : product3[i4][47:0];
        v = q[47] ? {8'd0, q[47:24]} : {8'd0, q[46:23]};
        t = {30'd0, q[47] ? q[23] : q[22], q[21:0] != 22'd0 || (q[47] && q[22])};  // half, sticky
        round4[i4] = v + {31'd0, t[1] & (t[0] | v[0])};
        flags4[i4] = flags3[i4];
        exponent4[i4] = q[47] ? exponent3[i4] >> 10 : exponent3[i4];
      end
    end
    if (valid_q[2]) begin
      for (i3 = 0; i3 < LANES; i3 = i3 + 1) begin
        t = flags2[i3];
        flags3[i3] = t;
        exponent3[i3] = (t & 32'h3FF) | (((t + 32'd1) & 32'h3FF) << 10) | (((t + 32'd2) & 32'h3FF) << 20);
        product3[i3] = product2[i3];
      end
    end
    if (valid_q[1]) begin
      for (i2 = 0; i2 < LANES; i2 = i2 + 1) begin
        t = flags1[i2];
        flags2[i2] = (t & 32'hFFFF_FC00) | ((t - 32'd127) & 32'h3FF);
        product2[i2] = product1[i2];
      end
    end
    if (valid_i) begin
      for (i1 = 0; i1 < LANES; i1 = i1 + 1) begin
        t = a_i[32*i1 +: 32];
        u = b_i[32*i1 +: 32];
        v = (t >> 23) & 32'hFF;
        w = (u >> 23) & 32'hFF;
        flags1[i1] = ((t ^ u) & 32'h8000_0000) | (v + w)
            | ((v == 32'd0 || w == 32'd0) ? 32'd1 << ZERO : 32'd0)
            | ((v == 32'd255 || w == 32'd255) ? 32'd1 << INF : 32'd0)
            | (((v == 32'd255 && (w == 32'd0 || (t & 32'h007F_FFFF) != 0))
                || (w == 32'd255 && (v == 32'd0 || (u & 32'h007F_FFFF) != 0))) ? 32'd1 << NAN : 32'd0);
        if (STRUCTURAL == 0) product1[i1] = {40'd0, 1'b1, t[22:0]} * {40'd0, 1'b1, u[22:0]};
      end
    end
  end

  genvar g;
  generate
    if (STRUCTURAL != 0) begin : gen_structural
      for (g = 0; g < LANES; g = g + 1) begin : gen_lane
        multiplier #(.A_BITS(24), .B_BITS(24), .STRUCTURAL(1)) i_multiplier (
            .clk_i(clk_i), .en_i({valid_q[2:1], valid_i}), .a_i({1'b1, a_i[32*g +: 23]}),
            .b_i({1'b1, b_i[32*g +: 23]}), .product_o(structural3[48*g +: 48]));
      end
    end else begin : gen_behavioural
      assign structural3 = '0;
    end
  endgenerate
endmodule

`default_nettype wire
