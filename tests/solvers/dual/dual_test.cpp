// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors
//
// What is special to Dual; the laws of all solvers are in gram_solver_test.cpp.

#if defined(MERCER_HAS_LBFGSPP)

#include <mercer/solvers/dual/dual.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <variant>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <tests/solvers/pair_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/samples.hpp>

namespace dual_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using test::check_pairs;
using test::largest;
using test::operator_with;
using test::ProductsOnly;
using test::spectrum_of;

namespace {

template <class Solution>
DualDetails details_of(const Solution& solution) {
  return std::get<DualDetails>(solution.report.details);
}

const Vector<double> slowly_decaying = test::slowly_decaying();

/// Points in two groups, Gaussian of the median distance, centred.
Matrix<double> two_groups() {
  Matrix<double> x = normal_matrix<double>(150, 6, 0, "mix");
  x.topRows(75).array() += 1.5;
  return Centered{PrecomputedGram<double>(gram(Gaussian(median_distance(x)), x))}.dense();
}

/// (optimum - what was found) / optimum, for the sum of k eigenvalues.
double delta(const EigenSolution<double>& found, const Vector<double>& truth) {
  return 1 - found.eigenvalues.sum() / truth.sum();
}

}  // namespace

TEST_CASE("dual: models GramSolver", "[solvers]") {
  STATIC_REQUIRE(GramSolver<Dual>);
  CHECK(Dual{}.tolerance() == 1e-6);
  CHECK(Dual{{.tolerance = 1e-3}}.tolerance() == 1e-3);
  CHECK(Dual{{.stop = DualStop::Objective, .tolerance = 1e-4}}.tolerance() == Approx(1e-2));
}

SCALAR_TEST_CASE("dual: residuals, order, orthonormality, agreement with the true pairs",
                 "[solvers][law]") {
  using S = TestType;
  const Index k = GENERATE(1, 3, 8);
  const Vector<double> spectrum =
      GENERATE(spectrum_of(150, [](double i) { return std::pow(0.8, i); }), slowly_decaying,
               // equal ones, and a cluster that ends after 8
               spectrum_of(150, [](double i) { return std::pow(0.7, std::floor(i / 3)); }),
               spectrum_of(150, [](double i) { return i < 8 ? 1 - 1e-3 * i : 0.5 / i; }));
  const double tolerance = sizeof(S) == 4 ? 1e-4 : 1e-8;
  const auto op = operator_with<S>(spectrum);
  for (const DualStart start : {DualStart::Random, DualStart::Sketch}) {
    const auto s = Dual{{.tolerance = tolerance, .start = start}}.solve(op, {.components = k});
    CHECK(s.report.status == Status::Converged);
    CHECK(s.report.solver == SolverId::Dual);
    REQUIRE(s.eigenvalues.size() == k);
    constexpr double eps = std::numeric_limits<S>::epsilon();
    CHECK((s.eigenvalues.template cast<double>() - spectrum.head(k)).cwiseAbs().maxCoeff() <=
          tolerance + 20 * eps);
    CHECK(static_cast<double>(orthogonality_error(s.eigenvectors)) <= 100 * eps);
    CHECK(largest(s.report.residuals) <= tolerance);
    CHECK(s.report.eigenvalue_error_bounds == s.report.residuals);
    CHECK(s.report.trace == Approx(spectrum.sum()).epsilon(1e-5));
    // -p(H) and the primal objective are lower bounds, a gap apart.
    const double optimum = spectrum.head(k).sum() / 2;
    CHECK(-details_of(s).dual_objective <= optimum * (1 + 20 * eps));
    CHECK(-details_of(s).dual_objective * (1 + details_of(s).duality_gap) <=
          optimum * (1 + 20 * eps));
    CHECK(-details_of(s).dual_objective >= optimum * (1 - tolerance));
  }
}

TEST_CASE("dual: many digits, beyond those of differences of the objective", "[solvers]") {
  // The gradient to 1e-9, where p differs from its minimum by 1e-18.
  const Matrix<double> g = two_groups();
  const PrecomputedGram<double> op(g);
  const Index k = 5;
  const auto exact = Exact{}.solve(op, {.components = k});
  const auto s = Dual{{.stop = DualStop::Gradient, .tolerance = 1e-9}}.solve(op, {.components = k});
  CHECK(s.report.status == Status::Converged);
  CHECK((s.eigenvalues.cwiseQuotient(exact.eigenvalues).array() - 1).abs().maxCoeff() <= 1e-10);
  CHECK(std::pow(test::largest_sine<double>(exact.eigenvectors, s.eigenvectors), 2) <= 1e-12);
  // Single vectors, as these eigenvalues are apart.
  const Vector<double> cosines =
      (exact.eigenvectors.transpose() * s.eigenvectors).diagonal().cwiseAbs();
  CHECK((1 - cosines.array()).abs().maxCoeff() <= 1e-10);
  CHECK(details_of(s).duality_gap <= 1e-17);
  check_pairs(g, s);
}

