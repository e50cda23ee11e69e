// Arbiter of the unified buffer's read side or write side: which requesters may access their banks in this cycle.
//
// Promises   No two accepted requests meet in a bank; the most important request is always accepted; a request that
//            was refused for PATIENCE cycles while it was watched becomes urgent, that is, the most important one.
//            One requester is watched at a time, in turn, so the wait of each is bounded.
// Priority   The urgent one, then ascending index. A request blocks those behind it even if it is refused itself:
//            this keeps the logic flat (an OR of bank masks), at the price of a rare lost slot.
// Latency    ready_o is combinational.
`default_nettype none
module ub_arbiter #(
    parameter REQUESTERS = 8,
    parameter BANKS = 8,
    parameter PATIENCE = 16
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic [REQUESTERS-1:0]    valid_i,
    input  logic [REQUESTERS-1:0]    pair_i,
    input  logic [REQUESTERS*18-1:0] line_i,
    output logic [REQUESTERS-1:0]    ready_o
);
  localparam BANK_W = $clog2(BANKS);
  localparam INDEX_W = $clog2(REQUESTERS);
  localparam COUNT_W = $clog2(PATIENCE + 1);

  logic [INDEX_W-1:0] watched_q;
  logic [COUNT_W-1:0] refused_q;  // cycles in a row
  logic               urgent_q;   // the watched requester goes first

  // Narrow copies with array indices: what simulates fast.
  logic [BANK_W-1:0] bank [0:REQUESTERS-1];
  genvar g;
  generate
    for (g = 0; g < REQUESTERS; g = g + 1) begin : gen_bank
      assign bank[g] = line_i[g*18 +: BANK_W];
    end
  endgenerate

  function automatic [BANKS-1:0] banks_of(input [BANK_W-1:0] first, input pair);
    banks_of = '0;
    banks_of[first] = 1'b1;
    if (pair) banks_of[first | {{(BANK_W-1){1'b0}}, 1'b1}] = 1'b1;
  endfunction

  logic [BANKS-1:0] taken, wanted;
  always_comb begin : arbitrate
    logic [31:0] i;
    taken = '0;
    wanted = '0;
    if (urgent_q && valid_i[watched_q]) taken = banks_of(bank[watched_q], pair_i[watched_q]);
    for (i = 0; i < REQUESTERS; i = i + 1) begin
      ready_o[i] = 1'b0;
      if (valid_i[i]) begin
        wanted = banks_of(bank[i], pair_i[i]);
        ready_o[i] = (wanted & taken) == '0 || (urgent_q && watched_q == i[INDEX_W-1:0]);
        taken = taken | wanted;
      end
    end
  end

  logic [INDEX_W-1:0] next_watched;
  assign next_watched = watched_q == INDEX_W'(REQUESTERS - 1) ? '0 : watched_q + 1'b1;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      watched_q <= '0;
      refused_q <= '0;
      urgent_q <= 1'b0;
    end else if (ready_o[watched_q]) begin  // served: watch the next one
      watched_q <= next_watched;
      refused_q <= '0;
      urgent_q <= 1'b0;
    end else if (valid_i[watched_q]) begin
      if (!urgent_q) refused_q <= refused_q + 1'b1;
      if (refused_q == COUNT_W'(PATIENCE - 1)) urgent_q <= 1'b1;
    end else begin  // wants nothing
      watched_q <= next_watched;
      refused_q <= '0;
      urgent_q <= 1'b0;
    end
  logic unused;  // the part of a line above its bank
  assign unused = &{1'b0, line_i};
endmodule
`default_nettype wire
