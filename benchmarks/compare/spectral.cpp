// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The mercer side of spectral.py: embeds and clusters the samples of a file, writes eigenvectors
/// and labels, and prints the seconds of both. Usage: mercer_compare_spectral X.npy SIGMA CLUSTERS
/// hollow|whole EIGENVECTORS.npy LABELS.npy "hollow" takes the kernel's matrix without its
/// diagonal, as scikit-learn does.

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include <mercer/io/npy/npy.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/spectral/spectral_clustering.hpp>
#include <mercer/models/spectral/spectral_embedding.hpp>

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class K>
void run(const K& kernel, const mercer::Matrix<double>& x, mercer::Index clusters, double begin,
         char* argv[]) {
  const mercer::SpectralEmbedding maps{kernel, {.components = clusters - 1}};
  const auto embedding = maps.fit(x);
  const double embedded = now();
  const auto model = mercer::SpectralClustering{kernel, {.clusters = clusters}}.fit(x);
  const double clustered = now();
  mercer::io::write_npy(argv[5], embedding.eigenvectors());
  mercer::Vector<double> labels(x.rows());
  for (mercer::Index i = 0; i < x.rows(); ++i)
    labels(i) = static_cast<double>(model.labels()[static_cast<std::size_t>(i)]);
  mercer::io::write_npy(argv[6], labels);
  std::printf("%.6f %.6f\n", embedded - begin, clustered - embedded);
}

}  // namespace

int main(int argc, char* argv[]) try {
  if (argc != 7) {
    std::fprintf(stderr,
                 "usage: %s X.npy SIGMA CLUSTERS hollow|whole EIGENVECTORS.npy LABELS.npy\n",
                 argv[0]);
    return 2;
  }
  const auto x = mercer::io::read_npy<double>(argv[1]);
  const mercer::Gaussian kernel{std::atof(argv[2])};
  const mercer::Index clusters = std::atoi(argv[3]);
  const double begin = now();
  if (std::string_view(argv[4]) == "hollow") {
    mercer::Matrix<double> gram = mercer::gram(kernel, x);
    gram.diagonal().setZero();
    run(mercer::Precomputed{}, gram, clusters, begin, argv);
  } else {
    run(kernel, x, clusters, begin, argv);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
