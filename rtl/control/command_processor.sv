// Runs one program: dispatches its words to the five units, releases them as their tokens arrive, and reports how it ended.
//
// Promises: start_i (held by the host until done_o) begins a program; done_o rises for one cycle when every instruction dispatched has completed
// and error_o, error_index_o and the counters are final. The order of checks and the meaning of errors: docs/design.md, sections 5 and 6.
// Of several errors the earliest instruction's is reported, which an AXI error always is. An error ends dispatch, never what was dispatched; only
// a WLOAD whose MATMUL was not dispatched is thrown away.
// Watchdog: when no unit, fetch or dispatch moved for watchdog_i cycles (0: 2^20), the program ends; queues are emptied and units_reset_o is
// held for 8 cycles, which returns weight unit, matrix unit and vector unit to idle. What load, store and fetch have outstanding stays with
// them, and the next program waits for it, again under the watchdog. acc_block_o keeps STORE from asking units that are about to be reset.
// Latency: from a word's acceptance to its unit's cmd_valid_o 7 to 10 cycles without contention; from a completion to the instruction that
// waited for it 1 cycle; from the last completion to done_o 3 cycles.
// Counters: every cycle from start to done belongs to one cause per unit.
`default_nettype none

module command_processor #(
    parameter COLS        = 32,
    parameter UB_LINES    = 16384,
    parameter ACC_ROWS    = 2048,
    parameter QUEUE_DEPTH = 16
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    // Host.
    input  logic         start_i,
    input  logic [ 31:0] watchdog_i,
    output logic         running_o,
    output logic         done_o,
    output logic [  3:0] error_o,
    output logic [ 31:0] error_index_o,
    output logic [ 14:0] waiting_o,
    output logic [ 24:0] waiting_for_o,
    output logic [  3:0] slot_o,
    input  logic [ 31:0] slot_lines_i,
    input  logic         counter_read_i,
    input  logic [  4:0] counter_index_i,
    output logic [ 63:0] counter_data_o,
    // Fetch.
    output logic         fetch_start_o,
    output logic         fetch_stop_o,
    input  logic         fetch_idle_i,
    input  logic         fetch_beat_i,
    input  logic         word_valid_i,
    output logic         word_ready_o,
    input  logic [127:0] word_i,
    input  logic         word_error_i,
    input  logic         word_end_i,
    // Units, in the order of the table.
    output logic [  4:0] cmd_valid_o,
    input  logic [  4:0] cmd_ready_i,
    output logic [639:0] cmd_o,
    output logic [639:0] prefix_o,
    input  logic [  4:0] unit_done_i,
    input  logic         load_error_i,
    input  logic         store_error_i,
    input  logic [  9:0] unit_state_i,
    output logic         units_reset_o,
    output logic         acc_block_o,
    input  logic [  4:0] cmd_stall_i
);
  localparam [2:0] LOAD = heddle_isa_pkg::UNIT_LOAD, STORE = heddle_isa_pkg::UNIT_STORE;
  localparam COUNTERS = 2 + heddle_isa_pkg::UNIT_COUNT * heddle_isa_pkg::COUNTER_COUNT;
  localparam [1:0] BUSY = 2'd1, MEMORY = 2'd2, FIFO = 2'd3;

  // ------------------------------------------------------------------------------------------------ sequencing
  localparam [2:0] IDLE = 3'd0;
  localparam [2:0] PREPARE = 3'd1;  // waits for what a program ended by the watchdog left behind
  localparam [2:0] RUN = 3'd2;  // dispatches
  localparam [2:0] DRAIN = 3'd3;  // completes what was dispatched
  localparam [2:0] QUIET = 3'd4;  // lets answers of buffers arrive; looks for the oldest instruction
  localparam [2:0] FLUSH = 3'd5;  // resets units
  localparam [2:0] VERDICT = 3'd6;
  logic [2:0] state_q;
  logic [2:0] pause_q;  // cycles in QUIET and FLUSH
  logic expired_q, flush, quiet;
  logic clear, dispatch, commit, halt, dispatch_error, wload_last, expire, drained, axi_error, start, begin_now;
  logic [3:0] dispatch_code;
  logic [31:0] dispatch_index;
  logic [4:0] empty, flying, push, full, heads, take, give;
  logic [24:0] posts, waits, lacking;
  logic [31:0] done_index[0:4];
  logic [31:0] oldest[0:4];

  assign running_o = state_q != IDLE;
  assign dispatch = state_q == RUN;
  assign axi_error = (unit_done_i[LOAD] && load_error_i) || (unit_done_i[STORE] && store_error_i);
  assign start = state_q == IDLE && start_i && !done_o;
  assign begin_now = (start || (state_q == PREPARE && !expire)) && fetch_idle_i && empty == 5'b11111;
  assign clear = begin_now;
  assign fetch_start_o = begin_now;
  assign fetch_stop_o = state_q == RUN && (halt || dispatch_error || axi_error || expire);
  // A WLOAD without its MATMUL may wait for ever for room in the weight FIFO; nobody waits for it.
  assign drained = (empty | {3'd0, wload_last, 1'b0}) == 5'b11111;
  assign flush = state_q == FLUSH;
  assign quiet = state_q == QUIET || state_q == FLUSH;
  assign acc_block_o = quiet;

  always_ff @(posedge clk_i) begin
    done_o <= state_q == VERDICT;
    units_reset_o <= rst_ni && flush;
    pause_q <= (state_q == QUIET || state_q == FLUSH) ? pause_q + 3'd1 : 3'd0;
    if (!rst_ni) begin
      state_q   <= IDLE;
      expired_q <= 1'b0;
      done_o    <= 1'b0;
    end else begin
      case (state_q)
        IDLE: begin
          expired_q <= 1'b0;
          if (start) state_q <= begin_now ? RUN : PREPARE;
        end
        PREPARE: if (begin_now) state_q <= RUN;
        RUN: if (halt || dispatch_error || axi_error) state_q <= DRAIN;
        DRAIN: if (drained) state_q <= wload_last ? QUIET : VERDICT;
        QUIET: if (pause_q == 3'd7) state_q <= FLUSH;
        FLUSH: if (pause_q == 3'd7) state_q <= VERDICT;
        default: state_q <= IDLE;
      endcase
      if (expire) begin
        state_q   <= QUIET;
        expired_q <= 1'b1;
      end
    end
  end

  // ------------------------------------------------------------------------------------------------- dispatcher
  logic [127:0] push_word, push_prefix;
  dispatcher #(
      .COLS(COLS),
      .UB_LINES(UB_LINES),
      .ACC_ROWS(ACC_ROWS)
  ) u_dispatcher (
      .clk_i,
      .rst_ni,
      .clear_i(clear),
      .enable_i(dispatch),
      .word_valid_i,
      .word_ready_o,
      .word_i,
      .word_error_i,
      .word_end_i,
      .slot_o,
      .slot_lines_i,
      .push_o(push),
      .full_i(full),
      .push_word_o(push_word),
      .push_prefix_o(push_prefix),
      .index_o(dispatch_index),
      .commit_o(commit),
      .halt_o(halt),
      .error_o(dispatch_error),
      .error_code_o(dispatch_code),
      .wload_last_o(wload_last)
  );

  // --------------------------------------------------------------------------------------------- queues, tokens
  genvar u;
  generate
    for (u = 0; u < 5; u = u + 1) begin : gen_queue
      unit_queue #(
          .DEPTH (QUEUE_DEPTH),
          .PREFIX(u == 1 || u == 2 ? 0 : 1)  // WLOAD and MATMUL have none
      ) u_queue (
          .clk_i,
          .rst_ni,
          .flush_i(flush),
          .forget_i(flush && u >= 1 && u <= 3),  // units that are reset
          .stall_i(cmd_stall_i[u] || quiet),
          .push_i(push[u]),
          .word_i(push_word),
          .prefix_i(push_prefix),
          .index_i(dispatch_index),
          .full_o(full[u]),
          .head_waits_o(heads[u]),
          .head_wait_o(waits[u*5 +: 5]),
          .take_i(take[u]),
          .cmd_valid_o(cmd_valid_o[u]),
          .cmd_ready_i(cmd_ready_i[u]),
          .cmd_o(cmd_o[u*128 +: 128]),
          .prefix_o(prefix_o[u*128 +: 128]),
          .done_i(unit_done_i[u]),
          .post_o(posts[u*5 +: 5]),
          .done_index_o(done_index[u]),
          .empty_o(empty[u]),
          .flying_o(flying[u]),
          .oldest_o(oldest[u])
      );
    end
  endgenerate

  token_unit u_tokens (
      .clk_i,
      .clear_i(clear || !rst_ni),
      .freeze_i(quiet),
      .done_i(unit_done_i),
      .posts_i(posts),
      .heads_i(heads),
      .waits_i(waits),
      .take_o(take),
      .lacking_o(lacking)
  );

  // ------------------------------------------------------------------------------------------------------ verdict
  logic load_error_q, store_error_q, early_q, candidate_valid_q;
  logic [31:0] load_index_q, store_index_q, dispatch_index_q, committed_q, oldest_q, candidate_q;
  logic [3:0] dispatch_code_q;

  always_ff @(posedge clk_i) begin
    if (clear || !rst_ni) begin
      load_error_q    <= 1'b0;
      store_error_q   <= 1'b0;
      dispatch_code_q <= heddle_isa_pkg::ERR_NONE;
      committed_q     <= 32'd0;
    end else begin
      // The first error of a unit is its earliest, because units complete in order.
      if (unit_done_i[LOAD] && load_error_i && !load_error_q) begin
        load_error_q <= 1'b1;
        load_index_q <= done_index[LOAD];
      end
      if (unit_done_i[STORE] && store_error_i && !store_error_q) begin
        store_error_q <= 1'b1;
        store_index_q <= done_index[STORE];
      end
      if (dispatch_error) begin
        dispatch_code_q  <= dispatch_code;
        dispatch_index_q <= dispatch_index;
      end
      if (commit) committed_q <= committed_q + 32'd1;
    end
    // After the watchdog: the oldest instruction that has not completed, or the word that was waited for.
    if (expire) begin
      early_q  <= state_q == PREPARE;
      oldest_q <= state_q == PREPARE ? 32'd0 : committed_q;
    end else if (candidate_valid_q && candidate_q < oldest_q) oldest_q <= candidate_q;
    candidate_valid_q <= state_q == QUIET && pause_q <= 3'd4 && !early_q && !empty[pause_q];
    if (state_q == QUIET && pause_q <= 3'd4) candidate_q <= oldest[pause_q];
    if (!rst_ni) begin
      error_o       <= heddle_isa_pkg::ERR_NONE;
      error_index_o <= 32'd0;
    end else if (state_q == VERDICT) begin
      if (expired_q) begin
        error_o       <= heddle_isa_pkg::ERR_WATCHDOG;
        error_index_o <= oldest_q;
      end else if (load_error_q && !(store_error_q && store_index_q < load_index_q)) begin
        error_o       <= heddle_isa_pkg::ERR_AXI_READ;
        error_index_o <= load_index_q;
      end else if (store_error_q) begin
        error_o       <= heddle_isa_pkg::ERR_AXI_WRITE;
        error_index_o <= store_index_q;
      end else begin
        error_o       <= dispatch_code_q;
        error_index_o <= dispatch_code_q == heddle_isa_pkg::ERR_NONE ? 32'd0 : dispatch_index_q;
      end
    end
  end

  // ----------------------------------------------------------------------------------- what each unit's cycle goes to
  logic [24:0] cause;
  logic [14:0] waiting;
  logic [COUNTERS-1:0] increment_q;
  logic [4:0] unit_busy;
  logic [24:0] lacking_q;  // a cycle old: what a completion brings is not worth a long path here
  logic [31:0] i0;

  always_comb begin
    cause   = 25'd0;
    waiting = 15'd0;
    for (i0 = 0; i0 < 5; i0 = i0 + 1) begin
      unit_busy[i0[2:0]] = unit_state_i[i0*2 +: 2] == BUSY;
      if (unit_state_i[i0*2 +: 2] == MEMORY) begin
        cause[i0*5+{29'd0, heddle_isa_pkg::COUNTER_MEMORY}] = 1'b1;
        waiting[i0*3 +: 3] = 3'd2;
      end else if (unit_state_i[i0*2 +: 2] == FIFO) begin
        cause[i0*5+{29'd0, heddle_isa_pkg::COUNTER_FIFO}] = 1'b1;
        waiting[i0*3 +: 3] = 3'd3;
      end else if (unit_busy[i0[2:0]] || flying[i0[2:0]]) begin
        cause[i0*5+{29'd0, heddle_isa_pkg::COUNTER_BUSY}] = 1'b1;
        waiting[i0*3 +: 3] = 3'd1;
      end else if (heads[i0[2:0]] && lacking_q[i0*5 +: 5] != 5'd0) begin
        cause[i0*5+{29'd0, heddle_isa_pkg::COUNTER_TOKEN}] = 1'b1;
        waiting[i0*3 +: 3] = 3'd4;
      end else if (!empty[i0[2:0]]) begin
        cause[i0*5+{29'd0, heddle_isa_pkg::COUNTER_BUSY}] = 1'b1;
        waiting[i0*3 +: 3] = 3'd1;
      end else cause[i0*5+{29'd0, heddle_isa_pkg::COUNTER_NO_INSTRUCTION}] = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    lacking_q <= lacking;
    increment_q <= running_o ? {cause, commit, 1'b1} : {COUNTERS{1'b0}};
    if (!rst_ni || (state_q == VERDICT && !expired_q)) begin
      waiting_o     <= 15'd0;
      waiting_for_o <= 25'd0;
    end else if (state_q == PREPARE || state_q == RUN || state_q == DRAIN) begin
      waiting_o     <= waiting;
      waiting_for_o <= lacking_q;
    end
  end

  counters #(
      .COUNT(COUNTERS)
  ) u_counters (
      .clk_i,
      .rst_ni,
      .clear_i(start),
      .increment_i(increment_q),
      .read_i(counter_read_i),
      .read_index_i(counter_index_i),
      .read_data_o(counter_data_o)
  );

  // ------------------------------------------------------------------------------------------------------ watchdog
  localparam [31:0] WATCHDOG_DEFAULT = 32'd1 << 20;
  logic [31:0] limit_q, still_q;
  logic moved, expire_q, watched;

  assign give    = cmd_valid_o & cmd_ready_i;
  assign watched = state_q == PREPARE || state_q == RUN || state_q == DRAIN;
  assign moved   = (unit_busy | unit_done_i | give) != 5'd0 || fetch_beat_i || commit;
  assign expire  = expire_q && watched;

  always_ff @(posedge clk_i) begin
    if (start) limit_q <= watchdog_i == 32'd0 ? WATCHDOG_DEFAULT : watchdog_i;
    if (!watched || moved) begin
      still_q  <= 32'd1;
      expire_q <= 1'b0;
    end else begin
      still_q  <= still_q + 32'd1;
      expire_q <= still_q >= limit_q;
    end
  end
endmodule

`default_nettype wire
