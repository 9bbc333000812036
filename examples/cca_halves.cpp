// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel CCA of the left and right halves of pictures: what one half says about the other. The
/// pictures are ellipses of 16 x 16 pixels with random axes and tilt. Draws cca_halves.svg.

#include <cmath>
#include <cstdio>
#include <string>

#include <mercer/core/random.hpp>
#include <mercer/mercer.hpp>

#include <examples/support/gnuplot.hpp>
#include <examples/support/scatter.hpp>

namespace {

constexpr Eigen::Index count = 1200, size = 16;

/// One picture in each row, column by column, so that each half is a block.
Eigen::MatrixXd ellipses() {
  Eigen::MatrixXd pictures(count, size * size);
  for (Eigen::Index i = 0; i < count; ++i) {
    mercer::RandomStream draws(1, "ellipses", static_cast<std::uint64_t>(i));
    const double a = 3 + 4 * draws.uniform(), b = 2 + 2 * draws.uniform();
    const double tilt = 3.14159265358979323846 * draws.uniform();
    for (Eigen::Index pixel = 0; pixel < size * size; ++pixel) {
      const double x = double(pixel / size) - 7.5, y = double(pixel % size) - 7.5;
      const double u = (x * std::cos(tilt) + y * std::sin(tilt)) / a,
                   v = (y * std::cos(tilt) - x * std::sin(tilt)) / b;
      pictures(i, pixel) = std::exp(-8 * std::pow(std::hypot(u, v) - 1, 2)) + .2 * draws.normal();
    }
  }
  return pictures;
}

}  // namespace

int main() {
  const Eigen::MatrixXd pictures = ellipses();
  const Eigen::MatrixXd left = pictures.leftCols(size * size / 2),
                        right = pictures.rightCols(size * size / 2);
  const mercer::KernelCca cca{mercer::Gaussian{mercer::median_distance(left)},
                              mercer::Gaussian{mercer::median_distance(right)},
                              mercer::Nystrom{mercer::RpCholesky{}, {.landmarks = 300}},
                              {.components = 4, .regularization = 1e-3, .holdout = .25}};
  const auto model = cca.fit(left, right);
  const mercer::PairReport& report = model.report();
  std::printf("component   correlation in training   of held-out pairs\n");
  for (std::size_t j = 0; j < 4; ++j)
    std::printf("%9d %25.3f %19.3f\n", static_cast<int>(j) + 1, report.training_correlations[j],
                report.holdout_correlations[j]);

  examples::Picture picture(1000, 480);
  picture << "set multiplot layout 1,2\nset xlabel 'left half'\nset ylabel 'right half'\n";
  const Eigen::MatrixXd f = model.transform_x(left), g = model.transform_y(right);
  for (const int j : {0, 1}) {
    Eigen::MatrixX2d pair(count, 2);
    pair << f.col(j), g.col(j);
    picture << "set title 'component " << j + 1 << "'\n";
    examples::scatter(picture, "pair" + std::to_string(j), pair, {});
  }
  const std::string problem = picture.save("cca_halves.svg");
  std::printf("%s\n",
              problem.empty() ? "drawn: cca_halves.svg" : ("no picture: " + problem).c_str());
}
