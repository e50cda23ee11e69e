// Whole files: read with a clear error, written so that a crash leaves the old file or the new one, never half of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// The content of a regular file: pipes, sockets and devices may never come to an end and are refused, as is what memory
// cannot hold or has more than `limit` bytes. Throws InputError that names the file and the reason.
inline constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
inline constexpr std::uint64_t kDescriptionLimit = std::uint64_t{16} << 20;  // of what a person writes
std::string read_text(const std::filesystem::path& path, std::uint64_t limit = kNoLimit);
std::vector<std::byte> read_bytes(const std::filesystem::path& path);

// Writes a temporary file beside `path`, forces it to the disk and renames it. Throws InputError; `path` is then
// unchanged. Links are followed; a device, or a pipe that somebody reads, takes the data as it comes.
void write_atomically(const std::filesystem::path& path, std::span<const std::byte> data);
void write_atomically(const std::filesystem::path& path, std::string_view text);

// Throws InputError if `write_atomically` could not write there. For before long work whose result goes there.
void require_writable(const std::filesystem::path& path);

// The same, and also if there is something else than a regular file: for files that others write, piece by piece.
void require_file_or_nothing(const std::filesystem::path& path);

// Throws InputError if both are the same file, so that writing `output` would destroy what was read.
void require_different(const std::filesystem::path& input, const std::filesystem::path& output);

}  // namespace heddle
