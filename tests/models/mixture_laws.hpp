// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Laws on the line to draw samples of mixtures from, and what a fitted density is compared with.

#ifndef MERCER_TESTS_MODELS_MIXTURE_LAWS_HPP
#define MERCER_TESTS_MODELS_MIXTURE_LAWS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>

namespace mercer::test {

/// A normal law N(first, second^2), or a Gamma law of shape first and scale second.
struct Law {
  enum class Form { Normal, Gamma } form;
  double first, second;

  [[nodiscard]] static Law normal(double mean, double deviation) {
    return {Form::Normal, mean, deviation};
  }
  [[nodiscard]] static Law gamma(double shape, double scale) { return {Form::Gamma, shape, scale}; }

  [[nodiscard]] double density(double x) const {
    if (form == Form::Normal) {
      const double z = (x - first) / second;
      return std::exp(-z * z / 2) / (std::sqrt(2 * std::numbers::pi) * second);
    }
    return x > 0 ? std::exp((first - 1) * std::log(x / second) - x / second - std::lgamma(first)) /
                       second
                 : 0;
  }

  /// Gamma by the method of Marsaglia and Tsang, 2000, for shapes of at least 1.
  [[nodiscard]] double draw(RandomStream& stream) const {
    if (form == Form::Normal) return first + second * stream.normal();
    const double d = first - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double z = stream.normal(), v = std::pow(1 + c * z, 3), u = stream.uniform();
      if (1 + c * z > 0 && std::log(u) < z * z / 2 + d - d * v + d * std::log(v))
        return second * d * v;
    }
  }
};

/// For each view, the laws of the components.
using Laws = std::array<std::vector<Law>, 3>;

/// n triples of views, each a column.
[[nodiscard]] inline std::array<Matrix<double>, 3> draw_views(const Laws& laws,
                                                              const std::vector<double>& weights,
                                                              Index n, std::uint64_t seed) {
  RandomStream stream(seed, "mixture");
  std::array<Matrix<double>, 3> views;
  views.fill(Matrix<double>(n, 1));
  for (Index i = 0; i < n; ++i) {
    double left = stream.uniform();
    std::size_t h = 0;
    while (h + 1 < weights.size() && left >= weights[h]) left -= weights[h++];
    for (std::size_t v = 0; v < 3; ++v) views[v](i, 0) = laws[v][h].draw(stream);
  }
  return views;
}

/// The error of a fitted mixture on the line, with the components matched to the true ones.
struct MixtureError {
  double density = std::numeric_limits<double>::infinity();  ///< mean L1 distance of the densities
  double weights = 0;                                        ///< largest error of the weights
  std::vector<Index> order;  ///< the fitted component of each true one
};

/// \param grid       equidistant points, \p step apart
/// \param densities  fitted densities at the grid, smoothed by a Gaussian of width \p sigma
[[nodiscard]] inline MixtureError compare_mixture(const Vector<double>& grid, double step,
                                                  const Matrix<double>& densities, double sigma,
                                                  const Vector<double>& weights,
                                                  const std::vector<Law>& laws,
                                                  const std::vector<double>& true_weights) {
  constexpr double fine = 0.005;
  const auto k = static_cast<Index>(laws.size());
  Matrix<double> truth = Matrix<double>::Zero(grid.size(), k);
  for (Index i = 0; i < grid.size(); ++i)
    for (double t = -6 * sigma; t <= 6 * sigma; t += fine) {
      const double share =
          fine * std::exp(-t * t / (2 * sigma * sigma)) / (std::sqrt(2 * std::numbers::pi) * sigma);
      for (Index h = 0; h < k; ++h)
        truth(i, h) += share * laws[static_cast<std::size_t>(h)].density(grid(i) - t);
    }
  MixtureError best;
  std::vector<Index> order(laws.size());
  std::iota(order.begin(), order.end(), Index{0});
  do {
    double error = 0;
    for (Index h = 0; h < k; ++h)
      error += step *
               (densities.col(order[static_cast<std::size_t>(h)]) - truth.col(h)).lpNorm<1>() /
               static_cast<double>(k);
    if (!(error < best.density)) continue;
    best.density = error;
    best.order = order;
  } while (std::next_permutation(order.begin(), order.end()));
  for (std::size_t h = 0; h < best.order.size(); ++h)
    best.weights = (std::max)(best.weights, std::abs(weights(best.order[h]) - true_weights[h]));
  return best;
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_MODELS_MIXTURE_LAWS_HPP
