#include "driver/emulation/compatibility/repairs.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
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
constexpr const char* kVirtualOpen = "_ZNK8xrt_core5hwemu6system17get_userpf_deviceEj";
constexpr const char* kVirtualClose = "_ZN8xrt_core4shimINS_11device_pcieEE12close_deviceEv";
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

// Replaces a virtual function and gives the original.
template <typename Function>
Function* replace_virtual(const ShimImage& shim, const char* name, Function* replacement) {
  const CodeRange original = function(shim, name);
  if (shim.replace_pointers(original.first, reinterpret_cast<void*>(replacement)) == 0) {
    throw std::runtime_error(std::string("XRT's emulation shim has no virtual ") + name);
  }
  return reinterpret_cast<Function*>(original.first);
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
  constexpr long kBusy = 500'000, kIdle = 5'000'000, kSecond = 1'000'000'000;  // nanoseconds
  timespec end;
  clock_gettime(clock, &end);
  end.tv_nsec += scheduler_is_in_use() ? kBusy : kIdle;
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

void repair_wait_limit(const ShimImage& shim) { replace_virtual(shim, kVirtualExecWait, wait_for_completion); }

// --------------------------------------------------------------------------------- opening, loading and closing
// Never destroyed: devices may be closed after the library's variables.
struct OpenDevices {
  std::recursive_mutex mutex;  // held while a device is opened, loaded or closed
  std::condition_variable_any closed;
  std::map<unsigned, const void*> objects;  // by index
};
OpenDevices& open_devices() {
  static OpenDevices& all = *new OpenDevices;
  return all;
}

// XRT hands out a device by one of its base classes and closes it by another: addresses within one object.
bool same_object(const void* one, const void* other) {
  constexpr std::uintptr_t kSize = 256;
  const auto a = reinterpret_cast<std::uintptr_t>(one), b = reinterpret_cast<std::uintptr_t>(other);
  return (a < b ? b - a : a - b) < kSize;
}

std::shared_ptr<void> (*real_open)(const void* system, unsigned index) = nullptr;
void (*real_load)(void* device, const void* xclbin) = nullptr;
void (*real_close)(void* device) = nullptr;

// XRT forgets a device before it closes it, so that another thread may open the same one in between.
std::shared_ptr<void> open_device_hook(const void* system, unsigned index) {
  constexpr std::chrono::seconds kLimit{30};
  OpenDevices& open = open_devices();
  std::unique_lock lock(open.mutex);
  if (!open.closed.wait_for(lock, kLimit, [&] { return open.objects.count(index) == 0; })) {
    throw std::runtime_error("device " + std::to_string(index) + " is being closed, and not closed within " +
                             std::to_string(kLimit.count()) + " s; use another one");
  }
  std::shared_ptr<void> device = real_open(system, index);
  open.objects[index] = device.get();
  return device;
}

// Remembers the device, so that a wait on it knows its process.
void load_hook(void* device, const void* xclbin) {
  const std::lock_guard lock(open_devices().mutex);
  struct Loading {
    explicit Loading(void* object) { set_loading(object); }
    ~Loading() { set_loading(nullptr); }
  } loading(device);
  real_load(device, xclbin);
}

void close_device_hook(void* device) {
  OpenDevices& open = open_devices();
  const std::lock_guard lock(open.mutex);
  real_close(device);
  std::erase_if(open.objects, [&](const auto& entry) { return same_object(entry.second, device); });
  open.closed.notify_all();
}

void repair_one_at_a_time(const ShimImage& shim) {
  real_open = replace_virtual(shim, kVirtualOpen, open_device_hook);
  real_load = replace_virtual(shim, kVirtualLoad, load_hook);
  real_close = replace_virtual(shim, kVirtualClose, close_device_hook);
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
      {"one_at_a_time",
       "devices that are opened, loaded and closed at the same time damage what the shim has in common",
       repair_one_at_a_time},
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
