// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What the tests of maps for kernels of |x - y| share.

#ifndef MERCER_TESTS_FEATURES_ISOTROPIC_CHECKS_HPP
#define MERCER_TESTS_FEATURES_ISOTROPIC_CHECKS_HPP

#include <cmath>
#include <limits>

#include <mercer/features/detail/fourier_pass.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/features/feature_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace mercer::test {

/// Means are the kernel in both forms, for groups of \p group dependent frequencies in R^3.
template <class F>
void check_isotropic_means(Index group) {
  const auto check = [&](const auto& kernel) {
    check_mean_of_groups<double>(F{}, kernel, group);
    check_mean_of_groups<float>(F{.form = FourierForm::Phase}, kernel, group);
  };
  SECTION("Gaussian") {
    check(Gaussian(0.8));
  }
  SECTION("Matern") {
    check(Matern({.nu = 0.8, .length = 1}));
  }
  SECTION("RationalQuadratic") {
    check(RationalQuadratic({.alpha = 0.7, .length = 0.9}));
  }
  SECTION("one coordinate") {
    check_mean_of_groups<double>(F{}, Gaussian(1), 1, uniform_samples<double>(4, 1, 3));
  }
}

/// Samples without columns are all the same, and features are finite for any scale.
template <class F>
void check_extremes() {
  const Matrix<double> none(3, 0);
  const auto flat = F{.features = 3}.template bind<double>(Gaussian{1}, {}, 1);
  const Matrix<double> z = block_features(flat, 0, none);
  CHECK((z * z.transpose() - Matrix<double>::Ones(3, 3)).cwiseAbs().maxCoeff() <= 1e-15);
  const Matrix<float> x = uniform_samples<float>(4, 2, 3);
  for (const double sigma : {1e-300, 1e300}) {
    const auto map = F{.features = 3}.template bind<float>(Gaussian(sigma), sample_bounds(x), 1);
    CHECK(block_features(map, 0, x).allFinite());
  }
}

/// A huge row among the samples, dense or sparse, does not change the features of the others. Its
/// own are those of a sample far from all others, and from the next huge one.
/// \param d  the dimension
template <Real S, class F, class K>
void check_huge_rows(const F& map, const K& kernel, Index d) {
  const Index rows = 9;
  const Matrix<S> x = uniform_samples<S>(rows, d, 3);
  const auto bound = map.template bind<S>(kernel, sample_bounds(x), 1);
  const Matrix<S> z = block_features(bound, 0, x);
  const S most = (std::numeric_limits<S>::max)();
  for (const S size : {std::sqrt(most), S(9.97e36F), most}) {
    CAPTURE(size, d, kernel.describe());
    Matrix<S> with(rows + 3, d);
    with << x, size * uniform_samples<S>(1, d, 4), Matrix<S>::Constant(1, d, size),
        Matrix<S>::Constant(1, d, size / 2);
    const auto other = map.template bind<S>(kernel, sample_bounds(with), 1);
    const Matrix<S> all = block_features(other, 0, with);
    REQUIRE(all.allFinite());
    CHECK(all.topRows(rows) == z);
    if constexpr (EvaluatesSparse<decltype(other)>) {
      const Matrix<S> sparse =
          block_features(other, 0, SparseMatrix<S>(with.sparseView(S(0), S(0))));
      CHECK(sparse.topRows(rows) ==
            block_features(bound, 0, SparseMatrix<S>(x.sparseView(S(0), S(0)))));
      CHECK(sparse.allFinite());
    }
    // Far samples have inner products of 0 on average, with a variance of at most 3/2 for each
    // frequency.
    const double few = five_sigma * std::sqrt(1.5 / static_cast<double>(map.features));
    const Matrix<double> products =
        all.template cast<double>() * all.template cast<double>().transpose();
    for (Index i = rows; i < rows + 3; ++i) {
      CHECK(std::abs(products(i, i) - 1) <= few);
      CHECK(products.row(i).head(i).cwiseAbs().maxCoeff() <= few);
    }
  }
}

/// The same of a Fourier map in both forms, for few and many dimensions.
template <Real S, class F, class K>
void check_huge_rows_of_forms(const K& kernel) {
  for (const Index d : {1, 3, 40})
    for (const FourierForm form : {FourierForm::Paired, FourierForm::Phase})
      check_huge_rows<S>(F{.features = 400, .form = form}, kernel, d);
}

/// The variance of the mean of d frequencies in R^d, over that of independent ones, for a Gaussian
/// at |x - y|^2 = \p square. The variance of 1000 groups is known to 5 % or so.
template <class F>
[[nodiscard]] double variance_ratio(Index d, double square) {
  const Index groups = 1000;
  Matrix<double> x = Matrix<double>::Zero(2, d);
  x.row(1).setConstant(std::sqrt(square / static_cast<double>(d)));
  const auto map =
      F{.features = d * groups}.template bind<double>(Gaussian(1), sample_bounds(x), 5);
  const Vector<double> products = products_of_draws(block_features(map, 0, x), d * groups, 0, 1);
  const Vector<double> means = products.reshaped(d, groups).colwise().mean();
  const double k = std::exp(-square / 2);
  return (means.array() - k).square().mean() /
         (std::pow(1 - k * k, 2) / 2 / static_cast<double>(d));
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_FEATURES_ISOTROPIC_CHECKS_HPP
