// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Fits over threads that take the part of processes.

#ifndef MERCER_TESTS_MODELS_SPREAD_SPREAD_FITS_HPP
#define MERCER_TESTS_MODELS_SPREAD_SPREAD_FITS_HPP

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/row_parts.hpp>

namespace mercer::test {

/// Three groups of points, uneven.
inline Matrix<double> groups(Index rows) {
  Matrix<double> x = normal_matrix<double>(rows, 4, 1, "x");
  for (Index i = 0; i < rows; ++i) x(i, i % 3) += i % 7 == 0 ? 6 : 3;
  return x;
}

/// The rows of this process.
inline SpreadRows<Matrix<double>> part(const Processes& processes, const Matrix<double>& whole) {
  const RowSpace rows = RowSpace::spread(whole.rows(), processes);
  return SpreadRows<Matrix<double>>::from_parts(processes, local_rows(rows, whole));
}

struct Found {
  Vector<double> values;
  Matrix<double> scores, new_scores;  ///< of all processes
  std::optional<KernelPcaModel<Gaussian, Matrix<double>>> gathered;
  Report report;
};

/// A fit over processes whose parts have odd sizes.
/// \param weights  of the samples; empty: none are given
template <class S>
Found fit(const KernelPca<Gaussian, S>& pca, const Matrix<double>& x, const Matrix<double>& q,
          Index count, RowSums sums = RowSums::OrderFree, const Vector<double>& weights = {}) {
  Found found;
  std::vector<Matrix<double>> scores(static_cast<std::size_t>(count)), others = scores;
  run_as_processes(count, [&](const Processes& processes) {
    const Index rank = processes.rank();
    const auto part = [&](const Matrix<double>& whole) {
      // The last process gets half of the rows.
      const Index half = whole.rows() / 2, begin = half * rank / count;
      const Index end = rank + 1 == count ? whole.rows() : half * (rank + 1) / count;
      return SpreadRows<Matrix<double>>::from_parts(
          processes, Matrix<double>(whole.middleRows(begin, end - begin)), sums);
    };
    const auto model =
        weights.size() > 0 ? fit_spread(pca, part(x), part(weights)) : fit_spread(pca, part(x));
    const auto at = static_cast<std::size_t>(rank);
    scores[at] = model.training_scores();
    others[at] = model.transform(part(q));
    auto gathered = model.gather();
    if (rank != 0) return;
    found.values = model.eigenvalues();
    found.gathered = std::move(gathered);
    found.report = model.report();
  });
  found.scores = stacked(scores);
  found.new_scores = stacked(others);
  return found;
}

template <class S>
struct FoundInFeatures {
  Vector<S> values;
  Matrix<S> coefficients, scores;  ///< scores of all processes
  Report report;
};

/// A fit over processes whose model is the same on all of them. Process 0 brings all samples, and
/// the others have an observer.
template <class Pca, class X>
auto fit_features(const Pca& pca, const X& x, Index count, RowSums sums = RowSums::OrderFree,
                  const Observer& observer = {}, const Vector<double>& weights = {}) {
  using S = typename X::Scalar;
  std::vector<Matrix<S>> scores(static_cast<std::size_t>(count));
  FoundInFeatures<S> found;
  run_as_processes(count, [&](const Processes& processes) {
    const bool first = processes.rank() == 0;
    const X none(0, 0);
    const auto samples = SpreadRows<X>::from_parts(processes, first ? x : none, sums);
    const Observer mine = first ? Observer() : observer;
    const Matrix<double> omega = first ? Matrix<double>(weights) : Matrix<double>(0, 0);
    const auto model =
        weights.size() > 0
            ? fit_spread(pca, samples,
                         SpreadRows<Matrix<double>>::from_parts(processes, omega, sums), mine)
            : fit_spread(pca, samples, mine);
    scores[static_cast<std::size_t>(processes.rank())] = model.transform(samples.local());
    if (!first) return;
    found.values = model.eigenvalues();
    found.coefficients = model.coefficients();
    found.report = model.report();
  });
  found.scores = stacked(scores);
  return found;
}

/// The same of a stream of all samples on each process.
template <class Pca, class X>
auto fit_streams(const Pca& pca, const X& x, Index count, RowSums sums = RowSums::OrderFree,
                 const Vector<double>& weights = {}) {
  FoundInFeatures<typename X::Scalar> found;
  run_as_processes(count, [&](const Processes& processes) {
    MatrixStream<X> stream(x);
    const auto model = [&] {
      if constexpr (requires { fit_spread(pca, processes, stream, part(processes, x)); })
        if (weights.size() > 0) return fit_spread(pca, processes, stream, part(processes, weights));
      return fit_spread(pca, processes, stream, sums);
    }();
    if (processes.rank() != 0) return;
    found.values = model.eigenvalues();
    found.coefficients = model.coefficients();
    found.scores = model.transform(x);
    found.report = model.report();
  });
  return found;
}

/// The sentence of a fit over three processes, the same on all.
template <class Fit>
std::string sentence(const Fit& work) {
  std::vector<std::string> all(3);
  run_as_processes(3, [&](const Processes& processes) {
    try {
      work(processes);
    } catch (const InvalidArgument& error) {
      all[static_cast<std::size_t>(processes.rank())] = error.what();
    }
  });
  CHECK(!all[1].empty());
  CHECK(!all[2].empty());
  return all[0];
}

/// Streams over processes give the model of spread samples, and their faults are told on all.
template <class Pca>
void check_streams(const Pca& pca) {
  const Matrix<double> x = groups(1300);
  const auto spread = fit_features(pca, x, 3);
  for (const Index count : {1, 3, 7}) {
    const auto found = fit_streams(pca, x, count);
    CHECK(found.values == spread.values);
    CHECK(found.coefficients == spread.coefficients);
    CHECK(found.report.samples == 1300);
    CHECK(found.report.dimension == 4);
    CHECK(found.report.residuals == spread.report.residuals);
  }
  CHECK(fit_streams(pca, x, 3, RowSums::Plain).values.isApprox(spread.values, 1e-11));
  Matrix<double> bad = x;
  bad(900, 1) = std::numeric_limits<double>::quiet_NaN();
  const auto told = [&](const auto& samples_of) {
    return sentence([&](const Processes& processes) {
      const Matrix<double> samples = samples_of(processes.rank());
      MatrixStream<Matrix<double>> stream(samples);
      static_cast<void>(fit_spread(pca, processes, stream));
    });
  };
  CHECK_THAT(told([&](Index) { return bad; }), Catch::Matchers::ContainsSubstring("at row 900"));
  // A fault that one process alone meets, among its own rows.
  bad = x;
  bad(1200, 1) = std::numeric_limits<double>::infinity();
  CHECK_THAT(told([&](Index rank) { return rank == 2 ? bad : x; }),
             Catch::Matchers::ContainsSubstring("at row 1200"));
  CHECK_THAT(told([&](Index rank) { return Matrix<double>(x.topRows(1300 - rank)); }),
             Catch::Matchers::ContainsSubstring(
                 "the stream has 1298 rows on one process and 1300 on another"));
  CHECK_THAT(told([&](Index rank) { return Matrix<double>(x.leftCols(4 - rank)); }),
             Catch::Matchers::ContainsSubstring("2 columns on one process and 4 on another"));
}

/// The report of a fit over three processes, of which one has more rows, is the same on all.
template <class Pca>
void check_same_report(const Pca& pca, const Matrix<double>& x) {
  std::vector<Report> all(3);
  run_as_processes(3, [&](const Processes& processes) {
    all[static_cast<std::size_t>(processes.rank())] = fit_spread(pca, part(processes, x)).report();
  });
  CHECK(all[0].bytes > 0);
  for (const Report& one : all) {
    CHECK(one.bytes == all[0].bytes);
    CHECK(one.reason == all[0].reason);
    CHECK(one.iterations == all[0].iterations);
    CHECK(one.residuals == all[0].residuals);
  }
}

/// The observer of the last process throws: all throw it.
template <class Pca>
void check_throwing_observer(const Pca& pca, const Matrix<double>& x) {
  CHECK(sentence([&](const Processes& processes) {
          const bool last = processes.rank() + 1 == processes.size();
          const Observer observer = [last](const Progress&) {
            if (last) detail::fail("the observer is tired");
            return true;
          };
          static_cast<void>(fit_spread(pca, part(processes, x), observer));
        }) == "the observer is tired");
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_MODELS_SPREAD_SPREAD_FITS_HPP
