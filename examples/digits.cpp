// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Noisy digits, projected on components of clean ones and mapped back: by PCA and by kernel PCA.
/// The digits have 8 x 8 pixels: lines through a few points, at random slants and sizes. Draws
/// digits.svg.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

#include <mercer/core/random.hpp>
#include <mercer/mercer.hpp>

#include <examples/support/gnuplot.hpp>

namespace {

/// The points of each digit: x from 0 to 4 and y from 0 to 6, downwards.
constexpr std::array<std::string_view, 10> lines = {
    "103042443616040210", "112026",         "01103041420646", "00402244361605",
    "36300444",           "40000332443606", "30120416364423", "004016",
    "230120410526452301", "42230210304236"};

/// One digit in each row, row by row: 0, 1, ... 9, 0, ...
Eigen::MatrixXd digits(Eigen::Index count, const char* stream) {
  mercer::RandomStream draws(1, stream);
  Eigen::MatrixXd images(count, 64);
  for (Eigen::Index i = 0; i < count; ++i) {
    const std::string_view line = lines[static_cast<std::size_t>(i % 10)];
    const double width = 0.8 + 0.3 * draws.uniform(), height = 0.85 + 0.25 * draws.uniform(),
                 slant = 0.5 * draws.uniform() - 0.15;
    const auto corner = [&](std::size_t j) -> Eigen::Vector2d {
      const double x = line[j] - '2', y = line[j + 1] - '3';
      return {3.5 + width * x - slant * y, 3.5 + height * y};
    };
    for (Eigen::Index pixel = 0; pixel < 64; ++pixel) {
      const Eigen::Vector2d here(double(pixel % 8), double(pixel / 8));
      double nearest = 64;
      for (std::size_t j = 0; j + 3 < line.size(); j += 2) {
        const Eigen::Vector2d begin = corner(j), along = corner(j + 2) - begin;
        const double t = std::clamp((here - begin).dot(along) / along.squaredNorm(), 0.0, 1.0);
        nearest = (std::min)(nearest, (begin + t * along - here).squaredNorm());
      }
      images(i, pixel) = std::exp(-1.5 * nearest);
    }
  }
  return images;
}

}  // namespace

int main() {
  const Eigen::MatrixXd train = digits(1000, "train"), clean = digits(200, "clean");
  const Eigen::MatrixXd noisy = clean + 0.3 * mercer::normal_matrix<double>(200, 64, 1, "noise");
  Eigen::MatrixXd grey(64, 80);  // eight rows of ten digits
  std::string names;
  auto show = [&, row = 0](const std::string& name, const Eigen::MatrixXd& images) mutable {
    std::printf("%-16s mean squared error %.2f\n", name.c_str(),
                (images - clean).rowwise().squaredNorm().mean());
    names += (row == 0 ? "'" : ", '") + name + "' " + std::to_string(row + 3);
    for (int i = 0; i < 10; ++i)
      grey.block<8, 8>(row, 8 * i) = images.row(i).reshaped(8, 8).transpose();
    row += 8;
  };
  const auto project = [&](const std::string& name, const auto& kernel) {
    for (const Eigen::Index k : {4, 16, 64}) {
      const auto model = mercer::KernelPca{kernel, mercer::Exact{}, {.components = k}}.fit(train);
      show(name + std::to_string(k),
           model.preimages(model.transform(noisy), mercer::FixedPoint{}, noisy).points);
    }
  };
  show("clean", clean);
  show("with noise", noisy);
  project("PCA, ", mercer::Linear{});
  project("kernel PCA, ", mercer::Gaussian{2.0});

  examples::Picture picture(800, 660);
  picture.data("grey", grey);
  picture << "set palette gray negative\nset cbrange [0:1]\nunset colorbox\nset size ratio -1\n"
             "unset grid\nunset border\nunset xtics\nset ytics scale 0 ("
          << names << ")\nset yrange [*:*] reverse\nplot $grey matrix with image notitle\n";
  picture.draw("digits.svg");
}
