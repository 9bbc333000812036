// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/on_gram.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/krylov/lanczos.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace on_gram_test {

using namespace mercer;

namespace {

/// Eigenvectors as the scores say them.
template <class Model>
Matrix<double> vectors_of(const Model& model) {
  const Vector<double> roots = model.eigenvalues().template cast<double>().cwiseSqrt();
  return model.training_scores().template cast<double>() * roots.cwiseInverse().asDiagonal();
}

/// A solver of a user's, which leaves the bounds to the fit.
struct WithoutBounds {
  static constexpr bool wants_dense = false;
  [[nodiscard]] double tolerance() const { return 1e-6; }
  [[nodiscard]] std::size_t bytes(Index n, Index k) const { return Lanczos{}.bytes(n, k); }
  template <SymmetricOperator A>
  [[nodiscard]] EigenSolution<typename A::Scalar> solve(const A& a, const EigenRequest& request,
                                                        const Observer& observer = {}) const {
    auto solution = Lanczos{}.solve(a, request, observer);
    solution.report.eigenvalue_error_bounds.clear();
    return solution;
  }
};

}  // namespace

TEST_CASE("on gram: bounds of a solver that has none of its own", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(40, 3, 1);
  const auto model = KernelPca{Gaussian(0.5), WithoutBounds{}, {.components = 3}}.fit(x);
  REQUIRE(model.report().eigenvalue_error_bounds.size() == 3);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(model.report().eigenvalue_error_bounds[i] >= model.report().residuals[i]);
}

TEST_CASE("on gram: a fraction of the variance that single precision does not resolve",
          "[solvers]") {
  // One column explains all but 5e-6 of the variance, and its rounding errors exceed the others.
  Matrix<double> x = normal_matrix<double>(600, 60, 1, "columns");
  x.col(0) *= 1000;
  x.rightCols(59) *= 0.3;
  const double fraction = 1 - 1e-6;
  const auto model = KernelPca{Linear{}, BlockKrylov{}, {.components = fraction}}.fit(x);
  CHECK(model.report().precision == Precision::Double);
  CHECK(model.eigenvalues().size() > 1);
  CHECK(model.eigenvalues().sum() >= fraction * model.report().trace);
}

TEST_CASE("on gram: rounding errors above the tolerance are not called converged", "[solvers]") {
  // Kernel values of size 1e18 have errors of about 100, and the centred matrix has entries of 1e6.
  Matrix<double> x = test::uniform_samples<double>(300, 3, 2);
  x.col(0) *= 3600;
  const auto fit = [&](const auto& solver) {
    return KernelPca{Linear{}, solver, {.components = 3}}.fit(x).report();
  };
  for (const Report& near : {fit(BlockKrylov{}), fit(Lanczos{})})
    CHECK(near.status == Status::Converged);
  x.col(0).array() += 1.7e9;
  for (const Report& far : {fit(BlockKrylov{}), fit(Lanczos{})}) {
    REQUIRE_FALSE(far.residuals.empty());
    CHECK(far.status == Status::NotConverged);
    CHECK_THAT(far.reason, Catch::Matchers::ContainsSubstring("subtract their mean"));
  }
}

TEST_CASE("on gram: residuals in single precision are those of the scores", "[solvers]") {
  const Index n = 24;
  constexpr double rounding = 1e-13;  // of n kernel values up to 1, in double
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Matrix<double> x = test::uniform_samples<double>(n, 5, seed, -100, 100);
    const Gaussian kernel(300.0);
    const auto model =
        KernelPca{
            kernel, Lanczos{{.tolerance = 1e-5}}, {.components = 4, .precision = Precision::Single}}
            .fit(x);
    REQUIRE(model.report().status == Status::Converged);
    const Matrix<double> u = vectors_of(model);
    Matrix<double> k = gram(kernel, x);
    centre_columns(k);
    k.transposeInPlace();
    centre_columns(k);
    for (Index i = 0; i < u.cols(); ++i) {
      const double residual = (k * u.col(i) - model.eigenvalues()(i) * u.col(i)).norm();
      CHECK(residual <= model.report().residuals[static_cast<std::size_t>(i)] + rounding);
    }
  }
}

