// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The block Krylov solver: leading eigenpairs from products with blocks of vectors.

#ifndef MERCER_SOLVERS_BLOCK_KRYLOV_HPP
#define MERCER_SOLVERS_BLOCK_KRYLOV_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/operator_view.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

struct BlockKrylovParams {
  double tolerance = 1e-6;     ///< for each component, |K u - mu u| <= tolerance mu_1
  Index block = 0;             ///< vectors in a product, at least k; 0: k + 10
  Index basis = 0;             ///< most vectors of the basis, at least 2 blocks; 0: 6 blocks
  Index max_iterations = 200;  ///< products with a block
  std::uint64_t seed = 1;
};

namespace detail {

/// One run of block Krylov: an orthonormal basis V, grown by blocks and restarted, with W = K V.
template <Real S>
class BlockKrylovRun {
 public:
  BlockKrylovRun(const OperatorView<S>& a, const BlockKrylovParams& params,
                 const EigenRequest& request, const Observer& observer, Report& report)
      : a_(a), params_(params), request_(request), observer_(observer), report_(report) {}

  /// Finds \p wanted leading pairs, from the span of \p start. Sets the status.
  void find(Index wanted, const Matrix<S>& start) {
    wanted_ = (std::min)(wanted, a_.rows());
    block_ = start.cols();
    const Index most = params_.basis > 0 ? params_.basis : 6 * block_;
    capacity_ = (std::min)(a_.rows(), (std::max)(most, 2 * block_));
    basis_.resize(a_.rows(), capacity_);
    products_.resize(a_.rows(), capacity_);
    projected_.resize(capacity_, capacity_);
    size_ = 0;
    Matrix<S> next = extension(start).Q;
    while (extend(next)) {
      ritz_ = symmetric_eigensystem<S>(projected_.topLeftCorner(size_, size_));
      const Extension<S> rest = extension(products_.middleCols(size_ - last_, last_));
      // Only products of the last block leave the span of the basis.
      const Vector<S> estimates =
          small_product<S>(rest.R, ritz_.vectors.bottomRows(last_)).colwise().norm();
      if (settled(estimates) && settled(residuals())) {
        report_.status = Status::Converged;
        return;
      }
      next = rest.Q;
      if (next.cols() == 0) {
        // The span is invariant. If there are not enough pairs in it, others are outside.
        if (size_ >= wanted_) break;
        next = extension(random_block((std::min)(block_, a_.rows() - size_))).Q;
        if (next.cols() == 0) break;
      }
      if (size_ + next.cols() > capacity_) restart();
    }
    if (report_.status != Status::Cancelled) report_.status = Status::NotConverged;
  }

  /// The leading pairs of the basis with their residuals.
  [[nodiscard]] EigenSolution<S> solution() {
    const Index kept = select_components(ritz_.values, a_.rows(), request_, report_);
    for (Index i = 0; i < kept; ++i)
      report_.residuals.push_back(static_cast<double>(residuals()(i)));
    // K is symmetric: an eigenvalue lies within the residual of every pair.
    report_.eigenvalue_error_bounds = report_.residuals;
    report_.bytes = static_cast<std::size_t>(a_.rows() * (2 * capacity_ + 4 * block_)) * sizeof(S);
    return {ritz_.values.head(kept), ritz_vectors(kept), report_};
  }

  /// The leading Ritz vectors, n x count.
  [[nodiscard]] Matrix<S> ritz_vectors(Index count) const {
    return multiply(basis_.leftCols(size_), Matrix<S>(ritz_.vectors.leftCols(count)));
  }

  [[nodiscard]] const Vector<S>& ritz_values() const { return ritz_.values; }

  /// Columns that no landmark has a part in, the same for every run.
  [[nodiscard]] Matrix<S> random_block(Index cols) {
    return normal_matrix<S>(a_.rows(), cols, params_.seed + random_blocks_++, "block krylov");
  }

 private:
  /// A block orthogonal to the basis, and what it leaves of \p block.
  template <class Block>
  [[nodiscard]] Extension<S> extension(const Block& block) const {
    return orthogonalize_against(basis_.leftCols(size_), block);
  }

  /// Adds a block and its product to the basis; false if the run is to end before that.
  [[nodiscard]] bool extend(const Matrix<S>& block) {
    if (report_.iterations >= params_.max_iterations) return false;
    if (!go_on(observer_, {"block krylov", converged_, wanted_})) {
      report_.status = Status::Cancelled;
      return false;
    }
    last_ = block.cols();
    basis_.middleCols(size_, last_) = block;
    a_.apply(block, products_.middleCols(size_, last_));
    const Matrix<S> h = inner(basis_.leftCols(size_ + last_), products_.middleCols(size_, last_));
    projected_.block(0, size_, size_ + last_, last_) = h;
    projected_.block(size_, 0, last_, size_ + last_) = h.transpose();
    size_ += last_;
    residuals_.resize(0);
    ++report_.iterations;
    report_.kernel_products += last_;
    return true;
  }

