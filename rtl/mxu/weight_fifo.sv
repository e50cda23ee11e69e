// Stationary tiles of 32 (k) x COLS bf16 between the weight unit and the array, with each column's largest exponent.
//
// Promise:       tiles leave in the order in which they came, with the largest biased exponent among each column's elements (0: only
//                zeros and subnormals; 255: Inf or NaN poisons the column).
//                Rows from `wr_rows_i` on, and columns 32 to 63 of a tile without `wr_wide_i`, read as +0 though nobody wrote them.
// Latency:       a tile is at the head one cycle after its last write; data one cycle after `tile_read_i`.
// Throughput:    one write (a row of up to 32 columns) and one row out a cycle.
// Back-pressure: the writer claims a tile (`claim_i` while `claim_ready_o`) before it asks for its data and may then write at any
//                time. A claim is free again one cycle after the tile's `tile_pop_i`.
// Limits:        COLS at most 64. Row 0 of each half is written before the half's other rows.
//                `tile_read_i` and `tile_pop_i` only while `tile_valid_o`; the pop comes with or after the last read.

`default_nettype none

module weight_fifo #(
  parameter COLS  = 32,   // columns of a tile
  parameter TILES = 4     // capacity, at least 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               claim_i,
  output logic               claim_ready_o,

  input  logic               wr_valid_i,
  input  logic               wr_half_i,     // columns 0 to 31 or 32 to 63
  input  logic [4:0]         wr_row_i,
  input  logic [511:0]       wr_data_i,     // columns from the low bits on; columns that do not count are +0
  input  logic               wr_last_i,     // the tile's last write; with it:
  input  logic [5:0]         wr_rows_i,     // rows that were written, 1 to 32
  input  logic               wr_wide_i,     // columns 32 to 63 were written too

  output logic               tile_valid_o,
  input  logic               tile_read_i,
  input  logic [4:0]         tile_row_i,
  output logic [COLS*16-1:0] tile_data_o,
  output logic [COLS*8-1:0]  tile_exponent_o,
  input  logic               tile_pop_i
);

  localparam HALVES = (COLS > 32) ? 2 : 1;
  localparam LOW    = (COLS > 32) ? 32 : COLS;      // columns of the low half
  localparam TILE_W = (TILES > 1) ? $clog2(TILES) : 1;
  localparam SLOTS  = 1 << TILE_W;
  localparam [31:0] LAST_TILE = TILES - 1;
  localparam [31:0] CAPACITY  = TILES;

  logic [TILE_W-1:0] write_q, head_q;
  logic [7:0]        claimed_q, claimed_d, complete_q;
  logic              claim_ready_q;
  logic              finish;

  assign finish        = wr_valid_i && wr_last_i;
  assign claim_ready_o = claim_ready_q;
  assign tile_valid_o  = complete_q != 8'd0;
  assign claimed_d     = claimed_q + {7'd0, claim_i} - {7'd0, tile_pop_i};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q       <= '0;
      head_q        <= '0;
      claimed_q     <= 8'd0;
      complete_q    <= 8'd0;
      claim_ready_q <= 1'b0;
    end else begin
      claimed_q     <= claimed_d;
      claim_ready_q <= claimed_d < CAPACITY[7:0];
      complete_q    <= complete_q + {7'd0, finish} - {7'd0, tile_pop_i};
      if (finish) write_q <= (write_q == LAST_TILE[TILE_W-1:0]) ? '0 : write_q + 1'b1;
      if (tile_pop_i) head_q <= (head_q == LAST_TILE[TILE_W-1:0]) ? '0 : head_q + 1'b1;
    end
  end

  // ------------------------------------------------------------------------------------- shape of each tile
  logic [5:0] rows_q [0:SLOTS-1];
  logic       live_q;            // the row just read was written
  always_ff @(posedge clk_i) begin
    if (finish) rows_q[write_q] <= wr_rows_i;
    if (tile_read_i) live_q <= {1'b0, tile_row_i} < rows_q[head_q];
  end

  // ------------------------------------------------------------------------------ data and exponents, by half
  genvar half;
  generate
    for (half = 0; half < HALVES; half = half + 1) begin : gen_half
      localparam WIDTH = (half == 0) ? LOW : COLS - 32;
      logic [WIDTH*16-1:0] data_q [0:SLOTS*32-1];
      logic [WIDTH*16-1:0] read_q;
      logic [WIDTH*8-1:0]  exponent_q [0:SLOTS-1];
      logic [WIDTH*8-1:0]  largest_q, largest_d;     // of the tile that is being written
      logic                write, live;

      // Per column the larger one of `so_far` and the row's exponent.
      function automatic [WIDTH*8-1:0] larger(input [WIDTH*8-1:0] so_far, input [WIDTH*16-1:0] row);
        logic [31:0] c;
        larger = so_far;
        for (c = 32'd0; c < WIDTH; c = c + 32'd1)
          if (row[16*c + 7 +: 8] > so_far[8*c +: 8]) larger[8*c +: 8] = row[16*c + 7 +: 8];
      endfunction

      assign write     = wr_valid_i && (wr_half_i == (half == 1));
      assign largest_d = write ? larger((wr_row_i == 5'd0) ? '0 : largest_q, wr_data_i[WIDTH*16-1:0]) : largest_q;

      always_ff @(posedge clk_i)
        if (write) begin
          data_q[{write_q, wr_row_i}] <= wr_data_i[WIDTH*16-1:0];
          largest_q                   <= largest_d;
          exponent_q[write_q]         <= largest_d;
        end

      always_ff @(posedge clk_i)
        if (tile_read_i) read_q <= data_q[{head_q, tile_row_i}];

      if (half == 0) begin : gen_low
        assign live = 1'b1;
        assign tile_data_o[WIDTH*16-1:0] = live_q ? read_q : '0;
      end else begin : gen_high
        logic wide_q [0:SLOTS-1];
        logic live_high_q;
        always_ff @(posedge clk_i) begin
          if (finish) wide_q[write_q] <= wr_wide_i;
          if (tile_read_i) live_high_q <= wide_q[head_q];
        end
        assign live = wide_q[head_q];
        assign tile_data_o[COLS*16-1:32*16] = (live_q && live_high_q) ? read_q : '0;
      end
      assign tile_exponent_o[32*8*half +: WIDTH*8] = live ? exponent_q[head_q] : '0;
    end
  endgenerate

  generate
    if (HALVES == 1) begin : gen_narrow
      logic unused;    // columns that this configuration does not have
      assign unused = &{1'b0, wr_wide_i, wr_data_i};
    end
  endgenerate

`ifndef SYNTHESIS
  always @(posedge clk_i)
    if (rst_ni) begin
      if (claim_i && !claim_ready_q) $error("weight_fifo: a tile was claimed without room");
      if ((tile_pop_i || tile_read_i) && !tile_valid_o) $error("weight_fifo: read or popped while empty");
    end
`endif

endmodule

`default_nettype wire