TEST_CASE("on gram: scores have the norms that the eigenvalues say", "[solvers]") {
  // The vectors of small eigenvalues may hold some of the vector of ones, as residuals are within a
  // rough tolerance all the same.
  constexpr double rounding = 1e-12;  // of 60 products; roots and quotients add some ulp
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Matrix<double> x = test::uniform_samples<double>(60, 3, seed);
    const auto model = KernelPca{Gaussian(30.0),
                                 Lanczos{{.tolerance = 1e-4}},
                                 {.components = 6, .precision = Precision::Double}}
                           .fit(x);
    const Matrix<double> u = vectors_of(model);
    REQUIRE(u.cols() > 3);
    for (Index i = 0; i < u.cols(); ++i) CHECK(std::abs(u.col(i).norm() - 1) <= rounding);
  }
}

TEST_CASE("on gram: scores are orthogonal where the tolerance is loose", "[solvers]") {
  // Vectors of small eigenvalues are found with some of the vector of ones in them, and lose their
  // right angles when it is taken out.
  const Index n = 60;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Matrix<double> x = test::uniform_samples<double>(n, 7, seed);
    const auto model =
        KernelPca{Gaussian{60.0}, Lanczos{{.tolerance = 1e-4}}, {.components = 9}}.fit(x);
    const Matrix<double> u = vectors_of(model);
    const Index k = u.cols();
    CAPTURE(seed, model.eigenvalues(), model.report().residuals);
    const Matrix<double> inner = u.transpose() * u;
    const double noise = 1e-14 * static_cast<double>(n) / model.eigenvalues()(k - 1);
    CHECK((inner - Matrix<double>::Identity(k, k)).cwiseAbs().maxCoeff() <= noise);
    CHECK((u.colwise().sum().cwiseAbs().maxCoeff() <= noise));

    Matrix<double> gram(n, n);
    Gaussian{60.0}.gram(x, x, gram);
    gram.rowwise() -= gram.colwise().mean().eval();
    gram.colwise() -= gram.rowwise().mean().eval();
    const Matrix<double> rest = gram * u - u * model.eigenvalues().asDiagonal();
    for (Index i = 0; i < k; ++i)
      CHECK(rest.col(i).norm() <=
            model.report().residuals[static_cast<std::size_t>(i)] + 1e-15 * static_cast<double>(n));
  }
}

TEST_CASE("on gram: a fit that is stopped while tiles are stored is cancelled", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(1500, 3, 21);
  const auto fit = [&](const auto& solver, Index last) {
    bool stopped = false;  // and asked no more
    const auto model =
        KernelPca{Gaussian(1), solver, {.components = 3, .storage = GramStorage::Stored}}.fit(
            x, [&](const Progress& now) {
              CHECK_FALSE(stopped);
              stopped = stopped || (now.phase == "gram matrix" && now.step == last);
              return !stopped;
            });
    CHECK(stopped);
    return model.report();
  };
  const int before = thread_count();
  set_thread_count(1);  // other threads are not watched
  for (const Report& report : {fit(BlockKrylov{}, 1), fit(Lanczos{}, 2)}) {
    CHECK(report.status == Status::Cancelled);
    CHECK(report.components == 0);
  }
  set_thread_count(before);
}

TEST_CASE("on gram: bounds of values that grow fast hold", "[solvers]") {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Matrix<double> x = test::uniform_samples<double>(40, 6, seed);
    x.topRows(3) *= 4;
    const ExponentialDot kernel(60 / x.rowwise().squaredNorm().maxCoeff());  // exponents up to 60
    const auto model = KernelPca{kernel, Exact{}, {.components = 1, .centered = false}}.fit(x);
    const Wide wide = x.cast<long double>();
    const Wide k =
        (static_cast<long double>(kernel.gamma()) * (wide * wide.transpose()).array()).exp();
    const auto mu = static_cast<long double>(model.eigenvalues()(0));
    const Wide u = model.training_scores().cast<long double>().normalized();
    const auto residual = static_cast<double>((k * u - mu * u).norm());
    CHECK(residual <= model.report().eigenvalue_error_bounds[0]);
  }
}

}  // namespace on_gram_test
