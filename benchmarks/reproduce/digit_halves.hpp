// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The halves of digits as two views: samples, kernels, and what functions of them are worth.

#ifndef MERCER_BENCHMARKS_REPRODUCE_DIGIT_HALVES_HPP
#define MERCER_BENCHMARKS_REPRODUCE_DIGIT_HALVES_HPP

#include <algorithm>
#include <numeric>
#include <vector>

#include <mercer/core/streams/split_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/models/kernel_cca.hpp>

#include <benchmarks/reproduce/command.hpp>
#include <benchmarks/reproduce/deformed_digits.hpp>

namespace reproduce {

/// Both views of some images.
template <mercer::Real S>
struct DigitHalves {
  explicit DigitHalves(const mercer::Matrix<S>& images)
      : x(images.leftCols(DeformedDigits::half)), y(images.rightCols(DeformedDigits::half)) {}
  DigitHalves(const DeformedDigits& digits, mercer::Index first, mercer::Index count)
      : DigitHalves([&] {
          mercer::Matrix<S> images(count, DeformedDigits::pixels);
          digits.fill<S>(first, images);
          return images;
        }()) {}
  mercer::Matrix<S> x, y;
};

/// Gaussian kernels of the median distances of originals.
struct DigitKernels {
  explicit DigitKernels(const DeformedDigits& digits) {
    const DigitHalves<float> some(digits, 0, std::min(digits.originals(), mercer::Index{2000}));
    x = mercer::Gaussian(mercer::median_distance(some.x));
    y = mercer::Gaussian(mercer::median_distance(some.y));
  }
  mercer::Gaussian x{1}, y{1};
};

/// What is fitted to, what is judged by, and the kernels.
struct DigitTask {
  explicit DigitTask(const Arguments& given)
      : train(given.text("images"), 0, given.count("train"), given.seed()),
        test(given.text("images"), given.count("train"), given.count("test"), given.seed()),
        kernels(train) {}
  DeformedDigits train, test;
  DigitKernels kernels;
};

/// One pass or stochastic steps over the stream of images, and what the functions are worth.
template <mercer::Real S, class Kernel, class Solver>
void fit_halves(const DigitTask& task, const Kernel& kernel_x, const Kernel& kernel_y,
                const Solver& solver, const Arguments& given) {
  const mercer::KernelCca cca{
      kernel_x,
      kernel_y,
      solver,
      {.components = given.count("components"), .regularization = given.number("eps")}};
  auto images = task.train.stream<S>(given.count("n"));
  mercer::SplitStream pairs(images, DeformedDigits::half);
  Stopwatch watch;
  watch.start();
  const auto model = cca.fit(pairs);
  watch.stop();
  const auto sum = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  };
  const auto total_of = [&](mercer::Index first) {
    const DigitHalves<S> fresh(task.test, first, task.test.originals());
    return sum(model.correlations(fresh.x, fresh.y));
  };
  const mercer::PairReport& report = model.report();
  print({{"seconds", watch.seconds()},
         {"processor_seconds", watch.processor_seconds()},
         {"total", total_of(0)},
         {"deformed_total", total_of(task.test.originals())},
         {"training_total", sum(report.training_correlations)},
         {"rank_x", static_cast<double>(report.views[0].rank)},
         {"bytes", static_cast<double>(report.bytes)},
         {"steps", report.stochastic ? static_cast<double>(report.stochastic->steps) : 0},
         {"implicit_ridge", report.stochastic ? report.stochastic->implicit_ridge : 0}});
}

/// The doubly stochastic method.
void fit_stochastic_halves(const DigitTask& task, const Arguments& given);

}  // namespace reproduce

#endif  // MERCER_BENCHMARKS_REPRODUCE_DIGIT_HALVES_HPP
