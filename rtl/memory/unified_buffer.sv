// Unified buffer: LINES lines of 64 bytes in BANKS banks, line l in bank l mod BANKS, each bank with one read and
// one write port a cycle.
//
// Promises   A read answers exactly 3 cycles after its acceptance and is never stalled. A read accepted one cycle
//            after a write's acceptance sees it. All-zero at power-up.
// Ports      Line reads, two pair reads, line writes, one pair write; a pair is an even line and the one above it and
//            is accepted whole. A pair port that asks for one line (`pair` low) uses the low half; any line will do.
// Throughput One access a cycle and port as long as no two ports meet in one bank; consecutive lines never do.
// Arbitration Reads and writes apart. Fixed priority, the lower index first (line ports before pair ports), so the
//            matrix unit and the weight unit come first. A requester that was refused for PATIENCE cycles becomes
//            `urgent`: it goes before everyone, one requester at a time, so nobody starves.
// Back-pressure ready depends on the valid and line inputs of the same cycle; a requester must not make its valid
//            depend on ready. stall_i refuses requesters (line reads, pair reads, line writes, pair write).
// Limits     BANKS is a power of two and at least 2, LINES a multiple of it. Lines must exist: the dispatcher checks.
`default_nettype none
module unified_buffer #(
    parameter LINES = 16384,
    parameter BANKS = 8,
    parameter LINE_READS = 6,
    parameter LINE_WRITES = 5,
    parameter PATIENCE = 16
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    // Line reads.
    input  logic [LINE_READS-1:0]               rd_valid_i,
    input  logic [LINE_READS*18-1:0]            rd_line_i,
    output logic [LINE_READS-1:0]               rd_ready_o,
    output logic [LINE_READS-1:0]               rd_rsp_valid_o,
    output logic [LINE_READS*512-1:0]           rd_rsp_data_o,
    // Pair reads.
    input  logic [1:0]                          prd_valid_i,
    input  logic [1:0]                          prd_pair_i,
    input  logic [35:0]                         prd_line_i,
    output logic [1:0]                          prd_ready_o,
    output logic [1:0]                          prd_rsp_valid_o,
    output logic [2047:0]                       prd_rsp_data_o,
    // Line writes.
    input  logic [LINE_WRITES-1:0]              wr_valid_i,
    input  logic [LINE_WRITES*18-1:0]           wr_line_i,
    input  logic [LINE_WRITES*512-1:0]          wr_data_i,
    output logic [LINE_WRITES-1:0]              wr_ready_o,
    // Pair write.
    input  logic                                pwr_valid_i,
    input  logic                                pwr_pair_i,
    input  logic [17:0]                         pwr_line_i,
    input  logic [1023:0]                       pwr_data_i,
    output logic                                pwr_ready_o,
    // Test access: refuse a requester in this cycle.
    input  logic [LINE_READS+LINE_WRITES+2:0]   stall_i
);
  localparam BANK_W = $clog2(BANKS);
  localparam ROW_W = $clog2(LINES) - BANK_W;
  localparam READERS = LINE_READS + 2;      // requesters that read
  localparam WRITERS = LINE_WRITES + 1;
  localparam READ_LANES = LINE_READS + 4;   // lines read in a cycle: a pair port has two lanes
  localparam WRITE_LANES = LINE_WRITES + 2;
  localparam WRITE_LANE_W = $clog2(WRITE_LANES);

  // ------------------------------------------------------------------------------------------------ arbitration
  logic [READERS-1:0]    read_valid, read_pair, read_ready;
  logic [READERS*18-1:0] read_line;
  logic [WRITERS-1:0]    write_valid, write_pair, write_ready;
  logic [WRITERS*18-1:0] write_line;

  assign read_valid  = {prd_valid_i, rd_valid_i} & ~stall_i[READERS-1:0];
  assign read_pair   = {prd_pair_i, {LINE_READS{1'b0}}};
  assign read_line   = {prd_line_i, rd_line_i};
  assign write_valid = {pwr_valid_i, wr_valid_i} & ~stall_i[READERS +: WRITERS];
  assign write_pair  = {pwr_pair_i, {LINE_WRITES{1'b0}}};
  assign write_line  = {pwr_line_i, wr_line_i};
  assign {prd_ready_o, rd_ready_o} = read_ready;
  assign {pwr_ready_o, wr_ready_o} = write_ready;

  ub_arbiter #(.REQUESTERS(READERS), .BANKS(BANKS), .PATIENCE(PATIENCE)) i_read_arbiter (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(read_valid), .pair_i(read_pair), .line_i(read_line),
      .ready_o(read_ready));
  ub_arbiter #(.REQUESTERS(WRITERS), .BANKS(BANKS), .PATIENCE(PATIENCE)) i_write_arbiter (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(write_valid), .pair_i(write_pair), .line_i(write_line),
      .ready_o(write_ready));

  // ----------------------------------------------------------------------------- stage 1: what was accepted, by lane
  logic [READ_LANES-1:0]      rd_1_q, rd_2_q;
  logic [17:0]                rd_line_1_q [0:READ_LANES-1];
  logic [BANK_W-1:0]          rd_bank_2_q [0:READ_LANES-1];
  logic [WRITE_LANES-1:0]     wr_1_q;
  logic [17:0]                wr_line_1_q [0:WRITE_LANES-1];
  logic [511:0]               wr_data_1_q [0:WRITE_LANES-1];

  logic [READ_LANES-1:0]      rd_accept;
  logic [WRITE_LANES-1:0]     wr_accept;
  assign rd_accept = {read_valid[LINE_READS+1] & read_ready[LINE_READS+1] & prd_pair_i[1],
                      read_valid[LINE_READS+1] & read_ready[LINE_READS+1],
                      read_valid[LINE_READS] & read_ready[LINE_READS] & prd_pair_i[0],
                      read_valid[LINE_READS] & read_ready[LINE_READS],
                      read_valid[LINE_READS-1:0] & read_ready[LINE_READS-1:0]};
  assign wr_accept = {write_valid[LINE_WRITES] & write_ready[LINE_WRITES] & pwr_pair_i,
                      write_valid[LINE_WRITES] & write_ready[LINE_WRITES],
                      write_valid[LINE_WRITES-1:0] & write_ready[LINE_WRITES-1:0]};

  genvar g;
  generate
    for (g = 0; g < LINE_READS; g = g + 1) begin : gen_line_read
      always_ff @(posedge clk_i) if (rd_accept[g]) rd_line_1_q[g] <= rd_line_i[g*18 +: 18];
    end
    for (g = 0; g < 2; g = g + 1) begin : gen_pair_read
      always_ff @(posedge clk_i) begin
        if (rd_accept[LINE_READS+2*g])   rd_line_1_q[LINE_READS+2*g]   <= prd_line_i[g*18 +: 18];
        if (rd_accept[LINE_READS+2*g+1]) rd_line_1_q[LINE_READS+2*g+1] <= {prd_line_i[g*18+1 +: 17], 1'b1};
      end
    end
    for (g = 0; g < LINE_WRITES; g = g + 1) begin : gen_line_write
      always_ff @(posedge clk_i) if (wr_accept[g]) begin
        wr_line_1_q[g] <= wr_line_i[g*18 +: 18];
        wr_data_1_q[g] <= wr_data_i[g*512 +: 512];
      end
    end
  endgenerate

  always_ff @(posedge clk_i) begin
    if (wr_accept[LINE_WRITES]) begin
      wr_line_1_q[LINE_WRITES] <= pwr_line_i;
      wr_data_1_q[LINE_WRITES] <= pwr_data_i[511:0];
    end
    if (wr_accept[LINE_WRITES+1]) begin
      wr_line_1_q[LINE_WRITES+1] <= {pwr_line_i[17:1], 1'b1};
      wr_data_1_q[LINE_WRITES+1] <= pwr_data_i[1023:512];
    end
    if (!rst_ni) begin
      rd_1_q <= '0;
      rd_2_q <= '0;
      wr_1_q <= '0;
    end else begin
      rd_1_q <= rd_accept;
      rd_2_q <= rd_1_q;
      wr_1_q <= wr_accept;
    end
  end

  // ------------------------------------------------------------------------------------ stage 2: what each bank does
  logic [BANKS-1:0]        rd_enable, wr_enable;
  logic [ROW_W-1:0]        rd_row [0:BANKS-1];
  logic [ROW_W-1:0]        wr_row [0:BANKS-1];
  logic [WRITE_LANE_W-1:0] wr_lane [0:BANKS-1];
  always_comb begin : select
    logic [31:0] b, r, w;
    logic        here;
    here = 1'b0;
    rd_enable = '0;
    wr_enable = '0;
    for (b = 0; b < BANKS; b = b + 1) begin
      rd_row[b] = '0;
      wr_row[b] = '0;
      wr_lane[b] = '0;
    end
    // At most one lane per bank, so OR is a choice.
    for (r = 0; r < READ_LANES; r = r + 1)
      if (rd_1_q[r])
        for (b = 0; b < BANKS; b = b + 1) begin
          here = rd_line_1_q[r][BANK_W-1:0] == b[BANK_W-1:0];
          rd_enable[b] = rd_enable[b] | here;
          rd_row[b] = rd_row[b] | (here ? rd_line_1_q[r][BANK_W +: ROW_W] : '0);
        end
    for (w = 0; w < WRITE_LANES; w = w + 1)
      if (wr_1_q[w])
        for (b = 0; b < BANKS; b = b + 1) begin
          here = wr_line_1_q[w][BANK_W-1:0] == b[BANK_W-1:0];
          wr_enable[b] = wr_enable[b] | here;
          wr_row[b] = wr_row[b] | (here ? wr_line_1_q[w][BANK_W +: ROW_W] : '0);
          wr_lane[b] = wr_lane[b] | (here ? w[WRITE_LANE_W-1:0] : '0);
        end
  end

  logic [511:0] bank_data_q [0:BANKS-1];
  generate
    for (g = 0; g < BANKS; g = g + 1) begin : gen_bank
      logic [511:0] memory [0:LINES/BANKS-1];
      always_ff @(posedge clk_i) begin
        if (rd_enable[g]) bank_data_q[g] <= memory[rd_row[g]];
        if (wr_enable[g]) memory[wr_row[g]] <= wr_data_1_q[wr_lane[g]];
      end
`ifndef SYNTHESIS
      integer l;
      initial for (l = 0; l < LINES/BANKS; l = l + 1) memory[l] = '0;
