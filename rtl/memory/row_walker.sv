// Walks dimensions 1 to 3 of a LOAD's or STORE's pattern and names the first line of each row, last index fastest:
// first + i1 * stride1 + i2 * stride2 + i3 * stride3.
//
// Promises   The first row one cycle after the command; then a row a cycle as fast as row_ready_i takes them; the next
//            command is accepted in the cycle in which the last row is taken, so rows of two commands follow without a gap.
// Back-pressure cmd_ready_o depends on row_ready_i.
// Limits     Counts are at least 1; sums wrap at WIDTH bits.
`default_nettype none
module row_walker #(
    parameter WIDTH = 32
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             cmd_valid_i,
    output logic             cmd_ready_o,
    input  logic [WIDTH-1:0] first_i,
    input  logic [11:0]      n1_i,
    input  logic [11:0]      n2_i,
    input  logic [9:0]       n3_i,
    input  logic [WIDTH-1:0] stride1_i,
    input  logic [WIDTH-1:0] stride2_i,
    input  logic [WIDTH-1:0] stride3_i,
    output logic             row_valid_o,
    input  logic             row_ready_i,
    output logic [WIDTH-1:0] row_o,
    output logic             row_last_o
);
  logic             valid_q;
  logic [WIDTH-1:0] row_q, start2_q, start3_q;          // this row; where its loops 2 and 3 began
  logic [WIDTH-1:0] stride1_q, stride2_q, stride3_q;
  logic [11:0]      n1_q, n2_q, left1_q, left2_q;       // counts; rows left after this one, per loop
  logic [9:0]       left3_q;
  logic             last1_q, last2_q, last3_q;          // this is the loop's last index

  logic [WIDTH-1:0] next2, next3;
  assign next2 = start2_q + stride2_q;
  assign next3 = start3_q + stride3_q;

  assign row_valid_o = valid_q;
  assign row_o       = row_q;
  assign row_last_o  = last1_q & last2_q & last3_q;
  assign cmd_ready_o = !valid_q | (row_ready_i & row_last_o);

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (cmd_ready_o) begin
      valid_q <= cmd_valid_i;
      if (cmd_valid_i) begin
        row_q <= first_i;
        start2_q <= first_i;
        start3_q <= first_i;
        stride1_q <= stride1_i;
        stride2_q <= stride2_i;
        stride3_q <= stride3_i;
        n1_q <= n1_i;
        n2_q <= n2_i;
        left1_q <= n1_i - 12'd1;
        left2_q <= n2_i - 12'd1;
        left3_q <= n3_i - 10'd1;
        last1_q <= n1_i == 12'd1;
        last2_q <= n2_i == 12'd1;
        last3_q <= n3_i == 10'd1;
      end
    end else if (row_ready_i) begin
      if (!last1_q) begin
        row_q <= row_q + stride1_q;
        left1_q <= left1_q - 12'd1;
        last1_q <= left1_q == 12'd1;
      end else begin
        left1_q <= n1_q - 12'd1;
        last1_q <= n1_q == 12'd1;
        if (!last2_q) begin
          row_q <= next2;
          start2_q <= next2;
          left2_q <= left2_q - 12'd1;
          last2_q <= left2_q == 12'd1;
        end else begin
          row_q <= next3;
          start2_q <= next3;
          start3_q <= next3;
          left2_q <= n2_q - 12'd1;
          last2_q <= n2_q == 12'd1;
          left3_q <= left3_q - 10'd1;
          last3_q <= left3_q == 10'd1;
        end
      end
    end
endmodule
`default_nettype wire
