// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/spgd/spgd_run.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <mercer/core/low_rank/low_rank_norms.hpp>
#include <mercer/core/random.hpp>
#include <mercer/estimators/column_sampling.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/x4.hpp>

namespace spgd_run_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// n K e_i e_i^T for given indices i_1, i_2, ...
struct GivenColumns {
  using Term = ProductTerm<double>;
  Matrix<double> gram;
  std::vector<Index> indices;

  void draw(std::uint64_t t, Term& out) const {
    const Index n = gram.rows(), i = indices[t - 1];
    out.left = static_cast<double>(n) * gram.col(i);
    out.right = Matrix<double>::Identity(n, n).col(i);
  }
};

/// The same, symmetric.
struct GivenSymmetricColumns {
  using Term = SymmetricTerm<double>;
  GivenColumns columns;

  void draw(std::uint64_t t, Term& out) const {
    ProductTerm<double> term;
    columns.draw(t, term);
    out.basis.resize(term.left.rows(), 2);
    out.basis << term.left, term.right;
    out.middle = Matrix<double>{{0, 0.5}, {0.5, 0}};
  }
};

/// Paired Fourier features with the frequencies t [[.5, -1], [2, .25]].
struct GivenFrequencies {
  using Term = PsdTerm<double>;
  BoundRandomFourier<double> map;
  Matrix<double> samples;

  void draw(std::uint64_t t, Term& out) const {
    FourierBlock<double> block;
    block.frequencies = static_cast<double>(t) * Matrix<double>{{0.5, -1}, {2, 0.25}};
    out.factor.resize(samples.rows(), map.columns());
    map.evaluate(block, samples, out.factor);
  }
};

static_assert(BoundEstimator<GivenColumns> && BoundEstimator<GivenSymmetricColumns> &&
              BoundEstimator<GivenFrequencies>);

/// The iterate after some steps from zero, not centred.
template <class B>
LowRank<double> iterate(const B& draws, Index steps, double lambda) {
  SpgdRun run(draws, LowRank<double>(4, 4),
              {.lambda = lambda, .centered = false, .positive_only = false});
  for (Index t = 0; t < steps; ++t) run.step();
  return run.iterate();
}

/// The numbers of the specification have 12 digits.
constexpr double digits = 2e-12;

/// Points around four centres.
template <Real S>
Matrix<S> mixture(Index n) {
  Matrix<double> x = 0.5 * normal_matrix<double>(n, 3, 5, "points");
  const Matrix<double> centres = 2 * normal_matrix<double>(4, 3, 6, "centres");
  for (Index i = 0; i < n; ++i) x.row(i) += centres.row(i % 4);
  return x.template cast<S>();
}

