// Both forms of the systolic array side by side on the same inputs.
`default_nettype none

module array_pair #(
    parameter COLS = 8
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               load_i,
    input  logic               load_first_i,
    input  logic [COLS*16-1:0] weight_i,
    input  logic               valid_i,
    input  logic               switch_i,
    input  logic [      511:0] row_i,
    output logic               behaviour_valid_o,
    output logic [COLS*64-1:0] behaviour_sum_o,
    output logic               dsp_valid_o,
    output logic [COLS*64-1:0] dsp_sum_o
);
  array_behaviour #(
      .COLS(COLS)
  ) i_behaviour (
      .clk_i,
      .rst_ni,
      .load_i,
      .load_first_i,
      .weight_i,
      .valid_i,
      .switch_i,
      .row_i,
      .valid_o(behaviour_valid_o),
      .sum_o  (behaviour_sum_o)
  );
  array_dsp #(
      .COLS(COLS)
  ) i_dsp (
      .clk_i,
      .rst_ni,
      .load_i,
      .load_first_i,
      .weight_i,
      .valid_i,
      .switch_i,
      .row_i,
      .valid_o(dsp_valid_o),
      .sum_o  (dsp_sum_o)
  );
endmodule

`default_nettype wire
