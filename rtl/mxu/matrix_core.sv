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
//             8 * row_lane_group_i and up. The same row_acc_i may come again heddle_pkg::MIN_PASS_CYCLES later or more.
//             row_last_i marks the last row of an instruction.
// Completion  done_o: one cycle for each row_last_i, when that row and all before it can be read from the accumulators.
// Reading     Two ports, VEC and STORE: row of 32 lanes (docs/design.md, section 3), answer heddle_pkg::ACC_READ_LATENCY cycles after
//             acceptance. Array before VEC before STORE, unless they use different banks (row modulo 4).
//             stall_i refuses a port for a cycle (bit 0 STORE, bit 1 VEC), for tests.
// Latency     From row_valid_i to done_o: MATRIX_LATENCY below, COLS + 63.
// Limits      COLS 8, 16, 32 or 64. ACC_ROWS a power of two, at most 8192 * 32 / max(COLS, 32).
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

endmodule

`default_nettype wire
