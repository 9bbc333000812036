// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#if defined(MERCER_HAS_SPECTRA)

#include <mercer/solvers/krylov/lanczos.hpp>

#include <limits>
#include <stdexcept>

#include <mercer/core/threads.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/samples.hpp>

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using test::operator_with;
using test::ProductsOnly;
using test::spectrum_of;

namespace {

double largest(const std::vector<double>& residuals) {
  double most = 0;
  for (const double r : residuals) most = (std::max)(most, r);
  return most;
}

const Vector<double> slowly_decaying = spectrum_of(150, [](double i) { return 1 / (1 + i); });

}  // namespace

TEST_CASE("lanczos: models GramSolver", "[solvers]") {
  STATIC_REQUIRE(GramSolver<Lanczos>);
  CHECK(Lanczos{}.tolerance() == 1e-6);
  CHECK(Lanczos{{.tolerance = 1e-3}}.tolerance() == 1e-3);
}

TEMPLATE_TEST_CASE("lanczos: residuals, order, orthonormality, agreement with the true pairs",
                   "[solvers][law]", float, double) {
  using S = TestType;
  const Index k = GENERATE(1, 3, 12);
  const Vector<double> spectrum = GENERATE(
      spectrum_of(150, [](double i) { return std::pow(0.8, i); }), slowly_decaying,
      // a cluster that ends after 12
      spectrum_of(150, [](double i) { return i < 12 ? 1 - 1e-3 * i : 0.5 * std::pow(0.9, i); }));
  const double tolerance = sizeof(S) == 4 ? 1e-5 : 1e-8;
  const auto op = operator_with<S>(spectrum);
  const auto s = Lanczos{{.tolerance = tolerance}}.solve(op, {.components = k});
  CHECK(s.report.status == Status::Converged);
  CHECK(describe_solver(s.report) == "lanczos");
  REQUIRE(s.eigenvalues.size() == k);
  // An eigenvalue is within the residual, which is within tolerance mu_1, mu_1 = 1; rounding of the
  // matrix itself adds some epsilon.
  constexpr S eps = std::numeric_limits<S>::epsilon();
  CHECK((s.eigenvalues.template cast<double>() - spectrum.head(k)).cwiseAbs().maxCoeff() <=
        tolerance + 20 * static_cast<double>(eps));
  CHECK((s.eigenvectors.transpose() * s.eigenvectors - Matrix<S>::Identity(k, k))
            .cwiseAbs()
            .maxCoeff() <= 100 * eps);
  REQUIRE(s.report.residuals.size() == static_cast<std::size_t>(k));
  const Matrix<double> u = s.eigenvectors.template cast<double>();
  const Matrix<double> a = op.dense().template cast<double>();
  const Matrix<double> rest = a * u - u * s.eigenvalues.template cast<double>().asDiagonal();
  for (Index i = 0; i < k; ++i) {
    const double reported = s.report.residuals[static_cast<std::size_t>(i)];
    CHECK(reported <= tolerance);
    CHECK(std::abs(rest.col(i).norm() - reported) <= 20 * static_cast<double>(eps));
    if (i > 0) CHECK(s.eigenvalues(i) <= s.eigenvalues(i - 1));
  }
  CHECK(s.report.eigenvalue_error_bounds == s.report.residuals);
  // The angle is at most the residual over the gap (Davis, Kahan), by columns: sqrt(k).
  const double gap = spectrum(k - 1) - spectrum(k);
  const Matrix<double> truth =
      Exact{}.solve(PrecomputedGram<double>(a), {.components = k}).eigenvectors;
  CHECK(test::largest_sine<double>(truth, u) <= 2 * std::sqrt(static_cast<double>(k)) *
                                                    (rest.norm() + 20 * static_cast<double>(eps)) /
                                                    gap);
}

TEST_CASE("lanczos: finds multiple eigenvalues as often as they are there", "[solvers]") {
  // One start vector sees one vector of each eigenspace.
  const Index k = GENERATE(1, 4, 15);
  const Vector<double> spectrum =
      GENERATE(spectrum_of(150, [](double i) { return std::pow(0.9, std::floor(i / 2)); }),
               spectrum_of(150, [](double i) { return 1 / (1 + std::floor(i / 3)); }),
               spectrum_of(150, [](double i) { return std::pow(0.97, std::floor(i / 7)); }),
               spectrum_of(150, [](double i) { return i < 6 ? 2 : 1; }),
               spectrum_of(150, [](double) { return 3; }));
  const auto s =
      Lanczos{{.tolerance = 1e-8}}.solve(operator_with<double>(spectrum), {.components = k});
  CHECK(s.report.status == Status::Converged);
  REQUIRE(s.eigenvalues.size() == k);
  CHECK((s.eigenvalues - spectrum.head(k)).cwiseAbs().maxCoeff() <= 1e-8 * spectrum(0));
}

