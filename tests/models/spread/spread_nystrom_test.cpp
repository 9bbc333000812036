// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/spread_nystrom.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/nystrom/detail/spread_landmarks.hpp>
#include <mercer/solvers/nystrom/greedy_cholesky.hpp>
#include <mercer/solvers/nystrom/kmeans_landmarks.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>
#include <mercer/solvers/nystrom/sequential_greedy.hpp>
#include <mercer/testing/thread_processes.hpp>
#include <tests/models/spread/spread_fits.hpp>
#include <tests/support/row_parts.hpp>

namespace spread_nystrom_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::Gaussian;
using mercer::Index;
using mercer::KernelPca;
using mercer::Matrix;
using mercer::Nystrom;
using mercer::NystromDetails;
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

constexpr Index n = 1300, k = 5, m = 60;

// Rounding of sums over 1300 rows, and of scores over gaps of about a tenth of the eigenvalues.
constexpr double value_tolerance = 1e-11, score_tolerance = 1e-8;

/// The fit in one process, in double.
template <class L>
auto serial(const L& selector, const Matrix<double>& x, const mercer::NystromParams& params) {
  return KernelPca(Gaussian(2.0), Nystrom(selector, params),
                   {.components = k, .precision = mercer::Precision::Double})
      .fit(x);
}

/// The same bits on any number of processes, and those of a fit in one process up to rounding.
template <class L>
void check_selector(const L& selector, mercer::NystromParams params = {.landmarks = m},
                    const std::vector<Index>& counts = process_counts) {
  const Matrix<double> x = groups(n), q = mercer::normal_matrix<double>(300, 4, 1, "q");
  const auto whole = serial(selector, x, params);
  const KernelPca pca(Gaussian(2.0), Nystrom(selector, params), {.components = k});
  const Found one = fit(pca, x, q, 1);
  CHECK(one.report.status == whole.report().status);
  CHECK(one.report.expansion_points == whole.report().expansion_points);
  CHECK(one.report.samples == n);
  CHECK(one.values.isApprox(whole.eigenvalues(), value_tolerance));
  CHECK((one.scores - whole.training_scores()).norm() <=
        score_tolerance * whole.training_scores().norm());
  CHECK((one.new_scores - whole.transform(q)).norm() <= score_tolerance * one.scores.norm());
  CHECK(one.report.trace == Approx(whole.report().trace));
  const auto error = [](const mercer::Report& report) {
    return std::get<NystromDetails>(report.details).trace_error;
  };
  // The difference of two traces of n, of rows with the rounding errors of K(P, P)^(-1/2), whose
  // norm is up to 1e6: landmarks with pivots below 1e-12 are dropped.
  constexpr double row_error = 1e6 * std::numeric_limits<double>::epsilon();
  CHECK(std::abs(error(one.report) - error(whole.report())) <= 4 * row_error * n);
  REQUIRE(one.report.residuals.size() == static_cast<std::size_t>(k));
  // Estimates from uniform rows, and 3 standard errors, which are large where few rows hold most of
  // the error.
  CHECK(one.report.residual_rows == mercer::detail::cheap_certificate_values / n);
  params.certificate_rows = n;
  const std::vector<double> exact = serial(selector, x, params).report().residuals;
  const KernelPca measured(Gaussian(2.0), Nystrom(selector, params), {.components = k});
  const std::vector<double> of_all_rows = fit(measured, x, q, 1).report.residuals;
  REQUIRE(of_all_rows.size() == exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    CHECK(of_all_rows[i] == Approx(exact[i]).epsilon(1e-6));
    CHECK(one.report.residuals[i] >= exact[i]);
    CHECK(one.report.residuals[i] <= 3 * exact[i]);
  }
  REQUIRE(one.gathered);
  CHECK(one.gathered->transform(q).isApprox(one.new_scores, value_tolerance));
  CHECK(one.gathered->training_scores() == one.scores);
  CHECK(one.gathered->novelty(q).spe.isApprox(whole.novelty(q).spe, score_tolerance));
  for (const Index count : counts) {
    const Found found = fit(pca, x, q, count);
    CHECK(found.values == one.values);
    CHECK(found.scores == one.scores);
    CHECK(found.new_scores == one.new_scores);
    CHECK(found.report.residuals == one.report.residuals);
    CHECK(error(found.report) == error(one.report));
    CHECK(found.gathered->coefficients() == one.gathered->coefficients());
    CHECK(found.gathered->training_scores() == one.scores);
  }
  const Found plain = fit(pca, x, q, 3, RowSums::Plain);
  CHECK(plain.values.isApprox(one.values, value_tolerance));
  CHECK((plain.scores - one.scores).norm() <= score_tolerance * one.scores.norm());
}

}  // namespace

