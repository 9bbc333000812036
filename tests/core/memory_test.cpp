// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/memory.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <tests/support/catch.hpp>

namespace memory_test {

using namespace mercer;

TEST_CASE("memory: there is some, and no more than an address space", "[core]") {
  const std::size_t bytes = available_memory();
  CHECK(bytes > 0);
  CHECK(bytes < std::size_t{1} << 60U);
}

TEST_CASE("memory: the first number of a file, where there is one", "[core]") {
  const auto path = std::filesystem::temp_directory_path() / "mercer_memory_test";
  const auto number_in = [&](const std::string& text) {
    std::ofstream(path) << text;
    return detail::number_in(path.c_str(), 77);
  };
  CHECK(number_in("123456789012\n") == 123456789012U);
  CHECK(number_in("0\n") == 0);
  CHECK(number_in("max\n") == 77);  // what a control group without a limit says
  CHECK(number_in("") == 77);
  CHECK(number_in("99999999999999999999999999\n") == 77);  // beyond std::size_t
  std::filesystem::remove(path);
  CHECK(detail::number_in(path.c_str(), 77) == 77);
}

}  // namespace memory_test
