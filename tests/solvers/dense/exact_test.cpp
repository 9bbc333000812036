// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors
//
// What is special to Exact; the laws of all solvers are in gram_solver_test.cpp.

#include <mercer/solvers/dense/exact.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/x4.hpp>

namespace exact_test {

using namespace mercer;

TEST_CASE("exact: the worked example X4", "[solvers]") {
  const Centered op{Gram(Gaussian(1.0), test::x4(), {.storage = GramStorage::Stored})};
  const EigenSolution<double> s = Exact{}.solve(op, {.components = 3});
  REQUIRE(s.eigenvalues.size() == 3);
  constexpr double printed = 1e-12;  // the example is printed to 12 decimals
  CHECK((s.eigenvalues - test::x4_eigenvalues()).cwiseAbs().maxCoeff() <= printed);
  Matrix<double> u(4, 3);
  u << -.354281437431, -.615484788872, -.495644164456,  //
      -.437569826578, .058038250349, .745093422575,     //
      .825752979787, -.202128430594, .165154818028,     //
      -.033901715779, .759574969117, -.414604076147;
  Matrix<double> found = s.eigenvectors;
  detail::fix_signs(found);
  CHECK((found - u).cwiseAbs().maxCoeff() <= printed);
  CHECK(s.report.trace == Approx(2.123482139750).epsilon(1e-12));
  CHECK(s.report.status == Status::Converged);
}

SCALAR_TEST_CASE("exact: residuals, orthonormality and order", "[solvers][law]") {
  using S = TestType;
  const Index n = 120, k = GENERATE(1, 7, 120);
  Vector<S> spectrum(n);
  for (Index i = 0; i < n; ++i) spectrum(i) = std::pow(S(0.8), static_cast<S>(i));
  spectrum.segment(3, 3).setConstant(spectrum(3));  // a cluster
  const Matrix<S> a = test::with_spectrum<S>(spectrum, 2);
  const auto s = Exact{}.solve(PrecomputedGram<S>(a), {.components = k});
  constexpr S eps = std::numeric_limits<S>::epsilon();
  const S tolerance = 20 * static_cast<S>(n) * eps;  // backward stable, |A| = 1
  const Index found = s.eigenvalues.size();
  // In single precision the small eigenvalues are below the rounding error.
  CHECK(found <= k);
  CHECK((sizeof(S) == 4 || found == k));
  CHECK((s.eigenvalues - spectrum.head(found)).cwiseAbs().maxCoeff() <= tolerance);
  CHECK((s.eigenvectors.transpose() * s.eigenvectors - Matrix<S>::Identity(found, found))
            .cwiseAbs()
            .maxCoeff() <= tolerance);
  const Matrix<S> residual = a * s.eigenvectors - s.eigenvectors * s.eigenvalues.asDiagonal();
  REQUIRE(s.report.residuals.size() == static_cast<std::size_t>(found));
  for (Index i = 0; i < found; ++i) {
    CHECK(residual.col(i).norm() <= tolerance);
    CHECK(s.report.residuals[static_cast<std::size_t>(i)] <= static_cast<double>(tolerance));
    if (i > 0) CHECK(s.eigenvalues(i) <= s.eigenvalues(i - 1));
  }
}

TEST_CASE("exact: reported residuals are those of the matrix given", "[solvers]") {
  // Huge, tiny and ordinary scales: the matrix is scaled inside, the report is not.
  for (const double scale : {1e-140, 1.0, 1e140}) {
    const Matrix<double> a =
        scale * test::with_spectrum<double>(Vector<double>::LinSpaced(30, 1, 2), 3);
    const auto s = Exact{}.solve(PrecomputedGram<double>(a), {.components = 30});
    REQUIRE(s.eigenvalues.size() == 30);
    CHECK(s.eigenvalues(0) == Approx(2 * scale).epsilon(1e-13));
    CHECK(s.report.trace == Approx(45 * scale).epsilon(1e-13));
    for (const double r : s.report.residuals) {
      CHECK(r <= 1e-13 * scale);
      CHECK(r > 0);
    }
  }
}

namespace {

/// H diag(values) H for the Householder reflection H of a random vector: its eigenvalues are known,
/// and it takes O(n^2) to make.
Matrix<double> reflected(const Vector<double>& values) {
  const Vector<double> v =
      normal_matrix<double>(values.size(), 1, 7, "reflection").col(0).normalized();
  const Vector<double> dv = values.cwiseProduct(v);
  Matrix<double> a = -2 * v * dv.transpose();
  a += a.transpose().eval();
  a += 4 * v.dot(dv) * v * v.transpose();
  a.diagonal() += values;
  return (a + a.transpose()) / 2;
}

}  // namespace

TEST_CASE("exact: a few pairs of many are found alone, and are the same", "[solvers]") {
  const Index n = 420, k = 9;
  Vector<double> values(n);
  for (Index i = 0; i < n; ++i) values(i) = 1 / (1.0 + static_cast<double>(i * i) / 16);
  values.segment(4, 2).setConstant(values(4));
  const double least = GENERATE(0.0, -1e-4, -3.0);  // semidefinite, slightly and largely indefinite
  values(n - 1) = least;
  const double scale = GENERATE(1.0, 1e-200, 1e200);
  const Matrix<double> a = scale * reflected(values);
  const auto s = Exact{}.solve(PrecomputedGram<double>(a), {.components = k});
  CHECK(s.report.status == Status::Converged);
  CHECK((s.report.solver_form == "subspace iteration") == (least == 0));
  REQUIRE(s.eigenvalues.size() == k);
  constexpr double tolerance = 1e-12;  // residuals of one rounding level
  CHECK((s.eigenvalues / scale - values.head(k)).cwiseAbs().maxCoeff() <= tolerance);
  CHECK((s.eigenvectors.transpose() * s.eigenvectors - Matrix<double>::Identity(k, k))
            .cwiseAbs()
            .maxCoeff() <= tolerance);
  for (const double residual : s.report.residuals) CHECK(residual <= 3 * tolerance * scale);
  CHECK((s.products / scale - s.eigenvectors * (s.eigenvalues / scale).asDiagonal())
            .cwiseAbs()
            .maxCoeff() <= 3 * tolerance);
  CHECK(s.report.negative_eigenvalues == (least < 0 ? 1 : 0));
  if (least < 0) CHECK(*s.report.most_negative_eigenvalue / scale == Approx(least).epsilon(1e-9));
  CHECK(s.report.trace / scale == Approx(values.sum()).epsilon(1e-12));
}

TEST_CASE("exact: components far below the first, in single precision", "[solvers]") {
  // All but the first are of the size of 64 sqrt(n) epsilon mu_1 or less.
  const Index n = 1000, k = 20;
  Vector<double> values = Vector<double>::LinSpaced(n, 6e-5, 0);
  values(0) = 1;
  const Matrix<float> a = reflected(values).cast<float>();
  const auto s = Exact{}.solve(PrecomputedGram<float>(a), {.components = k});
  CHECK(s.report.status == Status::Converged);
  REQUIRE(s.eigenvalues.size() == k);
  // The entries and the products are rounded, each by some epsilon of the largest.
  constexpr double rounded = 16 * double{std::numeric_limits<float>::epsilon()};
  CHECK((s.eigenvalues.cast<double>() - values.head(k)).cwiseAbs().maxCoeff() <= rounded);
  for (const double residual : s.report.residuals) CHECK(residual <= rounded);
}

TEST_CASE("exact: an lvalue operator is left as it was, an rvalue gives its matrix", "[solvers]") {
  const Matrix<double> a = test::with_spectrum<double>(Vector<double>::LinSpaced(20, 1, 2), 4);
  PrecomputedGram<double> op(a);
  const auto first = Exact{}.solve(op, {.components = 3});
  CHECK((op.dense() == a));
  const auto second = Exact{}.solve(std::move(op), {.components = 3});
  CHECK((first.eigenvalues == second.eigenvalues));
}

TEST_CASE("exact: an indefinite matrix keeps its positive part", "[solvers]") {
  Matrix<double> a = Matrix<double>::Constant(2, 2, .761594155956);
  a.diagonal() << 0, .995054753687;
  const auto s = Exact{}.solve(PrecomputedGram<double>(std::move(a)), {.components = 2});
  REQUIRE(s.eigenvalues.size() == 1);
  CHECK(s.eigenvalues(0) == Approx(1.407230157478).epsilon(1e-11));
  CHECK(s.report.negative_eigenvalues == 1);
  CHECK(s.report.most_negative_eigenvalue.value() == Approx(-0.412175403791).epsilon(1e-11));
}

TEST_CASE("exact: the observer can cancel", "[solvers]") {
  const Matrix<double> a = Matrix<double>::Identity(5, 5);
  for (const int last : {0, 1}) {
    int calls = 0;
    const auto s =
        Exact{}.solve(PrecomputedGram<double>(a), {.components = 2}, [&](const Progress& p) {
          CHECK(p.total == 2);
          return calls++ < last;
        });
    CHECK(s.report.status == Status::Cancelled);
    CHECK(s.eigenvalues.size() == 0);
    CHECK(s.eigenvectors.cols() == 0);
    CHECK(calls == last + 1);
  }
}

TEST_CASE("exact: the observer sees each step, and can cancel before any", "[solvers]") {
  const Index n = 600, k = 3;
  const Matrix<double> samples = normal_matrix<double>(n, 2, 5, "exact test");
  const Gram gram(Gaussian(1.0), samples, {.storage = GramStorage::Stored});
  std::vector<std::string> phases;
  const auto whole = Exact{}.solve(gram, {.components = k}, [&](const Progress& p) {
    phases.emplace_back(p.phase);
    return true;
  });
  CHECK(whole.report.status == Status::Converged);
  REQUIRE(whole.report.solver_form == "subspace iteration");
  const auto count = [&](const char* phase) {
    return std::count(phases.begin(), phases.end(), phase);
  };
  CHECK(count("leading eigenpairs") >= 3);
  CHECK(count("check of the smallest eigenvalues") == 2);  // n has three columns of tiles
  for (std::size_t last = 0; last < phases.size(); ++last) {
    std::size_t calls = 0;
    const auto s =
        Exact{}.solve(gram, {.components = k}, [&](const Progress&) { return calls++ < last; });
    CHECK(s.report.status == Status::Cancelled);
    CHECK(s.eigenvalues.size() == 0);
    CHECK(calls == last + 1);
  }
}

}  // namespace exact_test
