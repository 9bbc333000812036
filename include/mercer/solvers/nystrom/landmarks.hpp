// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Landmarks of Nystroem's method: the LandmarkSelector concept, uniform and given landmarks.

#ifndef MERCER_SOLVERS_NYSTROM_LANDMARKS_HPP
#define MERCER_SOLVERS_NYSTROM_LANDMARKS_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/product.hpp>

namespace mercer {

/// The input of a selector of landmarks.
struct LandmarkRequest {
  Index count = 0;                ///< landmarks wanted, at most n
  Index least = 0;                ///< the tolerance must not stop the selection below this number
  double trace_tolerance = 0;     ///< stop at tr(K - K~) <= trace_tolerance tr K; 0: never
  std::size_t memory_budget = 0;  ///< bytes that the selection may hold
  std::uint64_t seed = 1;
  /// Kernel values and a factor in single precision are welcome, where what the landmarks leave out
  /// exceeds their rounding errors by far.
  bool single = false;
  /// Weights of the samples, n; empty: 1 each. The selectors of mercer take no sample without
  /// weight (but Given), and multiply by the weights what they choose samples by: probabilities, or
  /// what is left of k(x, x). KMeansLandmarks draws the samples that it clusters by weight.
  Vector<double> weights = {};
};

/// Landmarks, one per row; fewer than asked for if more would add nothing.
template <OwnedSamples X>
struct Landmarks {
  X points;                 ///< m x d
  std::vector<Index> rows;  ///< their row numbers in the samples; empty if they are not samples
  std::string method;       ///< how they were chosen, for the report
  Index evaluations = 0;    ///< kernel values evaluated
  std::size_t bytes = 0;    ///< largest memory held at one time
  bool cancelled = false;   ///< the observer stopped the run; these are the landmarks so far
  /// n x m, if the selector has it: K(X, P) L^-T for all samples X, with K(P, P) = L L^T. Its rows
  /// at the landmarks are L.
  std::optional<Matrix<typename X::Scalar>> factor = {};
  std::optional<Matrix<float>> single_factor = {};  ///< the same, if it is in single precision
};

/// Chooses landmarks for Nystroem's method.
///
/// Syntax:
/// - copyable;
/// - `select(kernel, samples, request, observer) const` for dense and sparse samples of float and
///   double, which returns Landmarks of that form.
///
/// Optional:
/// - `static constexpr bool follows_residual = true`: the selector knows the trace of K - K~ while
///   it adds landmarks, and stops at request.trace_tolerance. Other selectors are called again for
///   twice as many landmarks.
/// - `count() const`: the selector has a fixed number of landmarks.
/// - `draw(n, request) const`: the row numbers of the landmarks, for a selector that does not look
///   at the samples.
/// - `rule(request) const`: the PivotRule of a selector that chooses pivots of a partial Cholesky
///   factorisation.
/// With one of the last two, rows over processes stay where they are.
///
/// Semantics: settings only; the same request gives the same landmarks on any number of threads.
template <class T>
concept LandmarkSelector = std::copy_constructible<T> &&
    requires(const T& selector, const KernelView<Matrix<double>>& kernel,
             const Matrix<double>& samples, const LandmarkRequest& request,
             const Observer& observer) {
  {
    selector.select(kernel, samples, request, observer)
    } -> std::same_as<Landmarks<Matrix<double>>>;
};

namespace detail {

template <class L>
concept FollowsResidual = requires {
  requires L::follows_residual;
};

template <class L>
concept DrawsRows = requires(const L& selector, const LandmarkRequest& request) {
  { selector.draw(Index{}, request) } -> std::same_as<std::vector<Index>>;
};

template <class L>
concept FixedCount = requires(const L& selector) {
  { selector.count() } -> std::convertible_to<Index>;
};

/// Draws rows in proportion to their weights until \p count different ones are found; fewer if
/// fewer weights are positive. The rows are in the order of the draws.
///
/// The first of independent exponential clocks with these rates rings with the same probabilities,
/// so that is what is drawn: -log(u) / weight.
/// Throws InvalidArgument for a weight that is negative or not finite.
/// Source: Efraimidis, Spirakis, Weighted random sampling with a reservoir, 2006.
template <Real S>
[[nodiscard]] std::vector<Index> weighted_rows(std::string_view who, const Vector<S>& weights,
                                               Index count, std::uint64_t seed) {
  RandomStream stream(seed, "weighted landmarks");
  std::vector<std::pair<double, Index>> clocks;
  for (Index i = 0; i < weights.size(); ++i) {
    const double rings =
        -std::log(stream.uniform());  // also for weights of zero, which take a word
    if (!(weights(i) >= 0) || !std::isfinite(weights(i)))
      fail("mercer::", who, ": weights must not be negative, got ", weights(i), " for sample ", i,
           " (counted from 0)");
    if (weights(i) > 0) clocks.emplace_back(rings / weights(i), i);
  }
  const auto taken =
      static_cast<std::ptrdiff_t>((std::min)(clocks.size(), static_cast<std::size_t>(count)));
  std::partial_sort(clocks.begin(), clocks.begin() + taken, clocks.end());
  std::vector<Index> rows;
  for (std::ptrdiff_t i = 0; i < taken; ++i)
    rows.push_back(clocks[static_cast<std::size_t>(i)].second);
  return rows;
}

/// The samples with these row numbers, as landmarks.
template <OwnedSamples X>
[[nodiscard]] Landmarks<X> landmarks_at(const X& samples, std::vector<Index> rows,
                                        std::string_view method) {
  Landmarks<X> out;
  out.points = take_rows(samples, rows);
  out.rows = std::move(rows);
  out.method = method;
  return out;
}

}  // namespace detail

/// Samples drawn uniformly without replacement. Evaluates no kernel values.
/// Source: Williams, Seeger, Using the Nystroem method to speed up kernel machines, 2001.
struct Uniform {
  template <OwnedSamples X>
  [[nodiscard]] Landmarks<X> select(const KernelView<X>&, const X& samples,
                                    const LandmarkRequest& request, const Observer&) const {
    return detail::landmarks_at(samples, draw(samples.rows(), request), method);
  }

