// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Sparse components by an epsilon-insensitive loss: few samples carry them. Samples whose scores
/// are within epsilon of zero have no weight, and new samples are compared with the others only.
/// Draws sparse_kpca.svg.

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/mercer.hpp>

#include <examples/support/gnuplot.hpp>
#include <examples/support/scatter.hpp>

namespace {

constexpr Eigen::Index count = 300, components = 3;

/// Three groups; the first one is the narrowest.
Eigen::MatrixXd samples() {
  constexpr std::array<double, 3> deviations = {0.3, 0.6, 1.0};
  const std::array<Eigen::RowVector2d, 3> centres = {
      Eigen::RowVector2d(0, 0), Eigen::RowVector2d(4, 0), Eigen::RowVector2d(0, 4)};
  Eigen::MatrixXd points = mercer::normal_matrix<double>(count, 2, 1, "groups");
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto group = static_cast<std::size_t>(i % 3);
    points.row(i) = centres[group] + deviations[group] * points.row(i);
  }
  return points;
}

}  // namespace

int main() {
  const Eigen::MatrixXd points = samples();
  const mercer::KernelPcaParams params{.components = components, .centered = false};
  const mercer::Gaussian kernel{0.7};
  const auto plain = mercer::KernelPca{kernel, mercer::Exact{}, params}.fit(points);
  const double variance = plain.eigenvalues().sum();

  std::printf("epsilon   samples that carry the components   of the variance of kernel PCA\n");
  examples::Picture picture(1350, 480);
  picture << "set multiplot layout 1,3\nset size ratio -1\nset key top center horizontal outside\n";
  for (const double epsilon : {0.0, 0.2, 0.5, 0.8}) {
    const mercer::EpsilonInsensitive<mercer::L2> loss{epsilon};
    const auto model =
        mercer::KernelPca{kernel, mercer::Dca{loss, {.starts = 5}}, params}.fit(points);
    std::printf("%7.1f %20d of %d %28.1f %%\n", epsilon, static_cast<int>(model.points().rows()),
                static_cast<int>(count), 100 * model.eigenvalues().sum() / variance);
    if (epsilon == 0.0) continue;
    const std::string name = "epsilon" + std::to_string(static_cast<int>(10 * epsilon));
    char title[32];
    std::snprintf(title, sizeof title, "epsilon = %.1f", epsilon);
    picture.data(name + "all", points);
    picture.data(name + "kept", model.points());
    picture << "set title " << examples::text_for_gnuplot(title) << "\nplot $" << name
            << "all with points pointtype 7 pointsize 0.4 linecolor rgb '" << examples::grey
            << "' title 'samples', $" << name
            << "kept with points pointtype 6 pointsize 0.8 linecolor rgb '" << examples::colours[1]
            << "' title 'with weight'\n";
  }
  picture << "unset multiplot\n";
  picture.draw("sparse_kpca.svg");
}
