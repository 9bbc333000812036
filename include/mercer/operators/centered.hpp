// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The centred form of an operator, without forming it.

#ifndef MERCER_OPERATORS_CENTERED_HPP
#define MERCER_OPERATORS_CENTERED_HPP

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <mercer/core/phases.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/operators/symmetric_operator.hpp>

namespace mercer {

namespace detail {

/// The row means of an operator, computed when they are first needed.
template <Real S>
class LazyMeans {
 public:
  /// A lock for the caller that is to compute the means. An empty lock if they are known.
  [[nodiscard]] std::unique_lock<std::mutex> lock_if_unknown() {
    if (known_.load(std::memory_order_acquire)) return {};
    std::unique_lock<std::mutex> lock(mutex_);
    if (known_.load(std::memory_order_relaxed)) return {};
    return lock;
  }

  /// Must be called with the lock held.
  void set(Vector<S> means) {
    means_ = std::move(means);
    known_.store(true, std::memory_order_release);
  }

  [[nodiscard]] const Vector<S>& get() const { return means_; }

 private:
  std::mutex mutex_;
  std::atomic<bool> known_ = false;
  Vector<S> means_;
};

}  // namespace detail

/// J A J^T with J = I - 1 p^T: the Gram matrix of samples whose feature vectors have their mean,
/// with the weights p, subtracted. Its entries are A_ij - m_i - m_j + mm, with m = A p the row
/// means of A and mm = p^T m their mean. Without weights p_i = 1/n, and J is symmetric.
///
/// The row means are computed when they are first needed. If the first use is apply(), they come
/// from one more column of its product.
/// Cost: apply() costs O(n b) more than that of A.
/// Threads: const members may run concurrently. Copies share the row means.
/// Rows in several processes: as the operator; weights and row means are those of the rows of this
///   process. Construction is collective, unless it is a copy.
template <SymmetricOperator A>
class Centered {
 public:
  using Scalar = typename A::Scalar;

  /// \param weights  p, not negative and with the sum 1; empty, where there are rows: 1/n each
  explicit Centered(A base, Vector<Scalar> weights = {})
      : base_(std::move(base)),
        weights_(std::move(weights)),
        weighted_(row_space().any(weights_.size() > 0)),
        means_(std::make_shared<detail::LazyMeans<Scalar>>()) {}

  [[nodiscard]] Index rows() const { return base_.rows(); }
  /// The rows of this process: those of A.
  [[nodiscard]] RowSpace row_space() const { return row_space_of(base_); }

  /// out = J A J^T v.
  void apply(const Points<Scalar>& v, GramOut<Scalar> out) const {
    const Index b = v.cols();
    if (b == 0) return;
    Matrix<Scalar> centered(v.rows(), b + 1);
    centered.leftCols(b) = v;
    subtract_sums(centered.leftCols(b));
    if (const auto lock = means_->lock_if_unknown()) {
      if (weighted_)
        centered.col(b) = weights_;
      else
        centered.col(b).setOnes();
      Matrix<Scalar> product(v.rows(), b + 1);
      base_.apply(centered, product);
      Vector<Scalar> means = product.col(b);
      if (!weighted_) means /= static_cast<Scalar>(rows());
      means_->set(std::move(means));
      out = product.leftCols(b);
    } else {
      base_.apply(centered.leftCols(b), out);
    }
    centre_columns<Scalar>(row_space(), mean_weights(), out);
  }

  [[nodiscard]] Vector<Scalar> diagonal() const requires HasDiagonalEntries<A> {
    return (base_.diagonal() - Scalar(2) * row_means()).array() + mean();
  }

  [[nodiscard]] Matrix<Scalar> dense() const& { return centered(to_dense(base_)); }
  [[nodiscard]] Matrix<Scalar> dense() && { return centered(to_dense(std::move(base_))); }

  /// The principal submatrix of these rows, centred by its own means without weights.
  [[nodiscard]] Matrix<Scalar> sample_block(const std::vector<Index>& indices) const requires
      HasSamples<A> {
    Matrix<Scalar> block = base_.sample_block(indices);
    detail::center_symmetric(block);
    return block;
  }

  /// J A(:, indices) J_m weights, where J_m is J for m = indices.size() instead of n.
  [[nodiscard]] Matrix<Scalar> sample_product(const std::vector<Index>& indices,
                                              const Matrix<Scalar>& weights) const requires
      HasSamples<A> {
    Matrix<Scalar> product =
        base_.sample_product(indices, weights.rowwise() - weights.colwise().mean());
    centre_columns<Scalar>(row_space(), mean_weights(), product);
    return product;
  }

  /// The row means m of A.
  [[nodiscard]] const Vector<Scalar>& row_means() const {
    if (const auto lock = means_->lock_if_unknown())
      means_->set(weighted_ ? apply_to_vector(base_, weights_) : mercer::row_means(base_));
    return means_->get();
  }
  /// mm, the mean of the row means.
  [[nodiscard]] Scalar mean() const {
    return column_means(row_space(), mean_weights(), row_means())(0);
  }

 private:
  /// p; null without weights.
  [[nodiscard]] const Vector<Scalar>* mean_weights() const {
    return weighted_ ? &weights_ : nullptr;
  }

  /// a <- J^T a.
  void subtract_sums(GramOut<Scalar> a) const {
    if (weighted_)
      a -= weights_ * detail::block_sums<Scalar>(row_space(), a).transpose();
    else
      centre_columns<Scalar>(row_space(), a);
  }

  [[nodiscard]] Matrix<Scalar> centered(Matrix<Scalar> dense) const {
    const PhaseTimer timer(Phase::Tiles);
    if (const auto lock = means_->lock_if_unknown())
      means_->set(weighted_ ? multiply(dense, Matrix<Scalar>(weights_)).col(0)
                            : column_means(dense));
    const Vector<Scalar>& means = means_->get();
    const Scalar grand_mean = weighted_ ? weights_.dot(means) : means.mean();
    parallel_for(detail::tile_count(dense.rows()), [&](Index task) {
      const auto range = detail::Range::tile(task, dense.cols());
      for (Index j = range.begin; j < range.begin + range.size; ++j)
        // m_i + m_j is added first, so that the result is symmetric to the last bit.
        dense.col(j).array() -= (means.array() + means(j)) - grand_mean;
    });
    return dense;
  }

  A base_;
  Vector<Scalar> weights_;
  bool weighted_;  // on all processes, also on one that has no rows and so no weights
  std::shared_ptr<detail::LazyMeans<Scalar>> means_;
};

}  // namespace mercer

#endif  // MERCER_OPERATORS_CENTERED_HPP
