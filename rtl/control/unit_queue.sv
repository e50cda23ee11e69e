// Instructions of one unit, from dispatch to completion: a queue of DEPTH words, a head that waits for its tokens, and the indices and posts of
// what the unit has been given and has not completed.
//
// Promises: order is kept. The head shows 1 cycle after a push into an empty queue. It is armed by take_i (its tokens have been taken), then offered
// as cmd_valid_o; when the unit accepts it, the next head follows in the next cycle.
// done_i completes the oldest instruction given to the unit: post_o and done_index_o belong to it in that cycle.
// Back-pressure: full_o; a push while full is lost. At most FLIGHT instructions are with the unit.
// stall_i withholds the command for a cycle. flush_i empties the queue, which needs stall_i; forget_i forgets what the unit was given.
// Limits: DEPTH and FLIGHT at least 2. PREFIX = 0 leaves prefixes out (prefix_o is 0).
`default_nettype none

module unit_queue #(
    parameter DEPTH  = 16,
    parameter FLIGHT = 32,
    parameter PREFIX = 1
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         flush_i,
    input  logic         forget_i,
    input  logic         stall_i,
    // From the dispatcher.
    input  logic         push_i,
    input  logic [127:0] word_i,
    input  logic [127:0] prefix_i,
    input  logic [ 31:0] index_i,
    output logic         full_o,
    // The head and its tokens.
    output logic         head_waits_o,
    output logic [  4:0] head_wait_o,
    input  logic         take_i,
    // The unit.
    output logic         cmd_valid_o,
    input  logic         cmd_ready_i,
    output logic [127:0] cmd_o,
    output logic [127:0] prefix_o,
    input  logic         done_i,
    output logic [  4:0] post_o,
    output logic [ 31:0] done_index_o,
    // For reports: nothing queued or with the unit; something is; the oldest one's index, a cycle late.
    output logic         empty_o,
    output logic         flying_o,
    output logic [ 31:0] oldest_o
);
  localparam W = $clog2(DEPTH);
  localparam FW = $clog2(FLIGHT);
  localparam [W-1:0] LAST = W'(DEPTH - 1);
  localparam [FW-1:0] FLIGHT_LAST = FW'(FLIGHT - 1);

  // ---------------------------------------------------------------------------------------------------- queue
  logic [127:0] words_q[0:DEPTH-1];
  logic [31:0] indices_q[0:DEPTH-1];
  logic [W-1:0] write_q, read_q;
  logic [W:0] count_q;
  logic head_valid_q, armed_q;
  logic [127:0] head_q;
  logic [31:0] head_index_q;
  logic give, refill, pop, store;

  assign full_o       = count_q == (W + 1)'(DEPTH);
  assign head_waits_o = head_valid_q && !armed_q;
  assign head_wait_o  = head_q[heddle_isa_pkg::WAIT_LSB +: heddle_isa_pkg::WAIT_W];
  assign cmd_o        = head_q;
  assign give         = cmd_valid_o && cmd_ready_i;
  assign refill       = !head_valid_q || give;
  assign pop          = refill && count_q != {(W + 1) {1'b0}};
  assign store        = push_i && !(refill && count_q == {(W + 1) {1'b0}});

  always_ff @(posedge clk_i) begin
    if (store) begin
      words_q[write_q]   <= word_i;
      indices_q[write_q] <= index_i;
    end
    if (pop) begin
      head_q       <= words_q[read_q];
      head_index_q <= indices_q[read_q];
    end else if (refill && push_i) begin
      head_q       <= word_i;
      head_index_q <= index_i;
    end
    if (!rst_ni || flush_i) begin
      write_q      <= {W{1'b0}};
      read_q       <= {W{1'b0}};
      count_q      <= {(W + 1) {1'b0}};
      head_valid_q <= 1'b0;
      armed_q      <= 1'b0;
    end else begin
      if (store) write_q <= (write_q == LAST) ? {W{1'b0}} : write_q + 1'b1;
      if (pop) read_q <= (read_q == LAST) ? {W{1'b0}} : read_q + 1'b1;
      if (store != pop) count_q <= store ? count_q + 1'b1 : count_q - 1'b1;
      if (refill) head_valid_q <= pop || push_i;
      if (give) armed_q <= 1'b0;
      else if (take_i) armed_q <= 1'b1;
    end
  end

  generate
    if (PREFIX != 0) begin : gen_prefix
      logic [127:0] prefixes_q[0:DEPTH-1];
      logic [127:0] head_prefix_q;
      assign prefix_o = head_prefix_q;
      always_ff @(posedge clk_i) begin
        if (store) prefixes_q[write_q] <= prefix_i;
        if (pop) head_prefix_q <= prefixes_q[read_q];
        else if (refill && push_i) head_prefix_q <= prefix_i;
      end
    end else begin : gen_no_prefix
      logic unused;
      assign unused   = &prefix_i;
      assign prefix_o = 128'd0;
    end
  endgenerate

  // --------------------------------------------------------------------------------------------------- flight
  logic [4:0] flight_posts_q[0:FLIGHT-1];
  logic [31:0] flight_indices_q[0:FLIGHT-1];
  logic [FW-1:0] flight_write_q, flight_read_q, flight_next;
  logic [4:0] post_q;  // of the oldest one, ahead of its completion, which releases others in the same cycle
  logic [FW:0] flight_count_q;

  assign cmd_valid_o  = armed_q && !stall_i && flight_count_q != (FW + 1)'(FLIGHT);
  assign post_o       = post_q;
  assign flight_next  = (flight_read_q == FLIGHT_LAST) ? {FW{1'b0}} : flight_read_q + 1'b1;
  assign done_index_o = flight_indices_q[flight_read_q];
  assign flying_o     = flight_count_q != {(FW + 1) {1'b0}};
  assign empty_o      = !flying_o && !head_valid_q && count_q == {(W + 1) {1'b0}};

  always_ff @(posedge clk_i) begin
    if (give && (!flying_o || (done_i && flight_count_q == (FW + 1)'(1))))
      post_q <= head_q[heddle_isa_pkg::POST_LSB +: heddle_isa_pkg::POST_W];
    else if (done_i) post_q <= flight_posts_q[flight_next];
    oldest_o <= flying_o ? done_index_o : head_index_q;
    if (give) begin
      flight_posts_q[flight_write_q]   <= head_q[heddle_isa_pkg::POST_LSB +: heddle_isa_pkg::POST_W];
      flight_indices_q[flight_write_q] <= head_index_q;
    end
    if (!rst_ni || forget_i) begin
      flight_write_q <= {FW{1'b0}};
      flight_read_q  <= {FW{1'b0}};
      flight_count_q <= {(FW + 1) {1'b0}};
    end else begin
      if (give) flight_write_q <= (flight_write_q == FLIGHT_LAST) ? {FW{1'b0}} : flight_write_q + 1'b1;
      if (done_i) flight_read_q <= flight_next;
      if (give != done_i) flight_count_q <= give ? flight_count_q + 1'b1 : flight_count_q - 1'b1;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i)
    if (rst_ni && !flush_i && !forget_i) begin
      if (push_i && full_o) $error("push into a full queue");
      if (done_i && !flying_o) $error("the unit completed an instruction that it was not given");
      if (take_i && !head_waits_o) $error("tokens taken for no head");
    end
`endif
endmodule

`default_nettype wire
