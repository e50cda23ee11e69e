#include "common/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "common/error.h"

namespace heddle {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
// Stays free for what is too small to be asked for.
constexpr std::uint64_t kReserve = std::uint64_t{64} << 20;

std::uint64_t difference(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

// The number after `key` in a file of lines "key number"; with an empty key the file's first number.
std::uint64_t number_in(const std::filesystem::path& path, const std::string& key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t value = 0;
    if (!key.empty() && !(words >> name && name == key)) continue;
    return words >> value ? value : kUnlimited;  // "max" is no number
  }
  return kUnlimited;
}

std::uint64_t system_memory() {
  constexpr std::uint64_t kKibibyte = 1024;
  const std::uint64_t available = number_in("/proc/meminfo", "MemAvailable:");
  return available == kUnlimited ? kUnlimited : available * kKibibyte;
}

// How the two versions of control groups name things.
struct GroupFiles {
  const char* root;
  const char* limit;
  const char* used;
  const char* cached;  // in memory.stat: files that are given back when memory is asked for
};
constexpr GroupFiles kVersion1{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                               "total_inactive_file"};
constexpr GroupFiles kVersion2{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};

std::uint64_t group_memory(const std::filesystem::path& group, const GroupFiles& names) {
  const std::uint64_t limit = number_in(group / names.limit, "");
  const std::uint64_t used = number_in(group / names.used, "");
  if (limit == kUnlimited || used == kUnlimited) return kUnlimited;
  const std::uint64_t cached = number_in(group / "memory.stat", names.cached);
  return difference(limit, difference(used, cached == kUnlimited ? 0 : cached));
}

// The group at `path` and all around it.
std::uint64_t group_and_parents(const GroupFiles& names, const std::string& path) {
  std::uint64_t least = kUnlimited;
  const std::filesystem::path root = names.root;
  for (std::filesystem::path group = root / std::filesystem::path(path).relative_path();; group = group.parent_path()) {
    least = std::min(least, group_memory(group, names));
    if (group == root || !group.has_relative_path()) return least;
  }
}

// Lines are "0::/path" in version 2, "4:memory:/path" in version 1, where others have more controllers in the middle.
std::uint64_t groups_memory() {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  std::uint64_t least = kUnlimited;
  while (std::getline(file, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty() || controllers == "memory")
      least = std::min(least, group_and_parents(controllers.empty() ? kVersion2 : kVersion1, line.substr(second + 1)));
  }
  return least;
}

std::uint64_t address_space() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const std::uint64_t pages = number_in("/proc/self/statm", "");
  if (pages == kUnlimited) return kUnlimited;
  return difference(limit.rlim_cur, pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

}  // namespace

std::uint64_t available_memory() { return std::min({system_memory(), groups_memory(), address_space()}); }

void require_memory(std::uint64_t bytes, const std::string& what) {
  constexpr std::uint64_t kNeverAProblem = std::uint64_t{1} << 20;
  if (bytes < kNeverAProblem) return;
  const std::uint64_t available = difference(available_memory(), kReserve);
  if (bytes > available)
    throw InputError(what + " " + describe_bytes(bytes) + ", but " + describe_bytes(available) +
                     " of memory are available; use something smaller or a machine with more");
}

std::string describe_bytes(std::uint64_t bytes) {
  constexpr std::array kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  std::uint64_t divisor = 1;
  while (unit + 1 < kUnits.size() && bytes / divisor >= 1024) {
    divisor *= 1024;
    ++unit;
  }
  if (unit == 0) return std::to_string(bytes) + " bytes";
  const std::uint64_t whole = bytes / divisor;
  const std::uint64_t tenths = (bytes % divisor) / (divisor / 10 + 1);
  return std::to_string(whole) + "." + std::to_string(tenths) + " " + kUnits[unit];
}

}  // namespace heddle
