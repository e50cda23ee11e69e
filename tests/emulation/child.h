// Programs of XRT in processes of their own: their whole session is watched, limited and ended.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace heddle::testing_support {

using Variables = std::map<std::string, std::string>;

class Child {
 public:
  // Starts `command` in a session of its own, with `variables` added to the environment.
  Child(const std::vector<std::string>& command, const Variables& variables, const std::string& directory);
  // Ends everything that is left of the session.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Waits for its end. False if it was ended because of the limit.
  bool wait(std::chrono::seconds limit);
  void kill_now();

  pid_t process() const { return process_; }
  int exit_code() const { return exit_code_; }  // 128 + N if signal N ended it
  const std::string& output() const { return output_; }

  // Living processes of its session other than itself, all or those whose name begins so.
  std::vector<pid_t> others(const std::string& name = "") const;
  // Whether all of them end within `limit`.
  bool others_end(std::chrono::milliseconds limit) const;

 private:
  void read_output();

  pid_t process_ = 0;
  int pipe_ = -1;
  bool ended_ = false;
  int exit_code_ = -1;
  std::string output_;
};

}  // namespace heddle::testing_support