`endif
    end
  endgenerate

  // --------------------------------------------------------------------------------------------- stage 3: the answers
  generate
    for (g = 0; g < READ_LANES; g = g + 1) begin : gen_answer
      logic [511:0] data_q;
      always_ff @(posedge clk_i) begin
        if (rd_1_q[g]) rd_bank_2_q[g] <= rd_line_1_q[g][BANK_W-1:0];
        if (rd_2_q[g]) data_q <= bank_data_q[rd_bank_2_q[g]];
      end
      if (g < LINE_READS) begin : gen_line
        assign rd_rsp_data_o[g*512 +: 512] = data_q;
      end else begin : gen_half
        assign prd_rsp_data_o[(g-LINE_READS)*512 +: 512] = data_q;
      end
    end
  endgenerate
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      rd_rsp_valid_o <= '0;
      prd_rsp_valid_o <= '0;
    end else begin
      rd_rsp_valid_o <= rd_2_q[LINE_READS-1:0];
      prd_rsp_valid_o <= {rd_2_q[LINE_READS+2], rd_2_q[LINE_READS]};
    end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni) begin : check
    logic [31:0] i, j;
    for (i = 0; i < 2; i = i + 1)
      if (prd_valid_i[i] && prd_pair_i[i] && prd_line_i[i*18]) $error("pair read %0d at an odd line", i);
    if (pwr_valid_i && pwr_pair_i && pwr_line_i[0]) $error("pair write at an odd line");
    for (i = 0; i < READ_LANES; i = i + 1)
      for (j = 0; j < i; j = j + 1)
        if (rd_1_q[i] && rd_1_q[j] && rd_line_1_q[i][BANK_W-1:0] == rd_line_1_q[j][BANK_W-1:0]) $error("two reads in one bank");
    for (i = 0; i < WRITE_LANES; i = i + 1)
      for (j = 0; j < i; j = j + 1)
        if (wr_1_q[i] && wr_1_q[j] && wr_line_1_q[i][BANK_W-1:0] == wr_line_1_q[j][BANK_W-1:0]) $error("two writes in one bank");
  end
`endif
endmodule
`default_nettype wire
