// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/io/checksum.hpp>

#include <cstddef>
#include <string>

#include <tests/support/catch.hpp>

namespace checksum_test {

using namespace mercer;

TEST_CASE("checksum: values that are known", "[io]") {
  CHECK(detail::crc32("") == 0);
  CHECK(detail::crc32("123456789") == 0xcbf43926U);  // the check value of the catalogues
  CHECK(detail::crc32(std::string(32, '\0')) == 0x190a55adU);
  CHECK(detail::crc32(std::string(32, '\xff')) == 0xff6cab0bU);
}

TEST_CASE("checksum: finds every change of one byte", "[io]") {
  const std::string text = "The quick brown fox";
  const auto whole = detail::crc32(text);
  for (std::size_t at = 0; at < text.size(); ++at)
    for (int change = 1; change < 256; ++change) {
      std::string bytes = text;
      bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(change));
      CHECK(detail::crc32(bytes) != whole);
    }
}

}  // namespace checksum_test