/// D_threshold of a dense matrix, and its projection onto the positive semidefinite ones.
Matrix<double> dense_prox(const Matrix<double>& a, double threshold, bool positive_only) {
  if (!positive_only) {
    const Eigen::JacobiSVD<Matrix<double>> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const Vector<double> values = (svd.singularValues().array() - threshold).max(0);
    return svd.matrixU() * values.asDiagonal() * svd.matrixV().transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(a);
  const Vector<double> values = (eigen.eigenvalues().array() - threshold).max(0);
  return eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
}

template <Real S>
Matrix<double> dense(const PsdTerm<S>& term) {
  return (term.factor * term.factor.transpose()).template cast<double>();
}
template <Real S>
Matrix<double> dense(const SymmetricTerm<S>& term) {
  return (term.basis * term.middle * term.basis.transpose()).template cast<double>();
}
template <Real S>
Matrix<double> dense(const ProductTerm<S>& term) {
  return (term.left * term.right.transpose()).template cast<double>();
}

/// |Z_t - target|_F^2 / n^2 at some times t, one row for each run; seeds 0, 1, ....
Matrix<double> errors_of_runs(const Matrix<double>& x, const RandomFourier& map, double lambda,
                              const Matrix<double>& target, const std::vector<Index>& times,
                              Index runs) {
  const Index n = x.rows();
  Matrix<double> errors(runs, static_cast<Index>(times.size()));
  for (Index r = 0; r < runs; ++r) {
    SpgdRun run(bind_estimator(map, Gaussian(1.5), x, static_cast<std::uint64_t>(r)),
                LowRank<double>(n, n), {.lambda = lambda, .centered = false});
    for (Index i = 0; i < errors.cols(); ++i) {
      while (run.iterations() < times[static_cast<std::size_t>(i)]) run.step();
      errors(r, i) = (run.iterate().dense() - target).squaredNorm() / static_cast<double>(n) /
                     static_cast<double>(n);
    }
  }
  return errors;
}

/// Slope of the least-squares line through log E_t over log t.
double slope_of(const Vector<double>& errors, const std::vector<Index>& times) {
  Vector<double> t(errors.size());
  for (Index i = 0; i < t.size(); ++i)
    t(i) = std::log(static_cast<double>(times[static_cast<std::size_t>(i)]));
  t.array() -= t.mean();
  return t.dot(errors.array().log().matrix()) / t.squaredNorm();
}

struct Slope {
  double value, error;  ///< error: one standard error, by the jackknife over the runs
};

/// The slope for the means over the runs.
Slope slope_of_means(const Matrix<double>& errors, const std::vector<Index>& times) {
  const Index runs = errors.rows();
  const Vector<double> sums = errors.colwise().sum().transpose();
  Vector<double> without(runs);
  for (Index r = 0; r < runs; ++r) without(r) = slope_of(sums - errors.row(r).transpose(), times);
  const double n = static_cast<double>(runs);
  return {slope_of(sums, times),
          std::sqrt((n - 1) / n * (without.array() - without.mean()).square().sum())};
}

/// Statistical bounds are so many standard errors, which is exceeded with probability 6e-7.
constexpr double five_sigma = 5;

/// Runs enough to tell a slope of -1 from one of -0.8; without optimisation there is time for
/// fewer.
#if defined(NDEBUG)
constexpr Index slope_runs = 100;
constexpr double slope_resolution = 0.15;
#else
constexpr Index slope_runs = 30;
constexpr double slope_resolution = 0.4;
#endif

/// The factored steps are those of the dense algorithm.
template <Real S, class E>
void check_against_dense(const E& estimator, bool centered, bool positive_only) {
  constexpr Index n = 40, steps = 40;
  // Forty updates, each of a few roundings of numbers of the size of the draws.
  constexpr double tolerance = 2e4 * std::numeric_limits<S>::epsilon();
  const Matrix<S> x = mixture<S>(n);
  const Gaussian kernel(1.5);
  const double lambda = 1;
  SpgdRun run(bind_estimator(estimator, kernel, x, 7), LowRank<S>(n, n),
              {.lambda = lambda, .centered = centered, .positive_only = positive_only});
  auto draws = bind_estimator(estimator, kernel, x, 7);
  typename decltype(draws)::Term term;
  const Matrix<double> j = test::centering_matrix<double>(n);
  Matrix<double> z = Matrix<double>::Zero(n, n);
  constexpr bool general = std::same_as<decltype(term), ProductTerm<S>>;
  for (Index t = 1; t <= steps; ++t) {
    const double eta = 2.0 / static_cast<double>(t);
    draws.draw(static_cast<std::uint64_t>(t), term);
    const Matrix<double> xi = centered ? Matrix<double>(j * dense(term) * j) : dense(term);
    const Matrix<double> before = z;
    z = dense_prox((1 - eta) * z + eta * xi, eta * lambda, positive_only && !general);
    run.step();
    CHECK((run.iterate().dense().template cast<double>() - z).norm() <= tolerance * xi.norm());
    if (t > 1) CHECK(run.step_residual() == Approx((z - before).norm() / eta).epsilon(1e-3));
  }
  CHECK(run.iterate().check_invariants(static_cast<S>(tolerance)));
  if (centered)
    CHECK(run.iterate().left().colwise().sum().cwiseAbs().maxCoeff() <= static_cast<S>(tolerance));
}

}  // namespace

