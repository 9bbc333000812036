// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// A .npy file is read or refused; the stream over it has the same rows; what is written is read
// back with the same bits.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <mercer/io/npy/npy.hpp>
#include <mercer/io/npy/npy_stream.hpp>
#include <tests/fuzz/fuzzers.hpp>
#include <tests/fuzz/scratch_file.hpp>

namespace {

using namespace mercer;

[[nodiscard]] bool same_bits(const Matrix<double>& a, const Matrix<double>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(),
                                       static_cast<std::size_t>(a.size()) * sizeof(double)) == 0);
}

}  // namespace

int mercer::fuzz::npy(const std::uint8_t* data, std::size_t size) {
  const std::string path = fuzz::scratch_file("in.npy", fuzz::view(data, size));
  Matrix<double> values;
  const bool read = fuzz::reads([&] { values = io::read_npy<double>(path); });
  fuzz::reads([&] { static_cast<void>(io::read_npy<float>(path)); });
  const bool streamed = fuzz::reads([&] {
    io::NpyStream<double> stream(path);
    constexpr Index batch = 3;
    Matrix<double> rows(batch, stream.dimension());
    // Rows without values take no bytes of the file, so there may be any number of them.
    if (stream.dimension() == 0) return;
    for (Index first = 0;;) {
      const Index count = stream.read(rows);
      if (count == 0) break;
      if (read)
        fuzz::require(same_bits(rows.topRows(count), values.middleRows(first, count)),
                      "the stream has the rows of the file");
      first += count;
    }
  });
  fuzz::require(read == streamed, "the stream takes the files that read_npy takes");
  if (read && values.cols() > 0) {
    io::write_npy(path, values);
    fuzz::require(same_bits(io::read_npy<double>(path), values), "what is written is read back");
  }
  return 0;
}
