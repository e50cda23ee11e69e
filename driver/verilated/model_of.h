// The pins of one generated class. Included by the generated file of each configuration only.
#pragma once

#include <verilated.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <fstream>

#include "common/error.h"
#include "driver/verilated/model.h"
#include "sim/verilated/pins.h"

namespace heddle::driver {

template <typename Top>
class ModelOf final : public Model {
 public:
  explicit ModelOf(unsigned ports) : ports_(ports), top_(context()) {
    top_.clk_i = 0;
    top_.rst_ni = 0;
  }
  ~ModelOf() override {
    Verilated::threadContextp(context_.get());  // where the destructor looks for its scopes, whichever model came last
    top_.final();
    if (waves_) waves_->close();
  }

  void set_reset(bool active) override { top_.rst_ni = !active; }

  ControlReply cycle(const ControlRequest& control, std::uint32_t stall, sim::AxiMemory& memory) override {
    Verilated::threadContextp(context_.get());
    drive(control);
    top_.sim_stall_i = stall;
    memory.drive();
    drive_program(memory.pins(ports_));
    for (unsigned p = 0; p < ports_; ++p) drive_port(p, memory.pins(p));
    eval(0);
    const ControlReply reply = sample();
    for (unsigned p = 0; p < ports_; ++p) memory.clock(p, sample_port(p));
    memory.clock(ports_, sample_program());
    eval(1);
    return reply;
  }

  void open_waves(const std::string& path) override {
    if (!std::ofstream(path)) {
      throw DeviceError("cannot write waves to " + path + "; give a path in a folder that exists");
    }
    waves_ = std::make_unique<VerilatedFstC>();
    top_.trace(waves_.get(), 99);
    waves_->open(path.c_str());
  }

 private:
  VerilatedContext* context() {
    context_ = std::make_unique<VerilatedContext>();
    context_->threads(1);
    context_->traceEverOn(true);
    return context_.get();
  }

  void eval(unsigned clock) {
    top_.clk_i = clock;
    top_.eval();
    if (waves_) waves_->dump(time_);
    ++time_;
  }

  void drive(const ControlRequest& control) {
    top_.s_axi_control_awvalid_i = control.aw_valid;
    top_.s_axi_control_awaddr_i = static_cast<std::uint16_t>(control.address);
    top_.s_axi_control_wvalid_i = control.w_valid;
    top_.s_axi_control_wdata_i = control.data;
    top_.s_axi_control_wstrb_i = 0xF;
    top_.s_axi_control_bready_i = control.b_ready;
    top_.s_axi_control_arvalid_i = control.ar_valid;
    top_.s_axi_control_araddr_i = static_cast<std::uint16_t>(control.address);
    top_.s_axi_control_rready_i = control.r_ready;
  }

  ControlReply sample() const {
    ControlReply reply;
    reply.aw_ready = top_.s_axi_control_awready_o;
    reply.w_ready = top_.s_axi_control_wready_o;
    reply.b_valid = top_.s_axi_control_bvalid_o;
    reply.ar_ready = top_.s_axi_control_arready_o;
    reply.r_valid = top_.s_axi_control_rvalid_o;
    reply.response = reply.r_valid ? top_.s_axi_control_rresp_o : top_.s_axi_control_bresp_o;
    reply.data = top_.s_axi_control_rdata_o;
    reply.interrupt = top_.interrupt_o;
    return reply;
  }

  void drive_program(const sim::AxiSlavePins& pins) {
    top_.m_axi_prog_arready_i = pins.ar_ready;
    top_.m_axi_prog_rvalid_i = pins.r_valid;
    top_.m_axi_prog_rlast_i = pins.r_last;
    top_.m_axi_prog_rresp_i = pins.r_response;
    if (pins.r_valid) std::copy(pins.r_data.begin(), pins.r_data.end(), sim::words(top_.m_axi_prog_rdata_i));
  }

  sim::AxiMasterPins sample_program() const {
    sim::AxiMasterPins pins;
    pins.ar_valid = top_.m_axi_prog_arvalid_o;
    pins.ar_address = top_.m_axi_prog_araddr_o;
    pins.ar_length = top_.m_axi_prog_arlen_o;
    pins.r_ready = top_.m_axi_prog_rready_o;
    return pins;
  }

  void drive_port(unsigned p, const sim::AxiSlavePins& pins) {
    sim::set(top_.m_axi_arready_i, p, 1, pins.ar_ready);
    sim::set(top_.m_axi_rvalid_i, p, 1, pins.r_valid);
    if (pins.r_valid) {
      sim::set(top_.m_axi_rlast_i, p, 1, pins.r_last);
      sim::set(top_.m_axi_rresp_i, 2 * p, 2, pins.r_response);
      std::copy(pins.r_data.begin(), pins.r_data.end(), sim::words(top_.m_axi_rdata_i, p * 512));
    }
    sim::set(top_.m_axi_awready_i, p, 1, pins.aw_ready);
    sim::set(top_.m_axi_wready_i, p, 1, pins.w_ready);
    sim::set(top_.m_axi_bvalid_i, p, 1, pins.b_valid);
    sim::set(top_.m_axi_bresp_i, 2 * p, 2, pins.b_response);
  }

  sim::AxiMasterPins sample_port(unsigned p) {
    sim::AxiMasterPins pins;
    pins.ar_valid = sim::get(top_.m_axi_arvalid_o, p, 1);
    if (pins.ar_valid) {
      pins.ar_address = sim::get(top_.m_axi_araddr_o, p * 64, 64);
      pins.ar_length = static_cast<std::uint8_t>(sim::get(top_.m_axi_arlen_o, p * 8, 8));
    }
    pins.r_ready = sim::get(top_.m_axi_rready_o, p, 1);
    pins.aw_valid = sim::get(top_.m_axi_awvalid_o, p, 1);
    if (pins.aw_valid) {
      pins.aw_address = sim::get(top_.m_axi_awaddr_o, p * 64, 64);
      pins.aw_length = static_cast<std::uint8_t>(sim::get(top_.m_axi_awlen_o, p * 8, 8));
    }
    pins.w_valid = sim::get(top_.m_axi_wvalid_o, p, 1);
    pins.w_last = sim::get(top_.m_axi_wlast_o, p, 1);
    pins.w_data = sim::words(top_.m_axi_wdata_o, p * 512);
    pins.b_ready = sim::get(top_.m_axi_bready_o, p, 1);
    return pins;
  }

  unsigned ports_;
  std::unique_ptr<VerilatedContext> context_;
  Top top_;
  std::unique_ptr<VerilatedFstC> waves_;
  std::uint64_t time_ = 0;
};

}  // namespace heddle::driver
