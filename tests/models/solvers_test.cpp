// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors
//
// The cross product: solvers by kernels by forms of the samples and of the Gram matrix.

#include <mercer/models/kernel_pca.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/solvers/krylov/lanczos.hpp>
#include <mercer/solvers/krylov/power_iteration.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>

namespace solvers_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr Index n = 300, k = 4;  // more than one tile: that may be in single precision

/// Clusters: a few large eigenvalues with gaps. Columns are of size 1, in [0, 2].
template <Real S = double>
Matrix<S> clusters() {
  Matrix<double> x = test::uniform_samples<double>(n, 4, 1, 0, 0.6);
  for (Index i = 0; i < n; ++i) x(i, i % 7 < 4 ? 0 : i % 7 < 6 ? 1 : 2) += 1.2;
  return x.cast<S>();
}

/// The (centred) Gram matrix of the samples as they are, in double.
Matrix<double> oracle(const Matrix<double>& gram, bool centered) {
  if (!centered) return gram;
  const Matrix<double> j = test::centering_matrix<double>(gram.rows());
  const Matrix<double> product = j * gram * j;
  return (product + product.transpose()) / 2;
}

/// A fitted model against the dense matrix that it should have decomposed. \p tolerance is relative
/// to the largest eigenvalue.
template <class Model>
void check_model(const Model& model, const Matrix<double>& dense, double tolerance) {
  const Report& report = model.report();
  CAPTURE(describe_solver(report), report.kernel, report.storage, report.reason);
  CHECK(report.status == Status::Converged);
  CHECK(report.solver != SolverId::Other);
  CHECK_FALSE(report.storage.empty());
  CHECK_FALSE(report.reason.empty());
  CHECK(report.precision.has_value());
  CHECK(report.bytes > 0);
  CHECK(report.fit_seconds > 0);
  CHECK(report.samples == dense.rows());
  CHECK(report.components_requested == k);
  REQUIRE(model.components() == k);
  REQUIRE(report.residuals.size() == static_cast<std::size_t>(k));
  REQUIRE(report.eigenvalue_error_bounds.size() == static_cast<std::size_t>(k));
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> exact(dense);
  const Vector<double> truth = exact.eigenvalues().reverse();
  const double largest = truth(0), bound = tolerance * largest;
  CHECK(report.trace == Approx(dense.trace()).epsilon(1e-4));

  const Vector<double> mu = model.eigenvalues().template cast<double>();
  const Matrix<double> scores = model.training_scores().template cast<double>();
  const Matrix<double> u = scores * mu.cwiseSqrt().cwiseInverse().asDiagonal();
  CHECK((u.transpose() * u - Matrix<double>::Identity(k, k)).norm() <= 1e-3);
  const Matrix<double> rest = dense * u - u * mu.asDiagonal();
  // Single precision in samples, scores or tiles: some 1e-6 of the largest eigenvalue at most.
  const double rounding = (report.precision == Precision::Single ? 3e-6 : 1e-10) * largest;
  for (Index i = 0; i < k; ++i) {
    const auto at = static_cast<std::size_t>(i);
    CHECK(rest.col(i).norm() <= bound + rounding);
    CHECK(rest.col(i).norm() <= 2 * report.residuals[at] + rounding);
    CHECK(std::abs(mu(i) - truth(i)) <= report.eigenvalue_error_bounds[at] + rounding);
  }
  // Davis and Kahan, by columns.
  const Matrix<double> leading = exact.eigenvectors().rightCols(k);
  const double gap = truth(k - 1) - truth(k);
  CHECK(test::largest_sine<double>(
            leading, Matrix<double>(Eigen::HouseholderQR<Matrix<double>>(u).householderQ() *
                                    Matrix<double>::Identity(n, k))) <=
        2 * std::sqrt(static_cast<double>(k)) * (bound + rounding) / gap);
}

/// The scores of the training samples are those of the same samples as new ones.
template <class Model, class X>
void check_transform(const Model& model, const X& x, double accuracy = 1e-8) {
  const double tolerance = model.report().precision == Precision::Single ? 2e-4 : accuracy;
  CHECK(static_cast<double>((model.transform(x) - model.training_scores()).norm()) <=
        tolerance * static_cast<double>(model.training_scores().norm()));
}

/// Calls \p use with every solver that takes products.
template <class Use>
void with_product_solvers(double tolerance, const Use& use) {
  use(BlockKrylov{{.tolerance = tolerance}});
  use(Lanczos{{.tolerance = tolerance}});
}

}  // namespace

