// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include <mercer/core/report.hpp>
#include <mercer/estimators/column_sampling.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/spread_spgd.hpp>
#include <mercer/solvers/spgd/spgd.hpp>
#include <tests/models/spread/spread_fits.hpp>
#include <tests/support/row_parts.hpp>

namespace spread_spgd_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::ColumnSampling;
using mercer::Gaussian;
using mercer::Index;
using mercer::KernelPca;
using mercer::Matrix;
using mercer::Processes;
using mercer::RandomFourier;
using mercer::RowSums;
using mercer::Spgd;
using mercer::SpgdDetails;
using mercer::SpreadRows;
using mercer::Status;
using mercer::SymmetricColumnSampling;
using mercer::test::fit;
using mercer::test::Found;
using mercer::test::groups;
using mercer::test::sentence;

constexpr Index n = 600;

// Rounding of sums over 600 rows in 10 steps, over gaps of a tenth of mu_1.
constexpr double tolerance = 1e-8;

/// The same bits on any number of processes, and those of one process up to rounding.
template <class E>
void check_estimator(const E& estimator, mercer::SpgdParams params, bool centered = true) {
  const Matrix<double> x = groups(n), q = x.topRows(100);
  params.iterations = 10;
  const KernelPca pca(Gaussian(2.0), Spgd(estimator, params),
                      {.components = 3, .centered = centered});
  const auto whole = pca.fit(x);
  const Found one = fit(pca, x, q, 1);
  REQUIRE(one.values.size() == whole.components());
  CHECK(one.values.isApprox(whole.eigenvalues(), tolerance));
  CHECK(one.scores.isApprox(whole.training_scores(), tolerance));
  CHECK(one.new_scores.isApprox(whole.transform(q), tolerance));
  CHECK(one.report.status == whole.report().status);
  CHECK(one.report.trace == Approx(whole.report().trace));
  const auto& ours = std::get<SpgdDetails>(one.report.details);
  const auto& theirs = std::get<SpgdDetails>(whole.report().details);
  CHECK(ours.lambda == Approx(theirs.lambda));
  CHECK(ours.ranks == theirs.ranks);
  CHECK(ours.expected_error == Approx(theirs.expected_error));
  REQUIRE(one.gathered);
  CHECK(one.gathered->transform(q).isApprox(one.new_scores, tolerance));
  for (const Index count : {2, 5}) {
    const Found found = fit(pca, x, q, count);
    CHECK(found.values == one.values);
    CHECK(found.scores == one.scores);
    CHECK(found.new_scores == one.new_scores);
    CHECK(found.report.residuals == one.report.residuals);
    CHECK(found.gathered->coefficients() == one.gathered->coefficients());
    CHECK(found.gathered->offset() == one.gathered->offset());
  }
  const Found plain = fit(pca, x, q, 3, RowSums::Plain);
  CHECK(plain.values.isApprox(one.values, tolerance));
}

}  // namespace

TEST_CASE("spread SPGD: random features", "[models][rows]") {
  check_estimator(RandomFourier{.features = 30}, {});
  check_estimator(RandomFourier{.features = 30}, {.lambda = 20, .tolerance = 0.5}, false);
}

TEST_CASE("spread SPGD: columns of the Gram matrix", "[models][rows]") {
  check_estimator(SymmetricColumnSampling{.columns = 20}, {});
  check_estimator(ColumnSampling{.columns = 20}, {}, false);
}

TEST_CASE("spread SPGD: a start from landmarks, a certificate from some rows", "[models][rows]") {
  check_estimator(RandomFourier{.features = 30}, {.landmarks = 40, .certificate_rows = 300});
}

TEST_CASE("spread SPGD: samples in single precision, and features scaled by all samples",
          "[models][rows]") {
  const Matrix<float> x = groups(700).cast<float>();
  const KernelPca pca(mercer::Polynomial({.coef0 = 1, .degree = 2}),
                      Spgd(mercer::RandomMaclaurin{.features = 40}, {.iterations = 10}),
                      {.components = 2});
  const auto fitted = [&](Index count) {
    std::vector<Matrix<float>> scores(static_cast<std::size_t>(count));
    mercer::run_as_processes(count, [&](const Processes& processes) {
      // The largest sample is on one process.
      const bool has = processes.rank() + 1 == count;
      const Matrix<float> none(0, has ? x.cols() : 0);
      const auto samples = SpreadRows<Matrix<float>>::from_parts(processes, has ? x : none);
      scores[static_cast<std::size_t>(processes.rank())] =
          fit_spread(pca, samples).training_scores();
    });
    return mercer::test::stacked(scores);
  };
  const Matrix<float> one = fitted(1), whole = pca.fit(x).training_scores();
  // Single precision, over the same gaps.
  CHECK(one.isApprox(whole, 1e-3F));
  CHECK(fitted(3) == one);
  CHECK(fitted(7) == one);
}

