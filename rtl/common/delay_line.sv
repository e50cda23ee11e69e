// data_o is data_i DEPTH cycles ago; DEPTH 0 is a wire. No reset: shift registers in LUTs.
`default_nettype none

module delay_line #(
    parameter WIDTH = 1,
    parameter DEPTH = 1
) (
    input  logic             clk_i,
    input  logic [WIDTH-1:0] data_i,
    output logic [WIDTH-1:0] data_o
);
  generate
    if (DEPTH == 0) begin : gen_wire
      assign data_o = data_i;
      logic unused;
      assign unused = clk_i;
    end else if (DEPTH == 1) begin : gen_register
      always_ff @(posedge clk_i) data_o <= data_i;
    end else begin : gen_shift
      logic [WIDTH*DEPTH-1:0] line_q;
      assign data_o = line_q[WIDTH*(DEPTH-1) +: WIDTH];
      always_ff @(posedge clk_i) line_q <= {line_q[WIDTH*(DEPTH-1)-1:0], data_i};
    end
  endgenerate
endmodule

`default_nettype wire
