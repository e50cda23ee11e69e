// Constants that several units share: architectural sizes and the latencies of the pipelines.
// What a configuration chooses is in heddle_config_pkg, the instruction set in heddle_isa_pkg.
`default_nettype none

package heddle_pkg;
  localparam LANES = 32;  // elements of a row; also the block of bfp16 and the rows of the array
  localparam BLOCK = 32;
  localparam LINE_BITS = 512;
  localparam ROW_BITS = 1024;  // 32 fp32

  // Latencies: cycles from valid_i to valid_o.
  localparam FP32_ADD_LATENCY = 9;
  localparam FP32_MUL_LATENCY = 5;
  localparam SPECIAL_FUNCTION_LATENCY = 25;
  localparam INT_TO_FP32_LATENCY = 6;
  localparam BLOCK_CONVERTER_LATENCY = 6;  // streamed rows
  localparam COLUMN_CONVERTER_LATENCY = 3;  // rows of a tile
  localparam ARRAY_LATENCY = 33;  // and COLS: skew, three stages of a PE, deskew
  localparam ACC_ADD_LEAD = 3;  // from the announcement of a block result to the result
  localparam ACC_READ_LATENCY = 3;  // accumulators' read port, from acceptance to the answer

  // A row of accumulators may be the target of two passes no closer than this: read, add, write.
  localparam MIN_PASS_CYCLES = 12;
endpackage

`default_nettype wire
