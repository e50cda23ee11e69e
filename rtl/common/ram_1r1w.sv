// Memory with one write and one read port, all-zero at power-up. A read sees the writes of earlier cycles; the word that is
// written in the same cycle must not be read. Read latency one cycle; data_o stays until the next read.
`default_nettype none

module ram_1r1w #(
    parameter WIDTH = 32,
    parameter DEPTH = 512
) (
    input  logic                     clk_i,
    input  logic                     write_i,
    input  logic [$clog2(DEPTH)-1:0] write_address_i,
    input  logic [        WIDTH-1:0] write_data_i,
    input  logic                     read_i,
    input  logic [$clog2(DEPTH)-1:0] read_address_i,
    output logic [        WIDTH-1:0] data_o
);
  logic [WIDTH-1:0] memory[0:DEPTH-1];

  initial begin : power_up
    integer i;
    for (i = 0; i < DEPTH; i = i + 1) memory[i] = '0;
  end

  always_ff @(posedge clk_i) begin
    if (write_i) memory[write_address_i] <= write_data_i;
    if (read_i) data_o <= memory[read_address_i];
  end
endmodule

`default_nettype wire
