// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel sliced inverse regression of the torques of a robot arm, and least squares of the torques
/// on its functions.

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/QR>

#include <mercer/core/random.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/features/exact_features.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/models/kernel_sir.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>

#include <benchmarks/reproduce/two_views.hpp>

namespace reproduce {
namespace {

using mercer::Index;
using Samples = mercer::Matrix<double>;

/// States and torques, to fit to and to judge by. The states are standardised.
struct Arm {
  explicit Arm(const Arguments& given) {
    Samples states = mercer::io::read_npy<double>(given.text("states"));
    const Samples outputs = mercer::io::read_npy<double>(given.text("torques"));
    if (states.rows() != outputs.rows())
      throw std::invalid_argument("needs as many torques as states, got " +
                                  std::to_string(outputs.rows()) + " and " +
                                  std::to_string(states.rows()));
    states.rowwise() -= states.colwise().mean().eval();
    for (Index j = 0; j < states.cols(); ++j)
      states.col(j) /= states.col(j).norm() / std::sqrt(static_cast<double>(states.rows()));
    // The rows are a trajectory: shuffled in pieces before they are divided.
    const Index together = given.count("together"), n = states.rows();
    if (together < 1) throw std::invalid_argument("together= must be at least 1");
    mercer::RandomStream stream(given.seed(), "split");
    const double wanted = given.number("share") * static_cast<double>(n);
    std::vector<Index> train, test;
    for (const Index piece : mercer::random_permutation((n + together - 1) / together, stream)) {
      std::vector<Index>& part = static_cast<double>(train.size()) < wanted ? train : test;
      for (Index i = piece * together; i < std::min(n, (piece + 1) * together); ++i)
        part.push_back(i);
    }
    if (train.empty() || test.empty())
      throw std::invalid_argument("share= must leave rows on both sides");
    x = mercer::detail::take_rows(states, train);
    y = mercer::detail::take_rows(outputs, train);
    new_x = mercer::detail::take_rows(states, test);
    new_y = mercer::detail::take_rows(outputs, test);
  }

  Samples x, y, new_x, new_y;
};

/// Mean over the outputs of the mean square error at new samples of least squares on [1 F].
double test_error(const Samples& f, const Samples& y, const Samples& new_f, const Samples& new_y) {
  const auto with_ones = [](const Samples& a) {
    Samples out(a.rows(), a.cols() + 1);
    out << mercer::Vector<double>::Ones(a.rows()), a;
    return out;
  };
  const Samples weights = with_ones(f).colPivHouseholderQr().solve(y);
  return (with_ones(new_f) * weights - new_y).squaredNorm() / static_cast<double>(new_y.size());
}

/// As many functions as there are torques.
template <class Kernel, class Solver>
void fit_arm(const Arm& arm, const Kernel& kernel, const Solver& solver, const Arguments& given) {
  const mercer::KernelSir sir{
      kernel, solver, {.components = arm.y.cols(), .regularization = given.number("eps")}};
  Stopwatch watch;
  watch.start();
  const auto model = sir.fit(arm.x, arm.y);
  watch.stop();
  const mercer::PairReport& report = model.report();
  print(
      {{"seconds", watch.seconds()},
       {"processor_seconds", watch.processor_seconds()},
       {"error", test_error(model.transform(arm.x), arm.y, model.transform(arm.new_x), arm.new_y)},
       {"linear_error", test_error(arm.x, arm.y, arm.new_x, arm.new_y)},
       {"variance", (arm.new_y.rowwise() - arm.y.colwise().mean()).squaredNorm() /
                        static_cast<double>(arm.new_y.size())},
       {"train", static_cast<double>(arm.x.rows())},
       {"test", static_cast<double>(arm.new_x.rows())},
       {"components", static_cast<double>(model.components())},
       {"implicit_ridge", report.stochastic ? report.stochastic->implicit_ridge : 0}});
}

}  // namespace

void torques(const Arguments& given) {
  const Arm arm(given);
  const std::string& method = given.text("method");
  const Index size = given.count("size");
  const mercer::Gaussian kernel(mercer::median_distance(arm.x));
  if (method == "linear") {
    fit_arm(arm, mercer::Linear{}, mercer::FeaturePca{mercer::ExactFeatures{}}, given);
  } else if (method == "fourier") {
    fit_arm(arm, kernel,
            mercer::FeaturePca{mercer::RandomFourier{.features = size}, {.seed = given.seed()}},
            given);
  } else if (method == "nystrom") {
    fit_arm(arm, kernel,
            mercer::Nystrom{mercer::Uniform{}, {.landmarks = size, .seed = given.seed()}}, given);
  } else if (method == "stochastic") {
    const Index block = std::min(size, Index{512});
    if (size % block != 0) throw std::invalid_argument("size= must be a multiple of 512");
    fit_arm(arm, kernel,
            mercer::DoublyStochastic{
                mercer::RandomFourier{.features = block, .form = mercer::FourierForm::Phase},
                {.blocks = size / block,
                 .data_batch = given.count("batch"),
                 .steps = given.count("steps"),
                 .start_rows = 1024,
                 .seed = given.seed()}},
            given);
  } else {
    throw std::invalid_argument("method= must be linear, fourier, nystrom or stochastic");
  }
}

}  // namespace reproduce
