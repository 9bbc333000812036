// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Outliers pull the components of PCA. They do not pull those of a Huber loss, which bounds the
/// weight of every sample. Draws robust_kpca.svg.

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/mercer.hpp>

#include <examples/support/gnuplot.hpp>
#include <examples/support/scatter.hpp>

namespace {

constexpr Eigen::Index count = 300, outliers = 6;

/// Points along the x axis; the first few are far away, above and below.
Eigen::MatrixXd samples() {
  Eigen::MatrixXd points = mercer::normal_matrix<double>(count, 2, 1, "noise");
  points.col(1) *= 0.15;
  for (Eigen::Index i = 0; i < outliers; ++i) {
    points(i, 0) *= 0.3;
    points(i, 1) = (i % 2 == 0 ? 12 : -12) + 0.5 * points(i, 0);
  }
  return points;
}

/// The first component as a direction in the plane: for the linear kernel this is X^T A.
template <class Loss>
Eigen::Vector2d direction(const Eigen::MatrixXd& points, const Loss& loss) {
  const mercer::KernelPca pca{
      mercer::Linear{}, mercer::Dca{loss, {.starts = 10}}, {.components = 1, .centered = false}};
  const auto model = pca.fit(points);
  return model.points().transpose() * model.coefficients();
}

/// A line through the origin, given by its two ends.
std::string line(const Eigen::Vector2d& v, const char* title, const char* colour) {
  constexpr double length = 14;
  std::string text = "[-1:1] ";
  text += std::to_string(length * v(0)) + "*t," + std::to_string(length * v(1)) + "*t";
  return text + " linewidth 3 linecolor rgb '" + colour + "' title '" + title + "'";
}

}  // namespace

int main() {
  const Eigen::MatrixXd points = samples();
  const Eigen::Vector2d plain = direction(points, mercer::SquareLoss{});

  std::printf("first component against the direction of the samples without outliers\n");
  std::printf("  %-14s %5.3f\n", "square loss", std::abs(plain(0)));
  Eigen::Vector2d robust = plain;
  for (const double kappa : {5.0, 3.0, 1.0, 0.3}) {
    robust = direction(points, mercer::Huber<mercer::L2>{kappa});
    std::printf("  kappa = %-6g %5.3f\n", kappa, std::abs(robust(0)));
  }

  std::vector<std::string> labels(outliers, "outliers");
  labels.resize(count, "samples");
  examples::Picture picture(700, 650);
  picture << "set multiplot\nset parametric\nset xrange [-14:14]\nset yrange [-14:14]\n"
             "set key top left\nplot "
          << line(plain, "square loss", examples::grey) << ", "
          << line(robust, "Huber loss, kappa = 0.3", examples::colours[2])
          << "\nunset parametric\nset key top right\n";
  examples::scatter(picture, "samples", points, labels);
  picture << "unset multiplot\n";
  picture.draw("robust_kpca.svg");
}
