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
#include <vector>

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
  Index block = 0;             ///< vectors in a product, at least k; 0: k + 10 to 25
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
      : a_(a),
        params_(params),
        request_(request),
        observer_(observer),
        report_(report),
        basis_(a.rows(), 0) {}

  /// Finds \p wanted leading pairs from a guess of their span, which may have missed some of them,
  /// and random vectors. Sets the status.
  void find(Index wanted, const Matrix<S>& guess, const Matrix<S>& random) {
    const Matrix<S> first = extension(guess).Q;
    const Matrix<S> second = orthogonalize_against(first, random).Q;
    guessed_ = first.cols();
    Matrix<S> start(a_.rows(), first.cols() + second.cols());
    start << first, second;
    find(wanted, start);
  }

  /// Finds \p wanted leading pairs, from the span of \p start and of what the basis holds already.
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
      // Only products of the last block leave the span of the basis.
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
        // The span is invariant. If there are not enough pairs in it, others are outside.
        if (size_ >= wanted_) break;
        next = extension(random_block((std::min)(block_, a_.rows() - size_))).Q;
        if (next.cols() == 0) break;
      }
    }
    if (report_.status != Status::Cancelled) report_.status = Status::NotConverged;
  }

  /// The leading pairs of the basis with their residuals.
  [[nodiscard]] EigenSolution<S> solution() {
    const Index kept = select_components(ritz_.values, a_.rows(), request_, report_);
    for (Index i = 0; i < kept; ++i)
      report_.residuals.push_back(static_cast<double>(residuals(kept)(i)));
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

  /// What the last block leaves outside of the basis, and random vectors up to \p cols.
  [[nodiscard]] Matrix<S> next_block(Index cols) {
    const Matrix<S> rest = extension(products_.middleCols(size_ - last_, last_)).Q;
    Matrix<S> block(a_.rows(), (std::max)(cols, rest.cols()));
    block << rest, random_block(block.cols() - rest.cols());
    return block;
  }

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

  /// Makes room for a search with blocks of this size.
  void reserve(Index wanted, Index block) {
    wanted_ = wanted;
    block_ = block;
    const Index most = params_.basis > 0 ? params_.basis : 6 * block_;
    capacity_ = (std::max)(capacity_, (std::min)(a_.rows(), (std::max)(most, 2 * block_)));
    basis_.conservativeResize(a_.rows(), capacity_);
    products_.conservativeResize(a_.rows(), capacity_);
    projected_.conservativeResize(capacity_, capacity_);
  }

  /// False at the limit of iterations, and where the observer says stop.
  [[nodiscard]] bool may_extend() {
    if (report_.iterations >= params_.max_iterations) return false;
    if (go_on(observer_, {"block krylov", converged_, wanted_})) return true;
    report_.status = Status::Cancelled;
    return false;
  }

  /// Adds a block and its product to the basis; false if the product is not finite.
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

  /// Whether the wanted pairs are there with residuals up to the tolerance or to rounding.
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

  /// Whether residuals are down to what rounding in the operator's entries may do, and four
  /// products have not halved them: then more will not.
  [[nodiscard]] bool stalled(const Vector<S>& residuals) {
    if (request_.epsilon == 0 || size_ < wanted_ || wanted_ == 0) return false;
    constexpr std::size_t window = 4;
    const auto worst = static_cast<double>(residuals.head(wanted_).maxCoeff());
    worst_residuals_.push_back(worst);
    return worst <= 4 * request_.epsilon * request_.noise_scale &&
           worst_residuals_.size() > window &&
           worst > worst_residuals_[worst_residuals_.size() - 1 - window] / 2;
  }

  /// Whether no eigenvalue that the guess has missed is on its way to the wanted ones. It would be
  /// seen in the complement of the guess, which is searched from random vectors: there the largest
  /// Ritz value below the wanted ones would grow with every product, and soon be above them.
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

  /// |K u - mu u| of at least \p count leading Ritz pairs, from the products as they are.
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

  /// Norms of columns, whose squares need not be in the range of the scalar.
  [[nodiscard]] static Vector<S> column_norms(const Matrix<S>& a) {
    Vector<S> norms(a.cols());
    for (Index j = 0; j < a.cols(); ++j) norms(j) = a.rows() > 0 ? a.col(j).stableNorm() : S(0);
    return norms;
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
    guessed_ = 0;  // by now the random vectors have had their chance
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
  Index guessed_ = 0;          ///< vectors at the front of the basis that span a guess
  Index converged_ = 0;
  EigenSystem<S> ritz_;
  Vector<S> residuals_;  ///< of the leading Ritz pairs; empty until they are asked for
  std::vector<double> worst_residuals_;  ///< after each product
  std::uint64_t random_blocks_ = 0;
};

/// Vectors near the leading eigenvectors: those of the submatrix of some landmarks, extended by the
/// columns of the landmarks (classical Nystroem).
template <Real S>
[[nodiscard]] Matrix<S> sketch_eigenvectors(const OperatorView<S>& a, Index count,
                                            std::uint64_t seed);

/// At least 10 vectors more than pairs are wanted. Products of tiles pad their blocks to a multiple
/// of 16 vectors, so as many come for nothing, but for one, which the row means of Centered take.
[[nodiscard]] constexpr Index default_block(Index wanted) {
  return (wanted + 10) / 16 * 16 + 15;
}

/// All of BlockKrylov::solve, compiled once for each scalar.
template <Real S>
[[nodiscard]] EigenSolution<S> solve_block_krylov(const OperatorView<S>& a,
                                                  const BlockKrylovParams& params,
                                                  const EigenRequest& request,
                                                  const Observer& observer, double trace,
                                                  bool from_sketch = true) {
  constexpr Index first_guess = 20;
  const bool fraction = request.components.is_fraction();
  const Index n = a.rows();
  Report report;
  report.solver = "block krylov";
  report.trace = trace;
  report.components_requested = fraction ? 0 : request.components.count();
  BlockKrylovRun<S> run(a, params, request, observer, report);
  Index wanted = fraction ? (std::min)(first_guess, n) : request.components.count();
  const auto block = [&] {
    return (std::min)(n,
                      params.block > 0 ? (std::max)(params.block, wanted) : default_block(wanted));
  };
  // Random vectors beside the guess reach what its landmarks have missed.
  const Index random = (std::max)(Index{2}, block() / 8);
  const Matrix<S> guess = from_sketch && block() > random
                              ? sketch_eigenvectors(a, block() - random, params.seed)
                              : Matrix<S>(n, 0);
  run.find(wanted, guess, run.random_block(block() - guess.cols()));
  for (;;) {
    const auto values = run.ritz_values().head((std::min)(wanted, run.ritz_values().size()));
    if (!fraction || report.status != Status::Converged || wanted == n ||
        static_cast<double>(values.sum()) >= request.components.fraction() * trace ||
        !(static_cast<double>(values.minCoeff()) >
          zero_floor<S>(static_cast<double>(values.maxCoeff()), n, request)))
      return run.solution();
    wanted = (std::min)(2 * wanted, n);
    run.find(wanted, run.next_block(block()));
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
/// the submatrix of up to 1000 random rows, extended to all rows, and random vectors for an eighth
/// of the block. That saves one or two products of five. Where landmarks miss whole eigenvectors
/// (many groups of equal samples), the random vectors find them: the run does not end before three
/// products, nor while Ritz values in the complement of the sketch grow towards the wanted ones.
/// Works on any SymmetricOperator; for an indefinite one it finds the largest eigenvalues, and
/// keeps the positive ones. Cost: products of the operator with blocks, about 4 to 6 at the default
/// tolerance for spectra that decay, and O(n basis block) for each. Memory: twice the basis, 12 n
/// (k + 10) values by default. Accuracy: the error of an eigenvalue is at most its residual, and
/// for an isolated one about the residual squared over the gap. Status: NotConverged with the best
/// so far if max_iterations products were not enough. A fraction of variance for components: the
/// number is doubled until they reach it. Random: params.seed, purposes "sketch" and "block
/// krylov". Source: Musco and Musco, Randomized block Krylov methods for stronger and faster
/// approximate singular value decomposition, 2015 (spec 5.4); restarts as in Wu and Simon,
/// Thick-restart Lanczos method for large symmetric eigenvalue problems, 2000.
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
