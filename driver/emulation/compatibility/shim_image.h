// The loaded image of XRT's emulation shim: which build it is, and how to make it call our functions.
#pragma once

#include <link.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace heddle::emulation {

struct CodeRange {
  std::uintptr_t first = 0, end = 0;
  bool contains(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= first && at < end;
  }
};

// Hexadecimal GNU build id of a shared library's file; empty if it has none or is none.
std::string build_id(const std::string& path);

class ShimImage {
 public:
  // `handle`: of dlopen. Throws std::runtime_error if the loader does not know it.
  explicit ShimImage(void* handle);

  // Where an exported function lies; empty if there is none of that (mangled) name.
  CodeRange function(const char* name) const;

  // Makes all calls of an imported function go to `replacement`. Gives the number of places.
  unsigned replace_import(std::string_view name, void* replacement) const;

  // Makes all pointers in the image's data that lead to `original` (virtual functions) lead to `replacement`.
  unsigned replace_pointers(std::uintptr_t original, void* replacement) const;

 private:
  std::span<const ElfW(Rela)> relocations(ElfW(Sxword) table, ElfW(Sxword) size) const;
  std::uintptr_t dynamic(ElfW(Sxword) tag) const;

  void* handle_;
  const link_map* map_ = nullptr;
};

}  // namespace heddle::emulation
