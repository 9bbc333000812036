// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// The content of an archive is read or refused, as models of several types. The input is the
// content alone: it gets a preamble with a checksum that fits, or few inputs would come further
// than that.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <mercer/io/archive.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <tests/fuzz/scratch_file.hpp>

namespace {

using namespace mercer;

/// Eight bytes, the lowest first.
void put(std::string& bytes, std::uint64_t number) {
  constexpr int byte_bits = 8;
  for (int i = 0; i < byte_bits; ++i, number >>= byte_bits)
    bytes += static_cast<char>(number & 0xff);
}

/// Reads a model, and copies its report.
template <class Model>
void read_model(const io::Archive& archive) {
  fuzz::reads([&] { static_cast<void>(archive.get<Model>().report()); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content = fuzz::view(data, size);
  std::string bytes(detail::archive_magic);
  bytes += '\1';  // the lowest byte first
  put(bytes, detail::archive_version);
  put(bytes, detail::crc32(content));
  put(bytes, size);
  bytes += content;
  const std::string path = fuzz::scratch_file("in.model", bytes);
  fuzz::reads([&] {
    const io::Archive archive(path);
    read_model<KernelPcaModel<Gaussian, Matrix<double>>>(archive);
    read_model<KernelPcaModel<Polynomial, Matrix<float>>>(archive);
    read_model<KernelPcaModel<Linear, SparseMatrix<double>>>(archive);
    read_model<FeaturePcaModel<Gaussian, RandomFourier, double>>(archive);
  });
  return 0;
}
