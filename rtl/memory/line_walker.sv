// Names every line of a LOAD's or STORE's pattern on the buffer's side: the rows of row_walker, n0 lines each.
//
// Promises   The first line two cycles after the command; a line a cycle; no gap between commands. tag_i comes out
//            with each line of its command.
// Back-pressure cmd_ready_o depends on line_ready_i.
`default_nettype none
module line_walker #(
    parameter TAG_W = 1
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             cmd_valid_i,
    output logic             cmd_ready_o,
    input  logic [17:0]      first_i,
    input  logic [11:0]      n0_i,
    input  logic [11:0]      n1_i,
    input  logic [11:0]      n2_i,
    input  logic [9:0]       n3_i,
    input  logic [17:0]      stride1_i,
    input  logic [17:0]      stride2_i,
    input  logic [17:0]      stride3_i,
    input  logic [TAG_W-1:0] tag_i,
    output logic             line_valid_o,
    input  logic             line_ready_i,
    output logic [17:0]      line_o,
    output logic             last_o,       // last line of its command
    output logic [TAG_W-1:0] tag_o
);
  logic        row_valid, row_ready, row_last;
  logic [17:0] row;
  row_walker #(.WIDTH(18)) i_rows (
      .clk_i(clk_i), .rst_ni(rst_ni), .cmd_valid_i(cmd_valid_i), .cmd_ready_o(cmd_ready_o), .first_i(first_i),
      .n1_i(n1_i), .n2_i(n2_i), .n3_i(n3_i), .stride1_i(stride1_i), .stride2_i(stride2_i), .stride3_i(stride3_i),
      .row_valid_o(row_valid), .row_ready_i(row_ready), .row_o(row), .row_last_o(row_last));

  // The command that row_walker works on.
  logic [11:0]      n0_q;
  logic [TAG_W-1:0] tag_q;
  always_ff @(posedge clk_i)
    if (cmd_valid_i && cmd_ready_o) begin
      n0_q <= n0_i;
      tag_q <= tag_i;
    end

  logic             valid_q, row_last_q, end_q;  // end: last line of its row
  logic [17:0]      line_q;
  logic [11:0]      left_q;                                       // lines of the row after this one
  logic [TAG_W-1:0] tag_1_q;
  assign row_ready    = !valid_q | (line_ready_i & end_q);
  assign line_valid_o = valid_q;
  assign line_o       = line_q;
  assign last_o       = end_q & row_last_q;
  assign tag_o        = tag_1_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (row_ready) begin
      valid_q <= row_valid;
      line_q <= row;
      left_q <= n0_q - 12'd1;
      end_q <= n0_q == 12'd1;
      row_last_q <= row_last;
      tag_1_q <= tag_q;
    end else if (line_ready_i) begin
      line_q <= line_q + 18'd1;
      left_q <= left_q - 12'd1;
      end_q <= left_q == 12'd1;
    end
endmodule
`default_nettype wire
