// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// The content of an archive is read or refused, as models of several types.

#include <cstddef>
#include <cstdint>
#include <string>

#include <mercer/io/archive.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <tests/fuzz/archive_file.hpp>
#include <tests/fuzz/scratch_file.hpp>

namespace {

using namespace mercer;

/// Reads a model, and copies its report.
template <class Model>
void read_model(const io::Archive& archive) {
  fuzz::reads([&] { static_cast<void>(archive.get<Model>().report()); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = fuzz::archive_file(fuzz::view(data, size));
  fuzz::reads([&] {
    const io::Archive archive(path);
    read_model<KernelPcaModel<Gaussian, Matrix<double>>>(archive);
    read_model<KernelPcaModel<Polynomial, Matrix<float>>>(archive);
    read_model<KernelPcaModel<Linear, SparseMatrix<double>>>(archive);
    read_model<FeaturePcaModel<Gaussian, RandomFourier, double>>(archive);
  });
  return 0;
}
