// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What the tests of the estimators share: terms as dense matrices, and the laws of every
/// estimator.

#ifndef MERCER_TESTS_ESTIMATORS_ESTIMATOR_CHECKS_HPP
#define MERCER_TESTS_ESTIMATORS_ESTIMATOR_CHECKS_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <mercer/core/threads.hpp>
#include <mercer/estimators/estimator.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace mercer::test {

template <Real S>
[[nodiscard]] Matrix<double> dense(const PsdTerm<S>& term) {
  const Matrix<double> factor = term.factor.template cast<double>();
  return factor * factor.transpose();
}
template <Real S>
[[nodiscard]] Matrix<double> dense(const SymmetricTerm<S>& term) {
  const Matrix<double> basis = term.basis.template cast<double>();
  return basis * term.middle.template cast<double>() * basis.transpose();
}
template <Real S>
[[nodiscard]] Matrix<double> dense(const ProductTerm<S>& term) {
  return term.left.template cast<double>() * term.right.template cast<double>().transpose();
}

/// Draw t as a dense matrix.
template <class B>
[[nodiscard]] Matrix<double> dense_draw(B& bound, std::uint64_t t) {
  typename B::Term term;
  bound.draw(t, term);
  return dense(term);
}

/// The mean of many draws is the Gram matrix, and E|xi - K|_F^2 is \p variance.
template <class E, class K, Real S>
void check_mean_and_variance(const E& estimator, const K& kernel, const Matrix<S>& x,
                             double variance) {
  constexpr int draws = 3000;
  const Matrix<double> k = gram(kernel, Matrix<double>(x.template cast<double>()));
  auto bound = bind_estimator(estimator, kernel, x, 17);
  Matrix<double> mean = Matrix<double>::Zero(k.rows(), k.cols());
  Matrix<double> squares = mean;
  Vector<double> errors(draws);
  for (int t = 0; t < draws; ++t) {
    const Matrix<double> error = dense_draw(bound, static_cast<std::uint64_t>(t) + 1) - k;
    mean += error / draws;
    squares += error.cwiseAbs2() / draws;
    errors(t) = error.squaredNorm();
  }
  // Every entry within five standard errors as observed: 6e-7 each for a fresh seed, and float's
  // rounding of numbers of the size of the kernel.
  const Matrix<double> allowed = 5 * (squares / draws).cwiseSqrt();
  CHECK((mean.cwiseAbs() - allowed).maxCoeff() <= 1e-5);
  CHECK(errors.mean() == Approx(variance).epsilon(0.05));  // the acceptance bound
}

/// Draws are a function of (samples, kernel, parameters, seed, t) alone.
template <class E, class K, OwnedSamples X>
void check_purity(const E& estimator, const K& kernel, const X& x) {
  auto bound = bind_estimator(estimator, kernel, x, 17);
  const Matrix<double> fifth = dense_draw(bound, 5);
  REQUIRE((fifth.rows() == x.rows() && fifth.allFinite()));
  CHECK(dense_draw(bound, 6) != fifth);
  auto other = bind_estimator(estimator, kernel, x, 18);
  CHECK(dense_draw(other, 5) != fifth);

  typename decltype(bound)::Term term;
  for (const std::uint64_t t : {std::uint64_t{9}, std::uint64_t{5}}) bound.draw(t, term);
  CHECK(dense(term) == fifth);

  const int before = thread_count();
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    bound.draw(5, term);
    set_thread_count(before);
    CHECK(dense(term) == fifth);
  }
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_ESTIMATORS_ESTIMATOR_CHECKS_HPP
