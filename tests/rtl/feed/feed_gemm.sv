// Weight unit and matrix unit as the core joins them: what the tests of whole products drive.

`default_nettype none

module feed_gemm #(
  parameter COLS     = 32,
  parameter ACC_ROWS = 256
) (
  input  logic          clk_i,
  input  logic          rst_ni,

  input  logic          w_cmd_valid_i,
  output logic          w_cmd_ready_o,
  input  logic [127:0]  w_cmd_i,
  output logic          w_done_o,
  output logic [1:0]    w_state_o,
  output logic          w_req_valid_o,
  output logic [17:0]   w_req_line_o,
  input  logic          w_req_ready_i,
  input  logic          w_rsp_valid_i,
  input  logic [511:0]  w_rsp_data_i,

  input  logic          m_cmd_valid_i,
  output logic          m_cmd_ready_o,
  input  logic [127:0]  m_cmd_i,
  output logic          m_done_o,
  output logic [1:0]    m_state_o,
  output logic          m_req_valid_o,
  output logic [17:0]   m_req_line_o,
  input  logic          m_req_ready_i,
  input  logic          m_rsp_valid_i,
  input  logic [511:0]  m_rsp_data_i,

  input  logic          vec_valid_i,
  input  logic [12:0]   vec_row_i,
  output logic          vec_ready_o,
  output logic          vec_rsp_valid_o,
  output logic [1023:0] vec_rsp_data_o,
  input  logic          store_valid_i,
  input  logic [12:0]   store_row_i,
  output logic          store_ready_o,
  output logic          store_rsp_valid_o,
  output logic [1023:0] store_rsp_data_o,
  input  logic [1:0]    stall_i
);

  logic               tile_valid, tile_read, tile_pop;
  logic [4:0]         tile_row;
  logic [COLS*16-1:0] tile_data;
  logic [COLS*8-1:0]  tile_exponent;

  weight_unit #(.COLS(COLS), .TILES(4)) weight_unit_i (
    .clk_i, .rst_ni,
    .cmd_valid_i(w_cmd_valid_i), .cmd_ready_o(w_cmd_ready_o), .cmd_i(w_cmd_i), .done_o(w_done_o), .state_o(w_state_o),
    .req_valid_o(w_req_valid_o), .req_line_o(w_req_line_o), .req_ready_i(w_req_ready_i),
    .rsp_valid_i(w_rsp_valid_i), .rsp_data_i(w_rsp_data_i),
    .tile_valid_o(tile_valid), .tile_read_i(tile_read), .tile_row_i(tile_row), .tile_data_o(tile_data),
    .tile_exponent_o(tile_exponent), .tile_pop_i(tile_pop)
  );

  matrix_unit #(.COLS(COLS), .ACC_ROWS(ACC_ROWS)) matrix_unit_i (
    .clk_i, .rst_ni,
    .cmd_valid_i(m_cmd_valid_i), .cmd_ready_o(m_cmd_ready_o), .cmd_i(m_cmd_i), .done_o(m_done_o), .state_o(m_state_o),
    .req_valid_o(m_req_valid_o), .req_line_o(m_req_line_o), .req_ready_i(m_req_ready_i),
    .rsp_valid_i(m_rsp_valid_i), .rsp_data_i(m_rsp_data_i),
    .tile_valid_i(tile_valid), .tile_read_o(tile_read), .tile_row_o(tile_row), .tile_pop_o(tile_pop),
    .tile_data_i(tile_data), .tile_exponent_i(tile_exponent),
    .vec_valid_i, .vec_row_i, .vec_ready_o, .vec_rsp_valid_o, .vec_rsp_data_o,
    .store_valid_i, .store_row_i, .store_ready_o, .store_rsp_valid_o, .store_rsp_data_o, .stall_i
  );

endmodule

`default_nettype wire
