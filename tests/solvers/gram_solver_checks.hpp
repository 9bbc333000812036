// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The laws of every GramSolver. gram_solver_test.cpp says which solver claims which of them.

#ifndef MERCER_TESTS_SOLVERS_GRAM_SOLVER_CHECKS_HPP
#define MERCER_TESTS_SOLVERS_GRAM_SOLVER_CHECKS_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <mercer/core/threads.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <tests/solvers/pair_checks.hpp>
#include <tests/solvers/tested_solver.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/samples.hpp>

namespace mercer::test {

/// The leading pairs of a known spectrum: residuals within the tolerance, eigenvalues within their
/// bounds, eigenvectors within the angle that residual and gap allow.
template <Real S>
void check_truth(const TestedSolver& solver, const Vector<double>& spectrum, Index k) {
  CAPTURE(k, spectrum(k));
  const double tolerance = solver.reachable<S>();
  const auto op = operator_with<S>(spectrum);
  const auto s = solver.solve({.tolerance = tolerance}, op, {.components = k});
  CHECK(s.report.solver == solver.id);
  CHECK(s.report.bytes > 0);
  CHECK(s.report.trace == Approx(spectrum.sum()).epsilon(sizeof(S) == 4 ? 1e-5 : 1e-12));
  CHECK(s.report.components_requested == k);
  const Matrix<double> a = op.dense().template cast<double>();
  // An eigenvalue is within the residual, which is within tolerance mu_1, mu_1 = 1.
  check_found(s, spectrum.head(k), tolerance + rounding<S>);
  check_pairs(a, s);
  CHECK(largest(s.report.residuals) <= tolerance + (solver.iterates ? 0 : rounding<S>));
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> exact(a);
  for (Index i = 0; i < k; ++i)
    CHECK(std::abs(static_cast<double>(s.eigenvalues(i)) -
                   exact.eigenvalues()(spectrum.size() - 1 - i)) <=
          s.report.eigenvalue_error_bounds[static_cast<std::size_t>(i)] + rounding<S>);
  // The angle is at most the residual over the gap (Davis, Kahan), by columns: sqrt(k).
  const double gap = spectrum(k - 1) - spectrum(k);
  if (gap > 0)
    CHECK(largest_sine<double>(exact.eigenvectors().rightCols(k),
                               s.eigenvectors.template cast<double>()) <=
          2 * std::sqrt(static_cast<double>(k)) * (tolerance + rounding<S>) / gap);
}

/// Spectra that decay, slowly and fast, with multiples, and with a cluster that ends after 12.
template <Real S>
void check_known_spectra(const TestedSolver& solver) {
  std::vector<Vector<double>> spectra = {
      spectrum_of(150, [](double i) { return std::pow(0.8, i); }), slowly_decaying(),
      spectrum_of(150, [](double i) { return std::pow(0.7, std::floor(i / 3)); })};
  if (!solver.slow)
    spectra.push_back(
        spectrum_of(150, [](double i) { return i < 12 ? 1 - 1e-3 * i : 0.5 * std::pow(0.9, i); }));
  for (const Vector<double>& spectrum : spectra)
    for (const Index k : {1, 3, 12}) check_truth<S>(solver, spectrum, k);
}

/// Multiple eigenvalues as often as they are there.
inline void check_multiples(const TestedSolver& solver) {
  const std::vector<Vector<double>> spectra = {
      spectrum_of(150, [](double i) { return std::pow(0.9, std::floor(i / 2)); }),
      spectrum_of(150, [](double i) { return 1 / (1 + std::floor(i / 3)); }),
      spectrum_of(150, [](double i) { return std::pow(0.97, std::floor(i / 7)); }),
      // more of the same than a block has vectors
      spectrum_of(150, [](double i) { return std::pow(0.5, std::floor(i / 40)); }),
      spectrum_of(150, [](double i) { return i < 6 ? 2 : 1; }),
      spectrum_of(150, [](double) { return 3; })};
  for (const Vector<double>& spectrum : spectra)
    for (const Index k : {1, 4, 15}) {
      if (solver.slow && k > 4) continue;
      CAPTURE(k, spectrum(149));
      const auto op = operator_with<double>(spectrum);
      check_found(solver.solve({.tolerance = 1e-8}, op, {.components = k}), spectrum.head(k),
                  1e-8 * spectrum(0));
    }
}

/// What there is, where there are fewer eigenvalues above zero than asked for.
template <Real S>
void check_ends_of_spectra(const TestedSolver& solver) {
  const Index n = 150;
  const SolverSettings settings{.tolerance = solver.reachable<S>()};
  const auto check = [&](const Vector<double>& leading, Index k) {
    CAPTURE(leading.size(), k);
    Vector<double> spectrum = Vector<double>::Zero(n);
    spectrum.head(leading.size()) = leading;
    const auto s = solver.solve(settings, operator_with<S>(spectrum), {.components = k});
    check_found(s, leading, 10 * solver.reachable<S>());
    CHECK(s.eigenvectors.rows() == n);
    CHECK(s.report.components_requested == k);
    CHECK(s.report.zero_eigenvalues == k - leading.size());
    CHECK(s.report.negative_eigenvalues == 0);
  };
  check(Vector<double>::LinSpaced(3, 3, 1), 3);
  check(Vector<double>::LinSpaced(3, 3, 1), 10);
  check(Vector<double>::Constant(5, 2), 12);
  check(Vector<double>(0), 5);
  const auto ones =
      solver.solve(settings, PrecomputedGram<S>(Matrix<S>::Ones(n, n)), {.components = 4});
  check_found(ones, Vector<double>::Constant(1, static_cast<double>(n)),
              static_cast<double>(n) * rounding<S>);
}

/// Eigenvalues far below the tolerance are returned.
inline void check_small_eigenvalues(const TestedSolver& solver) {
  const Vector<double> spectrum = spectrum_of(100, [](double i) { return std::pow(0.1, i); });
  check_found(solver.solve({}, operator_with<double>(spectrum), {.components = 10}),
              spectrum.head(10), 1e-6);
}

/// What centring leaves in rounding errors is no component: samples far from the origin, with
/// entries 1e6 times as large as the centred ones.
inline void check_centring_noise(const TestedSolver& solver) {
  const Matrix<double> x = uniform_samples<double>(150, 3, 6).array() + 1e3;
  const Matrix<double> k = x * x.transpose();
  const auto s = solver.solve({.tolerance = 1e-12}, Centered{PrecomputedGram<double>(k)},
                              {.components = 6, .noise_scale = k.diagonal().cwiseAbs().sum()});
  CHECK(s.report.status == Status::Converged);
  CHECK(s.eigenvalues.size() == 3);
  CHECK(s.report.zero_eigenvalues == 3);
}

/// n = 1 and a few more, one component and all of them.
template <Real S>
void check_tiny(const TestedSolver& solver) {
  for (const Index n : {1, 2, 3, 15, 40}) {
    if (solver.slow && n > 15) continue;
    const Vector<double> spectrum = Vector<double>::LinSpaced(n, 2, 1);
    const auto op = operator_with<S>(spectrum);
    for (const Index k : {Index{1}, n}) {
      CAPTURE(n, k);
      const auto s = solver.solve({.tolerance = solver.reachable<S>()}, op, {.components = k});
      check_found(s, spectrum.head(k), 2 * solver.reachable<S>());
      check_pairs(op.dense().template cast<double>(), s);
    }
  }
}

/// The positive part of an indefinite matrix, and a report of the rest.
inline void check_indefinite(const TestedSolver& solver) {
  const SolverSettings settings{};
  for (const double end : {1.0, 2.0}) {
    Vector<double> spectrum = -Vector<double>::LinSpaced(150, 1, end);
    spectrum.head(4) << 0.4, 0.3, 0.2, 0.1;
    const auto s = solver.solve(settings, operator_with<double>(spectrum), {.components = 8});
    check_found(s, spectrum.head(4), 4e-7);
    CHECK(s.report.negative_eigenvalues >= 4);  // four more were asked for
    CHECK(s.report.zero_eigenvalues == 4);
    // A Ritz value: no eigenvalue is more negative.
    CHECK(s.report.most_negative_eigenvalue >= -end - 1e-6);
    CHECK(s.report.most_negative_eigenvalue < -1 + 1e-6);
    spectrum.head(4) *= -1;
    const auto none = solver.solve(settings, operator_with<double>(spectrum), {.components = 8});
    check_found(none, Vector<double>(0), 0);
    CHECK(none.eigenvectors.cols() == 0);
    CHECK(none.report.negative_eigenvalues >= 8);
  }
}

/// Results do not depend on the unit of the matrix: for powers of two they have the same bits,
/// without LAPACK.
template <Real S>
void check_scales(const TestedSolver& solver) {
  const Matrix<S> a = with_spectrum<double>(slowly_decaying(60), 2).template cast<S>();
  const SolverSettings settings{.tolerance = solver.reachable<S>()};
  const auto one = solver.solve(settings, PrecomputedGram<S>(a), {.components = 5});
  CHECK(one.report.status == Status::Converged);
  // In units of 2^-1000, products and corrections of vectors would be denormal numbers.
  for (const int exponent : sizeof(S) == 4 ? std::vector<int>{-80, 80}
                                           : std::vector<int>{-900, -700, -40, 40, 700, 900}) {
    CAPTURE(exponent);
    const S scale = std::ldexp(S(1), exponent);
    const auto s = solver.solve(settings, PrecomputedGram<S>(scale * a), {.components = 5});
    CHECK(s.report.status == Status::Converged);
    CHECK(s.report.kernel_products == one.report.kernel_products);
#if defined(EIGEN_USE_LAPACKE)  // LAPACK scales by other numbers than powers of two
    CHECK((s.eigenvalues / scale - one.eigenvalues).cwiseAbs().maxCoeff() <= rounding<S>);
#else
    CHECK((s.eigenvalues == scale * one.eigenvalues));
    CHECK((s.eigenvectors == one.eigenvectors));
    // Entries of a residual may be denormal numbers, and its norm is scaled.
    const double expected = static_cast<double>(scale) * largest(one.report.residuals);
    CHECK(std::abs(largest(s.report.residuals) - expected) <=
          1e-6 * expected + 1e3 * double{std::numeric_limits<S>::denorm_min()});
#endif
  }
}

/// The same bits on one thread and two, and for the same seed only; more rows than a block of sums.
template <Real S>
void check_bits(const TestedSolver& solver) {
  const Matrix<S> x = uniform_samples<S>(solver.slow ? 600 : 1100, 3, 4);
  const Centered op{PrecomputedGram<S>(gram(Gaussian(0.7), x))};
  const auto solve = [&](int threads, std::uint64_t seed) {
    const int before = thread_count();
    set_thread_count(threads);
    const int asked = thread_count();
    auto s = solver.solve({.tolerance = 1e-3, .seed = seed}, op, {.components = 3});
    CHECK(thread_count() == asked);
    set_thread_count(before);
    return s;
  };
  const auto one = solve(1, 1), two = solve(2, 1), other = solve(1, 2);
  CHECK((one.eigenvalues == two.eigenvalues));
  CHECK((one.eigenvectors == two.eigenvectors));
  CHECK(one.report.residuals == two.report.residuals);
  CHECK((one.eigenvectors != other.eigenvectors));
  CHECK(static_cast<double>((one.eigenvalues - other.eigenvalues).cwiseAbs().maxCoeff()) <=
        2e-3 * static_cast<double>(one.eigenvalues(0)));
}

/// As many components as explain a fraction of the variance.
inline void check_fractions(const TestedSolver& solver) {
  const Vector<double> spectrum = spectrum_of(120, [](double i) { return std::pow(0.95, i); });
  const auto op = operator_with<double>(spectrum);
  const SolverSettings settings{};
  for (const double fraction : {0.3, 0.7, 0.95}) {
    if (solver.slow && fraction > 0.7) continue;
    CAPTURE(fraction);
    Index expected = 0;
    for (double sum = 0; sum < fraction * spectrum.sum(); ++expected) sum += spectrum(expected);
    const auto s = solver.solve(settings, op, {.components = fraction});
    check_found(s, spectrum.head(expected), 1e-6);
    check_pairs(op.dense(), s);
    CHECK_FALSE(s.report.components_requested);
  }
  if (!solver.slow)
    CHECK(solver.solve(settings, op, {.components = 1.0}).eigenvalues.size() == 120);
  Vector<double> finite = Vector<double>::Zero(150);
  finite.head(5) << 5, 4, 3, 2, 1;
  check_found(solver.solve(settings, operator_with<double>(finite), {.components = 1.0}),
              finite.head(5), 1e-5);
  if (solver.iterates) {
    const ProductsOnly bare{op.dense()};
    CHECK_THAT(error_of([&] { return solver.solve(settings, bare, {.components = 0.9}); }),
               Catch::Matchers::ContainsSubstring("diagonal") &&
                   Catch::Matchers::ContainsSubstring("0.9"));
  }
}

/// An operator with nothing but products; all of them are counted, and the observer hears of them.
inline void check_counts(const TestedSolver& solver) {
  const ProductsOnly op{with_spectrum<double>(slowly_decaying(), 3)};
  Index calls = 0;
  std::string words(to_string(solver.id));
  std::replace(words.begin(), words.end(), '-', ' ');
  const auto s = solver.solve({}, op, {.components = 5}, [&](const Progress& progress) {
    CHECK(progress.phase == words);
    ++calls;
    return true;
  });
  CHECK(s.report.status == Status::Converged);
  CHECK(s.report.kernel_products == op.columns);
  CHECK(calls > 0);
  CHECK(s.report.iterations >= calls);
  CHECK(std::isnan(s.report.trace));
  CHECK(s.report.bytes > 0);
  check_pairs(op.matrix, s);
}

/// Cancelled at any step, a run returns what it has, with residuals as they are.
inline void check_cancelled(const TestedSolver& solver) {
  const auto op = operator_with<double>(slowly_decaying());
  const auto cancel_after = [&](Index steps) {
    Index calls = 0;
    auto s = solver.solve({}, op, {.components = 5}, [&](const Progress&) {
      CHECK(calls <= steps);  // none after the one that cancelled
      return calls++ < steps;
    });
    CHECK(s.report.status == Status::Cancelled);
    CHECK(s.eigenvectors.rows() == 150);
    CHECK(s.eigenvalues.size() <= 5);
    CHECK(s.report.zero_eigenvalues == 0);  // the others were not searched for
    check_pairs(op.dense(), s);
    return s;
  };
  for (Index steps = 0; steps < solver.observed; ++steps) {
    CAPTURE(steps);
    const auto s = cancel_after(steps);
    if (s.report.kernel_products == 0) CHECK(s.eigenvalues.size() == 0);
  }
}

/// At the limit of iterations, the best so far, and no claim to have converged.
inline void check_limit(const TestedSolver& solver) {
  const auto op = operator_with<double>(Vector<double>::LinSpaced(150, 2, 1));
  for (const Index limit : {1, 2, 3, 6, 7, 15}) {
    CAPTURE(limit);
    const auto s =
        solver.solve({.tolerance = 1e-14, .max_iterations = limit}, op, {.components = 5});
    CHECK(s.report.status == Status::NotConverged);
    CHECK(s.eigenvalues.size() >= 1);
    CHECK(s.eigenvalues.size() <= 5);
    CHECK(largest(s.report.residuals) > 1e-6);
    check_pairs(op.dense(), s);
  }
}

/// An error of the operator comes out as it is; products that are not finite end the run without
/// an exception.
inline void check_broken_operators(const TestedSolver& solver) {
  Breaking op{{with_spectrum<double>(slowly_decaying(), 3)}};
  for (const Index good : {0, 1, 9, 21}) {
    CAPTURE(good);
    op.good = good;
    op.columns = 0;
    op.throws = false;
    const auto s = solver.solve({}, op, {.components = 5});
    CHECK(s.report.status == Status::NotConverged);
    CHECK(s.eigenvectors.allFinite());
    check_pairs(op.matrix, s);
    op.columns = 0;
    op.throws = true;
    CHECK_THROWS_AS(solver.solve({}, op, {.components = 5}), std::domain_error);
  }
}

/// A tolerance is met; one below rounding ends in rounding.
inline void check_tolerances(const TestedSolver& solver) {
  const auto op = operator_with<double>(slowly_decaying());
  Index before = 0;
  for (const double tolerance : {1e-2, 1e-5, 1e-8, 1e-12}) {
    CAPTURE(tolerance);
    const auto s = solver.solve({.tolerance = tolerance}, op, {.components = 4});
    CHECK(s.report.status == Status::Converged);
    CHECK(largest(true_residuals(op.dense(), s)) <= tolerance + rounding<double>);
    CHECK(s.report.kernel_products > before);
    before = s.report.kernel_products;
  }
}

/// Each parameter that is wrong is named, with its value.
template <class C>
void check_parameters() {
  using Catch::Matchers::ContainsSubstring;
  using Params = decltype(C::params({}));
  const std::string name = C::name;
  const auto error = [](const Params& params) {
    return error_of([&] { return typename C::Solver(params); });
  };
  CHECK_THAT(error({.tolerance = -1e-3}),
             ContainsSubstring(name + ": tolerance") && ContainsSubstring("-0.001"));
  Params params;
  params.tolerance = 0;
  CHECK_THAT(error(params), ContainsSubstring("tolerance") && ContainsSubstring("got 0"));
  params.tolerance = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(error(params), ContainsSubstring("tolerance") && ContainsSubstring("nan"));
  params = Params{};
  params.max_iterations = 0;
  CHECK_THAT(error(params),
             ContainsSubstring(name + ": max_iterations") && ContainsSubstring("got 0"));
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_SOLVERS_GRAM_SOLVER_CHECKS_HPP
