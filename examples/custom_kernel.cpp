// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A kernel of your own: as a type, checked by the compiler and by measurement, and as a lambda.

#include <cmath>
#include <iostream>
#include <numbers>
#include <string>

#include <mercer/mercer.hpp>
#include <mercer/testing/kernel_laws.hpp>

namespace {

/// The time of day wraps around: 23:00 is as near to 01:00 as 01:00 is to 03:00.
/// k(x, y) = exp(-2 sum_j sin^2(pi (x_j - y_j) / period) / width^2)
class Periodic {
 public:
  Periodic(double period, double width) : period_(period), width_(width) {}

  /// out(i, j) = k(x_i, y_j) for the samples in the rows of x and y. mercer calls this for one tile
  /// of the Gram matrix at a time, from several threads.
  void gram(mercer::Points<double> x, mercer::Points<double> y, mercer::GramOut<double> out) const {
    for (Eigen::Index j = 0; j < y.rows(); ++j) {
      const Eigen::ArrayXXd turns = std::numbers::pi / period_ * (x.rowwise() - y.row(j)).array();
      out.col(j) = (-2 / (width_ * width_) * turns.sin().square().rowwise().sum()).exp();
    }
  }

  /// Optional: the name of the kernel in reports.
  [[nodiscard]] std::string describe() const { return "periodic"; }

 private:
  double period_, width_;
};

// If a part of the interface is missing, the compiler's message names it in one sentence.
static_assert(mercer::check_kernel<Periodic>());

}  // namespace

int main() {
  const Eigen::MatrixXd hours = Eigen::VectorXd::LinSpaced(24, 0, 23);
  const Periodic kernel(24, 1);

  // Measures on your samples whether it is symmetric, pure and positive semidefinite.
  const auto laws = mercer::testing::kernel_laws(kernel, hours);
  for (const std::string& violation : laws.violations) std::cout << violation << '\n';
  std::cout << "kernel laws: " << (laws.hold() ? "kept" : "broken")
            << " (eigenvalues of the Gram matrix from " << laws.smallest_eigenvalue << " to "
            << laws.largest_eigenvalue << ")\n\n";

  const mercer::KernelPca pca{kernel, mercer::Exact{}, {.components = 2}};
  const auto model = pca.fit(hours);
  std::cout << "two components explain " << 100 * model.explained_variance_ratio().sum()
            << " % of the variance\n"
            << "the day is a circle in them: scores at 23:30, 23:45, 00:00, 00:15\n"
            << model.transform(Eigen::Vector4d(23.5, 23.75, 0, 0.25)) << "\n\n";

  // The same as a lambda: shorter to write, but slower, because it is called for each pair.
  const mercer::KernelPca same{
      [](const auto& x, const auto& y) {
        return std::exp(-2 * (std::numbers::pi / 24 * (x - y).array()).sin().square().sum());
      },
      mercer::Exact{},
      {.components = 2}};
  std::cout << "eigenvalues  " << model.eigenvalues().transpose() << '\n'
            << "by a lambda  " << same.fit(hours).eigenvalues().transpose() << '\n';
}
