// heddle-emulated-device: a board in a process, for the hardware emulation of XRT.
//
// XRT's shim starts it (driver/xclbin/launcher.h) and speaks with it over a socket (wire.h). It lives as long as its
// host.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "common/error.h"
#include "config/config.h"
#include "driver/emulation/faults.h"
#include "driver/emulation/rtl_kernel.h"
#include "driver/emulation/server.h"
#include "driver/emulation/socket.h"
#include "driver/emulation/socket_paths.h"
#include "driver/xclbin/kernel_interface.h"

namespace heddle::emulation {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kConnectLimit = 60s;
constexpr auto kRetry = 1ms;

// The process shares the host's process group: what ends the host reaches it as a closed socket.
void ignore_signals_of_the_terminal() {
  for (int signal : {SIGINT, SIGQUIT, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
}

// The shim leaves all of the host's descriptors open, sockets of other boards among them.
void close_inherited_descriptors() { close_range(3, ~0u, 0); }

// The host's process stands in the name of its sockets. Asking for the parent alone would take whoever adopts orphans
// for the host, if that one has died already.
pid_t host_process() {
  const char* id = std::getenv("EMULATION_SOCKETID");
  const char* number = id != nullptr ? std::strrchr(id, '_') : nullptr;
  const int host = number != nullptr ? std::atoi(number + 1) : 0;
  return host > 0 ? host : getppid();
}

Faults faults_from_environment() {
  const char* text = std::getenv(kFaultsVariable);
  return Faults::parse(text != nullptr ? text : "");
}

// Where another kind of kernel, such as a C++ model of an HLS one, gets its place beside the RTL.
std::unique_ptr<Kernel> make_kernel(const config::Config& config, EmulatedBoard& board, const Faults& faults) {
  driver::VerilatedOptions options;
  options.stall_percent = config.model.stall_percent;
  return std::make_unique<RtlKernel>(config, options, board.memory(), faults);
}

std::optional<Socket> connect_to_host(const std::string& path, pid_t host) {
  const Clock::time_point end = Clock::now() + kConnectLimit;
  while (Clock::now() < end && getppid() == host) {
    if (std::optional<Socket> socket = Socket::connect(path)) {
      unlink(path.c_str());  // the shim leaves it behind
      return socket;
    }
    std::this_thread::sleep_for(kRetry);
  }
  return std::nullopt;
}

// The second socket: the shim's thread on it ends when a request to close comes from here.
class HostMemoryLink {
 public:
  HostMemoryLink(const std::string& path, pid_t host)
      : thread_([this, path, host](const std::stop_token& stop) {
          while (!stop.stop_requested() && getppid() == host && !socket_) {
            socket_ = Socket::connect(path);
            if (socket_) unlink(path.c_str());
            if (!socket_) std::this_thread::sleep_for(kRetry);
          }
        }) {}

  void close() {
    thread_.request_stop();
    thread_.join();
    if (socket_) socket_->send(encode({Call::close, 0}));
  }

 private:
  std::optional<Socket> socket_;
  std::jthread thread_;
};

int run(const std::string& configuration) {
  const pid_t host = host_process();
  ignore_signals_of_the_terminal();
  close_inherited_descriptors();
  const config::Config config = config::load(configuration);
  Faults faults = faults_from_environment();
  EmulatedBoard board(config.model.banks);
  for (const xclbin::ComputeUnit& unit : xclbin::emulated_interface(config).units) {
    board.add(unit.base, make_kernel(config, board, faults));
  }

  const SocketPaths paths = socket_paths();
  std::optional<Socket> requests = connect_to_host(paths.requests, host);
  if (!requests) {
    throw DeviceError("the emulated board found no host at " + paths.requests + " within " +
                      std::to_string(kConnectLimit.count()) + " s; it is started by XRT, not by hand");
  }
  HostMemoryLink host_memory(paths.host_memory, host);
  Server(board, faults).serve(*requests, [&] { host_memory.close(); });
  return 0;
}

}  // namespace
}  // namespace heddle::emulation

int main(int argc, char** argv) {
  int code = 1;
  try {
    CLI::App app{"An emulated board for XRT's hardware emulation; XRT starts it"};
    std::string configuration;
    app.add_option("--config", configuration, "the board's configuration: a TOML file")->required();
    CLI11_PARSE(app, argc, argv);
    code = heddle::emulation::run(configuration);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle-emulated-device: %s\n", error.what());
  }
  std::fflush(nullptr);
  _exit(code);  // at once: the host waits for the end before it goes on, and the system takes memory back fastest
}