  /// Whether the wanted pairs are there with residuals up to the tolerance or to rounding.
  [[nodiscard]] bool settled(const Vector<S>& residuals) {
    const Index n = a_.rows();
    if (size_ < wanted_) return false;
    const S top = ritz_.values(0);
    const auto largest = static_cast<double>(top > 0 ? top : -ritz_.values(size_ - 1));
    const double noise = zero_floor<S>(0, n, request_);
    const double bound = (std::max)(params_.tolerance * largest, noise);
    converged_ = 0;
    while (converged_ < wanted_ && static_cast<double>(residuals(converged_)) <= bound)
      ++converged_;
    return converged_ == wanted_;
  }

  /// |K u - mu u| of the leading Ritz pairs, from the products as they are.
  [[nodiscard]] const Vector<S>& residuals() {
    if (residuals_.size() == 0) {
      const Matrix<S> y = ritz_.vectors.leftCols((std::min)(wanted_, size_));
      Matrix<S> rest = multiply(products_.leftCols(size_), y);
      add_product(S(-1), basis_.leftCols(size_),
                  Matrix<S>(y * ritz_.values.head(y.cols()).asDiagonal()), rest);
      residuals_ = column_products(rest, rest).cwiseSqrt();
    }
    return residuals_;
  }

  /// Keeps one block of leading Ritz vectors: their products leave the span in the direction of the
  /// next block only, so the basis remains one of a Krylov space (thick restart).
  void restart() {
    const Index kept = (std::min)(block_, size_);
    const Matrix<S> y = ritz_.vectors.leftCols(kept);
    basis_.leftCols(kept) = multiply(basis_.leftCols(size_), y);
    products_.leftCols(kept) = multiply(products_.leftCols(size_), y);
    projected_.topLeftCorner(kept, kept) = ritz_.values.head(kept).asDiagonal();
    size_ = kept;
  }

  const OperatorView<S>& a_;
  const BlockKrylovParams& params_;
  const EigenRequest& request_;
  const Observer& observer_;
  Report& report_;
  Index wanted_ = 0, block_ = 0, capacity_ = 0;
  Matrix<S> basis_, products_, projected_;
  Index size_ = 0, last_ = 0;  ///< vectors in the basis, and in its last block
  Index converged_ = 0;
  EigenSystem<S> ritz_;
  Vector<S> residuals_;  ///< of the leading Ritz pairs; empty until they are asked for
  std::uint64_t random_blocks_ = 0;
};

/// Vectors near the leading eigenvectors: those of the submatrix of some landmarks, extended by the
/// columns of the landmarks (classical Nystroem).
template <Real S>
[[nodiscard]] Matrix<S> sketch_eigenvectors(const OperatorView<S>& a, Index count,
                                            std::uint64_t seed);

/// A block to start from: eigenvectors of a sketch where the operator has samples, and random
/// vectors, so that no eigenvector is out of reach because the landmarks missed it.
template <Real S>
[[nodiscard]] Matrix<S> start_block(const OperatorView<S>& a, Index cols, std::uint64_t seed,
                                    BlockKrylovRun<S>& run) {
  const Index random = (std::max)(Index{2}, cols / 8);
  if (cols <= random) return run.random_block(cols);
  Matrix<S> sketch = sketch_eigenvectors(a, cols - random, seed);
  Matrix<S> block(a.rows(), cols);
  block << sketch, run.random_block(cols - sketch.cols());
  return block;
}

/// All of BlockKrylov::solve, compiled once for each scalar.
template <Real S>
[[nodiscard]] EigenSolution<S> solve_block_krylov(const OperatorView<S>& a,
                                                  const BlockKrylovParams& params,
                                                  const EigenRequest& request,
                                                  const Observer& observer, double trace,
                                                  bool from_sketch = true) {
  constexpr Index oversampling = 10, first_guess = 20;
  const bool fraction = request.components.is_fraction();
  const Index n = a.rows();
  Report report;
  report.solver = "block krylov";
  report.trace = trace;
  BlockKrylovRun<S> run(a, params, request, observer, report);
  Index wanted = fraction ? (std::min)(first_guess, n) : request.components.count();
  const auto block = [&] {
    return (std::min)(n,
                      params.block > 0 ? (std::max)(params.block, wanted) : wanted + oversampling);
  };
  Matrix<S> start =
      from_sketch ? start_block(a, block(), params.seed, run) : run.random_block(block());
  for (;;) {
    run.find(wanted, start);
    const auto values = run.ritz_values().head((std::min)(wanted, run.ritz_values().size()));
    if (!fraction || report.status != Status::Converged || wanted == n ||
        static_cast<double>(values.sum()) >= request.components.fraction() * trace ||
        !(static_cast<double>(values.minCoeff()) >
          zero_floor<S>(static_cast<double>(values.maxCoeff()), n, request)))
      return run.solution();
    wanted = (std::min)(2 * wanted, n);
    const Index known = (std::min)(run.ritz_values().size(), block());
    start.resize(n, block());
    start << run.ritz_vectors(known), run.random_block(block() - known);
  }
}

template <Real S>
[[nodiscard]] Matrix<S> sketch_eigenvectors(const OperatorView<S>& a, Index count,
                                            std::uint64_t seed) {
  constexpr Index most_landmarks = 1000, share = 10;
  const Index m = (std::min)(most_landmarks, a.rows() / share);
  if (!a.has_samples() || m < 2 * count) return Matrix<S>(a.rows(), 0);
  RandomStream stream(seed, "sketch");
  const auto landmarks = sample_without_replacement(a.rows(), m, stream);
  const auto block = PrecomputedGram<S>::unchecked(a.sample_block(landmarks));
  const BlockKrylovParams rough{.tolerance = 0.05, .seed = seed};
  const EigenSolution<S> system = solve_block_krylov<S>(
      OperatorView<S>(block), rough, {.components = count}, {}, 0, /*from_sketch=*/false);
  return a.sample_product(landmarks, system.eigenvectors);
}

}  // namespace detail

