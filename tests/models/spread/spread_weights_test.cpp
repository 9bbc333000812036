// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/estimators/column_sampling.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/losses/huber.hpp>
#include <mercer/losses/norms.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/spread_auto.hpp>
#include <mercer/models/spread/spread_exact.hpp>
#include <mercer/models/spread/spread_features.hpp>
#include <mercer/models/spread/spread_nystrom.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/models/spread/spread_spgd.hpp>
#include <mercer/models/spread/spread_stochastic.hpp>
#include <mercer/solvers/auto.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/dual/dca.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/krylov/lanczos.hpp>
#include <mercer/solvers/krylov/power_iteration.hpp>
#include <mercer/solvers/nystrom/greedy_cholesky.hpp>
#include <mercer/solvers/nystrom/kmeans_landmarks.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>
#include <mercer/solvers/nystrom/weighted_landmarks.hpp>
#include <mercer/solvers/spgd/spgd.hpp>
#if defined(MERCER_HAS_LBFGSPP)
#include <mercer/solvers/dual/dual.hpp>
#endif
#include <tests/models/spread/spread_fits.hpp>
#include <tests/support/row_parts.hpp>

namespace spread_weights_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::Auto;
using mercer::BlockKrylov;
using mercer::Exact;
using mercer::FeaturePca;
using mercer::Gaussian;
using mercer::Index;
using mercer::KernelPca;
using mercer::Lanczos;
using mercer::Matrix;
using mercer::Nystrom;
using mercer::NystromParams;
using mercer::Processes;
using mercer::RandomFourier;
using mercer::RowSums;
using mercer::SparseMatrix;
using mercer::SpreadRows;
using mercer::Status;
using mercer::Vector;
using mercer::test::fit;
using mercer::test::fit_features;
using mercer::test::fit_streams;
using mercer::test::Found;
using mercer::test::groups;
using mercer::test::part;
using mercer::test::sentence;

constexpr Index n = 800, k = 3;

/// 7 have processes without rows: 800 rows are 4 tiles.
const std::vector<Index> counts{2, 3, 5, 7};

/// Weights over three decades, some of them 0; the first row too.
Vector<double> uneven_weights(Index rows) {
  Vector<double> weights(rows);
  mercer::RandomStream stream(1, "weights");
  for (Index i = 0; i < rows; ++i) {
    weights(i) = std::pow(10.0, -3 * stream.uniform());
    if (i % 5 == 0) weights(i) = 0;
  }
  return weights;
}

/// A fit over processes is that of one process with the same weights, and has the same bits for any
/// number of processes.
/// \param tolerance  of scores, relative
template <class S>
void check_solver(const S& solver, double value_tolerance, double tolerance,
                  const std::vector<Index>& numbers) {
  const Matrix<double> x = groups(n), q = mercer::normal_matrix<double>(300, 4, 1, "q");
  const Vector<double> weights = uneven_weights(n);
  for (const bool centered : {true, false}) {
    const KernelPca pca(Gaussian(2.0), solver, {.components = k, .centered = centered});
    const auto whole = pca.fit(x, weights);
    const Found one = fit(pca, x, q, 1, RowSums::OrderFree, weights);
    CHECK(one.report.status == Status::Converged);
    CHECK((one.values - whole.eigenvalues()).norm() <= value_tolerance * whole.eigenvalues()(0));
    CHECK((one.scores - whole.training_scores()).norm() <=
          tolerance * whole.training_scores().norm());
    CHECK((one.new_scores - whole.transform(q)).norm() <= tolerance * one.scores.norm());
    CHECK(one.report.trace == Approx(whole.report().trace));
    REQUIRE(one.gathered);
    CHECK(one.gathered->points() == whole.points());
    CHECK(one.gathered->training_scores() == one.scores);
    CHECK(one.gathered->parts().mean_weights.isApprox(whole.parts().mean_weights, tolerance));
    CHECK((one.gathered->transform(q) - one.new_scores).norm() <= 1e-12 * one.scores.norm());
    CHECK(one.gathered->novelty(q).spe.isApprox(whole.novelty(q).spe, tolerance));
    for (const Index count : numbers) {
      const Found found = fit(pca, x, q, count, RowSums::OrderFree, weights);
      CHECK(found.values == one.values);
      CHECK(found.scores == one.scores);
      CHECK(found.new_scores == one.new_scores);
      CHECK(found.report.residuals == one.report.residuals);
      CHECK(found.gathered->points() == whole.points());
      CHECK(found.gathered->coefficients() == one.gathered->coefficients());
      CHECK(found.gathered->offset() == one.gathered->offset());
      CHECK(found.gathered->parts().mean_weights == one.gathered->parts().mean_weights);
    }
    const Found plain = fit(pca, x, q, 3, RowSums::Plain, weights);
    CHECK((plain.values - one.values).norm() <= value_tolerance * one.values(0));
    CHECK((plain.scores - one.scores).norm() <= tolerance * one.scores.norm());
  }
}

