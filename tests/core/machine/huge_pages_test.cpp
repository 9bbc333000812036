// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/machine/huge_pages.hpp>

#include <mercer/core/types.hpp>
#include <tests/support/catch.hpp>

#if defined(__linux__)
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#endif

namespace huge_pages_test {

using mercer::Index;
using mercer::Matrix;
using mercer::Vector;
namespace detail = mercer::detail;

TEST_CASE("huge pages: large matrices keep what is written to them", "[core]") {
  Matrix<double> a = detail::in_huge_pages(Matrix<double>(1100, 700));
  REQUIRE(a.rows() == 1100);
  REQUIRE(a.cols() == 700);
  a.setConstant(3);
  a.conservativeResize(Eigen::NoChange, 1400);
  detail::ask_for_huge_pages(a);
  a.rightCols(700).setConstant(4);
  CHECK(a.sum() == 7.0 * 1100 * 700);
  Vector<float> v(5);
  detail::ask_for_huge_pages(v);
  v.setOnes();
  CHECK(v.sum() == 5);
  CHECK(detail::in_huge_pages(Matrix<double>(0, 4)).cols() == 4);
  detail::ask_for_huge_pages(nullptr, 0);
}

#if defined(__linux__)

namespace {

/// The flags of the mapping that an address is in, as Linux lists them: " rd wr mr mw me ac hg".
std::string mapping_flags(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool within = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::istringstream words(line);
    if (words >> std::hex >> begin >> dash >> end && dash == '-')
      within = begin <= at && at < end;
    else if (within && line.starts_with("VmFlags:"))
      return line.substr(8) + ' ';
  }
  return "";
}

/// Whether the system offers huge pages to those who ask.
bool has_huge_pages() {
  std::string modes;
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::getline(file, modes);
  return !modes.empty() && modes.find("[never]") == std::string::npos &&
         !mapping_flags(&modes).empty();
}

}  // namespace

TEST_CASE("huge pages: the system is asked from 4 MiB on", "[core]") {
  if (!has_huge_pages()) {
    WARN("skipped: this system offers no huge pages");
    return;
  }
  constexpr std::size_t large = std::size_t{8} << 20U, small = std::size_t{2} << 20U;
  for (const std::size_t bytes : {small, large}) {
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    char* const begin = static_cast<char*>(memory);
    const auto is_asked_for = [](const void* address) {
      return mapping_flags(address).find(" hg ") != std::string::npos;
    };
    CHECK_FALSE(is_asked_for(begin + bytes / 2));
    // Matrices do not begin at a page. The mapping stays whole, or realloc() could not move it.
    detail::ask_for_huge_pages(begin + 16, bytes - 32);
    for (const char* address : {begin, begin + bytes / 2, begin + bytes - 1})
      CHECK(is_asked_for(address) == (bytes == large));
    ::munmap(memory, bytes);
  }
  const Matrix<double> a = detail::in_huge_pages(Matrix<double>(1024, 2048));
  CHECK(mapping_flags(a.data() + a.size() / 2).find(" hg ") != std::string::npos);
}

#endif

TEST_CASE("huge pages: zeros of any size", "[core]") {
  for (const Index n : {0, 3, 1000})
    CHECK((detail::zeros_in_huge_pages(Matrix<double>(n, n)).array() == 0).all());
}

}  // namespace huge_pages_test
