// Executes WLOAD: reads stationary tiles from the unified buffer, straight or through a transposer, and keeps them in the weight FIFO.
//
// Promise:       tiles of successive instructions leave in order at the tile port (weight_fifo.sv says what they hold). `done_o`: one
//                cycle an instruction, in order, after the last read of the unified buffer has been answered and the last tile is in the FIFO.
// Latency:       first read one cycle after the command; a tile is valid 4 cycles after its last read was accepted (transposed: 3 + 2 +
//                k rows + 1).
// Throughput:    a read a cycle. Straight, a tile takes k reads (2 k with more than 32 valid columns); transposed, as many as it has valid
//                columns. Rows and columns that do not count are not read. Tiles and instructions follow each other without a gap,
//                except that a straight one waits until the transposer has delivered.
// Back-pressure: runs ahead of the array as far as the FIFO has room: a tile is claimed there before its first read, so
//                that answers of the buffer always have a place.
// Limits:        COLS is 8, 16, 32 or 64 (multiples of 8 up to 64 work). The command is legal (the dispatcher has checked it).

`default_nettype none

module weight_unit #(
  parameter COLS  = 32,   // columns of the array
  parameter TILES = 4     // capacity of the weight FIFO
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               cmd_valid_i,
  output logic               cmd_ready_o,
  input  logic [127:0]       cmd_i,
  output logic               done_o,
  output logic [1:0]         state_o,        // 0 idle, 1 busy, 2 waits for the buffer, 3 waits for room in the FIFO

  output logic               req_valid_o,
  output logic [17:0]        req_line_o,
  input  logic               req_ready_i,
  input  logic               rsp_valid_i,    // exactly 3 cycles after acceptance
  input  logic [511:0]       rsp_data_i,

  output logic               tile_valid_o,
  input  logic               tile_read_i,
  input  logic [4:0]         tile_row_i,
  output logic [COLS*16-1:0] tile_data_o,    // one cycle after tile_read_i
  output logic [COLS*8-1:0]  tile_exponent_o,
  input  logic               tile_pop_i
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

  // Lane 8 * group becomes lane 0.
  function automatic [511:0] move_down(input [511:0] value, input [1:0] group_of_8);
    move_down = value;
    if (group_of_8[1]) move_down = {256'd0, move_down[511:256]};
    if (group_of_8[0]) move_down = {128'd0, move_down[511:128]};
  endfunction

  // ---------------------------------------------------------------------------------------------------- command
  // One command waits here while another one is issuing its reads.
  logic [127:0] waiting_word_q, word;
  logic         waiting_q, active_q;
  logic         take, accept;          // a command starts to issue; a command arrives

  assign cmd_ready_o = !waiting_q;
  assign accept      = cmd_valid_i && !waiting_q;
  assign word        = waiting_q ? waiting_word_q : cmd_i;

  logic [17:0] in_line;
  logic [1:0]  in_group;
  logic [13:0] in_row_stride;
  logic [9:0]  in_passes;
  logic [15:0] in_pass_stride;
  logic        in_transpose, in_wide, in_single;
  logic [5:0]  in_tail, in_rows, in_end;
  logic [7:0]  in_cols;
  logic        unused_word;

  assign in_line        = word[heddle_isa_pkg::WLOAD_UB_LINE_LSB +: heddle_isa_pkg::WLOAD_UB_LINE_W];
  assign in_group       = word[heddle_isa_pkg::WLOAD_LANE_GROUP_LSB +: heddle_isa_pkg::WLOAD_LANE_GROUP_W];
  assign in_row_stride  = word[heddle_isa_pkg::WLOAD_ROW_STRIDE_LSB +: heddle_isa_pkg::WLOAD_ROW_STRIDE_W];
  assign in_passes      = word[heddle_isa_pkg::WLOAD_PASSES_LSB +: heddle_isa_pkg::WLOAD_PASSES_W];
  assign in_pass_stride = word[heddle_isa_pkg::WLOAD_PASS_STRIDE_LSB +: heddle_isa_pkg::WLOAD_PASS_STRIDE_W];
  assign in_transpose   = word[heddle_isa_pkg::WLOAD_TRANSPOSE_LSB];
  assign in_tail        = word[heddle_isa_pkg::WLOAD_K_TAIL_LSB +: heddle_isa_pkg::WLOAD_K_TAIL_W];
  assign in_cols        = word[heddle_isa_pkg::WLOAD_COLS_LSB +: heddle_isa_pkg::WLOAD_COLS_W];
  assign in_wide        = (COLS > 32) && (in_cols > 8'd32);
  assign in_single      = in_passes == 10'd1;
  assign in_rows        = in_single ? in_tail : 6'd32;
  assign in_end         = (in_transpose ? in_cols[5:0] : in_rows) - 6'd1;
  assign unused_word    = &{1'b0, word};

  // ------------------------------------------------------------------------------------------------------ reads
  // `index_q`: row of the tile (straight) or column (transposed).
  logic        transpose_q, wide_q, half_q, first_q, last_tile_q;
  logic [1:0]  group_q;
  logic [5:0]  tail_q, rows_q, index_q, end_q, low_count_q, high_count_q;
  logic [9:0]  left_q;
  logic [13:0] row_stride_q;
  logic [15:0] pass_stride_q;
  logic [17:0] line_q, next_tile_q, back_step_q;

  logic fire, at_end, half_end, finish;
  logic fifo_room, turn_room, turn_idle;

  assign req_valid_o = active_q && (!first_q || fifo_room) && (transpose_q ? turn_room : turn_idle);
  assign req_line_o  = line_q;
  assign fire        = req_valid_o && req_ready_i;
  assign half_end    = transpose_q || !wide_q || half_q;           // the row's last read
  assign at_end      = (index_q == end_q) && half_end;             // the tile's last read
  assign finish      = fire && at_end && last_tile_q;
  assign take        = (!active_q || finish) && (waiting_q || cmd_valid_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q  <= 1'b0;
      waiting_q <= 1'b0;
    end else begin
      if (take) waiting_q <= 1'b0;
      else if (accept) waiting_q <= 1'b1;
      if (accept) waiting_word_q <= cmd_i;

      if (take) active_q <= 1'b1;
      else if (finish) active_q <= 1'b0;

      if (take) begin
        transpose_q   <= in_transpose;
        wide_q        <= in_wide;
        group_q       <= in_group;
        tail_q        <= in_tail;
        row_stride_q  <= in_row_stride;
        pass_stride_q <= in_pass_stride;
        back_step_q   <= {4'd0, in_row_stride} - 18'd1;
        low_count_q   <= (in_cols >= 8'd32) ? 6'd32 : in_cols[5:0];
        high_count_q  <= in_wide ? (in_cols[6] ? 6'd32 : {1'b0, in_cols[4:0]}) : 6'd0;
        line_q        <= in_line;
        next_tile_q   <= in_line + {2'd0, in_pass_stride};
        left_q        <= in_passes - 10'd1;
        last_tile_q   <= in_single;
        rows_q        <= in_rows;
        end_q         <= in_end;
        index_q       <= 6'd0;
        half_q        <= 1'b0;
        first_q       <= 1'b1;
      end else if (fire) begin
        first_q <= 1'b0;
        if (at_end) begin
          line_q      <= next_tile_q;
          next_tile_q <= next_tile_q + {2'd0, pass_stride_q};
          left_q      <= left_q - 10'd1;
          last_tile_q <= left_q == 10'd1;
          index_q     <= 6'd0;
          half_q      <= 1'b0;
          first_q     <= 1'b1;
          if (left_q == 10'd1) begin
            rows_q <= tail_q;
            if (!transpose_q) end_q <= tail_q - 6'd1;
          end
        end else if (half_end) begin
          line_q  <= line_q + ((wide_q && !transpose_q) ? back_step_q : {4'd0, row_stride_q});
          index_q <= index_q + 6'd1;
          half_q  <= 1'b0;
        end else begin
          line_q <= line_q + 18'd1;
          half_q <= 1'b1;
        end
      end
    end
  end

  // ---------------------------------------------------------------------- what the answer, 3 cycles on, is about
  localparam TAG_W = 26;
  logic [TAG_W-1:0] tag_d, tag1_q, tag2_q, tag3_q;
  logic             tag1_valid_q, tag2_valid_q;
  logic             turn_line_last;
  logic [5:0]       count;

  assign turn_line_last = (index_q[4:0] == 5'd31) || (index_q == end_q);
  assign count          = half_q ? high_count_q : low_count_q;
  assign tag_d = {transpose_q, turn_line_last, transpose_q ? index_q[5] : half_q, index_q[4:0], at_end, last_tile_q, rows_q, wide_q,
                  count, group_q, fire};

  logic       tag_transpose, tag_line_last, tag_half, tag_last, tag_done, tag_wide, tag_fire;
  logic [4:0] tag_row;
  logic [5:0] tag_rows, tag_count;
  logic [1:0] tag_group;
  assign {tag_transpose, tag_line_last, tag_half, tag_row, tag_last, tag_done, tag_rows, tag_wide, tag_count, tag_group, tag_fire} = tag3_q;

  always_ff @(posedge clk_i) begin
    tag1_valid_q <= fire && rst_ni;
    tag2_valid_q <= tag1_valid_q && rst_ni;
    if (fire) tag1_q <= tag_d;
    if (tag1_valid_q) tag2_q <= tag1_q;
    if (tag2_valid_q) tag3_q <= tag2_q;
  end

  // ------------------------------------------------------------------------------------------------- straight rows
  // The tile's columns moved down to lane 0, columns that do not count cleared.
  logic [511:0] straight;
  logic [1:0]   group;
  assign group    = (COLS < 32) ? tag_group : 2'd0;
  assign straight = rsp_valid_i ? keep_first(move_down(rsp_data_i, group), tag_count) : 512'd0;

  // ----------------------------------------------------------------------------------------------------- transposer
  logic         turn_row_valid, turn_row_last;
  logic [511:0] turn_row;
  logic         turn_line, turn_line_end;

  assign turn_line     = rsp_valid_i && tag_transpose;
  assign turn_line_end = turn_line && tag_line_last;

  transposer transposer_i (
    .clk_i, .rst_ni,
    .claim_i(fire && transpose_q), .claim_last_i(turn_line_last), .claim_ready_o(turn_room),
    .line_valid_i(turn_line), .line_last_i(tag_line_last), .line_rows_i(tag_rows), .line_data_i(rsp_data_i),
    .row_valid_o(turn_row_valid), .row_last_o(turn_row_last), .row_data_o(turn_row), .row_ready_i(1'b1),
    .idle_o(turn_idle)
  );

  // What the blocks in the transposer are: half, rows of the tile, last block of the tile, of the instruction, two halves.
  logic [9:0] block_q [0:3];
  logic [1:0] block_write_q, block_read_q;
  logic [4:0] turn_index_q;
  logic       block_half, block_last, block_done, block_wide;
  logic [5:0] block_rows;
  assign {block_half, block_last, block_done, block_wide, block_rows} = block_q[block_read_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      block_write_q <= 2'd0;
      block_read_q  <= 2'd0;
      turn_index_q  <= 5'd0;
    end else begin
      if (turn_line_end) begin
        block_q[block_write_q] <= {tag_half, tag_last, tag_done, tag_wide, tag_rows};
        block_write_q          <= block_write_q + 2'd1;
      end
      if (turn_row_valid) begin
        turn_index_q <= turn_row_last ? 5'd0 : turn_index_q + 5'd1;
        if (turn_row_last) block_read_q <= block_read_q + 2'd1;
      end
    end
  end

  // ----------------------------------------------------------------------------------------------------------- FIFO
  logic         write_straight, write, write_last, write_done;
  assign write_straight = rsp_valid_i && !tag_transpose;
  assign write          = write_straight || turn_row_valid;
  assign write_last     = write_straight ? tag_last : (block_last && turn_row_last);
  assign write_done     = write && write_last && (write_straight ? tag_done : block_done);

  weight_fifo #(.COLS(COLS), .TILES(TILES)) fifo_i (
    .clk_i, .rst_ni,
    .claim_i(fire && first_q), .claim_ready_o(fifo_room),
    .wr_valid_i(write),
    .wr_half_i(write_straight ? tag_half : block_half),
    .wr_row_i(write_straight ? tag_row : turn_index_q),
    .wr_data_i(write_straight ? straight : turn_row),
    .wr_last_i(write_last),
    .wr_rows_i(write_straight ? tag_rows : block_rows),
    .wr_wide_i(write_straight ? tag_wide : block_wide),
    .tile_valid_o, .tile_read_i, .tile_row_i, .tile_data_o, .tile_exponent_o, .tile_pop_i
  );

  // -------------------------------------------------------------------------------------------------- done and state
  logic       done_q;
  logic [1:0] state_q;
  logic [7:0] open_q;               // instructions accepted and not done
  assign done_o  = done_q;
  assign state_o = state_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      done_q  <= 1'b0;
      open_q  <= 8'd0;
      state_q <= 2'd0;
    end else begin
      done_q <= write_done;
      open_q <= open_q + {7'd0, accept} - {7'd0, write_done};
      if (open_q == 8'd0) state_q <= 2'd0;
      else if (fire || write || turn_line) state_q <= 2'd1;
      else if (active_q && first_q && !fifo_room) state_q <= 2'd3;
      else if (req_valid_o || tag1_valid_q || tag2_valid_q) state_q <= 2'd2;
      else state_q <= 2'd1;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i)
    if (rst_ni) begin
      if (write_straight && turn_row_valid) $error("weight_unit: two rows for the FIFO in one cycle");
      if (rsp_valid_i && !tag_fire) $error("weight_unit: an answer without a request");
    end
`endif

endmodule

`default_nettype wire
