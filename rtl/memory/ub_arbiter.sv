// Arbiter of the unified buffer's read side or write side: which requesters may access their banks in this cycle.
//
// Promises   No two accepted requests meet in a bank; the most important request is always accepted; a request that
//            was refused for PATIENCE cycles while it was watched becomes urgent, that is, the most important one, until
//            the cycle after it was accepted. One requester is watched at a time, in turn, so the wait of each is bounded.
// Priority   The urgent one, then ascending index. A request blocks those behind it even if it is refused itself:
//            so each pair of requesters is compared once and nothing ripples, at the price of a rare lost slot.
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
  localparam COUNT_W = $clog2(PATIENCE + 1);

  // One-hot: the requester that is watched; it too once it is urgent. What happened in the cycle before is looked at, which
  // keeps the arbitration itself out of this path.
  logic [REQUESTERS-1:0] watched_q, urgent_q, asked_q, served_q;
  logic [COUNT_W-1:0]    refused_q;  // cycles in a row

  // Narrow copies with array indices: what simulates fast.
  logic [BANK_W-1:0] bank [0:REQUESTERS-1];
  genvar g;
  generate
    for (g = 0; g < REQUESTERS; g = g + 1) begin : gen_bank
      assign bank[g] = line_i[g*18 +: BANK_W];
    end
  endgenerate

  // A pair takes an even bank and the one above it.
  function automatic meet(input [BANK_W-1:0] a, input pair_a, input [BANK_W-1:0] b, input pair_b);
    meet = a[BANK_W-1:1] == b[BANK_W-1:1] && (pair_a || pair_b || a[0] == b[0]);
  endfunction

  logic [REQUESTERS-1:0] ahead, blocked;
  always_comb begin : arbitrate
    logic [31:0] i, j;
    j = '0;
    ahead = '0;
    blocked = '0;
    for (i = 0; i < REQUESTERS; i = i + 1)
      if (valid_i[i]) begin
        ahead = valid_i & (urgent_q | ((REQUESTERS'(1) << i) - REQUESTERS'(1)));
        for (j = 0; j < REQUESTERS; j = j + 1)
          if (j != i && ahead[j] && meet(bank[i], pair_i[i], bank[j], pair_i[j])) blocked[i] = 1'b1;
      end
    ready_o = valid_i & (~blocked | urgent_q);
  end

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      watched_q <= REQUESTERS'(1);
      urgent_q <= '0;
      asked_q <= '0;
      served_q <= '0;
      refused_q <= '0;
    end else begin
      asked_q <= valid_i;
      served_q <= ready_o;
      if ((watched_q & asked_q & ~served_q) != '0) begin
        if (refused_q == COUNT_W'(PATIENCE - 1)) urgent_q <= watched_q;
        else refused_q <= refused_q + 1'b1;
      end else begin  // served, or wants nothing: watch the next one
        watched_q <= {watched_q[REQUESTERS-2:0], watched_q[REQUESTERS-1]};
        urgent_q <= '0;
        refused_q <= '0;
      end
    end
  logic unused;  // the part of a line above its bank
  assign unused = &{1'b0, line_i};
endmodule
`default_nettype wire
