// Are a word's fields legal? The table's rules (generated) and the rules of docs/design.md, section 6, that a table cannot say.
//
// Latency: illegal_o 2 cycles after valid_i with the word; it holds until the next one. Nothing is evaluated without valid_i.
`default_nettype none

module field_check #(
    parameter COLS = 32
) (
    input  logic         clk_i,
    input  logic         valid_i,
    input  logic [127:0] word_i,
    output logic         illegal_o
);
  localparam [7:0] COLUMNS = COLS[7:0];

  // lane_group has to leave room for the configured columns within 32 lanes.
  function automatic lanes_fit(input [1:0] lane_group);
    if (COLS >= 32) lanes_fit = (lane_group == 2'd0);
    else lanes_fit = ({3'd0, lane_group, 3'd0} + COLUMNS <= 8'd32);
  endfunction

  function automatic even(input line_lsb, input stride_lsb);
    even = !line_lsb && !stride_lsb;
  endfunction

  logic pending_q;
  logic [7:0] table_q;  // by opcode: the table's rules hold
  logic store_rules_q, wload_rules_q, matmul_rules_q, vec_rules_q;  // the other rules hold
  logic [4:0] opcode_q;
  logic post_mxu, wload_lanes, vec_even, illegal_d;

  assign post_mxu = word_i[heddle_isa_pkg::POST_LSB+{29'd0, heddle_isa_pkg::UNIT_MXU}];
  assign wload_lanes = word_i[heddle_isa_pkg::WLOAD_TRANSPOSE_LSB] ?
      word_i[heddle_isa_pkg::WLOAD_LANE_GROUP_LSB +: heddle_isa_pkg::WLOAD_LANE_GROUP_W] == 2'd0 :
      lanes_fit(word_i[heddle_isa_pkg::WLOAD_LANE_GROUP_LSB +: heddle_isa_pkg::WLOAD_LANE_GROUP_W]);
  assign vec_even =
      (word_i[heddle_isa_pkg::VEC_A_KIND_LSB +: heddle_isa_pkg::VEC_A_KIND_W] != heddle_isa_pkg::VEC_A_KIND_FP32 ||
       even(word_i[heddle_isa_pkg::VEC_A_LINE_LSB], word_i[heddle_isa_pkg::VEC_A_STRIDE_LSB])) &&
      (word_i[heddle_isa_pkg::VEC_B_KIND_LSB +: heddle_isa_pkg::VEC_B_KIND_W] != heddle_isa_pkg::VEC_B_KIND_FP32 ||
       even(word_i[heddle_isa_pkg::VEC_B_LINE_LSB], word_i[heddle_isa_pkg::VEC_B_STRIDE_LSB])) &&
      (word_i[heddle_isa_pkg::VEC_D_KIND_LSB] != heddle_isa_pkg::VEC_D_KIND_FP32 ||
       even(word_i[heddle_isa_pkg::VEC_D_LINE_LSB], word_i[heddle_isa_pkg::VEC_D_STRIDE_LSB]));

  always_comb begin
    case (opcode_q)
      heddle_isa_pkg::OP_HALT: illegal_d = !table_q[0];
      heddle_isa_pkg::OP_DIMS: illegal_d = !table_q[1];
      heddle_isa_pkg::OP_LOAD: illegal_d = !table_q[2];
      heddle_isa_pkg::OP_STORE: illegal_d = !(table_q[3] && store_rules_q);
      heddle_isa_pkg::OP_WLOAD: illegal_d = !(table_q[4] && wload_rules_q);
      heddle_isa_pkg::OP_MATMUL: illegal_d = !(table_q[5] && matmul_rules_q);
      heddle_isa_pkg::OP_VOP: illegal_d = !table_q[6];
      heddle_isa_pkg::OP_VEC: illegal_d = !(table_q[7] && vec_rules_q);
      default: illegal_d = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    pending_q <= valid_i;
    if (valid_i) begin
      opcode_q   <= word_i[heddle_isa_pkg::OPCODE_LSB +: heddle_isa_pkg::OPCODE_W];
      table_q[0] <= heddle_isa_pkg::legal_halt(word_i);
      table_q[1] <= heddle_isa_pkg::legal_dims(word_i);
      table_q[2] <= heddle_isa_pkg::legal_load(word_i);
      table_q[3] <= heddle_isa_pkg::legal_store(word_i);
      table_q[4] <= heddle_isa_pkg::legal_wload(word_i, COLUMNS);
      table_q[5] <= heddle_isa_pkg::legal_matmul(word_i);
      table_q[6] <= heddle_isa_pkg::legal_vop(word_i);
      table_q[7] <= heddle_isa_pkg::legal_vec(word_i);
      store_rules_q <= word_i[heddle_isa_pkg::STORE_SOURCE_LSB] != heddle_isa_pkg::STORE_SOURCE_ACC ||
                    word_i[heddle_isa_pkg::STORE_N0_LSB +: heddle_isa_pkg::STORE_N0_W] <= 12'd2;
      wload_rules_q <= wload_lanes && !post_mxu;
      matmul_rules_q <= lanes_fit(word_i[heddle_isa_pkg::MATMUL_LANE_GROUP_LSB +: heddle_isa_pkg::MATMUL_LANE_GROUP_W]);
      vec_rules_q <= vec_even &&
                    !(word_i[heddle_isa_pkg::VEC_A_KIND_LSB +: heddle_isa_pkg::VEC_A_KIND_W] ==
                          heddle_isa_pkg::VEC_A_KIND_ACC &&
                      word_i[heddle_isa_pkg::VEC_B_KIND_LSB +: heddle_isa_pkg::VEC_B_KIND_W] ==
                          heddle_isa_pkg::VEC_B_KIND_ACC);
    end
    if (pending_q) illegal_o <= illegal_d;
  end
endmodule

`default_nettype wire