TEST_CASE("spread PCA: order-free sums of tiny and huge samples have all digits",
          "[models][rows]") {
  const Matrix<double> x = mercer::normal_matrix<double>(600, 5, 1, "x");
  const auto check = [&](const auto& solver) {
    const KernelPca pca(mercer::Linear{}, solver, {.components = 3});
    const Vector<double> expected = pca.fit(x).eigenvalues();
    for (const int exponent : {-498, 458}) {  // kernel values of 1e-300 and 1e276
      CAPTURE(exponent);
      const double scale = std::ldexp(1.0, exponent);
      Vector<double> found;
      std::string reason;
      mercer::run_as_processes(2, [&](const Processes& processes) {
        const auto model =
            fit_spread(pca, mercer::test::part(processes, Matrix<double>(scale * x)));
        if (processes.rank() != 0) return;
        found = model.eigenvalues() / scale / scale;
        reason = std::string(to_string(model.report().status)) + ", " + model.report().reason;
      });
      CAPTURE(reason);
      REQUIRE(found.size() == 3);
      CHECK((found - expected).cwiseAbs().maxCoeff() <= 1e-12 * expected(0));
      CHECK(reason.starts_with("converged"));
    }
  };
  check(mercer::BlockKrylov({.tolerance = 1e-9}));
  check(Nystrom{mercer::Uniform{}, {.landmarks = 50}});
}

TEST_CASE("spread Nystroem: pivots of a factor over processes", "[models][rows]") {
  check_selector(mercer::RpCholesky{});
}

TEST_CASE("spread Nystroem: greedy pivots", "[models][rows]") {
  check_selector(mercer::GreedyCholesky{});
}

TEST_CASE("spread Nystroem: pivots by a tolerance of the distance", "[models][rows]") {
  check_selector(mercer::SequentialGreedy{{.tolerance = 0.2}});
}

TEST_CASE("spread Nystroem: rows drawn, and rows and points given", "[models][rows]") {
  check_selector(mercer::Uniform{});
  std::vector<Index> rows;
  for (Index i = 0; i < n; i += 29) rows.push_back(n - 1 - i);
  check_selector(mercer::Given(rows), {});
  check_selector(mercer::Given(Matrix<double>(groups(n).topRows(40))), {});
}

TEST_CASE("spread Nystroem: landmarks from a pool that all processes have", "[models][rows]") {
  check_selector(mercer::KMeansLandmarks{});
}

TEST_CASE("spread Nystroem: more landmarks until a trace tolerance", "[models][rows][slow]") {
  const mercer::NystromParams params{.landmarks = 10, .trace_tolerance = 0.02};
  check_selector(mercer::RpCholesky{}, params, some_process_counts);
  check_selector(mercer::Uniform{}, params, some_process_counts);
}

