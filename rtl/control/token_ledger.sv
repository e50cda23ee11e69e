// The dispatcher's account of tokens: per ordered pair of units, posts dispatched minus waits dispatched.
//
// look_i (one cycle, with unit, wait and post, which then hold until the next look_i): underflow_o and overflow_o are valid from 2 cycles later.
// commit_i enters the instruction; not in the two cycles of a look. Waits are taken before posts are added, so a unit that waits for itself and
// posts to itself leaves the account as it was. unit_i is one-hot; 0 for words without a unit. Pair (from, to) is at 5 * from + to.
`default_nettype none

module token_ledger (
    input  logic       clk_i,
    input  logic       clear_i,
    input  logic       look_i,
    input  logic       commit_i,
    input  logic [4:0] unit_i,
    input  logic [4:0] wait_i,
    input  logic [4:0] post_i,
    output logic       underflow_o,
    output logic       overflow_o
);
  localparam [5:0] MOST = 6'd63;

  logic [5:0] balance_q[0:24];  // blocking: used in this block only
  logic look_q;
  logic [4:0] some_q;  // by source: it has a token for this unit
  logic [4:0] full_q;  // by destination: it holds the most tokens from this unit
  logic [31:0] i0, i1, i2, i3;

  always_ff @(posedge clk_i) begin
    look_q <= look_i;
    if (look_i) begin
      for (i0 = 0; i0 < 5; i0 = i0 + 1) begin
        some_q[i0[2:0]] <= (unit_i[0] && balance_q[i0*5] != 6'd0) || (unit_i[1] && balance_q[i0*5+1] != 6'd0) ||
                           (unit_i[2] && balance_q[i0*5+2] != 6'd0) || (unit_i[3] && balance_q[i0*5+3] != 6'd0) ||
                           (unit_i[4] && balance_q[i0*5+4] != 6'd0);
        full_q[i0[2:0]] <= (unit_i[0] && balance_q[i0] == MOST) || (unit_i[1] && balance_q[i0+5] == MOST) ||
                           (unit_i[2] && balance_q[i0+10] == MOST) || (unit_i[3] && balance_q[i0+15] == MOST) ||
                           (unit_i[4] && balance_q[i0+20] == MOST);
      end
    end
    if (look_q) begin
      underflow_o <= |(wait_i & ~some_q);
      overflow_o  <= |(post_i & full_q & ~(unit_i & wait_i));
    end
    if (clear_i) begin
      for (i1 = 0; i1 < 25; i1 = i1 + 1) balance_q[i1] = 6'd0;
    end else if (commit_i) begin
      for (i2 = 0; i2 < 5; i2 = i2 + 1) begin
        for (i3 = 0; i3 < 5; i3 = i3 + 1) begin
          if ((unit_i[i2[2:0]] && post_i[i3[2:0]]) && !(unit_i[i3[2:0]] && wait_i[i2[2:0]]))
            balance_q[i2*5+i3] = balance_q[i2*5+i3] + 6'd1;
          if (!(unit_i[i2[2:0]] && post_i[i3[2:0]]) && (unit_i[i3[2:0]] && wait_i[i2[2:0]]))
            balance_q[i2*5+i3] = balance_q[i2*5+i3] - 6'd1;
        end
      end
    end
  end
endmodule

`default_nettype wire
