// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Exact kernel PCA of samples whose rows are in several processes: solved on the first one.

#ifndef MERCER_MODELS_SPREAD_SPREAD_EXACT_HPP
#define MERCER_MODELS_SPREAD_SPREAD_EXACT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/memory.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/report_message.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/kernel_pca_parts.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/operators/gram_plan.hpp>
#include <mercer/solvers/dense/detail/dense_eigen.hpp>
#include <mercer/solvers/dense/exact.hpp>

namespace mercer {

namespace detail {

/// Bytes that the first process holds for a fit by Exact: all samples, which are there twice when
/// they arrive, and then the matrix and the workspace of the eigensolver. Collective.
template <OwnedSamples X>
[[nodiscard]] std::size_t gathered_bytes(const SpreadRows<X>& samples,
                                         const Components& components) {
  using S = typename X::Scalar;
  // A sparse value has the number of its column, too.
  constexpr std::size_t index = SparseSamples<X> ? sizeof(typename X::StorageIndex) : 0;
  auto entries = static_cast<std::int64_t>(stored_entries(samples.local()));
  samples.rows().processes().sum(std::span<std::int64_t>(&entries, 1));
  const std::size_t all = static_cast<std::size_t>(entries) * (sizeof(S) + index);
  const Index n = samples.rows().total();
  const std::size_t matrix = static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * sizeof(S);
  const Index found = components.is_fraction() ? n : components.count();
  return (std::max)(2 * all, all + matrix + DenseEigen<S>::bytes(n, found));
}

/// The rows of weighted samples that a model has kept, which are some of them in their order.
template <OwnedSamples X>
[[nodiscard]] std::vector<Index> rows_kept(const X& all, const Vector<double>& weights,
                                           const X& kept) {
  std::vector<Index> rows;
  for (Index i = 0, next = 0; i < all.rows() && next < kept.rows(); ++i)
    if (weights(i) > 0 && equal_rows(all, i, kept, next)) {
      rows.push_back(i);
      ++next;
    }
  return rows;
}

/// The parts of a model by Exact, from all samples on the first process.
/// \param choice  why this solver
template <KernelOrPrecomputed K, OwnedSamples X>
[[nodiscard]] KernelPcaParts<K, X> fit_parts(const KernelPca<K, Exact>& pca,
                                             const SpreadRows<X>& samples,
                                             const std::string& choice, const Observer& observer,
                                             const RowWeights& weights = {}) {
  using S = typename X::Scalar;
  const FitClock clock;
  const RowSpace& rows = samples.rows();
  const Processes& processes = rows.processes();
  const bool first = processes.rank() == 0;
  require_spread_fit(pca.kernel(), pca.params(), samples);
  const std::size_t needed = gathered_bytes(samples, pca.params().components),
                    budget = least_budget(processes, pca.params().memory_budget);
  if (needed > budget) {
    const BudgetInWords words(budget, needed);
    fail("mercer::fit_spread: Exact solves on one process, and n = ", rows.total(),
         " samples take ", words.needed, " there, more than the memory budget of ", words.budget,
         "; take BlockKrylov, Lanczos or Nystrom, or raise memory_budget");
  }

  KernelPcaParts<K, X> parts = parts_before_fit(
      pca.kernel(), std::make_shared<const X>(0, samples.cols()), pca.params().centered);
  Matrix<S> coefficients(0, 0), shares(0, 1), scores(0, 0);  // of all rows, on the first process
  // Where the fit is made, it asks the observer itself.
  if (rows.go_on(first ? Observer() : observer, {"gram matrix", 0, 1})) {
    X all = samples.gather();
    const Matrix<double> omega =
        weights.any ? gather_rows(rows, Matrix<double>(weights.values)) : Matrix<double>(0, 1);
    rows.together([&] {
      if (!first) return;
      KernelPcaParts<K, X> whole = weights.any ? pca.fit(all, omega.col(0), observer).parts()
                                               : pca.fit(std::move(all), observer).parts();
      parts.eigenvalues = std::move(whole.eigenvalues);
      parts.offset = std::move(whole.offset);
      parts.mean = whole.mean;
      parts.report = std::move(whole.report);
      coefficients = std::move(whole.coefficients);
      if (!weights.any || parts.eigenvalues.size() == 0) return;
      // One process keeps no samples without weight; here, all have their rows.
      const std::vector<Index> kept = rows_kept<X>(all, omega.col(0), *whole.points);
      scores = *whole.training_scores;
      const Matrix<S> used =
          std::exchange(coefficients, Matrix<S>::Zero(all.rows(), parts.eigenvalues.size()));
      shares = Matrix<S>::Zero(all.rows(), 1);
      for (std::size_t i = 0; i < kept.size(); ++i) {
        coefficients.row(kept[i]) = used.row(static_cast<Index>(i));
        shares(kept[i], 0) = whole.mean_weights(static_cast<Index>(i));
      }
    });
    rows.agree(parts.eigenvalues);
    rows.agree(parts.offset);
    auto mean = static_cast<double>(parts.mean);
    rows.agree(mean);
    parts.mean = static_cast<S>(mean);
    agree(processes, parts.report);
  } else {
    parts.report.samples = rows.total();
    parts.report.status = Status::Cancelled;
  }
  parts.report.reason = choice + "; " + describe_rows(rows) + ", gathered on the first process";
  parts.coefficients.resize(rows.local(), 0);
  const auto spread = [&](Matrix<S> of_all) {
    return SpreadRows<Matrix<S>>::from_parts(processes, std::move(of_all)).local();
  };
  if (parts.eigenvalues.size() > 0) {
    parts.coefficients = spread(std::move(coefficients));
    if (weights.any) {
      parts.mean_weights = spread(std::move(shares)).col(0);
      parts.training_scores = std::make_shared<const Matrix<S>>(spread(std::move(scores)));
    }
  }
  clock.report(parts.report);
  return parts;
}

/// fit_spread() with weights that have been checked. There are some.
template <KernelOrPrecomputed K, OwnedSamples X>
[[nodiscard]] SpreadPcaModel<K, X> fit_weighted(const KernelPca<K, Exact>& pca,
                                                SpreadRows<X> samples, const RowWeights& weights,
                                                const Observer& observer) {
  KernelPcaParts<K, X> parts = fit_parts(pca, samples, as_asked_for, observer, weights);
  return SpreadPcaModel<K, X>(std::move(parts), std::move(samples), true);
}

}  // namespace detail

/// Kernel PCA by Exact of samples whose rows are in several processes. All samples go to the first
/// process, which solves; eigenvalues and report come back to all, coefficients and scores to the
/// processes that have their rows. The result has the bits of a fit in one process.
/// For samples of which a reference is wanted, and where other processes are there anyway: they
/// wait. The observers of all processes are asked before the fit, and that of the first one in it.
/// Cost: that of Exact, on the first process.
/// Memory: all samples, the n x n matrix and the workspace of the eigensolver on the first process.
/// Throws InvalidArgument, on all processes, if this is more than the memory budget, in the cases
///   of KernelPca::fit(), and if processes have different kernels or numbers of components.
///   Collective.
template <KernelOrPrecomputed K, OwnedSamples X>
[[nodiscard]] SpreadPcaModel<K, X> fit_spread(const KernelPca<K, Exact>& pca, SpreadRows<X> samples,
                                              const Observer& observer = {}) {
  KernelPcaParts<K, X> parts = detail::fit_parts(pca, samples, detail::as_asked_for, observer);
  return SpreadPcaModel<K, X>(std::move(parts), std::move(samples));
}

}  // namespace mercer

#endif  // MERCER_MODELS_SPREAD_SPREAD_EXACT_HPP