// The solvers stop at residuals of 1e-9 mu_1; eigenvalues are then accurate to the square of it,
// and vectors to the residual over a gap of about a tenth.
constexpr double stop = 1e-9, values = 1e-12, scores = 1e-6;

}  // namespace

TEST_CASE("spread weights: block Krylov as in one process, with the same bits for any processes",
          "[models][rows]") {
  check_solver(BlockKrylov({.tolerance = stop}), values, scores, counts);
}

TEST_CASE("spread weights: Lanczos, and solvers whose steps are on the first process",
          "[models][rows][slow]") {
  check_solver(Lanczos({.tolerance = stop}), values, scores, {3, 7});
  check_solver(mercer::PowerIteration({.tolerance = stop, .max_iterations = 100000}), values,
               scores, {3});
#if defined(MERCER_HAS_LBFGSPP)
  check_solver(mercer::Dual({.stop = mercer::DualStop::Residual, .tolerance = stop}), values,
               scores, {3});
#endif
}

TEST_CASE("spread weights: Exact and Auto", "[models][rows]") {
  check_solver(Exact{}, 1e-13, 1e-10, {3, 7});
  check_solver(Auto({.tolerance = stop}), values, scores, {3});
}

TEST_CASE("spread weights: Nystrom with landmarks that are drawn, or pivots", "[models][rows]") {
  // Rounding of 100 landmarks, whose Gram matrix has small eigenvalues.
  const NystromParams params{.landmarks = 100};
  check_solver(Nystrom(mercer::Uniform{}, params), 1e-10, 1e-7, counts);
  check_solver(Nystrom(mercer::RpCholesky{}, params), 1e-10, 1e-7, counts);
  check_solver(Nystrom(mercer::GreedyCholesky{}, params), 1e-10, 1e-7, {3});
}

TEST_CASE("spread weights: Nystrom with landmarks from a pool, and given ones",
          "[models][rows][slow]") {
  const NystromParams params{.landmarks = 100};
  check_solver(Nystrom(mercer::KMeansLandmarks{}, params), 1e-10, 1e-7, {3});
  check_solver(Nystrom(mercer::DiagonalSampling{}, params), 1e-10, 1e-7, {3});
  check_solver(Nystrom(mercer::Given(Matrix<double>(groups(60).bottomRows(40)))), 1e-10, 1e-7, {3});
  // Of a pool of some rows, which the weights choose.
  const Matrix<double> x = groups(3000);
  const Vector<double> weights = uneven_weights(3000);
  const auto in_pool = [&](const auto& selector) {
    const KernelPca pca(Gaussian(2.0), Nystrom(selector, params),
                        {.components = k, .memory_budget = std::size_t{1} << 20U});
    const auto whole = pca.fit(x, weights);
    CHECK_THAT(whole.report().solver_form, ContainsSubstring("rows"));
    const Found one = fit(pca, x, x.topRows(9), 1, RowSums::OrderFree, weights);
    const Found three = fit(pca, x, x.topRows(9), 3, RowSums::OrderFree, weights);
    CHECK(one.report.solver_form == whole.report().solver_form);
    CHECK(one.gathered->points() == whole.points());
    CHECK(one.values.isApprox(whole.eigenvalues(), 1e-9));
    CHECK(three.scores == one.scores);
  };
  in_pool(mercer::RpCholesky{});
}

