// Turns the memory side of a LOAD or STORE into AXI bursts: rows of n0 contiguous lines, cut at 4 KiB.
//
// Promises   Every burst has 1 to 64 beats of 64 bytes and stays within 4 KiB. The first burst three cycles after the
//            command, then one burst a cycle; no gap between commands. burst_last_o marks the last burst of its command.
// Back-pressure cmd_ready_o depends on burst_ready_i. A burst that is offered stays until it is taken.
`default_nettype none
module burst_generator (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        cmd_valid_i,
    output logic        cmd_ready_o,
    input  logic [57:0] base_i,         // the slot's address in lines
    input  logic [31:0] first_i,        // lines from there
    input  logic [11:0] n0_i,
    input  logic [11:0] n1_i,
    input  logic [11:0] n2_i,
    input  logic [9:0]  n3_i,
    input  logic [31:0] stride1_i,
    input  logic [31:0] stride2_i,
    input  logic [31:0] stride3_i,
    output logic        busy_o,
    output logic        burst_valid_o,
    input  logic        burst_ready_i,
    output logic [63:0] burst_address_o,
    output logic [7:0]  burst_beats_o,  // less one, as AXI counts
    output logic        burst_last_o
);
  // Rows begin at whole addresses, so that no adder stands between a row and its first burst.
  logic        row_valid, row_ready, row_last;
  logic [57:0] row;
  row_walker #(.WIDTH(58)) i_rows (
      .clk_i(clk_i), .rst_ni(rst_ni), .cmd_valid_i(cmd_valid_i), .cmd_ready_o(cmd_ready_o),
      .first_i(base_i + {26'd0, first_i}), .n1_i(n1_i), .n2_i(n2_i), .n3_i(n3_i), .stride1_i({26'd0, stride1_i}),
      .stride2_i({26'd0, stride2_i}), .stride3_i({26'd0, stride3_i}), .row_valid_o(row_valid),
      .row_ready_i(row_ready), .row_o(row), .row_last_o(row_last));

  // Counts of lines and beats are less one from here on.
  logic [11:0] row_count_q;
  always_ff @(posedge clk_i) if (cmd_valid_i && cmd_ready_o) row_count_q <= n0_i - 12'd1;

  // Stage 1: what is left of a row. `end`: it lies below the next 4 KiB boundary, which is known when it is entered.
  logic        rest_valid_q, rest_last_q, rest_end_q, rest_ready;
  logic [57:0] rest_line_q;
  logic [11:0] rest_count_q;
  logic [12:0] rest_reach;  // the last line, counted from the 4 KiB boundary below the first
  logic        row_short;
  assign row_short  = {7'd0, row[5:0]} + {1'b0, row_count_q} < 13'd64;
  assign rest_reach = {7'd0, rest_line_q[5:0]} + {1'b0, rest_count_q};
  assign row_ready  = !rest_valid_q | (rest_ready & rest_end_q);
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      rest_valid_q <= 1'b0;
    end else if (row_ready) begin
      rest_valid_q <= row_valid;
      rest_line_q <= row;
      rest_count_q <= row_count_q;
      rest_end_q <= row_short;
      rest_last_q <= row_last;
    end else if (rest_ready) begin
      rest_line_q <= {rest_line_q[57:6] + 52'd1, 6'd0};
      rest_count_q <= {rest_reach[11:6] - 6'd1, rest_reach[5:0]};
      rest_end_q <= rest_reach[12:6] == 7'd1;
    end

  // Stage 2: the burst.
  logic        burst_valid_q, burst_last_q;
  logic [57:0] burst_line_q;
  logic [5:0]  burst_beats_q;
  assign rest_ready = !burst_valid_q | burst_ready_i;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      burst_valid_q <= 1'b0;
    end else if (rest_ready) begin
      burst_valid_q <= rest_valid_q;
      burst_line_q <= rest_line_q;
      burst_beats_q <= rest_end_q ? rest_count_q[5:0] : ~rest_line_q[5:0];
      burst_last_q <= rest_last_q & rest_end_q;
    end
  assign burst_valid_o   = burst_valid_q;
  assign burst_address_o = {burst_line_q, 6'd0};
  assign burst_beats_o   = {2'b0, burst_beats_q};
  assign burst_last_o    = burst_last_q;
  assign busy_o          = row_valid | rest_valid_q | burst_valid_q;
endmodule
`default_nettype wire
