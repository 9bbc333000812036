// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/models/kernel_svd.hpp>
#include <mercer/models/spread/spread_pairs.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>
#include <tests/models/spread/spread_fits.hpp>
#include <tests/support/row_parts.hpp>

namespace spread_pairs_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::FeaturePca;
using mercer::Gaussian;
using mercer::Index;
using mercer::KernelCca;
using mercer::KernelCcaParams;
using mercer::KernelSvd;
using mercer::Matrix;
using mercer::Nystrom;
using mercer::PairReport;
using mercer::Processes;
using mercer::RandomFourier;
using mercer::RegularizationChoice;
using mercer::RowSums;
using mercer::SpreadRows;
using mercer::Status;
using mercer::Vector;
using mercer::test::groups;
using mercer::test::process_counts;
using mercer::test::sentence;

constexpr Index n = 1100, k = 3;

// Rounding of sums over 1100 rows, over ridges of 1e-3 and gaps of a tenth of the values.
constexpr double value_tolerance = 1e-10, score_tolerance = 1e-7;

/// A view that shares two of its three columns with groups(n), with noise.
Matrix<double> other_view() {
  Matrix<double> y = mercer::normal_matrix<double>(n, 3, 2, "y");
  y.leftCols(2) = 0.3 * y.leftCols(2) + groups(n).leftCols(2);
  return y;
}

/// rho or sigma.
template <class Model>
Vector<double> values_of(const Model& model) {
  if constexpr (requires { model.singular_values(); })
    return model.singular_values();
  else
    return model.correlations();
}

struct Found {
  Vector<double> values;
  Matrix<double> x, y;  ///< scores of all pairs, as every process gives them
  PairReport report;
};

/// A fit over processes; the last of them brings all pairs.
template <class Method>
Found fit(const Method& method, const Matrix<double>& x, const Matrix<double>& y, Index count,
          RowSums sums = RowSums::OrderFree) {
  std::vector<Found> all(static_cast<std::size_t>(count));
  mercer::run_as_processes(count, [&](const Processes& processes) {
    const bool last = processes.rank() + 1 == count;
    const Matrix<double> none(0, 0);
    const auto rows_x = SpreadRows<Matrix<double>>::from_parts(processes, last ? x : none, sums);
    const auto rows_y = SpreadRows<Matrix<double>>::from_parts(processes, last ? y : none, sums);
    const auto model = fit_spread(method, rows_x, rows_y);
    all[static_cast<std::size_t>(processes.rank())] = {values_of(model), model.transform_x(x),
                                                       model.transform_y(y), model.report()};
  });
  for (const Found& found : all) {
    CHECK(found.values == all[0].values);
    CHECK(found.x == all[0].x);
    CHECK(found.y == all[0].y);
  }
  return all[0];
}

/// The signs of each column of \p found are those of \p expected.
Matrix<double> with_signs(Matrix<double> found, const Matrix<double>& expected) {
  for (Index j = 0; j < found.cols(); ++j)
    if (found.col(j).dot(expected.col(j)) < 0) found.col(j) *= -1;
  return found;
}

/// The same bits on any number of processes, and those of a fit in one process up to rounding.
template <class Method>
void check_method(const Method& method) {
  const Matrix<double> x = groups(n), y = other_view();
  const auto whole = method.fit(x, y);
  const Found one = fit(method, x, y, 1);
  REQUIRE(one.values.size() == k);
  CHECK(one.report.status == Status::Converged);
  CHECK(one.report.samples == whole.report().samples);
  CHECK((one.values - values_of(whole)).cwiseAbs().maxCoeff() <= value_tolerance);
  CHECK((with_signs(one.x, whole.transform_x(x)) - whole.transform_x(x)).norm() <=
        score_tolerance * one.x.norm());
  CHECK((with_signs(one.y, whole.transform_y(y)) - whole.transform_y(y)).norm() <=
        score_tolerance * one.y.norm());
  const auto check_correlations = [&](const std::vector<double>& found,
                                      const std::vector<double>& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t j = 0; j < found.size(); ++j)
      CHECK(found[j] == Approx(expected[j]).margin(score_tolerance));
  };
  check_correlations(one.report.training_correlations, whole.report().training_correlations);
  check_correlations(one.report.holdout_correlations, whole.report().holdout_correlations);
  CHECK(one.report.holdout_samples == whole.report().holdout_samples);
  for (const Index count : process_counts) {
    const Found found = fit(method, x, y, count);
    CHECK(found.values == one.values);
    CHECK(found.x == one.x);
    CHECK(found.y == one.y);
    CHECK(found.report.training_correlations == one.report.training_correlations);
    CHECK(found.report.holdout_correlations == one.report.holdout_correlations);
    CHECK(found.report.error_bounds == one.report.error_bounds);
  }
  const Found plain = fit(method, x, y, 3, RowSums::Plain);
  CHECK((plain.values - one.values).cwiseAbs().maxCoeff() <= value_tolerance);
}

