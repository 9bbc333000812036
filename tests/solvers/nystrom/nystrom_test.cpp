// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/nystrom/nystrom.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>

#include <Eigen/Eigenvalues>

#include <mercer/core/threads.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/solvers/nystrom/greedy_cholesky.hpp>
#include <mercer/solvers/nystrom/kmeans_landmarks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/x4.hpp>

namespace nystrom_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(KernelSolver<Nystrom<>>);
static_assert(KernelSolver<Nystrom<Uniform>> && KernelSolver<Nystrom<KMeansLandmarks>>);
static_assert(KernelSolver<Nystrom<GreedyCholesky>> && KernelSolver<Nystrom<Given<Matrix<float>>>>);

namespace {

template <class Solution>
NystromDetails details_of(const Solution& solution) {
  return std::get<NystromDetails>(solution.report.details);
}

/// Descending eigenvalues and eigenvectors of the (centred) Gram matrix.
struct Oracle {
  Vector<double> values;
  Matrix<double> vectors;
  double trace;
};

template <class K>
Oracle oracle(const K& kernel, const Matrix<double>& x, bool centered = true) {
  Matrix<double> k = gram(kernel, x);
  const Matrix<double> j = test::centering_matrix<double>(x.rows());
  if (centered) k = j * k * j;
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(k);
  return {eigen.eigenvalues().reverse(), eigen.eigenvectors().rowwise().reverse(), k.trace()};
}

KernelRequest ask(Components components, bool centered = true) {
  return {.pairs = {.components = components}, .centered = centered};
}

/// max |T^T T - diag(mu)| / mu_1 for the training scores T.
template <class Solution>
double diagonality(const Solution& s) {
  const Matrix<double> t = s.training_scores.template cast<double>();
  const Vector<double> mu = s.eigenvalues.template cast<double>();
  return (t.transpose() * t - Matrix<double>(mu.asDiagonal())).cwiseAbs().maxCoeff() / mu(0);
}

template <class Solution>
bool all_finite(const Solution& s) {
  const Report& r = s.report;
  const bool unknown = r.status == Status::Cancelled && r.components == 0;
  bool finite = std::isfinite(s.mean);
  if (!unknown)
    finite = finite && std::isfinite(r.trace) && std::isfinite(details_of(s).trace_error);
  for (const double residual : r.residuals) finite = finite && std::isfinite(residual);
  for (const double bound : r.eigenvalue_error_bounds) finite = finite && std::isfinite(bound);
  return finite && s.eigenvalues.allFinite() && s.coefficients.allFinite() &&
         s.offset.allFinite() && s.mean_weights.allFinite() && s.training_scores.allFinite();
}

}  // namespace

TEST_CASE("Nystrom: the worked example X4", "[solvers]") {
  const Matrix<double> x = test::x4();
  const Nystrom nystrom{Given{std::vector<Index>{3, 0}}};
  // Two landmarks have at most two components, and a centred request may ask for one of them only.
  const auto s = nystrom.solve(Gaussian(1.0), x, ask(1));
  REQUIRE(s.eigenvalues.size() == 1);
  CHECK(s.eigenvalues(0) == Approx(.809778808288).epsilon(1e-11));
  const auto all = nystrom.solve(Gaussian(1.0), x, ask(1.0));
  REQUIRE(all.eigenvalues.size() == 2);
  CHECK(all.eigenvalues(1) == Approx(.224056949282).epsilon(1e-11));
  CHECK(details_of(all).trace_error == Approx(.452232222743 + .951525634974).epsilon(1e-11));
  CHECK(all.report.status == Status::NotConverged);  // they do not explain all of the variance
  CHECK(describe_solver(all.report) == "nystrom (given rows, 2 landmarks)");
}

TEST_CASE("Nystrom: with all samples as landmarks it is exact", "[solvers][law]") {
  const Index n = 60, k = 8;
  const bool centered = GENERATE(false, true);
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 1);
  const Gaussian kernel(0.8);
  const Oracle exact = oracle(kernel, x, centered);
  const auto s = Nystrom{Uniform{}, {.landmarks = n}}.solve(kernel, x, ask(k, centered));
  REQUIRE(s.eigenvalues.size() == k);
  constexpr double tolerance = 1e-10;
  CHECK((s.eigenvalues - exact.values.head(k)).cwiseAbs().maxCoeff() <=
        tolerance * exact.values(0));
  const Matrix<double> u =
      s.training_scores * s.eigenvalues.cwiseSqrt().cwiseInverse().asDiagonal();
  CHECK(test::largest_sine<double>(exact.vectors.leftCols(k), u) <= 1e-8);
  CHECK(details_of(s).trace_error <= tolerance * static_cast<double>(n));
  CHECK(s.report.trace == Approx(exact.trace).epsilon(tolerance));
  CHECK_FALSE(s.report.residual_rows);
  for (const double residual : s.report.residuals) CHECK(residual <= 1e-8);
  CHECK(s.report.status == Status::Converged);
}

