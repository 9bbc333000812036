// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What the tests of the feature maps share: the laws of every map, and means and variances of its
/// features against the kernel and the formula.

#ifndef MERCER_TESTS_FEATURES_FEATURE_CHECKS_HPP
#define MERCER_TESTS_FEATURES_FEATURE_CHECKS_HPP

#include <cmath>
#include <cstdint>
#include <limits>

#include <mercer/core/threads.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace mercer::test {

inline constexpr std::uint64_t feature_seed = 11;

/// A mean of many draws is off by so many standard errors with probability 6e-7.
inline constexpr double five_sigma = 5;

/// Five points in R^3.
template <Real S>
[[nodiscard]] Matrix<S> five_points() {
  Matrix<S> x(5, 3);
  x << S(0.3), S(-0.2), S(0.5), S(0.8), S(0.1), S(-0.4), S(-0.6), S(0.9), S(0.2), S(0), S(0.4),
      S(1.1), S(1.2), S(-0.7), S(0.3);
  return x;
}

/// z_w(x_i) . z_w(x_j) for every draw w of a block of D draws, of one column or of two that stand D
/// columns apart.
[[nodiscard]] inline Vector<double> products_of_draws(const Matrix<double>& z, Index draws, Index i,
                                                      Index j) {
  Vector<double> products = Vector<double>::Zero(draws);
  for (Index part = 0; part < z.cols(); part += draws)
    products +=
        static_cast<double>(draws) *
        z.row(i).segment(part, draws).cwiseProduct(z.row(j).segment(part, draws)).transpose();
  return products;
}

/// Mean and variance of the products of draws are k(x_i, x_j) and variance(x_i, x_j), each within
/// five standard errors, for every pair of the five points.
template <Real S, class F, class K, class V>
void check_moments(F map, const K& kernel, const V& variance) {
  const Index draws = 4000;
  map.features = draws;
  const Matrix<S> samples = five_points<S>();
  const Matrix<double> x = samples.template cast<double>(), k = gram(kernel, x);
  const auto bound = map.template bind<S>(kernel, sample_bounds(samples), feature_seed);
  const Matrix<double> z = block_features(bound, 3, samples).template cast<double>();
  // Of single features, a few operations each.
  const double rounding = 50 * static_cast<double>(std::numeric_limits<S>::epsilon());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j <= i; ++j) {
      CAPTURE(i, j);
      const Vector<double> products = products_of_draws(z, draws, i, j);
      const double expected = variance(x.row(i).eval(), x.row(j).eval());
      CHECK(std::abs(products.mean() - k(i, j)) <=
            five_sigma * std::sqrt(expected / draws) + rounding * k(i, j));
      const Vector<double> squares = (products.array() - k(i, j)).square();
      const double spread = (squares.array() - squares.mean()).square().mean();
      CHECK(std::abs(squares.mean() - expected) <=
            five_sigma * std::sqrt(spread / draws) + rounding * std::pow(1 + k(i, j), 2));
    }
}

/// What holds for every map: values are a function of (parameters, seed, block) alone.
template <Real S, class F, class K>
void check_purity(const F& map, const K& kernel) {
  // So many columns that the order of the sums in a product is not the same for any number of rows.
  const Index n = detail::tile_size + 40, d = 37;
  const Matrix<S> x = sparse_looking_samples<S>(n, d, 4);
  const SampleBounds bounds = sample_bounds(x);
  const auto bound = map.template bind<S>(kernel, bounds, feature_seed);
  const Matrix<S> z = block_features(bound, 5, x);
  REQUIRE(z.cols() == bound.columns());
  REQUIRE(z.allFinite());

  SECTION("other blocks and seeds are other features") {
    CHECK(block_features(bound, 6, x) != z);
    CHECK(block_features(map.template bind<S>(kernel, bounds, feature_seed + 1), 5, x) != z);
  }
  SECTION("the order in which blocks are drawn does not matter") {
    typename decltype(bound)::Block block;
    Matrix<S> again(n, bound.columns());
    for (const std::uint64_t b : {std::uint64_t{7}, std::uint64_t{5}}) {
      bound.draw(b, block);
      bound.evaluate(block, x, again);
    }
    CHECK(again == z);
  }
  SECTION("nor does the number of threads") {
    const int before = thread_count();
    for (const int threads : {1, 2, 3}) {
      set_thread_count(threads);
      CHECK(block_features(bound, 5, x) == z);
    }
    set_thread_count(before);
  }
  SECTION("the first rows alone have the same features") {
    for (const Index rows : {Index{0}, Index{1}, Index{17}, detail::tile_size, n - 1})
      CHECK(block_features(bound, 5, x.topRows(rows)) == z.topRows(rows));
  }
  SECTION("sparse samples have the same features to rounding") {
    const SparseMatrix<S> sparse = x.sparseView();
    const S scale = z.cwiseAbs().maxCoeff();
    CHECK((block_features(bound, 5, sparse) - z).cwiseAbs().maxCoeff() <=
          200 * std::numeric_limits<S>::epsilon() * scale);
    CHECK(block_features(bound, 5, SparseMatrix<S>(sparse.topRows(19))) ==
          block_features(bound, 5, sparse).topRows(19));
  }
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_FEATURES_FEATURE_CHECKS_HPP
