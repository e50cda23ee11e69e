// The host's registers: AXI4-Lite slave of 32 bit with the map of docs/design.md, section 8, and ap_ctrl_hs as Vitis defines it.
//
// Promises: byte strobes are honoured; addresses and data of writes may come in either order; reads and writes proceed independently; every access
// is answered with OKAY; unmapped and reserved addresses read 0 and ignore writes, as do read-only registers. The two low address bits are ignored.
// start_o is the ap_start bit: set by the host, cleared by done_i. done_i: one cycle; error and the others are sampled live, so they have to hold.
// Latency: a read answers 3 cycles after its address, a write takes effect 1 cycle and answers 2 cycles after both halves are there.
// Limits: the host must not change PROGRAM, PROGRAM_WORDS, WATCHDOG or SLOT while a program runs; auto-restart (bit 7) is not implemented.
`default_nettype none

module control_registers #(
    parameter COLS        = 32,
    parameter UB_LINES    = 16384,
    parameter ACC_ROWS    = 2048,
    parameter WEIGHT_FIFO = 4,
    parameter QUEUE_DEPTH = 16,
    parameter AXI_PORTS   = 4
) (
    input  logic          clk_i,
    input  logic          rst_ni,
    input  logic          awvalid_i,
    output logic          awready_o,
    input  logic [  11:0] awaddr_i,
    input  logic          wvalid_i,
    output logic          wready_o,
    input  logic [  31:0] wdata_i,
    input  logic [   3:0] wstrb_i,
    output logic          bvalid_o,
    input  logic          bready_i,
    output logic [   1:0] bresp_o,
    input  logic          arvalid_i,
    output logic          arready_o,
    input  logic [  11:0] araddr_i,
    output logic          rvalid_o,
    input  logic          rready_i,
    output logic [  31:0] rdata_o,
    output logic [   1:0] rresp_o,
    output logic          interrupt_o,
    // The program to run.
    output logic          start_o,
    output logic [  63:0] program_o,
    output logic [  31:0] program_words_o,
    output logic [  31:0] watchdog_o,
    output logic [1023:0] slot_base_o,
    input  logic [   3:0] slot_i,
    output logic [  31:0] slot_lines_o,
    // What came of it.
    input  logic          running_i,
    input  logic          done_i,
    input  logic [   3:0] error_i,
    input  logic [  31:0] error_index_i,
    input  logic [  14:0] waiting_i,
    input  logic [  24:0] waiting_for_i,
    output logic          counter_read_o,
    output logic [   4:0] counter_index_o,
    input  logic [  63:0] counter_data_i
);
  localparam [31:0] MAGIC = 32'h4C444548;
  // Word addresses.
  localparam [9:0] CTRL = 10'h000, GIE = 10'h001, IER = 10'h002, ISR = 10'h003;
  localparam [9:0] PROGRAM_LOW = 10'h004, PROGRAM_HIGH = 10'h005, PROGRAM_WORDS = 10'h006, WATCHDOG = 10'h007;
  localparam [9:0] ERROR = 10'h050, ERROR_INDEX = 10'h051, WAITING = 10'h052, WAITING_FOR = 10'h053;
  localparam [9:0] MAGIC_AT = 10'h054, ISA_AT = 10'h055, SHAPE_AT = 10'h056, UB_AT = 10'h057, ACC_AT = 10'h058;
  localparam [9:0] SLOTS = 10'h010, SLOTS_END = 10'h050, COUNTERS = 10'h060, COUNTERS_END = 10'h096;

  function automatic [31:0] merge(input [31:0] old, input [31:0] data, input [3:0] strobe);
    merge = {
      strobe[3] ? data[31:24] : old[31:24],
      strobe[2] ? data[23:16] : old[23:16],
      strobe[1] ? data[15:8] : old[15:8],
      strobe[0] ? data[7:0] : old[7:0]
    };
  endfunction

  // ------------------------------------------------------------------------------------------- write channel
  logic aw_held_q, w_held_q, bvalid_q;
  logic [ 9:0] waddr_q;
  logic [31:0] wdata_q;
  logic [ 3:0] wstrb_q;
  logic        write;

  assign awready_o = !aw_held_q;
  assign wready_o  = !w_held_q;
  assign bvalid_o  = bvalid_q;
  assign bresp_o   = 2'd0;
  assign write     = aw_held_q && w_held_q && (!bvalid_q || bready_i);

  always_ff @(posedge clk_i) begin
    if (awvalid_i && awready_o) waddr_q <= awaddr_i[11:2];
    if (wvalid_i && wready_o) begin
      wdata_q <= wdata_i;
      wstrb_q <= wstrb_i;
    end
    if (!rst_ni) begin
      aw_held_q <= 1'b0;
      w_held_q  <= 1'b0;
      bvalid_q  <= 1'b0;
    end else begin
      if (write) begin
        aw_held_q <= 1'b0;
        w_held_q  <= 1'b0;
      end else begin
        if (awvalid_i) aw_held_q <= 1'b1;
        if (wvalid_i) w_held_q <= 1'b1;
      end
      if (write) bvalid_q <= 1'b1;
      else if (bready_i) bvalid_q <= 1'b0;
    end
  end

  // -------------------------------------------------------------------------------------------- read channel
  // 1: the address is held; 2: each group's word is held; 3: the answer is held.
  logic r_address_q, r_groups_q, rvalid_q;
  logic [9:0] raddr_q;
  logic [31:0] rdata_q, group_q, slot_group_q;
  logic counter_group_q, clear_done;

  assign arready_o       = !r_address_q && !r_groups_q && !rvalid_q;
  assign rvalid_o        = rvalid_q;
  assign rdata_o         = rdata_q;
  assign rresp_o         = 2'd0;
  assign counter_read_o  = r_address_q;
  assign counter_index_o = raddr_q[5:1] - COUNTERS[5:1];
  assign clear_done      = r_address_q && raddr_q == CTRL;

  // ------------------------------------------------------------------------------------------------ registers
  logic start_q, done_q, ready_q, gie_q;
  logic [1:0] ier_q, isr_q;
  logic [31:0] program_low_q, program_high_q, program_words_q, watchdog_q;
  logic [1023:0] slot_base_q;
  logic [511:0] slot_lines_q;
  logic [31:0] i0;
  logic write_slot;
  logic [3:0] write_slot_index, read_slot_index;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [9:0] wslot, rslot;
  logic unused;
  /* verilator lint_on UNUSEDSIGNAL */

  assign unused = &{awaddr_i[1:0], araddr_i[1:0]};
  assign wslot = waddr_q - SLOTS;
  assign rslot = raddr_q - SLOTS;
  assign write_slot = write && waddr_q >= SLOTS && waddr_q < SLOTS_END;
  assign write_slot_index = wslot[5:2];
  assign read_slot_index = rslot[5:2];

  assign start_o = start_q;
  assign program_o = {program_high_q, program_low_q};
  assign program_words_o = program_words_q;
  assign watchdog_o = watchdog_q;
  assign slot_base_o = slot_base_q;
  assign slot_lines_o = slot_lines_q[{slot_i, 5'd0} +: 32];
  assign interrupt_o = gie_q && (isr_q != 2'd0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      start_q <= 1'b0;
      done_q <= 1'b0;
      ready_q <= 1'b0;
      gie_q <= 1'b0;
      ier_q <= 2'd0;
      isr_q <= 2'd0;
      program_low_q <= 32'd0;
      program_high_q <= 32'd0;
      program_words_q <= 32'd0;
      watchdog_q <= 32'd0;
      slot_base_q <= 1024'd0;
      slot_lines_q <= 512'd0;
    end else begin
      // ap_ctrl_hs: done and ready clear when CTRL is read; what sets a bit wins over what clears it.
      if (clear_done) begin
        done_q  <= 1'b0;
        ready_q <= 1'b0;
      end
      if (done_i) begin
        start_q <= 1'b0;
        done_q  <= 1'b1;
        ready_q <= 1'b1;
        isr_q   <= isr_q | ier_q;
      end
      if (write && wstrb_q[0]) begin
        if (waddr_q == CTRL && wdata_q[0]) start_q <= 1'b1;
        if (waddr_q == GIE) gie_q <= wdata_q[0];
        if (waddr_q == IER) ier_q <= wdata_q[1:0];
        if (waddr_q == ISR) isr_q <= (isr_q ^ wdata_q[1:0]) | (done_i ? ier_q : 2'd0);
      end
      if (write && waddr_q == PROGRAM_LOW) program_low_q <= merge(program_low_q, wdata_q, wstrb_q) & 32'hFFFFFFC0;
      if (write && waddr_q == PROGRAM_HIGH) program_high_q <= merge(program_high_q, wdata_q, wstrb_q);
      if (write && waddr_q == PROGRAM_WORDS) program_words_q <= merge(program_words_q, wdata_q, wstrb_q);
      if (write && waddr_q == WATCHDOG) watchdog_q <= merge(watchdog_q, wdata_q, wstrb_q);
      if (write_slot)
        for (i0 = 0; i0 < 16; i0 = i0 + 1)
          if ({28'd0, write_slot_index} == i0) begin
            if (wslot[1:0] == 2'd0)
              slot_base_q[i0*64 +: 32] <= merge(slot_base_q[i0*64 +: 32], wdata_q, wstrb_q) & 32'hFFFFFFC0;
            if (wslot[1:0] == 2'd1) slot_base_q[i0*64+32 +: 32] <= merge(slot_base_q[i0*64+32 +: 32], wdata_q, wstrb_q);
            if (wslot[1:0] == 2'd2) slot_lines_q[i0*32 +: 32] <= merge(slot_lines_q[i0*32 +: 32], wdata_q, wstrb_q);
          end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      r_address_q <= 1'b0;
      r_groups_q  <= 1'b0;
      rvalid_q    <= 1'b0;
    end else begin
      r_address_q <= arvalid_i && arready_o;
      r_groups_q  <= r_address_q;
      if (r_groups_q) rvalid_q <= 1'b1;
      else if (rready_i) rvalid_q <= 1'b0;
    end
    if (arvalid_i && arready_o) raddr_q <= araddr_i[11:2];
    if (r_address_q) begin
      counter_group_q <= raddr_q >= COUNTERS && raddr_q < COUNTERS_END;
      slot_group_q <= 32'd0;
      if (raddr_q >= SLOTS && raddr_q < SLOTS_END) begin
        if (rslot[1:0] == 2'd0) slot_group_q <= slot_base_q[{read_slot_index, 6'd0} +: 32];
        if (rslot[1:0] == 2'd1) slot_group_q <= slot_base_q[{read_slot_index, 6'd32} +: 32];
        if (rslot[1:0] == 2'd2) slot_group_q <= slot_lines_q[{read_slot_index, 5'd0} +: 32];
      end
      case (raddr_q)
        CTRL: group_q <= {28'd0, ready_q, !running_i && !start_q, done_q, start_q};
        GIE: group_q <= {31'd0, gie_q};
        IER: group_q <= {30'd0, ier_q};
        ISR: group_q <= {30'd0, isr_q};
        PROGRAM_LOW: group_q <= program_low_q;
        PROGRAM_HIGH: group_q <= program_high_q;
        PROGRAM_WORDS: group_q <= program_words_q;
        WATCHDOG: group_q <= watchdog_q;
        ERROR: group_q <= {28'd0, error_i};
        ERROR_INDEX: group_q <= error_index_i;
        WAITING: group_q <= {17'd0, waiting_i};
        WAITING_FOR: group_q <= {7'd0, waiting_for_i};
        MAGIC_AT: group_q <= MAGIC;
        ISA_AT: group_q <= heddle_isa_pkg::ISA_VERSION;
        SHAPE_AT: group_q <= {8'd0, QUEUE_DEPTH[7:0], WEIGHT_FIFO[3:0], AXI_PORTS[3:0], COLS[7:0]};
        UB_AT: group_q <= UB_LINES;
        ACC_AT: group_q <= ACC_ROWS;
        default: group_q <= 32'd0;
      endcase
    end
    if (r_groups_q)
      rdata_q <= group_q | slot_group_q |
          (counter_group_q ? (raddr_q[0] ? counter_data_i[63:32] : counter_data_i[31:0]) : 32'd0);
  end
endmodule

`default_nettype wire
