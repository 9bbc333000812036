// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The mercer side of two_views.py: one fit of two views; prints what came of it as JSON.
/// Usage: mercer_compare_two_views X.npy Y.npy METHOD COMPONENTS SIGMA_X SIGMA_Y EPS LANDMARKS

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include <mercer/features/exact_features.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/models/kernel_svd.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>

#include <benchmarks/reproduce/command.hpp>

namespace {

using Samples = mercer::Matrix<double>;

/// Fits, and prints the seconds that it took and the values of the model.
template <class Method, class Values>
void fit(const Method& method, const Samples& x, const Samples& y, const Values& values_of) {
  reproduce::Stopwatch watch;
  watch.start();
  const auto model = method.fit(x, y);
  watch.stop();
  const mercer::Vector<double> values = values_of(model);
  std::printf("{\"fit_seconds\": %.17g, \"fit_processor_seconds\": %.17g, \"values\": [",
              watch.seconds(), watch.processor_seconds());
  for (mercer::Index i = 0; i < values.size(); ++i)
    std::printf("%s%.17g", i > 0 ? ", " : "", values(i));
  std::printf("]}\n");
}

template <class Kernel, class Solver>
void fit_cca(const Samples& x, const Samples& y, const Kernel& kernel_x, const Kernel& kernel_y,
             const Solver& solver, mercer::Index components, double eps) {
  const mercer::KernelCca cca{
      kernel_x, kernel_y, solver, {.components = components, .regularization = eps}};
  fit(cca, x, y, [](const auto& model) { return model.correlations(); });
}

void run(char* argv[]) {
  const Samples x = mercer::io::read_npy<double>(argv[1]),
                y = mercer::io::read_npy<double>(argv[2]);
  const std::string method = argv[3];
  const mercer::Index components = std::stol(argv[4]);
  const double eps = std::stod(argv[7]);
  const mercer::Gaussian kernel_x(std::stod(argv[5])), kernel_y(std::stod(argv[6]));
  const mercer::FeaturePca inputs{mercer::ExactFeatures{}};
  if (method == "cca") {
    fit_cca(x, y, mercer::Linear{}, mercer::Linear{}, inputs, components, 0);
  } else if (method == "pls-svd") {
    const mercer::KernelSvd svd{
        mercer::Linear{}, mercer::Linear{}, inputs, {.components = components}};
    fit(svd, x, y, [](const auto& model) { return model.singular_values(); });
  } else if (method == "kernel-cca") {
    fit_cca(x, y, kernel_x, kernel_y, mercer::Exact{}, components, eps);
  } else if (method == "kernel-cca-landmarks") {
    fit_cca(x, y, kernel_x, kernel_y,
            mercer::Nystrom{mercer::RpCholesky{}, {.landmarks = std::stol(argv[8])}}, components,
            eps);
  } else {
    throw std::invalid_argument("no method " + method);
  }
}

}  // namespace

int main(int argc, char* argv[]) try {
  if (argc != 9) {
    std::fprintf(stderr,
                 "usage: %s X.npy Y.npy METHOD COMPONENTS SIGMA_X SIGMA_Y EPS LANDMARKS\n"
                 "methods: cca pls-svd kernel-cca kernel-cca-landmarks\n",
                 argv[0]);
    return 2;
  }
  run(argv);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
