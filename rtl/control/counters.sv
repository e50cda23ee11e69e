// The performance counters: cycles, words, and per unit the cycles of each cause.
//
// increment_i has one bit a counter in the order of the host registers (docs/design.md, section 8): cycles, words, then unit after unit its causes.
// The caller sets exactly one cause a unit in each counted cycle, so the causes of a unit sum to the cycles.
// Reading: one cycle after read_i, read_data_o holds the counter that read_index_i named; indices beyond the last counter read 0. The high half follows a carry one
// cycle late. clear_i wins over an increment.
`default_nettype none

module counters #(
    parameter COUNT = 2 + heddle_isa_pkg::UNIT_COUNT * heddle_isa_pkg::COUNTER_COUNT,
    parameter LOW   = 32  // bits of the low half, whose carry is registered; less in tests of the carry
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             clear_i,
    input  logic [COUNT-1:0] increment_i,
    input  logic             read_i,
    input  logic [      4:0] read_index_i,
    output logic [     63:0] read_data_o
);
  // Blocking: both are used in this block only, and read before they are written.
  logic [LOW-1:0] low_q[0:COUNT-1];
  logic [63-LOW:0] high_q[0:COUNT-1];
  logic [COUNT-1:0] carry_q;
  logic [31:0] i0, i1, i2, i3;

  always_ff @(posedge clk_i) begin
    if (read_i) begin
      read_data_o <= 64'd0;
      for (i3 = 0; i3 < COUNT; i3 = i3 + 1) if ({27'd0, read_index_i} == i3) read_data_o <= {high_q[i3], low_q[i3]};
    end
    if (!rst_ni || clear_i) begin
      for (i0 = 0; i0 < COUNT; i0 = i0 + 1) begin
        low_q[i0]  = {LOW{1'b0}};
        high_q[i0] = {(64 - LOW) {1'b0}};
      end
      carry_q <= {COUNT{1'b0}};
    end else begin
      if (carry_q != {COUNT{1'b0}}) begin
        for (i2 = 0; i2 < COUNT; i2 = i2 + 1) if (carry_q[i2]) high_q[i2] = high_q[i2] + 1'b1;
        carry_q <= {COUNT{1'b0}};
      end
      if (increment_i != {COUNT{1'b0}}) begin
        for (i1 = 0; i1 < COUNT; i1 = i1 + 1)
          if (increment_i[i1]) begin
            if (&low_q[i1]) carry_q[i1] <= 1'b1;
            low_q[i1] = low_q[i1] + 1'b1;
          end
      end
    end
  end
endmodule

`default_nettype wire
