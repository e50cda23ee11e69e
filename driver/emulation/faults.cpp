#include "driver/emulation/faults.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "common/error.h"

namespace heddle::emulation {
namespace {

struct Name {
  std::string_view text;
  FaultKind kind;
};
constexpr std::array<Name, 9> kNames{{{"read_error", FaultKind::read_error},
                                      {"write_error", FaultKind::write_error},
                                      {"fetch_error", FaultKind::fetch_error},
                                      {"stuck_kernel", FaultKind::stuck_kernel},
                                      {"lost_completion", FaultKind::lost_completion},
                                      {"wrong_uuid", FaultKind::wrong_uuid},
                                      {"crash", FaultKind::crash},
                                      {"silent", FaultKind::silent},
                                      {"slow_answers", FaultKind::slow_answers}}};

[[noreturn]] void refuse(std::string_view word, const std::string& why) {
  std::string names;
  for (const Name& name : kNames) names += (names.empty() ? "" : ", ") + std::string(name.text);
  throw InputError("fault \"" + std::string(word) + "\" in " + kFaultsVariable + ": " + why + "; use " + names +
                   ", with @N for run N only, slow_answers=MILLISECONDS");
}

std::uint64_t number(std::string_view digits, std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) refuse(word, "no number where one belongs");
  return value;
}

}  // namespace

Faults Faults::parse(std::string_view text) {
  Faults faults;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    const std::string_view name = word.substr(0, word.find_first_of("@="));
    const auto known = std::find_if(kNames.begin(), kNames.end(), [&](const Name& n) { return n.text == name; });
    if (known == kNames.end()) refuse(word, "there is no such fault");
    Fault fault{known->kind, std::nullopt, 0};
    const std::string_view rest = word.substr(name.size());
    const bool timed = fault.kind == FaultKind::slow_answers;
    if (timed != rest.starts_with('=')) refuse(word, timed ? "it needs a time" : "it takes no value");
    if (timed) fault.value = number(rest.substr(1), word);
    if (rest.starts_with('@')) fault.run = number(rest.substr(1), word);
    faults.faults_.push_back(fault);
  }
  return faults;
}

bool Faults::in_run(FaultKind kind, std::uint64_t run) const {
  return std::any_of(faults_.begin(), faults_.end(),
                     [&](const Fault& fault) { return fault.kind == kind && fault.run.value_or(run) == run; });
}

std::chrono::milliseconds Faults::delay() const {
  std::uint64_t sum = 0;
  for (const Fault& fault : faults_) sum += fault.value;
  return std::chrono::milliseconds(sum);
}

}  // namespace heddle::emulation
