// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The times of kernel CCA by landmarks and of kernel PCA of one of its views.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>

#include <benchmarks/reproduce/digit_halves.hpp>
#include <benchmarks/reproduce/two_views.hpp>

namespace reproduce {
namespace {

using mercer::Index;

/// Kernel CCA beside kernel PCA of one of its views: medians of some runs in turn.
template <mercer::Real S>
void measure_cost(const Arguments& given) {
  const DeformedDigits digits(given.text("images"), 0, given.count("train"), given.seed());
  const DigitKernels kernels(digits);
  const DigitHalves<S> data(digits, 0, given.count("n"));
  const mercer::Nystrom solver{mercer::RpCholesky{},
                               {.landmarks = given.count("size"), .seed = given.seed()}};
  const Index components = given.count("components");
  const auto budget = static_cast<std::size_t>(given.number("budget") * (1 << 20));
  const mercer::KernelPca pca{
      kernels.x, solver, {.components = components, .memory_budget = budget}};
  const mercer::KernelCca cca{
      kernels.x,
      kernels.y,
      solver,
      {.components = components, .regularization = given.number("eps"), .memory_budget = budget}};
  std::vector<double> one, both, one_processor, both_processor;
  const auto time = [](const auto& run, std::vector<double>& wall, std::vector<double>& processor) {
    Stopwatch watch;
    watch.start();
    run();
    watch.stop();
    wall.push_back(watch.seconds());
    processor.push_back(watch.processor_seconds());
  };
  double pca_bytes = 0, cca_bytes = 0;
  for (Index repeat = 0; repeat < given.count("repeat"); ++repeat) {
    time([&] { pca_bytes = static_cast<double>(pca.fit(data.x).report().bytes); }, one,
         one_processor);
    time([&] { cca_bytes = static_cast<double>(cca.fit(data.x, data.y).report().bytes); }, both,
         both_processor);
  }
  const auto median = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.at(values.size() / 2);
  };
  print({{"pca_seconds", median(one)},
         {"cca_seconds", median(both)},
         {"pca_processor_seconds", median(one_processor)},
         {"cca_processor_seconds", median(both_processor)},
         {"pca_bytes", pca_bytes},
         {"cca_bytes", cca_bytes}});
}

}  // namespace

void cost(const Arguments& given) {
  if (given.text("precision") == "single")
    measure_cost<float>(given);
  else
    measure_cost<double>(given);
}

}  // namespace reproduce
