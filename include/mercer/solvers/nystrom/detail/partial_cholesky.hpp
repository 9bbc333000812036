// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The partial Cholesky factor of a Gram matrix, computed a few columns at a time, and landmarks
/// from its pivots.

#ifndef MERCER_SOLVERS_NYSTROM_DETAIL_PARTIAL_CHOLESKY_HPP
#define MERCER_SOLVERS_NYSTROM_DETAIL_PARTIAL_CHOLESKY_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_blocks.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/solvers/nystrom/detail/independent_rows.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>

namespace mercer {

/// What the choice of pivots needs of a partial Cholesky factorisation, in any precision.
class PivotedFactor {
 public:
  virtual ~PivotedFactor() = default;
  PivotedFactor(const PivotedFactor&) = delete;
  PivotedFactor& operator=(const PivotedFactor&) = delete;

  /// m, the number of pivots so far.
  [[nodiscard]] Index size() const { return static_cast<Index>(pivots_.size()); }
  /// The rows of the pivots, in their order.
  [[nodiscard]] const std::vector<Index>& pivots() const { return pivots_; }

  /// The diagonal of K - F F^T, times the weights of the rows if they have some; exactly 0 at the
  /// pivots, and where it is zero to rounding.
  [[nodiscard]] const Vector<double>& residual() const { return residual_; }

  /// The sum of the diagonal of K, with the weights.
  [[nodiscard]] double trace() const { return trace_; }
  /// The number of kernel values so far.
  [[nodiscard]] Index evaluations() const { return evaluations_; }

  /// K - F F^T at these rows and columns.
  /// Throws InvalidArgument for a kernel value that is not finite.
  [[nodiscard]] virtual Matrix<double> schur_complement(const std::vector<Index>& rows) = 0;

  /// The entry of row \p i on the diagonal of K - F F^T counts as zero up to this value.
  [[nodiscard]] double zero(Index i) const { return zero_level_ * diagonal_(i); }

  /// Excludes row \p i, whose residual is zero to rounding, from the choice of pivots.
  void discard(Index i) { residual_(i) = 0; }

  /// Appends the columns of \p rows, which must be distinct and not pivots yet. \p lower is the
  /// Cholesky factor of schur_complement(rows).
  /// Throws InvalidArgument for a kernel value that is not finite, and if the residual shows that
  ///   the kernel is indefinite.
  virtual void append(const std::vector<Index>& rows, const Matrix<double>& lower) = 0;

 protected:
  /// \param kernel  described, for errors
  /// \param who     the class to name in errors
  /// \param level   rounding errors are up to this times the numbers
  /// \param epsilon  of the scalar of the factor
  /// \param weights  of the rows; empty: 1 each
  /// \param numbers  of the rows, for errors, where they are a pool of others; empty: as they come
  /// Throws InvalidArgument if a k(x, x) is negative or not finite.
  PivotedFactor(std::string kernel, std::string_view who, Vector<double> diagonal, double level,
                double epsilon, Vector<double> weights = {}, std::span<const Index> numbers = {})
      : diagonal_(std::move(diagonal)),
        weights_(std::move(weights)),
        residual_(weighted(diagonal_)),
        zero_level_(level),
        evaluations_(diagonal_.size()),
        kernel_text_(std::move(kernel)),
        who_(who),
        numbers_(numbers),
        indefinite_(std::cbrt(epsilon)) {
    for (Index i = 0; i < diagonal_.size(); ++i) {
      if (!std::isfinite(diagonal_(i)))
        detail::fail("mercer::", who_, ": the kernel ", kernel_text_, " has the value ",
                     diagonal_(i), " for sample ", number_of(i), " with itself (counted from 0)");
      if (diagonal_(i) < 0) fail_indefinite(i);
    }
    trace_ = residual_.sum();
  }

  /// Values of the rows from \p first on, times their weights.
  [[nodiscard]] Vector<double> weighted(const Vector<double>& values, Index first = 0) const {
    if (weights_.size() == 0) return values;
    return values.cwiseProduct(weights_.segment(first, values.size()));
  }

  /// Counts new pivots, once the squares of their columns are subtracted from the residual.
  /// Throws InvalidArgument if the residual shows that the kernel is indefinite.
  void take_pivots(const std::vector<Index>& rows) {
    pivots_.insert(pivots_.end(), rows.begin(), rows.end());
    evaluations_ += residual_.size() * static_cast<Index>(rows.size());
    for (const Index row : rows) residual_(row) = 0;
    // After small pivots, rounding errors make residuals of a positive semidefinite kernel
    // negative: with many samples near each other, down to about -1e-8 k(x, x). Indefinite kernels
    // give much larger negative values.
    for (Index i = 0; i < residual_.size(); ++i) {
      const double weight = weights_.size() > 0 ? weights_(i) : 1;
      if (!(residual_(i) >= -indefinite_ * weight * diagonal_(i))) fail_indefinite(i);
      if (residual_(i) <= weight * zero(i)) residual_(i) = 0;
    }
  }