TEST_CASE("solvers: kernels, centred and not, by solvers", "[models][solvers]") {
  const Matrix<double> x = clusters();
  const bool centered = GENERATE(true, false);
  const auto check = [&](const auto& kernel) {
    const Matrix<double> dense = oracle(gram(kernel, x), centered);
    const KernelPcaParams params{.components = k, .centered = centered};
    with_product_solvers(1e-8, [&](const auto& solver) {
      const auto model = KernelPca{kernel, solver, params}.fit(x);
      CHECK(model.report().precision == Precision::Double);
      check_model(model, dense, 1e-8);
      check_transform(model, x, 1e-6);
    });
    const auto small = KernelPca{kernel, Auto{}, params}.fit(x);
    CHECK(small.report().solver == SolverId::Exact);
    check_model(small, dense, 1e-10);
    const auto all = KernelPca{kernel, Nystrom{Uniform{}, {.landmarks = n}}, params}.fit(x);
    check_model(all, dense, 1e-6);
    check_transform(all, x);
  };
  check(Gaussian(0.8));
  check(Laplacian(0.7));
  check(Polynomial{{.gamma = 1, .coef0 = 1, .degree = 3}});
  check(Cosine{});
}

TEST_CASE("solvers: power iteration", "[models][solvers]") {
  const Matrix<double> x = clusters();
  const auto model =
      KernelPca{Gaussian(0.8), PowerIteration{{.tolerance = 1e-7}}, {.components = k}}.fit(x);
  check_model(model, oracle(gram(Gaussian(0.8), x), true), 1e-6);
  // Where u is no eigenvector, K u / mu^(1/2) and mu^(1/2) u differ by the residual.
  check_transform(model, x, 1e-4);
}

TEST_CASE("solvers: forms of the Gram matrix and of the samples", "[models][solvers]") {
  const Matrix<double> x = clusters();
  const Gaussian kernel(0.8);
  const bool centered = GENERATE(true, false);
  const Matrix<double> dense = oracle(gram(kernel, x), centered);
  with_product_solvers(1e-5, [&](const auto& solver) {
    for (const GramStorage storage : {GramStorage::Stored, GramStorage::Recomputed}) {
      for (const Precision precision : {Precision::Single, Precision::Double}) {
        const auto model =
            KernelPca{
                kernel,
                solver,
                {.components = k, .centered = centered, .storage = storage, .precision = precision}}
                .fit(x);
        CHECK(model.report().precision == precision);
        CHECK(model.report().storage ==
              (storage == GramStorage::Stored ? "tiles stored" : "tiles recomputed"));
        CHECK_THAT(model.report().reason, ContainsSubstring("as asked for"));
        check_model(model, dense, 1e-5);
      }
    }
    const KernelPcaParams params{.components = k, .centered = centered};
    const SparseMatrix<double> sparse = x.sparseView();
    const auto from_sparse = KernelPca{kernel, solver, params}.fit(sparse);
    check_model(from_sparse, dense, 1e-5);
    check_transform(from_sparse, sparse, 1e-4);
    const Matrix<float> single = clusters<float>();
    const auto of_float = KernelPca{kernel, solver, params}.fit(single);
    CHECK(of_float.report().precision == Precision::Single);
    check_model(of_float, oracle(gram(kernel, Matrix<double>(single.cast<double>())), centered),
                1e-5);
    check_transform(of_float, single);
  });
}

TEST_CASE("solvers: a precomputed Gram matrix in double", "[models][solvers]") {
  const Matrix<double> x = clusters();
  const Matrix<double> given = gram(Gaussian(0.8), x);
  const KernelPcaParams params{.components = k, .centered = GENERATE(true, false)};
  const Matrix<double> dense = oracle(given, params.centered);
  with_product_solvers(1e-4, [&](const auto& solver) {
    const auto model = KernelPca{Precomputed{}, solver, params}.fit(given);
    check_model(model, dense, 1e-4);
    check_transform(model, given, 1e-3);
    CHECK(model.report().precision == Precision::Single);
    CHECK(model.report().storage == "tiles stored");
    CHECK_THAT(model.report().reason, ContainsSubstring("tiles stored: 1 MiB are within") &&
                                          ContainsSubstring("single precision, good enough"));
    for (const double residual : model.report().residuals)
      CHECK(residual <= 1e-4 * model.eigenvalues()(0));
    for (const GramStorage storage : {GramStorage::Stored, GramStorage::Recomputed}) {
      KernelPcaParams as_asked = params;
      as_asked.storage = storage;
      as_asked.precision = Precision::Single;
      const auto same = KernelPca{Precomputed{}, solver, as_asked}.fit(given);
      CHECK((same.training_scores() == model.training_scores()));
    }
    // All entries in the range of double only: scaled, the model is the same to the tolerance.
    const auto huge = KernelPca{Precomputed{}, solver, params}.fit(0x1p600 * given);
    CHECK(huge.report().precision == Precision::Double);
    CHECK((0x1p-600 * huge.eigenvalues() - model.eigenvalues()).cwiseAbs().maxCoeff() <=
          3e-4 * model.eigenvalues()(0));
  });
  with_product_solvers(1e-8, [&](const auto& solver) {
    const auto model = KernelPca{Precomputed{}, solver, params}.fit(given);
    check_model(model, dense, 1e-8);
    CHECK(model.report().precision == Precision::Double);
    CHECK(model.report().storage == "tiles recomputed");
    CHECK_THAT(model.report().reason, ContainsSubstring("tiles read from the matrix given"));
  });
}

