// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/losses/epsilon_insensitive.hpp>
#include <mercer/losses/huber.hpp>
#include <mercer/losses/norms.hpp>
#include <mercer/metrics/principal_angles.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/dual/dca.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/krylov/lanczos.hpp>
#if defined(MERCER_HAS_LBFGSPP)
#include <mercer/solvers/dual/dual.hpp>
#endif
#include <tests/models/spread/spread_fits.hpp>
#include <tests/support/row_parts.hpp>

namespace spread_pca_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::BlockKrylov;
using mercer::Exact;
using mercer::Gaussian;
using mercer::Index;
using mercer::InvalidArgument;
using mercer::KernelPca;
using mercer::Lanczos;
using mercer::Matrix;
using mercer::Processes;
using mercer::RowSpace;
using mercer::RowSums;
using mercer::SparseMatrix;
using mercer::SpreadRows;
using mercer::Status;
using mercer::Vector;
using mercer::test::fit;
using mercer::test::Found;
using mercer::test::groups;
using mercer::test::process_counts;
using mercer::test::sentence;
using mercer::test::some_process_counts;

constexpr Index n = 800, k = 5;

// The solvers stop at residuals of 1e-8 mu_1; eigenvalues are then accurate to the square of it,
// and vectors to the residual over a gap of about a tenth.
constexpr double tolerance = 1e-8, value_tolerance = 1e-12, score_tolerance = 1e-6;

template <class S>
void check_solver(const S& solver, const std::vector<Index>& counts) {
  const Matrix<double> x = groups(n), q = mercer::normal_matrix<double>(300, 4, 1, "q");
  for (const bool centered : {true, false}) {
    const mercer::KernelPcaParams params{.components = k, .centered = centered};
    const auto exact = KernelPca(Gaussian(2.0), Exact{}, params).fit(x);
    const KernelPca pca(Gaussian(2.0), solver, params);
    const Found one = fit(pca, x, q, 1);
    CHECK(one.report.status == Status::Converged);
    CHECK((one.values - exact.eigenvalues()).norm() <= value_tolerance * exact.eigenvalues()(0));
    CHECK((one.scores - exact.training_scores()).norm() <=
          score_tolerance * exact.training_scores().norm());
    CHECK((one.new_scores - exact.transform(q)).norm() <=
          score_tolerance * exact.training_scores().norm());
    CHECK(one.report.trace == Approx(exact.report().trace));
    REQUIRE(one.gathered);
    CHECK((one.gathered->transform(q) - one.new_scores).norm() <=
          value_tolerance * one.scores.norm());
    CHECK(one.gathered->novelty(q).spe.isApprox(exact.novelty(q).spe, score_tolerance));
    for (const Index count : counts) {
      const Found found = fit(pca, x, q, count);
      CHECK(found.values == one.values);
      CHECK(found.scores == one.scores);
      CHECK(found.new_scores == one.new_scores);
      CHECK(found.report.residuals == one.report.residuals);
      CHECK(found.gathered->coefficients() == one.gathered->coefficients());
      CHECK(found.gathered->offset() == one.gathered->offset());
      CHECK(found.gathered->points() == x);
    }
    const Found plain = fit(pca, x, q, 3, RowSums::Plain);
    CHECK((plain.values - one.values).norm() <= value_tolerance * one.values(0));
    CHECK((plain.scores - one.scores).norm() <= score_tolerance * one.scores.norm());
  }
}

}  // namespace

TEST_CASE("spread PCA: block Krylov agrees with Exact, with the same bits for any processes",
          "[models][rows]") {
  check_solver(BlockKrylov({.tolerance = tolerance}), process_counts);
}

TEST_CASE("spread PCA: Lanczos agrees with Exact, with the same bits for any processes",
          "[models][rows][slow]") {
  check_solver(Lanczos({.tolerance = tolerance}), some_process_counts);
}

#if defined(MERCER_HAS_LBFGSPP)
TEST_CASE("spread PCA: Dual agrees with Exact, with the same bits for any processes",
          "[models][rows]") {
  check_solver(mercer::Dual({.stop = mercer::DualStop::Residual, .tolerance = tolerance}),
               some_process_counts);
}
#endif

