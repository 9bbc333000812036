// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel CCA of the left and right halves of pictures: what one half says about the other. The
/// pictures are ellipses of 16 x 16 pixels with random axes and tilt. Draws cca_halves.svg.

#include <cstdio>
#include <string>

#include <mercer/mercer.hpp>

#include <examples/support/gnuplot.hpp>
#include <examples/support/made_samples.hpp>
#include <examples/support/scatter.hpp>

int main() {
  constexpr Eigen::Index count = 1200, size = 16;
  const Eigen::MatrixXd pictures = examples::ellipses(count, size);
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
  picture.draw("cca_halves.svg");
}