TEST_CASE("SpgdRun: given columns", "[solvers]") {
  const GivenColumns columns{gram(Gaussian(1), test::x4()), {0, 1, 2, 3, 1}};
  Matrix<double> second = Matrix<double>::Zero(4, 4), fourth(4, 4), sixth(4, 4);
  second.col(0) << 7.832456631196, 4.750625087690, 1.060007736621, 1.542302156213;
  fourth << 0, .762156695405, .355245679850, 0, 0, 1.255020111527, .218903753147, 0, 0,
      .114031156338, 2.601012970932, 0, 0, .673459971200, .514991760250, 0;
  sixth << 0, 1.159241413997, .099944435193, .243598193416, 0, 1.920629447911, .068629774778,
      .633662718794, 0, .167002723883, .710736324121, .232809977742, 0, 1.061226340876,
      .157134449183, 1.132320643586;
  CHECK((iterate(columns, 1, 0.1).dense() - second).cwiseAbs().maxCoeff() <= digits);
  CHECK((iterate(columns, 3, 0.1).dense() - fourth).cwiseAbs().maxCoeff() <= digits);
  CHECK((iterate(columns, 5, 0.1).dense() - sixth).cwiseAbs().maxCoeff() <= digits);

  SpgdRun run(columns, LowRank<double>(4, 4), {.lambda = 0.1, .centered = false});
  for (Index t = 0; t < 5; ++t) run.step();
  const EigenSystem<double> pairs = run.eigenpairs();
  const Vector<double> mu{{2.703988400596, 0.869615974281, 0.664950631921}};
  REQUIRE(pairs.values.size() == 3);
  CHECK((pairs.values - mu).cwiseAbs().maxCoeff() <= digits);
  const Vector<double> u{{0.210144022948, 0.827785548892, 0.109432532598, 0.508561791205}};
  CHECK((pairs.vectors.col(0).cwiseAbs() - u).cwiseAbs().maxCoeff() <= digits);

  const LowRank<double> s = iterate(GivenSymmetricColumns{columns}, 5, 0.1);
  const Vector<double> c{{2.597170286557, .770958270703, .566726491463, -.105568197820}};
  REQUIRE(s.rank() == 4);
  CHECK((s.values() - c).cwiseAbs().maxCoeff() <= digits);
  CHECK(std::abs(s.entry(0, 0) - .059931223902) <= digits);
  CHECK(std::abs(s.entry(0, 1) - .558296896600) <= digits);
}

TEST_CASE("SpgdRun: given frequencies", "[solvers]") {
  const Matrix<double> x = test::x4();
  const GivenFrequencies features{
      RandomFourier{.features = 2}.bind<double>(Gaussian(1), sample_bounds(x), 1), x};
  const LowRank<double> z = iterate(features, 3, 0.1);
  const Vector<double> values{{1.517163992409, 1.295430566058, .740619311575, .078787250304}};
  REQUIRE(z.rank() == 4);
  CHECK((z.values() - values).cwiseAbs().maxCoeff() <= digits);
  CHECK(std::abs(z.entry(0, 0) - .912918058460) <= digits);
  CHECK(std::abs(z.entry(0, 1) - .319179597973) <= digits);
}

SCALAR_TEST_CASE("SpgdRun: factored steps are dense proximal steps", "[solvers][law]") {
  const bool centered = GENERATE(false, true);
  SECTION("features") {
    check_against_dense<TestType>(RandomFourier{.features = 3}, centered, true);
  }
  SECTION("columns") {
    check_against_dense<TestType>(ColumnSampling{.columns = 3}, centered, false);
  }
  SECTION("symmetric columns") {
    const bool positive_only = GENERATE(false, true);
    check_against_dense<TestType>(SymmetricColumnSampling{.columns = 3, .replacement = true},
                                  centered, positive_only);
  }
}

TEST_CASE("SpgdRun: without shrinkage the iterate is a weighted mean of the draws", "[solvers]") {
  constexpr Index n = 30, steps = 12;
  const Matrix<double> x = mixture<double>(n);
  const Gaussian kernel(1.5);
  const auto estimator = ColumnSampling{.columns = 2};
  SpgdRun run(bind_estimator(estimator, kernel, x, 3), LowRank<double>(n, n), {.centered = false});
  auto draws = bind_estimator(estimator, kernel, x, 3);
  ProductTerm<double> term;
  Matrix<double> mean = Matrix<double>::Zero(n, n);
  for (Index t = 1; t <= steps; ++t) {
    run.step();
    draws.draw(static_cast<std::uint64_t>(t), term);
    mean +=
        (2.0 * static_cast<double>(t - 1) / static_cast<double>(steps * (steps - 1))) * dense(term);
  }
  CHECK((run.iterate().dense() - mean).norm() <= 1e-12 * mean.norm());
}

