// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// One run of block Krylov: the basis, its restarts, and the tests that end it.

#ifndef MERCER_SOLVERS_KRYLOV_DETAIL_BLOCK_KRYLOV_RUN_HPP
#define MERCER_SOLVERS_KRYLOV_DETAIL_BLOCK_KRYLOV_RUN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/operator_view.hpp>
#include <mercer/solvers/detail/ritz_space.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

struct BlockKrylovParams {
  double tolerance =
      1e-6;         ///< for each component, |K u - mu u| <= tolerance mu_1 (at least 16 epsilon)
  Index block = 0;  ///< vectors in a product; 0: k + 10 to k + 25
  /// Largest size, with room for k components and a block, and at least 2 blocks, or n. For a
  /// fraction of variance it may grow. 0: max(6 block, 2 k + block, 20).
  Index basis = 0;
  Index max_iterations = 200;  ///< products with a block
  std::uint64_t seed = 1;

  /// Throws InvalidArgument for a tolerance that is not positive, max_iterations < 1, negative sizes,
  ///   and a basis of fewer than 2 blocks.
  void validate() const {
    detail::require_positive("BlockKrylov", "tolerance", tolerance);
    detail::require_at_least("BlockKrylov", "max_iterations", max_iterations, Index{1});
    if (block < 0 || basis < 0)
      detail::fail("mercer::BlockKrylov: block and basis must not be negative, got ", block,
                   " and ", basis);
    if (basis > 0 && basis < 2 * block)
      detail::fail("mercer::BlockKrylov: basis must be at least 2 blocks, ", 2 * block, ", got ",
                   basis);
  }

  /// Components to search for first, if a fraction of variance is asked for.
  static constexpr Index first_guess = 20;

  /// Vectors in a product, for this number of components. By default 10 to 25 more: products of
  /// tiles pad blocks to a multiple of 16 vectors, so the extra vectors are free. One vector of the
  /// 16 is left for the row means of Centered.
  [[nodiscard]] constexpr Index block_for(Index components, Index n) const {
    return (std::min)(n, block > 0 ? block : (components + 10) / 16 * 16 + 15);
  }

  /// The smallest basis for this number of components: one with room for them and for a block, or
  /// for all n vectors.
  [[nodiscard]] constexpr Index least_basis(Index components, Index n) const {
    const Index in_block = block_for(components, n);
    return (std::min)(n, (std::max)(components, in_block) + in_block);
  }

  /// Whether the basis, if one is given, has room for this number of components.
  [[nodiscard]] constexpr bool has_room(Index components, Index n) const {
    return basis == 0 || basis >= least_basis(components, n);
  }

  /// Size of the basis, for this number of components. If the one given has no room for them, which
  /// may be found out while a fraction of variance is searched for: the default.
  [[nodiscard]] constexpr Index capacity_for(Index components, Index n) const {
    const Index in_block = block_for(components, n);
    const Index by_default = (std::max)({6 * in_block, 2 * components + in_block, Index{20}});
    return (std::min)(n, basis > 0 && has_room(components, n) ? basis : by_default);
  }

  /// Memory of a run for this number of components, in bytes.
  template <Real S>
  [[nodiscard]] constexpr std::size_t bytes(Index n, Index components) const {
    return static_cast<std::size_t>(
               n * (2 * capacity_for(components, n) + 4 * block_for(components, n))) *
           sizeof(S);
  }
};

namespace detail {

/// Throws InvalidArgument if a basis is given that has no room for the components, where these are
/// a number.
inline void require_room(std::string_view who, const BlockKrylovParams& params,
                         const Components& components, Index n) {
  if (components.is_fraction() || params.has_room(components.count(), n)) return;
  fail("mercer::", who, ": basis must have room for the components, ", components.count(),
       ", and a block: at least ", params.least_basis(components.count(), n), ", got ",
       params.basis);
}

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
        rows_(a.row_space()),
        space_(rows_) {}

  /// Finds \p wanted leading pairs and sets the status. Starts from \p guess, an approximation of
  /// their span that may miss some of them, and from \p random vectors.
  void find(Index wanted, const Matrix<S>& guess, const Matrix<S>& random) {
    const Matrix<S> first = space_.extension(guess).Q;
    const Matrix<S> second = orthogonalize_against(rows_, first, random).Q;
    guessed_ = first.cols();
    random_ = second.cols();
    Matrix<S> start(rows_.local(), first.cols() + second.cols());
    start << first, second;
    find(wanted, start);
  }

