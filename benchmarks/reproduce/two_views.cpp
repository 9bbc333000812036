// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel CCA of the halves of images, and kernel sliced inverse regression of a robot arm's
/// torques (Xie et al., 2015). Prints lines of JSON.

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/QR>

#include <mercer/core/random.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/io/npy.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/kernel_sir.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>

#include <benchmarks/reproduce/command.hpp>

namespace {

using mercer::Index;
using reproduce::Arguments;
using reproduce::print;
using reproduce::Stopwatch;
using Samples = mercer::Matrix<double>;

constexpr const char* usage =
    "usage: mercer_reproduce_two_views COMMAND name=value...\n"
    "  halves  images train test method size eps components seed\n"
    "          images: rows of 28 x 28 pixels, the first train of them to fit to, the last test "
    "to\n"
    "          judge; method: linear, fourier or nystrom; size: frequencies or landmarks of a "
    "view\n"
    "  cost    images train test size eps components seed\n"
    "          kernel CCA by landmarks beside kernel PCA of the left halves alone: their times\n"
    "  torques states torques train size eps seed     size: landmarks";

double total(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// The left (side 0) or right (side 1) halves of images of 28 x 28 pixels, in [0, 1].
Samples half(const mercer::Matrix<float>& images, Index side) {
  Samples out(images.rows(), 14 * 28);
  for (Index row = 0; row < 28; ++row)
    out.middleCols(14 * row, 14) = images.middleCols(28 * row + 14 * side, 14).cast<double>() / 255;
  return out;
}

struct Halves {
  explicit Halves(const Arguments& given) {
    const auto images = mercer::io::read_npy<float>(given.text("images"));
    const Index train = given.count("train"), test = given.count("test");
    if (images.cols() != 784 || train + test > images.rows())
      throw std::invalid_argument("needs train + test rows of 784 pixels");
    x = half(images.topRows(train), 0);
    y = half(images.topRows(train), 1);
    new_x = half(images.bottomRows(test), 0);
    new_y = half(images.bottomRows(test), 1);
  }
  Samples x, y, new_x, new_y;
};

template <class Kernel, class Solver>
void fit_halves(const Halves& data, const Kernel& kernel_x, const Kernel& kernel_y,
                const Solver& solver, const Arguments& given) {
  const mercer::KernelCca cca{
      kernel_x,
      kernel_y,
      solver,
      {.components = given.count("components"), .regularization = given.number("eps")}};
  Stopwatch watch;
  const auto model = cca.fit(data.x, data.y);
  watch.stop();
  const mercer::PairReport& report = model.report();
  print({{"seconds", watch.seconds()},
         {"total", total(model.correlations(data.new_x, data.new_y))},
         {"training_total", total(report.training_correlations)},
         {"rank_x", static_cast<double>(report.views[0].rank)},
         {"bytes", static_cast<double>(report.bytes)}});
}

void halves(const Arguments& given) {
  const Halves data(given);
  const std::string& method = given.text("method");
  const Index size = given.count("size");
  if (method == "linear")
    return fit_halves(data, mercer::Linear{}, mercer::Linear{},
                      mercer::Nystrom{mercer::Uniform{}, {.landmarks = 392, .seed = given.seed()}},
                      given);
  const mercer::Gaussian kernel_x(mercer::median_distance(data.x)),
      kernel_y(mercer::median_distance(data.y));
  if (method == "nystrom")
    fit_halves(data, kernel_x, kernel_y,
               mercer::Nystrom{mercer::Uniform{}, {.landmarks = size, .seed = given.seed()}},
               given);
  else if (method == "fourier")
    fit_halves(data, kernel_x, kernel_y,
               mercer::FeaturePca{mercer::RandomFourier{.features = size}, {.seed = given.seed()}},
               given);
  else
    throw std::invalid_argument("method= must be linear, fourier or nystrom");
}

/// Kernel CCA beside kernel PCA of one of its views: medians of five runs in turn.
void cost(const Arguments& given) {
  const Halves data(given);
  const mercer::Gaussian kernel_x(mercer::median_distance(data.x)),
      kernel_y(mercer::median_distance(data.y));
  const mercer::Nystrom solver{mercer::RpCholesky{},
                               {.landmarks = given.count("size"), .seed = given.seed()}};
  const Index components = given.count("components");
  const mercer::KernelPca pca{kernel_x, solver, {.components = components}};
  const mercer::KernelCca cca{kernel_x,
                              kernel_y,
                              solver,
                              {.components = components, .regularization = given.number("eps")}};
  const auto seconds_of = [](const auto& run) {
    Stopwatch watch;
    run();
    watch.stop();
    return watch.seconds();
  };
  std::vector<double> one, both;
  double bytes = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    one.push_back(seconds_of([&] { static_cast<void>(pca.fit(data.x)); }));
    both.push_back(
        seconds_of([&] { bytes = static_cast<double>(cca.fit(data.x, data.y).report().bytes); }));
  }
  for (std::vector<double>* times : {&one, &both}) std::sort(times->begin(), times->end());
  print({{"pca_seconds", one[2]},
         {"cca_seconds", both[2]},
         {"ratio", both[2] / one[2]},
         {"bytes", bytes}});
}

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

void torques(const Arguments& given) {
  Samples x = mercer::io::read_npy<double>(given.text("states"));
  const Samples y = mercer::io::read_npy<double>(given.text("torques"));
  x.rowwise() -= x.colwise().mean().eval();
  for (Index j = 0; j < x.cols(); ++j) x.col(j) /= x.col(j).norm() / std::sqrt(double(x.rows()));
  // The rows are a trajectory, so they are shuffled before they are divided.
  mercer::RandomStream stream(given.seed(), "split");
  std::vector<Index> order = mercer::random_permutation(x.rows(), stream);
  const auto middle = order.begin() + given.count("train");
  const std::vector<Index> train(order.begin(), middle), test(middle, order.end());
  const Samples x_train = mercer::detail::take_rows(x, train),
                y_train = mercer::detail::take_rows(y, train),
                x_test = mercer::detail::take_rows(x, test),
                y_test = mercer::detail::take_rows(y, test);
  const mercer::KernelSir sir{
      mercer::Gaussian(mercer::median_distance(x_train)),
      mercer::Nystrom{mercer::Uniform{}, {.landmarks = given.count("size"), .seed = given.seed()}},
      {.components = y.cols(), .regularization = given.number("eps")}};
  Stopwatch watch;
  const auto model = sir.fit(x_train, y_train);
  watch.stop();
  print({{"seconds", watch.seconds()},
         {"error", test_error(model.transform(x_train), y_train, model.transform(x_test), y_test)},
         {"linear_error", test_error(x_train, y_train, x_test, y_test)}});
}

}  // namespace

int main(int argc, char* argv[]) {
  return reproduce::run(argc, argv, {{"halves", halves}, {"cost", cost}, {"torques", torques}},
                        usage);
}
