#include "tests/emulation/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace heddle::testing_support {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

[[noreturn]] void become(const std::vector<std::string>& command, const Variables& variables,
                         const std::string& directory, int output) {
  setsid();
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (chdir(directory.c_str()) != 0) _exit(126);
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

// Session, state and name of a process; session -1 if it is gone.
struct Status {
  std::string name;
  pid_t session = -1;
  char state = 0;
};

Status status_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  Status status;
  pid_t parent = 0, group = 0, session = 0;
  if (name_end != std::string::npos &&
      std::sscanf(line.c_str() + name_end + 1, " %c %d %d %d", &status.state, &parent, &group, &session) == 4) {
    status.session = session;
    status.name = line.substr(line.find('(') + 1, name_end - line.find('(') - 1);
  }
  return status;
}

}  // namespace

Child::Child(const std::vector<std::string>& command, const Variables& variables, const std::string& directory) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("no process");
  if (process_ == 0) become(command, variables, directory, ends[1]);
  close(ends[1]);
  pipe_ = ends[0];
  fcntl(pipe_, F_SETFL, O_NONBLOCK);
}

Child::~Child() {
  if (!ended_) {
    kill_now();
    wait(10s);
  }
  for (pid_t other : others()) ::kill(other, SIGKILL);
  close(pipe_);
}

void Child::read_output() {
  char buffer[4096];
  for (ssize_t count; (count = read(pipe_, buffer, sizeof buffer)) > 0;) {
    output_.append(buffer, static_cast<std::size_t>(count));
  }
}

bool Child::wait(std::chrono::seconds limit) {
  const Clock::time_point end = Clock::now() + limit;
  int status = 0;
  bool in_time = true;
  while (waitpid(process_, &status, WNOHANG) == 0) {
    read_output();
    if (in_time && Clock::now() >= end) {
      in_time = false;
      kill_now();
    }
    std::this_thread::sleep_for(2ms);
  }
  read_output();
  ended_ = true;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return in_time;
}

void Child::kill_now() { ::kill(process_, SIGKILL); }

std::vector<pid_t> Child::others(const std::string& name) const {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process <= 0 || process == process_) continue;
    const Status status = status_of(process);
    if (status.session == process_ && status.state != 'Z' && status.name.starts_with(name)) found.push_back(process);
  }
  return found;
}

bool Child::others_end(std::chrono::milliseconds limit) const {
  const Clock::time_point end = Clock::now() + limit;
  while (!others().empty()) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

}  // namespace heddle::testing_support