TEST_CASE("spread Nystroem: small memory budgets", "[models][rows]") {
  // No room for the factor of all rows: landmarks come from a pool, and scores from kernel values.
  const Matrix<double> x = groups(n), q = x.topRows(20);
  const KernelPca pca(Gaussian(2.0), Nystrom(mercer::RpCholesky{}, {.landmarks = m}),
                      {.components = k, .memory_budget = 400 * 1024});
  const Found one = fit(pca, x, q, 1), four = fit(pca, x, q, 4);
  CHECK_THAT(one.report.solver_form, ContainsSubstring(" of 1300 rows"));
  CHECK(four.scores == one.scores);
  CHECK(four.values == one.values);
  const auto whole = serial(mercer::RpCholesky{}, x, {.landmarks = m});
  // Other landmarks: eigenvalues differ by no more than both trace errors.
  CHECK((one.values - whole.eigenvalues()).cwiseAbs().maxCoeff() <=
        std::get<NystromDetails>(one.report.details).trace_error +
            std::get<NystromDetails>(whole.report().details).trace_error);
}

TEST_CASE("spread Nystroem: not centred, whitened, sparse and single precision", "[models][rows]") {
  const Matrix<double> x = groups(700);
  const auto values = [&](const auto& samples, double sigma, bool centered, Index count) {
    using X = std::decay_t<decltype(samples)>;
    std::vector<Vector<double>> all(static_cast<std::size_t>(count));
    mercer::run_as_processes(count, [&](const Processes& processes) {
      // All samples come from the last process.
      const bool has = processes.rank() + 1 == count;
      const X none(0, has ? samples.cols() : 0);
      const auto spread = SpreadRows<X>::from_parts(processes, has ? samples : none);
      const KernelPca pca(Gaussian(sigma), Nystrom(mercer::Uniform{}, {.landmarks = m}),
                          {.components = 3, .centered = centered});
      all[static_cast<std::size_t>(processes.rank())] =
          mercer::fit_spread(pca, spread).eigenvalues().template cast<double>();
    });
    return all.front();
  };
  const Matrix<float> single = x.cast<float>();
  const SparseMatrix<double> sparse = x.sparseView();
  for (const bool centered : {true, false}) {
    // With a wide kernel K(P, P) is ill-conditioned, so that rows are whitened.
    for (const double sigma : {2.0, 30.0}) {
      const auto one = values(x, sigma, centered, 1);
      const auto whole =
          KernelPca(Gaussian(sigma), Nystrom(mercer::Uniform{}, {.landmarks = m}),
                    {.components = 3, .centered = centered, .precision = mercer::Precision::Double})
              .fit(x)
              .eigenvalues();
      CHECK(one.isApprox(whole, value_tolerance));
      CHECK(values(x, sigma, centered, 5) == one);
      CHECK(values(sparse, sigma, centered, 3) == values(sparse, sigma, centered, 1));
      CHECK(values(sparse, sigma, centered, 3).isApprox(one, value_tolerance));
      CHECK(values(single, sigma, centered, 3) == values(single, sigma, centered, 1));
      const auto in_single =
          KernelPca(Gaussian(sigma), Nystrom(mercer::Uniform{}, {.landmarks = m}),
                    {.components = 3, .centered = centered})
              .fit(single)
              .eigenvalues();
      CAPTURE(in_single, one, values(single, sigma, centered, 3));
      CHECK(values(single, sigma, centered, 3).isApprox(in_single.cast<double>(), 1e-5));
    }
  }
}

TEST_CASE("spread Nystroem: equal samples, one sample, and more processes than rows",
          "[models][rows]") {
  Matrix<double> two(600, 2);
  for (Index i = 0; i < 600; ++i) two.row(i).setConstant(static_cast<double>(i % 2));
  const KernelPca pca(Gaussian(1.0), Nystrom{}, {.components = 4});
  const Found pair = fit(pca, two, two, 3);
  CHECK(pair.values.size() == 1);
  CHECK(pair.report.expansion_points == 2);
  const Matrix<double> single = Matrix<double>::Ones(1, 2);
  const Found alone =
      fit(KernelPca(Gaussian(1.0), Nystrom{}, {.components = 1}), single, single, 3);
  CHECK(alone.values.size() == 0);
  CHECK(alone.scores.rows() == 1);
}

