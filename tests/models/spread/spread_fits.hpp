// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Fits over threads that take the part of processes.

#ifndef MERCER_TESTS_MODELS_SPREAD_SPREAD_FITS_HPP
#define MERCER_TESTS_MODELS_SPREAD_SPREAD_FITS_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/spread_rows.hpp>
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
template <class S>
Found fit(const KernelPca<Gaussian, S>& pca, const Matrix<double>& x, const Matrix<double>& q,
          Index count, RowSums sums = RowSums::OrderFree) {
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
    const auto model = fit_spread(pca, part(x));
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
                  const Observer& observer = {}) {
  using S = typename X::Scalar;
  std::vector<Matrix<S>> scores(static_cast<std::size_t>(count));
  FoundInFeatures<S> found;
  run_as_processes(count, [&](const Processes& processes) {
    const bool first = processes.rank() == 0;
    const X none(0, 0);
    const auto samples = SpreadRows<X>::from_parts(processes, first ? x : none, sums);
    const auto model = fit_spread(pca, samples, first ? Observer() : observer);
    scores[static_cast<std::size_t>(processes.rank())] = model.transform(samples.local());
    if (!first) return;
    found.values = model.eigenvalues();
    found.coefficients = model.coefficients();
    found.report = model.report();
  });
  found.scores = stacked(scores);
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
