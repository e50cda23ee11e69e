// Takes the words of a program in order, checks each one whole, and puts it into its unit's queue.
//
// Promises: the checks of docs/design.md, section 6, in that order; the first that fails ends dispatch with its code and the word's index. A prefix
// travels with the instruction it belongs to; instructions without one get the table's default.
// Latency: 5 to 8 cycles from a word's acceptance to its push. Throughput: a word every 4 cycles.
// Back-pressure: full_i of the word's unit stops everything behind it.
// clear_i starts a program. Words move only while enable_i; when it falls, what has not been pushed is forgotten.
// Of commit_o (a word passed), halt_o (it was HALT) and error_o (it failed), the last two end a program: the caller lowers enable_i.
// A word lives in stage A while the terms of its ranges are given to range_check, one a cycle, then 4 cycles in stage B.
`default_nettype none

module dispatcher #(
    parameter COLS     = 32,
    parameter UB_LINES = 16384,
    parameter ACC_ROWS = 2048
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         clear_i,
    input  logic         enable_i,
    input  logic         word_valid_i,
    output logic         word_ready_o,
    input  logic [127:0] word_i,
    input  logic         word_error_i,
    input  logic         word_end_i,
    output logic [  3:0] slot_o,
    input  logic [ 31:0] slot_lines_i,
    output logic [  4:0] push_o,
    input  logic [  4:0] full_i,
    output logic [127:0] push_word_o,
    output logic [127:0] push_prefix_o,
    output logic [ 31:0] index_o,
    output logic         commit_o,
    output logic         halt_o,
    output logic         error_o,
    output logic [  3:0] error_code_o,
    output logic         wload_last_o
);
  // Which instruction a word is, one-hot; all zero for unknown opcodes.
  localparam HALT = 0, DIMS = 1, LOAD = 2, STORE = 3, WLOAD = 4, MATMUL = 5, VOP = 6, VEC = 7;

  function automatic [7:0] kind_of(input [4:0] opcode);
    kind_of = {
      opcode == heddle_isa_pkg::OP_VEC,
      opcode == heddle_isa_pkg::OP_VOP,
      opcode == heddle_isa_pkg::OP_MATMUL,
      opcode == heddle_isa_pkg::OP_WLOAD,
      opcode == heddle_isa_pkg::OP_STORE,
      opcode == heddle_isa_pkg::OP_LOAD,
      opcode == heddle_isa_pkg::OP_DIMS,
      opcode == heddle_isa_pkg::OP_HALT
    };
  endfunction

  // ---------------------------------------------------------------------------------- stage A: terms of the ranges
  logic a_valid_q, a_error_q, a_end_q;
  logic [127:0] a_word_q;
  logic [7:0] a_kind_q;
  logic [31:0] a_index_q;
  logic [1:0] a_phase_q, a_last_phase;
  // Counts less one, made while the word is taken.
  logic [11:0] a_n0_q, a_n1_q, a_n2_q, a_n3_q, a_wload_passes_q, a_wload_cols_q, a_mxu_passes_q, a_mxu_rows_q, a_vec_rows_q;
  logic [1:0] a_wload_lines_q;  // of a straight row: its columns may begin inside one
  // The prefix before the word in A.
  logic p_valid_q, p_vop_q;
  logic [127:0] p_word_q;
  logic [11:0] p_n2_q, p_n3_q;

  logic step, take, a_issue, a_leaves, b_leaves, b_valid_q;
  logic [3:0] b_age_q;
  logic a_transfer, a_store_acc;
  logic [17:0] vop_copy_line;
  logic [9:0] vop_copy_stride;
  logic vop_copy, vop_row_sum;

  assign a_transfer = a_kind_q[LOAD] || a_kind_q[STORE];
  assign a_last_phase = a_transfer ? {p_valid_q, 1'b1} : a_kind_q[WLOAD] ? 2'd2 : a_kind_q[MATMUL] ? 2'd3 :
                        a_kind_q[VEC] ? {1'b1, p_valid_q} : 2'd0;
  assign a_issue = a_valid_q && (a_phase_q != a_last_phase || !b_valid_q || b_leaves);
  assign a_leaves = a_issue && a_phase_q == a_last_phase;
  assign word_ready_o = enable_i && step && (!a_valid_q || a_leaves);
  assign take = word_valid_i && word_ready_o;

  // LOAD and STORE share the places of their fields.
  assign slot_o = a_word_q[heddle_isa_pkg::LOAD_SLOT_LSB +: heddle_isa_pkg::LOAD_SLOT_W];
  assign a_store_acc = a_kind_q[STORE] && a_word_q[heddle_isa_pkg::STORE_SOURCE_LSB] == heddle_isa_pkg::STORE_SOURCE_ACC;
  assign vop_copy = p_valid_q && p_word_q[heddle_isa_pkg::VOP_COPY_LSB];
  assign vop_copy_line = p_word_q[heddle_isa_pkg::VOP_COPY_LINE_LSB +: heddle_isa_pkg::VOP_COPY_LINE_W];
  assign vop_copy_stride = p_word_q[heddle_isa_pkg::VOP_COPY_STRIDE_LSB +: heddle_isa_pkg::VOP_COPY_STRIDE_W];
  assign vop_row_sum = p_valid_q && p_word_q[heddle_isa_pkg::VOP_REDUCE_LSB +: heddle_isa_pkg::VOP_REDUCE_W] ==
                       heddle_isa_pkg::VOP_REDUCE_ROW_SUM;

  logic [11:0] term_count;
  logic u_check, u_first, u_acc, u_matmul, m_check;
  logic [17:0] u_base;
  logic [15:0] u_stride;
  logic [27:0] m_base;
  logic [25:0] m_stride;
  logic [1:0] vec_kind;

  logic [6:0] wload_lanes;
  assign wload_lanes = {2'd0, word_i[heddle_isa_pkg::WLOAD_LANE_GROUP_LSB +: heddle_isa_pkg::WLOAD_LANE_GROUP_W], 3'd0} +
                       word_i[heddle_isa_pkg::WLOAD_COLS_LSB +: 7];

  always_comb begin
    term_count = 12'd0;
    u_check    = 1'b0;
    u_first    = a_phase_q == 2'd0;
    u_acc      = 1'b0;
    u_matmul   = 1'b0;
    u_base     = 18'd0;
    u_stride   = 16'd0;
    m_check    = 1'b0;
    m_base     = a_word_q[heddle_isa_pkg::LOAD_MEM_LINE_LSB +: heddle_isa_pkg::LOAD_MEM_LINE_W];
    m_stride   = 26'd0;
    vec_kind   = 2'd0;
    if (a_valid_q) begin
      if (a_transfer) begin
        u_check = 1'b1;
        u_acc   = a_store_acc;
        u_base  = a_word_q[heddle_isa_pkg::LOAD_BUF_LINE_LSB +: heddle_isa_pkg::LOAD_BUF_LINE_W];
        m_check = a_kind_q[STORE] || !a_word_q[heddle_isa_pkg::LOAD_FILL_LSB];
        case (a_phase_q)
          2'd0: begin
            term_count = a_n0_q;
            u_stride   = {15'd0, !a_store_acc};
            m_stride   = 26'd1;
          end
          2'd1: begin
            term_count = a_n1_q;
            u_stride   = {2'd0, a_word_q[heddle_isa_pkg::LOAD_BUF_STRIDE1_LSB +: heddle_isa_pkg::LOAD_BUF_STRIDE1_W]};
            m_stride   = {8'd0, a_word_q[heddle_isa_pkg::LOAD_MEM_STRIDE1_LSB +: heddle_isa_pkg::LOAD_MEM_STRIDE1_W]};
          end
          2'd2: begin
            term_count = p_n2_q;
            u_stride   = p_word_q[heddle_isa_pkg::DIMS_BUF_STRIDE2_LSB +: heddle_isa_pkg::DIMS_BUF_STRIDE2_W];
            m_stride   = {2'd0, p_word_q[heddle_isa_pkg::DIMS_MEM_STRIDE2_LSB +: heddle_isa_pkg::DIMS_MEM_STRIDE2_W]};
          end
          default: begin
            term_count = p_n3_q;
            u_stride   = p_word_q[heddle_isa_pkg::DIMS_BUF_STRIDE3_LSB +: heddle_isa_pkg::DIMS_BUF_STRIDE3_W];
            m_stride   = p_word_q[heddle_isa_pkg::DIMS_MEM_STRIDE3_LSB +: heddle_isa_pkg::DIMS_MEM_STRIDE3_W];
          end
        endcase
      end
      if (a_kind_q[WLOAD]) begin
        u_check = 1'b1;
        u_base  = a_word_q[heddle_isa_pkg::WLOAD_UB_LINE_LSB +: heddle_isa_pkg::WLOAD_UB_LINE_W];
        case (a_phase_q)
          2'd0: begin
            term_count = a_word_q[heddle_isa_pkg::WLOAD_TRANSPOSE_LSB] ? a_wload_cols_q : 12'd31;
            u_stride   = {2'd0, a_word_q[heddle_isa_pkg::WLOAD_ROW_STRIDE_LSB +: heddle_isa_pkg::WLOAD_ROW_STRIDE_W]};
          end
          2'd1: begin
            term_count = a_wload_passes_q;
            u_stride   = a_word_q[heddle_isa_pkg::WLOAD_PASS_STRIDE_LSB +: heddle_isa_pkg::WLOAD_PASS_STRIDE_W];
          end
          default: begin
            term_count = {10'd0, a_wload_lines_q};
            u_stride   = {15'd0, !a_word_q[heddle_isa_pkg::WLOAD_TRANSPOSE_LSB]};
          end
        endcase
      end
      if (a_kind_q[MATMUL]) begin
        u_check = 1'b1;
        u_base  = a_word_q[heddle_isa_pkg::MATMUL_UB_LINE_LSB +: heddle_isa_pkg::MATMUL_UB_LINE_W];
        case (a_phase_q)
          2'd0: begin
            term_count = a_word_q[heddle_isa_pkg::MATMUL_TRANSPOSE_LSB] ? 12'd31 : a_mxu_rows_q;
            u_stride   = {2'd0, a_word_q[heddle_isa_pkg::MATMUL_ROW_STRIDE_LSB +: heddle_isa_pkg::MATMUL_ROW_STRIDE_W]};
          end
          2'd1: begin
            term_count = a_mxu_passes_q;
            u_stride   = a_word_q[heddle_isa_pkg::MATMUL_PASS_STRIDE_LSB +: heddle_isa_pkg::MATMUL_PASS_STRIDE_W];
          end
          2'd2: begin
            term_count = {5'd0, a_mxu_rows_q[11:5]};
            u_stride   = {15'd0, a_word_q[heddle_isa_pkg::MATMUL_TRANSPOSE_LSB]};
          end
          default: begin
            u_first    = 1'b1;
            u_acc      = 1'b1;
            u_matmul   = 1'b1;
            u_base     = {6'd0, a_word_q[heddle_isa_pkg::MATMUL_ACC_ROW_LSB +: heddle_isa_pkg::MATMUL_ACC_ROW_W]};
            term_count = a_mxu_rows_q;
            u_stride   = 16'd1;
          end
        endcase
      end
      if (a_kind_q[VEC]) begin
        u_first    = 1'b1;
        term_count = a_vec_rows_q;
        case (a_phase_q)
          2'd0: begin
            vec_kind = a_word_q[heddle_isa_pkg::VEC_A_KIND_LSB +: heddle_isa_pkg::VEC_A_KIND_W];
            u_check  = vec_kind != heddle_isa_pkg::VEC_A_KIND_IMM;
            u_base   = a_word_q[heddle_isa_pkg::VEC_A_LINE_LSB +: heddle_isa_pkg::VEC_A_LINE_W];
            u_stride = {6'd0, a_word_q[heddle_isa_pkg::VEC_A_STRIDE_LSB +: heddle_isa_pkg::VEC_A_STRIDE_W]};
          end
          2'd1: begin
            vec_kind = a_word_q[heddle_isa_pkg::VEC_B_KIND_LSB +: heddle_isa_pkg::VEC_B_KIND_W];
            u_check  = vec_kind != heddle_isa_pkg::VEC_B_KIND_NONE;
            u_base   = a_word_q[heddle_isa_pkg::VEC_B_LINE_LSB +: heddle_isa_pkg::VEC_B_LINE_W];
            u_stride = {6'd0, a_word_q[heddle_isa_pkg::VEC_B_STRIDE_LSB +: heddle_isa_pkg::VEC_B_STRIDE_W]};
          end
          2'd2: begin
            vec_kind = a_word_q[heddle_isa_pkg::VEC_D_KIND_LSB] == heddle_isa_pkg::VEC_D_KIND_FP32 ?
                heddle_isa_pkg::VEC_A_KIND_FP32 : heddle_isa_pkg::VEC_A_KIND_BF16;
            u_check  = 1'b1;
            u_base   = a_word_q[heddle_isa_pkg::VEC_D_LINE_LSB +: heddle_isa_pkg::VEC_D_LINE_W];
            u_stride = {6'd0, a_word_q[heddle_isa_pkg::VEC_D_STRIDE_LSB +: heddle_isa_pkg::VEC_D_STRIDE_W]};
            if (vop_row_sum) term_count = 12'd0;
          end
          default: begin
            vec_kind = heddle_isa_pkg::VEC_A_KIND_BF16;
            u_check  = vop_copy;
            u_base   = vop_copy_line;
            u_stride = {6'd0, vop_copy_stride};
            if (vop_row_sum) term_count = 12'd0;
          end
        endcase
        // Kinds of a and b are numbered alike. The second line of an fp32 row; an odd first one is illegal anyway.
        u_acc     = vec_kind == heddle_isa_pkg::VEC_A_KIND_ACC;
        u_base[0] = u_base[0] || vec_kind == heddle_isa_pkg::VEC_A_KIND_FP32;
      end
    end
  end

  logic ub_bad, acc_bad, memory_bad;
  range_check #(
      .UB_LINES(UB_LINES),
      .ACC_ROWS(ACC_ROWS),
      .COLS(COLS)
  ) u_range (
      .clk_i,
      .rst_ni,
      .step_i(step),
      .valid_i(a_issue),
      .start_i(a_phase_q == 2'd0),
      .count_i(term_count),
      .u_check_i(u_check),
      .u_first_i(u_first),
      .u_acc_i(u_acc),
      .u_matmul_i(u_matmul),
      .u_base_i(u_base),
      .u_stride_i(u_stride),
      .m_check_i(m_check),
      .m_first_i(a_phase_q == 2'd0),
      .m_base_i(m_base),
      .m_stride_i(m_stride),
      .m_lines_i(slot_lines_i),
      .ub_bad_o(ub_bad),
      .acc_bad_o(acc_bad),
      .memory_bad_o(memory_bad)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || !enable_i) begin
      a_valid_q <= 1'b0;
      a_phase_q <= 2'd0;
      p_valid_q <= 1'b0;
    end else if (step) begin
      if (take) a_valid_q <= 1'b1;
      else if (a_leaves) a_valid_q <= 1'b0;
      if (a_issue) a_phase_q <= a_leaves ? 2'd0 : a_phase_q + 2'd1;
      if (a_leaves) begin
        p_valid_q <= a_kind_q[DIMS] || a_kind_q[VOP];
        if (a_kind_q[DIMS] || a_kind_q[VOP]) begin
          p_vop_q  <= a_kind_q[VOP];
          p_word_q <= a_word_q;
          p_n2_q   <= a_n2_q;
          p_n3_q   <= a_n3_q;
        end
      end
    end
    if (!rst_ni || clear_i) a_index_q <= 32'd0;
    else if (step && a_leaves) a_index_q <= a_index_q + 32'd1;
    if (take) begin
      a_word_q <= word_i;
      a_error_q <= word_error_i;
      a_end_q <= word_end_i;
      a_kind_q <= word_end_i ? 8'd0 : kind_of(word_i[heddle_isa_pkg::OPCODE_LSB +: heddle_isa_pkg::OPCODE_W]);
      a_n0_q <= word_i[heddle_isa_pkg::LOAD_N0_LSB +: heddle_isa_pkg::LOAD_N0_W] - 12'd1;
      a_n1_q <= word_i[heddle_isa_pkg::LOAD_N1_LSB +: heddle_isa_pkg::LOAD_N1_W] - 12'd1;
      a_n2_q <= word_i[heddle_isa_pkg::DIMS_N2_LSB +: heddle_isa_pkg::DIMS_N2_W] - 12'd1;
      a_n3_q <= {2'd0, word_i[heddle_isa_pkg::DIMS_N3_LSB +: heddle_isa_pkg::DIMS_N3_W]} - 12'd1;
      a_wload_passes_q <= {2'd0, word_i[heddle_isa_pkg::WLOAD_PASSES_LSB +: heddle_isa_pkg::WLOAD_PASSES_W]} - 12'd1;
      a_wload_cols_q <= {4'd0, word_i[heddle_isa_pkg::WLOAD_COLS_LSB +: heddle_isa_pkg::WLOAD_COLS_W]} - 12'd1;
      a_wload_lines_q <= 2'((wload_lanes - 7'd1) >> 5);
      a_mxu_passes_q <= {2'd0, word_i[heddle_isa_pkg::MATMUL_PASSES_LSB +: heddle_isa_pkg::MATMUL_PASSES_W]} - 12'd1;
      a_mxu_rows_q <= word_i[heddle_isa_pkg::MATMUL_ROWS_LSB +: heddle_isa_pkg::MATMUL_ROWS_W] - 12'd1;
      a_vec_rows_q <= word_i[heddle_isa_pkg::VEC_ROWS_LSB +: heddle_isa_pkg::VEC_ROWS_W] - 12'd1;
    end
  end

  // ------------------------------------------------------------------------- stage B: fields, tokens, tiles, verdict
  logic b_error_q, b_end_q, b_prefix_bad_q, b_tile_bad_q;
  logic [127:0] b_word_q, b_prefix_q;
  logic [7:0] b_kind_q;
  logic [4:0] b_unit, b_wait, b_post;
  logic wload_last_q;
  logic [9:0] wload_passes_q;
  logic [1:0] wload_precision_q;
  logic field_bad, underflow, overflow, verdict, bad;

  assign b_unit = {
    b_kind_q[STORE], b_kind_q[VEC], b_kind_q[MATMUL], b_kind_q[WLOAD], b_kind_q[LOAD]
  };
  assign b_wait = b_word_q[heddle_isa_pkg::WAIT_LSB +: heddle_isa_pkg::WAIT_W];
  assign b_post = b_word_q[heddle_isa_pkg::POST_LSB +: heddle_isa_pkg::POST_W];
  assign verdict = enable_i && b_valid_q && b_age_q[3];

  field_check #(
      .COLS(COLS)
  ) u_fields (
      .clk_i,
      .valid_i(b_valid_q && b_age_q[0]),
      .word_i(b_word_q),
      .illegal_o(field_bad)
  );

  token_ledger u_ledger (
      .clk_i,
      .clear_i,
      .look_i(b_valid_q && b_age_q[0] && b_unit != 5'd0),
      .commit_i(commit_o && b_unit != 5'd0),
      .unit_i(b_unit),
      .wait_i(b_wait),
      .post_i(b_post),
      .underflow_o(underflow),
      .overflow_o(overflow)
  );

  always_comb begin
    error_code_o = heddle_isa_pkg::ERR_NONE;
    if (b_error_q) error_code_o = heddle_isa_pkg::ERR_AXI_FETCH;
    else if (b_end_q) error_code_o = heddle_isa_pkg::ERR_NO_HALT;
    else if (b_kind_q == 8'd0) error_code_o = heddle_isa_pkg::ERR_ILLEGAL_OPCODE;
    else if (field_bad || b_prefix_bad_q) error_code_o = heddle_isa_pkg::ERR_ILLEGAL_FIELD;
    else if (ub_bad) error_code_o = heddle_isa_pkg::ERR_UB_RANGE;
    else if (acc_bad) error_code_o = heddle_isa_pkg::ERR_ACC_RANGE;
    else if (memory_bad) error_code_o = heddle_isa_pkg::ERR_MEMORY_RANGE;
    else if (underflow && b_unit != 5'd0) error_code_o = heddle_isa_pkg::ERR_TOKEN_UNDERFLOW;
    else if (overflow && b_unit != 5'd0) error_code_o = heddle_isa_pkg::ERR_TOKEN_OVERFLOW;
    else if (b_tile_bad_q) error_code_o = heddle_isa_pkg::ERR_TILE_MISMATCH;
  end

  assign bad = b_error_q || b_end_q || b_kind_q == 8'd0 || field_bad || b_prefix_bad_q || ub_bad || acc_bad || memory_bad ||
               ((underflow || overflow) && b_unit != 5'd0) || b_tile_bad_q;
  assign step = !(verdict && !bad && (b_unit & full_i) != 5'd0);
  assign b_leaves = verdict && step;
  assign commit_o = verdict && step && !bad;
  assign halt_o = commit_o && b_kind_q[HALT];
  assign error_o = verdict && bad;
  assign push_o = commit_o ? b_unit : 5'd0;
  assign push_word_o = b_word_q;
  assign push_prefix_o = b_prefix_q;
  assign wload_last_o = wload_last_q;

  // The index belongs to the word in B, but stays after the last one has left.
  logic [31:0] b_index_q;
  assign index_o = b_index_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || !enable_i) begin
      b_valid_q <= 1'b0;
      b_age_q   <= 4'd0;
    end else if (step) begin
      if (a_leaves) b_valid_q <= 1'b1;
      else if (b_leaves) b_valid_q <= 1'b0;
      b_age_q <= {b_age_q[2:0], a_leaves};
    end
    if (step && a_leaves) begin
      b_word_q       <= a_word_q;
      b_kind_q       <= a_kind_q;
      b_error_q      <= a_error_q;
      b_end_q        <= a_end_q;
      b_index_q      <= a_index_q;
      b_prefix_bad_q <= p_valid_q && !(p_vop_q ? a_kind_q[VEC] : a_transfer);
      b_prefix_q     <= p_valid_q ? p_word_q :
                        a_kind_q[VEC] ? heddle_isa_pkg::DEFAULT_VOP : heddle_isa_pkg::DEFAULT_DIMS;
    end
    // Tiles: looked at before the word's verdict, after that of the word before it.
    if (b_age_q[1])
      b_tile_bad_q <= wload_last_q ?
          !(b_kind_q[MATMUL] &&
            b_word_q[heddle_isa_pkg::MATMUL_PASSES_LSB +: heddle_isa_pkg::MATMUL_PASSES_W] == wload_passes_q &&
            b_word_q[heddle_isa_pkg::MATMUL_PRECISION_LSB +: heddle_isa_pkg::MATMUL_PRECISION_W] == wload_precision_q) :
          b_kind_q[MATMUL];
    if (!rst_ni || clear_i) wload_last_q <= 1'b0;
    else if (commit_o) wload_last_q <= b_kind_q[WLOAD];
    if (commit_o) begin
      wload_passes_q    <= b_word_q[heddle_isa_pkg::WLOAD_PASSES_LSB +: heddle_isa_pkg::WLOAD_PASSES_W];
      wload_precision_q <= b_word_q[heddle_isa_pkg::WLOAD_PRECISION_LSB +: heddle_isa_pkg::WLOAD_PRECISION_W];
    end
  end

`ifndef SYNTHESIS
  // The shared decoding of LOAD and STORE relies on the table.
  initial begin
    if (heddle_isa_pkg::LOAD_SLOT_LSB != heddle_isa_pkg::STORE_SLOT_LSB ||
        heddle_isa_pkg::LOAD_MEM_LINE_LSB != heddle_isa_pkg::STORE_MEM_LINE_LSB ||
        heddle_isa_pkg::LOAD_BUF_LINE_LSB != heddle_isa_pkg::STORE_BUF_LINE_LSB ||
        heddle_isa_pkg::LOAD_N0_LSB != heddle_isa_pkg::STORE_N0_LSB ||
        heddle_isa_pkg::LOAD_N1_LSB != heddle_isa_pkg::STORE_N1_LSB ||
        heddle_isa_pkg::LOAD_MEM_STRIDE1_LSB != heddle_isa_pkg::STORE_MEM_STRIDE1_LSB ||
        heddle_isa_pkg::LOAD_BUF_STRIDE1_LSB != heddle_isa_pkg::STORE_BUF_STRIDE1_LSB)
      $error("LOAD and STORE place a field differently: the dispatcher's range terms have to be split");
  end
`endif
endmodule

`default_nettype wire
