// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// A .npz file is read or refused, as a whole and by the name of an array.

#include <cstddef>
#include <cstdint>
#include <string>

#include <mercer/io/gzip.hpp>
#include <mercer/io/npy/npz.hpp>
#include <tests/fuzz/fuzzers.hpp>
#include <tests/fuzz/scratch_file.hpp>

int mercer::fuzz::npz(const std::uint8_t* data, std::size_t size) {
  using namespace mercer;
  const std::string path = fuzz::scratch_file("in.npz", fuzz::view(data, size));
  fuzz::reads([&] { static_cast<void>(io::read_npz<double>(path)); });
  fuzz::reads([&] { static_cast<void>(io::read_npz<float>(path + ":a")); });
  return 0;
}
