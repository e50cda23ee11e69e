// One AXI read port of the load unit: asks for the bursts of its instructions and writes the beats to the unified buffer.
//
// Promises   Up to CONTEXTS instructions in flight: addresses of the next one go out while data of the previous one still
//            arrives. The number of outstanding bursts is limited by the memory only, because every beat has a place to
//            go. First address three cycles after the command. complete_o when the last line was accepted by the buffer.
// Throughput One burst and one line a cycle, also from one instruction to the next.
// Back-pressure rready_o is a register; two beats wait here.
`default_nettype none
module load_port #(
    parameter CONTEXTS = 4
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         cmd_valid_i,
    output logic         cmd_ready_o,
    input  logic [127:0] cmd_i,
    input  logic [127:0] prefix_i,
    input  logic [57:0]  base_i,        // of the slot, in lines
    output logic         complete_o,
    output logic         error_o,       // with complete_o: a beat of the instruction had an error
    output logic         moved_o,       // an address or a line went out
    // AXI4 read channels.
    output logic         arvalid_o,
    input  logic         arready_i,
    output logic [63:0]  araddr_o,
    output logic [7:0]   arlen_o,
    input  logic         rvalid_i,
    output logic         rready_o,
    input  logic [511:0] rdata_i,
    input  logic [1:0]   rresp_i,
    input  logic         rlast_i,
    // Unified buffer.
    output logic         wr_valid_o,
    output logic [17:0]  wr_line_o,
    output logic [511:0] wr_data_o,
    input  logic         wr_ready_i
);
  localparam CONTEXT_W = $clog2(CONTEXTS);

  // ------------------------------------------------------------------------------------------------------- fields
  logic        fill;
  logic [11:0] n0, n1, n2;
  logic [9:0]  n3;
  assign fill = cmd_i[heddle_isa_pkg::LOAD_FILL_LSB];
  assign n0   = cmd_i[heddle_isa_pkg::LOAD_N0_LSB +: heddle_isa_pkg::LOAD_N0_W];
  assign n1   = cmd_i[heddle_isa_pkg::LOAD_N1_LSB +: heddle_isa_pkg::LOAD_N1_W];
  assign n2   = prefix_i[heddle_isa_pkg::DIMS_N2_LSB +: heddle_isa_pkg::DIMS_N2_W];
  assign n3   = prefix_i[heddle_isa_pkg::DIMS_N3_LSB +: heddle_isa_pkg::DIMS_N3_W];

  // ---------------------------------------------------------------------------------------------------- addresses
  logic bursts_ready, bursts_valid, bursts_busy, burst_last;
  burst_generator i_bursts (
      .clk_i(clk_i), .rst_ni(rst_ni), .cmd_valid_i(bursts_valid), .cmd_ready_o(bursts_ready), .base_i(base_i),
      .first_i({4'd0, cmd_i[heddle_isa_pkg::LOAD_MEM_LINE_LSB +: heddle_isa_pkg::LOAD_MEM_LINE_W]}),
      .n0_i(n0), .n1_i(n1), .n2_i(n2), .n3_i(n3),
      .stride1_i({14'd0, cmd_i[heddle_isa_pkg::LOAD_MEM_STRIDE1_LSB +: heddle_isa_pkg::LOAD_MEM_STRIDE1_W]}),
      .stride2_i({8'd0, prefix_i[heddle_isa_pkg::DIMS_MEM_STRIDE2_LSB +: heddle_isa_pkg::DIMS_MEM_STRIDE2_W]}),
      .stride3_i({6'd0, prefix_i[heddle_isa_pkg::DIMS_MEM_STRIDE3_LSB +: heddle_isa_pkg::DIMS_MEM_STRIDE3_W]}),
      .busy_o(bursts_busy), .burst_valid_o(arvalid_o), .burst_ready_i(arready_i), .burst_address_o(araddr_o),
      .burst_beats_o(arlen_o), .burst_last_o(burst_last));

  // ---------------------------------------------------------- instructions whose lines are still to be written
  logic [110:0]         context_q [0:CONTEXTS-1];
  logic [CONTEXT_W:0]   head_q, tail_q, held_q;  // held: counts down when an instruction completes
  logic [110:0]         context_in, head;
  logic                 lines_ready, context_valid;
  assign context_in = {fill, cmd_i[heddle_isa_pkg::LOAD_BUF_LINE_LSB +: heddle_isa_pkg::LOAD_BUF_LINE_W], n0, n1, n2, n3,
                       cmd_i[heddle_isa_pkg::LOAD_BUF_STRIDE1_LSB +: heddle_isa_pkg::LOAD_BUF_STRIDE1_W],
                       prefix_i[heddle_isa_pkg::DIMS_BUF_STRIDE2_LSB +: heddle_isa_pkg::DIMS_BUF_STRIDE2_W],
                       prefix_i[heddle_isa_pkg::DIMS_BUF_STRIDE3_LSB +: heddle_isa_pkg::DIMS_BUF_STRIDE3_W]};
  assign head = context_q[head_q[CONTEXT_W-1:0]];
  assign context_valid = head_q != tail_q;
  assign cmd_ready_o = !held_q[CONTEXT_W] && (fill || bursts_ready);
  assign bursts_valid = cmd_valid_i && cmd_ready_o && !fill;

  logic line_valid, line_ready, lines_last, lines_fill;
  line_walker #(.TAG_W(1)) i_lines (
      .clk_i(clk_i), .rst_ni(rst_ni), .cmd_valid_i(context_valid), .cmd_ready_o(lines_ready), .first_i(head[109:92]),
      .n0_i(head[91:80]), .n1_i(head[79:68]), .n2_i(head[67:56]), .n3_i(head[55:46]),
      .stride1_i({4'd0, head[45:32]}), .stride2_i({2'd0, head[31:16]}), .stride3_i({2'd0, head[15:0]}),
      .tag_i(head[110]), .line_valid_o(line_valid), .line_ready_i(line_ready), .line_o(wr_line_o),
      .last_o(lines_last), .tag_o(lines_fill));

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      held_q <= '0;
    end else begin
      if (cmd_valid_i && cmd_ready_o) begin
        context_q[tail_q[CONTEXT_W-1:0]] <= context_in;
        tail_q <= tail_q + 1'b1;
      end
      if (context_valid && lines_ready) head_q <= head_q + 1'b1;
      if ((cmd_valid_i && cmd_ready_o) != complete_o)
        held_q <= complete_o ? held_q - 1'b1 : held_q + 1'b1;
    end

  // -------------------------------------------------------------------------------------------------------- beats
  logic [511:0] beat_q [0:1];
  logic [1:0]   beat_error_q;
  logic         beat_in_q, beat_out_q;  // which of the two
  logic [1:0]   beats_q;
  logic         take, give;
  assign rready_o   = !beats_q[1];
  assign take       = rvalid_i && rready_o;
  assign give       = line_valid && line_ready && !lines_fill;
  assign wr_valid_o = line_valid && (lines_fill || beats_q != 2'd0);
  assign line_ready = wr_ready_i && wr_valid_o;
  assign wr_data_o  = lines_fill ? '0 : beat_q[beat_out_q];

  logic failed_q, failed;  // an earlier beat of this instruction; this one included
  assign failed = failed_q | (!lines_fill & beat_error_q[beat_out_q]);
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      beat_in_q <= 1'b0;
      beat_out_q <= 1'b0;
      beats_q <= 2'd0;
      failed_q <= 1'b0;
      complete_o <= 1'b0;
      error_o <= 1'b0;
    end else begin
      if (take) begin
        beat_q[beat_in_q] <= rdata_i;
        beat_error_q[beat_in_q] <= rresp_i[1];
        beat_in_q <= !beat_in_q;
      end
      if (give) beat_out_q <= !beat_out_q;
      if (take != give) beats_q <= take ? beats_q + 2'd1 : beats_q - 2'd1;
      complete_o <= line_ready && lines_last;
      error_o <= line_ready && lines_last && failed;
      if (line_ready) failed_q <= failed && !lines_last;
    end
  assign moved_o = line_ready | (arvalid_o & arready_i);

  logic unused;  // beats are counted by the walker, bursts by the memory
  assign unused = &{1'b0, cmd_i, prefix_i, rlast_i, rresp_i[0], bursts_busy, burst_last};
endmodule
`default_nettype wire