TEST_CASE("spread Nystroem: bad input has one sentence, and an observer stops all",
          "[models][rows]") {
  const Matrix<double> x = groups(600);
  const auto part = [&](const Processes& processes, const Matrix<double>& whole) {
    const RowSpace rows = RowSpace::spread(whole.rows(), processes);
    return SpreadRows<Matrix<double>>::from_parts(processes, mercer::test::local_rows(rows, whole));
  };
  CHECK_THAT(sentence([&](const Processes& processes) {
               const KernelPca pca(Gaussian(1.0),
                                   Nystrom(mercer::RpCholesky{}, {.landmarks = 601}));
               static_cast<void>(mercer::fit_spread(pca, part(processes, x)));
             }),
             ContainsSubstring("600, got 601"));
  CHECK_THAT(sentence([&](const Processes& processes) {
               const KernelPca pca(
                   Gaussian(1.0),
                   Nystrom(mercer::RpCholesky{},
                           {.landmarks = 50, .seed = processes.rank() == 1 ? 2U : 1U}));
               static_cast<void>(mercer::fit_spread(pca, part(processes, x)));
             }),
             ContainsSubstring("different settings of Nystrom"));
  const auto negative = [](const auto& a, const auto& b) { return -a.dot(b); };
  CHECK_THAT(sentence([&](const Processes& processes) {
               const KernelPca pca(negative, Nystrom{});
               static_cast<void>(mercer::fit_spread(pca, part(processes, x)));
             }),
             ContainsSubstring("Exact and BlockKrylov"));
  std::vector<Status> ends(3);
  for (const char* phase : {"landmarks", "low-rank factor", "residuals"}) {
    mercer::run_as_processes(3, [&](const Processes& processes) {
      const mercer::Observer observer = [&](const mercer::Progress& progress) {
        return processes.rank() != 2 || progress.phase != phase;
      };
      const KernelPca pca(Gaussian(1.0), Nystrom{}, {.components = 2});
      ends[static_cast<std::size_t>(processes.rank())] =
          mercer::fit_spread(pca, part(processes, x), observer).report().status;
    });
    for (const Status end : ends) CHECK(end == Status::Cancelled);
  }
}

TEST_CASE("spread Nystroem: one report, with the most memory of any process", "[models][rows]") {
  // Four tiles on three processes.
  mercer::test::check_same_report(
      KernelPca(Gaussian(1.0), Nystrom(mercer::RpCholesky{}, {.landmarks = 50}), {.components = 2}),
      groups(1000));
}

TEST_CASE("spread Nystroem: a row of a pool has its number of all rows in an error",
          "[models][rows]") {
  // In the second half, k(x, x) tells the number of the row.
  const Matrix<double> x = Vector<double>::LinSpaced(n, 1, n);
  const auto negative = [](const auto& a, const auto& b) {
    if (a != b) return 0.0;
    return a(0) > n / 2 ? -a(0) : 1.0;
  };
  const mercer::Callable kernel(negative);
  const std::string told = sentence([&](const Processes& processes) {
    const auto samples = mercer::test::part(processes, x);
    static_cast<void>(mercer::detail::spread_landmarks<mercer::RpCholesky, Matrix<double>>(
        {}, kernel, samples.rows(), samples.local(), {.count = 10, .memory_budget = 20 * 1024},
        {}));
  });
  const std::string before = "the residual of k(x, x) is -";
  const std::size_t at = told.find(before);
  REQUIRE(at != std::string::npos);
  const int number = std::stoi(told.substr(at + before.size()));
  CHECK_THAT(told, ContainsSubstring(" for sample " + std::to_string(number - 1) + " (counted"));
}

TEST_CASE("spread Nystroem: what an observer throws on one process, all throw", "[models][rows]") {
  mercer::test::check_throwing_observer(
      KernelPca(Gaussian(1.0), Nystrom(mercer::RpCholesky{}, {.landmarks = 50}), {.components = 2}),
      groups(600));
}

}  // namespace spread_nystrom_test