TEST_CASE("solvers: the tolerance holds for kernels with a small first eigenvalue",
          "[models][solvers]") {
  // mu_1 is a hundredth of the trace: rounding in proportion to the trace is no excuse.
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 5);
  const Gaussian kernel(0.12);
  const auto model = KernelPca{kernel, BlockKrylov{}, {.components = k}}.fit(x);
  const Matrix<double> dense = oracle(gram(kernel, x), true);
  REQUIRE(model.components() == k);
  CHECK(model.report().status == Status::Converged);
  const Vector<double>& mu = model.eigenvalues();
  const Matrix<double> u = model.training_scores() * mu.cwiseSqrt().cwiseInverse().asDiagonal();
  const Matrix<double> rest = dense * u - u * mu.asDiagonal();
  CHECK(rest.colwise().norm().maxCoeff() <= 1.5e-6 * mu(0));  // the certificate is an estimate
}

TEST_CASE("solvers: tiles are double where single is not good enough", "[models][solvers]") {
  const Matrix<double> x = clusters();
  SECTION("for the tolerance") {
    const auto model =
        KernelPca{Gaussian(0.8), BlockKrylov{{.tolerance = 1e-12}}, {.components = k}}.fit(x);
    CHECK(model.report().precision == Precision::Double);
    check_model(model, oracle(gram(Gaussian(0.8), x), true), 1e-12);
  }
  SECTION("for a large common offset, which centring takes away") {
    const Matrix<double> far = x.array() + 1e4;
    const auto model = KernelPca{Linear{}, BlockKrylov{}, {.components = 3}}.fit(far);
    CHECK(model.report().status == Status::Converged);
    CHECK(model.report().precision == Precision::Double);
    const auto single =
        KernelPca{Linear{}, BlockKrylov{}, {.components = 3, .precision = Precision::Single}}.fit(
            far);
    CHECK(single.report().status == Status::NotConverged);
    CHECK(single.report().iterations < 20);  // it sees that rounding is in the way
    // The same of the matrix itself: the certificate finds what no entry shows.
    const auto given =
        KernelPca{Precomputed{}, BlockKrylov{}, {.components = 3}}.fit(gram(Linear{}, far));
    CHECK(given.report().status == Status::Converged);
    CHECK(given.report().precision == Precision::Double);
    CHECK_THAT(given.report().reason, ContainsSubstring("by the certificate"));
    REQUIRE(model.components() == 3);
    const auto near = KernelPca{Linear{}, Exact{}, {.components = 3}}.fit(x);
    CHECK((model.eigenvalues() - near.eigenvalues()).cwiseAbs().maxCoeff() <=
          2e-6 * near.eigenvalues()(0));
  }
}

TEST_CASE("solvers: a linear kernel has as many components as the samples dimensions",
          "[models][solvers]") {
  const Matrix<double> x = clusters();
  with_product_solvers(1e-6, [&](const auto& solver) {
    const auto model = KernelPca{Linear{}, solver, {.components = 10}}.fit(x);
    CHECK(model.report().status == Status::Converged);
    CHECK(model.components() == 4);
    CHECK(model.report().zero_eigenvalues == 6);
  });
}

