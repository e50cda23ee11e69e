// One Heddle core: registers, command processor, the five units and the memories they share.
//
// Promises: runs one program per ap_start (docs/design.md, sections 5 to 8). m_axi_prog reads program lines; the data ports carry slot s on port
// s modulo AXI_PORTS. All addresses are 64-byte aligned, all beats whole lines, one ID per port.
// sim_stall_i refuses a requester for one cycle, for tests of back-pressure; tie to 0 on a card:
//   bits 0 and up: requesters of the unified buffer in the order of its stall_i;
//   25 + u: command hand-shake of unit u; 30: accumulator reads of STORE; 31: accumulator reads of VEC.
// Limits: AXI_PORTS at most 9 (stall bits), no reset of a running AXI transfer (docs/design.md, section 5).
`default_nettype none

module heddle_core #(
    parameter COLS        = heddle_config_pkg::COLS,
    parameter UB_LINES    = heddle_config_pkg::UB_LINES,
    parameter UB_BANKS    = heddle_config_pkg::UB_BANKS,
    parameter ACC_ROWS    = heddle_config_pkg::ACC_ROWS,
    parameter WEIGHT_FIFO = heddle_config_pkg::WEIGHT_FIFO,
    parameter QUEUE_DEPTH = heddle_config_pkg::QUEUE_DEPTH,
    parameter AXI_PORTS   = heddle_config_pkg::AXI_PORTS
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    // Host registers, AXI4-Lite.
    input  logic                     s_axi_control_awvalid_i,
    output logic                     s_axi_control_awready_o,
    input  logic [             11:0] s_axi_control_awaddr_i,
    input  logic                     s_axi_control_wvalid_i,
    output logic                     s_axi_control_wready_o,
    input  logic [             31:0] s_axi_control_wdata_i,
    input  logic [              3:0] s_axi_control_wstrb_i,
    output logic                     s_axi_control_bvalid_o,
    input  logic                     s_axi_control_bready_i,
    output logic [              1:0] s_axi_control_bresp_o,
    input  logic                     s_axi_control_arvalid_i,
    output logic                     s_axi_control_arready_o,
    input  logic [             11:0] s_axi_control_araddr_i,
    output logic                     s_axi_control_rvalid_o,
    input  logic                     s_axi_control_rready_i,
    output logic [             31:0] s_axi_control_rdata_o,
    output logic [              1:0] s_axi_control_rresp_o,
    output logic                     interrupt_o,
    // Program lines, AXI4 read-only.
    output logic                     m_axi_prog_arvalid_o,
    input  logic                     m_axi_prog_arready_i,
    output logic [             63:0] m_axi_prog_araddr_o,
    output logic [              7:0] m_axi_prog_arlen_o,
    input  logic                     m_axi_prog_rvalid_i,
    output logic                     m_axi_prog_rready_o,
    input  logic [            511:0] m_axi_prog_rdata_i,
    input  logic [              1:0] m_axi_prog_rresp_i,
    input  logic                     m_axi_prog_rlast_i,
    // Data, AXI4, port p in bits [p * width +: width].
    output logic [    AXI_PORTS-1:0] m_axi_arvalid_o,
    input  logic [    AXI_PORTS-1:0] m_axi_arready_i,
    output logic [ AXI_PORTS*64-1:0] m_axi_araddr_o,
    output logic [  AXI_PORTS*8-1:0] m_axi_arlen_o,
    input  logic [    AXI_PORTS-1:0] m_axi_rvalid_i,
    output logic [    AXI_PORTS-1:0] m_axi_rready_o,
    input  logic [AXI_PORTS*512-1:0] m_axi_rdata_i,
    input  logic [  AXI_PORTS*2-1:0] m_axi_rresp_i,
    input  logic [    AXI_PORTS-1:0] m_axi_rlast_i,
    output logic [    AXI_PORTS-1:0] m_axi_awvalid_o,
    input  logic [    AXI_PORTS-1:0] m_axi_awready_i,
    output logic [ AXI_PORTS*64-1:0] m_axi_awaddr_o,
    output logic [  AXI_PORTS*8-1:0] m_axi_awlen_o,
    output logic [    AXI_PORTS-1:0] m_axi_wvalid_o,
    input  logic [    AXI_PORTS-1:0] m_axi_wready_i,
    output logic [AXI_PORTS*512-1:0] m_axi_wdata_o,
    output logic [    AXI_PORTS-1:0] m_axi_wlast_o,
    input  logic [    AXI_PORTS-1:0] m_axi_bvalid_i,
    output logic [    AXI_PORTS-1:0] m_axi_bready_o,
    input  logic [  AXI_PORTS*2-1:0] m_axi_bresp_i,
    input  logic [             31:0] sim_stall_i
);

endmodule

`default_nettype wire
