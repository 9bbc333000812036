// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// Lines of index:value pairs are read or refused; what is written of them is read back.

#include <cstddef>
#include <cstdint>
#include <string>

#include <mercer/io/libsvm.hpp>
#include <tests/fuzz/fuzzers.hpp>
#include <tests/fuzz/scratch_file.hpp>

int mercer::fuzz::libsvm(const std::uint8_t* data, std::size_t size) {
  using namespace mercer;
  const std::string path = fuzz::scratch_file("in.svm", fuzz::view(data, size));
  io::LabeledSamples<double> first;
  const bool read = fuzz::reads([&] { first = io::read_libsvm<double>(path); });
  fuzz::reads([&] { static_cast<void>(io::read_libsvm<float>(path, 4)); });
  if (!read) return 0;
  const SparseMatrix<double>& x = first.samples;
  fuzz::require(x.rows() == first.labels.size(), "each sample has a label");
  io::write_libsvm(path, x, first.labels);
  const auto second = io::read_libsvm<double>(path, x.cols());
  fuzz::require(second.labels == first.labels, "labels are read back");
  fuzz::require(second.samples.rows() == x.rows() && second.samples.nonZeros() == x.nonZeros(),
                "all entries are read back");
  for (Index i = 0; i < x.nonZeros(); ++i)
    fuzz::require(second.samples.valuePtr()[i] == x.valuePtr()[i] &&
                      second.samples.innerIndexPtr()[i] == x.innerIndexPtr()[i],
                  "entries are read back");
  return 0;
}