Nystrom<mercer::Given<std::vector<Index>>> landmarks() {
  std::vector<Index> rows;
  for (Index i = 0; i < 60; ++i) rows.push_back((37 * i) % 300);
  return Nystrom(mercer::Given(rows));
}

}  // namespace

TEST_CASE("spread pairs: kernel CCA over landmarks", "[models][rows]") {
  const bool centered = GENERATE(true, false);
  check_method(KernelCca(Gaussian(2.0), Gaussian(2.0), landmarks(),
                         {.components = k, .regularization = 1e-3, .centered = centered}));
}

TEST_CASE("spread pairs: kernel CCA with pairs held out", "[models][rows]") {
  check_method(KernelCca(Gaussian(2.0), Gaussian(2.0), landmarks(),
                         {.components = k, .regularization = 1e-3, .holdout = 0.25}));
}

TEST_CASE("spread pairs: kernel SVD over features, and views with solvers of their own",
          "[models][rows][slow]") {
  const FeaturePca features{RandomFourier{.features = 40}};
  check_method(KernelSvd(Gaussian(2.0), Gaussian(2.0), features, {.components = k}));
  check_method(KernelSvd(Gaussian(2.0), Gaussian(2.0), mercer::Views(landmarks(), features),
                         {.components = k, .rank = 20, .holdout = 0.1}));
}

TEST_CASE("spread pairs: what the first view leaves of the budget is the same for any processes",
          "[models][rows]") {
  // The scores of view x take half of the budget. Landmarks of view y are then chosen from a part
  // of the rows; with the whole budget they would be chosen from all.
  const mercer::KernelCca cca(Gaussian(2.0), Gaussian(2.0),
                              Nystrom(mercer::RpCholesky{}, {.landmarks = 60}),
                              {.components = k, .regularization = 1e-3, .memory_budget = 1000000});
  const Matrix<double> x = groups(n), y = other_view();
  const Found one = fit(cca, x, y, 1);
  for (const Index count : {2, 5}) {
    const Found found = fit(cca, x, y, count);
    CHECK(found.values == one.values);
    CHECK(found.y == one.y);
  }
}

