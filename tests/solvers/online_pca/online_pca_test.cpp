// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <mercer/core/low_rank/keep_orthonormal.hpp>
#include <mercer/core/random.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/solvers/online_pca/detail/online_steps.hpp>
#include <mercer/solvers/online_pca/incremental_svd.hpp>
#include <mercer/solvers/online_pca/matrix_exponentiated_gradient.hpp>
#include <mercer/solvers/online_pca/matrix_stochastic_gradient.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace online_pca_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

using Dense = Matrix<double>;

/// f of the eigenvalues, ascending, of a symmetric matrix.
template <class F>
Dense map_eigenvalues(const Dense& a, F&& f) {
  const Eigen::SelfAdjointEigenSolver<Dense> eigen(a);
  const Vector<double> values = f(Vector<double>(eigen.eigenvalues()));
  return eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
}

/// The shift of v = min(max(x - s, 0), 1) with sum v <= total by bisection.
Vector<double> bisected_projection(const Vector<double>& x, double total) {
  const auto at = [&](double s) -> Vector<double> {
    return (x.array() - s).cwiseMax(0).cwiseMin(1);
  };
  double low = 0, high = std::max(0.0, x.maxCoeff());
  if (at(0).sum() <= total) return at(0);
  for (int i = 0; i < 200; ++i)
    (at((low + high) / 2).sum() > total ? low : high) = (low + high) / 2;
  return at(high);
}

/// Vectors in 8 dimensions with variances 4, 3, 1, 0.3, ... along turned axes, as columns.
template <Real S = double>
struct Cloud {
  explicit Cloud(Index count) {
    const Dense turn =
        Eigen::HouseholderQR<Dense>(normal_matrix<double>(8, 8, 3, "turn")).householderQ();
    Vector<double> deviations(8);
    deviations << 2, 1.7, 1, 0.5, 0.3, 0.2, 0.1, 0.1;
    axes = turn.leftCols(2);
    x = (turn * deviations.asDiagonal() * normal_matrix<double>(8, count, 4, "cloud"))
            .template cast<S>();
  }
  Dense axes;  ///< of the two largest variances
  Matrix<S> x;
};

/// The sine of the largest angle between the spans.
template <Real S>
double sine(const Dense& axes, const Matrix<S>& basis) {
  const Dense u = basis.template cast<double>();
  if (u.cols() < axes.cols()) return 1;
  const Dense outside = axes - u * (u.transpose() * axes);
  return std::sqrt(
      Eigen::SelfAdjointEigenSolver<Dense>(outside.transpose() * outside).eigenvalues().maxCoeff());
}

template <Real S>
constexpr S rounding = 1000 * std::numeric_limits<S>::epsilon();

/// How far from orthonormal a basis may be between two looks of keep_orthonormal().
template <Real S>
constexpr S drift = sizeof(S) == 8 ? S(1e-9) : S(1e-3);

}  // namespace

TEST_CASE("online PCA: the projection of eigenvalues", "[solvers][law]") {
  const auto projected = [](std::initializer_list<double> x, double total) {
    return detail::project_to_capped_simplex<double>(
        Eigen::Map<const Vector<double>>(x.begin(), static_cast<Index>(x.size())), total);
  };
  CHECK((projected({2, 0.5, 0.2}, 1) - Vector<double>::Unit(3, 0)).norm() <= 1e-15);
  CHECK((projected({0.6, 0.6, 0.6}, 1).array() - 1.0 / 3).abs().maxCoeff() <= 1e-15);
  CHECK((projected({1.5, 0.2}, 2) - Eigen::Vector2d(1, 0.2)).norm() == 0);
  CHECK(projected({}, 1).size() == 0);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Vector<double> x = 2 * normal_matrix<double>(9, 1, seed, "values");
    for (const double total : {1.0, 3.0, 9.0})
      CHECK((detail::project_to_capped_simplex(x, total) - bisected_projection(x, total)).norm() <=
            1e-12);
  }
}

TEST_CASE("online PCA: weights under a cap", "[solvers]") {
  Vector<double> logs(3);
  logs << std::log(8), 0, 0;
  detail::cap_weights(Vector<double>::Ones(3), 2, logs);
  CHECK((logs.array().exp() - Eigen::Array3d(0.5, 0.25, 0.25)).abs().maxCoeff() <= 1e-15);
  Vector<double> pair(2);  // the first stands for three: no weight is above the cap
  pair << 1000, 1000 + std::log(0.5);
  detail::cap_weights(Eigen::Vector2d(3, 1), 2, pair);
  CHECK((pair.array().exp() - Eigen::Array2d(2.0 / 7, 1.0 / 7)).abs().maxCoeff() <= 1e-13);
}