TEST_CASE("solvers: constant data and duplicates", "[models][solvers]") {
  const auto check = [](const auto& solver) {
    for (const double value : {0.0, 0.1, 1e8}) {
      const Matrix<double> x = Matrix<double>::Constant(60, 3, value);
      const auto model = KernelPca{Gaussian(1.0), solver, {.components = 2}}.fit(x);
      CAPTURE(describe_solver(model.report()), value);
      CHECK(model.components() == 0);
      CHECK(model.report().status == Status::Converged);
      CHECK(model.report().zero_eigenvalues == 2);
      CHECK(model.transform(x).cols() == 0);
      // Every sample is at the mean.
      CHECK(model.novelty(x).spe.cwiseAbs().maxCoeff() <= 1e-6);
      CHECK(model.expansion(model.transform(x)).rowwise().sum().isOnes(1e-12));
      CHECK(KernelPca{Linear{}, solver, {.components = 2}}.fit(x).components() == 0);
    }
    Matrix<double> few(60, 2);
    for (Index i = 0; i < 60; ++i) few.row(i) = test::uniform_samples<double>(6, 2, 6).row(i % 6);
    const auto model = KernelPca{Gaussian(1.0), solver, {.components = 12}}.fit(few);
    CAPTURE(describe_solver(model.report()));
    CHECK(model.components() == 5);  // six distinct samples, less one for the mean
    CHECK(model.report().zero_eigenvalues == 7);
    CHECK(model.transform(few).allFinite());
  };
  check(Exact{});
  check(Auto{});
  check(Nystrom{Uniform{}, {.landmarks = 60}});
  with_product_solvers(1e-6, check);
}

TEST_CASE("solvers: equal samples have no component, however many they are", "[models][solvers]") {
  const auto check = [](const auto& solver) {
    for (const Index count : {Index{61}, Index{331}, Index{881}, Index{1203}}) {
      Matrix<double> x(count, 4);
      x.rowwise() = Eigen::RowVector4d(-8.757720947265625, 2.2140469551, 11.16917419, -31.49958);
      Vector<double> weights = Vector<double>::Ones(count);
      weights.head(count / 3) *= 3.3;
      const KernelPca pca{Linear{}, solver, {.components = 2}};
      for (const auto& model : {pca.fit(x), pca.fit(x, weights)}) {
        CAPTURE(describe_solver(model.report()), count);
        CHECK(model.components() == 0);
        CHECK(model.report().components == 0);
        CHECK(model.report().status == Status::Converged);
        CHECK(model.report().zero_eigenvalues == 2);
      }
    }
  };
  check(Exact{});
  check(BlockKrylov{});
  check(Lanczos{});
}

TEST_CASE("solvers: components that rounding errors hide are not zero", "[models][solvers]") {
  // The variances 900, 36 and 1 beside kernel values of 3e14, whose rounding errors are 0.06 each.
  Matrix<double> x = test::uniform_samples<double>(150, 3, 4, -1.0, 1.0);
  for (Index j = 0; j < 3; ++j) x.col(j) *= std::pow(10.0, 1 - j);
  const auto check = [&](const auto& solver) {
    for (const double origin : {1e7, 1e9}) {
      const Matrix<double> far = x.array() + origin;
      const auto model = KernelPca{Linear{}, solver, {.components = 3}}.fit(far);
      CAPTURE(describe_solver(model.report()), origin, model.components(), model.report().reason);
      CHECK(model.report().status == Status::NotConverged);
      CHECK(model.report().zero_eigenvalues == 0);
      CHECK_THAT(model.report().reason, ContainsSubstring("subtract their mean"));
    }
    // The values of a very wide kernel are all 1.
    const auto wide = KernelPca{Gaussian{1e300}, solver, {.components = 3}}.fit(x);
    CHECK(wide.report().status == Status::NotConverged);
    CHECK_THAT(wide.report().reason, ContainsSubstring("take a smaller width"));
    const auto near = KernelPca{Linear{}, solver, {.components = 4}}.fit(x);
    CHECK(near.report().status == Status::Converged);
    CHECK(near.report().zero_eigenvalues == 1);
    // Only samples with a weight count.
    Matrix<double> same = Matrix<double>::Constant(60, 3, 1e8);
    same.row(7).setZero();
    Vector<double> weights = Vector<double>::Ones(60);
    weights(7) = 0;
    const auto none = KernelPca{Linear{}, solver, {.components = 2}}.fit(same, weights);
    CHECK(none.report().status == Status::Converged);
    CHECK(none.report().zero_eigenvalues == 2);
  };
  check(Exact{});
  check(Auto{});
  check(Nystrom{Uniform{}, {.landmarks = 60}});
  check(BlockKrylov{});
}

