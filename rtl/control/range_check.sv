// Does the last address that an instruction touches lie below its limit? Terms arrive one a cycle; a term is count_i * stride_i.
//
// Device side: u_base_i + the sum of the terms since `first`, against the unified buffer's lines, the accumulators' rows of 32 lanes (u_acc_i) or
// the rows that MATMUL addresses (u_matmul_i with u_acc_i). Memory side: m_base_i + terms with m_stride_i, against m_lines_i. Because no term is
// negative, each partial sum may be compared. start_i marks the first term of an instruction and clears the flags.
// Latency: a term shows in the flags 4 steps after it is given. All stages move with step_i; stages without a term cost nothing.
`default_nettype none

module range_check #(
    parameter UB_LINES = 16384,
    parameter ACC_ROWS = 2048,
    parameter COLS     = 32
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        step_i,
    input  logic        valid_i,
    input  logic        start_i,
    input  logic [11:0] count_i,
    input  logic        u_check_i,
    input  logic        u_first_i,
    input  logic        u_acc_i,
    input  logic        u_matmul_i,
    input  logic [17:0] u_base_i,
    input  logic [15:0] u_stride_i,
    input  logic        m_check_i,
    input  logic        m_first_i,
    input  logic [27:0] m_base_i,
    input  logic [25:0] m_stride_i,
    input  logic [31:0] m_lines_i,
    output logic        ub_bad_o,
    output logic        acc_bad_o,
    output logic        memory_bad_o
);
  localparam [31:0] ACC_LINES = (COLS > 32) ? ACC_ROWS * (COLS / 32) : ACC_ROWS;

  // The device side's sum stays below 2^29, the memory side's below 2^38: the widest fields of the table.
  localparam [29:0] UB_LIMIT = UB_LINES[29:0];
  localparam [29:0] ACC_LIMIT = ACC_LINES[29:0];
  localparam [29:0] MATMUL_LIMIT = ACC_ROWS[29:0];

  // Per stage: 1 operands, 2 products, 3 sums.
  logic [3:1] valid_q, start_q, u_check_q, u_acc_q, u_matmul_q, m_check_q;
  logic [2:1] u_first_q, m_first_q;
  logic [11:0] count_q;
  logic [15:0] u_stride_q;
  logic [25:0] m_stride_q;
  logic [17:0] u_base1_q, u_base2_q;
  logic [27:0] m_base1_q, m_base2_q;
  logic [31:0] m_lines1_q, m_lines2_q, m_lines3_q;
  logic [27:0] u_product_q;
  logic [37:0] m_product_q;
  logic [29:0] u_sum_q;
  logic [38:0] m_sum_q;
  logic u_over, acc_over, m_over;

  assign u_over   = u_check_q[3] && !u_acc_q[3] && u_sum_q >= UB_LIMIT;
  assign acc_over = u_check_q[3] && u_acc_q[3] && u_sum_q >= (u_matmul_q[3] ? MATMUL_LIMIT : ACC_LIMIT);
  assign m_over   = m_check_q[3] && m_sum_q >= {7'd0, m_lines3_q};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 3'd0;
    else if (step_i) begin
      valid_q <= {valid_q[2:1], valid_i};
      if (valid_i) begin
        count_q       <= count_i;
        start_q[1]    <= start_i;
        u_check_q[1]  <= u_check_i;
        u_first_q[1]  <= u_first_i;
        u_acc_q[1]    <= u_acc_i;
        u_matmul_q[1] <= u_matmul_i;
        u_base1_q     <= u_base_i;
        u_stride_q    <= u_stride_i;
        m_check_q[1]  <= m_check_i;
        m_first_q[1]  <= m_first_i;
        m_base1_q     <= m_base_i;
        m_stride_q    <= m_stride_i;
        m_lines1_q    <= m_lines_i;
      end
      if (valid_q[1]) begin
        start_q[2]    <= start_q[1];
        u_check_q[2]  <= u_check_q[1];
        u_first_q[2]  <= u_first_q[1];
        u_acc_q[2]    <= u_acc_q[1];
        u_matmul_q[2] <= u_matmul_q[1];
        u_base2_q     <= u_base1_q;
        u_product_q   <= {16'd0, count_q} * {12'd0, u_stride_q};
        m_check_q[2]  <= m_check_q[1];
        m_first_q[2]  <= m_first_q[1];
        m_base2_q     <= m_base1_q;
        m_product_q   <= {26'd0, count_q} * {12'd0, m_stride_q};
        m_lines2_q    <= m_lines1_q;
      end
      if (valid_q[2]) begin
        start_q[3]    <= start_q[2];
        u_check_q[3]  <= u_check_q[2];
        u_acc_q[3]    <= u_acc_q[2];
        u_matmul_q[3] <= u_matmul_q[2];
        u_sum_q       <= (u_first_q[2] ? {12'd0, u_base2_q} : u_sum_q) + {2'd0, u_product_q};
        m_check_q[3]  <= m_check_q[2];
        m_sum_q       <= (m_first_q[2] ? {11'd0, m_base2_q} : m_sum_q) + {1'b0, m_product_q};
        m_lines3_q    <= m_lines2_q;
      end
      if (valid_q[3]) begin
        ub_bad_o     <= u_over || (ub_bad_o && !start_q[3]);
        acc_bad_o    <= acc_over || (acc_bad_o && !start_q[3]);
        memory_bad_o <= m_over || (memory_bad_o && !start_q[3]);
      end
    end
  end
endmodule

`default_nettype wire
