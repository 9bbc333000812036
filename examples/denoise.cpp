// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Denoising: projects noisy points on the leading components, and maps them back to the plane by
/// three pre-image methods. Draws denoise.svg.

#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/mercer.hpp>
#include <mercer/models/preimage/preimage_kwok_tsang.hpp>

#include <examples/support/gnuplot.hpp>
#include <examples/support/scatter.hpp>

namespace {

constexpr double radius = 2;

/// Points on a circle, with noise.
Eigen::MatrixXd noisy_ring(Eigen::Index count) {
  Eigen::MatrixXd points = 0.3 * mercer::normal_matrix<double>(count, 2, 1, "noise");
  for (Eigen::Index i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
    points(i, 0) += radius * std::cos(angle);
    points(i, 1) += radius * std::sin(angle);
  }
  return points;
}

/// Mean distance of the points from the circle.
double mean_error(const Eigen::MatrixXd& points) {
  return (points.rowwise().norm().array() - radius).abs().mean();
}

}  // namespace

int main() {
  const Eigen::MatrixXd noisy = noisy_ring(200);
  const mercer::KernelPca pca{mercer::Gaussian{1.0}, mercer::Exact{}, {.components = 8}};
  const auto model = pca.fit(noisy);
  const Eigen::MatrixXd scores = model.training_scores();

  // Fixed point: iterates from the noisy points; the most accurate, and reports where it
  // converged. Kernel ridge: learns the map from scores to points; works for every kernel.
  // Kwok-Tsang: uses the distances to the nearest samples, without iterations.
  const auto fixed_point = model.preimages(scores, mercer::FixedPoint{}, noisy);
  const std::vector<std::pair<std::string, Eigen::MatrixXd>> panels = {
      {"noisy samples", noisy},
      {"fixed point", fixed_point.points},
      {"kernel ridge", model.inverse_transform(scores, mercer::KernelRidge{})},
      {"Kwok-Tsang", model.inverse_transform(scores, mercer::KwokTsang{})}};

  std::printf("mean distance from the circle\n");
  examples::Picture picture(1100, 1000);
  picture << "set multiplot layout 2,2\nset size ratio -1\nset parametric\nset trange [0:2*pi]\n"
             "set xrange [-3.2:3.2]\nset yrange [-3.2:3.2]\n";
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const auto& [name, points] = panels[i];
    std::printf("  %-14s %.4f\n", name.c_str(), mean_error(points));
    picture << "set title " << examples::text_for_gnuplot(name) << '\n';
    const std::string data = "points" + std::to_string(i);
    picture.data(data, points);
    picture << "plot " << radius << "*cos(t)," << radius << "*sin(t) linecolor rgb '"
            << examples::grey << "' linewidth 2 notitle, $" << data
            << " with points pointtype 7 pointsize 0.6 linecolor rgb '" << examples::colours[0]
            << "' notitle\n";
  }
  std::printf("fixed point: %s\n",
              fixed_point.all_converged() ? "all points converged" : "not all points converged");
  picture << "unset multiplot\n";
  picture.draw("denoise.svg");
}