TEST_CASE("dual: evaluations that an accuracy takes", "[solvers]") {
  // Of the objective before the last Rayleigh-Ritz step.
  const PrecomputedGram<double> op(two_groups());
  const Vector<double> truth = Exact{}.solve(op, {.components = 5}).eigenvalues;
  const auto after = [&](Index evaluations) {
    return Dual{{.tolerance = 1e-15, .max_iterations = evaluations}}.solve(op, {.components = 5});
  };
  CHECK(1 + 2 * details_of(after(40)).dual_objective / truth.sum() <= 1e-10);
  CHECK(1 + 2 * details_of(after(12)).dual_objective / truth.sum() <= 1e-2);
}

TEST_CASE("dual: stops at an accuracy of the objective", "[solvers]") {
  const PrecomputedGram<double> op(two_groups());
  const Vector<double> truth = Exact{}.solve(op, {.components = 5}).eigenvalues;
  Index before = 0;
  for (const double tolerance : {1e-2, 1e-4, 1e-8}) {
    const auto s =
        Dual{{.stop = DualStop::Objective, .tolerance = tolerance}}.solve(op, {.components = 5});
    CHECK(s.report.status == Status::Converged);
    CHECK(details_of(s).objective_error <= tolerance);
    CHECK(delta(s, truth) <= tolerance);
    CHECK(s.report.iterations > before);
    before = s.report.iterations;
  }
  // Where the trace leaves nothing to find, the bound is exact.
  Vector<double> spectrum = Vector<double>::Zero(60);
  spectrum.head(3) << 3, 2, 1;
  const auto s = Dual{{.stop = DualStop::Objective, .tolerance = 1e-6}}.solve(
      operator_with<double>(spectrum), {.components = 3});
  CHECK(details_of(s).objective_error <= 1e-6);
  CHECK(delta(s, spectrum.head(3)) <= 1e-6);
}

TEST_CASE("dual: line searches are narrow and take a product each", "[solvers]") {
  // One eigenvalue of 2 and the others between 1 and 1.05: p has little curvature.
  const Vector<double> flat =
      spectrum_of(300, [](double i) { return 1.05 - i / 6000 + (i < 1 ? 1 : 0); });
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const ProductsOnly op{test::with_spectrum<double>(flat, 4)};
    const auto s =
        Dual{{.tolerance = 1e-15, .max_iterations = 12, .seed = seed}}.solve(op, {.components = 5});
    CHECK(op.columns == 5 * 13);
    worst = (std::max)(worst, delta(s, flat.head(5)));
  }
  // Measured 5.4e-3; with wide line searches and a product for each of their points, 1.2e-2.
  CHECK(worst <= 8e-3);
}

TEST_CASE("dual: a start from a sketch takes fewer products to a rough answer", "[solvers]") {
  const PrecomputedGram<double> op(two_groups());
  const auto evaluations = [&](DualStart start) {
    return Dual{{.stop = DualStop::Objective, .tolerance = 1e-2, .start = start}}
        .solve(op, {.components = 5})
        .report.iterations;
  };
  CHECK(evaluations(DualStart::Sketch) < evaluations(DualStart::Random));
}

TEST_CASE("dual: a start from a sketch of any scale", "[solvers]") {
  const Matrix<double> x = normal_matrix<double>(300, 3, 1, "samples");
  const Matrix<double> k = gram(Gaussian(2.0), x);
  const auto fit = [&](double unit) {
    return Dual{{.start = DualStart::Sketch}}.solve(PrecomputedGram<double>(unit * k),
                                                    {.components = 2});
  };
  const auto plain = fit(1);
  for (const double unit : {1e-160, 1e155}) {
    const auto scaled = fit(unit);
    REQUIRE(scaled.eigenvalues.size() == 2);
    CHECK((scaled.eigenvalues / unit - plain.eigenvalues).norm() <= 1e-6 * plain.eigenvalues(0));
  }
}

