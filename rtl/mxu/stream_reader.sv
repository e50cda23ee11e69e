// Executes MATMUL's streamed side: reads rows from the unified buffer, straight or through a transposer, and gives them to the array
// pass by pass with their accumulator rows.
//
// Promise:       rows go out in the order of docs/design.md, section 4; elements from k_tail on are +0 in the last pass. A pass of
//                fewer than heddle_pkg::MIN_PASS_CYCLES rows is followed by as many idle cycles as it lacks, and an instruction whose first
//                accumulator row lies inside the rows of the one before waits MIN_PASS_CYCLES, so that no row of accumulators recurs too early.
// Latency:       first read one cycle after the command; a row is at the array 5 cycles after its read was accepted (transposed: 6
//                cycles after the read of its block's last line).
// Throughput:    a read and a row a cycle; passes and instructions follow each other without a gap while data and tiles are there.
//                Transposed, a block of 32 rows takes as many reads as the pass has valid k, also when it gives fewer rows, and
//                its first row needs all of them: behind straight rows that took every read this costs up to 33 cycles, once.
// Back-pressure: reads run ahead by DEPTH straight rows and two transposed blocks, across passes and up to COMMANDS instructions. Tiles are
//                started (`pass_start_o`) as soon as the array offers them; it takes rows without back-pressure.
// Limits:        the command is legal (the dispatcher has checked it). ACC_ROWS is a power of two, at most 4096. PASS_LEAD as in matrix_core, at least 1.

