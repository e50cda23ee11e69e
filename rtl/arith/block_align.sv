// bfp16 mantissas: bf16 elements aligned to the exponent of their block, LANES at a time.
//
// Promises    mantissa = +-rne(significand * 2^(7 - (E - e))), 16 bits two's complement; zero and subnormal elements give 0
//             (docs/design.md, section 2). E is not less than any element's exponent. With E = 255 the mantissas mean nothing.
// Inputs      data_i: bf16; exponent_i: E of each lane.
// Latency     heddle_pkg::COLUMN_CONVERTER_LATENCY cycles, fixed. Throughput one a cycle. No back-pressure.
//
// Stage by stage: 1 distance to E, 2 shift, 3 round and apply the sign. Last to first, as in fp32_add.
`default_nettype none

module block_align #(
    parameter LANES = 32
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                valid_i,
    input  logic [LANES*16-1:0] data_i,
    input  logic [ LANES*8-1:0] exponent_i,
    output logic                valid_o,
    output logic [LANES*16-1:0] mantissa_o
);
  localparam STAGES = heddle_pkg::COLUMN_CONVERTER_LATENCY;

  logic [STAGES:1] valid_q;  // stage s holds a result
  assign valid_o = valid_q[STAGES];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[STAGES-1:1], valid_i};
  end

  logic [31:0] element1[0:LANES-1];  // 15 sign, 7:0 significand
  logic [31:0] shift1[0:LANES-1];  // 5 bits; from 17 on nothing is left
  logic [31:0] shifted2[0:LANES-1];  // 31 sign, 23:9 magnitude, 8:0 below the unit

  always_ff @(posedge clk_i) begin : stages
    logic [31:0] i1, i2, i3;
    logic [31:0] t, u, v;
    if (valid_q[2]) begin
      for (i3 = 0; i3 < LANES; i3 = i3 + 1) begin
        t = shifted2[i3];
        u = t[31] ? 32'hFFFF_FFFF : 32'd0;
        v = t[8] && (t & 32'h2FF) != 0 ? 32'd1 : 32'd0;  // round up: above the tie, or odd
        // -(m + v) = ~m + (1 - v)
        v = (((t >> 9) & 32'h7FFF) ^ u) + (v ^ (u & 32'd1));
        mantissa_o[16*i3 +: 16] <= v[15:0];
      end
    end
    if (valid_q[1]) begin
      for (i2 = 0; i2 < LANES; i2 = i2 + 1) begin
        t = element1[i2];
        shifted2[i2] = (((t & 32'hFF) << 16) >> shift1[i2]) | ((t & 32'h8000) << 16);
      end
    end
    if (valid_i) begin
      for (i1 = 0; i1 < LANES; i1 = i1 + 1) begin
        t = {16'd0, data_i[16*i1 +: 16]};
        u = (t >> 7) & 32'hFF;
        element1[i1] = (t & 32'h8000) | (u == 0 ? 32'd0 : (t & 32'h7F) | 32'h80);
        v = ({24'd0, exponent_i[8*i1 +: 8]} - u) & 32'hFF;
        shift1[i1] = (v & 32'hE0) != 0 ? 32'd31 : v;
      end
    end
  end
endmodule

`default_nettype wire
