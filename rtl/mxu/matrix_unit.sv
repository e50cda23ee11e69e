// Executes MATMUL: the stream reader before the matrix core.
//
// Promise:       docs/design.md, sections 2 to 5. `done_o`: one cycle an instruction, in order, when all its rows can be read from the
//                accumulators. What the parts promise stands in stream_reader.sv (reads, passes) and matrix_core.sv (tiles, arithmetic,
//                accumulators and their two read ports, which answer 3 cycles after acceptance).
// Throughput:    one row of 32 x COLS multiply-adds a cycle, without a gap between passes of at least 32 rows.
// Limits:        COLS 8, 16, 32 or 64; ACC_ROWS a power of two, at most 4096.

`default_nettype none

module matrix_unit #(
  parameter COLS     = 32,
  parameter ACC_ROWS = 2048
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               cmd_valid_i,
  output logic               cmd_ready_o,
  input  logic [127:0]       cmd_i,
  output logic               done_o,
  output logic [1:0]         state_o,        // 0 idle, 1 busy, 2 waits for the buffer, 3 waits for a tile

  // Unified buffer.
  output logic               req_valid_o,
  output logic [17:0]        req_line_o,
  input  logic               req_ready_i,
  input  logic               rsp_valid_i,
  input  logic [511:0]       rsp_data_i,

  // Weight unit.
  input  logic               tile_valid_i,
  output logic               tile_read_o,
  output logic [4:0]         tile_row_o,
  output logic               tile_pop_o,
  input  logic [COLS*16-1:0] tile_data_i,
  input  logic [COLS*8-1:0]  tile_exponent_i,

  // Readers of the accumulators.
  input  logic               vec_valid_i,
  input  logic [12:0]        vec_row_i,
  output logic               vec_ready_o,
  output logic               vec_rsp_valid_o,
  output logic [1023:0]      vec_rsp_data_o,
  input  logic               store_valid_i,
  input  logic [12:0]        store_row_i,
  output logic               store_ready_o,
  output logic               store_rsp_valid_o,
  output logic [1023:0]      store_rsp_data_o,
  input  logic [1:0]         stall_i         // refuses a reader for a cycle: bit 0 STORE, bit 1 VEC
);

  localparam PASS_LEAD = 4;

  logic                        pass_ready, pass_start;
  logic                        row_valid, row_switch, row_first, row_last, done;
  logic [511:0]                row_data;
  logic [$clog2(ACC_ROWS)-1:0] row_acc;
  logic [1:0]                  row_lane_group;

  assign done_o = done;

  stream_reader #(.ACC_ROWS(ACC_ROWS), .PASS_LEAD(PASS_LEAD)) stream_reader_i (
    .clk_i, .rst_ni, .cmd_valid_i, .cmd_ready_o, .cmd_i, .state_o,
    .req_valid_o, .req_line_o, .req_ready_i, .rsp_valid_i, .rsp_data_i,
    .pass_ready_i(pass_ready), .pass_start_o(pass_start),
    .row_valid_o(row_valid), .row_data_o(row_data), .row_switch_o(row_switch), .row_first_o(row_first), .row_last_o(row_last),
    .row_acc_o(row_acc), .row_lane_group_o(row_lane_group), .done_i(done)
  );

  matrix_core #(.COLS(COLS), .ACC_ROWS(ACC_ROWS), .PASS_LEAD(PASS_LEAD)) matrix_core_i (
    .clk_i, .rst_ni,
    .tile_valid_i, .tile_read_o, .tile_row_o, .tile_pop_o, .tile_data_i, .tile_exponent_i,
    .pass_ready_o(pass_ready), .pass_start_i(pass_start),
    .row_valid_i(row_valid), .row_data_i(row_data), .row_switch_i(row_switch), .row_first_i(row_first), .row_last_i(row_last),
    .row_acc_i(row_acc), .row_lane_group_i(row_lane_group), .done_o(done),
    .vec_valid_i, .vec_row_i, .vec_ready_o, .vec_rsp_valid_o, .vec_rsp_data_o,
    .store_valid_i, .store_row_i, .store_ready_o, .store_rsp_valid_o, .store_rsp_data_o, .stall_i
  );

endmodule

`default_nettype wire