TEST_CASE("SpgdRun: the shrunk Gram matrix of X4, and its eigenpairs with lambda added back",
          "[solvers]") {
  const Matrix<double> x = test::x4();
  const Gaussian kernel(1);
  const double lambda = 0.5;
  auto shrunk = LowRank<double>::from_symmetric(Matrix<double>::Identity(4, 4), gram(kernel, x));
  const EigenSystem<double> exact = shrunk.eigensystem();
  const Vector<double> mu{{1.967372617910, 0.975170973726, 0.786945172708, 0.270511235656}};
  CHECK((exact.values - mu).cwiseAbs().maxCoeff() <= digits);
  shrunk.shrink({.threshold = lambda});
  const Vector<double> diagonal{{0.560688962363, 0.622181227956, 0.503866782342, 0.542751791683}};
  CHECK((shrunk.dense().diagonal() - diagonal).cwiseAbs().maxCoeff() <= digits);
  CHECK(std::abs(shrunk.entry(0, 1) - 0.520419963833) <= digits);

  const SpgdRun run(bind_estimator(RandomFourier{.features = 2}, kernel, x, 1), shrunk,
                    {.lambda = lambda, .step_offset = 1, .centered = false});
  const EigenSystem<double> pairs = run.eigenpairs();
  REQUIRE(pairs.values.size() == 3);
  CHECK((pairs.values - exact.values.head(3)).cwiseAbs().maxCoeff() <= 1e-12);
  CHECK(test::largest_sine<double>(pairs.vectors, exact.vectors.leftCols(3)) <= 1e-12);
}

TEST_CASE("SpgdRun: a resumed run goes on to the last bit", "[solvers]") {
  constexpr Index n = 30;
  const Matrix<double> x = mixture<double>(n);
  const Gaussian kernel(1.5);
  const auto draws = bind_estimator(RandomFourier{.features = 2}, kernel, x, 3);
  const SpgdSchedule schedule{.lambda = 1};
  SpgdRun whole(draws, LowRank<double>(n, n), schedule);
  SpgdRun first(draws, LowRank<double>(n, n), schedule);
  for (Index t = 0; t < 5; ++t) first.step();
  SpgdRun second(draws, first.iterate(), schedule, first.iterations());
  for (Index t = 0; t < 9; ++t) whole.step();
  for (Index t = 5; t < 9; ++t) second.step();
  CHECK(second.iterations() == 9);
  CHECK(second.iterate().dense() == whole.iterate().dense());
}

TEST_CASE("SpgdRun: the iterate of largest allowed rank, and its memory", "[solvers]") {
  constexpr Index n = 30;
  const Matrix<double> x = mixture<double>(n);
  const Gaussian kernel(1.0);
  SpgdRun run(bind_estimator(RandomFourier{.features = 4}, kernel, x, 3), LowRank<double>(n, n),
              {.lambda = 0.01, .max_rank = 5});
  for (Index t = 0; t < 6; ++t) run.step();
  CHECK(run.iterate().rank() == 5);
  CHECK(run.bytes(5) == n * (5 + 2 * 8) * sizeof(double));
  CHECK(run.eigenpairs().values.size() == 5);
}

