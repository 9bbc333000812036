// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// An estimator of the Gram matrix from single entries of it, the others set to zero.

#ifndef MERCER_ESTIMATORS_ENTRY_SAMPLING_HPP
#define MERCER_ESTIMATORS_ENTRY_SAMPLING_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/low_rank/low_rank_term.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>

namespace mercer {

/// The draws of EntrySampling. Models BoundEstimator.
template <OwnedSamples X>
class BoundEntrySampling {
 public:
  using S = typename X::Scalar;
  using Term = SymmetricTerm<S>;

  BoundEntrySampling(const KernelView<X>& kernel, const X& samples, double probability,
                     std::uint64_t seed)
      : kernel_(kernel),
        samples_(&samples),
        prepared_(kernel.prepare(samples)),
        probability_(probability),
        seed_(seed) {
    if (!(probability > 0 && probability <= 1))
      detail::fail("mercer::EntrySampling: probability must be in (0, 1], got ", probability);
    if (samples.rows() == 0) detail::fail("mercer::EntrySampling: needs at least one sample");
  }

  void draw(std::uint64_t t, Term& out) {
    const Index n = samples_->rows();
    const std::vector<Row> kept = kept_entries(t);
    std::vector<Index> touched;
    for (const Row& row : kept) {
      touched.push_back(row.index);
      touched.insert(touched.end(), row.others.begin(), row.others.end());
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    // A draw without entries is one vector of zeros.
    const auto rank = (std::max)(static_cast<Index>(touched.size()), Index{1});
    out.basis.setZero(n, rank);
    out.middle.setZero(rank, rank);
    for (std::size_t j = 0; j < touched.size(); ++j)
      out.basis(touched[j], static_cast<Index>(j)) = 1;
    const auto place = [&](Index row) {
      return static_cast<Index>(std::lower_bound(touched.begin(), touched.end(), row) -
                                touched.begin());
    };
    parallel_for(static_cast<Index>(kept.size()), [&](Index task) {
      const Row& row = kept[static_cast<std::size_t>(task)];
      const X others = detail::take_rows(*samples_, row.others);
      const PreparedSamples<X> prepared = kernel_.prepare(others, prepared_);
      Matrix<S> values(1, others.rows());
      kernel_.fill(prepared_, {row.index, 1}, prepared, {0, others.rows()}, values);
      const Index i = place(row.index);
      for (Index c = 0; c < others.rows(); ++c) {
        const Index j = place(row.others[static_cast<std::size_t>(c)]);
        const S value = values(0, c) / static_cast<S>(probability_);
        out.middle(i, j) = value;
        out.middle(j, i) = value;
      }
    });
  }

 private:
  /// The kept entries of a row of the lower triangle.
  struct Row {
    Index index = 0;
    std::vector<Index> others;  // columns up to index, ascending
  };

  /// Runs of dropped entries have a geometric law, so only kept ones take random numbers.
  [[nodiscard]] std::vector<Row> kept_entries(std::uint64_t t) const {
    RandomStream stream(seed_, "sampled entries", t);
    const Index n = samples_->rows();
    const double dropped = std::log1p(-probability_);
    std::vector<Row> kept;
    Index row = 0, column = 0;  // of the next entry that may be kept
    while (true) {
      double skip = std::floor(std::log(stream.uniform()) / dropped);
      while (row < n && skip >= static_cast<double>(row + 1 - column)) {
        skip -= static_cast<double>(row + 1 - column);
        ++row;
        column = 0;
      }
      if (row == n) return kept;
      column += static_cast<Index>(skip);
      if (kept.empty() || kept.back().index != row) kept.push_back({row, {}});
      kept.back().others.push_back(column);
      if (++column > row) {
        ++row;
        column = 0;
      }
    }
  }

  KernelView<X> kernel_;
  const X* samples_;
  PreparedSamples<X> prepared_;
  double probability_;
  std::uint64_t seed_;
};

/// xi_ij = xi_ji = K_ij / p with probability p, and 0 otherwise, independently for all pairs i <=
/// j. Works for any kernel.
///
/// A draw has about p n^2 / 2 entries, and at most twice as many rows that are not zero, which is
/// its rank. As an estimator it is of low rank only for p far below 2 / n, where it is far less
/// accurate than columns or features: it is for comparisons.
/// Cost: p n^2 / 2 kernel values for each draw, and O(n r + r^2) for r rows that are not zero.
/// Accuracy: E|xi - K|_F^2 = (1/p - 1) |K|_F^2.
/// Random: stream "sampled entries" of the seed.
/// Lifetime: a bound estimator refers to the kernel and the samples.
/// Source: Achlioptas, McSherry, Schoelkopf, Sampling techniques for kernel methods, 2001.
struct EntrySampling {
  double probability = 0.01;  ///< p, in (0, 1]

  /// Throws InvalidArgument if the probability is out of range or if there are no samples.
  template <OwnedSamples X>
  [[nodiscard]] BoundEntrySampling<X> bind(const std::type_identity_t<KernelView<X>>& kernel,
                                           const X& samples, std::uint64_t seed) const {
    return {kernel, samples, probability, seed};
  }
};

}  // namespace mercer

#endif  // MERCER_ESTIMATORS_ENTRY_SAMPLING_HPP