  /// The number of a row, counted from 0, as the caller knows it.
  [[nodiscard]] Index number_of(Index row) const {
    return numbers_.empty() ? row : numbers_[static_cast<std::size_t>(row)];
  }
  /// Whom messages name.
  [[nodiscard]] const std::string& who() const { return who_; }

  Vector<double> diagonal_;    ///< of K
  Vector<double> weights_;     ///< of the rows; empty: 1 each
  Vector<double> residual_;    ///< see residual()
  double zero_level_;          ///< see zero()
  double trace_ = 0;           ///< see trace()
  std::vector<Index> pivots_;  ///< see pivots()
  Index evaluations_ = 0;      ///< see evaluations()

 private:
  [[noreturn]] void fail_indefinite(Index row) const {
    detail::fail("mercer::", who_, ": the kernel ", kernel_text_,
                 " is not positive semidefinite on these samples: after ", size(),
                 " landmarks the residual of k(x, x) is ", residual_(row), " for sample ",
                 number_of(row),
                 " (counted from 0); use Exact or BlockKrylov, which take indefinite kernels");
  }

  std::string kernel_text_, who_;
  std::span<const Index> numbers_;
  double indefinite_;
};

/// How a selector chooses pivots.
struct PivotRule {
  std::string_view method;  ///< for the report
  std::string_view who;     ///< the class to name in errors
  /// Appends some pivots to a factor whose residual is not zero, up to this number of columns.
  /// Returns false if no sample is wanted any more.
  std::function<bool(PivotedFactor& factor, Index most)> extend;
};

/// K ~ F F^T with F n x m: the Cholesky factorisation after m pivots, which the caller chooses.
/// Rows and columns of the pivots are exact, and K - F F^T is positive semidefinite.
///
/// Evaluates only the diagonal of K and the columns of the pivots.
/// Cost: O(n m (d + m)) time.
/// Memory: n m values.
/// Lifetime: refers to the kernel, the samples and the numbers of rows.
/// \tparam T  of the kernel values of pairs and of the factor: that of the samples, or float
template <OwnedSamples X, Real T = typename X::Scalar>
class PartialCholesky final : public PivotedFactor {
 public:
  using Scalar = T;

  /// A factor without columns yet.
  /// \param most  the largest number of columns
  /// \param who   the class to name in errors
  /// \param weights  of the rows; empty: 1 each
  /// \param numbers  of the rows, for errors; empty: as they come
  /// Throws InvalidArgument if a k(x, x) is negative or not finite.
  PartialCholesky(const KernelView<X>& kernel, const X& samples, Index most,
                  std::string_view who = "PartialCholesky", Vector<double> weights = {},
                  std::span<const Index> numbers = {})
      : PivotedFactor(kernel.describe(), who, kernel.diagonal(samples).template cast<double>(),
                      detail::rounding_level<Scalar>(most),
                      double{std::numeric_limits<Scalar>::epsilon()}, std::move(weights), numbers),
        kernel_(kernel),
        rounded_(rounded(kernel, samples)),
        samples_(of_tiles(samples)),
        prepared_(kernel.prepare(samples_)),
        factor_(detail::in_huge_pages(Matrix<Scalar>(samples.rows(), most))) {}

  /// F, n x size().
  [[nodiscard]] Points<Scalar> factor() const { return factor_.leftCols(size()); }

  /// F, moved out of this object, which must not be used any more.
  [[nodiscard]] Matrix<Scalar> take_factor() && {
    factor_.conservativeResize(Eigen::NoChange, size());
    return std::move(factor_);
  }

  [[nodiscard]] Matrix<double> schur_complement(const std::vector<Index>& rows) override {
    const detail::SingleThread one;
    const Samples points = detail::take_rows(samples_, rows);
    const Index b = points.rows();
    evaluations_ += b * b;
    const PreparedSamples<Samples> prepared = kernel_.prepare(points, prepared_);
    Matrix<Scalar> h(b, b);
    detail::fill_rows<X>(kernel_, prepared, {0, b}, prepared, GramOut<Scalar>(h));
    const auto number = [&](Index i) { return number_of(rows[static_cast<std::size_t>(i)]); };
    detail::require_finite_values(who(), kernel_, h, number, number);
    const Matrix<Scalar> f = detail::take_rows<Scalar>(factor_.leftCols(size()), rows);
    const Matrix<Scalar> minus = -f.transpose();
    if (size() > 0) detail::multiply_add<Scalar>(f, minus, h);
    return h.template cast<double>();
  }