  /// Finds \p wanted leading pairs. Starts from \p start and from the vectors in the basis.
  void find(Index wanted, const Matrix<S>& start) {
    reserve((std::min)(wanted, a_.rows()));
    if (space_.size() == a_.rows()) {  // nothing is outside of the basis
      report_.status = settled(residuals()) ? Status::Converged : Status::NotConverged;
      return;
    }
    Matrix<S> next = space_.extension(start).Q;
    while (may_extend()) {
      if (space_.size() + next.cols() > capacity_) restart(kept_);
      if (!extend(next)) break;
      Extension<S> rest = space_.extension(last_products());
      next = std::move(rest.Q);
      if (due(next.cols())) {
        // Only the products of the last block leave the span of the basis.
        Vector<S> estimates =
            column_norms(small_product<S>(rest.R, space_.ritz().vectors.bottomRows(last_)));
        rows_.agree(estimates);
        const bool accurate = settled(estimates), certain = accurate && settled(residuals());
        if (certain && others_settled(estimates, next.cols())) {
          report_.status = Status::Converged;
          return;
        }
        if (!certain && stalled(estimates)) break;
        // Residuals of pairs from a former start do not lie in the span of the next block.
        if (accurate && !certain && restarted_at_random_) next = worst_residual();
      }
      if (next.cols() == 0) {
        // The span is invariant. If it has too few pairs, the others lie outside.
        if (space_.size() >= wanted_) break;
        next = space_.extension(random_block((std::min)(block_, a_.rows() - space_.size()))).Q;
        if (next.cols() == 0) break;
      }
    }
    if (report_.status != Status::Cancelled) report_.status = Status::NotConverged;
  }

  /// Searches the complement of the pairs found for missed ones, from new random vectors, until
  /// there are none. The Krylov space of b random vectors has only b vectors of each eigenspace,
  /// beside those of the guess. If the basis has room for all n vectors, all of them are
  /// taken: eigenvalues whose distances are a few tolerances may hide one another.
  void find_missed() {
    const bool one_search = block_ >= wanted_;  // has enough random vectors
    if (one_search && (random_ >= wanted_ || !may_miss_copies())) return;
    while (report_.status == Status::Converged && space_.size() < a_.rows()) {
      const Vector<S> before = ritz_values().head(wanted_);
      restart(wanted_);
      restarted_at_random_ = searching_missed_ = true;
      find(wanted_, random_block(block_));
      const S gain = (ritz_values().head(wanted_) - before).maxCoeff();
      if (one_search || !(static_cast<double>(gain) > accepted())) break;
    }
    searching_missed_ = false;
  }

  /// The leading Ritz pairs of the basis, with their residuals.
  [[nodiscard]] EigenSolution<S> solution() {
    const Vector<S> values = ritz_values();
    const Index kept = select_components(values, a_.rows(), request_, report_);
    if (values.size() < wanted_) report_.zero_eigenvalues = 0;  // they were not searched for
    const Vector<S> norms = column_norms<S>(rows_, space_.residuals(kept));
    for (const S norm : norms) report_.residuals.push_back(static_cast<double>(norm));
    // K is symmetric: for each pair, an eigenvalue lies within the residual of mu.
    report_.eigenvalue_error_bounds = report_.residuals;
    report_.bytes = params_.bytes<S>(rows_.local(), wanted_);
    if (!params_.has_room(wanted_, a_.rows()))
      add_reason("a basis of " + to_text(params_.basis) + " vectors has no room for " +
                     to_text(wanted_) + " components and a block, so it had up to " +
                     to_text(capacity_),
                 report_);
    return {values.head(kept), space_.vectors(kept), space_.vector_products(kept),
            std::move(report_)};
  }

  [[nodiscard]] const Vector<S>& ritz_values() const { return space_.ritz().values; }

  /// The products of the last block, orthogonal to the basis, and random vectors up to \p cols.
  [[nodiscard]] Matrix<S> next_block(Index cols) {
    const Matrix<S> rest = space_.extension(last_products()).Q;
    Matrix<S> block(rows_.local(), (std::max)(cols, rest.cols()));
    block << rest, random_block(block.cols() - rest.cols());
    return block;
  }

