// fp32 accumulators: block results are added to rows of COLS columns; VEC and STORE read rows of 32 lanes.
//
// Rows        As docs/design.md section 3 has them: ACC_ROWS * max(COLS / 32, 1) rows of 32 lanes, all-zero at power-up.
// Adding      `add_*` announces a block result heddle_pkg::ACC_ADD_LEAD cycles before the result itself is at data_i, so that its row can
//             be read meanwhile. add_first_i: the result is added to +0. Throughput one a cycle, no back-pressure. The same row may be
//             announced again heddle_pkg::MIN_PASS_CYCLES later, not earlier.
// written_o   one cycle for each announced add_last_i: its row, and all before it, can be read by a request in this cycle.
// Reading     {store, vec}_valid_i with a row of 32 lanes, accepted when ready; the answer heddle_pkg::ACC_READ_LATENCY cycles later.
//             Four banks (row modulo 4), each with one read a cycle: array before VEC before STORE. As the array's rows ascend,
//             nobody waits long. stall_i refuses bit 0 STORE, bit 1 VEC.
// Memory      Simple dual-port, 4 banks; COLS < 32: in groups of 8 lanes, because results fill a part of the row.
`default_nettype none

module accumulators #(
    parameter COLS = 32,
    parameter ACC_ROWS = 2048
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic                        add_valid_i,
    input  logic                        add_first_i,
    input  logic                        add_last_i,
    input  logic [$clog2(ACC_ROWS)-1:0] add_row_i,
    input  logic [                 1:0] add_lane_group_i,
    input  logic [         COLS*32-1:0] data_i,
    output logic                        written_o,
    input  logic                        vec_valid_i,
    input  logic [                12:0] vec_row_i,
    output logic                        vec_ready_o,
    output logic                        vec_rsp_valid_o,
    output logic [              1023:0] vec_rsp_data_o,
    input  logic                        store_valid_i,
    input  logic [                12:0] store_row_i,
    output logic                        store_ready_o,
    output logic                        store_rsp_valid_o,
    output logic [              1023:0] store_rsp_data_o,
    input  logic [                 1:0] stall_i
);
  localparam ROW_W = $clog2(ACC_ROWS);
  localparam BANKS = 4;
  localparam HALVES = (COLS > 32) ? 2 : 1;
  localparam GROUPS = (COLS < 32) ? 4 : 1;
  localparam GROUP_BITS = 1024 / GROUPS;
  localparam LEAD = heddle_pkg::ACC_ADD_LEAD;
  localparam WRITE = LEAD + heddle_pkg::FP32_ADD_LATENCY;  // cycles from the announcement to the write

  // --------------------------------------------------------------------------------------------- arbitration
  logic [1:0] add_bank, vec_bank, store_bank;
  logic add_reads, vec_takes, store_takes;
  assign add_bank = add_row_i[1:0];
  assign vec_bank = vec_row_i[1:0];
  assign store_bank = store_row_i[1:0];
  assign add_reads = add_valid_i && !add_first_i;
  assign vec_ready_o = !stall_i[1] && !(add_reads && add_bank == vec_bank);
  assign vec_takes = vec_valid_i && vec_ready_o;
  assign store_ready_o = !stall_i[0] && !(add_reads && add_bank == store_bank) && !(vec_valid_i && vec_bank == store_bank);
  assign store_takes = store_valid_i && store_ready_o;

  // Address registers of the banks.
  logic [BANKS-1:0] read_q;
  logic [BANKS*(ROW_W-2)-1:0] read_address_q;
  genvar b, h, g;
  generate
    for (b = 0; b < BANKS; b = b + 1) begin : gen_address
      localparam [1:0] BANK = b;
      always_ff @(posedge clk_i) begin
        read_q[b] <= (add_reads && add_bank == BANK) || (vec_takes && vec_bank == BANK) || (store_takes && store_bank == BANK);
        read_address_q[b*(ROW_W-2) +: ROW_W-2] <=
            (add_reads && add_bank == BANK) ? add_row_i[ROW_W-1:2]
            : (vec_valid_i && vec_bank == BANK) ? vec_row_i[ROW_W-1:2] : store_row_i[ROW_W-1:2];
      end
    end
  endgenerate

  // --------------------------------------------------------------------------------------------- the add's way
  // What was announced, by stage: stage s holds it s cycles later.
  localparam FIRST = 0, LAST = 1, GROUP = 2, ROW = 4, INFO_W = ROW_W + 4;
  logic [WRITE:1] valid_q;
  logic [INFO_W-1:0] info[0:15];
  logic [3:0] cycle_q;
  logic [INFO_W-1:0] info1_q, info2_q, info_write_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
      cycle_q <= '0;
    end else begin
      valid_q <= {valid_q[WRITE-1:1], add_valid_i};
      cycle_q <= cycle_q + 4'd1;
    end
    if (add_valid_i) info[cycle_q] <= {add_row_i, add_lane_group_i, add_last_i, add_first_i};
    info1_q <= {add_row_i, add_lane_group_i, add_last_i, add_first_i};
    info2_q <= info1_q;
    if (valid_q[WRITE-1]) info_write_q <= info[cycle_q-4'(WRITE-1)];
  end
  assign written_o = valid_q[WRITE] && info_write_q[LAST];

  logic [COLS*32-1:0] sum;
  logic sum_valid;
  logic write;
  assign write = sum_valid;

  // --------------------------------------------------------------------------------------------- memory
  // q[h][bank]: whole rows of 32 lanes, two cycles after acceptance.
  logic [1023:0] q[0:HALVES*BANKS-1];
  generate
    for (h = 0; h < HALVES; h = h + 1) begin : gen_half
      for (g = 0; g < GROUPS; g = g + 1) begin : gen_group
        // Which part of the sum belongs here: group g holds columns 8 * (g - lane_group) and up.
        logic [GROUP_BITS-1:0] write_data;
        logic write_here;
        if (GROUPS == 1) begin : gen_whole
          assign write_here = write;
          assign write_data = sum[h*1024 +: 1024];
        end else begin : gen_part
          logic [1:0] part;
          assign part = 2'(g) - info_write_q[GROUP +: 2];  // lanes never wrap round, so neither does part
          assign write_here = write && {30'd0, part} < COLS / 8;
          assign write_data = sum[(COLS == 8) ? 0 : {31'd0, part[0]} * 256 +: 256];
        end
        for (b = 0; b < BANKS; b = b + 1) begin : gen_bank
          localparam [1:0] BANK = b;
          logic [GROUP_BITS-1:0] part_q;
          assign q[h*BANKS+b][g*GROUP_BITS +: GROUP_BITS] = part_q;
          ram_1r1w #(
              .WIDTH(GROUP_BITS),
              .DEPTH(ACC_ROWS / BANKS)
          ) i_ram (
              .clk_i,
              .write_i(write_here && info_write_q[ROW +: 2] == BANK),
              .write_address_i(info_write_q[ROW+2 +: ROW_W-2]),
              .write_data_i(write_data),
              .read_i(read_q[b]),
              .read_address_i(read_address_q[b*(ROW_W-2) +: ROW_W-2]),
              .data_o(part_q)
          );
        end
      end
    end
  endgenerate

  // --------------------------------------------------------------------------------------------- addition
  logic [COLS*32-1:0] operand_q;
  generate
    if (GROUPS == 1) begin : gen_operand
      for (h = 0; h < HALVES; h = h + 1) begin : gen_half_operand
        always_ff @(posedge clk_i)
          if (valid_q[LEAD-1]) operand_q[h*1024 +: 1024] <= info2_q[FIRST] ? '0 : q[h*BANKS+{30'd0, info2_q[ROW +: 2]}];
      end
    end else begin : gen_part_operand
      logic [1023:0] row;
      assign row = q[info2_q[ROW +: 2]];
      always_ff @(posedge clk_i)
        if (valid_q[LEAD-1]) operand_q <= info2_q[FIRST] ? '0 : row[{30'd0, info2_q[GROUP +: 2]} * 256 +: COLS*32];
    end
  endgenerate

  fp32_add #(
      .LANES(COLS)
  ) i_add (
      .clk_i,
      .rst_ni,
      .valid_i(valid_q[LEAD]),
      .a_i(operand_q),
      .b_i(data_i),
      .valid_o(sum_valid),
      .sum_o(sum)
  );

  // --------------------------------------------------------------------------------------------- answers
  // Of COLS = 64 the rows from ACC_ROWS on are the columns from 32 on.
  localparam SELECT_W = (HALVES == 2) ? 3 : 2;
  logic [2:1] vec_q, store_q;
  logic [SELECT_W-1:0] vec1_q, vec2_q, store1_q, store2_q;  // half and bank
  function automatic [SELECT_W-1:0] select_of(input [12:0] row);
    select_of = (HALVES == 2) ? SELECT_W'({row[(HALVES == 2) ? ROW_W : 0], row[1:0]}) : SELECT_W'(row[1:0]);
  endfunction
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      vec_q <= '0;
      store_q <= '0;
      vec_rsp_valid_o <= 1'b0;
      store_rsp_valid_o <= 1'b0;
    end else begin
      vec_q <= {vec_q[1], vec_takes};
      store_q <= {store_q[1], store_takes};
      vec_rsp_valid_o <= vec_q[2];
      store_rsp_valid_o <= store_q[2];
    end
    vec1_q <= select_of(vec_row_i);
    vec2_q <= vec1_q;
    store1_q <= select_of(store_row_i);
    store2_q <= store1_q;
    if (vec_q[2]) vec_rsp_data_o <= q[vec2_q];
    if (store_q[2]) store_rsp_data_o <= q[store2_q];
  end

`ifndef SYNTHESIS
  // A row must not be announced while an earlier result for it is on its way.
  always_ff @(posedge clk_i) begin : distance
    logic [31:0] i;
    if (rst_ni && add_reads) begin
      for (i = 1; i < heddle_pkg::MIN_PASS_CYCLES; i = i + 1)
        if (valid_q[i] && info[cycle_q-i[3:0]][ROW +: ROW_W] == add_row_i) $error("an accumulator row recurs too early");
    end
  end
`endif
endmodule

`default_nettype wire