SCALAR_TEST_CASE("Nystrom: scores are the components' values, uncorrelated and of mean zero",
                 "[solvers][law]") {
  using S = TestType;
  const Index n = 600, k = 6;
  const bool centered = GENERATE(false, true);
  const Matrix<S> x = test::uniform_samples<S>(n, 3, 2, 0.0, 1.0);
  const Gaussian kernel(0.7);
  const auto s = Nystrom<>{RpCholesky{}, {.landmarks = 50}}.solve(kernel, x, ask(k, centered));
  REQUIRE(s.eigenvalues.size() == k);
  const double eps = std::numeric_limits<S>::epsilon();
  CHECK(diagonality(s) <= 100 * eps);
  const Matrix<S> values =
      (gram(kernel, x, *s.points) * s.coefficients).rowwise() - s.offset.transpose();
  // Scores are of order 1; coefficients of the small components amplify rounding.
  const double amplification = static_cast<double>(s.coefficients.cwiseAbs().maxCoeff());
  CHECK(static_cast<double>((values - s.training_scores).cwiseAbs().maxCoeff()) <=
        50 * eps * (1 + amplification));
  const Matrix<double> w = gram(kernel, *s.points).template cast<double>();
  const Matrix<double> a = s.coefficients.template cast<double>();
  const double squares = 1 + a.colwise().squaredNorm().maxCoeff();  // rounding of w times this
  CHECK((a.transpose() * w * a - Matrix<double>::Identity(k, k)).cwiseAbs().maxCoeff() <=
        50 * eps * squares);
  const Vector<double> weights = s.mean_weights.template cast<double>();
  if (centered) {
    CHECK(static_cast<double>(s.training_scores.colwise().mean().cwiseAbs().maxCoeff()) <=
          50 * eps);
    CHECK(static_cast<double>(s.mean) == Approx(weights.dot(w * weights)).epsilon(1e3 * eps));
    // The offset is the components' inner product with the mean.
    CHECK((a.transpose() * w * weights - s.offset.template cast<double>()).cwiseAbs().maxCoeff() <=
          50 * eps * squares);
    // The mean's own value k~(x, m) averages to |m|^2.
    CHECK((gram(kernel, x, *s.points).template cast<double>() * weights).mean() ==
          Approx(static_cast<double>(s.mean)).epsilon(1e3 * eps));
  } else {
    CHECK((s.offset.array() == 0).all());
    CHECK((weights.array() == 0).all());
    CHECK(s.mean == 0);
  }
}

TEST_CASE("Nystrom: eigenvalues are below the exact ones by no more than the bounds",
          "[solvers][law]") {
  const Index n = 120, k = 10;
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 3);
  const double sigma = GENERATE(0.15, 0.6, 3.0);
  const bool centered = GENERATE(false, true);
  const Gaussian kernel(sigma);
  const Oracle exact = oracle(kernel, x, centered);
  // What a bound may add for rounding: k(x, x) = 1, and |K| <= n.
  const double added = 1.1 * std::numeric_limits<double>::epsilon() *
                       (8 + 2 * std::sqrt(static_cast<double>(n))) * static_cast<double>(n);
  const Index m = GENERATE(15, 60);
  const auto check = [&](const auto& s) {
    REQUIRE(s.eigenvalues.size() == k);
    REQUIRE(s.report.eigenvalue_error_bounds.size() == static_cast<std::size_t>(k));
    for (Index i = 0; i < k; ++i) {
      CHECK(s.eigenvalues(i) <= exact.values(i) * (1 + 1e-12) + 1e-12 * exact.values(0));
      // Here every row is in the certificate, so the bound is on the distance to some eigenvalue.
      const double distance = (exact.values.array() - s.eigenvalues(i)).abs().minCoeff();
      const auto at = static_cast<std::size_t>(i);
      const double bound = s.report.eigenvalue_error_bounds[at];
      CHECK(distance <= bound);
      CHECK(bound <= (std::max)(s.report.residuals[at], details_of(s).trace_error) + added);
      CHECK(exact.values(i) - s.eigenvalues(i) <= details_of(s).trace_error + 1e-10);
    }
  };
  check(Nystrom<>{RpCholesky{}, {.landmarks = m}}.solve(kernel, x, ask(k, centered)));
  check(Nystrom{KMeansLandmarks{}, {.landmarks = m}}.solve(kernel, x, ask(k, centered)));
}

TEST_CASE("Nystrom: reported residuals", "[solvers]") {
  const Index n = 1600, k = 5;
  const bool centered = GENERATE(false, true);
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 4, 0.0, 1.0);
  const Gaussian kernel(0.3);
  Matrix<double> gram_matrix = gram(kernel, x);
  if (centered) {
    gram_matrix.rowwise() -= gram_matrix.colwise().mean().eval();
    gram_matrix.colwise() -= gram_matrix.rowwise().mean().eval();
  }
  const auto residuals = [&](Index rows) {
    const Nystrom nystrom{Uniform{}, {.landmarks = 30, .certificate_rows = rows}};
    return nystrom.solve(kernel, x, ask(k, centered));
  };
  const auto exact = residuals(n), sampled = residuals(300);
  CHECK_FALSE(exact.report.residual_rows);
  CHECK(exact.report.kernel_products == k);
  CHECK(sampled.report.residual_rows == detail::cheap_certificate_values / n);  // 655, not 300
  REQUIRE(sampled.report.residuals.size() == static_cast<std::size_t>(k));
  for (Index i = 0; i < k; ++i) {
    const Vector<double> u = exact.training_scores.col(i) / std::sqrt(exact.eigenvalues(i));
    const double norm = (gram_matrix * u - exact.eigenvalues(i) * u).norm();
    CHECK(exact.report.residuals[static_cast<std::size_t>(i)] == Approx(norm).epsilon(1e-8));
    // Three standard errors above the norm, whose standard error is about 1/sqrt(2 * 655) = 3 %,
    // and tails make that worse.
    const double estimate = sampled.report.residuals[static_cast<std::size_t>(i)];
    CHECK(estimate >= 0.8 * norm);
    CHECK(estimate <= 1.6 * norm);
  }
}