TEST_CASE("dual: a round that did not settle", "[solvers]") {
  Vector<double> spectrum = Vector<double>::Zero(60);
  spectrum.head(3) << 3, 2, 1;
  const auto s = Dual{{.stop = DualStop::Gradient, .tolerance = 1e-17}}.solve(
      operator_with<double>(spectrum), {.components = 4});
  CHECK(s.report.status == Status::NotConverged);  // no gradient becomes that small
}

TEST_CASE("dual: eigenvectors that the landmarks of the sketch miss", "[solvers]") {
  // K is 1 within blocks of 20, 19, ..., 1 rows and 0 without.
  Matrix<double> g = Matrix<double>::Zero(210, 210);
  for (Index size = 20, at = 0; size > 0; at += size, --size) g.block(at, at, size, size).setOnes();
  for (const DualStart start : {DualStart::Random, DualStart::Sketch}) {
    const auto s = Dual{{.start = start}}.solve(PrecomputedGram<double>(g), {.components = 6});
    CHECK(s.report.status == Status::Converged);
    CHECK((s.eigenvalues - Vector<double>::LinSpaced(6, 20, 15)).cwiseAbs().maxCoeff() <= 1e-6);
  }
}

TEST_CASE("dual: components too small to weigh in the objective are found after the others",
          "[solvers]") {
  const Vector<double> spectrum = spectrum_of(100, [](double i) { return std::pow(0.1, i); });
  const auto s = Dual{}.solve(operator_with<double>(spectrum), {.components = 10});
  CHECK(s.report.status == Status::Converged);
  REQUIRE(s.eigenvalues.size() == 10);
  // To the residual's tolerance, and the small ones better than that by far.
  CHECK((s.eigenvalues - spectrum.head(10)).cwiseAbs().maxCoeff() <= 1e-12);
}

TEST_CASE("dual: an indefinite matrix is refused", "[solvers]") {
  Vector<double> spectrum = -Vector<double>::Ones(60);
  spectrum.head(4) << .4, .3, .2, .1;
  CHECK_THAT(test::error_of([&] { return Dual{}.solve(operator_with<double>(spectrum), {}); }),
             ContainsSubstring("positive semidefinite") &&
                 ContainsSubstring("negative eigenvalue") && ContainsSubstring("BlockKrylov"));
  // Rounding errors of a semidefinite one are no reason.
  spectrum.tail(56).setConstant(-1e-15);
  CHECK(Dual{}.solve(operator_with<double>(spectrum), {.components = 6}).eigenvalues.size() == 4);
}

TEST_CASE("dual: a tolerance below rounding ends with rounding", "[solvers][slow]") {
  const auto x = std::make_shared<const Matrix<double>>(normal_matrix<double>(50, 4, 0, "samples"));
  const Matrix<float> single = gram(Gaussian(2.0), *x).cast<float>();
  const auto check = [](const auto& a, double epsilon) {
    const EigenRequest request{.components = 2, .noise_scale = 50, .epsilon = epsilon};
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      CAPTURE(seed, epsilon);
      const auto s = Dual{{.tolerance = 1e-17, .seed = seed}}.solve(a, request);
      CHECK(s.report.status == Status::Converged);
      CHECK(s.report.iterations <= 100);  // about 20 where nothing is lost to rounding
      CHECK(largest(s.report.residuals) <=
            epsilon * (std::max)(64 * static_cast<double>(s.eigenvalues(0)), 4 * 50.0));
    }
  };
  constexpr double single_epsilon{std::numeric_limits<float>::epsilon()};
  check(Centered{PrecomputedGram<double>(gram(Gaussian(2.0), *x))},
        std::numeric_limits<double>::epsilon());
  check(Centered{PrecomputedGram<float>(single)}, single_epsilon);
  // The solver in double precision, tiles in single: products are not symmetric to the last bit.
  check(Centered{Gram(Gaussian(2.0), x, {.precision = Precision::Single})}, single_epsilon);
}

TEST_CASE("dual: searches end where rounding leaves no line to go on to", "[solvers]") {
  // In single precision some of these runs come to points that are all on one line, to rounding:
  // no product is taken any more, and so no limit of products met.
  const Vector<double> gap =
      spectrum_of(150, [](double i) { return i < 8 ? 1 - 1e-3 * i : .5 / i; });
  const auto op = operator_with<float>(gap);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const auto s = Dual{{.tolerance = 1e-4, .seed = seed}}.solve(op, {.components = 8});
    CHECK(s.report.status == Status::Converged);
    CHECK(s.report.iterations <= 20);  // measured: 9
  }
}