TEST_CASE("predicted_error: what is left of the start, and the noise of the draws", "[solvers]") {
  // After a start from landmarks, t0 ten times the t at which a run from zero is as near: 18.9.
  // From zero with short steps. By hand: (1 - eta)^2 multiplies to (t0 (t0 - 1) / ((t0 + T) (t0 + T
  // - 1)))^2.
  const double digit = 1e-5, variance = 0.07;  // a unit of the last digit
  const auto of = [&](double start_error, double offset, Index iterations) {
    return predicted_error(
        {.variance = variance, .start_error = start_error, .step_offset = offset}, iterations);
  };
  CHECK(std::abs(of(4 * variance / 3 / 18.9, 189, 50) - 0.00213) <= digit);
  CHECK(std::abs(of(0.05, 50, 10) - 0.0246) <= 10 * digit);
  // Steps 2/51 and 2/52 of the recursion.
  const double first = std::pow(49.0 / 51, 2) * 0.05 + std::pow(2.0 / 51, 2) * variance;
  CHECK(of(0.05, 50, 1) == Approx(first));
  CHECK(of(0.05, 50, 2) ==
        Approx(std::pow(50.0 / 52, 2) * first + std::pow(2.0 / 52, 2) * variance));
  CHECK(of(0.05, 50, 0) == 0.05);
  // Without an offset the second step discards what there was.
  CHECK(of(0.05, 0, 1) == Approx(0.05 + 4 * variance));
  CHECK(of(0.05, 0, 2) == Approx(variance));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(of(infinity, 0, 7) == of(0, 0, 7));
  CHECK(of(infinity, 1.5, 7) == infinity);
}

TEST_CASE("guaranteed_error: the bound of theorem 1", "[solvers]") {
  // T = 100: ceil(2 log2 100) = 14. By hand: 8/100 (3 . 2 . 4 + 9 (8 + 6 ln(14 / 0.1))).
  const double expected = 0.08 * (24 + 9 * (8 + 6 * std::log(140)));
  CHECK(guaranteed_error({.largest_norm = 3, .lambda = 2, .largest_rank = 16, .failure = 0.1},
                         100) == Approx(expected));
  CHECK(guaranteed_error({.largest_norm = 3}, 2) == Approx(36 * (8 + 6 * std::log(2 / 0.05))));
  CHECK(guaranteed_error({.largest_norm = 3}, 1) == std::numeric_limits<double>::infinity());
}

TEST_CASE("SpgdRun: the largest norm of draws", "[solvers]") {
  const Matrix<double> x = mixture<double>(30);
  const Gaussian kernel(1.5);
  const auto check = [&](const RandomFourier& map, double bound) {
    auto draws = bind_estimator(map, kernel, x, 3);
    const SpgdRun run(draws, LowRank<double>(30, 30), {});
    REQUIRE(run.largest_norm());
    CHECK(*run.largest_norm() == bound);
    typename decltype(draws)::Term term;
    for (std::uint64_t t = 1; t <= 20; ++t) {
      draws.draw(t, term);
      CHECK(dense(term).norm() <= bound);
    }
  };
  check({.features = 1}, 30);
  check({.features = 2, .form = FourierForm::Phase}, 60);
  const SpgdRun columns(bind_estimator(ColumnSampling{.columns = 2}, kernel, x, 3),
                        LowRank<double>(30, 30), {});
  CHECK_FALSE(columns.largest_norm());
}

TEST_CASE("SpgdRun: the error falls as predicted", "[solvers][law]") {
  // Acceptance check 5 of the specification, on 70 points and up to t = 100.
  constexpr Index n = 70;
  const Matrix<double> x = mixture<double>(n);
  const Gaussian kernel(1.5);
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(gram(kernel, x));
  const double lambda = 3;
  const Index above = (eigen.eigenvalues().array() > lambda).count();
  const auto exact = LowRank<double>::from_eigenpairs(
      Vector<double>(eigen.eigenvalues().tail(above).array() - lambda),
      Matrix<double>(eigen.eigenvectors().rightCols(above)));
  for (const Index features : {Index{3}, Index{10}}) {
    double early = 0, late = 0;
    for (const std::uint64_t seed : {1U, 2U}) {
      auto draws = bind_estimator(RandomFourier{.features = features}, kernel, x, seed);
      const double variance = estimated_variance(draws, {.first = 1000, .pairs = 20});
      SpgdRun run(std::move(draws), LowRank<double>(n, n), {.lambda = lambda, .centered = false});
      const auto ratio = [&](Index t) {
        while (run.iterations() < t) run.step();
        const double error = std::pow(distance(run.iterate(), exact) / static_cast<double>(n), 2);
        return error / predicted_error({.variance = variance}, t) / 2;
      };
      early += ratio(30);
      late += ratio(100);
      CHECK(run.iterate().rank() <= 3 * above + 2);
    }
    // Means over two seeds, fixed; the specification's bounds.
    CHECK((early > 0.5 && early < 1.4));
    CHECK((late > 0.5 && late < 1.4));
  }
}