TEST_CASE("solvers: the unit of the samples has no part in it", "[models][solvers][law]") {
  const Matrix<double> x = clusters();
  with_product_solvers(1e-6, [&](const auto& solver) {
    const auto base = KernelPca{Gaussian(0.8), solver, {.components = k}}.fit(x);
    for (const double c : {1e-6, 1e6, 0x1p-80, 0x1p80}) {
      const auto scaled = KernelPca{Gaussian(0.8 * c), solver, {.components = k}}.fit(c * x);
      CHECK(scaled.report().status == Status::Converged);
      REQUIRE(scaled.components() == k);
      CHECK((scaled.eigenvalues() - base.eigenvalues()).cwiseAbs().maxCoeff() <=
            2e-6 * base.eigenvalues()(0));
    }
    const auto linear = KernelPca{Linear{}, solver, {.components = 3}}.fit(x);
    for (const double c : {1e-25, 1e-12, 1e12, 1e25}) {
      const auto scaled = KernelPca{Linear{}, solver, {.components = 3}}.fit(c * x);
      REQUIRE(scaled.components() == 3);
      CHECK((scaled.eigenvalues() / (c * c) - linear.eigenvalues()).cwiseAbs().maxCoeff() <=
            2e-6 * linear.eigenvalues()(0));
    }
  });
}

TEST_CASE("solvers: models over landmarks", "[models][solvers]") {
  const Matrix<double> x = clusters();
  const bool centered = GENERATE(true, false);
  const Gaussian kernel(0.8);
  const auto model =
      KernelPca{
          kernel, Nystrom{RpCholesky{}, {.landmarks = 60}}, {.components = k, .centered = centered}}
          .fit(x);
  CHECK(model.report().expansion_points == 60);
  CHECK(model.points().rows() == 60);
  CHECK(model.report().storage == "landmarks");
  const Matrix<double> scores = model.training_scores();
  CHECK((model.transform(x) - scores).cwiseAbs().maxCoeff() <= 1e-10);
  CHECK((scores.colwise().squaredNorm().transpose() - model.eigenvalues()).cwiseAbs().maxCoeff() <=
        1e-10 * model.eigenvalues()(0));
  if (centered) CHECK(scores.colwise().mean().cwiseAbs().maxCoeff() <= 1e-12);

  // An expansion g is the projection sum_i g_i phi(p_i): its distance to phi(x), from kernel values
  // alone, is the error that novelty() has from scores.
  const Matrix<double> q = test::uniform_samples<double>(20, 4, 7, 0, 1.5);
  const Matrix<double> g = model.expansion(model.transform(q));
  REQUIRE(g.rows() == 20);
  REQUIRE(g.cols() == 60);
  const Matrix<double> among = gram(kernel, model.points()), to = gram(kernel, q, model.points());
  const Vector<double> squared = (1 - 2 * g.cwiseProduct(to).rowwise().sum().array() +
                                  (g * among).cwiseProduct(g).rowwise().sum().array())
                                     .matrix();
  CHECK((squared - model.novelty(q).spe).cwiseAbs().maxCoeff() <= 1e-9);
  CHECK((squared - model.reconstruction_error(q)).cwiseAbs().maxCoeff() <= 1e-9);
  // Its inner products with the directions are the scores again.
  const Matrix<double> again =
      (g * among * model.coefficients()).rowwise() - model.offset().transpose();
  CHECK((again - model.transform(q)).cwiseAbs().maxCoeff() <= 1e-9);

  const Matrix<double> points = model.inverse_transform(scores.topRows(10));
  REQUIRE(points.rows() == 10);
  REQUIRE(points.cols() == 4);
  CHECK(points.allFinite());
  // Near the clusters, not at the origin or far away.
  CHECK((points - x.topRows(10)).rowwise().norm().maxCoeff() <= 1.5);
}

TEST_CASE("solvers: a cancelled fit has no components and says so", "[models][solvers]") {
  const Matrix<double> x = clusters();
  with_product_solvers(1e-6, [&](const auto& solver) {
    int calls = 0;
    const auto model = KernelPca{Gaussian(0.8), solver, {.components = k}}.fit(
        x, [&](const Progress&) { return calls++ < 1; });
    CHECK(model.report().status == Status::Cancelled);
    CHECK(model.components() == 0);
    CHECK(model.transform(x).cols() == 0);
  });
}

TEST_CASE("solvers: Precomputed has no landmarks", "[models][solvers]") {
  const Matrix<double> values = gram(Gaussian(0.8), clusters());
  CHECK_THAT(test::error_of([&] {
               return KernelPca{Precomputed{}, Nystrom{Uniform{}}}.fit(values);
             }),
             ContainsSubstring("precomputed") && ContainsSubstring("BlockKrylov"));
}

}  // namespace solvers_test
