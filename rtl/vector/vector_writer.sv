// Writes the results of VEC, and their bf16 copy, to the unified buffer.
//
// Promises    Rows in order; a row leaves when its result and its copy have both been accepted. done_o: one cycle after the
//             last row of an instruction has left.
// Latency     2 cycles from result to request. One row a cycle.
// Back-pressure Takes every result: at most DEPTH rows may be under way; left_o says when one has left the buffer.
`default_nettype none

module vector_writer #(
    parameter LANES = 32,
    parameter DEPTH = 64
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                valid_i,
    input  logic                last_i,
    input  logic [LANES*32-1:0] row_i,
    output logic                left_o,
    // What the head's instruction says; next_o: the one after it from the next cycle on.
    input  logic [127:0]        cmd_i,
    input  logic [127:0]        prefix_i,
    output logic                next_o,
    // Result.
    output logic                pwr_valid_o,
    output logic                pwr_pair_o,
    output logic [17:0]         pwr_line_o,
    output logic [LANES*32-1:0] pwr_data_o,
    input  logic                pwr_ready_i,
    // Copy.
    output logic                wr_valid_o,
    output logic [17:0]         wr_line_o,
    output logic [LANES*16-1:0] wr_data_o,
    input  logic                wr_ready_i,
    output logic                done_o,
    output logic                busy_o
);
  logic head_valid, head_last;
  logic [LANES*32-1:0] head;
  row_fifo #(.WIDTH(LANES * 32 + 1), .DEPTH(DEPTH)) i_rows (
      .clk_i(clk_i), .rst_ni(rst_ni), .push_i(valid_i), .data_i({last_i, row_i}), .pop_i(left_o), .valid_o(head_valid),
      .data_o({head_last, head}));

  // --------------------------------------------------------------------------------------------- the row that is offered
  logic valid_q, last_q, fp32_q, copy_q;
  logic d_done_q, copy_done_q;  // accepted in an earlier cycle
  logic [LANES*32-1:0] fp32_row_q;
  logic [LANES*16-1:0] bf16_row_q;
  logic [17:0] d_line_q, copy_line_q;
  logic first_q;  // the head is its instruction's first row

  logic d_done, copy_done, leaves;
  assign d_done = d_done_q || pwr_ready_i;
  assign copy_done = !copy_q || copy_done_q || wr_ready_i;
  assign leaves = valid_q && d_done && copy_done;
  assign left_o = head_valid && (!valid_q || leaves);
  assign next_o = left_o && head_last;

  assign pwr_valid_o = valid_q && !d_done_q;
  assign pwr_pair_o = fp32_q;
  assign pwr_line_o = d_line_q;
  assign pwr_data_o = fp32_q ? fp32_row_q : {{(LANES * 16) {1'b0}}, bf16_row_q};
  assign wr_valid_o = valid_q && copy_q && !copy_done_q;
  assign wr_line_o = copy_line_q;
  assign wr_data_o = bf16_row_q;
  assign busy_o = valid_q || done_o;

  logic [17:0] d_line, copy_line;
  logic [9:0] d_stride, copy_stride;
  assign d_line = cmd_i[heddle_isa_pkg::VEC_D_LINE_LSB +: heddle_isa_pkg::VEC_D_LINE_W];
  assign d_stride = cmd_i[heddle_isa_pkg::VEC_D_STRIDE_LSB +: heddle_isa_pkg::VEC_D_STRIDE_W];
  assign copy_line = prefix_i[heddle_isa_pkg::VOP_COPY_LINE_LSB +: heddle_isa_pkg::VOP_COPY_LINE_W];
  assign copy_stride = prefix_i[heddle_isa_pkg::VOP_COPY_STRIDE_LSB +: heddle_isa_pkg::VOP_COPY_STRIDE_W];

  always_ff @(posedge clk_i) begin : offer
    logic [31:0] i, v;
    if (left_o) begin
      for (i = 0; i < LANES; i = i + 1) begin
        v = head[32*i +: 32];
        v = v + 32'h7FFF + {31'd0, v[16]};  // Inf and NaN have no low bits, so that they stay
        bf16_row_q[16*i +: 16] <= v[31:16];
      end
      fp32_row_q <= head;
      last_q <= head_last;
      fp32_q <= cmd_i[heddle_isa_pkg::VEC_D_KIND_LSB] == heddle_isa_pkg::VEC_D_KIND_FP32;
      copy_q <= prefix_i[heddle_isa_pkg::VOP_COPY_LSB];
      d_line_q <= first_q ? d_line : d_line_q + {8'd0, d_stride};
      copy_line_q <= first_q ? copy_line : copy_line_q + {8'd0, copy_stride};
    end
    done_o <= rst_ni && leaves && last_q;
    if (!rst_ni) begin
      valid_q <= 1'b0;
      d_done_q <= 1'b0;
      copy_done_q <= 1'b0;
      first_q <= 1'b1;
    end else begin
      if (left_o) begin
        valid_q <= 1'b1;
        first_q <= head_last;
      end else if (leaves) begin
        valid_q <= 1'b0;
      end
      d_done_q <= valid_q && d_done && !leaves;
      copy_done_q <= valid_q && copy_q && copy_done && !leaves;
    end
  end
endmodule

`default_nettype wire
