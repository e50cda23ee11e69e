#include "driver/emulation/compatibility/shim_image.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace heddle::emulation {
namespace {

// Writes a pointer into a page that the loader has made read-only.
void overwrite(std::uintptr_t place, void* value) {
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* page = reinterpret_cast<void*>(place / page_bytes * page_bytes);
  if (mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) {
    throw std::runtime_error("the system does not let pages of XRT's emulation shim be changed");
  }
  std::memcpy(reinterpret_cast<void*>(place), &value, sizeof value);
}

std::string hexadecimal(const unsigned char* bytes, std::size_t count) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

// The build id among the notes of one segment.
std::string find_build_id(const unsigned char* notes, std::size_t bytes) {
  const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof note);
    const std::size_t name = at + sizeof note, content = name + padded(note.n_namesz);
    if (content + note.n_descsz > bytes) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0) {
      return hexadecimal(notes + content, note.n_descsz);
    }
    at = content + padded(note.n_descsz);
  }
  return {};
}

}  // namespace

std::string build_id(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  ElfW(Ehdr) header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr))) return {};
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
    file.read(reinterpret_cast<char*>(&segment), sizeof segment);
    constexpr std::size_t kMostNotes = 1 << 16;
    if (!file || segment.p_type != PT_NOTE || segment.p_filesz > kMostNotes) continue;
    std::vector<unsigned char> notes(segment.p_filesz);
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    file.read(reinterpret_cast<char*>(notes.data()), static_cast<std::streamsize>(notes.size()));
    if (!file) return {};
    if (std::string id = find_build_id(notes.data(), notes.size()); !id.empty()) return id;
  }
  return {};
}

ShimImage::ShimImage(void* handle) : handle_(handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) throw std::runtime_error(dlerror());
  map_ = map;
}

CodeRange ShimImage::function(const char* name) const {
  void* address = dlsym(handle_, name);
  Dl_info info{};
  const ElfW(Sym)* symbol = nullptr;
  if (address == nullptr ||
      dladdr1(address, &info, const_cast<void**>(reinterpret_cast<const void**>(&symbol)), RTLD_DL_SYMENT) == 0 ||
      symbol == nullptr || info.dli_fbase != reinterpret_cast<void*>(map_->l_addr)) {
    return {};
  }
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  return {first, first + symbol->st_size};
}

std::uintptr_t ShimImage::dynamic(ElfW(Sxword) tag) const {
  for (const ElfW(Dyn)* entry = map_->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == tag) return entry->d_un.d_ptr;
  }
  return 0;
}

std::span<const ElfW(Rela)> ShimImage::relocations(ElfW(Sxword) table, ElfW(Sxword) size) const {
  return {reinterpret_cast<const ElfW(Rela)*>(dynamic(table)), dynamic(size) / sizeof(ElfW(Rela))};
}

unsigned ShimImage::replace_import(std::string_view name, void* replacement) const {
  const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(dynamic(DT_SYMTAB));
  const auto* strings = reinterpret_cast<const char*>(dynamic(DT_STRTAB));
  unsigned places = 0;
  for (const auto& table : {relocations(DT_JMPREL, DT_PLTRELSZ), relocations(DT_RELA, DT_RELASZ)}) {
    for (const ElfW(Rela) & relocation : table) {
      const auto type = ELF64_R_TYPE(relocation.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      if (name != strings + symbols[ELF64_R_SYM(relocation.r_info)].st_name) continue;
      overwrite(map_->l_addr + relocation.r_offset, replacement);
      ++places;
    }
  }
  return places;
}

unsigned ShimImage::replace_pointers(std::uintptr_t original, void* replacement) const {
  unsigned places = 0;
  for (const ElfW(Rela) & relocation : relocations(DT_RELA, DT_RELASZ)) {
    const std::uintptr_t place = map_->l_addr + relocation.r_offset;
    std::uintptr_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(place), sizeof value);
    if (value != original) continue;
    overwrite(place, replacement);
    ++places;
  }
  return places;
}

}  // namespace heddle::emulation