TEST_CASE("spread weights: features", "[models][rows]") {
  const auto check = [](const auto& x) {
    const Vector<double> weights = uneven_weights(n);
    for (const bool centered : {true, false}) {
      const KernelPca pca(Gaussian(2.0),
                          FeaturePca(RandomFourier{.features = 40}, {.blocks = 2, .batch = 700}),
                          {.components = k, .centered = centered});
      const auto whole = pca.fit(x, weights);
      const auto one = fit_features(pca, x, 1, RowSums::OrderFree, {}, weights);
      CHECK(one.report.status == Status::Converged);
      CHECK(one.values.isApprox(whole.eigenvalues(), 1e-12));
      CHECK(one.coefficients.isApprox(whole.coefficients(), 1e-9));
      CHECK(one.scores.isApprox(whole.transform(x), 1e-9));
      CHECK(one.report.trace == Approx(whole.report().trace));
      for (const Index count : counts) {
        const auto found = fit_features(pca, x, count, RowSums::OrderFree, {}, weights);
        CHECK(found.values == one.values);
        CHECK(found.coefficients == one.coefficients);
        CHECK(found.scores == one.scores);
      }
      if constexpr (mercer::DenseSamples<std::decay_t<decltype(x)>>)
        for (const Index count : counts)
          CHECK(fit_streams(pca, x, count, RowSums::OrderFree, weights).coefficients ==
                one.coefficients);
      CHECK(
          fit_features(pca, x, 3, RowSums::Plain, {}, weights).values.isApprox(one.values, 1e-12));
    }
  };
  check(groups(n));
  check(SparseMatrix<double>(groups(n).sparseView()));
}

TEST_CASE("spread weights: features of a fit that is stopped", "[models][rows]") {
  // Process 0 sums its 256 rows; the others are stopped before their first.
  const Matrix<double> x = groups(n);
  const Vector<double> weights = uneven_weights(n);
  const KernelPca pca(Gaussian(2.0), FeaturePca(RandomFourier{.features = 30}), {.components = k});
  const auto stopped = fit_features(
      pca, x, 3, RowSums::OrderFree, [](const mercer::Progress&) { return false; }, weights);
  CHECK(stopped.report.status == Status::Cancelled);
  CHECK(stopped.report.samples == 256);
  // Another radius does not matter: rows of the first batch give it, and the map has the same.
  const KernelPca of_head(Gaussian(2.0), FeaturePca(RandomFourier{.features = 30}),
                          {.components = k});
  CHECK(
      stopped.values.isApprox(of_head.fit(x.topRows(256), weights.head(256)).eigenvalues(), 1e-9));
}

TEST_CASE("spread weights: single precision and sparse samples", "[models][rows]") {
  const Matrix<double> x = groups(700);
  const Vector<double> weights = uneven_weights(700);
  const auto eigenvalues = [&](const auto& samples, Index count) {
    using X = std::decay_t<decltype(samples)>;
    std::vector<Vector<double>> all(static_cast<std::size_t>(count));
    mercer::run_as_processes(count, [&](const Processes& processes) {
      const bool has = processes.rank() + 1 == count;
      const X none(0, has ? samples.cols() : 0);
      // Weights in single precision, as a file may have them.
      const Matrix<float> omega = has ? Matrix<float>(weights.cast<float>()) : Matrix<float>(0, 1);
      all[static_cast<std::size_t>(processes.rank())] =
          mercer::fit_spread(KernelPca(Gaussian(2.0), BlockKrylov{}, {.components = k}),
                             SpreadRows<X>::from_parts(processes, has ? samples : none),
                             SpreadRows<Matrix<float>>::from_parts(processes, omega))
              .eigenvalues()
              .template cast<double>();
    });
    return all.front();
  };
  const Vector<double> exact =
      KernelPca(Gaussian(2.0), Exact{}, {.components = k}).fit(x, weights).eigenvalues();
  const Matrix<float> single = x.cast<float>();
  const SparseMatrix<double> sparse = x.sparseView();
  CHECK(eigenvalues(sparse, 3) == eigenvalues(sparse, 1));
  CHECK(eigenvalues(single, 3) == eigenvalues(single, 1));
  CHECK(eigenvalues(sparse, 3).isApprox(exact, 1e-6));
  CHECK(eigenvalues(single, 3).isApprox(exact, 1e-5));
}