TEST_CASE("spread PCA: robust and sparse directions, with the same bits for any processes",
          "[models][rows][slow]") {
  const Matrix<double> x = groups(n), q = mercer::normal_matrix<double>(300, 4, 1, "q");
  // Steps of 1e-9 |H|, of runs that begin at the same point and converge linearly.
  constexpr double step_tolerance = 1e-9, distance = 1e-6;
  const auto check = [&](const auto& loss, bool centered) {
    const KernelPca pca(Gaussian(2.0), mercer::Dca(loss, {.tolerance = step_tolerance}),
                        {.components = 2, .centered = centered});
    const auto whole = pca.fit(x);
    const Found one = fit(pca, x, q, 1), three = fit(pca, x, q, 3);
    CHECK(one.report.status == Status::Converged);
    CHECK(one.values.isApprox(whole.eigenvalues(), distance));
    CHECK(one.scores.isApprox(whole.training_scores(), distance));
    CHECK(one.new_scores.isApprox(whole.transform(q), distance));
    REQUIRE(one.gathered);
    CHECK(one.gathered->points() == whole.points());
    CHECK(one.gathered->coefficients().isApprox(whole.coefficients(), distance));
    CHECK(one.gathered->training_scores() == one.scores);
    CHECK(one.gathered->transform(q).isApprox(one.new_scores, 1e-12));
    CHECK(one.gathered->report().expansion_points == whole.report().expansion_points);
    CHECK(three.values == one.values);
    CHECK(three.scores == one.scores);
    CHECK(three.new_scores == one.new_scores);
    CHECK(three.gathered->coefficients() == one.gathered->coefficients());
  };
  check(mercer::Huber<mercer::L2>{0.5}, true);
  check(mercer::EpsilonInsensitive<mercer::L2>{0.5}, true);
  check(mercer::EpsilonInsensitive<mercer::L2>{0.5}, false);
}

TEST_CASE("spread PCA: the start from landmarks, and a fraction of variance",
          "[models][rows][slow]") {
  // From 20 landmarks per wanted vector on, block Krylov starts from a sketch.
  const Matrix<double> x = groups(3000);
  const KernelPca pca(Gaussian(2.0), BlockKrylov{}, {.components = 0.9});
  const auto whole = pca.fit(x);
  const Found one = fit(pca, x, x.topRows(10), 1), three = fit(pca, x, x.topRows(10), 3);
  CHECK(one.values.size() == whole.components());
  CHECK(one.values.isApprox(whole.eigenvalues(), 1e-6));
  CHECK(three.scores == one.scores);
  CHECK(one.report.iterations <= whole.report().iterations);
}

TEST_CASE("spread PCA: more components than rank, equal samples, one sample", "[models][rows]") {
  Matrix<double> two(600, 2);
  for (Index i = 0; i < 600; ++i) two.row(i).setConstant(static_cast<double>(i % 2));
  const Found pair = fit(KernelPca(Gaussian(1.0), BlockKrylov{}, {.components = 4}), two, two, 3);
  CHECK(pair.values.size() == 1);
  CHECK(pair.report.zero_eigenvalues == 3);
  const Matrix<double> single = Matrix<double>::Ones(1, 2);
  const Found alone =
      fit(KernelPca(Gaussian(1.0), BlockKrylov{}, {.components = 1}), single, single, 3);
  CHECK(alone.values.size() == 0);
  CHECK(alone.scores.rows() == 1);
}

