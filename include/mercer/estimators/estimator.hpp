// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The Estimator concept: unbiased low-rank draws of the Gram matrix.

#ifndef MERCER_ESTIMATORS_ESTIMATOR_HPP
#define MERCER_ESTIMATORS_ESTIMATOR_HPP

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/core/low_rank/low_rank_term.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/types.hpp>
#include <mercer/estimators/feature_estimator.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>

namespace mercer {

/// The types of terms that a LowRank can be updated with.
template <class T, class S>
concept LowRankTermOf = std::same_as<T, PsdTerm<S>> || std::same_as<T, SymmetricTerm<S>> ||
    std::same_as<T, ProductTerm<S>>;
/// The same for either type of numbers.
template <class T>
concept LowRankTerm = LowRankTermOf<T, float> || LowRankTermOf<T, double>;

/// Random low-rank matrices xi_1, xi_2, ... whose mean is one Gram matrix K.
///
/// Syntax:
/// - (1) a member type Term, the most specific LowRankTerm that fits: PsdTerm if every xi is
///   positive semidefinite, else SymmetricTerm if every xi is symmetric, else ProductTerm;
/// - (2) `draw(t, out)` writes xi_t into \c out, whose storage is reused; t is a std::uint64_t
///   below 2^32. It may be non-const: a bound estimator owns its workspaces, so each thread needs
///   its own estimator.
///
/// Semantics:
/// - (3) E xi_t = K, the kernel's n x n Gram matrix, not centred (see centre_term);
/// - (4) draws are independent;
/// - (5) draws are pure: xi_t depends only on (samples, kernel, parameters, seed, t), to the last
///   bit, on any number of threads and for any order of draws.
///
/// Optional:
/// - `double largest_norm() const` is a bound of |xi_t|_F for all draws.
template <class B>
concept BoundEstimator = LowRankTerm<typename B::Term> &&
    requires(B& estimator, std::uint64_t t, typename B::Term& out) {
  { estimator.draw(t, out) } -> std::same_as<void>;
};

namespace detail {

/// Throws InvalidArgument if a map that was chosen at run time is biased.
template <UnbiasedFeatureMap F>
void require_unbiased(std::string_view who, const F& map) {
  if (map.unbiased()) return;
  std::string name = "these";
  if constexpr (requires { map.describe(); }) name = map.describe();
  fail("mercer::", who, ": the inner products of ", name,
       " are not the kernel on average, and draws must be unbiased; take FeaturePca, which takes "
       "any features, or random ones");
}

template <class E>
concept BindsToSamples = requires(const E& estimator, const Linear& kernel,
                                  const Matrix<double>& samples, std::uint64_t seed) {
  { estimator.bind(kernel, samples, seed) } -> BoundEstimator;
};

}  // namespace detail

/// The settings from which a solver makes its draws: an UnbiasedFeatureMap, or a type of this form:
/// \code
/// struct MyEstimator {
///   template <class K, class X>
///   auto bind(const K& kernel, const X& samples, std::uint64_t seed) const;  // a BoundEstimator
/// };
/// \endcode
/// The bound estimator may refer to kernel and samples, which must outlive it. bind() refuses
/// settings out of range.
template <class E>
concept Estimator = std::copy_constructible<E> &&
    (UnbiasedFeatureMap<E> || detail::BindsToSamples<E>);

/// Stops the compilation with a sentence unless E models Estimator: `static_assert(
/// check_estimator<E>())`.
template <class E>
consteval bool check_estimator() {
  static_assert(
      !FeatureMap<E> || UnbiasedFeatureMap<E>,
      "mercer::Estimator: the draws must be unbiased, and the inner products of these "
      "features are not the kernel on average; take FeaturePca, which takes any features, "
      "or draws from RandomFourier, RandomMaclaurin or ColumnSampling; a map of your own "
      "that is unbiased says so with  static constexpr bool unbiased() { return true; }");
  static_assert(
      FeatureMap<E> || detail::BindsToSamples<E>,
      "mercer::Estimator: give E a member  template <class K, class X> auto bind(const K& "
      "kernel, const X& samples, std::uint64_t seed) const  that returns a "
      "BoundEstimator, or take a feature map");
  return Estimator<E>;
}

namespace detail {

/// The bounds of samples whose rows may be in several processes. Collective.
template <OwnedSamples X>
[[nodiscard]] SampleBounds spread_bounds(const RowSpace& space, const X& samples) {
  SampleBounds bounds;
  space.together([&] { bounds = sample_bounds(samples); });
  if (space.is_spread()) space.processes().maximum({&bounds.radius, 1});
  return bounds;
}

}  // namespace detail

/// Estimators whose samples may have their rows in several processes. bind() also gets the rows,
/// and draws hold the rows of this process.
template <class E>
concept SpreadEstimator = Estimator<E> &&
    (FeatureMap<E> || requires(const E& estimator, const RowSpace& space, const Linear& kernel,
                               const Matrix<double>& samples, std::uint64_t seed) {
      { estimator.bind(space, kernel, samples, seed) } -> BoundEstimator;
    });

/// The draws of \p estimator for one kernel and one set of samples. If a feature map is biased or
/// has no features for the kernel, compilation stops with a sentence that says so.
/// \param space  the rows of the samples. They may be in several processes if E models
///   SpreadEstimator; draws then hold the rows of this process, and this is collective
/// Lifetime: kernel and samples must outlive the result.
/// Throws InvalidArgument for samples that are not finite or outside the kernel's domain, for
///   settings out of range, and for a feature map whose settings make it biased.
template <class E, Kernel K, OwnedSamples X>
[[nodiscard]] auto bind_estimator(const E& estimator, const K& kernel, const RowSpace& space,
                                  const X& samples, std::uint64_t seed) {
  static_assert(check_estimator<E>());
  if constexpr (FeatureMap<E>) detail::require_unbiased("bind_estimator", estimator);
  space.together_on_rows([&] {
    detail::require_finite_samples("bind_estimator", samples);
    detail::check_domain(kernel, samples);
  });
  if constexpr (FeatureMap<E>) {
    return BoundFeatureEstimator(estimator.template bind<typename X::Scalar>(
                                     kernel, detail::spread_bounds(space, samples), seed),
                                 space, samples);
  } else if constexpr (SpreadEstimator<E>) {
    return estimator.bind(space, kernel, samples, seed);
  } else {
    MERCER_ASSERT(!space.is_spread());
    return estimator.bind(kernel, samples, seed);
  }
}

/// The same for all rows in one process.
template <class E, Kernel K, OwnedSamples X>
[[nodiscard]] auto bind_estimator(const E& estimator, const K& kernel, const X& samples,
                                  std::uint64_t seed) {
  return bind_estimator(estimator, kernel, RowSpace::whole(samples.rows()), samples, seed);
}

/// Turns an unbiased draw of K into an unbiased draw of J K J of the same rank, J = I - 1 1^T/n. To
/// do so, it subtracts the column means of the factors.
/// Source: Zhang et al., Stochastic optimization for kernel PCA, AAAI 2016, "Optimization".
template <Real S>
void centre_term(const RowSpace& space, PsdTerm<S>& term) {
  centre_columns<S>(space, term.factor);
}
/// The same for a symmetric term.
template <Real S>
void centre_term(const RowSpace& space, SymmetricTerm<S>& term) {
  centre_columns<S>(space, term.basis);
}
/// The same for a square product, on both sides.
template <Real S>
void centre_term(const RowSpace& space, ProductTerm<S>& term) {
  MERCER_ASSERT(term.right.rows() == term.left.rows());
  centre_columns<S>(space, term.left);
  centre_columns<S>(space, term.right);
}
/// The same for all rows in one process.
template <LowRankTerm T>
void centre_term(T& term) {
  centre_term(RowSpace::whole(term.rows()), term);
}
/// The same for a product of any shape.
template <Real S>
void centre_term(ProductTerm<S>& term) {
  centre_columns(term.left);
  centre_columns(term.right);
}

/// Estimators whose draws have a largest norm.
template <class B>
concept HasLargestNorm = BoundEstimator<B> && requires(const B& estimator) {
  { estimator.largest_norm() } -> std::same_as<double>;
};

namespace detail {

/// <a, b> = tr(a^T b) for two terms in factored form.
template <Real S>
[[nodiscard]] double term_inner(const RowSpace& space, const PsdTerm<S>& a, const PsdTerm<S>& b) {
  return inner(space, a.factor, b.factor).template cast<double>().squaredNorm();
}
template <Real S>
[[nodiscard]] double term_inner(const RowSpace& space, const SymmetricTerm<S>& a,
                                const SymmetricTerm<S>& b) {
  const Matrix<double> cross = inner(space, a.basis, b.basis).template cast<double>();
  return (a.middle.template cast<double>().transpose() * cross)
      .cwiseProduct(cross * b.middle.template cast<double>())
      .sum();
}
template <Real S>
[[nodiscard]] double term_inner(const RowSpace& space, const ProductTerm<S>& a,
                                const ProductTerm<S>& b) {
  return inner(space, a.left, b.left)
      .template cast<double>()
      .cwiseProduct(inner(space, a.right, b.right).template cast<double>())
      .sum();
}

}  // namespace detail

/// The draws from which the variance is estimated.
struct VarianceDraws {
  std::uint64_t first = 1;  ///< draws first, first + 1, ...
  Index pairs = 1;          ///< number of pairs of draws, >= 1; more give a less noisy estimate
  bool centered = false;    ///< whether draws are centred, as estimates of J K J
};

/// An unbiased estimate of v = E|xi - K|_F^2 / n^2: the mean of |xi - xi'|_F^2 / (2 n^2) over pairs
/// of draws. It needs no Gram matrix.
/// Cost: two draws and three small products, O(n k^2), for each pair.
/// Accuracy: the squares cancel, which leaves an error of epsilon |xi|_F^2 / n^2.
/// Throws InvalidArgument unless pairs is at least 1.
/// \param rows  of draws whose rows are in several processes; collective then
template <BoundEstimator B>
[[nodiscard]] double estimated_variance(B& estimator, VarianceDraws draws = {},
                                        const std::optional<RowSpace>& rows = {}) {
  detail::require_at_least("estimated_variance", "pairs", draws.pairs, Index{1});
  typename B::Term first, second;
  double sum = 0, n = 0;
  std::uint64_t t = draws.first;
  for (Index pair = 0; pair < draws.pairs; ++pair) {
    for (auto* term : {&first, &second}) estimator.draw(t++, *term);
    const RowSpace space = rows ? *rows : RowSpace::whole(first.rows());
    if (draws.centered)
      for (auto* term : {&first, &second}) centre_term(space, *term);
    n = static_cast<double>(space.total());
    sum += detail::term_inner(space, first, first) + detail::term_inner(space, second, second) -
           2 * detail::term_inner(space, first, second);
  }
  return n == 0 ? 0 : (std::max)(sum, 0.0) / (2 * n * n * static_cast<double>(draws.pairs));
}

}  // namespace mercer

#endif  // MERCER_ESTIMATORS_ESTIMATOR_HPP