TEST_CASE("Nystrom: residuals that sit in few rows", "[solvers][law]") {
  // Samples far apart, and a group of 25, none of which is certain to be drawn. Its component has
  // all of its errors in the group.
  const Index n = 2000, group = 25;
  Matrix<double> x = 1000 * test::uniform_samples<double>(n, 2, 31);
  x.topRows(group) = test::uniform_samples<double>(group, 2, 32) * 0.1;
  const Gaussian kernel(1.0);
  const Matrix<double> k = gram(kernel, x);
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto s =
        Nystrom{Uniform{}, {.landmarks = 200, .seed = seed}}.solve(kernel, x, ask(1, false));
    if (s.eigenvalues(0) < 20) continue;  // no landmark in the group
    ++found;
    CHECK(s.report.residual_rows);
    const Vector<double> u = s.training_scores.col(0) / std::sqrt(s.eigenvalues(0));
    const double norm = (k * u - s.eigenvalues(0) * u).norm();
    CHECK(norm >= 1e-5);  // far above rounding
    // About 44 draws of the 25 rows, of which a few hold most of the error. The last bits of u,
    // which are those of a build, choose them.
    CHECK(s.report.residuals[0] >= norm / 4);
    CHECK(s.report.residuals[0] <= 4 * norm);
  }
  CHECK(found >= 5);
}

TEST_CASE("Nystrom: residuals of samples that are far from all landmarks", "[solvers][law]") {
  // Copies of a few samples, which the landmarks hold, and three samples far away, which have all
  // of the error. Their entries of the functions are small.
  const Index n = 3000, far = 3;
  Matrix<double> x(n, 2);
  for (Index i = 0; i < n; ++i)
    x.row(i) << static_cast<double>(i % 5), static_cast<double>(i / 5 % 4);
  for (Index i = 0; i < far; ++i) x.row(1000 * i + 7) << 100 * static_cast<double>(i + 1), -100;
  const RationalQuadratic kernel({.alpha = 1, .length = 1});
  const Matrix<double> k = gram(kernel, x);
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto s =
        Nystrom{Uniform{}, {.landmarks = 150, .seed = seed}}.solve(kernel, x, ask(1, false));
    const Vector<double> u = s.training_scores.col(0) / std::sqrt(s.eigenvalues(0));
    const Vector<double> error = k * u - s.eigenvalues(0) * u;
    double elsewhere = error.squaredNorm();
    for (Index i = 0; i < far; ++i) elsewhere -= std::pow(error(1000 * i + 7), 2);
    if (elsewhere > 1e-6 * error.squaredNorm()) continue;  // a far landmark, or a copy without one
    ++found;
    CHECK(s.report.residual_rows);
    CHECK(error.norm() >= 1e-9 * s.eigenvalues(0));  // far above rounding
    CHECK(s.report.residuals[0] >= 0.8 * error.norm());
    CHECK(s.report.residuals[0] <= 2 * error.norm());
  }
  CHECK(found >= 5);
}

TEST_CASE("Nystrom: residuals of a sample that is not a landmark, beside many that are",
          "[solvers][law]") {
  // All samples are far from each other, but for groups of three. Two of each are landmarks, which
  // hold a function and have no error. The third has most of it, although its entry of the function
  // is 1e-5, less than those of many landmarks.
  const Index n = 3000, groups = 4, m = 200;
  Matrix<double> x = 10.5 * test::uniform_samples<double>(n, 12, 33);
  for (Index i = 0; i < groups; ++i) {
    x.row(m + i) = x.row(i);
    x.row(m + i)(0) += 8;
    x.row(groups + i) = x.row(i);
    x.row(groups + i)(1) += 7 + 0.1 * static_cast<double>(i);
  }
  const RationalQuadratic kernel({.alpha = 6, .length = 1});
  const Matrix<double> k = gram(kernel, x);
  const auto s =
      Nystrom{Given<Matrix<double>>(x.topRows(m)), {}}.solve(kernel, x, ask(groups, false));
  CHECK(s.report.residual_rows);
  for (Index i = 0; i < groups; ++i) {
    const Vector<double> u = s.training_scores.col(i) / std::sqrt(s.eigenvalues(i));
    const Vector<double> error = k * u - s.eigenvalues(i) * u;
    CHECK(error.segment(m, groups).norm() >= 0.4 * error.norm());
    CHECK(error.norm() >= 1e-6);  // far above rounding
    CHECK(s.report.residuals[static_cast<std::size_t>(i)] >= 0.9 * error.norm());
    CHECK(s.report.residuals[static_cast<std::size_t>(i)] <= 1.5 * error.norm());
  }
}

TEST_CASE("Nystrom: the scale of the data does not matter", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(200, 3, 5);
  const double factor = GENERATE(1e-6, 1e6);
  const Nystrom nystrom{Uniform{}, {.landmarks = 50}};
  const auto plain = nystrom.solve(Gaussian(0.5), x, ask(4));
  const auto scaled = nystrom.solve(Gaussian(0.5 * factor), Matrix<double>(factor * x), ask(4));
  REQUIRE(scaled.eigenvalues.size() == 4);
  CHECK((plain.eigenvalues - scaled.eigenvalues).cwiseAbs().maxCoeff() <=
        1e-11 * plain.eigenvalues(0));
  CHECK((plain.training_scores - scaled.training_scores).cwiseAbs().maxCoeff() <= 1e-8);
  // Kernel values of any size, too.
  const auto linear = nystrom.solve(Linear{}, Matrix<double>(factor * x), ask(3));
  REQUIRE(linear.eigenvalues.size() == 3);
  CHECK(linear.eigenvalues(0) ==
        Approx(factor * factor * nystrom.solve(Linear{}, x, ask(3)).eigenvalues(0)));
}