  /// Random vectors that do not depend on the landmarks, the same for every run.
  [[nodiscard]] Matrix<S> random_block(Index cols) {
    const Range drawn{std::exchange(random_columns_, random_columns_ + cols), cols};
    return normal_block<S>({rows_.first(), rows_.local()}, drawn, params_.seed, "block krylov");
  }

 private:
  /// Makes room for a search for so many pairs.
  void reserve(Index wanted) {
    wanted_ = wanted;
    block_ = params_.block_for(wanted, a_.rows());
    capacity_ = (std::max)(capacity_, params_.capacity_for(wanted, a_.rows()));
    // With small blocks it pays to keep more vectors than wanted, half of those there is room for.
    kept_ = block_ > wanted_ ? block_ : wanted_ + (capacity_ - block_ - wanted_) / 2;
    space_.reserve(capacity_);
  }

  /// Returns false at the limit of iterations, or if the observer stops the run.
  [[nodiscard]] bool may_extend() {
    if (report_.iterations >= params_.max_iterations) return false;
    const bool single = report_.solver == SolverId::Lanczos;
    const Progress now{.phase = single ? "lanczos" : "block krylov",
                       .step = converged_,
                       .total = wanted_,
                       .products = report_.iterations};
    if (rows_.go_on(observer_, now)) return true;
    report_.status = Status::Cancelled;
    return false;
  }

  /// Adds a block and its product to the basis. Returns false if the product is not finite.
  [[nodiscard]] bool extend(const Matrix<S>& block) {
    ++report_.iterations;
    if (!space_.extend(a_, block, report_)) return false;
    last_ = block.cols();
    return true;
  }

  [[nodiscard]] auto last_products() const { return space_.products().rightCols(last_); }

  /// True if the Ritz pairs should be looked at: enough of them, and after several products with
  /// small blocks, whose small eigenproblems would else take most of the time. Always before a
  /// restart, and before a start from other vectors.
  [[nodiscard]] bool due(Index next_cols) {
    const Index size = space_.size();
    const Index interval = (std::max)(Index{4}, size / 8);
    if (size < wanted_ ||
        (next_cols > 0 && size + next_cols <= capacity_ && size < looked_ + interval))
      return false;
    looked_ = size;
    return true;
  }

  /// Residuals up to this value are accepted.
  [[nodiscard]] double accepted() const {
    constexpr double rounding = 16 * double{std::numeric_limits<S>::epsilon()};
    const Vector<S>& values = ritz_values();
    const S top = values(0);
    const auto largest = static_cast<double>(top > 0 ? top : -values(values.size() - 1));
    return (std::max)((std::max)(params_.tolerance, rounding) * largest,
                      rounding_noise<S>(request_));
  }

  /// True if the wanted pairs have residuals within the tolerance or within rounding errors.
  [[nodiscard]] bool settled(const Vector<S>& residuals) {
    const double bound = accepted();
    converged_ = 0;
    while (converged_ < wanted_ && static_cast<double>(residuals(converged_)) <= bound)
      ++converged_;
    return converged_ == wanted_;
  }

  /// True if residuals are as small as the rounding errors of the operator's entries allow, and
  /// four tests have not halved them. More products would not help.
  [[nodiscard]] bool stalled(const Vector<S>& residuals) {
    if (request_.epsilon == 0 || wanted_ == 0) return false;
    constexpr std::size_t window = 4;
    const auto worst = static_cast<double>(residuals.head(wanted_).maxCoeff());
    worst_residuals_.push_back(worst);
    return worst <= noise_ulps * request_.epsilon * request_.noise_scale &&
           worst_residuals_.size() > window &&
           worst > worst_residuals_[worst_residuals_.size() - 1 - window] / 2;
  }

  /// True if no other pair is about to become one of the wanted ones.
  [[nodiscard]] bool others_settled(const Vector<S>& estimates, Index next_cols) const {
    if (next_cols == 0 || wanted_ == 0) return true;
    if (searching_missed_ && block_ < wanted_ && capacity_ >= a_.rows()) return false;
    return complement_at_rest() && (!searching_missed_ || next_pair_below(estimates));
  }