  /// Of Landmarks::method.
  static constexpr std::string_view method = "uniform";
  /// The rows, of n samples; in proportion to their weights, if they have some.
  [[nodiscard]] static std::vector<Index> draw(Index n, const LandmarkRequest& request) {
    if (request.weights.size() > 0)
      return detail::weighted_rows("Uniform", request.weights, request.count, request.seed);
    RandomStream stream(request.seed, "uniform landmarks");
    return sample_without_replacement(n, request.count, stream);
  }
};

/// Landmarks that the user gives. `Given{rows}` takes row numbers of samples as std::vector<Index>.
/// `Given{points}` takes points of the samples' dimension, dense or sparse, one per row.
template <class T>
class Given {
  static_assert(std::same_as<T, std::vector<Index>> || OwnedSamples<T>,
                "mercer::Given: pass row numbers as std::vector<Index>, or a matrix of points");

 public:
  /// Throws InvalidArgument if there are none, or for points that are not finite.
  explicit Given(T landmarks) : landmarks_(std::move(landmarks)) {
    if (count() == 0) detail::fail("mercer::Given: needs at least one landmark");
    if constexpr (OwnedSamples<T>) detail::require_finite_samples("Given", landmarks_);
  }

  /// What was given.
  [[nodiscard]] const T& landmarks() const { return landmarks_; }
  /// The number of landmarks.
  [[nodiscard]] Index count() const {
    if constexpr (OwnedSamples<T>)
      return landmarks_.rows();
    else
      return static_cast<Index>(landmarks_.size());
  }

  template <OwnedSamples X>
  [[nodiscard]] Landmarks<X> select(const KernelView<X>&, const X& samples, const LandmarkRequest&,
                                    const Observer&) const {
    if constexpr (OwnedSamples<T>) {
      if (landmarks_.cols() != samples.cols())
        detail::fail("mercer::Given: landmarks have dimension ", landmarks_.cols(),
                     ", samples have ", samples.cols());
      Landmarks<X> out;
      out.points = detail::to_owned<X>(landmarks_.template cast<typename X::Scalar>());
      out.method = "given points";
      return out;
    } else {
      return detail::landmarks_at(samples, draw(samples.rows(), {}), method);
    }
  }

  /// Of Landmarks::method.
  static constexpr std::string_view method = "given rows";
  /// The rows, which must be among n samples.
  [[nodiscard]] std::vector<Index> draw(
      Index n, const LandmarkRequest&) const requires std::same_as<T, std::vector<Index>> {
    for (const Index row : landmarks_)
      if (row < 0 || row >= n)
        detail::fail("mercer::Given: landmark ", row, " is none of the ", n,
                     " samples (counted from 0)");
    return landmarks_;
  }

 private:
  T landmarks_;
};

template <class T>
  requires(!std::same_as<T, std::vector<Index>>)
Given(const T&)
->Given<OwnedSamplesOf<T>>;
Given(std::vector<Index>)->Given<std::vector<Index>>;

}  // namespace mercer

#endif  // MERCER_SOLVERS_NYSTROM_LANDMARKS_HPP