TEST_CASE("Nystrom: kernel values whose squares overflow or underflow", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(200, 3, 5);
  const Nystrom nystrom{Uniform{}, {.landmarks = 50}};
  const auto plain = nystrom.solve(Linear{}, x, ask(3));
  for (const double factor : {1e-85, 1e78}) {
    CAPTURE(factor);
    const auto scaled = nystrom.solve(Linear{}, Matrix<double>(factor * x), ask(3));
    REQUIRE(scaled.eigenvalues.size() == 3);
    const Vector<double> back = scaled.eigenvalues / factor / factor;
    CHECK((back - plain.eigenvalues).norm() <= 1e-11 * plain.eigenvalues(0));
    for (const double residual : scaled.report.residuals) {
      CHECK(residual > 0);
      CHECK(std::isfinite(residual));
    }
  }
}

SCALAR_TEST_CASE("Nystrom: kernel values whose squares float cannot hold", "[solvers]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(4200, 20, 20, 0.0, 1.0);
  const Polynomial kernel{{.gamma = 1, .coef0 = 0, .degree = 3}};
  const Nystrom nystrom{Uniform{}, {.landmarks = 100}};
  const auto plain = nystrom.solve(kernel, x, ask(3));
  REQUIRE(plain.report.precision == Precision::Single);
  for (const int exponent : {-14, 9}) {  // kernel values of 2^-76 and 2^62
    CAPTURE(exponent);
    const Matrix<S> scaled_x = std::ldexp(S(1), exponent) * x;
    const auto scaled = nystrom.solve(kernel, scaled_x, ask(3));
    REQUIRE(scaled.eigenvalues.size() == 3);
    const Vector<S> back = scaled.eigenvalues * std::ldexp(S(1), -6 * exponent);
    // Of the errors of kernel values in single precision, times the condition of K(P, P).
    CHECK((back - plain.eigenvalues).norm() <= S(1e-4) * plain.eigenvalues(0));
  }
}

SCALAR_TEST_CASE("Nystrom: residuals where products with scores overflow or underflow",
                 "[solvers]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(200, 40, 21);
  const Nystrom nystrom{Uniform{}, {.landmarks = 20}};
  const auto plain = nystrom.solve(Linear{}, x, ask(3));
  REQUIRE(plain.report.residuals.size() == 3);
  const bool single = std::is_same_v<S, float>;
  for (const int exponent : {single ? -50 : -365, single ? 46 : 355}) {
    CAPTURE(exponent);
    const Matrix<S> scaled_x = std::ldexp(S(1), exponent) * x;
    const auto scaled = nystrom.solve(Linear{}, scaled_x, ask(3));
    REQUIRE(scaled.report.residuals.size() == 3);
    const auto back = [&](double value) { return std::ldexp(value, -2 * exponent); };
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(back(scaled.report.residuals[i]) == Approx(plain.report.residuals[i]).epsilon(1e-3));
      CHECK(back(scaled.report.eigenvalue_error_bounds[i]) ==
            Approx(plain.report.eigenvalue_error_bounds[i]).epsilon(1e-3));
    }
  }
}

TEST_CASE("Nystrom: tiny and huge bandwidths", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(100, 3, 6);
  // K = I: the centred matrix J has n - 1 eigenvalues 1, of the approximation m or m - 1 are left.
  const auto tiny = Nystrom{Uniform{}, {.landmarks = 30}}.solve(Gaussian(1e-6), x, ask(10));
  REQUIRE(tiny.eigenvalues.size() == 10);
  CHECK((tiny.eigenvalues.array() - 1).abs().maxCoeff() <= 1e-12);
  CHECK(details_of(tiny).trace_error == Approx(70));
  CHECK(all_finite(tiny));
  // Nearly constant K: the variance is near 1e-8 of tr K, and its leading part is that of the data.
  const auto huge = Nystrom<>{RpCholesky{}, {.landmarks = 30}}.solve(Gaussian(1e4), x, ask(3));
  REQUIRE(huge.eigenvalues.size() == 3);
  const Oracle linear = oracle(Linear{}, x);
  CHECK((1e8 * huge.eigenvalues - linear.values.head(3)).cwiseAbs().maxCoeff() <=
        1e-4 * linear.values(0));  // rounding: eps n relative to 1e-8 n
  CHECK(all_finite(huge));
}

TEST_CASE("Nystrom: no components where there is no variance", "[solvers]") {
  const auto check = [](const auto& s, Index n, Index asked) {
    CHECK(s.eigenvalues.size() == 0);
    CHECK(s.training_scores.rows() == n);
    CHECK(s.training_scores.cols() == 0);
    CHECK(s.coefficients.cols() == 0);
    CHECK(s.coefficients.rows() == s.points->rows());
    CHECK(s.report.zero_eigenvalues == asked);
    CHECK(s.report.status == Status::Converged);
    CHECK(all_finite(s));
  };
  const Matrix<double> constant = Matrix<double>::Constant(50, 3, 0.4);
  const Polynomial polynomial{{.gamma = 1, .coef0 = 1, .degree = 3}};
  check(Nystrom<>{}.solve(Gaussian(1.0), constant, ask(2)), 50, 2);
  check(Nystrom<>{}.solve(polynomial, constant, ask(2)), 50, 2);
  check(Nystrom{Uniform{}}.solve(Gaussian(1.0), constant, ask(2)), 50, 2);
  check(Nystrom{KMeansLandmarks{}}.solve(Gaussian(1.0), constant, ask(2)), 50, 2);
  const Matrix<double> single = Matrix<double>::Ones(1, 2);
  check(Nystrom<>{}.solve(Gaussian(1.0), single, ask(1)), 1, 1);
  const Matrix<double> zero = Matrix<double>::Zero(20, 2);
  check(Nystrom<>{}.solve(Linear{}, zero, ask(2)), 20, 2);
  CHECK(Nystrom<>{}.solve(Linear{}, zero, ask(2)).points->cols() == 2);
  check(Nystrom{Uniform{}}.solve(Linear{}, zero, ask(2, false)), 20, 2);
  // Not centred, one sample has one component.
  const auto one = Nystrom<>{}.solve(Linear{}, single, ask(1, false));
  REQUIRE(one.eigenvalues.size() == 1);
  CHECK(one.eigenvalues(0) == Approx(2));
}

