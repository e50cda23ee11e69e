// One streamed row of 32 bf16 becomes a bfp16 block: 32 mantissas and their common exponent.
//
// Promises    exponent_o: the largest biased exponent of the 32; 255 means poisoned (an Inf or NaN among them).
//             mantissa_o as block_align gives them (docs/design.md, section 2).
// Latency     heddle_pkg::BLOCK_CONVERTER_LATENCY cycles, fixed. Throughput one a cycle. No back-pressure.
//
// Stages 1 to 3 find the largest exponent of 4, 16 and 32; the rest is block_align.
`default_nettype none

module block_converter (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         valid_i,
    input  logic [511:0] data_i,
    output logic         valid_o,
    output logic [511:0] mantissa_o,
    output logic [  7:0] exponent_o
);
  logic [3:1] valid_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[2:1], valid_i};
  end

  // The largest of four. All comparisons at once, so that the path is one comparison and two multiplexers.
  function automatic [31:0] largest(input [31:0] a, input [31:0] b, input [31:0] c, input [31:0] d);
    logic left;
    left = a > b ? (c > d ? a > c : a > d) : (c > d ? b > c : b > d);
    largest = left ? (a > b ? a : b) : (c > d ? c : d);
  endfunction

  logic [511:0] data1_q, data2_q, data3_q;
  logic [31:0] max1[0:7];
  logic [31:0] max2[0:1];
  logic [7:0] max3_q;
  always_ff @(posedge clk_i) begin : maximum
    logic [31:0] i1, i2, i3;
    logic [31:0] exponent[0:31];
    if (valid_q[2]) begin
      max3_q <= max2[0] > max2[1] ? max2[0][7:0] : max2[1][7:0];
      data3_q <= data2_q;
    end
    if (valid_q[1]) begin
      for (i2 = 0; i2 < 2; i2 = i2 + 1) max2[i2] = largest(max1[i2], max1[i2+2], max1[i2+4], max1[i2+6]);
      data2_q <= data1_q;
    end
    if (valid_i) begin
      for (i3 = 0; i3 < 32; i3 = i3 + 1) exponent[i3] = {24'd0, data_i[16*i3+7 +: 8]};
      for (i1 = 0; i1 < 8; i1 = i1 + 1)
        max1[i1] = largest(exponent[i1], exponent[i1+8], exponent[i1+16], exponent[i1+24]);
      data1_q <= data_i;
    end
  end

  block_align #(
      .LANES(32)
  ) i_align (
      .clk_i,
      .rst_ni,
      .valid_i(valid_q[3]),
      .data_i(data3_q),
      .exponent_i({32{max3_q}}),
      .valid_o,
      .mantissa_o
  );

  logic [7:0] exponent4_q, exponent5_q, exponent6_q;
  assign exponent_o = exponent6_q;
  always_ff @(posedge clk_i) begin
    exponent4_q <= max3_q;
    exponent5_q <= exponent4_q;
    exponent6_q <= exponent5_q;
  end
endmodule

`default_nettype wire
