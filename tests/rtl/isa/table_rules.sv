// The generated package's rules of every instruction beside each other, for the test against rtl/isa/legality.h.
`default_nettype none

module table_rules (
    input  logic [127:0] word_i,
    input  logic [  7:0] cols_i,
    output logic         legal_o
);
  always_comb begin
    case (word_i[heddle_isa_pkg::OPCODE_LSB+:heddle_isa_pkg::OPCODE_W])
      heddle_isa_pkg::OP_HALT: legal_o = heddle_isa_pkg::legal_halt(word_i);
      heddle_isa_pkg::OP_DIMS: legal_o = heddle_isa_pkg::legal_dims(word_i);
      heddle_isa_pkg::OP_LOAD: legal_o = heddle_isa_pkg::legal_load(word_i);
      heddle_isa_pkg::OP_STORE: legal_o = heddle_isa_pkg::legal_store(word_i);
      heddle_isa_pkg::OP_WLOAD: legal_o = heddle_isa_pkg::legal_wload(word_i, cols_i);
      heddle_isa_pkg::OP_MATMUL: legal_o = heddle_isa_pkg::legal_matmul(word_i);
      heddle_isa_pkg::OP_VOP: legal_o = heddle_isa_pkg::legal_vop(word_i);
      heddle_isa_pkg::OP_VEC: legal_o = heddle_isa_pkg::legal_vec(word_i);
      default: legal_o = 1'b0;
    endcase
  end
endmodule

`default_nettype wire