TEST_CASE("Nystrom: no more components than the rank", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(120, 3, 7);
  const auto linear = Nystrom<>{}.solve(Linear{}, x, ask(10));
  CHECK(linear.eigenvalues.size() == 3);
  CHECK(linear.report.zero_eigenvalues == 7);
  CHECK(linear.report.expansion_points == 3);
  CHECK((linear.eigenvalues - oracle(Linear{}, x).values.head(3)).cwiseAbs().maxCoeff() <=
        1e-11 * linear.eigenvalues(0));
  Matrix<double> copies(100, 3);
  for (Index i = 0; i < 100; ++i) copies.row(i) = x.row(i % 5);
  const auto repeated = Nystrom{Uniform{}, {.landmarks = 90}}.solve(Gaussian(1.0), copies, ask(9));
  CHECK(repeated.eigenvalues.size() == 4);  // five points, less the mean
  CHECK(repeated.report.expansion_points == 5);
  CHECK(details_of(repeated).trace_error <= 1e-10);
  CHECK(all_finite(repeated));
}

SCALAR_TEST_CASE("Nystrom: components that equal landmarks cannot hold are not zero", "[solvers]") {
  Matrix<TestType> x = Matrix<TestType>::Zero(1000, 2);
  x.topRows(10) = test::uniform_samples<TestType>(10, 2, 5, 1, 9);
  const bool centered = GENERATE(false, true);
  const auto s = Nystrom{Uniform{}, {.landmarks = 6}}.solve<Matrix<TestType>>(
      Gaussian(1.0), x, {.pairs = {.components = 5}, .centered = centered});
  CHECK(s.eigenvalues.size() < 5);
  CHECK(s.report.zero_eigenvalues == 0);
  CHECK(s.report.status == Status::NotConverged);
  CHECK_THAT(s.report.reason, ContainsSubstring("take more landmarks"));
}

TEST_CASE("Nystrom: components as a fraction of the variance", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(150, 2, 8);
  const Gaussian kernel(0.5);
  const Oracle exact = oracle(kernel, x);
  Index wanted = 0;
  for (double sum = 0; sum < 0.9 * exact.trace; ++wanted) sum += exact.values(wanted);
  const auto s = Nystrom<>{}.solve(kernel, x, ask(0.9));
  CHECK(s.eigenvalues.size() == wanted);
  CHECK(s.report.components == wanted);
  CHECK(s.report.status == Status::Converged);
  // Too few landmarks do not explain so much, and that is said.
  const auto few = Nystrom{Uniform{}, {.landmarks = 5}}.solve(kernel, x, ask(0.99));
  CHECK(few.report.status == Status::NotConverged);
  CHECK(few.eigenvalues.size() > 0);
}

TEST_CASE("Nystrom: sparse samples give the same result", "[solvers]") {
  const Matrix<double> x = test::sparse_looking_samples<double>(300, 6, 9);
  const SparseMatrix<double> sparse = x.sparseView();
  const Gaussian kernel(1.0);
  const Nystrom nystrom{Uniform{}, {.landmarks = 40}};
  const auto a = nystrom.solve(kernel, x, ask(5));
  const auto b = nystrom.solve(kernel, sparse, ask(5));
  REQUIRE(b.eigenvalues.size() == 5);
  // Nearly equal landmarks leave a pivot of some 1e-8, to which rounding errors are relative.
  constexpr double tolerance = 1e-7;
  CHECK((a.eigenvalues - b.eigenvalues).cwiseAbs().maxCoeff() <= tolerance * a.eigenvalues(0));
  CHECK((a.training_scores - b.training_scores).cwiseAbs().maxCoeff() <= tolerance);
  CHECK(b.points->rows() == b.report.expansion_points);
}

TEST_CASE("Nystrom: the same bits on one and two threads", "[solvers]") {
  // Two groups of rows; in three dimensions double precision, in 20 single precision.
  const Index dimension = GENERATE(3, 20);
  const Matrix<double> x = test::uniform_samples<double>(4500, dimension, 10);
  const Gaussian kernel(dimension == 3 ? 3.0 : 1.0);
  const int threads = thread_count();
  const auto run = [&](int count) {
    set_thread_count(count);
    const Nystrom<> nystrom{RpCholesky{}, {.landmarks = 40, .certificate_rows = 100}};
    auto s = nystrom.solve(kernel, x, ask(5));
    set_thread_count(threads);
    return s;
  };
  const auto one = run(1), two = run(2);
  CHECK(one.report.precision == (dimension == 3 ? Precision::Double : Precision::Single));
  CHECK((*one.points == *two.points));
  CHECK((one.eigenvalues == two.eigenvalues));
  CHECK((one.coefficients == two.coefficients));
  CHECK((one.training_scores == two.training_scores));
  CHECK((one.offset == two.offset));
  CHECK((one.mean_weights == two.mean_weights));
  CHECK(one.report.residuals == two.report.residuals);
  CHECK(details_of(one).trace_error == details_of(two).trace_error);
}