TEST_CASE("spread pairs: refused, on all processes", "[models][rows]") {
  const Matrix<double> x = groups(300), y = x.topRows(299);
  const auto error = [&](const Matrix<double>& left, const Matrix<double>& right,
                         const auto& params_of) {
    return sentence([&](const Processes& processes) {
      static_cast<void>(fit_spread(
          KernelCca(Gaussian(2.0), Gaussian(2.0), landmarks(), params_of(processes.rank())),
          mercer::test::part(processes, left), mercer::test::part(processes, right)));
    });
  };
  const auto same = [](Index) { return KernelCcaParams{.components = 2, .regularization = 1e-3}; };
  CHECK_THAT(error(x, y, same), ContainsSubstring("view x has 300 rows and view y 299"));
  CHECK_THAT(error(x, x,
                   [](Index rank) {
                     return KernelCcaParams{.components = 2,
                                            .regularization = rank == 1 ? 1e-2 : 1e-3};
                   }),
             ContainsSubstring("processes have different settings of KernelCca::fit"));
  CHECK_THAT(
      error(x, x, [](Index) { return KernelCcaParams{.components = 301, .regularization = 1e-3}; }),
      ContainsSubstring("components must be between 1 and the number of pairs, 300"));
  Matrix<double> wrong = x;
  wrong(280, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(error(x, wrong, same), ContainsSubstring("view y"));
  // Row 280 is held out or not: rows are counted among all of them.
  for (const double share : {0.2, 0.8})
    CHECK_THAT(error(x, wrong,
                     [&](Index) {
                       return KernelCcaParams{
                           .components = 2, .regularization = 1e-3, .holdout = share};
                     }),
               ContainsSubstring("row 24") && ContainsSubstring("in the rows from 256 on"));
  CHECK_THAT(error(x, x,
                   [](Index rank) {
                     return KernelCcaParams{.components = 2,
                                            .regularization = rank == 1 ? -1.0 : 1e-3};
                   }),
             ContainsSubstring("processes have different settings"));
}

namespace {

/// The choice of a ridge over processes, the same on all.
template <class Cca>
RegularizationChoice choose(const Cca& cca, Index count, const std::vector<double>& grid,
                            RowSums sums = RowSums::OrderFree) {
  const Matrix<double> x = groups(n), y = other_view();
  std::vector<RegularizationChoice> all(static_cast<std::size_t>(count));
  mercer::run_as_processes(count, [&](const Processes& processes) {
    const bool last = processes.rank() + 1 == count;
    const Matrix<double> none(0, 0);
    all[static_cast<std::size_t>(processes.rank())] = choose_regularization_spread(
        cca, SpreadRows<Matrix<double>>::from_parts(processes, last ? x : none, sums),
        SpreadRows<Matrix<double>>::from_parts(processes, last ? y : none, sums), grid, 3);
  });
  for (const RegularizationChoice& one : all) {
    CHECK(one.scores == all[0].scores);
    CHECK(one.best == all[0].best);
  }
  return all[0];
}

}  // namespace

TEST_CASE("spread pairs: the choice of a ridge, with the same bits for any processes",
          "[models][rows]") {
  const std::vector<double> grid{1e-6, 1e-4, 1e-2, 1};
  const auto check = [&](const auto& solver) {
    const KernelCca cca(Gaussian(2.0), Gaussian(2.0), solver, {.components = k});
    const RegularizationChoice whole = cca.choose_regularization(groups(n), other_view(), grid, 3);
    const RegularizationChoice one = choose(cca, 1, grid);
    CHECK(one.best == whole.best);
    CHECK(one.at_edge == whole.at_edge);
    CHECK(one.status == whole.status);
    CHECK(one.grid == grid);
    REQUIRE(one.scores.size() == grid.size());
    for (std::size_t i = 0; i < grid.size(); ++i)
      CHECK(one.scores[i] == Approx(whole.scores[i]).epsilon(1e-6));
    for (const Index count : {3, 7}) CHECK(choose(cca, count, grid).scores == one.scores);
    CHECK(choose(cca, 3, grid, RowSums::Plain).best == one.best);
  };
  check(Nystrom(mercer::Uniform{}, {.landmarks = 60}));
  check(FeaturePca{RandomFourier{.features = 60}});
}

TEST_CASE("spread pairs: choices of a ridge that are refused or stopped", "[models][rows]") {
  const Matrix<double> x = groups(600), y = other_view().topRows(600);
  const KernelCca cca(Gaussian(2.0), Gaussian(2.0), FeaturePca{RandomFourier{.features = 20}},
                      {.components = 2});
  const auto told = [&](const auto& grid_of, Index folds) {
    return sentence([&](const Processes& processes) {
      static_cast<void>(choose_regularization_spread(cca, mercer::test::part(processes, x),
                                                     mercer::test::part(processes, y),
                                                     grid_of(processes.rank()), folds));
    });
  };
  using Grid = std::vector<double>;
  CHECK_THAT(told([](Index) { return Grid{}; }, 3), ContainsSubstring("the grid is empty"));
  CHECK_THAT(told([](Index) { return Grid{1e-3, -1}; }, 3), ContainsSubstring("each ridge"));
  CHECK_THAT(told([](Index) { return Grid{1e-3}; }, 301), ContainsSubstring("folds"));
  CHECK_THAT(told([](Index rank) { return rank == 1 ? Grid{1e-3} : Grid{1e-2}; }, 3),
             ContainsSubstring("processes have different grids"));
  std::vector<RegularizationChoice> stopped(3);
  mercer::run_as_processes(3, [&](const Processes& processes) {
    // The two tiles of a fold are on processes 1 and 2.
    const mercer::Observer observer = [&](const mercer::Progress&) {
      return processes.rank() != 2;
    };
    stopped[static_cast<std::size_t>(processes.rank())] =
        choose_regularization_spread(cca, mercer::test::part(processes, x),
                                     mercer::test::part(processes, y), {1e-3, 1e-2}, 3, observer);
  });
  for (const RegularizationChoice& one : stopped) {
    CHECK(one.status == Status::Cancelled);
    CHECK(std::isnan(one.best));
    CHECK(std::isnan(one.scores.at(0)));
  }
}

TEST_CASE("spread pairs: cancelled, and memory for both views", "[models][rows]") {
  const Matrix<double> x = groups(700), y = other_view().topRows(700);
  const FeaturePca features{RandomFourier{.features = 20}};
  // Process 0 is asked once in each view, and stops both, or the second: all end with what they
  // have.
  for (const int questions : {0, 1, 100}) {
    mercer::run_as_processes(3, [&](const Processes& processes) {
      int asked = 0;
      const mercer::Observer observer = [&](const mercer::Progress&) {
        return processes.rank() != 0 || asked++ < questions;
      };
      const auto model =
          fit_spread(KernelCca(Gaussian(2.0), Gaussian(2.0), features,
                               {.components = k, .regularization = 1e-3, .memory_budget = 1000}),
                     mercer::test::part(processes, x), mercer::test::part(processes, y), observer);
      CHECK((model.report().status == Status::Cancelled) == (questions < 2));
      CHECK(model.transform_x(x).cols() == model.correlations().size());
    });
  }
}

}  // namespace spread_pairs_test