TEST_CASE("online PCA: a small weight beside thousands at the cap keeps its size", "[solvers]") {
  // Of n directions, n - 2 are above the cap and one reaches it: e^-200 of its weight is left.
  for (Index n = 10; n < 20000; n += 37) {
    CAPTURE(n);
    Vector<double> logs(3);
    logs << 0, -0.5, -200.5;
    detail::cap_weights(Eigen::Vector3d(static_cast<double>(n - 2), 1, 1), n - 1, logs);
    const double cap = -std::log(static_cast<double>(n - 1));
    REQUIRE((logs - Eigen::Vector3d(cap, cap, cap - 200)).cwiseAbs().maxCoeff() <= 1e-12);
  }
}

SCALAR_TEST_CASE("IncrementalSvd: exact for vectors of k dimensions", "[solvers][law]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(20, 3, 1) * test::uniform_samples<S>(3, 30, 2);
  IncrementalSvd<S> svd(20, 3);
  for (Index first = 0; first < 30; first += 5) svd.step(x.middleCols(first, 5));
  CHECK(svd.sum().check_invariants(rounding<S>));
  CHECK((svd.sum().dense() - x * x.transpose()).norm() <= rounding<S> * x.squaredNorm());
  CHECK(svd.samples() == 30);
  CHECK(svd.components().values.sum() == Approx(x.squaredNorm() / 30).epsilon(rounding<S>));
}

TEST_CASE("IncrementalSvd: the recursion of dense matrices", "[solvers][law]") {
  const Index k = 2;
  const Dense x = Cloud<>(60).x;
  IncrementalSvd<double> svd(8, k);
  Dense c = Dense::Zero(8, 8);
  for (Index i = 0; i < 60; i += 3) {
    svd.step(x.middleCols(i, 3));
    c = map_eigenvalues(c + x.middleCols(i, 3) * x.middleCols(i, 3).transpose(),
                        [&](Vector<double> v) -> Vector<double> {
                          v.head(8 - k).setZero();
                          return v;
                        });
    REQUIRE((svd.sum().dense() - c).norm() <= 1e-12 * c.norm());
    REQUIRE(svd.sum().rank() <= k);
  }
}

TEST_CASE("MatrixStochasticGradient: without a cap, the projected steps of dense matrices",
          "[solvers][law]") {
  const Index k = 2;
  const Dense x = Cloud<>(80).x;
  MatrixStochasticGradient<double> msg(8, k, {.step = 1.5, .max_rank = 8});
  Dense p = Dense::Zero(8, 8);
  for (Index t = 1; t <= 40; ++t) {
    const Dense batch = x.middleCols(2 * (t - 1), 2);
    msg.step(batch);
    const double scale = x.leftCols(2 * t).squaredNorm() / static_cast<double>(2 * t);
    const double eta = 1.5 / std::sqrt(static_cast<double>(t)) / scale;
    p = map_eigenvalues(p + eta / 2 * batch * batch.transpose(), [&](const Vector<double>& v) {
      return bisected_projection(v, static_cast<double>(k));
    });
    REQUIRE((msg.iterate().dense() - p).norm() <= 1e-10);
  }
}

SCALAR_TEST_CASE("MatrixStochasticGradient: iterates stay feasible and find the components",
                 "[solvers][law]") {
  using S = TestType;
  const Cloud<S> cloud(4000);
  for (const Index cap : {2, 3, 8}) {  // the last is no cap
    MatrixStochasticGradient<S> msg(8, 2, {.step = 0.5, .max_rank = cap});
    for (Index i = 0; i < 4000; i += 2) {
      msg.step(cloud.x.middleCols(i, 2));
      if (i % 100 != 0) continue;
      const Vector<S>& values = msg.iterate().values();
      REQUIRE(msg.iterate().check_invariants(drift<S>));
      REQUIRE(values.maxCoeff() <= 1 + rounding<S>);
      REQUIRE(values.minCoeff() >= 0);
      REQUIRE(values.sum() <= 2 + rounding<S>);
      REQUIRE(msg.iterate().rank() <= cap);
    }
    CAPTURE(cap);
    CHECK(msg.steps() == 2000);
    // The noise of the last steps, of length 0.5 / 2000^(1/2) each, and the third variance.
    CHECK(sine(cloud.axes, msg.basis()) <= 0.15);
  }
}

