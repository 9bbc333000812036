// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// One run of block Krylov: the basis, its restarts, and the tests that end it.

#ifndef MERCER_SOLVERS_KRYLOV_DETAIL_BLOCK_KRYLOV_RUN_HPP
#define MERCER_SOLVERS_KRYLOV_DETAIL_BLOCK_KRYLOV_RUN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/operator_view.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

struct BlockKrylovParams {
  double tolerance = 1e-6;     ///< stop at |K u - mu u| <= tolerance mu_1 for each component
  Index block = 0;             ///< vectors in a product, at least k; 0: k + 10 to k + 25
  Index basis = 0;             ///< largest size of the basis, at least 2 blocks; 0: 6 blocks
  Index max_iterations = 200;  ///< products with a block
  std::uint64_t seed = 1;

  /// Components to search for first, if a fraction of variance is asked for.
  static constexpr Index first_guess = 20;

  /// Vectors in a product, for this number of components. By default 10 to 25 more: products of
  /// tiles pad blocks to a multiple of 16 vectors, so the extra vectors are free. One vector of the
  /// 16 is left for the row means of Centered.
  [[nodiscard]] constexpr Index block_for(Index components, Index n) const {
    return (std::min)(n,
                      block > 0 ? (std::max)(block, components) : (components + 10) / 16 * 16 + 15);
  }

  /// Size of the basis for blocks of this size.
  [[nodiscard]] constexpr Index capacity_for(Index in_block, Index n) const {
    return (std::min)(n, (std::max)(basis > 0 ? basis : 6 * in_block, 2 * in_block));
  }

  /// Memory of a run for this number of components, in bytes.
  template <Real S>
  [[nodiscard]] constexpr std::size_t bytes(Index n, Index components) const {
    const Index in_block = block_for(components, n);
    return static_cast<std::size_t>(n * (2 * capacity_for(in_block, n) + 4 * in_block)) * sizeof(S);
  }
};

namespace detail {

/// One run of block Krylov: an orthonormal basis V and W = K V, which grow by blocks and restart.
template <Real S>
class BlockKrylovRun {
 public:
  BlockKrylovRun(const OperatorView<S>& a, const BlockKrylovParams& params,
                 const EigenRequest& request, const Observer& observer, Report& report)
      : a_(a),
        params_(params),
        request_(request),
        observer_(observer),
        report_(report),
        basis_(a.rows(), 0) {}

  /// Finds \p wanted leading pairs and sets the status. Starts from \p guess, an approximation of
  /// their span that may miss some of them, and from \p random vectors.
  void find(Index wanted, const Matrix<S>& guess, const Matrix<S>& random) {
    const Matrix<S> first = extension(guess).Q;
    const Matrix<S> second = orthogonalize_against(first, random).Q;
    guessed_ = first.cols();
    Matrix<S> start(a_.rows(), first.cols() + second.cols());
    start << first, second;
    find(wanted, start);
  }

  /// Finds \p wanted leading pairs. Starts from \p start and from the vectors in the basis.
  void find(Index wanted, const Matrix<S>& start) {
    reserve((std::min)(wanted, a_.rows()), start.cols());
    if (size_ == a_.rows()) {  // nothing is outside of the basis
      report_.status = settled(residuals(wanted_)) ? Status::Converged : Status::NotConverged;
      return;
    }
    Matrix<S> next = extension(start).Q;
    while (may_extend()) {
      if (size_ + next.cols() > capacity_) restart();
      if (!extend(next)) break;
      ritz_ = symmetric_eigensystem<S>(projected_.topLeftCorner(size_, size_));
      const Extension<S> rest = extension(products_.middleCols(size_ - last_, last_));
      // Only the products of the last block leave the span of the basis.
      const Vector<S> estimates =
          column_norms(small_product<S>(rest.R, ritz_.vectors.bottomRows(last_)));
      next = rest.Q;
      if (settled(estimates) && settled(residuals(wanted_)) &&
          (next.cols() == 0 || complement_at_rest())) {
        report_.status = Status::Converged;
        return;
      }
      if (stalled(estimates)) break;
      if (next.cols() == 0) {
        // The span is invariant. If it has too few pairs, the others lie outside.
        if (size_ >= wanted_) break;
        next = extension(random_block((std::min)(block_, a_.rows() - size_))).Q;
        if (next.cols() == 0) break;
      }
    }
    if (report_.status != Status::Cancelled) report_.status = Status::NotConverged;
  }

