// Tokens at run time: lets the head of each unit's queue start when every unit in its wait mask has given it a token.
//
// Promises: take_o[u] and the removal of its tokens happen together; a token posted in a cycle can be taken in that cycle; a pair that is posted
// to and taken from in one cycle keeps its count. freeze_i: nothing is taken. Throughput: all units every cycle.
// Pair (from, to) is at 5 * from + to in the masks: posts_i[5 * u +: 5] are the units that u posts to, waits_i[5 * u +: 5] those it waits for.
// lacking_o[5 * u +: 5]: the tokens that the head of u lacks.
// Limits: a count goes up to 255. It stays below 64 + DEPTH + 1, because the dispatcher keeps posts less waits of dispatched instructions
// below 64 and at most DEPTH + 1 of a unit's instructions wait.
`default_nettype none

module token_unit (
    input  logic        clk_i,
    input  logic        clear_i,
    input  logic        freeze_i,
    input  logic [ 4:0] done_i,
    input  logic [24:0] posts_i,
    input  logic [ 4:0] heads_i,
    input  logic [24:0] waits_i,
    output logic [ 4:0] take_o,
    output logic [24:0] lacking_o
);
  logic [7:0] count_q[0:24];  // blocking: used in one block only
  logic [24:0] some_q;  // count is not zero
  logic [24:0] posted, there;
  logic [31:0] i0, i1, i2, i3, i4;

  always_comb begin
    lacking_o = 25'd0;
    posted    = 25'd0;
    take_o    = 5'd0;
    i0        = 32'd0;
    i1        = 32'd0;
    if (done_i != 5'd0)
      for (i0 = 0; i0 < 5; i0 = i0 + 1) if (done_i[i0[2:0]]) posted[i0*5 +: 5] = posts_i[i0*5 +: 5];
    there = some_q | posted;
    if (heads_i != 5'd0)
      for (i1 = 0; i1 < 5; i1 = i1 + 1)
        if (heads_i[i1[2:0]]) begin
          lacking_o[i1*5 +: 5] = waits_i[i1*5 +: 5] &
              ~{there[20+i1], there[15+i1], there[10+i1], there[5+i1], there[i1]};
          take_o[i1[2:0]] = lacking_o[i1*5 +: 5] == 5'd0 && !freeze_i;
        end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      for (i2 = 0; i2 < 25; i2 = i2 + 1) count_q[i2] = 8'd0;
      some_q <= 25'd0;
    end else if (done_i != 5'd0 || take_o != 5'd0) begin
      for (i3 = 0; i3 < 5; i3 = i3 + 1)
        for (i4 = 0; i4 < 5; i4 = i4 + 1) begin
          if (posted[i3*5+i4] && !(take_o[i4[2:0]] && waits_i[i4*5+i3])) begin
`ifndef SYNTHESIS
            if (count_q[i3*5+i4] == 8'd255) $error("more tokens than a counter holds");
`endif
            count_q[i3*5+i4] = count_q[i3*5+i4] + 8'd1;
            some_q[i3*5+i4] <= 1'b1;
          end else if (!posted[i3*5+i4] && take_o[i4[2:0]] && waits_i[i4*5+i3]) begin
            some_q[i3*5+i4] <= count_q[i3*5+i4] != 8'd1;
            count_q[i3*5+i4] = count_q[i3*5+i4] - 8'd1;
          end
        end
    end
  end
endmodule

`default_nettype wire
