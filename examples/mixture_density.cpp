// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Densities of the components of a mixture, a Gaussian and a Gamma law, without assuming their
/// forms: from three measurements of each sample. Draws mixture_density.svg.

#include <cstdio>

#include <mercer/mercer.hpp>

#include <examples/support/gnuplot.hpp>
#include <examples/support/made_samples.hpp>

int main() {
  const Eigen::MatrixXd x = examples::mixture_measurements(10000);
  const mercer::LatentMixture mixture{mercer::Gaussian{0.2},
                                      mercer::Nystrom{mercer::RpCholesky{}, {.landmarks = 100}},
                                      {.components = 2}};
  const auto model = mixture.fit(x.col(0), x.col(1), x.col(2));
  const Eigen::VectorXd mean = model.expectation(x.col(0), x.col(1), x.col(2));

  std::printf("singular values  %.4f  %.4f | %.4f\n", model.singular_values()(0),
              model.singular_values()(1), model.singular_values()(2));
  std::printf("component   weight     mean\n");
  for (Eigen::Index h = 0; h < 2; ++h)
    std::printf("%9d %8.3f %8.3f\n", static_cast<int>(h + 1), model.weights()(h), mean(h));
  std::printf("true: weights 0.6 and 0.4, means 1.4 and -2\n");

  const Eigen::VectorXd grid = Eigen::VectorXd::LinSpaced(400, -5, 6);
  Eigen::MatrixXd table(grid.size(), 3);
  table << grid, model.density(grid);
  examples::Picture picture(800, 500);
  picture.data("found", table);
  picture
      << "set yrange [-0.02:0.7]\nset samples 400\nset ylabel 'density'\n"
         "gamma2(x) = x > 0 ? x * exp(-x / 0.7) / 0.49 : 0\n"
         "normal(x) = exp(-(x + 2)**2 / 0.72) / (0.6 * sqrt(2 * pi))\n"
         "plot [-5:6] gamma2(x) with lines linewidth 5 linecolor rgb '#AAAAAA' title 'true', "
         "normal(x) with lines linewidth 5 linecolor rgb '#AAAAAA' notitle, for [h = 1:2] $found "
         "using 1:(column(h + 1)) with lines linewidth 2 title sprintf('component %d', h)\n";
  picture.draw("mixture_density.svg");
}
