// Turns blocks of up to 32 lines of 32 bf16 into up to 32 rows: element t of row r is element r of line t.
//
// Promise:       rows leave in the order in which blocks came in, each block's rows ascending; elements of lines that a block does
//                not have (fewer than 32 lines) are +0.
// Latency:       the first row is at the output two cycles after its block's last line.
// Throughput:    one line in and one row out a cycle, sustained across blocks.
// Back-pressure: a line is claimed before it is requested from the unified buffer (`claim_ready_o`, `claim_i`) and is then always
//                taken, whenever it arrives (one cycle after its claim at the earliest). Rows wait for `row_ready_i`.
// Limits:        lines arrive in the order of their claims. `line_rows_i` (1 to 32) counts with `line_last_i`.
//
// Lane l of line t lies in bank l ^ t, so that both a line and a row touch every bank once. There is room for two blocks; a
// third one moves in behind the rows that leave: its line j takes the cells that row j has left. To make that possible every
// second use of a buffer exchanges the roles of line and lane in the address within the bank.

`default_nettype none

module transposer (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         claim_i,        // a line is being requested; only while claim_ready_o
  input  logic         claim_last_i,   // it is the last one of its block
  output logic         claim_ready_o,

  input  logic         line_valid_i,
  input  logic         line_last_i,
  input  logic [5:0]   line_rows_i,    // rows to give for this block
  input  logic [511:0] line_data_i,

  output logic         row_valid_o,
  output logic         row_last_o,     // last row of its block
  output logic [511:0] row_data_o,
  input  logic         row_ready_i,

  output logic         idle_o          // no claimed line that is not yet part of a row at the output
);

  // The even one of every two groups of 8, 4, 2 and 1 elements.
  localparam [511:0] EVEN_8 = {2{128'd0, {128{1'b1}}}};
  localparam [511:0] EVEN_4 = {4{64'd0, {64{1'b1}}}};
  localparam [511:0] EVEN_2 = {8{32'd0, {32{1'b1}}}};
  localparam [511:0] EVEN_1 = {16{16'd0, {16{1'b1}}}};

  // Element e of the result is element e ^ by of the value: a butterfly, one stage a bit of `by`.
  function automatic [511:0] exchange(input [511:0] value, input [4:0] by);
    exchange = value;
    if (by[4]) exchange = {exchange[255:0], exchange[511:256]};
    if (by[3]) exchange = ((exchange >> 128) & EVEN_8) | ((exchange & EVEN_8) << 128);
    if (by[2]) exchange = ((exchange >> 64) & EVEN_4) | ((exchange & EVEN_4) << 64);
    if (by[1]) exchange = ((exchange >> 32) & EVEN_2) | ((exchange & EVEN_2) << 32);
    if (by[0]) exchange = ((exchange >> 16) & EVEN_1) | ((exchange & EVEN_1) << 16);
  endfunction

  // Elements from `count` on are +0.
  function automatic [511:0] keep_first(input [511:0] value, input [5:0] count);
    logic [31:0] drop, t;
    drop = 32'hFFFF_FFFF << count;
    keep_first = value;
    if (count != 6'd32)
      for (t = 32'd0; t < 32'd32; t = t + 32'd1)
        if (drop[t[4:0]]) keep_first[16*t[4:0] +: 16] = 16'd0;
  endfunction

  // ---------------------------------------------------------------------------------------------- block numbers
  // Two bits each: bit 0 is the buffer, bit 1 the orientation.
  logic [1:0] write_block_q, read_block_q;
  logic [4:0] claim_line_q, write_line_q, read_row_q;
  logic [1:0] claimed_q;                 // blocks claimed whole and not read to their end
  logic [1:0] full_q;                    // blocks written whole and not read to their end
  logic       claim_ready_q;

  logic [5:0] block_lines_q [0:3];
  logic [5:0] block_rows_q  [0:3];

  logic row_valid_q, row_last_q;
  logic [511:0] row_data_q;

  logic       read, read_last, claim_end, line_end;
  logic [5:0] read_lines, read_rows;

  assign read_lines = block_lines_q[read_block_q];
  assign read_rows  = block_rows_q[read_block_q];
  assign read       = (full_q != 2'd0) && (!row_valid_q || row_ready_i);
  assign read_last  = read && ({1'b0, read_row_q} + 6'd1 == read_rows);
  assign claim_end  = claim_i && claim_last_i;
  assign line_end   = line_valid_i && line_last_i;

  assign claim_ready_o = claim_ready_q;
  assign row_valid_o   = row_valid_q;
  assign row_last_o    = row_last_q;
  assign row_data_o    = row_data_q;
  assign idle_o        = (claimed_q == 2'd0) && (claim_line_q == 5'd0);

  // ------------------------------------------------------------------------------------------------------ banks
  logic [511:0] turned, gathered;
  logic         write_turned, read_turned;

  assign write_turned = write_block_q[1];
  assign read_turned  = read_block_q[1];

  assign turned = line_valid_i ? exchange(line_data_i, write_line_q) : 512'd0;

  genvar bank;
  generate
    for (bank = 0; bank < 32; bank = bank + 1) begin : gen_bank
      localparam [31:0] INDEX = bank;
      logic [15:0] cell_q [0:63];
      logic [4:0]  write_cell, read_cell;
      assign write_cell = write_turned ? INDEX[4:0] ^ write_line_q : write_line_q;
      assign read_cell  = read_turned ? read_row_q : INDEX[4:0] ^ read_row_q;
      assign gathered[16*bank +: 16] = read ? cell_q[{read_block_q[0], read_cell}] : 16'd0;
      always_ff @(posedge clk_i)
        if (line_valid_i) cell_q[{write_block_q[0], write_cell}] <= turned[16*bank +: 16];
    end
  endgenerate

  // ----------------------------------------------------------------------------------------------- lines come in
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_block_q <= 2'd0;
      write_line_q  <= 5'd0;
    end else if (line_valid_i) begin
      write_line_q <= line_last_i ? 5'd0 : write_line_q + 5'd1;
      if (line_last_i) begin
        write_block_q <= write_block_q + 2'd1;
        block_lines_q[write_block_q] <= {1'b0, write_line_q} + 6'd1;
        block_rows_q[write_block_q]  <= line_rows_i;
      end
    end
  end

  // ------------------------------------------------------------------------------------------------ rows go out
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      row_valid_q  <= 1'b0;
      row_last_q   <= 1'b0;
      read_block_q <= 2'd0;
      read_row_q   <= 5'd0;
    end else begin
      if (read) begin
        row_valid_q <= 1'b1;
        row_last_q  <= read_last;
        row_data_q  <= keep_first(exchange(gathered, read_row_q), read_lines);
        read_row_q  <= read_last ? 5'd0 : read_row_q + 5'd1;
        if (read_last) read_block_q <= read_block_q + 2'd1;
      end else if (row_ready_i) begin
        row_valid_q <= 1'b0;
      end
    end
  end

  // ------------------------------------------------------------------------------------------------------- room
  // Whether the next claim has room, known one cycle ahead. `stays`: the next claim is of the block at hand, at most one line
  // further; `moves`: it is the first line of another block.
  logic stays, moves;
  assign stays = !claimed_q[1] || (claimed_q == 2'd2 && {1'b0, read_row_q} > {1'b0, claim_line_q} + 6'd1);
  assign moves = (claimed_q == 2'd0) || (claimed_q == 2'd1 && read_row_q != 5'd0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      claimed_q     <= 2'd0;
      full_q        <= 2'd0;
      claim_line_q  <= 5'd0;
      claim_ready_q <= 1'b0;
    end else begin
      claimed_q     <= claimed_q + {1'b0, claim_end} - {1'b0, read_last};
      full_q        <= full_q + {1'b0, line_end} - {1'b0, read_last};
      claim_ready_q <= claim_end ? moves : stays;
      if (claim_i) claim_line_q <= claim_last_i ? 5'd0 : claim_line_q + 5'd1;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i)
    if (rst_ni) begin
      if (claim_i && !claim_ready_q) $error("transposer: a line was claimed without room");
      if (line_end && (line_rows_i == 6'd0 || line_rows_i > 6'd32)) $error("transposer: a block gives 1 to 32 rows");
    end
`endif

endmodule

`default_nettype wire
