// The matrix unit's arithmetic: block converters, systolic array, fp32 conversion, addition and accumulators, and the
// sequencer that shifts tiles into the array.
//
// Tiles       tile_valid_i: a complete tile is at the head of the weight FIFO. The core reads its 32 rows, 31 first, one a cycle:
//             tile_read_o with tile_row_o; tile_data_i in the next cycle (COLS bf16, column 0 low; masked elements are +0).
//             tile_exponent_i is the largest biased exponent of each column (255 poisons it), valid with tile_valid_i.
//             tile_pop_o comes with the last tile_read_o; in the next cycle tile_valid_i speaks of the next tile (the data of
//             that last read still arrives in it). A tile is read once the switch row of the one before has passed.
// Passes      pass_ready_o: a pass may start. It stays up until pass_start_i, which is legal only while it is up and gives the
//             tile to one pass. The first row of the pass, with row_switch_i, follows PASS_LEAD cycles after pass_start_i or later;
//             pass_ready_o counts on that and rises while the tile is still being shifted. The next pass_ready_o rises no later
//             than 32 - PASS_LEAD cycles after the switch row if a tile is there, so passes of 32 rows and more leave no gap.
// Rows        row_valid_i with 32 bf16 (lane 0 low, masked lanes +0): no back-pressure, gaps are free.
//             The row's products are added to accumulator row_acc_i, or to +0 with row_first_i. For COLS < 32 they land in lanes
//             8 * row_lane_group_i and up. The same row_acc_i may come again heddle_pkg::MIN_PASS_CYCLES cycles later or more.
//             row_last_i marks the last row of an instruction.
// Completion  done_o: one cycle for each row_last_i, when that row and all before it can be read from the accumulators.
// Reading     Two ports, VEC and STORE: row of 32 lanes (docs/design.md, section 3), answer heddle_pkg::ACC_READ_LATENCY cycles after
//             acceptance. Array before VEC before STORE, unless they use different banks (row modulo 4).
//             stall_i refuses a port for a cycle (bit 0 STORE, bit 1 VEC), for tests.
// Latency     From row_valid_i to done_o: COLS + 54 cycles.
// Limits      COLS 8, 16, 32 or 64. ACC_ROWS a power of two, 8 or more, at most 8192 (4096 for 64 columns).
`default_nettype none

module matrix_core #(
    parameter COLS = 32,
    parameter ACC_ROWS = 2048,
    parameter PASS_LEAD = 4  // 1 to 28
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    // Weight FIFO.
    input  logic                        tile_valid_i,
    output logic                        tile_read_o,
    output logic [                 4:0] tile_row_o,
    output logic                        tile_pop_o,
    input  logic [         COLS*16-1:0] tile_data_i,
    input  logic [          COLS*8-1:0] tile_exponent_i,
    // Stream reader.
    output logic                        pass_ready_o,
    input  logic                        pass_start_i,
    input  logic                        row_valid_i,
    input  logic [               511:0] row_data_i,
    input  logic                        row_switch_i,
    input  logic                        row_first_i,
    input  logic                        row_last_i,
    input  logic [$clog2(ACC_ROWS)-1:0] row_acc_i,
    input  logic [                 1:0] row_lane_group_i,
    output logic                        done_o,
    // Readers of the accumulators.
    input  logic                        vec_valid_i,
    input  logic [                12:0] vec_row_i,
    output logic                        vec_ready_o,
    output logic                        vec_rsp_valid_o,
    output logic [              1023:0] vec_rsp_data_o,
    input  logic                        store_valid_i,
    input  logic [                12:0] store_row_i,
    output logic                        store_ready_o,
    output logic                        store_rsp_valid_o,
    output logic [              1023:0] store_rsp_data_o,
    input  logic [                 1:0] stall_i
);
  localparam ROW_W = $clog2(ACC_ROWS);

  // --------------------------------------------------------------------------------------------- time line
  // A row comes in cycle p. Everything after that has a fixed distance to it:
  localparam TO_ARRAY = heddle_pkg::BLOCK_CONVERTER_LATENCY;  // its mantissas enter the array
  localparam TO_SUM = TO_ARRAY + COLS + heddle_pkg::ARRAY_LATENCY;  // its sums leave the array
  localparam TO_ADD = TO_SUM + heddle_pkg::INT_TO_FP32_LATENCY - heddle_pkg::ACC_ADD_LEAD;  // it is announced to the accumulators
  // A tile's first read is in cycle x, its first weight enters the array WEIGHT_LATENCY later, at the earliest together with the switch
  // row of the tile before: x = p + LOAD_DELAY. The array takes its switch row 32 cycles after the first weight.
  localparam WEIGHT_LATENCY = 1 + heddle_pkg::COLUMN_CONVERTER_LATENCY;
  localparam LOAD_DELAY = TO_ARRAY - WEIGHT_LATENCY;
  localparam [4:0] READY_AT = 5'(32 + WEIGHT_LATENCY - TO_ARRAY - PASS_LEAD - 1);  // reads done when pass_ready_o is set

  logic [TO_ADD-1:1] valid_q;  // bit d: a row came d cycles ago
  logic [TO_ARRAY:1] switch_q;
  logic [6:0] cycle_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
      switch_q <= '0;
      cycle_q <= '0;
    end else begin
      valid_q <= {valid_q[TO_ADD-2:1], row_valid_i};
      switch_q <= {switch_q[TO_ARRAY-1:1], row_valid_i & row_switch_i};
      cycle_q <= cycle_q + 7'd1;
    end
  end

  // --------------------------------------------------------------------------------------------- tiles
  logic free_q;  // the shadow's tile has been switched in
  logic reading_q, load_start, load_first_q, load_q;
  logic [4:0] read_count_q;
  logic [COLS*8-1:0] exponent_q;
  assign load_start = free_q && tile_valid_i && !reading_q;
  assign tile_read_o = load_start || reading_q;
  assign tile_row_o = ~read_count_q;  // 31 first
  assign tile_pop_o = reading_q && read_count_q == 5'd31;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      free_q <= 1'b1;
      reading_q <= 1'b0;
      read_count_q <= 5'd0;
      load_q <= 1'b0;
      load_first_q <= 1'b0;
      pass_ready_o <= 1'b0;
    end else begin
      if (load_start) free_q <= 1'b0;
      else if (switch_q[LOAD_DELAY-1]) free_q <= 1'b1;
      if (tile_read_o) begin
        reading_q <= read_count_q != 5'd31;
        read_count_q <= read_count_q + 5'd1;
      end
      load_q <= tile_read_o;
      load_first_q <= load_start;
      if (tile_read_o && read_count_q == READY_AT) pass_ready_o <= 1'b1;
      else if (pass_start_i) pass_ready_o <= 1'b0;
    end
    if (load_start) exponent_q <= tile_exponent_i;
  end

  logic weight_valid;
  logic [COLS*16-1:0] weight;
  block_align #(
      .LANES(COLS)
  ) i_column_converter (
      .clk_i,
      .rst_ni,
      .valid_i(load_q),
      .data_i(tile_data_i),
      .exponent_i(exponent_q),
      .valid_o(weight_valid),
      .mantissa_o(weight)
  );
  logic weight_first;
  delay_line #(
      .WIDTH(1),
      .DEPTH(heddle_pkg::COLUMN_CONVERTER_LATENCY)
  ) i_first (
      .clk_i,
      .data_i(load_first_q),
      .data_o(weight_first)
  );

  // --------------------------------------------------------------------------------------------- rows and array
  logic mantissa_valid, sum_valid;
  logic [511:0] mantissa;
  logic [7:0] row_exponent;
  logic [COLS*64-1:0] sum;
  block_converter i_row_converter (
      .clk_i,
      .rst_ni,
      .valid_i(row_valid_i),
      .data_i(row_data_i),
      .valid_o(mantissa_valid),
      .mantissa_o(mantissa),
      .exponent_o(row_exponent)
  );
  systolic_array #(
      .COLS(COLS)
  ) i_array (
      .clk_i,
      .rst_ni,
      .load_i(weight_valid),
      .load_first_i(weight_first),
      .weight_i(weight),
      .valid_i(mantissa_valid),
      .switch_i(switch_q[TO_ARRAY]),
      .row_i(mantissa),
      .valid_o(sum_valid),
      .sum_o(sum)
  );

  // --------------------------------------------------------------------------------------------- what waits for the array
  // By the cycle in which the row came; 128 is more than any distance.
  localparam LANE_GROUP = 0, LAST = 2, FIRST = 3, SWITCH = 4, ROW = 5, INFO_W = ROW_W + 5;
  logic [INFO_W-1:0] info[0:127];
  logic [7:0] row_exponents[0:127];
  logic [6:0] due_sum, due_add;
  assign due_sum = cycle_q - 7'(TO_SUM - 1);
  assign due_add = cycle_q - 7'(TO_ADD - 1);

  // Exponents of the tiles that have rows on their way.
  logic [COLS*8-1:0] tile_exponents[0:7];
  logic [2:0] load_tile_q, sum_tile_q;
  logic [COLS*8-1:0] sum_tile_exponent_q;
  logic [7:0] sum_row_exponent_q;
  logic sum_switches;
  assign sum_switches = valid_q[TO_SUM-1] && info[due_sum][SWITCH];

  logic add_valid_q;
  logic [INFO_W-1:0] add_q;
  always_ff @(posedge clk_i) begin
    if (row_valid_i) info[cycle_q] <= {row_acc_i, row_switch_i, row_first_i, row_last_i, row_lane_group_i};
    if (mantissa_valid) row_exponents[cycle_q-7'(TO_ARRAY)] <= row_exponent;
    if (load_start) tile_exponents[load_tile_q] <= tile_exponent_i;
    if (sum_switches) sum_tile_exponent_q <= tile_exponents[sum_tile_q];
    if (valid_q[TO_SUM-1]) sum_row_exponent_q <= row_exponents[due_sum];
    if (valid_q[TO_ADD-1]) add_q <= info[due_add];
    if (!rst_ni) begin
      load_tile_q <= 3'd0;
      sum_tile_q <= 3'd0;
      add_valid_q <= 1'b0;
    end else begin
      if (load_start) load_tile_q <= load_tile_q + 3'd1;
      if (sum_switches) sum_tile_q <= sum_tile_q + 3'd1;
      add_valid_q <= valid_q[TO_ADD-1];
    end
  end

  // --------------------------------------------------------------------------------------------- column bottoms
  logic [COLS*32-1:0] block_result;
  logic block_valid;
  int_to_fp32 #(
      .LANES(COLS)
  ) i_int_to_fp32 (
      .clk_i,
      .rst_ni,
      .valid_i(sum_valid),
      .sum_i(sum),
      .ea_i(sum_row_exponent_q),
      .eb_i(sum_tile_exponent_q),
      .valid_o(block_valid),
      .result_o(block_result)
  );
  accumulators #(
      .COLS(COLS),
      .ACC_ROWS(ACC_ROWS)
  ) i_accumulators (
      .clk_i,
      .rst_ni,
      .add_valid_i(add_valid_q),
      .add_first_i(add_q[FIRST]),
      .add_last_i(add_q[LAST]),
      .add_row_i(add_q[ROW +: ROW_W]),
      .add_lane_group_i(add_q[LANE_GROUP +: 2]),
      .data_i(block_result),
      .written_o(done_o),
      .vec_valid_i,
      .vec_row_i,
      .vec_ready_o,
      .vec_rsp_valid_o,
      .vec_rsp_data_o,
      .store_valid_i,
      .store_row_i,
      .store_ready_o,
      .store_rsp_valid_o,
      .store_rsp_data_o,
      .stall_i
  );

`ifndef SYNTHESIS
  logic granted_q;  // a pass was started and its switch row has not come
  always_ff @(posedge clk_i) begin
    if (!rst_ni) granted_q <= 1'b0;
    else begin
      if (row_valid_i && row_switch_i) granted_q <= 1'b0;
      if (pass_start_i) granted_q <= 1'b1;
      if (pass_start_i && !pass_ready_o) $error("a pass starts without a tile");
      if (row_valid_i && row_switch_i && !granted_q) $error("a switch row without a started pass");
      if (sum_valid && !valid_q[TO_SUM]) $error("a sum leaves the array when none is due");
    end
  end
`endif
  logic unused;
  assign unused = block_valid;
endmodule

`default_nettype wire
