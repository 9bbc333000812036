// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// The content of an archive is read or refused, as what its header says; what was read and is
// written again has the same bytes when it is read once more.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <mercer/features/random_fourier.hpp>
#include <mercer/io/archive.hpp>
#include <mercer/io/archive/archive_latent.hpp>
#include <mercer/io/archive/archive_moments.hpp>
#include <mercer/io/archive/archive_standardized.hpp>
#include <mercer/io/archive/archive_views.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca_model.hpp>
#include <mercer/runtime/any_features.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <tests/fuzz/archive_file.hpp>
#include <tests/fuzz/fuzzers.hpp>
#include <tests/fuzz/scratch_file.hpp>

namespace {

using namespace mercer;

/// Reads it if its header says that it has this type; any type, if none is named.
template <class Model>
void read_as(const io::Archive& archive, std::string_view type = {}) {
  if (!type.empty() && archive.header().type != type) return;
  fuzz::reads([&] {
    const std::string once = io::archive_bytes(archive.get<Model>());
    const Model again = io::Archive::from_bytes(once).template get<Model>();
    fuzz::require(io::archive_bytes(again) == once, "what is written is read back");
  });
}

}  // namespace

int mercer::fuzz::archive(const std::uint8_t* data, std::size_t size) {
  using Points = KernelFunctions<Gaussian, Matrix<double>>;
  using Features = FeatureFunctions<Laplacian, RandomFourier, double>;
  using View = MixtureView<Gaussian, Matrix<double>>;
  fuzz::reads([&] {
    const auto file = io::Archive::from_bytes(fuzz::archive_file(fuzz::view(data, size)));
    // Models with a kernel of any kind take a minute to compile.
    if (file.header().samples.empty()) {
      read_as<AnyKernel>(file);
      read_as<AnyFeatures>(file);
    }
    read_as<KernelPcaModel<Gaussian, Matrix<double>>>(file, "kernel-pca");
    read_as<KernelPcaModel<Polynomial, Matrix<float>>>(file, "kernel-pca");
    read_as<KernelPcaModel<Linear, SparseMatrix<double>>>(file, "kernel-pca");
    read_as<FeaturePcaModel<Gaussian, RandomFourier, double>>(file, "feature-pca");
    read_as<StandardizedModel<KernelPcaModel<Linear, Matrix<double>>>>(file,
                                                                       "standardized-kernel-pca");
    read_as<KernelCcaModel<Points, Points>>(file, "kernel-cca");
    read_as<KernelSvdModel<Points, Points>>(file, "kernel-svd");
    read_as<KernelSirModel<Features>>(file, "kernel-sir");
    read_as<ExchangeableMixtureModel<View>>(file, "exchangeable-mixture");
    read_as<KernelIcaModel<float>>(file, "kernel-ica");
    read_as<FeaturePcaMoments<Linear, ExactFeatures, double>>(file, "feature-pca-moments");
    read_as<NystromPcaMoments<Linear, Matrix<double>>>(file, "nystrom-pca-moments");
  });
  return 0;
}
