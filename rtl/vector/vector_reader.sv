// Asks the memories for the operands of VEC, row by row, and hands them out as rows of fp32.
//
// Promises    Requests of operands a and b run independently, each in row order; instructions in order.
// Throughput  A row a cycle and operand; the next instruction's first request follows the last one without a gap.
// Back-pressure start_ready_o: an instruction is taken. Ports: unified-buffer pair reads (0 a, 1 b) and accumulators answer
//             3 cycles after acceptance; room for the answers is kept.
// Limits      a and b are not both in the accumulators (the dispatcher checks).
`default_nettype none

module vector_reader #(
    parameter LANES = 32
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  start_valid_i,
    output logic                  start_ready_o,
    input  logic [127:0]          cmd_i,
    // Unified buffer: port 0 a, port 1 b.
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
    // Rows.
    output logic                  a_valid_o,
    output logic [LANES*32-1:0]   a_o,
    input  logic                  a_pop_i,
    output logic                  b_valid_o,
    output logic [LANES*32-1:0]   b_o,
    input  logic                  b_pop_i
);
  localparam RSP = heddle_pkg::ACC_READ_LATENCY;  // the unified buffer's as well

  logic [1:0] a_kind, b_kind;
  logic [11:0] rows;
  assign a_kind = cmd_i[heddle_isa_pkg::VEC_A_KIND_LSB +: heddle_isa_pkg::VEC_A_KIND_W];
  assign b_kind = cmd_i[heddle_isa_pkg::VEC_B_KIND_LSB +: heddle_isa_pkg::VEC_B_KIND_W];
  assign rows = cmd_i[heddle_isa_pkg::VEC_ROWS_LSB +: heddle_isa_pkg::VEC_ROWS_W];

  // ---------------------------------------------------------------------- one request stream per operand: 0 a, 1 b
  logic [11:0] left_q[0:1];  // requests to make
  logic [1:0]  any_q, one_q;  // of them: some, exactly one
  logic [17:0] line_q[0:1];
  logic [9:0]  stride_q[0:1];
  logic [1:0]  acc_q, fp32_q;
  logic [1:0]  room, want, accepted, finished;
  // Kinds of the answers under way, newest first.
  logic [RSP-1:0] a_fp32_q, b_fp32_q, acc_to_b_q;

  assign want = any_q & room;
  assign prd_valid_o = want & ~acc_q;
  assign prd_pair_o = fp32_q;
  assign prd_line_o = {line_q[1], line_q[0]};
  assign acc_valid_o = |(want & acc_q);
  assign acc_row_o = acc_q[1] ? line_q[1][12:0] : line_q[0][12:0];
  assign accepted = want & ((acc_q & {2{acc_ready_i}}) | (~acc_q & prd_ready_i));
  assign finished = ~any_q | (one_q & accepted);
  assign start_ready_o = &finished;

  always_ff @(posedge clk_i) begin
    a_fp32_q <= {a_fp32_q[RSP-2:0], fp32_q[0]};
    b_fp32_q <= {b_fp32_q[RSP-2:0], fp32_q[1]};
    acc_to_b_q <= {acc_to_b_q[RSP-2:0], acc_q[1]};
    if (accepted[0]) begin
      left_q[0] <= left_q[0] - 12'd1;
      any_q[0] <= !one_q[0];
      one_q[0] <= left_q[0] == 12'd2;
      line_q[0] <= line_q[0] + {8'd0, stride_q[0]};
    end
    if (accepted[1]) begin
      left_q[1] <= left_q[1] - 12'd1;
      any_q[1] <= !one_q[1];
      one_q[1] <= left_q[1] == 12'd2;
      line_q[1] <= line_q[1] + {8'd0, stride_q[1]};
    end
    if (start_valid_i && start_ready_o) begin
      left_q[0] <= rows;
      left_q[1] <= rows;
      any_q <= {b_kind != heddle_isa_pkg::VEC_B_KIND_NONE, a_kind != heddle_isa_pkg::VEC_A_KIND_IMM};
      one_q <= {2{rows == 12'd1}};
      line_q[0] <= cmd_i[heddle_isa_pkg::VEC_A_LINE_LSB +: heddle_isa_pkg::VEC_A_LINE_W];
      line_q[1] <= cmd_i[heddle_isa_pkg::VEC_B_LINE_LSB +: heddle_isa_pkg::VEC_B_LINE_W];
      stride_q[0] <= cmd_i[heddle_isa_pkg::VEC_A_STRIDE_LSB +: heddle_isa_pkg::VEC_A_STRIDE_W];
      stride_q[1] <= cmd_i[heddle_isa_pkg::VEC_B_STRIDE_LSB +: heddle_isa_pkg::VEC_B_STRIDE_W];
      acc_q <= {b_kind == heddle_isa_pkg::VEC_B_KIND_ACC, a_kind == heddle_isa_pkg::VEC_A_KIND_ACC};
      fp32_q <= {b_kind == heddle_isa_pkg::VEC_B_KIND_FP32, a_kind == heddle_isa_pkg::VEC_A_KIND_FP32};
    end
    if (!rst_ni) begin
      any_q <= '0;
    end
  end

  // ------------------------------------------------------------------------------------------------------- answers
  vector_operand #(.LANES(LANES)) i_a (
      .clk_i(clk_i), .rst_ni(rst_ni), .accepted_i(accepted[0]), .room_o(room[0]), .ub_valid_i(prd_rsp_valid_i[0]),
      .ub_fp32_i(a_fp32_q[RSP-1]), .ub_data_i(prd_rsp_data_i[LANES*32-1:0]),
      .acc_valid_i(acc_rsp_valid_i && !acc_to_b_q[RSP-1]), .acc_data_i(acc_rsp_data_i), .valid_o(a_valid_o),
      .data_o(a_o), .pop_i(a_pop_i));
  vector_operand #(.LANES(LANES)) i_b (
      .clk_i(clk_i), .rst_ni(rst_ni), .accepted_i(accepted[1]), .room_o(room[1]), .ub_valid_i(prd_rsp_valid_i[1]),
      .ub_fp32_i(b_fp32_q[RSP-1]), .ub_data_i(prd_rsp_data_i[2*LANES*32-1:LANES*32]),
      .acc_valid_i(acc_rsp_valid_i && acc_to_b_q[RSP-1]), .acc_data_i(acc_rsp_data_i), .valid_o(b_valid_o),
      .data_o(b_o), .pop_i(b_pop_i));
endmodule

`default_nettype wire
