// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Random Maclaurin features of kernels that depend on the inner product.

#ifndef MERCER_FEATURES_RANDOM_MACLAURIN_HPP
#define MERCER_FEATURES_RANDOM_MACLAURIN_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/maclaurin_series.hpp>
#include <mercer/features/detail/projections.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// How the degree N of a feature is drawn, among the degrees with a_N > 0.
enum class DegreeLaw {
  /// P(m) proportional to a_m R^2m, the term at radius R = max |x|; for samples of zeros, at the R
  /// with a_1 R^2 = a_0 / 2, if both are positive, else at 1
  Proportional,
  Geometric,  ///< P(m) proportional to 2^-m, as in Kar and Karnick
};

[[nodiscard]] constexpr std::string_view to_string(DegreeLaw law) {
  return law == DegreeLaw::Proportional ? "proportional" : "geometric";
}

/// The random parameters of a block of Maclaurin features.
template <Real S>
struct MaclaurinBlock {
  std::vector<Index> first;  ///< feature j uses the directions first[j], ..., first[j+1] - 1
  Matrix<S> directions;      ///< one vector with entries +-1/R per row; the last rows may be unused
  Vector<S> weights;         ///< (a_N R^2N / P(N))^(1/2) for each of the D features

  [[nodiscard]] std::size_t bytes() const {
    return detail::bytes_of(directions, weights) + first.size() * sizeof(Index);
  }
};

/// Maclaurin features for one kernel. The settings are explained at RandomMaclaurin. Models
/// BoundFeatureMap.
template <Real S>
class BoundRandomMaclaurin {
 public:
  using Scalar = S;
  using Block = MaclaurinBlock<S>;

  BoundRandomMaclaurin(const MaclaurinSeries& series, Index features, DegreeLaw law,
                       const SampleBounds& bounds, std::uint64_t seed)
      : features_(features),
        dimension_(bounds.dimension),
        radius_(radius_of(series, bounds)),
        seed_(seed) {
    const std::vector<double> terms = detail::log_terms(series, 2 * std::log(radius_));
    std::vector<double> laws = terms;
    if (law == DegreeLaw::Geometric)
      for (std::size_t m = 0; m < terms.size(); ++m)
        if (terms[m] > detail::log_zero) laws[m] = -static_cast<double>(m) * std::log(2.0);
    double sum = detail::log_zero;
    for (const double value : laws) sum = detail::log_sum(sum, value);
    double below = 0;
    for (std::size_t m = 0; m < terms.size(); ++m) {
      if (terms[m] == detail::log_zero) continue;
      below += std::exp(laws[m] - sum);
      degrees_.push_back({static_cast<Index>(m), below, std::exp((terms[m] - laws[m] + sum) / 2)});
    }
  }

  [[nodiscard]] Index columns() const { return features_; }
  [[nodiscard]] Index dimension() const { return dimension_; }

  /// Cost: one random bit for each entry of the directions.
  /// Random: streams "Maclaurin degrees" and "Maclaurin signs" of the seed.
  void draw(std::uint64_t b, Block& block) const {
    block.first.assign(static_cast<std::size_t>(features_) + 1, 0);
    block.weights.resize(features_);
    RandomStream degrees(seed_, "Maclaurin degrees", b);
    for (Index j = 0; j < features_; ++j) {
      const Degree& degree = pick(degrees.uniform());
      const auto at = static_cast<std::size_t>(j);
      block.first[at + 1] = block.first[at] + degree.value;
      block.weights(j) = static_cast<S>(degree.weight);
    }
    if (block.directions.rows() < block.first.back() || block.directions.cols() != dimension_)
      block.directions.resize(block.first.back(), dimension_);
    const S unit = static_cast<S>(1 / radius_);
    // A matrix without columns has no rows to point to.
    parallel_for(dimension_ == 0 ? 0 : features_, [&](Index j) {
      RandomStream signs = detail::feature_stream(seed_, "Maclaurin signs", b, j);
      const auto at = static_cast<std::size_t>(j);
      for (Index row = block.first[at]; row < block.first[at + 1]; ++row)
        fill_signs(signs, unit, block.directions.row(row));
    });
  }

  /// Feature j is D^(-1/2) weight_j prod_v (v . x), where v runs over the directions of feature j.
  /// Cost: n d operations for each direction. There are D E(N) directions on average.
  /// Memory: the products of the directions with the samples of one tile, for each thread.
  void evaluate(const Block& block, const Points<S>& x, GramOut<S> out) const {
    evaluate_tiles(block, x, out);
  }
  void evaluate(const Block& block, const SparsePoints<S>& x, GramOut<S> out) const {
    evaluate_tiles(block, x, out);
  }

 private:
  /// The smallest radius whose inverse is in range. The features are unbiased for any radius.
  static constexpr double least_radius{(std::numeric_limits<S>::min)()};