/// Randomised block Krylov with Rayleigh-Ritz: the space spanned by V, K V, K^2 V, ... for a block
/// V of a few more vectors than components are wanted, kept orthonormal, and restarted with the
/// leading Ritz vectors when it is full.
///
/// V is not random but comes from a Nystroem sketch where the operator has samples: eigenvectors of
/// the submatrix of up to 1000 random rows, extended to all rows, and some random vectors. That
/// saves one or two products of five. Works on any SymmetricOperator; for an indefinite one it
/// finds the largest eigenvalues, and keeps the positive ones. Cost: products of the operator with
/// blocks, about 4 to 6 at the default tolerance for spectra that decay, and O(n basis block) for
/// each. Memory: twice the basis, 12 n (k + 10) values by default. Accuracy: the error of an
/// eigenvalue is at most its residual, and for an isolated one about the residual squared over the
/// gap. Status: NotConverged with the best so far if max_iterations products were not enough. A
/// fraction of variance for components: the number is doubled until they reach it. Random:
/// params.seed, purposes "sketch" and "block krylov". Source: Musco and Musco, Randomized block
/// Krylov methods for stronger and faster approximate singular value decomposition, 2015
/// (spec 5.4); restarts as in Wu and Simon, Thick-restart Lanczos method for large symmetric
/// eigenvalue problems, 2000.
class BlockKrylov {
 public:
  using Params = BlockKrylovParams;

  BlockKrylov() = default;

  /// Throws InvalidArgument for a tolerance that is not positive, sizes below 0, max_iterations < 1
  /// and a basis of less than 2 blocks.
  explicit BlockKrylov(BlockKrylovParams params) : params_(params) {
    detail::require_positive("BlockKrylov", "tolerance", params.tolerance);
    if (params.max_iterations < 1)
      detail::fail("mercer::BlockKrylov: max_iterations must be at least 1, got ",
                   params.max_iterations);
    if (params.block < 0 || params.basis < 0)
      detail::fail("mercer::BlockKrylov: block and basis must not be negative, got ", params.block,
                   " and ", params.basis);
    if (params.basis > 0 && params.basis < 2 * params.block)
      detail::fail("mercer::BlockKrylov: basis must be at least 2 blocks, ", 2 * params.block,
                   ", got ", params.basis);
  }

  [[nodiscard]] const BlockKrylovParams& params() const { return params_; }
  [[nodiscard]] double tolerance() const { return params_.tolerance; }

  /// Throws InvalidArgument for a block smaller than the number of components.
  template <SymmetricOperator A>
  [[nodiscard]] EigenSolution<typename A::Scalar> solve(const A& a, const EigenRequest& request,
                                                        const Observer& observer = {}) const {
    using S = typename A::Scalar;
    if (params_.block > 0 && !request.components.is_fraction() &&
        params_.block < request.components.count())
      detail::fail("mercer::BlockKrylov: block must be at least the number of components, ",
                   request.components.count(), ", got ", params_.block);
    EigenSolution<S> solution = detail::solve_block_krylov<S>(
        OperatorView<S>(a), params_, request, observer,
        request.components.is_fraction() ? detail::trace(a, request) : 0);
    // The diagonal of a centred operator takes row means, which the products have found by now.
    if (solution.report.iterations > 0) solution.report.trace = detail::trace(a, request);
    return solution;
  }

 private:
  BlockKrylovParams params_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_BLOCK_KRYLOV_HPP
