// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What the tests of the feature maps share: the laws of every map, and means and variances of its
/// features against the kernel and the formula.

#ifndef MERCER_TESTS_FEATURES_FEATURE_CHECKS_HPP
#define MERCER_TESTS_FEATURES_FEATURE_CHECKS_HPP

#include <algorithm>
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

template <class B>
concept EvaluatesSparse = requires(const B& map, const typename B::Block& block,
                                   const SparseMatrix<typename B::Scalar>& x,
                                   GramOut<typename B::Scalar> out) {
  map.evaluate(block, x, out);
};

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

/// The same five, made non-negative.
template <Real S>
[[nodiscard]] Matrix<S> five_histograms() {
  return five_points<S>().cwiseAbs().array() + S(0.05);
}

/// z_w(x_i) . z_w(x_j) for every draw w of a block of D draws, of one column or of several that
/// stand D columns apart.
[[nodiscard]] inline Vector<double> products_of_draws(const Matrix<double>& z, Index draws, Index i,
                                                      Index j) {
  Vector<double> products = Vector<double>::Zero(draws);
  // By pointers, which are quick without optimisation too.
  const double* const first = z.data();
  double* const sums = products.data();
  for (Index part = 0; part < z.cols(); part += draws)
    for (Index w = 0; w < draws; ++w) {
      const double* const values = first + (part + w) * z.rows();
      sums[w] += static_cast<double>(draws) * values[i] * values[j];
    }
  return products;
}

/// Draws for the moments of a map. So many find a variance, within five standard errors, to one or
/// two per cent; without optimisation there is time for fewer.
#if defined(NDEBUG)
inline constexpr Index moment_draws = 200000;
#else
inline constexpr Index moment_draws = 4000;
#endif

/// Mean and variance of the products of draws are k(x_i, x_j) and variance(x_i, x_j), each within
/// five standard errors, for every pair of the five points.
template <Real S, class F, class K, class V>
void check_moments(F map, const K& kernel, const V& variance,
                   const Matrix<S>& samples = five_points<S>(), Index draws = moment_draws) {
  map.features = draws;
  const Matrix<double> x = samples.template cast<double>(), k = gram(kernel, x);
  const auto bound = map.template bind<S>(kernel, sample_bounds(samples), feature_seed);
  const Matrix<double> z = block_features(bound, 3, samples).template cast<double>();
  // Of single features, a few operations each, and of sums of as many as there are draws.
  const double rounding = 200 * static_cast<double>(std::numeric_limits<S>::epsilon()) +
                          static_cast<double>(draws) * std::numeric_limits<double>::epsilon();
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j <= i; ++j) {
      CAPTURE(i, j);
      double first = 0, second = 0, fourth = 0;  // moments about k(x_i, x_j)
      for (const double product : products_of_draws(z, draws, i, j)) {
        const double error = product - k(i, j), square = error * error;
        first += error / static_cast<double>(draws);
        second += square / static_cast<double>(draws);
        fourth += square * square / static_cast<double>(draws);
      }
      // Where it is 0, the formula may leave less than that.
      const double expected = (std::max)(0.0, variance(x.row(i).eval(), x.row(j).eval()));
      CHECK(std::abs(first) <=
            five_sigma * std::sqrt(expected / static_cast<double>(draws)) + rounding * k(i, j));
      const double spread = (std::max)(0.0, fourth - second * second);
      CHECK(std::abs(second - expected) <=
            five_sigma * std::sqrt(spread / static_cast<double>(draws)) +
                rounding * std::pow(1 + k(i, j), 2));
    }
}

/// Features of which those of one group of \p group neighbours depend on each other: the mean over
/// the groups is the kernel, within five standard errors as the groups show them.
template <Real S, class F, class K>
void check_mean_of_groups(F map, const K& kernel, Index group,
                          const Matrix<S>& samples = five_points<S>()) {
  const Index groups = moment_draws / 4;
  map.features = group * groups;
  const Matrix<double> k = gram(kernel, samples.template cast<double>());
  const auto bound = map.template bind<S>(kernel, sample_bounds(samples), feature_seed);
  const Matrix<double> z = block_features(bound, 3, samples).template cast<double>();
  for (Index i = 0; i < k.rows(); ++i)
    for (Index j = 0; j <= i; ++j) {
      CAPTURE(i, j);
      const Vector<double> products = products_of_draws(z, group * groups, i, j);
      const Vector<double> means = products.reshaped(group, groups).colwise().mean();
      const double variance = (means.array() - means.mean()).square().mean();
      CHECK(std::abs(means.mean() - k(i, j)) <=
            five_sigma * std::sqrt(variance / static_cast<double>(groups)) + 1e-6);
    }
}

