// Sum over rows, lane by lane, in 16 interleaved partial sums.
//
// Promises    Row i is added to partial sum i mod 16, i ascending, each starting from +0; after the last row
//             p[j] + p[j + 8], then + 4, + 2, + 1 (docs/design.md, section 2).
// Latency     From the last row to the result about 4 * (FP32_ADD_LATENCY + 2) + 12 cycles. One row a cycle before.
// Back-pressure None: the next instruction's rows may come only after the result (vector_unit sees to it).
// Limits      FP32_ADD_LATENCY below 15.
`default_nettype none

module row_sum #(
    parameter LANES = 32
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                valid_i,
    input  logic                last_i,
    input  logic [LANES*32-1:0] row_i,
    output logic                valid_o,
    output logic                busy_o,
    output logic [LANES*32-1:0] sum_o
);
  localparam LATENCY = heddle_pkg::FP32_ADD_LATENCY + 1;  // operands are registered first

  logic [LANES*32-1:0] partial[0:15];
  logic [15:0] begun_q;    // partial sums that a row was added to
  logic [15:0] pending_q;  // partial sums that the adder works on
  logic [3:0] target_q;    // partial sum that takes the next row, or the tree's next sum
  logic tree_q;            // all rows are in
  logic [3:0] step_q;      // addition of the tree

  // Addition n of the tree: p[j] + p[k]; target_q is j.
  logic [3:0] k_q, next_step, next_j, next_k;
  assign next_step = step_q + 4'd1;
  always_comb begin
    next_j = 4'd0;
    next_k = 4'd1;
    if (next_step < 4'd8) begin
      next_j = next_step;
      next_k = next_step | 4'd8;
    end else if (next_step < 4'd12) begin
      next_j = next_step & 4'd3;
      next_k = (next_step & 4'd3) | 4'd4;
    end else if (next_step < 4'd14) begin
      next_j = next_step & 4'd1;
      next_k = (next_step & 4'd1) | 4'd2;
    end
  end

  logic tree_fire, final_fire;
  assign tree_fire = tree_q && !pending_q[target_q] && !pending_q[k_q];
  assign final_fire = tree_fire && step_q == 4'd14;

  logic [LANES*32-1:0] a_q, b_q;
  logic add_valid, enter_q, sum_valid, final_out;
  logic [15:0] entering, returning;  // partial sums, one bit each
  assign add_valid = valid_i || tree_fire;
  always_ff @(posedge clk_i) begin
    enter_q <= rst_ni && add_valid;
    if (add_valid) begin
      a_q <= begun_q[target_q] ? partial[target_q] : '0;
      b_q <= !tree_q ? row_i : begun_q[k_q] ? partial[k_q] : '0;
    end
  end
  fp32_add #(.LANES(LANES)) i_add (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(enter_q), .a_i(a_q), .b_i(b_q), .valid_o(sum_valid), .sum_o(sum_o));

  // Beside the adder: 4 the result, 3:0 where the sum goes.
  logic [5*LATENCY-1:0] beside_q;
  logic [3:0] back;
  assign {final_out, back} = beside_q[5*LATENCY-1 -: 5];
  assign entering = {15'd0, add_valid} << target_q;
  assign returning = {15'd0, sum_valid} << back;
  assign valid_o = sum_valid && final_out;
  assign busy_o = begun_q != '0 || pending_q != '0;

  always_ff @(posedge clk_i) begin
    beside_q <= {beside_q[5*LATENCY-6:0], final_fire, target_q};
    if (sum_valid) partial[back] <= sum_o;
    if (!rst_ni) begin
      begun_q <= '0;
      pending_q <= '0;
      tree_q <= 1'b0;
      step_q <= '0;
      target_q <= 4'd0;
      k_q <= 4'd8;
    end else begin
      pending_q <= (pending_q & ~returning) | entering;
      begun_q <= begun_q | entering;
      if (valid_i) begin
        target_q <= last_i ? 4'd0 : target_q + 4'd1;
        if (last_i) tree_q <= 1'b1;
      end
      if (tree_fire) begin
        step_q <= next_step;
        target_q <= next_j;
        k_q <= next_k;
      end
      if (final_fire) begin
        begun_q <= '0;
        tree_q <= 1'b0;
        step_q <= '0;
        target_q <= 4'd0;
        k_q <= 4'd8;
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i)
    if (rst_ni && valid_i) begin
      if (tree_q) $error("row_sum: a row before the last sum's result");
      if (pending_q[target_q]) $error("row_sum: the partial sum is still in the adder");
    end
`endif
endmodule

`default_nettype wire