TEST_CASE("lanczos: points on a circle, whose eigenvalues are double", "[solvers]") {
  Matrix<double> circle(120, 2);
  for (Index i = 0; i < 120; ++i) {
    const double angle = 2 * 3.14159265358979324 * static_cast<double>(i) / 120;
    circle.row(i) << std::cos(angle), std::sin(angle);
  }
  const Centered op{PrecomputedGram<double>(gram(Gaussian(0.3), circle))};
  const auto exact = Exact{}.solve(op, {.components = 11});
  const auto s = Lanczos{}.solve(op, {.components = 11});
  CHECK(s.report.status == Status::Converged);
  REQUIRE(s.eigenvalues.size() == 11);
  CHECK((s.eigenvalues - exact.eigenvalues).cwiseAbs().maxCoeff() <= 1e-6 * exact.eigenvalues(0));
}

TEMPLATE_TEST_CASE("lanczos: stops where the spectrum ends", "[solvers]", float, double) {
  using S = TestType;
  Vector<double> spectrum = Vector<double>::Zero(150);
  SECTION("rank 3") {
    spectrum.head(3) << 3, 2, 1;
    const auto s = Lanczos{}.solve(operator_with<S>(spectrum), {.components = 10});
    CHECK(s.report.status == Status::Converged);
    CHECK(s.eigenvalues.size() == 3);
    CHECK(s.report.components_requested == 10);
    CHECK(s.report.zero_eigenvalues == 7);
    CHECK(s.report.negative_eigenvalues == 0);
  }
  SECTION("zero") {
    const auto s = Lanczos{}.solve(operator_with<S>(spectrum), {.components = 5});
    CHECK(s.report.status == Status::Converged);
    CHECK(s.eigenvalues.size() == 0);
    CHECK(s.eigenvectors.rows() == 150);
    CHECK(s.report.zero_eigenvalues == 5);
  }
}

TEST_CASE("lanczos: equal eigenvalues among zeros", "[solvers]") {
  Vector<double> spectrum = Vector<double>::Zero(150);
  spectrum.head(5).setConstant(2);
  const auto s = Lanczos{}.solve(operator_with<double>(spectrum), {.components = 12});
  CHECK(s.report.status == Status::Converged);
  CHECK(s.eigenvalues.size() == 5);
  CHECK(s.report.negative_eigenvalues == 0);
}

TEST_CASE("lanczos: what centring leaves in rounding errors is no component", "[solvers]") {
  // Samples far from the origin: the entries are 1e6 times as large as the centred ones.
  const Matrix<double> x = test::uniform_samples<double>(150, 3, 6).array() + 1e3;
  const Matrix<double> k = gram(Linear{}, x);
  const auto s = Lanczos{{.tolerance = 1e-12}}.solve(
      Centered{PrecomputedGram<double>(k)},
      {.components = 6, .noise_scale = k.diagonal().cwiseAbs().sum()});
  CHECK(s.report.status == Status::Converged);
  CHECK(s.eigenvalues.size() == 3);
  CHECK(s.report.zero_eigenvalues == 3);
}

TEST_CASE("lanczos: eigenvalues far below the tolerance are returned", "[solvers]") {
  const Vector<double> spectrum = spectrum_of(150, [](double i) { return std::pow(0.1, i); });
  const auto s = Lanczos{}.solve(operator_with<double>(spectrum), {.components = 10});
  CHECK(s.report.status == Status::Converged);
  CHECK(s.eigenvalues.size() == 10);
  CHECK((s.eigenvalues - spectrum.head(10)).cwiseAbs().maxCoeff() <= 1e-6);
}

TEST_CASE("lanczos: indefinite operators: largest positive eigenvalues", "[solvers]") {
  Vector<double> spectrum = -Vector<double>::Ones(150);
  spectrum.head(4) << .1, .2, .3, .4;
  SECTION("fewer positive ones than asked for") {
    const auto s = Lanczos{}.solve(operator_with<double>(spectrum), {.components = 8});
    CHECK(s.report.status == Status::Converged);
    REQUIRE(s.eigenvalues.size() == 4);
    CHECK((s.eigenvalues.reverse() - spectrum.head(4)).cwiseAbs().maxCoeff() <= 4e-7);
    CHECK(s.report.negative_eigenvalues >= 1);
    CHECK(s.report.most_negative_eigenvalue.value() == Approx(-1).epsilon(1e-6));
  }
  SECTION("none") {
    spectrum.head(4) *= -1;
    const auto s = Lanczos{}.solve(operator_with<double>(spectrum), {.components = 8});
    CHECK(s.report.status == Status::Converged);
    CHECK(s.eigenvalues.size() == 0);
  }
}