TEST_CASE("spread weights: only their ratios matter, and equal ones are none", "[models][rows]") {
  const Matrix<double> x = groups(600), q = x.topRows(5);
  const KernelPca pca(Gaussian(2.0), BlockKrylov{}, {.components = k});
  Vector<double> weights = uneven_weights(600);
  const Found once = fit(pca, x, q, 3, RowSums::OrderFree, weights);
  // Their sum would overflow.
  const double scale = std::ldexp(1.0, 1023);
  CHECK(fit(pca, x, q, 3, RowSums::OrderFree, scale * weights).scores == once.scores);
  weights.setConstant(7);
  const Found equal = fit(pca, x, q, 3, RowSums::OrderFree, weights);
  const Found none = fit(pca, x, q, 3);
  CHECK(equal.scores == none.scores);
  CHECK(equal.gathered->points() == x);
  // Also for a solver that takes none.
  const KernelPca spgd(Gaussian(2.0),
                       mercer::Spgd(mercer::ColumnSampling{.columns = 50}, {.iterations = 20}),
                       {.components = 2});
  CHECK(fit(spgd, x, q, 3, RowSums::OrderFree, weights).scores == fit(spgd, x, q, 3).scores);
}

TEST_CASE("spread weights: all on rows of one process, and on one row", "[models][rows]") {
  const Matrix<double> x = groups(700), q = x.topRows(5);
  Vector<double> weights = Vector<double>::Zero(700);
  weights.tail(100).setOnes();
  const KernelPca pca(Gaussian(2.0), BlockKrylov({.tolerance = stop}), {.components = k});
  const Found found = fit(pca, x, q, 3, RowSums::OrderFree, weights);
  const auto alone = KernelPca(Gaussian(2.0), Exact{}, {.components = k}).fit(x.bottomRows(100));
  CHECK(found.values.isApprox(7 * alone.eigenvalues(), 1e-9));
  CHECK(found.gathered->points() == x.bottomRows(100));
  weights.setZero();
  weights(300) = 2;
  CHECK(fit(pca, x, q, 3, RowSums::OrderFree, weights).values.size() == 0);
  const KernelPca nystrom(Gaussian(2.0), Nystrom(mercer::RpCholesky{}, {.landmarks = 50}),
                          {.components = k});
  const Found none = fit(nystrom, x, q, 3, RowSums::OrderFree, weights);
  CHECK(none.values.size() == 0);
  CHECK(none.report.status == nystrom.fit(x, weights).report().status);
  const KernelPca exact(Gaussian(2.0), Exact{}, {.components = k});
  CHECK(fit(exact, x, q, 3, RowSums::OrderFree, weights).values.size() == 0);
}

TEST_CASE("spread weights: what is refused, on all processes", "[models][rows]") {
  const Matrix<double> x = groups(600);
  const auto with = [&](const Vector<double>& weights, const auto& solver) {
    return sentence([&](const Processes& processes) {
      static_cast<void>(mercer::fit_spread(KernelPca(Gaussian(1.0), solver, {.components = 2}),
                                           part(processes, x), part(processes, weights)));
    });
  };
  const BlockKrylov krylov;
  Vector<double> weights = Vector<double>::Ones(600);
  weights(550) = -1;
  CHECK_THAT(with(weights, krylov), ContainsSubstring("mercer::fit_spread: weights must be finite "
                                                      "and not negative, got -1 at sample 550"));
  weights(550) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(with(weights, krylov), ContainsSubstring("at sample 550"));
  CHECK_THAT(with(Vector<double>::Zero(600), krylov),
             ContainsSubstring("at least one weight must be positive"));
  CHECK_THAT(with(Vector<double>::Ones(599), krylov),
             ContainsSubstring("600 samples need as many weights, got 599"));
  CHECK_THAT(sentence([&](const Processes& processes) {
               static_cast<void>(mercer::fit_spread(KernelPca(Gaussian(1.0), krylov),
                                                    part(processes, x), part(processes, x)));
             }),
             ContainsSubstring("weights must be one column, got 4"));
  const KernelPca features(Gaussian(1.0), FeaturePca(RandomFourier{.features = 20}));
  CHECK_THAT(sentence([&](const Processes& processes) {
               mercer::MatrixStream<Matrix<double>> stream(x);
               static_cast<void>(mercer::fit_spread(features, processes, stream,
                                                    part(processes, Vector<double>::Ones(599))));
             }),
             ContainsSubstring("600 samples need as many weights, got 599"));
  weights(550) = 2;
  const auto refused = ContainsSubstring("mercer::fit_spread: this solver takes no weights");
  CHECK_THAT(with(weights, mercer::Spgd(mercer::ColumnSampling{.columns = 50})), refused);
  CHECK_THAT(with(weights, mercer::DoublyStochastic(RandomFourier{.features = 20})), refused);
  CHECK_THAT(with(weights, mercer::Dca(mercer::Huber<mercer::L2>{0.5})), refused);
}

}  // namespace spread_weights_test