TEST_CASE("SpgdRun: without shrinkage the mean error is known", "[solvers][law]") {
  // E_T = (2/3) (2T - 1) / (T (T - 1)) v, from the weights of the mean of the draws; the variance v
  // of paired Fourier draws is known too. T counts the steps.
  constexpr Index n = 12;
  const Matrix<double> x = mixture<double>(n), k = gram(Gaussian(1.5), x);
  const Matrix<double> twice = gram(Gaussian(1.5), Matrix<double>(2 * x));
  const double variance =
      ((1 + twice.array()) / 2 - k.array().square()).sum() / static_cast<double>(n * n);
  const std::vector<Index> times{4, 16, 64};
  const Matrix<double> errors =
      errors_of_runs(x, RandomFourier{.features = 1}, 0, k, times, slope_runs);
  Vector<double> expected(errors.cols());
  for (Index i = 0; i < errors.cols(); ++i) {
    const double t = static_cast<double>(times[static_cast<std::size_t>(i)]);
    expected(i) = 2.0 / 3 * (2 * t - 1) / (t * (t - 1)) * variance;
    const double rounding = 1e-14;  // of at most 64 steps
    CHECK(predicted_error({.variance = variance}, times[static_cast<std::size_t>(i)]) ==
          Approx(expected(i)).epsilon(rounding));
    const double mean = errors.col(i).mean();
    const double runs = static_cast<double>(slope_runs);
    const double error =
        std::sqrt((errors.col(i).array() - mean).square().sum() / (runs - 1) / runs);
    CAPTURE(t);
    CHECK(std::abs(mean - expected(i)) <= five_sigma * error);
  }
  const Slope found = slope_of_means(errors, times);
  CAPTURE(found.value);
  CHECK(five_sigma * found.error <= slope_resolution);
  CHECK(std::abs(found.value - slope_of(expected, times)) <= five_sigma * found.error);
}

#if defined(NDEBUG)  // before the hundredth step the slope is another one
TEST_CASE("SpgdRun: the error with shrinkage falls like 1/t", "[solvers][law]") {
  constexpr Index n = 70;
  const Matrix<double> x = mixture<double>(n), k = gram(Gaussian(1.5), x);
  constexpr double lambda = 3;
  const std::vector<Index> times{100, 500, 2500};
  const Matrix<double> errors = errors_of_runs(x, RandomFourier{.features = 3}, lambda,
                                               dense_prox(k, lambda, true), times, slope_runs);
  const Slope found = slope_of_means(errors, times);
  CAPTURE(found.value);
  CHECK(five_sigma * found.error <= slope_resolution);
  CHECK(std::abs(found.value + 1) <= five_sigma * found.error);
}
#endif

TEST_CASE("SpgdRun: what is refused", "[solvers][error]") {
  const Matrix<double> x = test::x4();
  const Gaussian kernel(1);
  const auto start = [&](SpgdSchedule schedule, Index rank, Index done) {
    return test::error_of([&] {
      return SpgdRun(bind_estimator(RandomFourier{.features = 2}, kernel, x, 1),
                     LowRank<double>::from_psd_factor(Matrix<double>::Identity(4, rank)), schedule,
                     done)
          .iterations();
    });
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(start({.lambda = -1}, 0, 0), ContainsSubstring("lambda must be finite and not neg"));
  CHECK_THAT(start({.lambda = nan}, 0, 0), ContainsSubstring("lambda must be finite"));
  CHECK_THAT(start({.step_offset = -1}, 0, 0), ContainsSubstring("step_offset"));
  CHECK_THAT(start({.max_rank = -1}, 0, 0), ContainsSubstring("max_rank must be at least 0"));
  CHECK_THAT(start({}, 0, -1), ContainsSubstring("steps done must be at least 0"));
  CHECK_THAT(start({.step_offset = 0.5}, 1, 0), ContainsSubstring("at least 1, got 0.5"));
  CHECK(start({}, 1, 3) == "no error");
}

}  // namespace spgd_run_test