  /// The leading Ritz pairs of the basis, with their residuals.
  [[nodiscard]] EigenSolution<S> solution() {
    const Index kept = select_components(ritz_.values, a_.rows(), request_, report_);
    for (Index i = 0; i < kept; ++i)
      report_.residuals.push_back(static_cast<double>(residuals(kept)(i)));
    // K is symmetric: for each pair, an eigenvalue lies within the residual of mu.
    report_.eigenvalue_error_bounds = report_.residuals;
    report_.bytes = static_cast<std::size_t>(a_.rows() * (2 * capacity_ + 4 * block_)) * sizeof(S);
    return {ritz_.values.head(kept), ritz_vectors(kept),
            multiply(products_.leftCols(size_), Matrix<S>(ritz_.vectors.leftCols(kept))), report_};
  }

  /// The leading Ritz vectors, n x count.
  [[nodiscard]] Matrix<S> ritz_vectors(Index count) const {
    return multiply(basis_.leftCols(size_), Matrix<S>(ritz_.vectors.leftCols(count)));
  }

  [[nodiscard]] const Vector<S>& ritz_values() const { return ritz_.values; }

  /// The products of the last block, orthogonal to the basis, and random vectors up to \p cols.
  [[nodiscard]] Matrix<S> next_block(Index cols) {
    const Matrix<S> rest = extension(products_.middleCols(size_ - last_, last_)).Q;
    Matrix<S> block(a_.rows(), (std::max)(cols, rest.cols()));
    block << rest, random_block(block.cols() - rest.cols());
    return block;
  }

  /// Random vectors that do not depend on the landmarks, the same for every run.
  [[nodiscard]] Matrix<S> random_block(Index cols) {
    return normal_matrix<S>(a_.rows(), cols, params_.seed + random_blocks_++, "block krylov");
  }

 private:
  /// \p block made orthogonal to the basis and orthonormal (Q), and its coefficients (R).
  template <class Block>
  [[nodiscard]] Extension<S> extension(const Block& block) const {
    return orthogonalize_against(basis_.leftCols(size_), block);
  }

  /// Makes room for a search with blocks of this size.
  void reserve(Index wanted, Index block) {
    wanted_ = wanted;
    block_ = block;
    capacity_ = (std::max)(capacity_, params_.capacity_for(block_, a_.rows()));
    basis_.conservativeResize(a_.rows(), capacity_);
    products_.conservativeResize(a_.rows(), capacity_);
    projected_.conservativeResize(capacity_, capacity_);
  }

  /// Returns false at the limit of iterations, or if the observer stops the run.
  [[nodiscard]] bool may_extend() {
    if (report_.iterations >= params_.max_iterations) return false;
    if (go_on(observer_, {"block krylov", converged_, wanted_})) return true;
    report_.status = Status::Cancelled;
    return false;
  }

  /// Adds a block and its product to the basis. Returns false if the product is not finite.
  [[nodiscard]] bool extend(const Matrix<S>& block) {
    const Index cols = block.cols();
    basis_.middleCols(size_, cols) = block;
    a_.apply(block, products_.middleCols(size_, cols));
    ++report_.iterations;
    report_.kernel_products += cols;
    const Matrix<S> h = inner(basis_.leftCols(size_ + cols), products_.middleCols(size_, cols));
    if (!h.allFinite()) return false;
    projected_.block(0, size_, size_ + cols, cols) = h;
    projected_.block(size_, 0, cols, size_ + cols) = h.transpose();
    size_ += cols;
    last_ = cols;
    residuals_.resize(0);
    return true;
  }

  /// True if the wanted pairs have residuals within the tolerance or within rounding errors.
  [[nodiscard]] bool settled(const Vector<S>& residuals) {
    if (size_ < wanted_) return false;
    const S top = ritz_.values(0);
    const auto largest = static_cast<double>(top > 0 ? top : -ritz_.values(size_ - 1));
    const double noise = rounding_noise<S>(request_);
    const double bound = (std::max)(params_.tolerance * largest, noise);
    converged_ = 0;
    while (converged_ < wanted_ && static_cast<double>(residuals(converged_)) <= bound)
      ++converged_;
    return converged_ == wanted_;
  }

