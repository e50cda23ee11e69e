// Behavioural model of the DSP48E2 primitive (UG579) as far as array_dsp uses it. For simulation; synthesis has the real one.
//
// Modelled     A path with A1 and A2 and their clock enables, direct or cascaded; B with zero or one register; the 27 x 18
//              multiplier with M; the adder P = Z + M with Z of 0, PCIN, P or C; P register; A and P cascades.
// Not modelled pre-adder, pattern detector, SIMD, logic unit, subtraction, carries, resets, D, the W and X, Y multiplexers other than M;
//              a setting outside the model stops the simulation.
`default_nettype none

module DSP48E2 #(
    parameter ACASCREG = 1,
    parameter ADREG = 0,
    parameter ALUMODEREG = 0,
    parameter AMULTSEL = "A",
    parameter AREG = 1,
    parameter A_INPUT = "DIRECT",
    parameter BCASCREG = 1,
    parameter BMULTSEL = "B",
    parameter BREG = 1,
    parameter B_INPUT = "DIRECT",
    parameter CARRYINREG = 0,
    parameter CARRYINSELREG = 0,
    parameter CREG = 0,
    parameter DREG = 0,
    parameter INMODEREG = 0,
    parameter MREG = 1,
    parameter OPMODEREG = 0,
    parameter PREG = 1,
    parameter USE_MULT = "MULTIPLY"
) (
    input  logic        CLK,
    input  logic [29:0] A,
    input  logic [29:0] ACIN,
    input  logic [ 3:0] ALUMODE,
    input  logic [17:0] B,
    input  logic [17:0] BCIN,
    input  logic [47:0] C,
    input  logic        CARRYCASCIN,
    input  logic        CARRYIN,
    input  logic [ 2:0] CARRYINSEL,
    input  logic        CEA1,
    input  logic        CEA2,
    input  logic        CEAD,
    input  logic        CEALUMODE,
    input  logic        CEB1,
    input  logic        CEB2,
    input  logic        CEC,
    input  logic        CECARRYIN,
    input  logic        CECTRL,
    input  logic        CED,
    input  logic        CEINMODE,
    input  logic        CEM,
    input  logic        CEP,
    input  logic [26:0] D,
    input  logic [ 4:0] INMODE,
    input  logic        MULTSIGNIN,
    input  logic [ 8:0] OPMODE,
    input  logic [47:0] PCIN,
    input  logic        RSTA,
    input  logic        RSTALLCARRYIN,
    input  logic        RSTALUMODE,
    input  logic        RSTB,
    input  logic        RSTC,
    input  logic        RSTCTRL,
    input  logic        RSTD,
    input  logic        RSTINMODE,
    input  logic        RSTM,
    input  logic        RSTP,
    output logic [29:0] ACOUT,
    output logic [17:0] BCOUT,
    output logic        CARRYCASCOUT,
    output logic [ 3:0] CARRYOUT,
    output logic        MULTSIGNOUT,
    output logic        OVERFLOW,
    output logic [47:0] P,
    output logic        PATTERNBDETECT,
    output logic        PATTERNDETECT,
    output logic [47:0] PCOUT,
    output logic        UNDERFLOW,
    output logic [ 7:0] XOROUT
);
  // A: UG579, figure "A, B, ACIN, BCIN input registers": with two registers the cascade may leave after the first.
  logic [29:0] a_in, a1_q, a2_q;
  assign a_in = (A_INPUT == "CASCADE") ? ACIN : A;
  assign ACOUT = (AREG == 2 && ACASCREG == 1) ? a1_q : a2_q;
  always_ff @(posedge CLK) begin
    if (CEA1) a1_q <= a_in;
    if (CEA2) a2_q <= (AREG == 2) ? a1_q : a_in;
  end

  logic [17:0] b2_q, b;
  assign b = (BREG == 0) ? B : b2_q;
  assign BCOUT = b;
  always_ff @(posedge CLK) if (CEB2) b2_q <= B;

  // INMODE[0] takes A1 instead of A2 into the multiplier.
  logic signed [44:0] factor_a, factor_b, m_q;
  logic [29:0] a;
  assign a = INMODE[0] ? a1_q : a2_q;
  assign factor_a = {{18{a[26]}}, a[26:0]};
  assign factor_b = {{27{b[17]}}, b};
  always_ff @(posedge CLK) if (CEM) m_q <= factor_a * factor_b;

  logic [47:0] z;
  always_comb begin
    case (OPMODE[6:4])
      3'b001:  z = PCIN;
      3'b010:  z = P;
      3'b011:  z = C;
      default: z = 48'd0;
    endcase
  end
  always_ff @(posedge CLK) if (CEP) P <= z + {{3{m_q[44]}}, m_q};
  assign PCOUT = P;

  assign CARRYCASCOUT = 1'b0;
  assign CARRYOUT = 4'd0;
  assign MULTSIGNOUT = m_q[44];
  assign OVERFLOW = 1'b0;
  assign PATTERNBDETECT = 1'b0;
  assign PATTERNDETECT = 1'b0;
  assign UNDERFLOW = 1'b0;
  assign XOROUT = 8'd0;

`ifndef SYNTHESIS
  initial begin
    if (MREG != 1 || PREG != 1 || BREG > 1 || AREG < 1 || OPMODEREG != 0 || INMODEREG != 0 || ALUMODEREG != 0
        || USE_MULT != "MULTIPLY" || AMULTSEL != "A" || BMULTSEL != "B" || B_INPUT != "DIRECT")
      $error("DSP48E2 model: a parameter outside the model");
  end
  always_ff @(posedge CLK) begin
    if (ALUMODE != 4'd0 || OPMODE[3:0] != 4'b0101 || OPMODE[8:7] != 2'b00 || INMODE[4:1] != 4'd0
        || RSTA || RSTB || RSTM || RSTP || CARRYIN || CARRYINSEL != 3'd0)
      $error("DSP48E2 model: a control outside the model");
  end
`endif

  logic unused;
  assign unused = &{1'b0, a[29:27], BCIN, CARRYCASCIN, CEAD, CEALUMODE, CEB1, CEC, CECARRYIN, CECTRL, CED, CEINMODE, D, MULTSIGNIN,
                    RSTALLCARRYIN, RSTALUMODE, RSTC, RSTCTRL, RSTD, RSTINMODE, ACASCREG[0], ADREG[0], BCASCREG[0], CARRYINREG[0],
                    CARRYINSELREG[0], CREG[0], DREG[0]};
endmodule

`default_nettype wire
