// The systolic array as columns of DSP48E2: the form for synthesis. Interface and promises: systolic_array.sv.
//
// PE (r, c)   A1 holds the next weight, A2 the one in use, B the activation; P adds the product to the sum from row r - 1.
//             Activation and switch move one column right a cycle; row r starts r cycles late (the skew), so the row that enters in
//             cycle t meets PE (r, c) in cycle t + r + c, and column c's sum is complete in cycle t + c + 34.
// Weights     come in at row 0, row 31's first, and move one row a cycle down the A cascade. A1 of row r starts to shift r cycles after the
//             first weight, behind the wave that copies A1 to A2, and all rows stop together: so a tile needs 32 cycles and may
//             follow at once on the switch of the one before. Column c does all this c cycles late.
// Cost        One DSP48E2 and 18 registers a PE, none in the sum's path; skew and deskew in shift registers of LUTs.
`default_nettype none

module array_dsp #(
    parameter COLS = 32
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               load_i,
    input  logic               load_first_i,
    input  logic [COLS*16-1:0] weight_i,
    input  logic               valid_i,
    input  logic               switch_i,
    input  logic [      511:0] row_i,
    output logic               valid_o,
    output logic [COLS*64-1:0] sum_o
);
  localparam ROWS = heddle_pkg::BLOCK;
  localparam LATENCY = COLS + heddle_pkg::ARRAY_LATENCY;

  logic [LATENCY:1] valid_q;
  assign valid_o = valid_q[LATENCY];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[LATENCY-1:1], valid_i};
  end

  // Row r of column 0 shifts from the r-th cycle of a load on.
  logic [ROWS-1:0] shift_mask_q, shift_mask, shift;
  assign shift_mask = load_first_i ? {{(ROWS-1){1'b0}}, 1'b1} : shift_mask_q;
  assign shift = load_i ? shift_mask : '0;
  always_ff @(posedge clk_i) if (load_i) shift_mask_q <= {shift_mask[ROWS-2:0], 1'b1};

  // Planes that move right, column 0 in the low part: what the PEs see, and the registers behind all columns but the last.
  logic [ROWS*16-1:0] skewed_row;
  logic [ROWS-1:0] skewed_switch;
  logic [COLS*ROWS*16-1:0] activation;
  logic [(COLS-1)*ROWS*16-1:0] activation_q;
  logic [COLS*ROWS-1:0] switching, shifting;
  logic [(COLS-1)*ROWS-1:0] switching_q, shifting_q;
  assign activation = {activation_q, skewed_row};
  assign switching = {switching_q, skewed_switch};
  assign shifting = {shifting_q, shift};
  always_ff @(posedge clk_i) begin
    activation_q <= activation[(COLS-1)*ROWS*16-1:0];
    switching_q <= switching[(COLS-1)*ROWS-1:0];
    shifting_q <= shifting[(COLS-1)*ROWS-1:0];
  end

  genvar r, c;
  generate
    for (r = 0; r < ROWS; r = r + 1) begin : gen_skew
      delay_line #(
          .WIDTH(17),
          .DEPTH(r)
      ) i_skew (
          .clk_i,
          .data_i({valid_i & switch_i, row_i[16*r +: 16]}),
          .data_o({skewed_switch[r], skewed_row[16*r +: 16]})
      );
    end

    for (c = 0; c < COLS; c = c + 1) begin : gen_column
      // Cascades down the column: element r is what PE r sees. Only the last P leaves the DSP column.
      logic [29:0] weight[0:ROWS];
      logic [47:0] partial[0:ROWS];
      logic [35:0] result;
      logic [15:0] first_weight;
      delay_line #(
          .WIDTH(16),
          .DEPTH(c)
      ) i_weight_skew (
          .clk_i,
          .data_i(weight_i[16*c +: 16]),
          .data_o(first_weight)
      );
      assign weight[0] = {{14{first_weight[15]}}, first_weight};
      assign partial[0] = 48'd0;

      for (r = 0; r < ROWS; r = r + 1) begin : gen_pe
        localparam PE = c * ROWS + r;
        logic [29:0] acout;
        logic [47:0] pcout, p;
        assign weight[r+1] = acout;
        assign partial[r+1] = pcout;
        if (r == ROWS - 1) begin : gen_last
          assign result = p[35:0];
        end
        logic unused;  // the other sums stay in the cascade
        assign unused = &{1'b0, p};
        DSP48E2 #(
            .ACASCREG(1),
            .ADREG(0),
            .ALUMODEREG(0),
            .AMULTSEL("A"),
            .AREG(2),
            .A_INPUT((r == 0) ? "DIRECT" : "CASCADE"),
            .BCASCREG(1),
            .BMULTSEL("B"),
            .BREG(1),
            .B_INPUT("DIRECT"),
            .CARRYINREG(0),
            .CARRYINSELREG(0),
            .CREG(0),
            .DREG(0),
            .INMODEREG(0),
            .MREG(1),
            .OPMODEREG(0),
            .PREG(1),
            .USE_MULT("MULTIPLY")
        ) i_dsp (
            .CLK(clk_i),
            .A((r == 0) ? weight[r] : 30'd0),
            .ACIN((r == 0) ? 30'd0 : weight[r]),
            .ALUMODE(4'd0),
            .B({{2{activation[16*PE+15]}}, activation[16*PE +: 16]}),
            .BCIN(18'd0),
            .C(48'd0),
            .CARRYCASCIN(1'b0),
            .CARRYIN(1'b0),
            .CARRYINSEL(3'd0),
            .CEA1(shifting[PE]),
            .CEA2(switching[PE]),
            .CEAD(1'b0),
            .CEALUMODE(1'b0),
            .CEB1(1'b0),
            .CEB2(1'b1),
            .CEC(1'b0),
            .CECARRYIN(1'b0),
            .CECTRL(1'b0),
            .CED(1'b0),
            .CEINMODE(1'b0),
            .CEM(1'b1),
            .CEP(1'b1),
            .D(27'd0),
            .INMODE(5'd0),
            .MULTSIGNIN(1'b0),
            .OPMODE((r == 0) ? 9'b00_000_01_01 : 9'b00_001_01_01),
            .PCIN((r == 0) ? 48'd0 : partial[r]),
            .RSTA(1'b0),
            .RSTALLCARRYIN(1'b0),
            .RSTALUMODE(1'b0),
            .RSTB(1'b0),
            .RSTC(1'b0),
            .RSTCTRL(1'b0),
            .RSTD(1'b0),
            .RSTINMODE(1'b0),
            .RSTM(1'b0),
            .RSTP(1'b0),
            .ACOUT(acout),
            .BCOUT(),
            .CARRYCASCOUT(),
            .CARRYOUT(),
            .MULTSIGNOUT(),
            .OVERFLOW(),
            .P(p),
            .PATTERNBDETECT(),
            .PATTERNDETECT(),
            .PCOUT(pcout),
            .UNDERFLOW(),
            .XOROUT()
        );
      end

      // All columns leave together.
      logic [35:0] column_sum;
      delay_line #(
          .WIDTH(36),
          .DEPTH(COLS - 1 - c)
      ) i_deskew (
          .clk_i,
          .data_i(result),
          .data_o(column_sum)
      );
      assign sum_o[64*c +: 64] = {{28{column_sum[35]}}, column_sum};
    end
  endgenerate
endmodule

`default_nettype wire