  /// True if the first pair after the wanted ones is certainly not one of them: its residual is
  /// small compared with its distance from them.
  [[nodiscard]] bool next_pair_below(const Vector<S>& estimates) const {
    if (space_.size() <= wanted_) return false;
    const double bound = accepted();
    const auto distance = static_cast<double>(ritz_values()(wanted_ - 1) - ritz_values()(wanted_));
    return static_cast<double>(estimates(wanted_)) <= (std::max)(bound, (distance + bound) / 10);
  }

  /// True if no eigenvalue that the guess has missed is growing towards the wanted ones. It would
  /// show in the complement of the guess, which is searched from random vectors: the largest Ritz
  /// value there below the wanted ones would grow with every product, and soon exceed them.
  [[nodiscard]] bool complement_at_rest() const {
    if (guessed_ == 0) return true;
    constexpr Index least_products = 3;
    if (report_.iterations < least_products) return false;
    const Index now = space_.size() - guessed_, before = now - last_;
    const Vector<S> values = complement_values(now), old_values = complement_values(before);
    const S least = ritz_values()(wanted_ - 1);
    const Index below = (values.array() >= least).count();
    if (below >= before) return false;
    const S growth = values(below) - old_values(below);
    return values(below) + growth <= least ||
           static_cast<double>(growth) <= params_.tolerance * static_cast<double>(ritz_values()(0));
  }

  /// Ritz values of the first \p size vectors after the guess.
  [[nodiscard]] Vector<S> complement_values(Index size) const {
    Vector<S> values =
        symmetric_eigenvalues<S>(space_.projected().block(guessed_, guessed_, size, size));
    rows_.agree(values);
    return values;
  }

  /// True if an eigenspace may have more vectors than were found, with an eigenvalue above the
  /// least of the wanted ones. Then each random vector of the start has found one of them. So as
  /// many Ritz values are equal, up to their residuals.
  [[nodiscard]] bool may_miss_copies() const {
    if (report_.status != Status::Converged || wanted_ == 0 || random_ == 0) return false;
    const Vector<S>& values = ritz_values();
    const auto accepted_residual = static_cast<S>(accepted());
    const Index above =
        (values.head(wanted_).array() > values(wanted_ - 1) + accepted_residual).count();
    const S rounding = rounding_level<S>(space_.size()) * values.cwiseAbs().maxCoeff();
    Vector<S> errors;
    for (Index i = 0, last = random_ - 1; last < above; ++i, ++last) {
      const S apart = values(i) - values(last);
      if (apart > 2 * accepted_residual) continue;
      if (errors.size() == 0) errors = residuals();
      if (apart <= errors(i) + errors(last) + rounding) return true;
    }
    return false;
  }

  /// |K u - mu u| of the wanted pairs, from the products in memory.
  [[nodiscard]] Vector<S> residuals() const {
    return column_norms<S>(rows_, space_.residuals(wanted_));
  }

  /// The direction of the largest residual of a wanted pair.
  [[nodiscard]] Matrix<S> worst_residual() const {
    Index worst = 0;
    residuals().maxCoeff(&worst);
    return space_.extension(space_.residuals(wanted_).col(worst)).Q;
  }

  /// Keeps so many leading Ritz vectors. If the next block follows, the residuals of all of them
  /// lie in its span, so the basis remains a Krylov basis (thick restart).
  void restart(Index kept) {
    space_.keep((std::min)(kept, space_.size()));
    looked_ = space_.size();
    guessed_ = 0;  // its complement is not kept apart any more
  }

  const OperatorView<S>& a_;
  const BlockKrylovParams& params_;
  const EigenRequest& request_;
  const Observer& observer_;
  Report& report_;
  RowSpace rows_;
  RitzSpace<S> space_;
  Index wanted_ = 0, block_ = 0, capacity_ = 0, kept_ = 0;
  Index last_ = 0;     ///< vectors in the last block of the basis
  Index looked_ = 0;   ///< size of the basis when the Ritz pairs were last looked at
  Index guessed_ = 0;  ///< vectors at the front of the basis that span the guess
  Index random_ = 0;   ///< random vectors of the start
  Index converged_ = 0;
  bool searching_missed_ = false, restarted_at_random_ = false;
  std::vector<double> worst_residuals_;  ///< largest residual at each test
  Index random_columns_ = 0;
};

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_SOLVERS_KRYLOV_DETAIL_BLOCK_KRYLOV_RUN_HPP