TEST_CASE("spread PCA: sparse samples and samples in single precision", "[models][rows]") {
  const Matrix<double> x = groups(700);
  const auto values = [&](const auto& samples, Index count) {
    using X = std::decay_t<decltype(samples)>;
    std::vector<Vector<double>> all(static_cast<std::size_t>(count));
    mercer::run_as_processes(count, [&](const Processes& processes) {
      // All samples come from the last process.
      const bool has = processes.rank() + 1 == count;
      const X none(0, has ? samples.cols() : 0);
      const auto spread = SpreadRows<X>::from_parts(processes, has ? samples : none);
      all[static_cast<std::size_t>(processes.rank())] =
          mercer::fit_spread(KernelPca(Gaussian(2.0), BlockKrylov{}, {.components = 3}), spread)
              .eigenvalues()
              .template cast<double>();
    });
    return all.front();
  };
  const Vector<double> exact =
      KernelPca(Gaussian(2.0), Exact{}, {.components = 3}).fit(x).eigenvalues();
  const Matrix<float> single = x.cast<float>();
  const SparseMatrix<double> sparse = x.sparseView();
  CHECK(values(sparse, 3) == values(sparse, 1));
  CHECK(values(single, 3) == values(single, 1));
  CHECK(values(sparse, 3).isApprox(exact, 1e-6));
  CHECK(values(single, 3).isApprox(exact, 1e-5));
}

TEST_CASE("spread PCA: the least budget of all processes", "[models][rows]") {
  constexpr std::size_t without_limit = (std::numeric_limits<std::size_t>::max)();
  mercer::run_as_processes(3, [&](const Processes& processes) {
    const auto least = [&](std::size_t given) {
      return mercer::detail::least_budget(processes, given);
    };
    const auto rank = static_cast<std::size_t>(processes.rank());
    CHECK(least(1000 - rank) == 998);
    CHECK(least(without_limit) == without_limit);
    CHECK(least(rank == 1 ? 1000 : without_limit) == 1000);
    // What is given is for each process; the default is for all of a machine.
    CHECK(mercer::detail::own_budget(processes, 1000 + rank) == 1000 + rank);
    CHECK(mercer::detail::own_budget(processes, 0) <= mercer::most_memory_by_default);
  });
}