/// The mean of Z_b Z_b^T over this many blocks is the Gram matrix, within five standard errors, if
/// no entry of Z_b Z_b^T has a larger variance than \p variance.
template <class F, class K>
void check_mean_of_blocks(const F& map, const K& kernel, const Matrix<double>& x, int blocks,
                          double variance) {
  const auto bound = map.template bind<double>(kernel, sample_bounds(x), feature_seed);
  Matrix<double> mean = Matrix<double>::Zero(x.rows(), x.rows());
  for (int b = 0; b < blocks; ++b) {
    const Matrix<double> z = block_features(bound, static_cast<std::uint64_t>(b), x);
    mean += z * z.transpose() / blocks;
  }
  CHECK((mean - gram(kernel, x)).cwiseAbs().maxCoeff() <=
        five_sigma * std::sqrt(variance / blocks));
}

/// Samples with zeros, and rows of them, of more than a tile; in so many columns that the order of
/// the sums in a product is not the same for any number of rows.
template <Real S>
[[nodiscard]] Matrix<S> samples_for_purity() {
  return sparse_looking_samples<S>(detail::tile_size + 40, 37, 4);
}

/// Whether the product of the program adds up a row in an order that depends on its place in the
/// block: OpenBLAS does in single precision, with its loops for Haswell and Zen.
template <Real S>
[[nodiscard]] bool products_depend_on_place(const Matrix<S>& x) {
  const Matrix<S> turned = x.colwise().reverse();
  for (Index cols = 1; cols <= 32; ++cols) {
    const Matrix<S> w = uniform_samples<S>(x.cols(), cols, 77);
    Matrix<S> product(x.rows(), cols), other(x.rows(), cols);
    product.noalias() = x * w;
    other.noalias() = turned * w;
    if (product != other.colwise().reverse()) return true;
  }
  return false;
}

/// What holds for every map: values are a function of (parameters, seed, block) alone.
/// \param anywhere  whether the place of a sample does not matter
template <Real S, class F, class K>
void check_purity(const F& map, const K& kernel, const Matrix<S>& x = samples_for_purity<S>(),
                  bool anywhere = true) {
  const Index n = x.rows();
  const SampleBounds bounds = sample_bounds(x);
  const auto bound = map.template bind<S>(kernel, bounds, feature_seed);
  const Matrix<S> z = block_features(bound, 5, x);
  REQUIRE(z.cols() == bound.columns());
  REQUIRE(z.allFinite());

  SECTION("other blocks and seeds are other features") {
    constexpr bool same = IsDeterministic<decltype(bound)>;
    const auto other = map.template bind<S>(kernel, bounds, feature_seed + 1);
    CHECK((block_features(bound, 6, x) == z) == same);
    CHECK((block_features(other, 5, x) == z) == same);
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
  SECTION("a row has the same features wherever it lies") {
    if (!anywhere) return;
    const Matrix<S> turned = x.colwise().reverse();
    const Index apart = n / 2 - 3;
    const Matrix<S> of_turned = block_features(bound, 5, turned).colwise().reverse();
    const Matrix<S> of_some = block_features(bound, 5, x.middleRows(7, apart));
    if (products_depend_on_place(x)) {  // to rounding: sums of few terms of these sizes
      const S rounding = 64 * std::numeric_limits<S>::epsilon() * z.cwiseAbs().maxCoeff();
      CHECK((of_turned - z).cwiseAbs().maxCoeff() <= rounding);
      CHECK((of_some - z.middleRows(7, apart)).cwiseAbs().maxCoeff() <= rounding);
    } else {
      CHECK(of_turned == z);
      CHECK(of_some == z.middleRows(7, apart));
    }
  }
  if constexpr (EvaluatesSparse<decltype(bound)>) {
    SECTION("sparse samples have the same features to rounding") {
      const SparseMatrix<S> sparse = x.sparseView();
      const S scale = z.cwiseAbs().maxCoeff();
      CHECK((block_features(bound, 5, sparse) - z).cwiseAbs().maxCoeff() <=
            200 * std::numeric_limits<S>::epsilon() * scale);
      CHECK(block_features(bound, 5, SparseMatrix<S>(sparse.topRows(19))) ==
            block_features(bound, 5, sparse).topRows(19));
    }
  }
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_FEATURES_FEATURE_CHECKS_HPP
