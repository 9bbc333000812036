// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The checksum that detects damaged files.

#ifndef MERCER_IO_CHECKSUM_HPP
#define MERCER_IO_CHECKSUM_HPP

#include <array>
#include <cstdint>
#include <string_view>

namespace mercer::detail {

/// The table of CRC remainders, one for each value of a byte.
[[nodiscard]] constexpr std::array<std::uint32_t, 256> crc32_table() {
  constexpr std::uint32_t polynomial = 0xedb88320U;  // bit-reversed, as each byte is
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit)
      remainder = (remainder >> 1U) ^ ((remainder & 1U) != 0 ? polynomial : 0U);
    table[byte] = remainder;
  }
  return table;
}

/// CRC-32 as in ISO 3309; gzip, zip and PNG use it too. Detects every change within four bytes, and
/// misses only one in 2^32 of all other changes.
/// Cost: one table look-up per byte.
[[nodiscard]] inline std::uint32_t crc32(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> table = crc32_table();
  std::uint32_t remainder = 0xffffffffU;
  for (const char byte : bytes)
    remainder = (remainder >> 8U) ^ table[(remainder ^ static_cast<unsigned char>(byte)) & 0xffU];
  return remainder ^ 0xffffffffU;
}

}  // namespace mercer::detail

#endif  // MERCER_IO_CHECKSUM_HPP