TEST_CASE("lanczos: results do not depend on the unit of the matrix", "[solvers]") {
  const Matrix<double> a = test::with_spectrum<double>(slowly_decaying, 2);
  const auto one = Lanczos{}.solve(PrecomputedGram<double>(a), {.components = 5});
  // Powers of two: then the very same bits.
  for (const int exponent : {-1000, -40, 40, 900}) {
    const double scale = std::ldexp(1.0, exponent);
    const auto s = Lanczos{}.solve(PrecomputedGram<double>(scale * a), {.components = 5});
    CHECK(s.report.status == Status::Converged);
    CHECK(s.eigenvalues == scale * one.eigenvalues);
    CHECK(s.eigenvectors == one.eigenvectors);
    CHECK(largest(s.report.residuals) == scale * largest(one.report.residuals));
    CHECK(s.report.kernel_products == one.report.kernel_products);
  }
}

TEMPLATE_TEST_CASE("lanczos: the same bits on one thread and two", "[solvers]", float, double) {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(1500, 3, 4);
  const Centered op{PrecomputedGram<S>(gram(Gaussian(0.7), x))};
  const int threads = thread_count();
  set_thread_count(1);
  const auto one = Lanczos{}.solve(op, {.components = 4});
  set_thread_count(2);
  const int asked = thread_count();
  const auto two = Lanczos{}.solve(op, {.components = 4});
  CHECK(thread_count() == asked);
  set_thread_count(threads);
  CHECK(one.eigenvalues == two.eigenvalues);
  CHECK(one.eigenvectors == two.eigenvectors);
}

TEST_CASE("lanczos: a fraction of the variance", "[solvers]") {
  const Vector<double> spectrum = spectrum_of(200, [](double i) { return std::pow(0.95, i); });
  const auto op = operator_with<double>(spectrum);
  // More than the 16 pairs of the first search.
  for (const double fraction : {0.3, 0.7, 0.9}) {
    Index expected = 0;
    for (double sum = 0; sum < fraction * spectrum.sum(); ++expected) sum += spectrum(expected);
    const auto s = Lanczos{}.solve(op, {.components = fraction});
    CHECK(s.report.status == Status::Converged);
    REQUIRE(s.eigenvalues.size() == expected);
    CHECK((s.eigenvalues - spectrum.head(expected)).cwiseAbs().maxCoeff() <= 1e-6);
    CHECK_FALSE(s.report.components_requested);
  }
  CHECK(Lanczos{}.solve(op, {.components = 1.0}).eigenvalues.size() == 200);
  CHECK(Lanczos{{.basis = 12}}.solve(op, {.components = 0.3}).eigenvalues.size() ==
        Lanczos{}.solve(op, {.components = 0.3}).eigenvalues.size());
  const ProductsOnly bare{op.dense()};
  CHECK_THAT(test::error_of([&] { return Lanczos{}.solve(bare, {.components = 0.9}); }),
             ContainsSubstring("diagonal"));
}

TEST_CASE("lanczos: tiny matrices and all components, by the dense solver", "[solvers]") {
  for (const Index n : {1, 2, 3, 30}) {
    const Vector<double> spectrum = Vector<double>::LinSpaced(n, 2, 1);
    for (const Index k : {Index{1}, n}) {
      const auto s = Lanczos{}.solve(operator_with<double>(spectrum), {.components = k});
      CHECK(s.report.status == Status::Converged);
      CHECK(describe_solver(s.report) == "lanczos (dense)");
      REQUIRE(s.eigenvalues.size() == k);
      CHECK((s.eigenvalues - spectrum.head(k)).cwiseAbs().maxCoeff() <= 1e-13);
      CHECK(s.report.eigenvalue_error_bounds.size() == static_cast<std::size_t>(k));
    }
  }
  const Vector<double> spectrum = Vector<double>::LinSpaced(90, 2, 1);
  for (const Index k : {89, 90})
    CHECK(Lanczos{}.solve(operator_with<double>(spectrum), {.components = k}).eigenvalues.size() ==
          k);
}

TEST_CASE("lanczos: counts its products", "[solvers]") {
  const ProductsOnly op{test::with_spectrum<double>(slowly_decaying, 3)};
  Index calls = 0;
  const auto s = Lanczos{}.solve(op, {.components = 5}, [&](const Progress& progress) {
    CHECK(progress.step == op.columns);
    ++calls;
    return true;
  });
  CHECK(s.report.kernel_products == op.columns);
  CHECK(calls > 0);
  CHECK(std::isnan(s.report.trace));
  CHECK(s.report.bytes > 0);
}