TEST_CASE("Nystrom: landmarks are added until the trace tolerance is reached", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(500, 2, 11);
  const Gaussian kernel(0.4);
  const double tolerance = 1e-3;
  const auto check = [&](const auto& s) {
    CHECK(s.report.status == Status::Converged);
    CHECK(details_of(s).trace_error <= tolerance * 500);
    CHECK(s.report.expansion_points > 4);
    CHECK(s.report.expansion_points < 400);
    CHECK(s.eigenvalues.size() == 3);
  };
  check(
      Nystrom<>{RpCholesky{{.block = 8}}, {.trace_tolerance = tolerance}}.solve(kernel, x, ask(3)));
  check(Nystrom{GreedyCholesky{}, {.trace_tolerance = tolerance}}.solve(kernel, x, ask(3)));
  const NystromParams doubling{.landmarks = 5, .trace_tolerance = tolerance};
  check(Nystrom{Uniform{}, doubling}.solve(kernel, x, ask(3)));
  check(Nystrom{KMeansLandmarks{}, doubling}.solve(kernel, x, ask(3)));
  // As many as are asked for, also where fewer reach the tolerance.
  const NystromParams least{.landmarks = 150, .trace_tolerance = .5};
  const auto count = [&](const auto& solver) {
    return solver.solve(kernel, x, ask(3)).report.expansion_points;
  };
  CHECK(count(Nystrom<>{RpCholesky{}, least}) >= 150);
  CHECK(count(Nystrom{GreedyCholesky{}, least}) >= 150);
  CHECK(count(Nystrom{Uniform{}, least}) <= 150);  // less those that depend on others
}

TEST_CASE("Nystrom: a selector that stops early on its pool is asked for more", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(3000, 2, 12);
  const Gaussian kernel(0.25);
  KernelRequest request = ask(2);
  request.memory_budget = 150 * (100 + 7) * sizeof(double);  // 150 rows of 100 landmarks
  const Nystrom<> nystrom{RpCholesky{{.block = 4}},
                          {.trace_tolerance = 0.02, .max_landmarks = 100}};
  const auto s = nystrom.solve(kernel, x, request);
  CHECK_THAT(s.report.solver_form, ContainsSubstring("rp-cholesky on 150 of 3000 rows"));
  CHECK(details_of(s).trace_error <= 0.02 * 3000);
  CHECK(s.report.status == Status::Converged);
}

TEST_CASE("Nystrom: not converged where the landmarks do not suffice", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(300, 3, 13);
  const Gaussian kernel(0.05);
  const NystromParams params{.landmarks = 10, .trace_tolerance = 0.01, .max_landmarks = 35};
  const auto check = [&](const auto& s) {
    CHECK(s.report.status == Status::NotConverged);
    CHECK(s.report.expansion_points == 35);
    CHECK(s.eigenvalues.size() == 2);
  };
  check(Nystrom<>{RpCholesky{}, params}.solve(kernel, x, ask(2)));
  check(Nystrom{Uniform{}, params}.solve(kernel, x, ask(2)));
  // The number of given landmarks cannot grow.
  const Nystrom given{Given{x.topRows(20)}, {.trace_tolerance = 0.01}};
  const auto s = given.solve(kernel, x, ask(2));
  CHECK(s.report.status == Status::NotConverged);
  CHECK(s.report.expansion_points == 20);
}

TEST_CASE("Nystrom: the automatic number of landmarks", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(700, 3, 14);
  const Gaussian kernel(0.05);  // no landmark is left out
  const Nystrom nystrom{Uniform{}};
  const auto landmarks = [&](const Matrix<double>& samples, Components components) {
    return nystrom.solve(kernel, samples, ask(components)).report.expansion_points;
  };
  CHECK(landmarks(x, 2) == 200);
  CHECK(landmarks(x.topRows(90), 2) == 90);
  CHECK(landmarks(x.topRows(300), 25) == 250);
}

TEST_CASE("Nystrom: the report", "[solvers]") {
  const Index n = 4000;
  const Matrix<float> x = test::uniform_samples<float>(n, 3, 15);
  const auto s = Nystrom<>{RpCholesky{}, {.landmarks = 30}}.solve(Gaussian(0.3), x, ask(4));
  CHECK(describe_solver(s.report) == "nystrom (rp-cholesky, 30 landmarks)");
  CHECK(s.report.kernel == "gaussian(sigma=0.3)");
  CHECK(s.report.precision == Precision::Single);
  CHECK(s.report.samples == n);
  CHECK(s.report.dimension == 3);
  CHECK(s.report.components == 4);
  CHECK(s.report.components_requested == 4);
  CHECK(s.report.expansion_points == 30);
  CHECK(details_of(s).sampling_evaluations >= n * 31);
  CHECK(s.report.bytes >= n * 30 * sizeof(float));
  CHECK(s.report.residual_rows == detail::cheap_certificate_values / n);
  CHECK(details_of(s).trace_error > 0);
}

TEST_CASE("Nystrom: the observer can cancel in every phase", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(300, 3, 16);
  const Gaussian kernel(0.5);
  const std::string phase =
      GENERATE(as<std::string>{}, "landmarks", "low-rank factor", "scores", "residuals");
  std::string last;
  KernelRequest request = ask(3);
  // Scores have a phase of their own where the kernel values of the landmarks are not kept.
  if (phase == "scores") request.memory_budget = 40'000;
  const auto s =
      Nystrom<>{RpCholesky{}, {.landmarks = 30}}.solve(kernel, x, request, [&](const Progress& p) {
        last = p.phase;
        return p.phase != phase;
      });
  CHECK(last == phase);
  CHECK(s.report.status == Status::Cancelled);
  const Index found = phase == "residuals" ? 3 : 0;  // only the certificate is missing then
  CHECK(s.eigenvalues.size() == found);
  CHECK(s.report.components == found);
  CHECK(s.training_scores.rows() == 300);
  CHECK(s.training_scores.cols() == found);
  CHECK(s.coefficients.cols() == found);
  // Without components, the samples are the points, as archives of models have at least one.
  REQUIRE(s.points.has_value() == (found > 0));
  CHECK(s.coefficients.rows() == (found > 0 ? s.points->rows() : 300));
  CHECK(s.report.residuals.empty());
  CHECK(all_finite(s));
}