TEST_CASE("spread SPGD: more processes than rows, equal samples", "[models][rows]") {
  const KernelPca pca(Gaussian(1.0), Spgd(RandomFourier{.features = 10}, {.iterations = 5}),
                      {.components = 1});
  const Matrix<double> few = groups(20), equal = Matrix<double>::Ones(300, 2);
  CHECK(fit(pca, few, few, 3).scores == fit(pca, few, few, 1).scores);
  CHECK(fit(pca, equal, equal, 3).values == fit(pca, equal, equal, 1).values);
}

TEST_CASE("spread SPGD: a memory limit ends all alike", "[models][rows]") {
  const Matrix<double> x = groups(600);
  const KernelPca pca(Gaussian(1.0),
                      Spgd(RandomFourier{.features = 40}, {.lambda = 0, .iterations = 30}),
                      {.components = 2, .memory_budget = 700000});
  const Found one = fit(pca, x, x, 1), three = fit(pca, x, x, 3);
  CHECK(one.report.status == Status::NotConverged);
  CHECK(one.report.iterations < 30);
  CHECK(three.report.iterations == one.report.iterations);
  CHECK(three.scores == one.scores);
}

TEST_CASE("spread SPGD: what processes must agree on, checkpoints, and observers",
          "[models][rows]") {
  const Matrix<double> x = groups(600);
  const auto different = [&](const auto& solver_of) {
    return sentence([&](const Processes& processes) {
      static_cast<void>(
          fit_spread(KernelPca(Gaussian(1.0), solver_of(processes.rank()), {.components = 2}),
                     mercer::test::part(processes, x)));
    });
  };
  CHECK_THAT(different([](Index rank) { return Spgd(RandomFourier{}, {.iterations = 10 + rank}); }),
             ContainsSubstring("different settings of Spgd"));
  CHECK_THAT(different([](Index rank) { return Spgd(ColumnSampling{.columns = 10 + rank}); }),
             ContainsSubstring("different settings of Spgd"));
  CHECK_THAT(different([](Index) { return Spgd(ColumnSampling{.columns = 601}); }),
             ContainsSubstring("601 columns out of 600"));
  // A visitor sees its rows, and what it throws on one process, all throw.
  std::vector<Index> seen(3);
  CHECK(different([&seen](Index rank) {
          return Spgd(RandomFourier{}, {.iterations = 3},
                      {.iterations = {2}, .visit = [&seen, rank](Index, const auto& iterate) {
                         seen[static_cast<std::size_t>(rank)] = iterate.vectors.rows();
                         if (rank == 1) mercer::detail::fail("full");
                       }});
        }) == "full");
  CHECK(seen == std::vector<Index>{256, 256, 88});
  const KernelPca pca(Gaussian(1.0), Spgd(RandomFourier{.features = 20}), {.components = 2});
  mercer::test::check_throwing_observer(pca, x);
  std::vector<mercer::Report> reports(3);
  mercer::run_as_processes(3, [&](const Processes& processes) {
    Index asked = 0;
    const mercer::Observer observer = [&](const mercer::Progress&) {
      return processes.rank() != 1 || ++asked < 4;
    };
    reports[static_cast<std::size_t>(processes.rank())] =
        fit_spread(pca, mercer::test::part(processes, x), observer).report();
  });
  for (const mercer::Report& report : reports) {
    CHECK(report.status == Status::Cancelled);
    CHECK(report.iterations == 3);
  }
}

/// The same scores on 1, 2 and 3 processes.
void check_counts(const Matrix<double>& x, const auto& kernel, const auto& estimator,
                  Index iterations) {
  const KernelPca pca(kernel, Spgd(estimator, {.iterations = iterations}), {.components = 2});
  const auto fitted = [&](Index count) {
    std::vector<Matrix<double>> scores(static_cast<std::size_t>(count));
    mercer::run_as_processes(count, [&](const Processes& processes) {
      scores[static_cast<std::size_t>(processes.rank())] =
          fit_spread(pca, mercer::test::part(processes, x)).training_scores();
    });
    return mercer::test::stacked(scores);
  };
  const Matrix<double> one = fitted(1);
  for (const Index count : {2, 3}) CHECK(fitted(count) == one);
}

