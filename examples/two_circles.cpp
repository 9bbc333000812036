// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Two rings, one inside the other. No projection of PCA separates them; one of kernel PCA does.
/// Draws two_circles.svg.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/mercer.hpp>

#include <examples/support/gnuplot.hpp>
#include <examples/support/scatter.hpp>

namespace {

constexpr Eigen::Index per_ring = 150;

/// Points near circles of radius 1 and 3; those of the inner circle come first.
Eigen::MatrixXd rings() {
  Eigen::MatrixXd points = 0.15 * mercer::normal_matrix<double>(2 * per_ring, 2, 1, "noise");
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / per_ring;
    const double radius = i < per_ring ? 1 : 3;
    points(i, 0) += radius * std::cos(angle);
    points(i, 1) += radius * std::sin(angle);
  }
  return points;
}

/// The largest share of points on the right side of one threshold. 0.5 is no better than guessing,
/// 1 is complete separation.
double separability(const Eigen::VectorXd& scores) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(scores.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::sort(order.begin(), order.end(), [&](auto i, auto j) { return scores(i) < scores(j); });
  double best = 0.5;
  Eigen::Index inner = 0;
  for (std::size_t below = 1; below <= order.size(); ++below) {
    inner += order[below - 1] < per_ring ? 1 : 0;
    const auto outer = static_cast<Eigen::Index>(below) - inner;
    const double right =
        static_cast<double>(inner + per_ring - outer) / static_cast<double>(scores.size());
    best = (std::max)({best, right, 1 - right});
  }
  return best;
}

}  // namespace

int main() {
  const Eigen::MatrixXd points = rings();
  const Eigen::MatrixXd pca =
      mercer::KernelPca{mercer::Linear{}, mercer::Exact{}, {.components = 2}}.fit_transform(points);
  const Eigen::MatrixXd kernel_pca =
      mercer::KernelPca{mercer::Gaussian{1.0}, mercer::Exact{}, {.components = 4}}.fit_transform(
          points);

  std::printf("points on the right side of the best threshold\n");
  std::printf("  component     PCA   kernel PCA\n");
  for (Eigen::Index k = 0; k < kernel_pca.cols(); ++k) {
    const std::string linear =
        k < pca.cols() ? std::to_string(100 * separability(pca.col(k))).substr(0, 4) + " %" : "";
    std::printf("  %9d %7s %9.1f %%\n", static_cast<int>(k + 1), linear.c_str(),
                100 * separability(kernel_pca.col(k)));
  }

  std::vector<std::string> labels(per_ring, "inner ring");
  labels.resize(2 * per_ring, "outer ring");
  examples::Picture picture(1350, 480);
  picture << "set multiplot layout 1,3\nset key top center horizontal outside\n";
  picture << "set title 'samples'\nset xlabel 'x'\nset ylabel 'y'\n";
  examples::scatter(picture, "samples", points, labels);
  picture << "set title 'PCA'\nset xlabel 'component 1'\nset ylabel 'component 2'\n";
  examples::scatter(picture, "pca", pca, labels);
  picture << "set title 'kernel PCA, Gaussian'\nset xtics 0.2\n";
  examples::scatter(picture, "kernel_pca", kernel_pca.leftCols(2), labels);
  picture << "unset multiplot\n";
  picture.draw("two_circles.svg");
}