TEST_CASE("lanczos: cancel returns the pairs of the basis held", "[solvers]") {
  const auto op = operator_with<double>(slowly_decaying);
  const auto cancel_before = [&](Index product) {
    return Lanczos{}.solve(op, {.components = 5},
                           [&](const Progress& progress) { return progress.step < product; });
  };
  for (const Index product : {0, 1}) {
    const auto s = cancel_before(product);
    CHECK(s.report.status == Status::Cancelled);
    CHECK(s.eigenvalues.size() == 0);
    CHECK(s.report.kernel_products == product);
    CHECK(s.report.zero_eigenvalues == 0);
  }
  const auto all = Lanczos{}.solve(op, {.components = 5});
  for (Index product = 2; product < all.report.kernel_products; product += 5) {
    const auto s = cancel_before(product);
    CHECK(s.report.status == Status::Cancelled);
    // The first product makes the start vector, each other one adds to the basis.
    const Index k = (std::min)(product - 1, Index{5});
    REQUIRE(s.eigenvalues.size() == k);
    // The recurrence knows the residuals to rounding.
    const Matrix<double> rest =
        op.dense() * s.eigenvectors - s.eigenvectors * s.eigenvalues.asDiagonal();
    for (Index i = 0; i < k; ++i)
      CHECK(std::abs(rest.col(i).norm() - s.report.residuals[static_cast<std::size_t>(i)]) <=
            1e-13);
    CHECK((s.eigenvectors.transpose() * s.eigenvectors - Matrix<double>::Identity(k, k))
              .cwiseAbs()
              .maxCoeff() <= 1e-13);
  }
}

TEST_CASE("lanczos: reports what it does not reach", "[solvers]") {
  const auto op = operator_with<double>(Vector<double>::LinSpaced(150, 2, 1));
  const auto s = Lanczos{{.basis = 8, .max_iterations = 2}}.solve(op, {.components = 5});
  CHECK(s.report.status == Status::NotConverged);
  CHECK(s.report.iterations == 2);
  CHECK(s.eigenvalues.size() == 5);
  CHECK(largest(s.report.residuals) > 1e-6 * s.eigenvalues(0));
  // Still the best that the basis has.
  CHECK(s.eigenvalues(0) > 1.9);
  CHECK(Lanczos{{.max_iterations = 1000}}.solve(op, {.components = 5}).report.status ==
        Status::Converged);
}

TEST_CASE("lanczos: an error of the operator comes out as it is", "[solvers]") {
  struct Breaking : ProductsOnly {
    void apply(const Points<double>& v, GramOut<double> out) const {
      if (columns == 7) throw std::domain_error("from the operator");
      ProductsOnly::apply(v, out);
    }
  };
  const Breaking op{{test::with_spectrum<double>(slowly_decaying, 3)}};
  CHECK_THROWS_AS(Lanczos{}.solve(op, {.components = 5}), std::domain_error);
}

TEST_CASE("lanczos: products that are not finite end the run without an exception", "[solvers]") {
  struct Overflowing : ProductsOnly {
    void apply(const Points<double>& v, GramOut<double> out) const {
      ProductsOnly::apply(v, out);
      if (columns > first_bad) out(3, 0) = std::numeric_limits<double>::quiet_NaN();
    }
    Index first_bad = 0;
  };
  Overflowing op{{test::with_spectrum<double>(slowly_decaying, 3)}};
  for (const Index first_bad : {0, 1, 9}) {
    op.columns = 0;
    op.first_bad = first_bad;
    const auto s = Lanczos{}.solve(op, {.components = 5});
    CHECK(s.report.status == Status::NotConverged);
    CHECK(s.eigenvalues.size() == (first_bad == 9 ? 5 : 0));
    CHECK(s.eigenvectors.allFinite());
  }
}

TEST_CASE("lanczos: parameters are checked", "[solvers]") {
  CHECK_THAT(test::error_of([] { return Lanczos({.tolerance = 0}); }),
             ContainsSubstring("Lanczos: tolerance") && ContainsSubstring("0"));
  CHECK_THAT(test::error_of(
                 [] { return Lanczos({.tolerance = std::numeric_limits<double>::quiet_NaN()}); }),
             ContainsSubstring("tolerance") && ContainsSubstring("nan"));
  CHECK_THAT(test::error_of([] { return Lanczos({.basis = -1}); }),
             ContainsSubstring("basis") && ContainsSubstring("-1"));
  CHECK_THAT(test::error_of([] { return Lanczos({.max_iterations = 0}); }),
             ContainsSubstring("max_iterations") && ContainsSubstring("0"));
  const auto op = operator_with<double>(slowly_decaying);
  CHECK_THAT(test::error_of([&] { return Lanczos{{.basis = 5}}.solve(op, {.components = 5}); }),
             ContainsSubstring("basis") && ContainsSubstring("5"));
}

#endif  // defined(MERCER_HAS_SPECTRA)

namespace lanczos_test {}  // namespace lanczos_test
