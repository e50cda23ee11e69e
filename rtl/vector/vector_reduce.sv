// Stage 4 of VEC: f to the result (VOP.reduce).
//
// Promises    The row itself; its first `lanes` lanes' sum or maximum in all lanes; or, after the last row, the sum over
//             the rows. Results leave in order as long as rows of different reductions never meet here, and no row
//             comes before the last row_sum's result (vector_unit sees to both).
// Latency     none 1, lane_sum 1 + 5 * FP32_ADD_LATENCY, lane_max 6 cycles, row_sum see row_sum.sv. One row a cycle.
`default_nettype none

module vector_reduce #(
    parameter LANES = 32
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                valid_i,
    input  logic                last_i,
    input  logic [2:0]          reduce_i,
    input  logic [5:0]          lanes_i,
    input  logic [LANES*32-1:0] f_i,
    output logic                valid_o,
    output logic                last_o,
    output logic                busy_o,   // a row is in here, or a sum over rows under way
    output logic [LANES*32-1:0] r_o
);
  logic none_q, sum_q, max_q, rows_q, last_q;
  logic [LANES*32-1:0] row_q;

  always_ff @(posedge clk_i) begin : mask
    logic [31:0] i, other;
    logic lanes_only;
    none_q <= rst_ni && valid_i && reduce_i == heddle_isa_pkg::VOP_REDUCE_NONE;
    sum_q <= rst_ni && valid_i && reduce_i == heddle_isa_pkg::VOP_REDUCE_LANE_SUM;
    max_q <= rst_ni && valid_i && reduce_i == heddle_isa_pkg::VOP_REDUCE_LANE_MAX;
    rows_q <= rst_ni && valid_i && reduce_i == heddle_isa_pkg::VOP_REDUCE_ROW_SUM;
    if (valid_i) begin
      last_q <= last_i;
      lanes_only = reduce_i == heddle_isa_pkg::VOP_REDUCE_LANE_SUM || reduce_i == heddle_isa_pkg::VOP_REDUCE_LANE_MAX;
      other = reduce_i == heddle_isa_pkg::VOP_REDUCE_LANE_SUM ? 32'd0 : 32'hFF80_0000;
      if (lanes_only) begin
        for (i = 0; i < LANES; i = i + 1) row_q[32*i +: 32] <= i < {26'd0, lanes_i} ? f_i[32*i +: 32] : other;
      end else begin
        row_q <= f_i;
      end
    end
  end

  logic sum_valid, sum_last, max_valid, max_last, rows_valid, rows_busy;
  logic [31:0] sum, max;
  logic [LANES*32-1:0] rows;
  lane_reduce #(.LANES(LANES)) i_lanes (
      .clk_i(clk_i), .rst_ni(rst_ni), .sum_valid_i(sum_q), .max_valid_i(max_q), .last_i(last_q), .row_i(row_q),
      .sum_valid_o(sum_valid), .sum_last_o(sum_last), .sum_o(sum), .max_valid_o(max_valid), .max_last_o(max_last),
      .max_o(max));
  row_sum #(.LANES(LANES)) i_rows (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(rows_q), .last_i(last_q), .row_i(row_q), .valid_o(rows_valid),
      .busy_o(rows_busy), .sum_o(rows));

  assign valid_o = none_q || sum_valid || max_valid || rows_valid;
  assign last_o = sum_valid ? sum_last : max_valid ? max_last : rows_valid ? 1'b1 : last_q;
  always_comb begin
    r_o = row_q;
    if (rows_valid) r_o = rows;
    if (sum_valid) r_o = {LANES{sum}};
    if (max_valid) r_o = {LANES{max}};
  end
  assign busy_o = none_q || sum_q || max_q || rows_q || rows_busy;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i)
    if (rst_ni && {2'd0, none_q} + {2'd0, sum_valid} + {2'd0, max_valid} + {2'd0, rows_valid} > 3'd1)
      $error("vector_reduce: two results at once");
`endif
endmodule

`default_nettype wire
