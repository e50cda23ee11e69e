// Weight-stationary systolic array of 32 rows (k) x COLS columns (n) of 16-bit integers; the skews at its edges are inside.
//
// Promises    sum_o: COLS words of 64 bits, two's complement: for each column the exact sum over k of row_i[k] * weight[k],
//             with the tile that was current when the row came.
// Tiles       load_i in 32 consecutive cycles moves a tile in, row 31 first; load_first_i marks the first. It may start in the cycle
//             of the switch to the tile before, not earlier. switch_i, with a row, makes the tile current for that row and all
//             that follow; it may come in the cycle after the 32nd weight. So a tile every 32 cycles, without a gap.
// Latency     COLS + heddle_pkg::ARRAY_LATENCY cycles from valid_i to valid_o. Throughput one row a cycle. No back-pressure.
// Limits      |element| <= 32640: what bfp16 has.
//
// Two forms: array_behaviour for simulation and, with HEDDLE_DSP48E2 defined, array_dsp for synthesis. A test holds them equal.
`default_nettype none

module systolic_array #(
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
`ifdef HEDDLE_DSP48E2
  array_dsp #(
      .COLS(COLS)
  ) i_array (
      .clk_i,
      .rst_ni,
      .load_i,
      .load_first_i,
      .weight_i,
      .valid_i,
      .switch_i,
      .row_i,
      .valid_o,
      .sum_o
  );
`else
  array_behaviour #(
      .COLS(COLS)
  ) i_array (
      .clk_i,
      .rst_ni,
      .load_i,
      .load_first_i,
      .weight_i,
      .valid_i,
      .switch_i,
      .row_i,
      .valid_o,
      .sum_o
  );
`endif
endmodule

`default_nettype wire
