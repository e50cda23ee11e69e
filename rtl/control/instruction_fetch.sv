// Reads a program from device memory and hands out its 128-bit words in order, four a line, the low word first.
//
// Promises: reads exactly the lines that hold words 0 to words_i - 1, in bursts aligned to BURST lines (so never across 4 KiB). A line that was
// answered with an error gives words with word_error_o set. After the last word one more "word" has word_end_o set and no content.
// Latency: arvalid 2 cycles after start_i, a word 1 cycle after its beat. Throughput: one word a cycle while lines are there.
// Back-pressure: word_ready_i; rready_o is always 1, because room is reserved when a burst is requested.
// start_i needs idle_o. stop_i ends a program early: words vanish at once, outstanding beats are swallowed, then idle_o rises.
`default_nettype none

module instruction_fetch (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         start_i,
    input  logic         stop_i,
    input  logic [ 63:0] program_i,
    input  logic [ 31:0] words_i,
    output logic         idle_o,
    output logic         beat_o,
    output logic         word_valid_o,
    input  logic         word_ready_i,
    output logic [127:0] word_o,
    output logic         word_error_o,
    output logic         word_end_o,
    output logic         arvalid_o,
    input  logic         arready_i,
    output logic [ 63:0] araddr_o,
    output logic [  7:0] arlen_o,
    input  logic         rvalid_i,
    output logic         rready_o,
    input  logic [511:0] rdata_i,
    input  logic [  1:0] rresp_i,
    input  logic         rlast_i
);
  localparam [4:0] DEPTH = 5'd16;  // lines on their way or waiting
  localparam [3:0] BURST = 4'd8;  // lines

  // ------------------------------------------------------------------------------------------------- requests
  logic        active_q;
  logic [57:0] line_q;  // next line of device memory to request
  logic [30:0] lines_left_q;
  logic        burst_valid_q;  // burst_q is the next burst's length
  logic [ 3:0] burst_q;
  logic [ 4:0] reserved_q;  // lines requested and not yet taken apart
  logic        room_q;  // for a burst of any length; reserved_q grows only when there is no burst_valid_q
  logic [ 4:0] owed_q;  // beats that memory owes
  logic        arvalid_q;
  logic [57:0] arline_q;
  logic [ 3:0] arburst_q;
  logic        issue, line_taken, beat;
  logic [3:0] to_boundary, burst_d;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [32:0] words_round;
  logic        unused;
  /* verilator lint_on UNUSEDSIGNAL */

  assign words_round = {1'b0, words_i} + 33'd3;
  assign unused      = &{program_i[5:0], rlast_i, rresp_i[0]};
  assign to_boundary = BURST - {1'b0, line_q[2:0]};
  assign burst_d     = (lines_left_q < {27'd0, to_boundary}) ? lines_left_q[3:0] : to_boundary;
  assign issue       = active_q && burst_valid_q && (!arvalid_q || arready_i) && room_q;
  assign beat        = rvalid_i;

  assign arvalid_o   = arvalid_q;
  assign araddr_o    = {arline_q, 6'd0};
  assign arlen_o     = {4'd0, arburst_q - 4'd1};
  assign rready_o    = 1'b1;
  assign beat_o      = beat;
  assign idle_o      = !active_q && !arvalid_q && (owed_q == 5'd0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q      <= 1'b0;
      burst_valid_q <= 1'b0;
      arvalid_q     <= 1'b0;
      reserved_q    <= 5'd0;
      owed_q        <= 5'd0;
    end else begin
      if (arvalid_q && arready_i) arvalid_q <= 1'b0;
      if (issue) begin
        arvalid_q <= 1'b1;
        arline_q  <= line_q;
        arburst_q <= burst_q;
      end
      room_q <= reserved_q <= DEPTH - {1'b0, BURST};
      // Length of the next burst, one cycle ahead of its request.
      if (issue) begin
        line_q        <= line_q + {54'd0, burst_q};
        lines_left_q  <= lines_left_q - {27'd0, burst_q};
        burst_valid_q <= 1'b0;
      end else if (active_q && !burst_valid_q && lines_left_q != 31'd0) begin
        burst_q       <= burst_d;
        burst_valid_q <= 1'b1;
      end
      if (issue || beat) owed_q <= owed_q + (issue ? {1'b0, burst_q} : 5'd0) - {4'd0, beat};
      if (issue || line_taken) reserved_q <= reserved_q + (issue ? {1'b0, burst_q} : 5'd0) - {4'd0, line_taken};
      if (start_i) begin
        active_q     <= 1'b1;
        line_q       <= program_i[63:6];
        lines_left_q <= words_round[32:2];
        reserved_q   <= 5'd0;
      end else if (stop_i) begin
        active_q      <= 1'b0;
        burst_valid_q <= 1'b0;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------- lines
  logic [511:0] fifo_q[0:15];
  logic [ 15:0] fifo_error_q;
  logic [3:0] write_q, read_q;
  logic [  4:0] count_q;
  logic         current_valid_q;
  logic [511:0] current_q;
  logic         current_error_q;
  logic [  1:0] position_q;  // words already taken from the current line
  logic [ 31:0] words_left_q;
  logic take, refill, push, pop;

  assign word_valid_o = active_q && (current_valid_q || words_left_q == 32'd0);
  assign word_o       = current_q[127:0];
  assign word_error_o = current_error_q && current_valid_q;
  assign word_end_o   = !current_valid_q;
  assign take         = word_valid_o && word_ready_i && current_valid_q;
  assign line_taken   = take && (position_q == 2'd3 || words_left_q == 32'd1);
  assign refill       = !current_valid_q || line_taken;
  assign pop          = refill && (count_q != 5'd0);
  assign push         = beat && active_q && !(refill && count_q == 5'd0);

  always_ff @(posedge clk_i) begin
    if (push) begin
      fifo_q[write_q]       <= rdata_i;
      fifo_error_q[write_q] <= rresp_i[1];
    end
    if (pop) begin
      current_q       <= fifo_q[read_q];
      current_error_q <= fifo_error_q[read_q];
    end else if (refill && beat) begin
      current_q       <= rdata_i;
      current_error_q <= rresp_i[1];
    end else if (take) begin
      current_q <= {128'd0, current_q[511:128]};
    end
    if (!rst_ni || start_i || stop_i) begin
      write_q         <= 4'd0;
      read_q          <= 4'd0;
      count_q         <= 5'd0;
      current_valid_q <= 1'b0;
      position_q      <= 2'd0;
      words_left_q    <= words_i;
    end else begin
      if (push) write_q <= write_q + 4'd1;
      if (pop) read_q <= read_q + 4'd1;
      if (push != pop) count_q <= push ? count_q + 5'd1 : count_q - 5'd1;
      if (refill) current_valid_q <= pop || (beat && active_q);
      if (take) begin
        words_left_q <= words_left_q - 32'd1;
        position_q   <= line_taken ? 2'd0 : position_q + 2'd1;
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && start_i && !idle_o) $error("start_i while a program is still being fetched");
    if (rst_ni && beat && owed_q == 5'd0) $error("memory answered a read that was not requested");
  end
`endif
endmodule

`default_nettype wire
