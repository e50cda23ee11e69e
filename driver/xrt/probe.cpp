#include "driver/xrt/probe.h"

#include <experimental/xrt_system.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xrt/xrt_device.h>

#include <cstring>
#include <sstream>

#include "common/error.h"
#include "driver/emulation/environment.h"
#include "driver/xrt/bitstreams.h"
#include "driver/xrt/xrt_device.h"

namespace heddle::driver {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kCardsLimit{20};      // for all cards of a machine to be looked at
constexpr std::chrono::seconds kEmulationLimit{60};  // for an emulated board to be loaded on a busy machine

// ------------------------------------------------------------------------------------------------ the child process
void send(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t sent = ::write(fd, text.data() + at, text.size() - at);
    if (sent <= 0) return;
    at += static_cast<std::size_t>(sent);
  }
}

// The first byte says whether an answer follows or an error. What XRT prints goes nowhere.
[[noreturn]] void answer(const std::function<std::string()>& question, int fd) {
  ::setpgid(0, 0);  // XRT's handlers kill the whole process group
  if (const int nowhere = ::open("/dev/null", O_RDWR); nowhere >= 0)
    for (int standard = 0; standard <= 2; ++standard) ::dup2(nowhere, standard);
  try {
    send(fd, "+" + question());
  } catch (const std::exception& error) {
    send(fd, std::string("-") + error.what());
  }
  ::_exit(0);
}

// All that comes before the child closes its end, or before the limit; false if that passed.
bool receive(int fd, Clock::time_point end, std::string& text) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd one{fd, POLLIN, 0};
    if (left <= 0 || ::poll(&one, 1, static_cast<int>(left)) == 0) return false;
    char part[4096];
    const ssize_t bytes = ::read(fd, part, sizeof part);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return true;
    text.append(part, static_cast<std::size_t>(bytes));
  }
}

std::string ending(int status) {
  if (WIFSIGNALED(status)) return std::string("XRT crashed: ") + ::strsignal(WTERMSIG(status));
  return "XRT ended the process with exit code " + std::to_string(WEXITSTATUS(status));
}

// --------------------------------------------------------------------------------------------------- the questions
// A line a card: index, address, shell, tabs between.
std::string describe_cards() {
  std::string text;
  const unsigned count = xrt::system::enumerate_devices();
  for (unsigned i = 0; i < count; ++i) {
    text += std::to_string(i) + "\t";
    try {
      const xrt::device device(i);
      text += device.get_info<xrt::info::device::bdf>() + "\t" + device.get_info<xrt::info::device::name>() + "\n";
    } catch (const std::exception& error) {
      text += "\t" + std::string(error.what()) + "\n";
    }
  }
  return text;
}

DeviceListing describe_card(const config::Config& config, const std::string& line) {
  std::istringstream in(line);
  std::string index, bdf, shell;
  std::getline(in, index, '\t');
  std::getline(in, bdf, '\t');
  std::getline(in, shell);
  DeviceListing card{"xrt", "card", false, "", bdf.empty() ? index : bdf};
  if (bdf.empty()) {
    card.reason = "card " + index + " cannot be opened: " + shell;
    return card;
  }
  try {
    card.reason = "card with shell " + shell + ", " + find_card_xclbin(config, shell).string();
    card.usable = true;
  } catch (const Error& error) {
    card.reason = "card with shell " + shell + ": " + error.what();
  }
  return card;
}

std::vector<DeviceListing> probe_cards(const config::Config& config) {
  const ProbeAnswer cards = ask_in_child(describe_cards, kCardsLimit);
  if (!cards.answered) return {{"xrt", "card", false, "no card can be used: " + cards.text, ""}};
  std::vector<DeviceListing> list;
  std::istringstream in(cards.text);
  for (std::string line; std::getline(in, line);) list.push_back(describe_card(config, line));
  if (list.empty()) list.push_back({"xrt", "card", false, "XRT sees no card", ""});
  return list;
}

DeviceListing probe_emulation(const config::Config& config) {
  DeviceListing board{"xrt", "emulation", false, "", "emulated"};
  if (board.reason = emulation::missing_part(); !board.reason.empty()) return board;
  const auto open = [&] {
    const DeviceInfo info = make_xrt_device(config, {})->info();
    return info.detail + ", " + info.parts[0].second;
  };
  const ProbeAnswer opened = ask_in_child(open, kEmulationLimit);
  board.usable = opened.answered;
  board.reason = opened.text;
  return board;
}

}  // namespace

ProbeAnswer ask_in_child(const std::function<std::string()>& question, std::chrono::milliseconds limit) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {false, std::string("no pipe: ") + std::strerror(errno)};
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    answer(question, ends[1]);
  }
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return {false, std::string("no child process: ") + std::strerror(errno)};
  }
  std::string text;
  const bool ended = receive(ends[0], Clock::now() + limit, text);
  ::close(ends[0]);
  if (!ended) ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended) return {false, "XRT gave no answer within " + std::to_string(limit.count() / 1000) + " s"};
  if (text.empty()) return {false, ending(status)};
  return {text[0] == '+', text.substr(1)};
}

std::vector<DeviceListing> probe_xrt(const config::Config& config) {
  std::vector<DeviceListing> list = probe_cards(config);
  list.push_back(probe_emulation(config));
  return list;
}

}  // namespace heddle::driver