TEST_CASE("MatrixStochasticGradient: finds a component that an incremental SVD cannot see",
          "[solvers]") {
  // (3^(1/2), 0) with probability 1/3, (0, 2^(1/2)) with 2/3: the second axis has more variance.
  IncrementalSvd<double> svd(2, 1);
  MatrixStochasticGradient<double> msg(2, 1, {.step = 0.3});
  for (Index i = 0; i < 600; ++i) {
    const Dense x = i % 3 == 0 ? Dense(Eigen::Vector2d(std::sqrt(3.0), 0))
                               : Dense(Eigen::Vector2d(0, std::sqrt(2.0)));
    svd.step(x);
    msg.step(x);
  }
  CHECK(std::abs(svd.components().vectors(0, 0)) == Approx(1));
  CHECK(std::abs(msg.basis()(1, 0)) >= 0.99);
}

TEST_CASE("MatrixExponentiatedGradient: without a cut, the steps of dense matrices",
          "[solvers][law]") {
  const Index n = 8, k = 2;
  const Dense x = Cloud<>(80).x;
  MatrixExponentiatedGradient<double> meg(n, k, {.step = 2, .max_rank = n});
  // Logarithms of the weights are what is kept: those of rounded weights would lose digits.
  Dense logs = -std::log(static_cast<double>(n)) * Dense::Identity(n, n);
  const double cap = -std::log(static_cast<double>(n - k));
  for (Index t = 1; t <= 40; ++t) {
    const Dense batch = x.middleCols(2 * (t - 1), 2);
    meg.step(batch);
    const double scale = x.leftCols(2 * t).squaredNorm() / static_cast<double>(2 * t);
    logs = map_eigenvalues(logs - 2 / scale / 2 * batch * batch.transpose(),
                           [&](const Vector<double>& v) -> Vector<double> {
                             // The s with sum_i exp(min(v_i + s, log cap)) = 1, by bisection.
                             double low = -100, high = 100;
                             const auto at = [&](double s) -> Vector<double> {
                               return (v.array() + s).cwiseMin(cap);
                             };
                             for (int i = 0; i < 200; ++i) {
                               const double middle = (low + high) / 2;
                               (at(middle).array().exp().sum() < 1 ? low : high) = middle;
                             }
                             return at(low);
                           });
    const auto exponentials = [](const Vector<double>& v) -> Vector<double> {
      return v.array().exp();
    };
    const Dense rest = std::log(meg.rest()) * Dense::Identity(n, n);
    const Dense found = map_eigenvalues(meg.logs().dense() + rest, exponentials);
    // Rounding of logarithms of up to 100 in 40 steps.
    REQUIRE((found - map_eigenvalues(logs, exponentials)).norm() <= 1e-10);
  }
}

SCALAR_TEST_CASE("MatrixExponentiatedGradient: weights stay feasible and find the components",
                 "[solvers][law]") {
  using S = TestType;
  const Cloud<S> cloud(2000);
  for (const Index most : {2, 4, 7}) {
    MatrixExponentiatedGradient<S> meg(8, 2, {.step = 0.05, .max_rank = most});
    for (Index i = 0; i < 2000; i += 2) {
      meg.step(cloud.x.middleCols(i, 2));
      if (i % 100 != 0) continue;
      const Index r = meg.logs().rank();
      const Vector<double> weights =
          meg.rest() * meg.logs().values().template cast<double>().array().exp();
      REQUIRE(r <= most);
      REQUIRE(meg.logs().values().maxCoeff() <= 0);
      REQUIRE(weights.sum() + static_cast<double>(8 - r) * meg.rest() ==
              Approx(1).epsilon(double{rounding<S>}));
      REQUIRE(meg.rest() <= 1.0 / 6 + double{rounding<S>});
    }
    CAPTURE(most);
    CHECK(meg.steps() == 1000);
    CHECK(sine(cloud.axes, meg.basis()) <= 0.15);
  }
}

TEST_CASE("online PCA: columns of a Gram matrix give its eigenvectors", "[solvers]") {
  const Index n = 60, k = 3;
  const Dense x = test::uniform_samples<double>(n, 2, 5, -1, 1);
  const Dense gram_matrix = gram(Gaussian{1.0}, x);
  const Eigen::SelfAdjointEigenSolver<Dense> eigen(gram_matrix);
  const Dense exact = eigen.eigenvectors().rightCols(k);
  IncrementalSvd<double> svd(n, k + 5);
  RandomStream stream(1, "columns");
  Index drawn = 0;
  for (Index pass = 0; pass < 3; ++pass) {
    const auto order = random_permutation(n, stream);
    for (const Index p : order) {
      svd.step(gram_matrix.col(p));
      ++drawn;
    }
  }
  CHECK(sine(exact, Dense(svd.components().vectors.leftCols(k))) <= 1e-6);
  const Vector<double> mu = (static_cast<double>(n) * svd.components().values.head(k)).cwiseSqrt();
  for (Index i = 0; i < k; ++i)
    CHECK(mu(i) == Approx(eigen.eigenvalues()(n - 1 - i)).epsilon(1e-6));
}

