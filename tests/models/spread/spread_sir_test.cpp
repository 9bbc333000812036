// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_sir.hpp>
#include <mercer/models/pair_report.hpp>
#include <mercer/models/spread/spread_sir.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <tests/models/spread/spread_fits.hpp>

namespace spread_sir_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::FeaturePca;
using mercer::Gaussian;
using mercer::Index;
using mercer::KernelSir;
using mercer::KernelSirParams;
using mercer::Matrix;
using mercer::Nystrom;
using mercer::PairReport;
using mercer::Processes;
using mercer::RandomFourier;
using mercer::RowSums;
using mercer::SirTarget;
using mercer::SpreadRows;
using mercer::Status;
using mercer::Vector;
using mercer::test::groups;
using mercer::test::part;
using mercer::test::process_counts;
using mercer::test::sentence;

constexpr Index n = 1100;

// Rounding of sums over 1100 rows, over ridges of 1e-3 and gaps of a tenth of the values.
constexpr double value_tolerance = 1e-10, score_tolerance = 1e-7;

/// Two numbers that depend on the samples.
Matrix<double> responses(const Matrix<double>& x) {
  Matrix<double> y(x.rows(), 2);
  y.col(0) = x.col(0).array().square() + 0.1 * x.col(1).array();
  y.col(1) = x.col(1).array().sin();
  return y;
}

struct Found {
  Vector<double> values;
  Matrix<double> functions;  ///< at all samples
  PairReport report;
};

/// A fit over processes; the last of them brings all samples.
template <class Sir>
Found fit(const Sir& sir, const Matrix<double>& x, const Matrix<double>& y, Index count,
          RowSums sums = RowSums::OrderFree) {
  std::vector<Found> all(static_cast<std::size_t>(count));
  mercer::run_as_processes(count, [&](const Processes& processes) {
    const bool last = processes.rank() + 1 == count;
    const Matrix<double> none(0, 0);
    const auto samples = SpreadRows<Matrix<double>>::from_parts(processes, last ? x : none, sums);
    const auto values = SpreadRows<Matrix<double>>::from_parts(processes, last ? y : none, sums);
    const auto model = fit_spread(sir, samples, values);
    all[static_cast<std::size_t>(processes.rank())] = {model.eigenvalues(), model.transform(x),
                                                       model.report()};
  });
  for (const Found& found : all) {
    CHECK(found.values == all[0].values);
    CHECK(found.functions == all[0].functions);
  }
  return all[0];
}

/// The same bits on any number of processes, and the model of one process up to rounding and signs.
template <class Sir>
void check_sir(const Sir& sir, const Matrix<double>& y, Index k) {
  const Matrix<double> x = groups(n);
  const auto whole = sir.fit(x, y);
  const Found one = fit(sir, x, y, 1);
  REQUIRE(one.values.size() == k);
  CHECK(one.report.status == Status::Converged);
  CHECK(one.report.samples == n);
  CHECK((one.values - whole.eigenvalues()).cwiseAbs().maxCoeff() <= value_tolerance);
  const Matrix<double> expected = whole.transform(x);
  CHECK((one.functions.cwiseAbs() - expected.cwiseAbs()).norm() <=
        score_tolerance * expected.norm());
  for (const Index count : process_counts) {
    const Found found = fit(sir, x, y, count);
    CHECK(found.values == one.values);
    CHECK(found.functions == one.functions);
  }
  const Found plain = fit(sir, x, y, 3, RowSums::Plain);
  CHECK((plain.values - one.values).cwiseAbs().maxCoeff() <= value_tolerance);
}

Nystrom<mercer::Given<std::vector<Index>>> landmarks() {
  std::vector<Index> rows;
  for (Index i = 0; i < 60; ++i) rows.push_back((37 * i) % 300);
  return Nystrom(mercer::Given(rows));
}

constexpr KernelSirParams two{.components = 2, .regularization = 1e-3};

}  // namespace

TEST_CASE("spread SIR: slices of a number, over landmarks", "[models][rows]") {
  check_sir(KernelSir(Gaussian(2.0), landmarks(), two), responses(groups(n)).leftCols(1), 2);
}

TEST_CASE("spread SIR: several outputs, over features", "[models][rows]") {
  check_sir(KernelSir(Gaussian(2.0), FeaturePca(RandomFourier{.features = 40}), two),
            responses(groups(n)), 2);
}

TEST_CASE("spread SIR: classes, of which some processes have none", "[models][rows]") {
  Matrix<double> classes(n, 1);
  for (Index i = 0; i < n; ++i) classes(i, 0) = i < 900 ? static_cast<double>(i % 2) : 7;
  check_sir(KernelSir(Gaussian(2.0), landmarks(),
                      {.components = 2, .regularization = 1e-3, .target = SirTarget::Classes}),
            classes, 2);
}

TEST_CASE("spread SIR: refused, on all processes", "[models][rows]") {
  const Matrix<double> x = groups(600), y = responses(x).leftCols(1);
  const auto error = [&](const Matrix<double>& values, const auto& params_of) {
    return sentence([&](const Processes& processes) {
      static_cast<void>(
          fit_spread(KernelSir(Gaussian(2.0), landmarks(), params_of(processes.rank())),
                     part(processes, x), part(processes, values)));
    });
  };
  const auto same = [](Index) { return two; };
  CHECK_THAT(error(y.topRows(599), same), ContainsSubstring("600 samples need as many responses"));
  Matrix<double> bad = y;
  bad(590, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(error(bad, same), ContainsSubstring("590"));
  CHECK_THAT(error(Matrix<double>::Ones(600, 1), same),
             ContainsSubstring("all equal") || ContainsSubstring("one class"));
  CHECK_THAT(
      error(y, [](Index rank) { return KernelSirParams{.components = 2, .slices = 5 + rank}; }),
      ContainsSubstring("processes have different settings of KernelSir::fit"));
  CHECK_THAT(error(y, [](Index) { return KernelSirParams{.components = 2, .slices = 1}; }),
             ContainsSubstring("slices"));
  CHECK_THAT(error(y, [](Index) { return KernelSirParams{.components = 0}; }),
             ContainsSubstring("components"));
}

}  // namespace spread_sir_test
