// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel PCA in ten lines: Fisher's Iris, with PCA beside kernel PCA. Draws iris_kpca.svg.

#include <iostream>
#include <string>
#include <vector>

#include <mercer/io/csv.hpp>
#include <mercer/io/labels.hpp>
#include <mercer/mercer.hpp>
#include <mercer/metrics/bandwidth.hpp>

#include <examples/support/gnuplot.hpp>
#include <examples/support/scatter.hpp>

int main() {
  const std::string directory = MERCER_EXAMPLES_DATA;
  const Eigen::MatrixXd flowers =
      mercer::io::read_csv<double>(directory + "/iris.csv").values;  // 150 x 4, one flower a row
  const std::vector<std::string> species =
      mercer::io::read_labels(directory + "/iris_species.csv", flowers.rows());

  // With the linear kernel, kernel PCA is PCA.
  const mercer::KernelPca pca{mercer::Linear{}, mercer::Exact{}, {.components = 2}};
  const auto linear = pca.fit(flowers);

  // A usual width of the Gaussian: the median of the distances between flowers.
  const double sigma = mercer::median_distance(flowers);
  const mercer::KernelPca kernel_pca{mercer::Gaussian{sigma}, mercer::Exact{}, {.components = 2}};
  const auto gaussian = kernel_pca.fit(flowers);

  std::cout << "share of the variance in components 1 and 2\n"
            << "  PCA         " << linear.explained_variance_ratio().transpose() << '\n'
            << "  kernel PCA  " << gaussian.explained_variance_ratio().transpose() << "  (sigma "
            << sigma << ")\n";

  examples::Picture picture(1200, 560);
  picture << "set multiplot layout 1,2\n"
             "set xlabel 'component 1'\nset ylabel 'component 2'\n"
             "set key top center horizontal outside\n"
             "set title 'PCA of Iris'\n";
  examples::scatter(picture, "pca", linear.training_scores(), species);
  picture << "set title 'kernel PCA of Iris, Gaussian'\n";
  examples::scatter(picture, "kernel_pca", gaussian.training_scores(), species);
  picture << "unset multiplot\n";
  picture.draw("iris_kpca.svg");
}