TEST_CASE("spread SPGD: columns of kernels whose bits depend on addresses", "[models][rows]") {
  // Columns of 901 numbers begin at addresses that no register is aligned to.
  const Matrix<double> x = groups(901);
  check_counts(x, mercer::Matern({.nu = 1.5, .length = 2.0}), SymmetricColumnSampling{.columns = 7},
               6);
  check_counts(x, mercer::RationalQuadratic{}, ColumnSampling{.columns = 7, .replacement = true},
               6);
}

TEST_CASE("spread SPGD: many steps", "[models][rows][slow]") {
  // Orthonormality is checked twice.
  check_counts(groups(901), Gaussian(2.0), RandomFourier{.features = 8}, 201);
}

TEST_CASE("spread SPGD: sparse rows", "[models][rows]") {
  const mercer::SparseMatrix<double> sparse = groups(901).sparseView();
  std::vector<Matrix<double>> values(3);
  mercer::run_as_processes(3, [&](const Processes& processes) {
    const mercer::RowSpace rows = mercer::RowSpace::spread(901, processes);
    const mercer::SparseMatrix<double> mine = sparse.middleRows(rows.first(), rows.local());
    const auto part = SpreadRows<mercer::SparseMatrix<double>>::from_parts(processes, mine);
    values[static_cast<std::size_t>(processes.rank())] =
        fit_spread(KernelPca(Gaussian(2.0), Spgd(RandomFourier{.features = 20}, {.iterations = 9}),
                             {.components = 2}),
                   part)
            .eigenvalues();
  });
  CHECK(values[0].isApprox(
      KernelPca(Gaussian(2.0), Spgd(RandomFourier{.features = 20}, {.iterations = 9}),
                {.components = 2})
          .fit(sparse)
          .eigenvalues(),
      tolerance));
}

TEST_CASE("spread SPGD: processes of one machine share half of its memory", "[models][rows]") {
  const auto limit = [](Index count, std::size_t given) {
    std::vector<double> found(static_cast<std::size_t>(count));
    mercer::run_as_processes(count, [&](const Processes& processes) {
      found[static_cast<std::size_t>(processes.rank())] =
          static_cast<double>(mercer::detail::memory_limit(processes, given));
    });
    CHECK(found == std::vector<double>(found.size(), found.front()));
    return found.front();
  };
  CHECK(limit(4, 1000) == 1000);
  // Other programs may take or free some memory meanwhile, but not half of it.
  const auto half = static_cast<double>(mercer::available_memory()) / 2;
  for (const Index count : {1, 4})
    CHECK((limit(count, 0) <= 2 * half && 2 * limit(count, 0) >= half));
}

TEST_CASE("spread SPGD: kernels that throw on one process, or that are not bounded by k(x, x)",
          "[models][rows]") {
  Matrix<double> x = groups(600);
  x(514, 0) = 1e3;  // on the last process, and not among the rows that all processes have
  const auto told = [&](const auto& kernel, const auto& estimator, mercer::SpgdParams params) {
    params.lambda = 1;
    params.iterations = 2;
    return sentence([&](const Processes& processes) {
      static_cast<void>(fit_spread(KernelPca(kernel, Spgd(estimator, params), {.components = 1}),
                                   mercer::test::part(processes, x)));
    });
  };
  const mercer::Callable moody(
      [](Eigen::Ref<const mercer::Vector<double>> a, Eigen::Ref<const mercer::Vector<double>> b) {
        if ((a(0) == 1e3) != (b(0) == 1e3)) mercer::detail::fail("the kernel is tired");
        return std::exp(-(a - b).squaredNorm());
      });
  CHECK(told(moody, ColumnSampling{.columns = 3}, {}) == "the kernel is tired");
  CHECK(told(moody, ColumnSampling{.columns = 3}, {.landmarks = 5}) == "the kernel is tired");
  const mercer::Callable indefinite(
      [](Eigen::Ref<const mercer::Vector<double>> a, Eigen::Ref<const mercer::Vector<double>> b) {
        return 1e-6 + (a - b).squaredNorm();
      });
  CHECK_THAT(told(indefinite, ColumnSampling{.columns = 3}, {}), ContainsSubstring("plain sums"));
}

}  // namespace spread_spgd_test
