// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// A .gz file is decompressed or refused, and in no more than its bytes can expand to.

#include <cstddef>
#include <cstdint>
#include <string>

#include <mercer/io/file.hpp>
#include <mercer/io/gzip.hpp>
#include <tests/fuzz/fuzzers.hpp>
#include <tests/fuzz/scratch_file.hpp>

int mercer::fuzz::gzip(const std::uint8_t* data, std::size_t size) {
  using namespace mercer;
  const std::string path = fuzz::scratch_file("in.gz", fuzz::view(data, size));
  constexpr std::size_t most_for_a_byte = 1032;  // of deflate, by its format
  fuzz::reads([&] {
    fuzz::require(io::read_file(path).size() <= most_for_a_byte * size, "deflate's bound holds");
  });
  return 0;
}