SCALAR_TEST_CASE("Nystrom: the memory budget does not change the components", "[solvers][law]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(500, 3, 17);
  const Gaussian kernel(0.7);
  const bool centered = GENERATE(false, true);
  const Nystrom<Uniform> solver{Uniform{}, {.landmarks = 40}};
  KernelRequest request = ask(5);
  request.centered = centered;
  const auto held = solver.solve(kernel, x, request);
  request.memory_budget = 500 * 40 * sizeof(S) - 1;
  const auto again = solver.solve(kernel, x, request);
  // Scores of order 10, from kernel values times weights of up to 1e3.
  const double tolerance = 1e4 * std::numeric_limits<S>::epsilon();
  const auto distance = [](const auto& a, const auto& b) {
    return static_cast<double>((a - b).cwiseAbs().maxCoeff());
  };
  CHECK(distance(held.eigenvalues, again.eigenvalues) <= tolerance);
  CHECK(distance(held.coefficients.cwiseAbs(), again.coefficients.cwiseAbs()) <= 100 * tolerance);
  CHECK(distance(held.training_scores.cwiseAbs(), again.training_scores.cwiseAbs()) <= tolerance);
  CHECK(held.rotation.size() == 0);

  // With a product allowed: few components are not left as one, many are.
  request.memory_budget = 0;
  request.factored_scores = true;
  CHECK(solver.solve(kernel, x, request).rotation.size() == 0);
  request.pairs.components = 25;
  const auto factored = solver.solve(kernel, x, request);
  request.factored_scores = false;
  const auto plain = solver.solve(kernel, x, request);
  REQUIRE(factored.training_scores.cols() == factored.rotation.rows());
  const Matrix<S> scores = factored.training_scores * factored.rotation.template cast<S>();
  CHECK(distance(scores * scores.transpose(),
                 plain.training_scores * plain.training_scores.transpose()) <= tolerance);
  CHECK(distance(factored.eigenvalues, plain.eigenvalues) <= 10 * tolerance);
  CHECK(factored.report.status == Status::Converged);
  CHECK(factored.report.residuals.empty());
  CHECK(factored.report.eigenvalue_error_bounds.size() == 25);
}

TEST_CASE("Nystrom: single precision where landmarks leave out far more than it rounds",
          "[solvers][law]") {
  const Index n = 4200, m = 150, k = 6;
  const Matrix<double> x = test::uniform_samples<double>(n, 20, 18);
  const Gaussian kernel(1.0);
  const bool centered = GENERATE(false, true);
  KernelRequest request = ask(k, centered), in_double = request;
  in_double.precision = Precision::Double;
  const auto check = [&](const auto& nystrom) {
    const auto single = nystrom.solve(kernel, x, request);
    const auto exact = nystrom.solve(kernel, x, in_double);
    REQUIRE(exact.report.precision == Precision::Double);
    REQUIRE(single.report.precision == Precision::Single);
    CHECK_THAT(single.report.reason, ContainsSubstring("single precision"));
    REQUIRE((*single.points == *exact.points));
    const auto trace = static_cast<double>(n);
    // Kernel values have errors of about 1e-7; the trace error is above 1/128 of the trace.
    CHECK(std::abs(details_of(single).trace_error - details_of(exact).trace_error) <= 1e-5 * trace);
    CHECK((single.eigenvalues - exact.eigenvalues).cwiseAbs().maxCoeff() <=
          1e-5 * exact.eigenvalues(0));
    CHECK(diagonality(single) <= 1e-12);
    // The functions are orthonormal in double precision, whatever their directions.
    const Matrix<double> w = gram(kernel, *single.points);
    CHECK(
        (single.coefficients.transpose() * w * single.coefficients - Matrix<double>::Identity(k, k))
            .cwiseAbs()
            .maxCoeff() <= 1e-11);
    const Matrix<double> values =
        (gram(kernel, x, *single.points) * single.coefficients).rowwise() -
        single.offset.transpose();
    CHECK((values - single.training_scores).cwiseAbs().maxCoeff() <=
          1e-5 * single.coefficients.cwiseAbs().colwise().sum().maxCoeff());
    // The certificate, in double, sees the landmarks only.
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i)
      CHECK(single.report.residuals[i] == Approx(exact.report.residuals[i]).epsilon(1e-2));
    CHECK(single.report.status == Status::Converged);
  };
  // With all rows, since the rows that are drawn depend on the last bits.
  check(Nystrom<>{RpCholesky{}, {.landmarks = m, .certificate_rows = n}});
  check(Nystrom{Uniform{}, {.landmarks = m, .certificate_rows = n}});
}