TEST_CASE("dual: counts its line searches and its products", "[solvers]") {
  const ProductsOnly op{test::with_spectrum<double>(slowly_decaying, 3)};
  Index calls = 0;
  const auto s = Dual{}.solve(op, {.components = 5}, [&](const Progress& progress) {
    CHECK(progress.phase == "dual");
    CHECK(progress.step == calls);
    ++calls;
    return true;
  });
  CHECK(s.report.iterations == calls);
  CHECK(s.report.kernel_products == op.columns);
  CHECK(op.columns == 5 * (calls + 1));  // one product more for Rayleigh-Ritz
  CHECK(std::isnan(s.report.trace));
  CHECK(s.report.bytes > 0);
  check_pairs(op.matrix, s);
}

TEST_CASE("dual: at the limit or cancelled at any evaluation, the best so far", "[solvers]") {
  const auto op = operator_with<double>(slowly_decaying);
  double before = 0;
  for (const Index limit : {1, 2, 3, 7, 15}) {
    const auto s = Dual{{.max_iterations = limit}}.solve(op, {.components = 5});
    CHECK(s.report.status == Status::NotConverged);
    CHECK(s.report.iterations == limit);
    REQUIRE(s.eigenvalues.size() == 5);
    check_pairs(op.dense(), s);
    CHECK(-details_of(s).dual_objective > before);  // of a run that only gets longer
    before = -details_of(s).dual_objective;
    Index calls = 0;
    const auto cancelled =
        Dual{}.solve(op, {.components = 5}, [&](const Progress&) { return calls++ < limit; });
    CHECK(cancelled.report.status == Status::Cancelled);
    CHECK(cancelled.eigenvalues == s.eigenvalues);
  }
  const auto none = Dual{}.solve(op, {.components = 5}, [](const Progress&) { return false; });
  CHECK(none.report.status == Status::Cancelled);
  CHECK(none.report.kernel_products == 0);
  CHECK(none.eigenvalues.size() == 0);
  CHECK(none.eigenvectors.rows() == 150);
}

TEST_CASE("dual: a tolerance below rounding ends in an honest status", "[solvers]") {
  const auto op = operator_with<double>(slowly_decaying);
  for (const DualStop stop : {DualStop::Residual, DualStop::Gradient}) {
    const auto s = Dual{{.stop = stop, .tolerance = 1e-17}}.solve(op, {.components = 5});
    // Residuals are down to what rounding in products makes of them; the gradient is not.
    CHECK(s.report.status ==
          (stop == DualStop::Residual ? Status::Converged : Status::NotConverged));
    CHECK(s.report.iterations < 200);  // line searches that fail end the run, and not the limit
    CHECK((s.eigenvalues - slowly_decaying.head(5)).cwiseAbs().maxCoeff() <= 1e-13);
    check_pairs(op.dense(), s);
  }
}

TEST_CASE("dual: errors of the operator and products that are not finite", "[solvers]") {
  struct Breaking : ProductsOnly {
    bool overflows = false;
    void apply(const Points<double>& v, GramOut<double> out) const {
      ProductsOnly::apply(v, out);
      if (columns <= 20) return;
      if (!overflows) throw std::domain_error("from the operator");
      out.setConstant(std::numeric_limits<double>::infinity());
    }
  };
  Breaking op{{test::with_spectrum<double>(slowly_decaying, 3)}};
  CHECK_THROWS_AS(Dual{}.solve(op, {.components = 5}), std::domain_error);
  op.columns = 0;
  op.overflows = true;
  const auto s = Dual{}.solve(op, {.components = 5});
  CHECK(s.report.status == Status::NotConverged);
  CHECK(s.eigenvalues.size() == 0);  // the last product, of Rayleigh-Ritz, is not finite either
}

TEST_CASE("dual: parameters and requests are checked", "[solvers]") {
  const auto error = [](DualParams params) { return test::error_of([&] { return Dual(params); }); };
  CHECK_THAT(error({.memory = 2}), ContainsSubstring("memory") && ContainsSubstring("got 2"));
  const auto op = operator_with<double>(slowly_decaying);
  const auto request = [&](Components components) {
    return test::error_of([&] { return Dual{}.solve(op, {.components = components}); });
  };
  CHECK_THAT(request(0.9), ContainsSubstring("as a number") && ContainsSubstring("0.9"));
  CHECK_THAT(request(151), ContainsSubstring("150") && ContainsSubstring("got 151"));
  CHECK_THAT(request(0), ContainsSubstring("got 0"));
}

}  // namespace dual_test

#endif  // MERCER_HAS_LBFGSPP
