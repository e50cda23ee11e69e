// One AXI write port of the store unit: reads lines of the unified buffer or halves of accumulator rows and writes them
// to device memory in bursts.
//
// Promises   Up to CONTEXTS instructions in flight; up to BURSTS bursts without response. W beats of a burst follow its
//            address. complete_o when the last response of an instruction has arrived, error_o if one had an error.
// Throughput One line and one burst a cycle, also from one instruction to the next.
// Back-pressure A line, or the two of a row, is read only when it has one of the FIFO's PLACES, so answers are never stalled.
`default_nettype none
module store_port #(
    parameter CONTEXTS = 4,
    parameter BURSTS = 64,
    parameter PLACES = 16
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         cmd_valid_i,
    output logic         cmd_ready_o,
    input  logic [127:0] cmd_i,
    input  logic [127:0] prefix_i,
    input  logic [57:0]  base_i,        // of the slot, in lines
    output logic         complete_o,
    output logic         error_o,
    output logic         moved_o,
    // AXI4 write channels.
    output logic         awvalid_o,
    input  logic         awready_i,
    output logic [63:0]  awaddr_o,
    output logic [7:0]   awlen_o,
    output logic         wvalid_o,
    input  logic         wready_i,
    output logic [511:0] wdata_o,
    output logic         wlast_o,
    input  logic         bvalid_i,
    output logic         bready_o,
    input  logic [1:0]   bresp_i,
    // Unified buffer.
    output logic         rd_valid_o,
    output logic [17:0]  rd_line_o,
    input  logic         rd_ready_i,
    input  logic         rd_rsp_valid_i,
    input  logic [511:0] rd_rsp_data_i,
    // Accumulators: one read gives both lines of a row, the second one only if it was asked for.
    output logic         acc_valid_o,
    output logic [12:0]  acc_row_o,
    output logic         acc_pair_o,
    input  logic         acc_ready_i,
    input  logic         acc_rsp_valid_i,
    input  logic         acc_rsp_pair_i,
    input  logic [1023:0] acc_rsp_data_i
);
  localparam CONTEXT_W = $clog2(CONTEXTS);
  localparam BURST_W = $clog2(BURSTS);
  localparam PLACE_W = $clog2(PLACES);

  // ------------------------------------------------------------------------------------------------------- fields
  logic        from_acc;
  logic [11:0] n0, n1, n2;
  logic [9:0]  n3;
  assign from_acc = cmd_i[heddle_isa_pkg::STORE_SOURCE_LSB];
  assign n0 = cmd_i[heddle_isa_pkg::STORE_N0_LSB +: heddle_isa_pkg::STORE_N0_W];
  assign n1 = cmd_i[heddle_isa_pkg::STORE_N1_LSB +: heddle_isa_pkg::STORE_N1_W];
  assign n2 = prefix_i[heddle_isa_pkg::DIMS_N2_LSB +: heddle_isa_pkg::DIMS_N2_W];
  assign n3 = prefix_i[heddle_isa_pkg::DIMS_N3_LSB +: heddle_isa_pkg::DIMS_N3_W];

  // ------------------------------------------------------- instructions: both walkers start on them at the same time
  logic [CONTEXT_W:0] held_q;
  logic               bursts_ready, lines_ready, start;
  assign cmd_ready_o = !held_q[CONTEXT_W] && bursts_ready && lines_ready;
  assign start = cmd_valid_i && cmd_ready_o;
  always_ff @(posedge clk_i)
    if (!rst_ni) held_q <= '0;
    else if (start != complete_o) held_q <= complete_o ? held_q - 1'b1 : held_q + 1'b1;

  // ---------------------------------------------------------------------------------------------------- addresses
  logic        burst_valid, burst_ready, burst_last, bursts_busy;
  burst_generator i_bursts (
      .clk_i(clk_i), .rst_ni(rst_ni), .cmd_valid_i(start), .cmd_ready_o(bursts_ready), .base_i(base_i),
      .first_i({4'd0, cmd_i[heddle_isa_pkg::STORE_MEM_LINE_LSB +: heddle_isa_pkg::STORE_MEM_LINE_W]}),
      .n0_i(n0), .n1_i(n1), .n2_i(n2), .n3_i(n3),
      .stride1_i({14'd0, cmd_i[heddle_isa_pkg::STORE_MEM_STRIDE1_LSB +: heddle_isa_pkg::STORE_MEM_STRIDE1_W]}),
      .stride2_i({8'd0, prefix_i[heddle_isa_pkg::DIMS_MEM_STRIDE2_LSB +: heddle_isa_pkg::DIMS_MEM_STRIDE2_W]}),
      .stride3_i({6'd0, prefix_i[heddle_isa_pkg::DIMS_MEM_STRIDE3_LSB +: heddle_isa_pkg::DIMS_MEM_STRIDE3_W]}),
      .busy_o(bursts_busy), .burst_valid_o(burst_valid), .burst_ready_i(burst_ready), .burst_address_o(awaddr_o),
      .burst_beats_o(awlen_o), .burst_last_o(burst_last));

  // Bursts whose address was taken. One ring, three pointers: tail (addresses), data (W), head (responses).
  logic [5:0]       beats_q [0:BURSTS-1];
  logic [BURSTS-1:0] last_q;  // the instruction's last burst
  logic [BURST_W:0] burst_head_q, burst_data_q, burst_tail_q;
  logic             ring_full_q;
  logic             address_sent, data_sent, responded, w_sent;
  // Once offered, an address stays; a full ring only delays the next one.
  assign awvalid_o = burst_valid && !ring_full_q;
  assign burst_ready = awready_i && !ring_full_q;
  assign address_sent = awvalid_o && awready_i;
  assign responded = bvalid_i && bready_o;
  assign bready_o = 1'b1;
  assign w_sent = wvalid_o && wready_i;
  assign data_sent = w_sent && wlast_o;

  logic [5:0] beat_q;  // of the burst being sent
  assign wlast_o = beat_q == beats_q[burst_data_q[BURST_W-1:0]];
  logic [BURST_W:0] used;
  assign used = burst_tail_q - burst_head_q;
  logic failed_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      burst_head_q <= '0;
      burst_data_q <= '0;
      burst_tail_q <= '0;
      ring_full_q <= 1'b0;
      beat_q <= '0;
      failed_q <= 1'b0;
      complete_o <= 1'b0;
      error_o <= 1'b0;
    end else begin
      if (address_sent) begin
        beats_q[burst_tail_q[BURST_W-1:0]] <= awlen_o[5:0];
        last_q[burst_tail_q[BURST_W-1:0]] <= burst_last;
        burst_tail_q <= burst_tail_q + 1'b1;
      end
      if (w_sent) beat_q <= wlast_o ? 6'd0 : beat_q + 6'd1;
      if (data_sent) burst_data_q <= burst_data_q + 1'b1;
      if (responded) burst_head_q <= burst_head_q + 1'b1;
      if (responded != address_sent) ring_full_q <= address_sent && used == (BURST_W+1)'(BURSTS - 1);
      complete_o <= responded && last_q[burst_head_q[BURST_W-1:0]];
      error_o <= responded && last_q[burst_head_q[BURST_W-1:0]] && (failed_q || bresp_i[1]);
      if (responded) failed_q <= (failed_q || bresp_i[1]) && !last_q[burst_head_q[BURST_W-1:0]];
    end

  // ------------------------------------------------------------------------------------------------------- lines
  // A row of the accumulators is one read, whether one or both of its lines are stored.
  logic        line_valid, line_ready, line_acc, line_pair, line_last, line_room;
  logic [17:0] line;
  line_walker #(.TAG_W(2)) i_lines (
      .clk_i(clk_i), .rst_ni(rst_ni), .cmd_valid_i(start), .cmd_ready_o(lines_ready),
      .first_i(cmd_i[heddle_isa_pkg::STORE_BUF_LINE_LSB +: heddle_isa_pkg::STORE_BUF_LINE_W]),
      .n0_i(from_acc ? 12'd1 : n0), .n1_i(n1), .n2_i(n2), .n3_i(n3),
      .stride1_i({4'd0, cmd_i[heddle_isa_pkg::STORE_BUF_STRIDE1_LSB +: heddle_isa_pkg::STORE_BUF_STRIDE1_W]}),
      .stride2_i({2'd0, prefix_i[heddle_isa_pkg::DIMS_BUF_STRIDE2_LSB +: heddle_isa_pkg::DIMS_BUF_STRIDE2_W]}),
      .stride3_i({2'd0, prefix_i[heddle_isa_pkg::DIMS_BUF_STRIDE3_LSB +: heddle_isa_pkg::DIMS_BUF_STRIDE3_W]}),
      .tag_i({from_acc && n0[1], from_acc}), .line_valid_o(line_valid), .line_ready_i(line_ready), .line_o(line),
      .last_o(line_last), .tag_o({line_pair, line_acc}));

  logic [PLACE_W:0] reserved_q;  // places of the FIFO that are taken, or whose lines are on their way
  assign line_room   = !reserved_q[PLACE_W];
  assign rd_valid_o  = line_valid && line_room && !line_acc;
  assign acc_valid_o = line_valid && line_room && line_acc;
  assign rd_line_o   = line;
  assign acc_row_o   = line[12:0];
  assign acc_pair_o  = line_pair;
  assign line_ready  = line_room && (line_acc ? acc_ready_i : rd_ready_i);

  // A place holds one line or both lines of a row of the accumulators.
  logic [511:0]       low_q [0:PLACES-1];
  logic [511:0]       high_q [0:PLACES-1];
  logic [PLACES-1:0]  pair_q;
  logic [PLACE_W:0]   fifo_head_q, fifo_tail_q;
  logic [PLACE_W-1:0] head, tail;
  logic               fetched, enters, high_next_q, leaves;  // high_next: the low line of the head was sent
  assign head    = fifo_head_q[PLACE_W-1:0];
  assign tail    = fifo_tail_q[PLACE_W-1:0];
  assign fetched = line_valid && line_ready;
  assign enters  = rd_rsp_valid_i || acc_rsp_valid_i;
  assign leaves  = w_sent && (high_next_q || !pair_q[head]);
  // Both sources answer after the same time, so the order is the order of the requests.
  always_ff @(posedge clk_i) begin
    if (enters) low_q[tail] <= rd_rsp_valid_i ? rd_rsp_data_i : acc_rsp_data_i[511:0];
    if (acc_rsp_valid_i) high_q[tail] <= acc_rsp_data_i[1023:512];
    if (enters) pair_q[tail] <= acc_rsp_valid_i && acc_rsp_pair_i;
  end
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      reserved_q <= '0;
      fifo_head_q <= '0;
      fifo_tail_q <= '0;
      high_next_q <= 1'b0;
    end else begin
      if (enters) fifo_tail_q <= fifo_tail_q + 1'b1;
      if (leaves) fifo_head_q <= fifo_head_q + 1'b1;
      if (w_sent) high_next_q <= !leaves;
      if (fetched != leaves) reserved_q <= leaves ? reserved_q - 1'b1 : reserved_q + 1'b1;
    end
  assign wvalid_o = fifo_head_q != fifo_tail_q && burst_data_q != burst_tail_q;
  assign wdata_o  = high_next_q ? high_q[head] : low_q[head];
  assign moved_o  = fetched | w_sent | address_sent;

  logic unused;
  assign unused = &{1'b0, cmd_i, prefix_i, bresp_i[0], bursts_busy, line_last, awlen_o[7:6]};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni) begin
    if (rd_rsp_valid_i && acc_rsp_valid_i) $error("two answers at once");
    if (bvalid_i && burst_head_q == burst_data_q) $error("a response without a burst");
  end
`endif
endmodule
`default_nettype wire