  void append(const std::vector<Index>& rows, const Matrix<double>& lower) override {
    const Samples points = detail::take_rows(samples_, rows);
    const PreparedSamples<Samples> prepared = kernel_.prepare(points, prepared_);
    const Index done = size(), t = points.rows();
    MERCER_ASSERT(done + t <= factor_.cols());
    const Matrix<Scalar> divide = detail::inverse_transpose(lower).template cast<Scalar>();
    const Matrix<Scalar> above =
        -detail::take_rows<Scalar>(factor_.leftCols(done), rows).transpose();
    detail::for_row_blocks(samples_.rows(), [&](Index, Index first, Index size) {
      Matrix<Scalar> g(size, t);
      detail::fill_rows<X>(kernel_, prepared_, {first, size}, prepared, GramOut<Scalar>(g));
      // Before the residual, where such a value would make the kernel seem indefinite.
      detail::require_finite_values(
          who(), kernel_, g, [&](Index i) { return number_of(first + i); },
          [&](Index j) { return number_of(rows[static_cast<std::size_t>(j)]); });
      if (done > 0) detail::multiply_add<Scalar>(factor_.block(first, 0, size, done), above, g);
      Eigen::Ref<Matrix<Scalar>> columns = factor_.block(first, done, size, t);
      columns.setZero();
      detail::multiply_add<Scalar>(g, divide, columns);
      residual_.segment(first, size) -=
          weighted(columns.template cast<double>().rowwise().squaredNorm(), first);
    });
    take_pivots(rows);
  }

 private:
  using Samples = SamplesIn<T, X>;
  static constexpr bool rounds = !std::same_as<T, typename X::Scalar>;

  [[nodiscard]] static Samples rounded(const KernelView<X>& kernel, const X& samples) {
    if constexpr (rounds)
      return kernel.to_single(samples);
    else
      return Samples(0, 0);
  }
  [[nodiscard]] const Samples& of_tiles(const X& samples) const {
    if constexpr (rounds)
      return rounded_;
    else
      return samples;
  }