TEST_CASE("online PCA: steps do not depend on the scale of the vectors", "[solvers][law]") {
  const Dense x = Cloud<>(50).x;
  MatrixStochasticGradient<double> msg(8, 2), large(8, 2);
  MatrixExponentiatedGradient<double> meg(8, 2), small(8, 2);
  for (Index i = 0; i < 50; ++i) {
    msg.step(x.col(i));
    large.step(1024 * x.col(i));
    meg.step(x.col(i));
    small.step(x.col(i) / 1024);
  }
  CHECK((msg.iterate().dense() - large.iterate().dense()).norm() <= 1e-12);
  CHECK((meg.logs().dense() - small.logs().dense()).norm() <= 1e-10);
}

TEST_CASE("online PCA: zeros, one direction, one dimension, no columns", "[solvers]") {
  const Dense zeros = Dense::Zero(4, 2), none(4, 0);
  Dense same = Dense::Zero(4, 6);
  same.row(2).setConstant(3);
  IncrementalSvd<double> svd(4, 2);
  MatrixStochasticGradient<double> msg(4, 2);
  MatrixExponentiatedGradient<double> meg(4, 2);
  for (const Dense* x : {&none, &zeros}) {
    svd.step(*x);
    msg.step(*x);
    meg.step(*x);
  }
  CHECK(svd.sum().rank() == 0);
  CHECK(msg.basis().cols() == 0);
  CHECK(meg.basis().cols() == 0);
  CHECK(meg.rest() == Approx(0.25));
  for (int i = 0; i < 5; ++i) {
    svd.step(same);
    msg.step(same);
    meg.step(same);
  }
  CHECK(svd.components().vectors.cols() == 1);
  CHECK(std::abs(msg.basis()(2, 0)) == Approx(1));
  CHECK(std::abs(meg.basis()(2, 0)) == Approx(1));
  CHECK(msg.iterate().values()(0) <= 1);
  const Dense three = Dense::Constant(1, 1, 3);
  IncrementalSvd<double> line(1, 1);
  MatrixStochasticGradient<double> step(1, 1);
  line.step(three);
  step.step(three);
  CHECK(line.components().values(0) == Approx(9));
  CHECK(step.iterate().entry(0, 0) == Approx(1));
}

TEST_CASE("online PCA: what is refused", "[solvers]") {
  CHECK(test::error_of([] { return IncrementalSvd<double>(3, 4); }) ==
        "mercer::IncrementalSvd: components must be in [1, 3], got 4");
  CHECK(test::error_of([] { return MatrixStochasticGradient<double>(3, 0); }) ==
        "mercer::MatrixStochasticGradient: components must be in [1, 3], got 0");
  CHECK(test::error_of([] { return MatrixExponentiatedGradient<double>(3, 3); }) ==
        "mercer::MatrixExponentiatedGradient: components must be in [1, 2], got 3");
  CHECK_THAT(test::error_of([] { return MatrixStochasticGradient<double>(9, 3, {.max_rank = 2}); }),
             ContainsSubstring("max_rank must be at least the number of components, 3, got 2"));
  CHECK_THAT(
      test::error_of([] { return MatrixExponentiatedGradient<double>(9, 3, {.max_rank = 2}); }),
      ContainsSubstring("max_rank must be at least the number of components, 3, got 2"));
  CHECK_THAT(test::error_of([] { return MatrixStochasticGradient<double>(9, 3, {.step = 0}); }),
             ContainsSubstring("step must be positive"));
  IncrementalSvd<double> svd(3, 1);
  CHECK(test::error_of([&] { svd.step(Dense::Ones(4, 1)); }) ==
        "mercer::IncrementalSvd: columns must have 3 entries, got 4");
  Dense bad = Dense::Ones(3, 1);
  bad(1, 0) = std::numeric_limits<double>::infinity();
  CHECK(test::error_of([&] { svd.step(bad); }) == "mercer::IncrementalSvd: columns must be finite");
}

TEST_CASE("keep_orthonormal: mends a basis that has drifted, at every hundredth step", "[core]") {
  Dense vectors = Dense::Identity(5, 2);
  vectors(2, 0) = 1e-4;  // an error of 1e-8 in the inner products
  auto z = LowRank<double>::from_eigenpairs(Eigen::Vector2d(2, 1), vectors);
  detail::keep_orthonormal(99, z);
  CHECK_FALSE(z.check_invariants(1e-13));
  detail::keep_orthonormal(100, z);
  CHECK(z.check_invariants(1e-14));
}

}  // namespace online_pca_test
