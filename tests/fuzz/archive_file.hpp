// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// For fuzzers of archives: a content with a preamble whose checksum fits. Without one, few inputs
/// would come further than that.

#ifndef MERCER_TESTS_FUZZ_ARCHIVE_FILE_HPP
#define MERCER_TESTS_FUZZ_ARCHIVE_FILE_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include <mercer/io/archive.hpp>

namespace mercer::fuzz {

/// Eight bytes, the lowest first.
inline void put(std::string& bytes, std::uint64_t number) {
  constexpr int byte_bits = 8;
  for (int i = 0; i < byte_bits; ++i, number >>= byte_bits)
    bytes += static_cast<char>(number & 0xff);
}

/// An archive of this content.
[[nodiscard]] inline std::string archive_file(std::string_view content) {
  std::string bytes(detail::archive_magic);
  bytes += '\1';  // the lowest byte first
  put(bytes, detail::archive_version);
  put(bytes, detail::crc32(content));
  put(bytes, content.size());
  bytes += content;
  return bytes;
}

}  // namespace mercer::fuzz

#endif  // MERCER_TESTS_FUZZ_ARCHIVE_FILE_HPP
