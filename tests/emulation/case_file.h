// The file that run_program reads: a program with the memory it finds and the memory it has to leave.
//
// 64-bit sizes, little endian, each followed by that many bytes: the program's words, then for each of the 16 slots
// what it holds before and after. A slot that is not used has no bytes.
#pragma once

#include <cstdint>
#include <filesystem>

#include "config/config.h"

namespace heddle::emulation {

// A product of m x k and k x n random elements, compiled for `config`; the result is the functional device's.
void write_product_case(const std::filesystem::path& path, const config::Config& config, std::uint64_t m,
                        std::uint64_t n, std::uint64_t k);

}  // namespace heddle::emulation
