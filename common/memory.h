// Memory that the machine can still give. A process that asks for more is killed without a word, so what may be large
// is asked for here first.
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

// Bytes: the least of what the system has available, what the control groups of this process leave, and
// what its address space leaves (ulimit -v). A limit that cannot be read counts as none.
std::uint64_t available_memory();

// Throws InputError that says what was wanted and what there is, unless `bytes` more are available. `what` begins the
// sentence: "the matrices take", "model.json has".
void require_memory(std::uint64_t bytes, const std::string& what);

// "3.5 GiB"; digits beyond are cut off.
std::string describe_bytes(std::uint64_t bytes);

}  // namespace heddle