TEST_CASE("Nystrom: double precision where single would decide the result", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(4200, 4, 19);
  const double sigma = GENERATE(3.0, 300.0);
  const Gaussian kernel(sigma);
  KernelRequest request = ask(3), in_double = request;
  in_double.precision = Precision::Double;
  const auto check = [&](const auto& nystrom) {
    const auto chosen = nystrom.solve(kernel, x, request);
    const auto asked = nystrom.solve(kernel, x, in_double);
    CHECK(chosen.report.precision == Precision::Double);
    REQUIRE(chosen.eigenvalues.size() == 3);
    // Landmarks may differ: the first ones were chosen by values in single precision.
    CHECK((chosen.eigenvalues - asked.eigenvalues).cwiseAbs().maxCoeff() <=
          1e-8 * asked.eigenvalues(0) + details_of(asked).trace_error +
              details_of(chosen).trace_error);
    CHECK(details_of(chosen).trace_error <= 1e-4 * chosen.report.trace + 1e-8 * 4200);
  };
  check(Nystrom<>{RpCholesky{}, {.landmarks = 90}});
  check(Nystrom{Uniform{}, {.landmarks = 90}});
}

TEST_CASE("Nystrom: parameters out of range are refused", "[solvers]") {
  const auto message = [](NystromParams params) {
    return test::error_of([&] { return Nystrom{Uniform{}, params}; });
  };
  CHECK(message({.landmarks = -1}) == "mercer::Nystrom: landmarks must not be negative, got -1");
  CHECK(message({.trace_tolerance = 1}) ==
        "mercer::Nystrom: trace_tolerance must be in [0, 1), got 1");
  CHECK_THAT(message({.trace_tolerance = std::numeric_limits<double>::quiet_NaN()}),
             ContainsSubstring("got nan"));
  CHECK(message({.max_landmarks = -3}) ==
        "mercer::Nystrom: max_landmarks must not be negative, got -3");
  CHECK(message({.landmarks = 20, .max_landmarks = 10}) ==
        "mercer::Nystrom: max_landmarks, 10, must not be below landmarks, 20");
  CHECK(message({.certificate_rows = 1}) ==
        "mercer::Nystrom: certificate_rows must be at least 2, got 1");
}

TEST_CASE("Nystrom: requests that cannot be met are refused", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(50, 3, 17);
  const auto message = [&](const auto& nystrom, const auto& kernel, const Matrix<double>& samples,
                           Components components) {
    return test::error_of([&] { return nystrom.solve(kernel, samples, ask(components)); });
  };
  const Gaussian kernel(1.0);
  CHECK(message(Nystrom{Uniform{}, {.landmarks = 51}}, kernel, x, 2) ==
        "mercer::Nystrom: landmarks must not exceed the number of samples, 50, got 51");
  CHECK(message(Nystrom{Uniform{}, {.landmarks = 20}}, kernel, x, 20) ==
        "mercer::Nystrom: 20 components need at least 21 landmarks, got 20");
  CHECK(message(Nystrom{Uniform{}, {.trace_tolerance = .1, .max_landmarks = 5}}, kernel, x, 7) ==
        "mercer::Nystrom: 7 components need at least 8 landmarks, got 5");
  CHECK(message(Nystrom{Given{std::vector<Index>{1, 2, 3}}, {.landmarks = 4}}, kernel, x, 2) ==
        "mercer::Nystrom: landmarks is 4, but 3 are given; leave it 0");
  CHECK(message(Nystrom<>{}, kernel, Matrix<double>(0, 3), 1) ==
        "mercer::Nystrom: needs at least one row and one column, got 0 x 3");
  CHECK_THAT(message(Nystrom<>{}, kernel, x, 51), ContainsSubstring("components must be between"));
  Matrix<double> bad = x;
  bad(7, 1) = std::numeric_limits<double>::infinity();
  CHECK_THAT(message(Nystrom<>{}, kernel, bad, 2),
             ContainsSubstring("mercer::Nystrom: samples must be finite") &&
                 ContainsSubstring("row 7, column 1"));
  // With as many landmarks as samples there may be as many components.
  CHECK(Nystrom<>{}.solve(kernel, x, ask(50)).eigenvalues.size() > 0);
}

TEST_CASE("Nystrom: indefinite kernels are refused", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(60, 3, 18, -2, 2);
  const auto message = [&](const auto& nystrom, const auto& kernel) {
    return test::error_of([&] { return nystrom.solve(kernel, x, ask(2)); });
  };
  const Sigmoid positive_diagonal{{.gamma = 1, .coef0 = 0.5}};
  CHECK_THAT(message(Nystrom{Uniform{}}, positive_diagonal),
             ContainsSubstring("mercer::Nystrom: the kernel sigmoid") &&
                 ContainsSubstring("is not positive semidefinite on the landmarks") &&
                 ContainsSubstring("use Exact or BlockKrylov"));
  CHECK_THAT(message(Nystrom<>{}, positive_diagonal),
             ContainsSubstring("is not positive semidefinite") &&
                 ContainsSubstring("use Exact or BlockKrylov"));
  CHECK_THAT(message(Nystrom{Uniform{}}, Sigmoid{{.gamma = 1, .coef0 = -20}}),
             ContainsSubstring("k(x, x) must be finite and not negative") &&
                 ContainsSubstring("Exact and BlockKrylov take indefinite kernels"));
}

TEST_CASE("Nystrom: bounds hold for a kernel that is indefinite by little", "[solvers]") {
  // A far sample, and kernel values of all others that differ by 1e-5 of them.
  Matrix<double> x = test::uniform_samples<double>(40, 2, 19);
  x.row(0) << 1e5, 0;
  const Sigmoid kernel{{.gamma = 1e-10, .coef0 = 0.87}};
  const auto s = Nystrom{Uniform{}, {.landmarks = 40}}.solve(kernel, x, ask(1, false));
  REQUIRE(s.eigenvalues.size() == 1);
  const Vector<double> all = oracle(kernel, x, false).values;
  CHECK((all.array() - s.eigenvalues(0)).abs().minCoeff() <= s.report.eigenvalue_error_bounds[0]);
}

}  // namespace nystrom_test
