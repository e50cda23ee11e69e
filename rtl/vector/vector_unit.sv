// The vector unit: executes VEC with its VOP prefix, 32 lanes of fp32.
//
//   reader -> a, b -> multiply -> m -> add -> s -> function -> f -> reduce -> writer
//
// Promises    Results as docs/design.md, section 2, defines them; instructions and rows in order; done_o one cycle per
//             instruction, after all its writes have been accepted.
// Throughput  One row a cycle; exp, log and reciprocal ceil(lanes / SFU_LANES) cycles a row. Instructions follow each
//             other without a gap, except after one that uses exp, log, reciprocal or a reduction: the next with another
//             such combination, and each row_sum, starts when the last result has left stage 4.
// Latency     From an accepted command to the first write request 11 cycles (one more if the buffer's ports are taken); a
//             stage that no row needs costs one cycle, multiplication 5 more, addition 9 more, see the stages.
// Back-pressure Answers of memories are never refused: reader and writer keep credits. cmd_ready_o: fewer than CONTEXTS
//             instructions are inside.
// state_o     0 idle, 1 busy, 2 a port of the unified buffer or the accumulators refuses and nothing moves.
`default_nettype none

module vector_unit #(
    parameter LANES = 32,
    parameter SFU_LANES = 4
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  cmd_valid_i,
    output logic                  cmd_ready_o,
    input  logic [127:0]          cmd_i,
    input  logic [127:0]          prefix_i,
    output logic                  done_o,
    output logic [1:0]            state_o,
    // Unified buffer, pair reads: 0 operand a, 1 operand b.
    output logic [1:0]            prd_valid_o,
    output logic [1:0]            prd_pair_o,
    output logic [35:0]           prd_line_o,
    input  logic [1:0]            prd_ready_i,
    input  logic [1:0]            prd_rsp_valid_i,
    input  logic [2*LANES*32-1:0] prd_rsp_data_i,
    // Accumulators.
    output logic                  acc_valid_o,
    output logic [12:0]           acc_row_o,
    input  logic                  acc_ready_i,
    input  logic                  acc_rsp_valid_i,
    input  logic [LANES*32-1:0]   acc_rsp_data_i,
    // Unified buffer, pair write: the result.
    output logic                  pwr_valid_o,
    output logic                  pwr_pair_o,
    output logic [17:0]           pwr_line_o,
    output logic [LANES*32-1:0]   pwr_data_o,
    input  logic                  pwr_ready_i,
    // Unified buffer, line write: the copy.
    output logic                  wr_valid_o,
    output logic [17:0]           wr_line_o,
    output logic [LANES*16-1:0]   wr_data_o,
    input  logic                  wr_ready_i
);
  localparam CONTEXT_W = 3;
  localparam CONTEXTS = 1 << CONTEXT_W;
  localparam RESULTS = 64;  // rows between issue and writer
  localparam QUEUE = 32;    // rows that wait for the special-function lanes

  // ------------------------------------------------------------------- instructions inside, and who works on which
  logic [127:0] cmd[0:CONTEXTS-1];
  logic [127:0] prefix[0:CONTEXTS-1];  // its constants as operands: no subnormal, one NaN
  logic [CONTEXT_W:0] accept_q, read_q, issue_q;  // with a wrap bit
  logic [CONTEXT_W-1:0] function_q, reduce_q, write_q;
  logic [CONTEXT_W:0] inside_q;  // accepted and not done

  function automatic [31:0] canonical(input [31:0] x);
    if (x[30:23] == 8'd0) canonical = {x[31], 31'd0};
    else if (x[30:23] == 8'd255 && x[22:0] != 23'd0) canonical = 32'h7FC0_0000;
    else canonical = x;
  endfunction

  logic [127:0] canonical_prefix;
  always_comb begin
    canonical_prefix = prefix_i;
    canonical_prefix[heddle_isa_pkg::VOP_IMM_M_LSB +: heddle_isa_pkg::VOP_IMM_M_W] =
        canonical(prefix_i[heddle_isa_pkg::VOP_IMM_M_LSB +: heddle_isa_pkg::VOP_IMM_M_W]);
    canonical_prefix[heddle_isa_pkg::VOP_IMM_A_LSB +: heddle_isa_pkg::VOP_IMM_A_W] =
        canonical(prefix_i[heddle_isa_pkg::VOP_IMM_A_LSB +: heddle_isa_pkg::VOP_IMM_A_W]);
  end

  logic accept, read_empty, read_start, read_ready;
  assign cmd_ready_o = !inside_q[CONTEXT_W];
  assign accept = cmd_valid_i && cmd_ready_o;
  assign read_empty = read_q == accept_q;
  assign read_start = (!read_empty || accept) && read_ready;

  logic a_valid, a_pop, b_valid, b_pop;
  logic [LANES*32-1:0] a, b;
  vector_reader #(.LANES(LANES)) i_reader (
      .clk_i(clk_i), .rst_ni(rst_ni), .start_valid_i(!read_empty || accept), .start_ready_o(read_ready),
      .cmd_i(read_empty ? cmd_i : cmd[read_q[CONTEXT_W-1:0]]), .prd_valid_o(prd_valid_o), .prd_pair_o(prd_pair_o),
      .prd_line_o(prd_line_o), .prd_ready_i(prd_ready_i), .prd_rsp_valid_i(prd_rsp_valid_i),
      .prd_rsp_data_i(prd_rsp_data_i), .acc_valid_o(acc_valid_o), .acc_row_o(acc_row_o), .acc_ready_i(acc_ready_i),
      .acc_rsp_valid_i(acc_rsp_valid_i), .acc_rsp_data_i(acc_rsp_data_i), .a_valid_o(a_valid), .a_o(a),
      .a_pop_i(a_pop), .b_valid_o(b_valid), .b_o(b), .b_pop_i(b_pop));

  // ------------------------------------------------------------------------------------- issue: a row into the pipeline
  // The instruction being issued, decoded from registers; the next one follows its last row without a gap.
  logic [127:0] issue_cmd_q, issue_prefix_q;
  logic issue_valid_q, issue_first_q, issue_last_q, issue_load;
  logic [11:0] rows_left_q;  // rows to issue
  logic [127:0] next_cmd;
  assign next_cmd = cmd[issue_q[CONTEXT_W-1:0]];
  logic [1:0] a_kind, b_kind;
  logic [11:0] rows;
  logic [2:0] mul_op, issue_add_op;
  logic [3:0] issue_func;
  logic [2:0] issue_reduce;
  assign a_kind = issue_cmd_q[heddle_isa_pkg::VEC_A_KIND_LSB +: heddle_isa_pkg::VEC_A_KIND_W];
  assign b_kind = issue_cmd_q[heddle_isa_pkg::VEC_B_KIND_LSB +: heddle_isa_pkg::VEC_B_KIND_W];
  assign rows = next_cmd[heddle_isa_pkg::VEC_ROWS_LSB +: heddle_isa_pkg::VEC_ROWS_W];
  assign mul_op = issue_prefix_q[heddle_isa_pkg::VOP_MUL_LSB +: heddle_isa_pkg::VOP_MUL_W];
  assign issue_add_op = issue_prefix_q[heddle_isa_pkg::VOP_ADD_LSB +: heddle_isa_pkg::VOP_ADD_W];
  assign issue_func = issue_prefix_q[heddle_isa_pkg::VOP_FUNC_LSB +: heddle_isa_pkg::VOP_FUNC_W];
  assign issue_reduce = issue_prefix_q[heddle_isa_pkg::VOP_REDUCE_LSB +: heddle_isa_pkg::VOP_REDUCE_W];

  // The way behind stage 2: special functions or not, and the reduction.
  logic uses_sfu, produces, way_is_plain, way_free;
  logic [3:0] way, way_q;    // way_q: of the last row that was not plain
  logic [6:0] on_way_q;      // results of rows that are not plain, still before the writer
  assign uses_sfu = issue_func != heddle_isa_pkg::VOP_FUNC_NONE && issue_func != heddle_isa_pkg::VOP_FUNC_RELU;
  assign way = {uses_sfu, issue_reduce};
  assign way_is_plain = way == {1'b0, heddle_isa_pkg::VOP_REDUCE_NONE};
  assign way_free = on_way_q == 7'd0
      || (way == way_q && !(issue_reduce == heddle_isa_pkg::VOP_REDUCE_ROW_SUM && issue_first_q));
  assign produces = issue_reduce != heddle_isa_pkg::VOP_REDUCE_ROW_SUM || issue_last_q;

  logic [6:0] results_q;  // rows that the writer has room for
  logic [5:0] queue_q;    // rows that the special-function queue has room for
  logic fire, a_imm, b_none;
  assign a_imm = a_kind == heddle_isa_pkg::VEC_A_KIND_IMM;
  assign b_none = b_kind == heddle_isa_pkg::VEC_B_KIND_NONE;
  assign fire = issue_valid_q && (a_imm || a_valid) && (b_none || b_valid) && way_free
      && (!produces || results_q != 7'd0) && (!uses_sfu || queue_q != 6'd0);
  assign issue_load = issue_q != accept_q && (!issue_valid_q || (fire && issue_last_q));
  assign a_pop = fire && !a_imm;
  assign b_pop = fire && !b_none;

  logic [LANES*32-1:0] b_or_zero;
  assign b_or_zero = b_none ? '0 : b;

  // ----------------------------------------------------------------------------------------------- the four stages
  logic [127:0] function_prefix, reduce_prefix;
  assign function_prefix = prefix[function_q];
  assign reduce_prefix = prefix[reduce_q];

  logic m_valid, m_last, s_valid, s_last, f_valid, f_last, r_valid, r_last;
  logic multiply_busy, add_busy, function_busy, reduce_busy, writer_busy;
  logic [2:0] add_op;
  logic [LANES*32-1:0] m, s, f, r;
  logic queue_taken, result_left, write_next;

  vector_multiply #(.LANES(LANES)) i_multiply (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(fire), .beside_i({issue_add_op, issue_last_q}), .op_i(mul_op),
      .imm_i(issue_prefix_q[heddle_isa_pkg::VOP_IMM_M_LSB +: heddle_isa_pkg::VOP_IMM_M_W]), .a_imm_i(a_imm), .a_i(a),
      .b_i(b_or_zero), .valid_o(m_valid), .beside_o({add_op, m_last}), .busy_o(multiply_busy), .m_o(m));

  vector_add #(.LANES(LANES)) i_add (
      .clk_i(clk_i), .rst_ni(rst_ni), .issue_i(fire), .issue_op_i(issue_add_op),
      .imm_i(issue_prefix_q[heddle_isa_pkg::VOP_IMM_A_LSB +: heddle_isa_pkg::VOP_IMM_A_W]), .b_i(b_or_zero),
      .valid_i(m_valid), .last_i(m_last), .op_i(add_op), .m_i(m), .valid_o(s_valid), .last_o(s_last),
      .busy_o(add_busy), .s_o(s));

  vector_function #(.LANES(LANES), .SFU_LANES(SFU_LANES), .QUEUE(QUEUE)) i_function (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(s_valid), .last_i(s_last),
      .func_i(function_prefix[heddle_isa_pkg::VOP_FUNC_LSB +: heddle_isa_pkg::VOP_FUNC_W]),
      .lanes_i(function_prefix[heddle_isa_pkg::VOP_LANES_LSB +: heddle_isa_pkg::VOP_LANES_W]), .s_i(s),
      .taken_o(queue_taken), .valid_o(f_valid), .last_o(f_last), .busy_o(function_busy), .f_o(f));

  vector_reduce #(.LANES(LANES)) i_reduce (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(f_valid), .last_i(f_last),
      .reduce_i(reduce_prefix[heddle_isa_pkg::VOP_REDUCE_LSB +: heddle_isa_pkg::VOP_REDUCE_W]),
      .lanes_i(reduce_prefix[heddle_isa_pkg::VOP_LANES_LSB +: heddle_isa_pkg::VOP_LANES_W]), .f_i(f),
      .valid_o(r_valid), .last_o(r_last), .busy_o(reduce_busy), .r_o(r));

  vector_writer #(.LANES(LANES), .DEPTH(RESULTS)) i_writer (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(r_valid), .last_i(r_last), .row_i(r), .left_o(result_left),
      .cmd_i(cmd[write_q]), .prefix_i(prefix[write_q]), .next_o(write_next), .pwr_valid_o(pwr_valid_o),
      .pwr_pair_o(pwr_pair_o), .pwr_line_o(pwr_line_o), .pwr_data_o(pwr_data_o), .pwr_ready_i(pwr_ready_i),
      .wr_valid_o(wr_valid_o), .wr_line_o(wr_line_o), .wr_data_o(wr_data_o), .wr_ready_i(wr_ready_i),
      .done_o(done_o), .busy_o(writer_busy));

  // ------------------------------------------------------------------------------------------------ bookkeeping
  logic enters_way, leaves_way;
  logic plain_in_reduce_q;  // what leaves stage 4 was on no way
  assign enters_way = fire && !way_is_plain && produces;
  assign leaves_way = r_valid && on_way_q != 7'd0 && !plain_in_reduce_q;

  always_ff @(posedge clk_i) begin
    if (accept) begin
      cmd[accept_q[CONTEXT_W-1:0]] <= cmd_i;
      prefix[accept_q[CONTEXT_W-1:0]] <= canonical_prefix;
    end
    if (issue_load) begin
      issue_cmd_q <= next_cmd;
      issue_prefix_q <= prefix[issue_q[CONTEXT_W-1:0]];
    end
    if (fire && !way_is_plain) way_q <= way;
    plain_in_reduce_q <= f_valid
        && reduce_prefix[heddle_isa_pkg::VOP_REDUCE_LSB +: heddle_isa_pkg::VOP_REDUCE_W] == heddle_isa_pkg::VOP_REDUCE_NONE
        && (reduce_prefix[heddle_isa_pkg::VOP_FUNC_LSB +: heddle_isa_pkg::VOP_FUNC_W] == heddle_isa_pkg::VOP_FUNC_NONE
         || reduce_prefix[heddle_isa_pkg::VOP_FUNC_LSB +: heddle_isa_pkg::VOP_FUNC_W] == heddle_isa_pkg::VOP_FUNC_RELU);
    if (!rst_ni) begin
      accept_q <= '0;
      read_q <= '0;
      issue_q <= '0;
      function_q <= '0;
      reduce_q <= '0;
      write_q <= '0;
      inside_q <= '0;
      issue_valid_q <= 1'b0;
      issue_first_q <= 1'b0;
      issue_last_q <= 1'b0;
      rows_left_q <= '0;
      results_q <= 7'd64;
      queue_q <= 6'd32;
      on_way_q <= '0;
      way_q <= '0;
    end else begin
      if (accept) accept_q <= accept_q + 1'b1;
      if (read_start) read_q <= read_q + 1'b1;
      if (issue_load) begin
        issue_valid_q <= 1'b1;
        issue_first_q <= 1'b1;
        issue_last_q <= rows == 12'd1;
        rows_left_q <= rows;
        issue_q <= issue_q + 1'b1;
      end else if (fire) begin
        issue_valid_q <= !issue_last_q;
        issue_first_q <= 1'b0;
        issue_last_q <= rows_left_q == 12'd2;
        rows_left_q <= rows_left_q - 12'd1;
      end
      if (s_valid && s_last) function_q <= function_q + 1'b1;
      if (f_valid && f_last) reduce_q <= reduce_q + 1'b1;
      if (write_next) write_q <= write_q + 1'b1;
      inside_q <= inside_q + {{CONTEXT_W{1'b0}}, accept} - {{CONTEXT_W{1'b0}}, done_o};
      results_q <= results_q - {6'd0, fire && produces} + {6'd0, result_left};
      queue_q <= queue_q - {5'd0, fire && uses_sfu} + {5'd0, queue_taken};
      on_way_q <= on_way_q + {6'd0, enters_way} - {6'd0, leaves_way};
    end
  end

  // --------------------------------------------------------------------------------------------------------- state
  logic moves, refused;
  assign moves = fire || multiply_busy || add_busy || function_busy || reduce_busy || |(prd_valid_o & prd_ready_i)
      || (acc_valid_o && acc_ready_i) || (pwr_valid_o && pwr_ready_i) || (wr_valid_o && wr_ready_i);
  assign refused = |(prd_valid_o & ~prd_ready_i) || (acc_valid_o && !acc_ready_i) || (pwr_valid_o && !pwr_ready_i)
      || (wr_valid_o && !wr_ready_i);
  assign state_o = inside_q == '0 ? 2'd0 : (refused && !moves) ? 2'd2 : 2'd1;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i)
    if (rst_ni && accept && prefix_i[heddle_isa_pkg::VOP_LANES_LSB +: heddle_isa_pkg::VOP_LANES_W] == 6'd0)
      $error("vector_unit: a prefix without lanes");
`endif
  logic unused_ok;
  assign unused_ok = &{1'b0, writer_busy};
endmodule

`default_nettype wire
