// Stage 3 of VEC: s to f (VOP.func).
//
// Promises    f = s; relu(s); exp, log or reciprocal of the row's first `lanes` lanes and +0 in the others. Rows leave in
//             order as long as rows that take the special-function lanes and rows that do not never meet here
//             (vector_unit issues none of the one kind while the other is under way).
// Latency     none, relu: 1 cycle, one row a cycle. Functions: 3 + SPECIAL_FUNCTION_LATENCY + beats, a beat being
//             SFU_LANES lanes, ceil(lanes / SFU_LANES) beats a row.
// Back-pressure None: at most QUEUE rows for the function lanes may be under way; taken_o says when one has left the queue.
`default_nettype none

module vector_function #(
    parameter LANES = 32,
    parameter SFU_LANES = 4,
    parameter QUEUE = 32
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                valid_i,
    input  logic                last_i,
    input  logic [3:0]          func_i,
    input  logic [5:0]          lanes_i,
    input  logic [LANES*32-1:0] s_i,
    output logic                taken_o,  // a row left the queue in the last cycle
    output logic                valid_o,
    output logic                last_o,
    output logic                busy_o,
    output logic [LANES*32-1:0] f_o
);
  localparam LATENCY = heddle_pkg::SPECIAL_FUNCTION_LATENCY;
  localparam [5:0] BEAT = SFU_LANES[5:0];

  // ------------------------------------------------------------------------------------------------- none and relu
  logic is_function;
  assign is_function = func_i != heddle_isa_pkg::VOP_FUNC_NONE && func_i != heddle_isa_pkg::VOP_FUNC_RELU;

  logic direct_valid_q, direct_last_q;
  logic [LANES*32-1:0] direct_q;
  always_ff @(posedge clk_i) begin : direct
    logic [31:0] i;
    direct_valid_q <= rst_ni && valid_i && !is_function;
    if (valid_i && !is_function) begin
      direct_last_q <= last_i;
      if (func_i == heddle_isa_pkg::VOP_FUNC_RELU) begin
        for (i = 0; i < LANES; i = i + 1) direct_q[32*i +: 32] <= s_i[32*i + 31] ? 32'd0 : s_i[32*i +: 32];
      end else begin
        direct_q <= s_i;
      end
    end
  end

  // ---------------------------------------------------------------------------------- rows that wait for the functions
  logic [1:0] page;
  assign page = func_i == heddle_isa_pkg::VOP_FUNC_EXP ? 2'd0 : func_i == heddle_isa_pkg::VOP_FUNC_LOG ? 2'd1 : 2'd2;

  logic head_valid, head_last;
  logic [1:0] head_page;
  logic [5:0] head_lanes;
  logic [LANES*32-1:0] head_row;
  row_fifo #(.WIDTH(LANES * 32 + 9), .DEPTH(QUEUE)) i_queue (
      .clk_i(clk_i), .rst_ni(rst_ni), .push_i(valid_i && is_function), .data_i({last_i, page, lanes_i, s_i}),
      .pop_i(take), .valid_o(head_valid), .data_o({head_last, head_page, head_lanes, head_row}));

  // ---------------------------------------------------------------------------------------- beats of SFU_LANES lanes
  logic [5:0] base_q;  // the beat's first lane
  logic end_of_row, take;
  assign end_of_row = base_q + BEAT >= head_lanes;
  assign take = head_valid && end_of_row;

  // What travels beside a beat: 13 last row of its instruction, 12 last beat of its row, 11:6 lanes, 5:0 first lane.
  logic beat_valid_q;
  logic [1:0] beat_page_q;
  logic [13:0] beat_q;
  logic [SFU_LANES*32-1:0] beat_x_q;
  always_ff @(posedge clk_i) begin : beats
    logic [31:0] j;
    beat_valid_q <= rst_ni && head_valid;
    if (head_valid) begin
      beat_page_q <= head_page;
      beat_q <= {head_last, end_of_row, head_lanes, base_q};
      for (j = 0; j < SFU_LANES; j = j + 1) beat_x_q[32*j +: 32] <= head_row[32*({26'd0, base_q} + j) +: 32];
    end
    taken_o <= rst_ni && take;
    if (!rst_ni || take) base_q <= 6'd0;
    else if (head_valid) base_q <= base_q + BEAT;
  end

  logic [SFU_LANES-1:0] y_valid, sfu_busy;
  logic [SFU_LANES*32-1:0] y;
  genvar g;
  generate
    for (g = 0; g < SFU_LANES; g = g + 1) begin : gen_lane
      special_function i_function (
          .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(beat_valid_q), .page_i(beat_page_q), .x_i(beat_x_q[32*g +: 32]),
          .valid_o(y_valid[g]), .busy_o(sfu_busy[g]), .y_o(y[32*g +: 32]));
    end
  endgenerate

  logic [14*LATENCY-1:0] beside_q;
  logic y_last, y_end;
  logic [5:0] y_lanes, y_base;
  assign {y_last, y_end, y_lanes, y_base} = beside_q[14*LATENCY-1 -: 14];

  // ----------------------------------------------------------------------------------------------- rows again
  logic row_valid_q, row_last_q;
  logic [LANES*32-1:0] row_q;
  always_ff @(posedge clk_i) begin : collect
    logic [31:0] i;
    logic in_beat;
    if (busy_o) beside_q <= {beside_q[14*(LATENCY-1)-1:0], beat_q};
    row_valid_q <= rst_ni && y_valid[0] && y_end;
    if (y_valid[0]) begin
      row_last_q <= y_last;
      for (i = 0; i < LANES; i = i + 1) begin
        in_beat = {26'd0, y_base} == i - i % SFU_LANES;
        if (in_beat && i < {26'd0, y_lanes}) row_q[32*i +: 32] <= y[32*(i % SFU_LANES) +: 32];
        else if (in_beat || y_base == 6'd0) row_q[32*i +: 32] <= 32'd0;
      end
    end
  end

  assign valid_o = direct_valid_q || row_valid_q;
  assign last_o = direct_valid_q ? direct_last_q : row_last_q;
  assign f_o = direct_valid_q ? direct_q : row_q;
  assign busy_o = direct_valid_q || head_valid || beat_valid_q || sfu_busy[0] || row_valid_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i)
    if (rst_ni && direct_valid_q && row_valid_q) $error("vector_function: two rows at once");
`endif
  logic unused_busy;
  assign unused_busy = &{1'b0, sfu_busy, y_valid};
endmodule

`default_nettype wire
