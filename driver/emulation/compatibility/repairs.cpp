#include "driver/emulation/compatibility/repairs.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <stdexcept>

#include "driver/emulation/compatibility/completions.h"
#include "driver/emulation/compatibility/shim_environment.h"
#include "driver/emulation/compatibility/shim_memory.h"
#include "driver/emulation/compatibility/shim_processes.h"
#include "driver/emulation/compatibility/shim_sockets.h"
#include "driver/emulation/compatibility/shim_threads.h"

namespace heddle::emulation {
namespace {

constexpr const char* kAllocator = "_ZN11xclhwemhal28HwEmShim10alloc_voidEm";
constexpr const char* kExecWait = "_ZN11xclhwemhal28HwEmShim11xclExecWaitEi";
constexpr const char* kVirtualExecWait = "_ZNK8xrt_core4shimINS_11device_pcieEE9exec_waitEi";
constexpr const char* kVirtualLoad = "_ZN8xrt_core4shimINS_11device_pcieEE9load_axlfEPK4axlf";
constexpr const char* kMessages = "_ZN11xclhwemhal214messagesThreadEPNS_8HwEmShimE";
constexpr const char* kStartThread =
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE";
constexpr const char* kOpen = "_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode";
constexpr const char* kShutdown = "_ZN6google8protobuf23ShutdownProtobufLibraryEv";

template <typename Function>
void replace(const ShimImage& shim, const char* name, Function* replacement) {
  if (shim.replace_import(name, reinterpret_cast<void*>(replacement)) == 0) {
    throw std::runtime_error(std::string("XRT's emulation shim does not call ") + name);
  }
}

CodeRange function(const ShimImage& shim, const char* name) {
  const CodeRange range = shim.function(name);
  if (range.first == range.end) throw std::runtime_error(std::string("XRT's emulation shim has no function ") + name);
  return range;
}

// ---------------------------------------------------------------------------------------------------- sleeping
CodeRange exec_wait, messages_thread;

unsigned sleep_hook(unsigned seconds) {
  const void* caller = __builtin_return_address(0);
  if (exec_wait.contains(caller)) {
    rest();
    return 0;
  }
  if (messages_thread.contains(caller)) {
    const timespec brief{0, 50'000'000};
    nanosleep(&brief, nullptr);
    end_if_load_failed();
    return 0;
  }
  return ::sleep(seconds);
}

void install_sleep(const ShimImage& shim) { replace(shim, "sleep", sleep_hook); }

int clockwait_hook(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* limit) {
  constexpr long kLongest = 500'000, kSecond = 1'000'000'000;  // nanoseconds
  timespec end;
  clock_gettime(clock, &end);
  end.tv_nsec += kLongest;
  if (end.tv_nsec >= kSecond) {
    end.tv_nsec -= kSecond;
    ++end.tv_sec;
  }
  const bool sooner = limit->tv_sec < end.tv_sec || (limit->tv_sec == end.tv_sec && limit->tv_nsec < end.tv_nsec);
  return pthread_cond_clockwait(condition, mutex, clock, sooner ? limit : &end);
}

void nothing() {}

// ------------------------------------------------------------------------------------------------------- table
void repair_message_buffer(const ShimImage& shim) {
  set_message_allocator(function(shim, kAllocator));
  replace(shim, "malloc", malloc_hook);
  replace(shim, "realloc", realloc_hook);
}

void repair_buffer_release(const ShimImage& shim) {
  replace(shim, "posix_memalign", posix_memalign_hook);
  replace(shim, "munmap", munmap_hook);
}

void repair_completion_sleep(const ShimImage& shim) {
  exec_wait = function(shim, kExecWait);
  install_sleep(shim);
}

void repair_wait_limit(const ShimImage& shim) {
  if (shim.replace_pointers(function(shim, kVirtualExecWait).first, reinterpret_cast<void*>(wait_for_completion)) ==
      0) {
    throw std::runtime_error("XRT's emulation shim has no virtual exec_wait");
  }
}

using LoadFunction = void (*)(void* device, const void* xclbin);
LoadFunction real_load = nullptr;

void load_hook(void* device, const void* xclbin) {
  set_loading(device);
  try {
    real_load(device, xclbin);
  } catch (...) {
    set_loading(nullptr);
    throw;
  }
  set_loading(nullptr);
}

// So that a wait on a device knows which device process it is for.
void watch_loads(const ShimImage& shim) {
  const CodeRange load = function(shim, kVirtualLoad);
  real_load = reinterpret_cast<LoadFunction>(load.first);
  if (shim.replace_pointers(load.first, reinterpret_cast<void*>(load_hook)) == 0) {
    throw std::runtime_error("XRT's emulation shim has no virtual load_axlf");
  }
}

void repair_scheduler_wakeup(const ShimImage& shim) { replace(shim, "pthread_cond_clockwait", clockwait_hook); }

void repair_messages_sleep(const ShimImage& shim) {
  messages_thread = function(shim, kMessages);
  install_sleep(shim);
}

void repair_device_death(const ShimImage& shim) {
  replace(shim, "accept", accept_hook);
  replace(shim, "read", read_hook);
  replace(shim, "write", write_hook);
  replace(shim, "close", close_hook);
  replace(shim, "select", select_hook);
  replace(shim, "pthread_mutex_lock", lock_hook);
  replace(shim, "pthread_mutex_unlock", unlock_hook);
  watch_loads(shim);
}

void repair_posted_writes(const ShimImage&) { set_posting(true); }

void repair_private_names(const ShimImage& shim) {
  replace(shim, "getenv", getenv_hook);
  replace(shim, "setenv", setenv_hook);
  replace(shim, "unsetenv", unsetenv_hook);
}

void repair_own_processes(const ShimImage& shim) {
  replace(shim, "fork", fork_hook);
  replace(shim, "waitpid", waitpid_hook);
  replace(shim, kStartThread, start_thread_hook);
}

void repair_group_kill(const ShimImage& shim) {
  replace(shim, "sigaction", sigaction_hook);
  replace(shim, "kill", kill_hook);
}

void repair_permissions(const ShimImage& shim) { replace(shim, "system", system_hook); }

void repair_log_place(const ShimImage& shim) { replace(shim, kOpen, open_hook); }

void repair_shutdown(const ShimImage& shim) { replace(shim, kShutdown, nothing); }

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (end > at) words.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

const std::vector<Repair>& repairs() {
  static const std::vector<Repair> all{
      {"message_buffer", "a message longer than all before overwrites the heap: realloc's result is lost",
       repair_message_buffer},
      {"buffer_release",
       "memory of buffers is cut out of the heap; a command that a program no longer waits for ends the program",
       repair_buffer_release},
      {"completion_sleep", "the first wait for a kernel sleeps 10 s, each later one 1 s", repair_completion_sleep},
      {"wait_limit", "a wait with a limit never ends if the kernel does not", repair_wait_limit},
      {"scheduler_wakeup", "the scheduler is notified outside its mutex, misses it, and starts a kernel 20 ms late",
       repair_scheduler_wakeup},
      {"messages_sleep", "closing a device waits for a thread that sleeps 10 s", repair_messages_sleep},
      {"own_processes", "waiting for a device process takes any child of the program, and never ends without one",
       repair_own_processes},
      {"private_names",
       "names of sockets and directories travel through the environment: boards that load at the same "
       "time, and users of the same name or none, meet",
       repair_private_names},
      {"device_death", "reading from a device process that died never ends; writing to it ends the program",
       repair_device_death},
      {"posted_writes",
       "each of a kernel's registers costs a round trip to the device process; reading memory sends as much as it gets",
       repair_posted_writes},
      {"group_kill", "a crash of the program is passed on to its whole process group", repair_group_kill},
      {"permissions", "everything unpacked is made writable for everybody", repair_permissions},
      {"log_place", "a log is written beside the program", repair_log_place},
      {"shutdown", "closing one device shuts protocol buffers down for all", repair_shutdown},
  };
  return all;
}

void check_repair_names(const std::string& keep) {
  std::vector<std::string> known{"all"};
  for (const Repair& repair : repairs()) known.emplace_back(repair.name);
  for (const std::string& word : split(keep)) {
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    std::string text;
    for (const std::string& name : known) text += (text.empty() ? "" : ", ") + name;
    throw std::runtime_error(std::string(kKeepVariable) + " names \"" + word + "\"; there are " + text);
  }
}

void apply_repairs(const ShimImage& shim, const std::string& keep) {
  const std::vector<std::string> kept = split(keep);
  for (const Repair& repair : repairs()) {
    if (std::find(kept.begin(), kept.end(), repair.name) == kept.end()) repair.apply(shim);
  }
}

}  // namespace heddle::emulation