  /// R. Without one, which is so for samples of zeros, a_1 R^2 is half of a_0: where that follows
  /// from the series. The ratios of an infinite one do not increase, so it ends within 60 terms.
  [[nodiscard]] static double radius_of(const MaclaurinSeries& series, const SampleBounds& bounds) {
    if (bounds.radius > 0) return (std::max)(bounds.radius, least_radius);
    if (series.degree == 0) return 1;
    const double log_t = series.log_coefficient(0) - series.log_coefficient(1) - std::log(2.0);
    return std::isfinite(log_t) ? std::clamp(std::exp(log_t / 2), least_radius, 1 / least_radius)
                                : 1;
  }

  struct Degree {
    Index value;
    double cumulative;  // probability of this degree or a smaller one
    double weight;
  };

  [[nodiscard]] const Degree& pick(double uniform) const {
    const auto found =
        std::find_if(degrees_.begin(), degrees_.end(),
                     [uniform](const Degree& degree) { return uniform < degree.cumulative; });
    return found == degrees_.end() ? degrees_.back() : *found;  // the last sum may round below 1
  }

  static void fill_signs(
      RandomStream& stream, S unit,
      Eigen::Ref<Eigen::Matrix<S, 1, Eigen::Dynamic>, 0, Eigen::InnerStride<>> direction) {
    std::uint64_t word = 0;
    for (Index c = 0; c < direction.size(); ++c) {
      word = c % 64 == 0 ? stream() : word >> 1U;
      direction(c) = (word & 1U) != 0 ? unit : -unit;
    }
  }

  template <class Samples>
  void evaluate_tiles(const Block& block, const Samples& x, GramOut<S>& out) const {
    const Index d = block.weights.size(), used = block.first.back();
    MERCER_ASSERT(out.rows() == x.rows() && out.cols() == d);
    const Vector<S> scales = block.weights / std::sqrt(static_cast<S>(d));
    detail::for_tiles(x.rows(), [&](detail::Range rows) {
      Matrix<S> products(rows.size, used);
      detail::project_tile<S>(x, rows, block.directions.topRows(used), products);
      for (Index j = 0; j < d; ++j) {
        Eigen::Ref<Vector<S>> values = out.col(j).segment(rows.begin, rows.size);
        values.setConstant(scales(j));
        const auto at = static_cast<std::size_t>(j);
        for (Index v = block.first[at]; v < block.first[at + 1]; ++v)
          values.array() *= products.col(v).array();
      }
    });
  }

  Index features_;
  Index dimension_;
  double radius_;
  std::uint64_t seed_;
  std::vector<Degree> degrees_;
};

/// Random Maclaurin features of k(x, y) = sum_m a_m (x . y)^m. A feature is (a_N / P(N))^(1/2)
/// prod_{j <= N} (v_j . x) for a random degree N and vectors v_j of random signs. For Linear,
/// Polynomial, ExponentialDot and InverseDot, and for kernels with a maclaurin_series of their own.
///
/// Accuracy: the error of one entry of Z Z^T has variance V / D with V = sum_m a_m^2 c^m /
///   P(m) - k(x, y)^2 and c = |x|^2 |y|^2 + 2 (x . y)^2 - 2 sum_i x_i^2 y_i^2. Where high degrees
///   matter (gamma |x|^2 well above 1), V is many times k^2. An infinite series is cut off when the
///   rest is below 2^-54 of the sum at the radius of the bounds. For samples outside that radius
///   the rest is larger.
/// Source: Kar, Karnick, Random feature maps for dot product kernels, 2012.
struct RandomMaclaurin {
  Index features = 100;                     ///< D, columns in a block, >= 1
  DegreeLaw law = DegreeLaw::Proportional;  ///< of the degrees of the features

  template <class K>
  static constexpr bool maps = HasMaclaurinSeries<K>;
  [[nodiscard]] static constexpr bool unbiased() { return true; }

  [[nodiscard]] std::string describe() const {
    return "random-maclaurin(features=" + detail::to_text(features) + ", " +
           std::string(to_string(law)) + ")";
  }

  /// Throws InvalidArgument unless features is at least 1 and fits an int, for a polynomial of a
  /// degree above 4096, and if an infinite series needs more than 4096 terms at the radius of the
  /// bounds.
  template <Real S, class K>
  [[nodiscard]] BoundRandomMaclaurin<S> bind(const K& kernel, const SampleBounds& bounds,
                                             std::uint64_t seed) const {
    static_assert(maps<K>,
                  "mercer::RandomMaclaurin: this kernel has no power series in x . y; use one of "
                  "inner products (Linear, Polynomial, ExponentialDot, InverseDot), or give yours "
                  "a function maclaurin_series(kernel)");
    detail::require_block_size("RandomMaclaurin", features, bounds);
    return {maclaurin_series(kernel), features, law, bounds, seed};
  }
};

}  // namespace mercer

#endif  // MERCER_FEATURES_RANDOM_MACLAURIN_HPP