  KernelView<X> kernel_;
  Samples rounded_;         // in the precision of the factor, if that is not their own
  const Samples& samples_;  // those, or the caller's
  PreparedSamples<Samples> prepared_;
  Matrix<Scalar> factor_;
};

namespace detail {

/// The number of rows, of n samples, that a factor with as many columns as the request's landmarks
/// may have within its budget. Each row takes its columns, its sample, three numbers for the
/// diagonal and a place in a list.
template <OwnedSamples X>
[[nodiscard]] Index pool_size(Index n, Index dimension, const LandmarkRequest& request) {
  constexpr std::size_t default_budget = std::size_t{1} << 30U;
  const std::size_t budget = request.memory_budget > 0 ? request.memory_budget : default_budget;
  const auto columns = static_cast<std::size_t>(request.count);
  const std::size_t row =
      (columns + static_cast<std::size_t>(dimension)) * sizeof(typename X::Scalar) +
      5 * sizeof(double);
  return (std::min)(n, static_cast<Index>((std::max)(budget / row, columns)));
}

/// The rows of the pool, of n rows, in ascending order. Where rows have weights, in proportion to
/// them: then the pool stands for the weighted rows, and \p weights becomes empty. If no more rows
/// than the pool may have are of weight above 0, these are the pool, and \p weights theirs.
[[nodiscard]] inline std::vector<Index> pool_rows(Index n, Index pool, std::uint64_t seed,
                                                  Vector<double>& weights) {
  if (weights.size() == 0) {
    RandomStream stream(seed, "landmark pool");
    return sample_without_replacement(n, pool, stream);
  }
  std::vector<Index> rows = weighted_rows("Nystrom", weights, pool, seed);
  std::sort(rows.begin(), rows.end());
  const Index positive = (weights.array() > 0).count();
  weights = positive <= pool ? take_entries(weights, rows) : Vector<double>();
  return rows;
}

/// How landmarks from a pool were chosen, for the report.
[[nodiscard]] inline std::string pool_method(std::string_view method, Index pool, Index n) {
  std::string name(method);
  if (pool < n) name += " on " + to_text(pool) + " of " + to_text(n) + " rows";
  return name;
}

/// The share of the trace that must be left for kernel values in single precision. Their rounding
/// errors are then far below what the landmarks leave out.
inline constexpr double least_rest_in_single = 1.0 / 128;

/// How the growth of a factor ended.
enum class Growth { Complete, Cancelled, SmallRest };

/// Appends pivots by a rule until the request's count or tolerance is reached, until the rule wants
/// no more, or until the residual is zero to rounding. SmallRest: it has fallen to the share
/// \p least_rest of the trace before.
[[nodiscard]] inline Growth grow(PivotedFactor& factor, const LandmarkRequest& request,
                                 double least_rest, const Observer& observer,
                                 const PivotRule& rule) {
  while (factor.size() < request.count) {
    const double left = factor.residual().sum();
    if (left <= least_rest * factor.trace() && least_rest > 0) return Growth::SmallRest;
    if (left <= 0) break;
    if (factor.size() >= request.least && left <= request.trace_tolerance * factor.trace()) break;
    if (!go_on(observer, {"landmarks", factor.size(), request.count})) return Growth::Cancelled;
    if (!rule.extend(factor, request.count)) return Growth::Complete;
  }
  const bool small = factor.residual().sum() <= least_rest * factor.trace();
  return small && least_rest > 0 ? Growth::SmallRest : Growth::Complete;
}

/// Appends these pivots, in their order, as far as their residuals are not zero to rounding.
/// \tparam S  double: a template is compiled only where it is used
template <std::same_as<double> S>
void append_pivots(PivotedFactor& factor, const std::vector<Index>& pivots) {
  constexpr std::size_t block = 64;
  for (std::size_t first = 0; first < pivots.size(); first += block) {
    std::vector<Index> rows, kept;
    for (std::size_t i = first; i < (std::min)(first + block, pivots.size()); ++i)
      rows.push_back(pivots[i]);
    const Matrix<S> h = factor.schur_complement(rows);
    IndependentRows<S> pivoted = independent_rows<S>(h, factor.zero(rows[0]));
    for (const Index at : pivoted.rows) kept.push_back(rows[static_cast<std::size_t>(at)]);
    if (!kept.empty()) factor.append(kept, pivoted.lower);
  }
}

/// Landmarks from the pivots of a partial Cholesky factorisation.
///
/// The landmarks come with the factor. If the factor of all n rows does not fit into the request's
/// budget (0: 1 GiB), a uniform sample of rows that fits is used, and the method's name says so.
template <OwnedSamples X>
[[nodiscard]] Landmarks<X> cholesky_landmarks(const KernelView<X>& kernel, const X& samples,
                                              const LandmarkRequest& request,
                                              const Observer& observer, const PivotRule& rule) {
  const Index n = samples.rows();
  Index pool = pool_size<X>(n, samples.cols(), request);
  std::vector<Index> drawn_rows;
  Vector<double> weights = request.weights;
  if (pool < n) {
    drawn_rows = pool_rows(n, pool, request.seed, weights);
    pool = static_cast<Index>(drawn_rows.size());
  }
  const X drawn = pool < n ? take_rows(samples, drawn_rows) : X();
  const X& rows_of_pool = pool < n ? drawn : samples;
  Growth growth = Growth::SmallRest;
  std::vector<Index> rows;
  Landmarks<X> found;
  if constexpr (std::same_as<typename X::Scalar, double>)
    if (request.single) {
      PartialCholesky<X, float> factor(kernel, rows_of_pool, request.count, rule.who, weights,
                                       drawn_rows);
      growth = grow(factor, request, least_rest_in_single, observer, rule);
      rows = factor.pivots();
      found.evaluations = factor.evaluations();
      if (growth != Growth::SmallRest && pool == n)
        found.single_factor = std::move(factor).take_factor();
    }
  if (growth == Growth::SmallRest) {
    PartialCholesky<X> factor(kernel, rows_of_pool, request.count, rule.who, weights, drawn_rows);
    append_pivots<double>(factor, rows);
    growth = grow(factor, request, 0, observer, rule);
    rows = factor.pivots();
    found.evaluations += factor.evaluations();
    if (pool == n) found.factor = std::move(factor).take_factor();
  }
  if (pool < n)
    for (Index& row : rows) row = drawn_rows[static_cast<std::size_t>(row)];
  Landmarks<X> out = landmarks_at(samples, std::move(rows), pool_method(rule.method, pool, n));
  out.evaluations = found.evaluations;
  out.factor = std::move(found.factor);
  out.single_factor = std::move(found.single_factor);
  out.bytes =
      static_cast<std::size_t>(pool) *
      (static_cast<std::size_t>(request.count) * sizeof(typename X::Scalar) + 2 * sizeof(double));
  out.cancelled = growth == Growth::Cancelled;
  return out;
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_SOLVERS_NYSTROM_DETAIL_PARTIAL_CHOLESKY_HPP
