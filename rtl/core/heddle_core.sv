// One Heddle core: registers, command processor, the five units and the memories they share.
//
// Promises: runs one program per ap_start (docs/design.md, sections 5 to 8). m_axi_prog reads program lines; the data ports carry slot s on port
// s modulo AXI_PORTS. All addresses are 64-byte aligned, all beats whole lines, one ID per port.
// sim_stall_i refuses a requester for one cycle, for tests of back-pressure; tie to 0 on a card:
//   bits 0 and up: requesters of the unified buffer in the order of its stall_i;
//   25 + u: command hand-shake of unit u; 30: accumulator reads of STORE; 31: accumulator reads of VEC.
// Limits: AXI_PORTS at most 9 (stall bits of the unified buffer end at 24), no reset of a running AXI transfer (docs/design.md, section 5).
`default_nettype none

module heddle_core #(
    parameter COLS        = heddle_config_pkg::COLS,
    parameter UB_LINES    = heddle_config_pkg::UB_LINES,
    parameter UB_BANKS    = heddle_config_pkg::UB_BANKS,
    parameter ACC_ROWS    = heddle_config_pkg::ACC_ROWS,
    parameter WEIGHT_FIFO = heddle_config_pkg::WEIGHT_FIFO,
    parameter QUEUE_DEPTH = heddle_config_pkg::QUEUE_DEPTH,
    parameter AXI_PORTS   = heddle_config_pkg::AXI_PORTS
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    // Host registers, AXI4-Lite.
    input  logic                     s_axi_control_awvalid_i,
    output logic                     s_axi_control_awready_o,
    input  logic [             11:0] s_axi_control_awaddr_i,
    input  logic                     s_axi_control_wvalid_i,
    output logic                     s_axi_control_wready_o,
    input  logic [             31:0] s_axi_control_wdata_i,
    input  logic [              3:0] s_axi_control_wstrb_i,
    output logic                     s_axi_control_bvalid_o,
    input  logic                     s_axi_control_bready_i,
    output logic [              1:0] s_axi_control_bresp_o,
    input  logic                     s_axi_control_arvalid_i,
    output logic                     s_axi_control_arready_o,
    input  logic [             11:0] s_axi_control_araddr_i,
    output logic                     s_axi_control_rvalid_o,
    input  logic                     s_axi_control_rready_i,
    output logic [             31:0] s_axi_control_rdata_o,
    output logic [              1:0] s_axi_control_rresp_o,
    output logic                     interrupt_o,
    // Program lines, AXI4 read-only.
    output logic                     m_axi_prog_arvalid_o,
    input  logic                     m_axi_prog_arready_i,
    output logic [             63:0] m_axi_prog_araddr_o,
    output logic [              7:0] m_axi_prog_arlen_o,
    input  logic                     m_axi_prog_rvalid_i,
    output logic                     m_axi_prog_rready_o,
    input  logic [            511:0] m_axi_prog_rdata_i,
    input  logic [              1:0] m_axi_prog_rresp_i,
    input  logic                     m_axi_prog_rlast_i,
    // Data, AXI4, port p in bits [p * width +: width].
    output logic [    AXI_PORTS-1:0] m_axi_arvalid_o,
    input  logic [    AXI_PORTS-1:0] m_axi_arready_i,
    output logic [ AXI_PORTS*64-1:0] m_axi_araddr_o,
    output logic [  AXI_PORTS*8-1:0] m_axi_arlen_o,
    input  logic [    AXI_PORTS-1:0] m_axi_rvalid_i,
    output logic [    AXI_PORTS-1:0] m_axi_rready_o,
    input  logic [AXI_PORTS*512-1:0] m_axi_rdata_i,
    input  logic [  AXI_PORTS*2-1:0] m_axi_rresp_i,
    input  logic [    AXI_PORTS-1:0] m_axi_rlast_i,
    output logic [    AXI_PORTS-1:0] m_axi_awvalid_o,
    input  logic [    AXI_PORTS-1:0] m_axi_awready_i,
    output logic [ AXI_PORTS*64-1:0] m_axi_awaddr_o,
    output logic [  AXI_PORTS*8-1:0] m_axi_awlen_o,
    output logic [    AXI_PORTS-1:0] m_axi_wvalid_o,
    input  logic [    AXI_PORTS-1:0] m_axi_wready_i,
    output logic [AXI_PORTS*512-1:0] m_axi_wdata_o,
    output logic [    AXI_PORTS-1:0] m_axi_wlast_o,
    input  logic [    AXI_PORTS-1:0] m_axi_bvalid_i,
    output logic [    AXI_PORTS-1:0] m_axi_bready_o,
    input  logic [  AXI_PORTS*2-1:0] m_axi_bresp_i,
    input  logic [             31:0] sim_stall_i
);
  localparam LINE_READS = 2 + AXI_PORTS;  // matrix unit, weight unit, store ports
  localparam LINE_WRITES = AXI_PORTS + 1;  // load ports, the vector unit's copy
  localparam REQUESTERS = LINE_READS + LINE_WRITES + 3;
  localparam COMMAND_STALL = 25, STORE_ACC_STALL = 30, VEC_ACC_STALL = 31;
  localparam [2:0] LOAD = heddle_isa_pkg::UNIT_LOAD, WLOAD = heddle_isa_pkg::UNIT_WLOAD, MXU = heddle_isa_pkg::UNIT_MXU,
                   VECTOR = heddle_isa_pkg::UNIT_VECTOR, STORE = heddle_isa_pkg::UNIT_STORE;

  // ------------------------------------------------------------------------------------------------- host registers
  logic start, running, done, counter_read;
  logic [63:0] program_base, counter_data;
  logic [31:0] program_words, watchdog, slot_lines, error_index;
  logic [1023:0] slot_base;
  logic [3:0] slot, error;
  logic [14:0] waiting;
  logic [24:0] waiting_for;
  logic [4:0] counter_index;

  control_registers #(
      .COLS(COLS),
      .UB_LINES(UB_LINES),
      .ACC_ROWS(ACC_ROWS),
      .WEIGHT_FIFO(WEIGHT_FIFO),
      .QUEUE_DEPTH(QUEUE_DEPTH),
      .AXI_PORTS(AXI_PORTS)
  ) u_registers (
      .clk_i,
      .rst_ni,
      .awvalid_i(s_axi_control_awvalid_i),
      .awready_o(s_axi_control_awready_o),
      .awaddr_i(s_axi_control_awaddr_i),
      .wvalid_i(s_axi_control_wvalid_i),
      .wready_o(s_axi_control_wready_o),
      .wdata_i(s_axi_control_wdata_i),
      .wstrb_i(s_axi_control_wstrb_i),
      .bvalid_o(s_axi_control_bvalid_o),
      .bready_i(s_axi_control_bready_i),
      .bresp_o(s_axi_control_bresp_o),
      .arvalid_i(s_axi_control_arvalid_i),
      .arready_o(s_axi_control_arready_o),
      .araddr_i(s_axi_control_araddr_i),
      .rvalid_o(s_axi_control_rvalid_o),
      .rready_i(s_axi_control_rready_i),
      .rdata_o(s_axi_control_rdata_o),
      .rresp_o(s_axi_control_rresp_o),
      .interrupt_o,
      .start_o(start),
      .program_o(program_base),
      .program_words_o(program_words),
      .watchdog_o(watchdog),
      .slot_base_o(slot_base),
      .slot_i(slot),
      .slot_lines_o(slot_lines),
      .running_i(running),
      .done_i(done),
      .error_i(error),
      .error_index_i(error_index),
      .waiting_i(waiting),
      .waiting_for_i(waiting_for),
      .counter_read_o(counter_read),
      .counter_index_o(counter_index),
      .counter_data_i(counter_data)
  );

  // ---------------------------------------------------------------------------------------------- program execution
  logic fetch_start, fetch_stop, fetch_idle, fetch_beat, word_valid, word_ready, word_error, word_end;
  logic [127:0] word;

  instruction_fetch u_fetch (
      .clk_i,
      .rst_ni,
      .start_i(fetch_start),
      .stop_i(fetch_stop),
      .program_i(program_base),
      .words_i(program_words),
      .idle_o(fetch_idle),
      .beat_o(fetch_beat),
      .word_valid_o(word_valid),
      .word_ready_i(word_ready),
      .word_o(word),
      .word_error_o(word_error),
      .word_end_o(word_end),
      .arvalid_o(m_axi_prog_arvalid_o),
      .arready_i(m_axi_prog_arready_i),
      .araddr_o(m_axi_prog_araddr_o),
      .arlen_o(m_axi_prog_arlen_o),
      .rvalid_i(m_axi_prog_rvalid_i),
      .rready_o(m_axi_prog_rready_o),
      .rdata_i(m_axi_prog_rdata_i),
      .rresp_i(m_axi_prog_rresp_i),
      .rlast_i(m_axi_prog_rlast_i)
  );

  logic [4:0] cmd_valid, cmd_ready, unit_done;
  logic [639:0] cmd, prefix;
  logic [9:0] unit_state;
  logic load_error, store_error, units_reset, units_rst_n, acc_block;

  command_processor #(
      .COLS(COLS),
      .UB_LINES(UB_LINES),
      .ACC_ROWS(ACC_ROWS),
      .QUEUE_DEPTH(QUEUE_DEPTH)
  ) u_processor (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .watchdog_i(watchdog),
      .running_o(running),
      .done_o(done),
      .error_o(error),
      .error_index_o(error_index),
      .waiting_o(waiting),
      .waiting_for_o(waiting_for),
      .slot_o(slot),
      .slot_lines_i(slot_lines),
      .counter_read_i(counter_read),
      .counter_index_i(counter_index),
      .counter_data_o(counter_data),
      .fetch_start_o(fetch_start),
      .fetch_stop_o(fetch_stop),
      .fetch_idle_i(fetch_idle),
      .fetch_beat_i(fetch_beat),
      .word_valid_i(word_valid),
      .word_ready_o(word_ready),
      .word_i(word),
      .word_error_i(word_error),
      .word_end_i(word_end),
      .cmd_valid_o(cmd_valid),
      .cmd_ready_i(cmd_ready),
      .cmd_o(cmd),
      .prefix_o(prefix),
      .unit_done_i(unit_done),
      .load_error_i(load_error),
      .store_error_i(store_error),
      .unit_state_i(unit_state),
      .units_reset_o(units_reset),
      .acc_block_o(acc_block),
      .cmd_stall_i(sim_stall_i[COMMAND_STALL +: 5])
  );

  assign units_rst_n = rst_ni && !units_reset;

  // WLOAD and MATMUL have no prefix.
  logic unused_prefix;
  assign unused_prefix = &prefix[WLOAD*128 +: 256];

  // -------------------------------------------------------------------------------------------------- unified buffer
  logic [LINE_READS-1:0] rd_valid, rd_ready, rd_rsp_valid;
  logic [LINE_READS*18-1:0] rd_line;
  logic [LINE_READS*512-1:0] rd_rsp_data;
  logic [1:0] prd_valid, prd_pair, prd_ready, prd_rsp_valid;
  logic [35:0] prd_line;
  logic [2047:0] prd_rsp_data;
  logic [LINE_WRITES-1:0] wr_valid, wr_ready;
  logic [LINE_WRITES*18-1:0] wr_line;
  logic [LINE_WRITES*512-1:0] wr_data;
  logic pwr_valid, pwr_pair, pwr_ready;
  logic [17:0] pwr_line;
  logic [1023:0] pwr_data;

  unified_buffer #(
      .LINES(UB_LINES),
      .BANKS(UB_BANKS),
      .LINE_READS(LINE_READS),
      .LINE_WRITES(LINE_WRITES)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .rd_valid_i(rd_valid),
      .rd_line_i(rd_line),
      .rd_ready_o(rd_ready),
      .rd_rsp_valid_o(rd_rsp_valid),
      .rd_rsp_data_o(rd_rsp_data),
      .prd_valid_i(prd_valid),
      .prd_pair_i(prd_pair),
      .prd_line_i(prd_line),
      .prd_ready_o(prd_ready),
      .prd_rsp_valid_o(prd_rsp_valid),
      .prd_rsp_data_o(prd_rsp_data),
      .wr_valid_i(wr_valid),
      .wr_line_i(wr_line),
      .wr_data_i(wr_data),
      .wr_ready_o(wr_ready),
      .pwr_valid_i(pwr_valid),
      .pwr_pair_i(pwr_pair),
      .pwr_line_i(pwr_line),
      .pwr_data_i(pwr_data),
      .pwr_ready_o(pwr_ready),
      .stall_i(sim_stall_i[REQUESTERS-1:0])
  );

  // ------------------------------------------------------------------------------------------------ load, store
  logic store_acc_valid, store_acc_ready, store_acc_grant, store_acc_rsp_valid;
  logic [12:0] store_acc_row;
  logic [1023:0] store_acc_rsp_data;

  load_unit #(
      .PORTS(AXI_PORTS)
  ) u_load (
      .clk_i,
      .rst_ni,
      .cmd_valid_i(cmd_valid[LOAD]),
      .cmd_ready_o(cmd_ready[LOAD]),
      .cmd_i(cmd[LOAD*128 +: 128]),
      .prefix_i(prefix[LOAD*128 +: 128]),
      .slot_base_i(slot_base),
      .done_o(unit_done[LOAD]),
      .error_o(load_error),
      .state_o(unit_state[LOAD*2 +: 2]),
      .arvalid_o(m_axi_arvalid_o),
      .arready_i(m_axi_arready_i),
      .araddr_o(m_axi_araddr_o),
      .arlen_o(m_axi_arlen_o),
      .rvalid_i(m_axi_rvalid_i),
      .rready_o(m_axi_rready_o),
      .rdata_i(m_axi_rdata_i),
      .rresp_i(m_axi_rresp_i),
      .rlast_i(m_axi_rlast_i),
      .wr_valid_o(wr_valid[AXI_PORTS-1:0]),
      .wr_line_o(wr_line[AXI_PORTS*18-1:0]),
      .wr_data_o(wr_data[AXI_PORTS*512-1:0]),
      .wr_ready_i(wr_ready[AXI_PORTS-1:0])
  );

  store_unit #(
      .PORTS(AXI_PORTS)
  ) u_store (
      .clk_i,
      .rst_ni,
      .cmd_valid_i(cmd_valid[STORE]),
      .cmd_ready_o(cmd_ready[STORE]),
      .cmd_i(cmd[STORE*128 +: 128]),
      .prefix_i(prefix[STORE*128 +: 128]),
      .slot_base_i(slot_base),
      .done_o(unit_done[STORE]),
      .error_o(store_error),
      .state_o(unit_state[STORE*2 +: 2]),
      .awvalid_o(m_axi_awvalid_o),
      .awready_i(m_axi_awready_i),
      .awaddr_o(m_axi_awaddr_o),
      .awlen_o(m_axi_awlen_o),
      .wvalid_o(m_axi_wvalid_o),
      .wready_i(m_axi_wready_i),
      .wdata_o(m_axi_wdata_o),
      .wlast_o(m_axi_wlast_o),
      .bvalid_i(m_axi_bvalid_i),
      .bready_o(m_axi_bready_o),
      .bresp_i(m_axi_bresp_i),
      .rd_valid_o(rd_valid[LINE_READS-1:2]),
      .rd_line_o(rd_line[LINE_READS*18-1:36]),
      .rd_ready_i(rd_ready[LINE_READS-1:2]),
      .rd_rsp_valid_i(rd_rsp_valid[LINE_READS-1:2]),
      .rd_rsp_data_i(rd_rsp_data[LINE_READS*512-1:1024]),
      .acc_valid_o(store_acc_valid),
      .acc_row_o(store_acc_row),
      .acc_ready_i(store_acc_ready),
      .acc_rsp_valid_i(store_acc_rsp_valid),
      .acc_rsp_data_i(store_acc_rsp_data)
  );

  // STORE must not ask a matrix unit that is about to be reset: the answer would never come.
  assign store_acc_ready = store_acc_grant && !acc_block;

  // ------------------------------------------------------------------------------------------- weights, matrix unit
  logic tile_valid, tile_read, tile_pop;
  logic [4:0] tile_row;
  logic [COLS*16-1:0] tile_data;
  logic [COLS*8-1:0] tile_exponent;
  logic vec_acc_valid, vec_acc_ready, vec_acc_rsp_valid;
  logic [12:0] vec_acc_row;
  logic [1023:0] vec_acc_rsp_data;

  weight_unit #(
      .COLS (COLS),
      .TILES(WEIGHT_FIFO)
  ) u_weights (
      .clk_i,
      .rst_ni(units_rst_n),
      .cmd_valid_i(cmd_valid[WLOAD]),
      .cmd_ready_o(cmd_ready[WLOAD]),
      .cmd_i(cmd[WLOAD*128 +: 128]),
      .done_o(unit_done[WLOAD]),
      .state_o(unit_state[WLOAD*2 +: 2]),
      .req_valid_o(rd_valid[1]),
      .req_line_o(rd_line[35:18]),
      .req_ready_i(rd_ready[1]),
      .rsp_valid_i(rd_rsp_valid[1]),
      .rsp_data_i(rd_rsp_data[1023:512]),
      .tile_valid_o(tile_valid),
      .tile_read_i(tile_read),
      .tile_row_i(tile_row),
      .tile_data_o(tile_data),
      .tile_exponent_o(tile_exponent),
      .tile_pop_i(tile_pop)
  );

  matrix_unit #(
      .COLS(COLS),
      .ACC_ROWS(ACC_ROWS)
  ) u_matrix (
      .clk_i,
      .rst_ni(units_rst_n),
      .cmd_valid_i(cmd_valid[MXU]),
      .cmd_ready_o(cmd_ready[MXU]),
      .cmd_i(cmd[MXU*128 +: 128]),
      .done_o(unit_done[MXU]),
      .state_o(unit_state[MXU*2 +: 2]),
      .req_valid_o(rd_valid[0]),
      .req_line_o(rd_line[17:0]),
      .req_ready_i(rd_ready[0]),
      .rsp_valid_i(rd_rsp_valid[0]),
      .rsp_data_i(rd_rsp_data[511:0]),
      .tile_valid_i(tile_valid),
      .tile_read_o(tile_read),
      .tile_row_o(tile_row),
      .tile_pop_o(tile_pop),
      .tile_data_i(tile_data),
      .tile_exponent_i(tile_exponent),
      .vec_valid_i(vec_acc_valid),
      .vec_row_i(vec_acc_row),
      .vec_ready_o(vec_acc_ready),
      .vec_rsp_valid_o(vec_acc_rsp_valid),
      .vec_rsp_data_o(vec_acc_rsp_data),
      .store_valid_i(store_acc_valid && !acc_block),
      .store_row_i(store_acc_row),
      .store_ready_o(store_acc_grant),
      .store_rsp_valid_o(store_acc_rsp_valid),
      .store_rsp_data_o(store_acc_rsp_data),
      .stall_i({sim_stall_i[VEC_ACC_STALL], sim_stall_i[STORE_ACC_STALL]})
  );

  // ---------------------------------------------------------------------------------------------------- vector unit
  vector_unit u_vector (
      .clk_i,
      .rst_ni(units_rst_n),
      .cmd_valid_i(cmd_valid[VECTOR]),
      .cmd_ready_o(cmd_ready[VECTOR]),
      .cmd_i(cmd[VECTOR*128 +: 128]),
      .prefix_i(prefix[VECTOR*128 +: 128]),
      .done_o(unit_done[VECTOR]),
      .state_o(unit_state[VECTOR*2 +: 2]),
      .prd_valid_o(prd_valid),
      .prd_pair_o(prd_pair),
      .prd_line_o(prd_line),
      .prd_ready_i(prd_ready),
      .prd_rsp_valid_i(prd_rsp_valid),
      .prd_rsp_data_i(prd_rsp_data),
      .acc_valid_o(vec_acc_valid),
      .acc_row_o(vec_acc_row),
      .acc_ready_i(vec_acc_ready),
      .acc_rsp_valid_i(vec_acc_rsp_valid),
      .acc_rsp_data_i(vec_acc_rsp_data),
      .pwr_valid_o(pwr_valid),
      .pwr_pair_o(pwr_pair),
      .pwr_line_o(pwr_line),
      .pwr_data_o(pwr_data),
      .pwr_ready_i(pwr_ready),
      .wr_valid_o(wr_valid[AXI_PORTS]),
      .wr_line_o(wr_line[AXI_PORTS*18 +: 18]),
      .wr_data_o(wr_data[AXI_PORTS*512 +: 512]),
      .wr_ready_i(wr_ready[AXI_PORTS])
  );

  generate
    if (REQUESTERS < COMMAND_STALL) begin : gen_unused_stall
      logic unused;
      assign unused = &sim_stall_i[COMMAND_STALL-1:REQUESTERS];
    end
  endgenerate

endmodule

`default_nettype wire
