// The systolic array as one matrix-vector product a row: the form for simulation. Interface and promises: systolic_array.sv.
//
// The same results in the same cycles as array_dsp, at a fraction of the work: rows wait in a ring for the array's latency, and
// are multiplied at its end with the tile that was switched in for them. Tiles wait in TILES buffers, as in the real array the
// next one moves in while the wave of the last one is still on its way. Idle cycles cost nothing.
`default_nettype none

module array_behaviour #(
    parameter COLS = 32
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               load_i,
    input  logic               load_first_i,
    input  logic [COLS*16-1:0] weight_i,
    input  logic               valid_i,
    input  logic               switch_i,
    input  logic [      511:0] row_i,
    output logic               valid_o,
    output logic [COLS*64-1:0] sum_o
);
  localparam ROWS = heddle_pkg::BLOCK;
  localparam LATENCY = COLS + heddle_pkg::ARRAY_LATENCY;
  localparam TILES = 8;  // at most LATENCY / 32 tiles have rows on their way, one waits, one moves in
  localparam [31:0] TILE = ROWS * COLS;

  logic [LATENCY:1] valid_q;
  assign valid_o = valid_q[LATENCY];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[LATENCY-1:1], valid_i};
  end

  // Rows on their way, by the cycle in which they came.
  logic [6:0] cycle_q;
  logic [511:0] rows[0:127];
  logic switches[0:127];
  logic [6:0] due;
  assign due = cycle_q - 7'(LATENCY - 1);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) cycle_q <= '0;
    else cycle_q <= cycle_q + 7'd1;
    if (valid_i) begin
      rows[cycle_q] <= row_i;
      switches[cycle_q] <= switch_i;
    end
  end

  // Tiles: the one that moves in and the one that is multiplied, which has a copy of its own because that simulates faster.
  logic [31:0] weights[0:TILES*ROWS*COLS-1];
  logic [31:0] current[0:ROWS-1][0:COLS-1];
  logic [2:0] loading_q, active_q, loading_d, active_d;
  logic [4:0] load_row_q, load_row;
  assign loading_d = load_i && load_first_i ? loading_q + 3'd1 : loading_q;
  assign load_row = load_first_i ? 5'd31 : load_row_q;
  assign active_d = valid_q[LATENCY-1] && switches[due] ? active_q + 3'd1 : active_q;

  always_ff @(posedge clk_i) begin : multiply
    logic [31:0] c0, c1, c2, c3, r, base;
    logic [511:0] row;
    logic [31:0] activation[0:ROWS-1];
    logic [31:0] product[0:COLS-1];
    logic [31:0] low[0:COLS-1];  // sum of the products' low 16 bits
    logic [31:0] high[0:COLS-1];  // sum of the rest
    if (!rst_ni) begin
      loading_q <= '0;
      active_q <= '0;
    end else begin
      loading_q <= loading_d;
      active_q <= active_d;
    end
    if (valid_q[LATENCY-1]) begin
      row = rows[due];
      for (r = 0; r < ROWS; r = r + 1) activation[r] = {{16{row[16*r+15]}}, row[16*r +: 16]};
      for (c0 = 0; c0 < COLS; c0 = c0 + 1) begin
        low[c0] = 32'd0;
        high[c0] = 32'd0;
      end
      base = {29'd0, active_d} * TILE;
      if (switches[due])
        for (r = 0; r < ROWS; r = r + 1)
          for (c0 = 0; c0 < COLS; c0 = c0 + 1) current[r][c0] = weights[base+COLS*r+c0];
      for (r = 0; r < ROWS; r = r + 1) begin
        for (c1 = 0; c1 < COLS; c1 = c1 + 1) product[c1] = activation[r] * current[r][c1];
        for (c2 = 0; c2 < COLS; c2 = c2 + 1) begin
          low[c2] = low[c2] + (product[c2] & 32'hFFFF);
          high[c2] = high[c2] + $unsigned($signed(product[c2]) >>> 16);
        end
      end
      for (c3 = 0; c3 < COLS; c3 = c3 + 1) sum_o[64*c3 +: 64] <= {{16{high[c3][31]}}, high[c3], 16'd0} + {32'd0, low[c3]};
    end
    if (load_i) begin
      load_row_q <= load_row - 5'd1;
      base = {29'd0, loading_d} * TILE + {27'd0, load_row} * COLS;
      for (c0 = 0; c0 < COLS; c0 = c0 + 1) weights[base+c0] = {{16{weight_i[16*c0+15]}}, weight_i[16*c0 +: 16]};
    end
  end

`ifndef SYNTHESIS
  // The rules of use, which the real array cannot check: what a violation does in it is not modelled here.
  logic [5:0] loaded_q;  // weights of the tile that moves in: 32 when it is complete
  logic fresh_q;  // it has not been switched in yet
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      loaded_q <= 6'd0;
      fresh_q <= 1'b0;
    end else begin
      if (load_i) loaded_q <= load_first_i ? 6'd1 : loaded_q + 6'd1;
      if (valid_i && switch_i) fresh_q <= 1'b0;
      if (load_i && load_first_i) fresh_q <= 1'b1;
      if (load_i && load_first_i && fresh_q && !(valid_i && switch_i)) $error("a tile moves in over one that was never used");
      if (load_i && !load_first_i && (loaded_q == 6'd32 || loaded_q == 6'd0)) $error("more than 32 weights in a tile");
      if (!load_i && loaded_q != 6'd32 && loaded_q != 6'd0) $error("a gap while a tile moves in");
      if (valid_i && switch_i && !(fresh_q && loaded_q == 6'd32)) $error("switch to a tile that is not complete");
    end
  end
`endif
endmodule

`default_nettype wire