  /// True if residuals are as small as the rounding errors of the operator's entries allow, and
  /// four products have not halved them. More products would not help.
  [[nodiscard]] bool stalled(const Vector<S>& residuals) {
    if (request_.epsilon == 0 || size_ < wanted_ || wanted_ == 0) return false;
    constexpr std::size_t window = 4;
    const auto worst = static_cast<double>(residuals.head(wanted_).maxCoeff());
    worst_residuals_.push_back(worst);
    return worst <= 4 * request_.epsilon * request_.noise_scale &&
           worst_residuals_.size() > window &&
           worst > worst_residuals_[worst_residuals_.size() - 1 - window] / 2;
  }

  /// True if no eigenvalue that the guess has missed is growing towards the wanted ones. It would
  /// show in the complement of the guess, which is searched from random vectors: the largest Ritz
  /// value there below the wanted ones would grow with every product, and soon exceed them.
  [[nodiscard]] bool complement_at_rest() const {
    if (guessed_ == 0 || wanted_ == 0) return true;
    constexpr Index least_products = 3;
    if (report_.iterations < least_products) return false;
    const Index now = size_ - guessed_, before = now - last_;
    const Vector<S> values = complement_values(now), old_values = complement_values(before);
    const S least = ritz_.values(wanted_ - 1);
    const Index below = (values.array() >= least).count();
    if (below >= before) return false;
    const S growth = values(below) - old_values(below);
    return values(below) + growth <= least ||
           static_cast<double>(growth) <= params_.tolerance * static_cast<double>(ritz_.values(0));
  }

  /// Ritz values of the first \p size vectors after the guess.
  [[nodiscard]] Vector<S> complement_values(Index size) const {
    return symmetric_eigensystem<S>(projected_.block(guessed_, guessed_, size, size)).values;
  }

  /// |K u - mu u| of at least \p count leading Ritz pairs, from the products in memory.
  [[nodiscard]] const Vector<S>& residuals(Index count) {
    if (residuals_.size() < (std::min)(count, size_)) {
      const Matrix<S> y = ritz_.vectors.leftCols((std::min)(count, size_));
      Matrix<S> rest = multiply(products_.leftCols(size_), y);
      add_product(S(-1), basis_.leftCols(size_),
                  Matrix<S>(y * ritz_.values.head(y.cols()).asDiagonal()), rest);
      residuals_ = column_norms(rest);
    }
    return residuals_;
  }

  /// Norms of columns, also if their squares overflow or underflow.
  [[nodiscard]] static Vector<S> column_norms(const Matrix<S>& a) {
    Vector<S> norms(a.cols());
    for (Index j = 0; j < a.cols(); ++j) norms(j) = a.rows() > 0 ? a.col(j).stableNorm() : S(0);
    return norms;
  }

  /// Keeps one block of leading Ritz vectors. The residuals of all of them lie in the span of the
  /// next block, so the basis remains a Krylov basis (thick restart).
  void restart() {
    const Index kept = (std::min)(block_, size_);
    const Matrix<S> y = ritz_.vectors.leftCols(kept);
    basis_.leftCols(kept) = multiply(basis_.leftCols(size_), y);
    products_.leftCols(kept) = multiply(products_.leftCols(size_), y);
    projected_.topLeftCorner(kept, kept) = ritz_.values.head(kept).asDiagonal();
    size_ = kept;
    guessed_ = 0;  // the random vectors have had enough products by now
    residuals_.resize(0);
  }

  const OperatorView<S>& a_;
  const BlockKrylovParams& params_;
  const EigenRequest& request_;
  const Observer& observer_;
  Report& report_;
  Index wanted_ = 0, block_ = 0, capacity_ = 0;
  Matrix<S> basis_, products_, projected_;
  Index size_ = 0, last_ = 0;  ///< vectors in the basis, and in its last block
  Index guessed_ = 0;          ///< vectors at the front of the basis that span the guess
  Index converged_ = 0;
  EigenSystem<S> ritz_;
  Vector<S> residuals_;                  ///< of the leading Ritz pairs; computed when needed
  std::vector<double> worst_residuals_;  ///< largest residual after each product
  std::uint64_t random_blocks_ = 0;
};

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_SOLVERS_KRYLOV_DETAIL_BLOCK_KRYLOV_RUN_HPP