`default_nettype none

module stream_reader #(
  parameter ACC_ROWS  = 2048,
  parameter PASS_LEAD = 4,    // cycles from pass_start_o to the pass's first row at least
  parameter DEPTH     = 32,   // straight rows that wait for the array; a power of two
  parameter COMMANDS  = 4     // instructions that are being read or streamed; a power of two
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,

  input  logic                        cmd_valid_i,
  output logic                        cmd_ready_o,
  input  logic [127:0]                cmd_i,
  output logic [1:0]                  state_o,       // 0 idle, 1 busy, 2 waits for the buffer, 3 waits for a tile

  output logic                        req_valid_o,
  output logic [17:0]                 req_line_o,
  input  logic                        req_ready_i,
  input  logic                        rsp_valid_i,   // exactly 3 cycles after acceptance
  input  logic [511:0]                rsp_data_i,

  input  logic                        pass_ready_i,
  output logic                        pass_start_o,
  output logic                        row_valid_o,
  output logic [511:0]                row_data_o,
  output logic                        row_switch_o,  // first row of a pass
  output logic                        row_first_o,   // start from +0
  output logic                        row_last_o,    // last row of an instruction
  output logic [$clog2(ACC_ROWS)-1:0] row_acc_o,
  output logic [1:0]                  row_lane_group_o,
  input  logic                        done_i         // an instruction's rows are all in the accumulators
);

  // Elements from `count` on are +0.
  function automatic [511:0] keep_first(input [511:0] value, input [5:0] count);
    logic [31:0] drop, t;
    drop = 32'hFFFF_FFFF << count;
    keep_first = value;
    if (count != 6'd32)
      for (t = 32'd0; t < 32'd32; t = t + 32'd1)
        if (drop[t[4:0]]) keep_first[16*t[4:0] +: 16] = 16'd0;
  endfunction

  localparam ACC_W     = $clog2(ACC_ROWS);
  localparam COMMAND_W = $clog2(COMMANDS);
  localparam DEPTH_W   = $clog2(DEPTH);
  localparam [31:0] COMMANDS_U = COMMANDS;
  localparam [31:0] DEPTH_U    = DEPTH;

  // --------------------------------------------------------------------------------------------------- commands
  // A ring that both sides walk: first the reads of a command are issued, then its rows are streamed.
  logic [127:0]         command_q [0:COMMANDS-1];
  logic [COMMAND_W-1:0] tail_q, read_head_q, stream_head_q;
  logic [COMMAND_W:0]   unread_q, unstreamed_q;      // commands in the ring for the one and for the other side
  logic                 accept, read_take, stream_take;
  logic [127:0]         read_word, stream_word;

  assign cmd_ready_o = unread_q != COMMANDS_U[COMMAND_W:0] && unstreamed_q != COMMANDS_U[COMMAND_W:0];
  assign accept      = cmd_valid_i && cmd_ready_o;
  assign read_word   = (unread_q != '0) ? command_q[read_head_q] : cmd_i;
  assign stream_word = command_q[stream_head_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      tail_q        <= '0;
      read_head_q   <= '0;
      stream_head_q <= '0;
      unread_q      <= '0;
      unstreamed_q  <= '0;
    end else begin
      if (accept) begin
        command_q[tail_q] <= cmd_i;
        tail_q            <= tail_q + 1'b1;
      end
      if (read_take) read_head_q <= read_head_q + 1'b1;
      if (stream_take) stream_head_q <= stream_head_q + 1'b1;
      unread_q     <= unread_q + {{COMMAND_W{1'b0}}, accept} - {{COMMAND_W{1'b0}}, read_take};
      unstreamed_q <= unstreamed_q + {{COMMAND_W{1'b0}}, accept} - {{COMMAND_W{1'b0}}, stream_take};
    end
  end

  // ------------------------------------------------------------------------------------------------------ reads
  // A group is what lies `row_stride` apart: all rows of a pass (straight), the k of one block (transposed).
  logic [17:0] rd_line;
  logic [13:0] rd_row_stride;
  logic [11:0] rd_rows;
  logic [9:0]  rd_passes;
  logic [15:0] rd_pass_stride;
  logic        rd_transpose, rd_single;
  logic [5:0]  rd_tail, rd_tail_less;
  logic [11:0] rd_rows_less;

  assign rd_line        = read_word[heddle_isa_pkg::MATMUL_UB_LINE_LSB +: heddle_isa_pkg::MATMUL_UB_LINE_W];
  assign rd_row_stride  = read_word[heddle_isa_pkg::MATMUL_ROW_STRIDE_LSB +: heddle_isa_pkg::MATMUL_ROW_STRIDE_W];
  assign rd_rows        = read_word[heddle_isa_pkg::MATMUL_ROWS_LSB +: heddle_isa_pkg::MATMUL_ROWS_W];
  assign rd_passes      = read_word[heddle_isa_pkg::MATMUL_PASSES_LSB +: heddle_isa_pkg::MATMUL_PASSES_W];
  assign rd_pass_stride = read_word[heddle_isa_pkg::MATMUL_PASS_STRIDE_LSB +: heddle_isa_pkg::MATMUL_PASS_STRIDE_W];
  assign rd_transpose   = read_word[heddle_isa_pkg::MATMUL_TRANSPOSE_LSB];
  assign rd_tail        = read_word[heddle_isa_pkg::MATMUL_K_TAIL_LSB +: heddle_isa_pkg::MATMUL_K_TAIL_W];
  assign rd_single      = rd_passes == 10'd1;
  assign rd_rows_less   = rd_rows - 12'd1;
  assign rd_tail_less   = rd_tail - 6'd1;

  logic        reading_q, rd_transpose_q, rd_last_pass_q, rd_last_group_q;
  logic [5:0]  rd_tail_q, rd_last_rows_q;
  logic [6:0]  rd_groups_q, rd_group_q;            // groups of a pass less one; groups of this pass still to come
  logic [9:0]  rd_left_q;                          // passes still to come
  logic [11:0] rd_index_q, rd_end_q;
  logic [13:0] rd_row_stride_q;
  logic [15:0] rd_pass_stride_q;
  logic [17:0] rd_line_q, rd_next_group_q, rd_next_pass_q;

  logic       fire, group_end, pass_end, read_end, turn_room, fifo_room_q;
  logic [5:0] block_rows;

  assign req_valid_o = reading_q && (rd_transpose_q ? turn_room : fifo_room_q);
  assign req_line_o  = rd_line_q;
  assign fire        = req_valid_o && req_ready_i;
  assign group_end   = rd_index_q == rd_end_q;
  assign pass_end    = group_end && rd_last_group_q;
  assign read_end    = fire && pass_end && rd_last_pass_q;
  assign read_take   = (!reading_q || read_end) && (unread_q != '0 || accept);
  assign block_rows  = rd_last_group_q ? rd_last_rows_q : 6'd32;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      reading_q <= 1'b0;
    end else if (read_take) begin
      reading_q        <= 1'b1;
      rd_transpose_q   <= rd_transpose;
      rd_tail_q        <= rd_tail;
      rd_last_rows_q   <= (rd_rows[4:0] == 5'd0) ? 6'd32 : {1'b0, rd_rows[4:0]};
      rd_row_stride_q  <= rd_row_stride;
      rd_pass_stride_q <= rd_pass_stride;
      rd_line_q        <= rd_line;
      rd_next_group_q  <= rd_line + 18'd1;
      rd_next_pass_q   <= rd_line + {2'd0, rd_pass_stride};
      rd_left_q        <= rd_passes - 10'd1;
      rd_last_pass_q   <= rd_single;
      rd_groups_q      <= rd_transpose ? rd_rows_less[11:5] : 7'd0;
      rd_group_q       <= rd_transpose ? rd_rows_less[11:5] : 7'd0;
      rd_last_group_q  <= !rd_transpose || (rd_rows <= 12'd32);
      rd_index_q       <= 12'd0;
      rd_end_q         <= !rd_transpose ? rd_rows_less : {6'd0, rd_single ? rd_tail_less : 6'd31};
    end else if (fire) begin
      if (!group_end) begin
        rd_line_q  <= rd_line_q + {4'd0, rd_row_stride_q};
        rd_index_q <= rd_index_q + 12'd1;
      end else begin
        rd_index_q <= 12'd0;
        if (!rd_last_group_q) begin
          rd_line_q       <= rd_next_group_q;
          rd_next_group_q <= rd_next_group_q + 18'd1;
          rd_group_q      <= rd_group_q - 7'd1;
          rd_last_group_q <= rd_group_q == 7'd1;
        end else begin
          rd_line_q       <= rd_next_pass_q;
          rd_next_group_q <= rd_next_pass_q + 18'd1;
          rd_next_pass_q  <= rd_next_pass_q + {2'd0, rd_pass_stride_q};
          rd_group_q      <= rd_groups_q;
          rd_last_group_q <= rd_groups_q == 7'd0;
          rd_left_q       <= rd_left_q - 10'd1;
          rd_last_pass_q  <= rd_left_q == 10'd1;
          if (rd_left_q == 10'd1 && rd_transpose_q) rd_end_q <= {6'd0, rd_tail_q} - 12'd1;
          if (rd_last_pass_q) reading_q <= 1'b0;
        end
      end
    end
  end

  // What the answer, 3 cycles on, is about.
  logic [7:0] tag1_q, tag2_q, tag3_q;
  logic       tag1_valid_q, tag2_valid_q;
  logic       tag_transpose, tag_last;
  logic [5:0] tag_rows;
  assign {tag_transpose, tag_last, tag_rows} = tag3_q;

  always_ff @(posedge clk_i) begin
    tag1_valid_q <= fire && rst_ni;
    tag2_valid_q <= tag1_valid_q && rst_ni;
    if (fire) tag1_q <= {rd_transpose_q, group_end, block_rows};
    if (tag1_valid_q) tag2_q <= tag1_q;
    if (tag2_valid_q) tag3_q <= tag2_q;
  end

  // ------------------------------------------------------------------------------------------ where rows wait
  logic [511:0]         fifo_q [0:DEPTH-1];
  logic [DEPTH_W-1:0]   fifo_write_q, fifo_read_q;
  logic [DEPTH_W:0]     fifo_count_q, fifo_claimed_q, fifo_claimed_d;
  logic                 fifo_write, fifo_read, fifo_claim;

  assign fifo_write     = rsp_valid_i && !tag_transpose;
  assign fifo_claim     = fire && !rd_transpose_q;
  assign fifo_claimed_d = fifo_claimed_q + {{DEPTH_W{1'b0}}, fifo_claim} - {{DEPTH_W{1'b0}}, fifo_read};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fifo_write_q   <= '0;
      fifo_read_q    <= '0;
      fifo_count_q   <= '0;
      fifo_claimed_q <= '0;
      fifo_room_q    <= 1'b0;
    end else begin
      fifo_claimed_q <= fifo_claimed_d;
      fifo_room_q    <= fifo_claimed_d != DEPTH_U[DEPTH_W:0];
      fifo_count_q   <= fifo_count_q + {{DEPTH_W{1'b0}}, fifo_write} - {{DEPTH_W{1'b0}}, fifo_read};
      if (fifo_write) begin
        fifo_q[fifo_write_q] <= rsp_data_i;
        fifo_write_q         <= fifo_write_q + 1'b1;
      end
      if (fifo_read) fifo_read_q <= fifo_read_q + 1'b1;
    end
  end

  logic         turn_valid, turn_last, turn_ready, turn_idle, unused_turn;
  logic [511:0] turn_row;
  assign unused_turn = &{1'b0, turn_last, turn_idle, read_word, stream_word};

  transposer transposer_i (
    .clk_i, .rst_ni,
    .claim_i(fire && rd_transpose_q), .claim_last_i(group_end), .claim_ready_o(turn_room),
    .line_valid_i(rsp_valid_i && tag_transpose), .line_last_i(tag_last), .line_rows_i(tag_rows), .line_data_i(rsp_data_i),
    .row_valid_o(turn_valid), .row_last_o(turn_last), .row_data_o(turn_row), .row_ready_i(turn_ready),
    .idle_o(turn_idle)
  );

  // --------------------------------------------------------------------------------------- tiles of the array
  // Whatever tile the array offers belongs to the next pass, so it is started at once. A pass is armed once its first row may go.
  localparam [31:0] LEAD = (PASS_LEAD > 2) ? PASS_LEAD - 2 : 0;
  logic       started_q;
  logic [4:0] lead_q;
  logic       armed, row_go, switch;
  assign pass_start_o = pass_ready_i && !started_q;
  assign armed        = started_q && lead_q == 5'd0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      started_q <= 1'b0;
      lead_q    <= 5'd0;
    end else begin
      if (pass_start_o) started_q <= 1'b1;
      else if (row_go && switch) started_q <= 1'b0;
      if (pass_start_o) lead_q <= LEAD[4:0];
      else if (lead_q != 5'd0) lead_q <= lead_q - 5'd1;
    end
  end

  // ------------------------------------------------------------------------------------------------- next command
  localparam [31:0] MIN_PASS = heddle_pkg::MIN_PASS_CYCLES;
  logic [11:0] nx_rows, nx_rows_q;
  logic [9:0]  nx_passes_q;
  logic        next_q, nx_transpose_q, nx_accumulate_q;
  logic [5:0]  nx_tail_q;
  logic [ACC_W-1:0] nx_acc_q;
  logic [1:0]  nx_group_q;
  logic [4:0]  nx_gap_q;           // idle cycles after each of its passes
  logic        load;

  assign nx_rows     = stream_word[heddle_isa_pkg::MATMUL_ROWS_LSB +: heddle_isa_pkg::MATMUL_ROWS_W];
  assign stream_take = (!next_q || load) && unstreamed_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      next_q <= 1'b0;
    end else begin
      if (stream_take) next_q <= 1'b1;
      else if (load) next_q <= 1'b0;
      if (stream_take) begin
        nx_rows_q       <= nx_rows;
        nx_passes_q     <= stream_word[heddle_isa_pkg::MATMUL_PASSES_LSB +: heddle_isa_pkg::MATMUL_PASSES_W];
        nx_transpose_q  <= stream_word[heddle_isa_pkg::MATMUL_TRANSPOSE_LSB];
        nx_tail_q       <= stream_word[heddle_isa_pkg::MATMUL_K_TAIL_LSB +: heddle_isa_pkg::MATMUL_K_TAIL_W];
        nx_acc_q        <= stream_word[heddle_isa_pkg::MATMUL_ACC_ROW_LSB +: ACC_W];
        nx_group_q      <= stream_word[heddle_isa_pkg::MATMUL_LANE_GROUP_LSB +: heddle_isa_pkg::MATMUL_LANE_GROUP_W];
        nx_accumulate_q <= stream_word[heddle_isa_pkg::MATMUL_ACCUMULATE_LSB];
        nx_gap_q        <= (nx_rows < MIN_PASS[11:0]) ? MIN_PASS[4:0] - nx_rows[4:0] : 5'd0;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------- rows go out
  logic        streaming_q, transpose_q, from_zero_q, last_pass_q;
  logic [11:0] rows_q, row_left_q;                 // rows of a pass less one; of this pass still to come
  logic [9:0]  left_q;                             // passes still to come
  logic [5:0]  last_k_q, k_q;                      // valid k of the last pass; of this one
  logic [ACC_W-1:0] acc_base_q, acc_q;
  logic [13:0]      acc_end_q;
  logic [1:0]  group_q;
  logic [4:0]  pad_q, gap_q;                       // idle cycles after a pass; idle cycles still to come
  logic        at_start_q;                         // the next row is the first one of its pass
  logic        source_valid, row_last, instr_last, overlap;

  assign source_valid = transpose_q ? turn_valid : (fifo_count_q != '0);
  assign switch       = at_start_q;
  assign row_go       = streaming_q && source_valid && (!at_start_q || (armed && gap_q == 5'd0));
  assign row_last     = row_left_q == 12'd0;
  assign instr_last   = row_last && last_pass_q;
  assign fifo_read    = row_go && !transpose_q;
  assign turn_ready   = row_go && transpose_q;
  assign load         = next_q && (!streaming_q || (row_go && instr_last));
  // The next instruction begins inside the rows of this one: its first row would come too close behind them.
  assign overlap      = (nx_acc_q > acc_base_q) && ({{(14-ACC_W){1'b0}}, nx_acc_q} < acc_end_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      streaming_q <= 1'b0;
      gap_q       <= 5'd0;
      acc_base_q  <= '0;
      acc_end_q   <= '0;
    end else begin
      if (gap_q != 5'd0) gap_q <= gap_q - 5'd1;
      if (row_go) begin
        at_start_q <= row_last;
        acc_q      <= acc_q + 1'b1;
        row_left_q <= row_left_q - 12'd1;
        if (row_last) begin
          gap_q       <= pad_q;
          acc_q       <= acc_base_q;
          row_left_q  <= rows_q;
          from_zero_q <= 1'b0;
          left_q      <= left_q - 10'd1;
          last_pass_q <= left_q == 10'd1;
          if (left_q == 10'd1) k_q <= last_k_q;
          if (last_pass_q) streaming_q <= 1'b0;
        end
      end
      if (load) begin
        streaming_q <= 1'b1;
        transpose_q <= nx_transpose_q;
        from_zero_q <= !nx_accumulate_q;
        rows_q      <= nx_rows_q - 12'd1;
        row_left_q  <= nx_rows_q - 12'd1;
        left_q      <= nx_passes_q - 10'd1;
        last_pass_q <= nx_passes_q == 10'd1;
        last_k_q     <= nx_tail_q;
        k_q         <= (nx_passes_q == 10'd1) ? nx_tail_q : 6'd32;
        acc_base_q  <= nx_acc_q;
        acc_q       <= nx_acc_q;
        acc_end_q   <= {{(14-ACC_W){1'b0}}, nx_acc_q} + {2'd0, nx_rows_q};
        group_q     <= nx_group_q;
        pad_q       <= nx_gap_q;
        at_start_q  <= 1'b1;
        if (overlap) gap_q <= MIN_PASS[4:0];
      end
    end
  end

  logic             out_valid_q, out_switch_q, out_first_q, out_last_q;
  logic [511:0]     out_data_q;
  logic [ACC_W-1:0] out_acc_q;
  logic [1:0]       out_group_q;

  always_ff @(posedge clk_i) begin
    out_valid_q <= row_go && rst_ni;
    if (row_go) begin
      out_data_q   <= keep_first(transpose_q ? turn_row : fifo_q[fifo_read_q], k_q);
      out_switch_q <= at_start_q;
      out_first_q  <= from_zero_q;
      out_last_q   <= instr_last;
      out_acc_q    <= acc_q;
      out_group_q  <= group_q;
    end
  end

  assign row_valid_o      = out_valid_q;
  assign row_data_o       = out_data_q;
  assign row_switch_o     = out_switch_q;
  assign row_first_o      = out_first_q;
  assign row_last_o       = out_last_q;
  assign row_acc_o        = out_acc_q;
  assign row_lane_group_o = out_group_q;

  // ------------------------------------------------------------------------------------------------------- state
  logic [1:0] state_q;
  logic [7:0] open_q;                   // instructions accepted and not done
  assign state_o = state_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q  <= 8'd0;
      state_q <= 2'd0;
    end else begin
      open_q <= open_q + {7'd0, accept} - {7'd0, done_i};
      if (open_q == 8'd0) state_q <= 2'd0;
      else if (row_go || !streaming_q || gap_q != 5'd0) state_q <= 2'd1;
      else if (!source_valid) state_q <= 2'd2;
      else state_q <= 2'd3;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i)
    if (rst_ni) begin
      if (fifo_write && fifo_count_q == DEPTH_U[DEPTH_W:0] && !fifo_read) $error("stream_reader: a row without room");
      if (done_i && open_q == 8'd0) $error("stream_reader: done without an instruction");
    end
`endif

endmodule

`default_nettype wire