TEST_CASE("spread PCA: what processes must agree on, and bad samples", "[models][rows]") {
  const Matrix<double> x = groups(600);
  const auto part = [&](const Processes& processes, const Matrix<double>& whole) {
    const RowSpace rows = RowSpace::spread(whole.rows(), processes);
    return SpreadRows<Matrix<double>>::from_parts(processes, mercer::test::local_rows(rows, whole));
  };
  CHECK_THAT(sentence([&](const Processes& processes) {
               const double sigma = processes.rank() == 1 ? 2.0 : 1.0;
               static_cast<void>(mercer::fit_spread(KernelPca(Gaussian(sigma), BlockKrylov{}),
                                                    part(processes, x)));
             }),
             ContainsSubstring("different kernels"));
  CHECK_THAT(sentence([&](const Processes& processes) {
               static_cast<void>(mercer::fit_spread(
                   KernelPca(Gaussian(1.0), BlockKrylov{}, {.components = 2 + processes.rank()}),
                   part(processes, x)));
             }),
             ContainsSubstring("different numbers of components"));
  CHECK_THAT(
      sentence([&](const Processes& processes) {
        const auto wanted = processes.rank() == 0 ? mercer::Components(1.0) : mercer::Components(1);
        static_cast<void>(mercer::fit_spread(
            KernelPca(Gaussian(1.0), BlockKrylov{}, {.components = wanted}), part(processes, x)));
      }),
      ContainsSubstring("different numbers of components"));
  CHECK_THAT(
      sentence([&](const Processes& processes) {
        const double asked = processes.rank() == 1 ? 1e-3 : 1e-6;
        static_cast<void>(mercer::fit_spread(
            KernelPca(Gaussian(1.0), BlockKrylov({.tolerance = asked})), part(processes, x)));
      }),
      ContainsSubstring("different settings of the solver"));
  CHECK_THAT(sentence([&](const Processes& processes) {
               static_cast<void>(mercer::fit_spread(
                   KernelPca(Gaussian(1.0), BlockKrylov{}, {.centered = processes.rank() > 0}),
                   part(processes, x)));
             }),
             ContainsSubstring("different settings of KernelPca"));
  // With sums of two kinds, processes would wait for messages that nobody sends.
  CHECK_THAT(sentence([&](const Processes& processes) {
               const bool plain = processes.rank() == 1;
               static_cast<void>(SpreadRows<Matrix<double>>::from_parts(
                   processes, x, plain ? RowSums::Plain : RowSums::OrderFree));
             }),
             ContainsSubstring("different sums over rows"));
  CHECK_THAT(
      sentence([&](const Processes& processes) {
        static_cast<void>(mercer::fit_spread(
            KernelPca(Gaussian(1.0), BlockKrylov{}, {.components = 601}), part(processes, x)));
      }),
      ContainsSubstring("600, got 601"));
  Matrix<double> bad = x;
  bad(550, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(sentence([&](const Processes& processes) {
               static_cast<void>(mercer::fit_spread(KernelPca(Gaussian(1.0), BlockKrylov{}),
                                                    part(processes, bad)));
             }),
             ContainsSubstring("in the rows from 512 on"));
  CHECK_THAT(sentence([&](const Processes& processes) {
               static_cast<void>(SpreadRows<Matrix<double>>::from_parts(
                   processes, Matrix<double>::Ones(2, processes.rank() + 1)));
             }),
             ContainsSubstring("columns on one process"));
  CHECK_THAT(
      sentence([&](const Processes& processes) {
        static_cast<void>(SpreadRows<Matrix<double>>::from_parts(processes, Matrix<double>(0, 3)));
      }),
      ContainsSubstring("at least one row"));
}

TEST_CASE("spread PCA: one report, with the most memory of any process", "[models][rows]") {
  // Four tiles on three processes.
  const Matrix<double> x = groups(1000);
  mercer::test::check_same_report(KernelPca(Gaussian(1.0), BlockKrylov{}), x);
  mercer::test::check_same_report(KernelPca(Gaussian(1.0), Lanczos{}), x);
}

TEST_CASE("spread PCA: a memory budget without room for the vectors of a process",
          "[models][rows]") {
  const Matrix<double> x = groups(600);
  const auto fit = [&](std::size_t budget) {
    return [&, budget](const Processes& processes) {
      const KernelPca pca(Gaussian(1.0), BlockKrylov{}, {.components = 2, .memory_budget = budget});
      static_cast<void>(mercer::fit_spread(pca, mercer::test::part(processes, x)));
    };
  };
  CHECK_THAT(sentence(fit(1024)), ContainsSubstring("a memory budget of 1 KiB is too small"));
  CHECK_NOTHROW(mercer::run_as_processes(3, fit(std::size_t{1} << 30U)));
}

TEST_CASE("spread PCA: an observer on one process stops all", "[models][rows]") {
  const Matrix<double> x = groups(600);
  std::vector<Status> ends(3);
  mercer::run_as_processes(3, [&](const Processes& processes) {
    const RowSpace rows = RowSpace::spread(x.rows(), processes);
    const auto samples =
        SpreadRows<Matrix<double>>::from_parts(processes, mercer::test::local_rows(rows, x));
    const mercer::Observer observer = [&](const mercer::Progress&) {
      return processes.rank() != 2;
    };
    const auto model =
        mercer::fit_spread(KernelPca(Gaussian(1.0), BlockKrylov{}), samples, observer);
    ends[static_cast<std::size_t>(processes.rank())] = model.report().status;
  });
  for (const Status end : ends) CHECK(end == Status::Cancelled);
}

TEST_CASE("spread PCA: what an observer or a kernel throws on one process, all throw",
          "[models][rows]") {
  const Matrix<double> x = groups(600);
  mercer::test::check_throwing_observer(KernelPca(Gaussian(1.0), BlockKrylov{}), x);
  mercer::test::check_throwing_observer(KernelPca(Gaussian(1.0), Lanczos{}), x);
  // Row 514 is on the last process, and is not among the rows that all processes have.
  Matrix<double> odd = x;
  odd(514, 0) = 1e3;
  const auto moody = [](Eigen::Ref<const Vector<double>> a, Eigen::Ref<const Vector<double>> b) {
    if (a(0) == 1e3 || b(0) == 1e3) mercer::detail::fail("the kernel is tired");
    return std::exp(-(a - b).squaredNorm());
  };
  CHECK(sentence([&](const Processes& processes) {
          static_cast<void>(mercer::fit_spread(KernelPca(mercer::Callable(moody), BlockKrylov{}),
                                               mercer::test::part(processes, odd)));
        }) == "the kernel is tired");
}

}  // namespace spread_pca_test
