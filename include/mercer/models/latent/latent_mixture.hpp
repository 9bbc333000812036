// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A mixture found from three views of each sample, without a parametric form of its components.

#ifndef MERCER_MODELS_LATENT_LATENT_MIXTURE_HPP
#define MERCER_MODELS_LATENT_LATENT_MIXTURE_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/models/detail/mixture_components.hpp>
#include <mercer/models/detail/mixture_start.hpp>
#include <mercer/models/detail/two_views.hpp>
#include <mercer/models/detail/view_basis.hpp>
#include <mercer/models/latent/latent_mixture_model.hpp>
#include <mercer/models/pair_report.hpp>
#include <mercer/solvers/dense/exact.hpp>

namespace mercer {

struct LatentMixtureParams {
  /// k, the number of components of the mixture. std::nullopt: that before the largest gap of the
  /// singular values, see components_before_gap().
  std::optional<Index> components = 2;
  Components rank =
      Components::all();          ///< of the basis of each view: a number, or a share of variance
  Index starts = 10;              ///< random starts of the tensor power method for each component
  Index iterations = 100;         ///< most iterations from one start
  double zero_threshold = 1e-12;  ///< eigenvalues up to this times the largest one count as zero
  std::size_t memory_budget = 0;  ///< as in KernelPcaParams; of all views together
  std::uint64_t seed = 1;         ///< of the starts
};

/// Kernels of three views whose laws given the component differ: other quantities, or other
/// instruments. Takes the place of the one kernel of exchangeable views. The kernels may be equal.
template <Kernel K1, Kernel K2, Kernel K3>
struct DifferentViews {
  K1 first;   ///< of the first view
  K2 second;  ///< of the second view
  K3 third;   ///< of the third view
};

template <Kernel K1, Kernel K2, Kernel K3>
DifferentViews(K1, K2, K3) -> DifferentViews<K1, K2, K3>;

namespace detail {

template <class K>
inline constexpr bool is_different_views = false;
template <class K1, class K2, class K3>
inline constexpr bool is_different_views<DifferentViews<K1, K2, K3>> = true;

}  // namespace detail

/// A mixture p(x_1, x_2, x_3) = sum_h pi_h p_1h(x_1) p_2h(x_2) p_3h(x_3) of k components, found
/// from n independent triples of views that are independent given the component h. Nothing is
/// assumed about the form of the components, except that their means in feature space are linearly
/// independent.
///
/// With one kernel, the views are exchangeable: a component has the same law in each of them, as
/// for three measurements of one quantity. With DifferentViews of three kernels, it need not.
///
/// \code
///   mercer::LatentMixture mixture{mercer::Gaussian{0.3},
///                                 mercer::Nystrom{mercer::RpCholesky{}, {.landmarks = 100}},
///                                 {.components = 2}};
///   auto model = mixture.fit(X1, X2, X3);  // row i of each is one of three views of sample i
///   model.weights();                       // pi
///   Eigen::MatrixXd p = model.density(grid);
///   Eigen::MatrixXd means = model.expectation(0, X1);
/// \endcode
///
/// The method of moments: the second moment M of pairs of views in feature space, which has rank k,
/// whitens the views; the third moment T of the whitened views has orthonormal components v_h and
/// values pi_h^(-1/2), found by the tensor power method. They give weights d_h(x) to the samples
/// whose mean given component h' is 1 if h = h' and 0 otherwise, and so E[g(x_a) | h] = mean of
/// g(x_a) d_h(x_b) / pi_h for views a != b and any function g. Densities are read off these weights
/// with g = k(x, .), not off the basis: a basis that is good enough for the weights, such as 64
/// random features, would make densities with its own errors.
///
/// \tparam K  models Kernel, or is DifferentViews of three kernels
/// \tparam S  a solver for the basis of each view. Exact by default; for many samples, take Nystrom
///   or FeaturePca. With DoublyStochastic, the functions that span the second moment come from its
///   kernel SVD of pairs of views; it needs the number of components
/// Order: components have descending weights. Up to rounding, the result depends neither on the
///   order of the samples nor, for exchangeable views, on that of the views, unless the solver
///   draws landmarks from them.
/// Cost: that of one fit of KernelPca to 3 n samples, or of three to n, and O(n r^2 + r^3 + n k^3)
///   for bases of rank r.
/// Accuracy: errors are of order n^(-1/2), divided by the k-th singular value, which is small if
///   components are alike or rare. See singular_values() and defect() of the model.
/// Random: purpose "tensor power" of the seed.
/// Threads: one object may fit from several threads at once.
/// Source: Anandkumar, Ge, Hsu, Kakade, Telgarsky, Tensor decompositions for learning latent
///   variable models, 2014; in feature space: Song, Anandkumar, Dai, Xie, Nonparametric estimation
///   of multi-view latent variable models, 2014.
template <class K, SpectralSolver S = Exact>
  requires(Kernel<K> || detail::is_different_views<K>)
class LatentMixture {
 public:
  using Params = LatentMixtureParams;

  explicit LatentMixture(K kernel, S solver = {}, LatentMixtureParams params = {})
      : kernel_(std::move(kernel)), solver_(std::move(solver)), params_(params) {}

  /// The kernel, or the DifferentViews.
  [[nodiscard]] const K& kernel() const { return kernel_; }
  [[nodiscard]] const S& solver() const { return solver_; }
  [[nodiscard]] const LatentMixtureParams& params() const { return params_; }

  /// Fits to triples: the rows of \p x1, \p x2 and \p x3, dense or sparse, all of float or all of
  /// double. Returns ExchangeableMixtureModel, or LatentMixtureModel for DifferentViews. A run that
  /// the observer cancels gives a model without components.
  /// The report is that of the bases of the views; with DoublyStochastic, that of the kernel SVD of
  /// the pairs (1, 2), and of (1, 3) for the third of three different views.
  /// Throws InvalidArgument for different numbers of rows, for samples that KernelPca does not
  ///   take, for parameters out of range, and for more components than the second moment has
  ///   positive eigenvalues, or than the third moment has.
  /// Lifetime: the model owns copies of the samples.
  template <class X1, class X2, class X3>
  [[nodiscard]] auto fit(const X1& x1, const X2& x2, const X3& x3,
                         const Observer& observer = {}) const {
    static_assert(std::same_as<typename X1::Scalar, typename X2::Scalar> &&
                      std::same_as<typename X1::Scalar, typename X3::Scalar>,
                  "mercer::LatentMixture: the views must have one scalar");
    const detail::FitClock clock;
    const auto a = std::make_shared<const OwnedSamplesOf<X1>>(x1);
    const auto b = std::make_shared<const OwnedSamplesOf<X2>>(x2);
    const auto c = std::make_shared<const OwnedSamplesOf<X3>>(x3);
    if (a->rows() != b->rows() || a->rows() != c->rows())
      detail::fail(prefix, who, ": rows are triples, but the views have ", a->rows(), ", ",
                   b->rows(), " and ", c->rows(), " rows");
    detail::require_components(who, params_.components.value_or(1), params_.rank, a->rows());
    detail::require_at_least(who, "starts", params_.starts, Index{1});
    detail::require_at_least(who, "iterations", params_.iterations, Index{1});
    if constexpr (detail::is_different_views<K>) {
      const auto& [k1, k2, k3] = kernel_;
      return finish<LatentMixtureModel<View<decltype(k1), X1>, View<decltype(k2), X2>,
                                       View<decltype(k3), X3>>>(
          start_different(*a, *b, *c, observer), clock, k1, a, k2, b, k3, c);
    } else {
      static_assert(std::same_as<OwnedSamplesOf<X1>, OwnedSamplesOf<X2>> &&
                        std::same_as<OwnedSamplesOf<X1>, OwnedSamplesOf<X3>>,
                    "mercer::LatentMixture: exchangeable views must be all dense or all sparse");
      return finish<ExchangeableMixtureModel<View<K, X1>>>(
          start_exchangeable(*a, *b, *c, observer), clock, kernel_, a, kernel_, b, kernel_, c);
    }
  }

 private:
  static constexpr std::string_view prefix = "mercer::", who = "LatentMixture::fit";

  template <class KernelOfView, class X>
  using View = MixtureView<std::remove_cvref_t<KernelOfView>, OwnedSamplesOf<X>>;

  /// Throws InvalidArgument for samples that cannot be those of this view. Values of a precomputed
  /// kernel are refused: they are no samples at which a density could be evaluated.
  template <class KernelOfView, OwnedSamples X>
  static void check(std::string_view view, const KernelOfView& kernel, const X& x) {
    if (detail::holds_gram<X>(kernel))
      detail::fail(prefix, who, ": needs samples, but the kernel of view ", view,
                   " is a precomputed matrix");
    detail::require_view(who, view, kernel, x, false);
  }

  [[nodiscard]] detail::MixtureStarter<S> starter() const {
    return {who, "latent-mixture", solver_, params_.components,
            detail::BasisRequest{.rank = params_.rank,
                                 .centered = false,
                                 .zero_threshold = params_.zero_threshold,
                                 .memory_budget = params_.memory_budget}};
  }

  template <OwnedSamples X>
  [[nodiscard]] detail::MixtureStart start_exchangeable(const X& a, const X& b, const X& c,
                                                        const Observer& observer) const {
    check("1", kernel_, a);
    check("2", kernel_, b);
    check("3", kernel_, c);
    if (a.cols() != b.cols() || a.cols() != c.cols())
      detail::fail(prefix, who, ": exchangeable views have one dimension, but got ", a.cols(), ", ",
                   b.cols(), " and ", c.cols(), " columns");
    return starter().exchangeable(kernel_, a, b, c, observer);
  }

  template <OwnedSamples X1, OwnedSamples X2, OwnedSamples X3>
  [[nodiscard]] detail::MixtureStart start_different(const X1& a, const X2& b, const X3& c,
                                                     const Observer& observer) const {
    const auto& [k1, k2, k3] = kernel_;
    check("1", k1, a);
    check("2", k2, b);
    check("3", k3, c);
    return starter().different(k1, a, k2, b, k3, c, observer);
  }

  /// Steps 2 to 6, which are the same for all views.
  template <class Model, class K1, class P1, class K2, class P2, class K3, class P3>
  [[nodiscard]] Model finish(detail::MixtureStart start, const detail::FitClock& clock,
                             const K1& k1, const P1& x1, const K2& k2, const P2& x2, const K3& k3,
                             const P3& x3) const {
    const detail::TensorPowerParams power{
        .starts = params_.starts, .iterations = params_.iterations, .seed = params_.seed};
    const auto found = detail::MixtureComponents<double>::find(who, start.scores, power);
    const double n = static_cast<double>(x1->rows());
    const auto weights = [&](std::size_t a, std::size_t b) -> Matrix<typename Model::Scalar> {
      const Matrix<double> sum = found.indicators[a] + found.indicators[b];
      return (sum * (2 * n * found.probabilities).cwiseInverse().asDiagonal())
          .template cast<typename Model::Scalar>();
    };
    PairReport& report = start.report;
    if (!found.converged) report.status = detail::worse(report.status, Status::NotConverged);
    report.components = found.probabilities.size();
    report.components_requested = params_.components.value_or(report.components);
    // Scores, their parts and weights, of few columns each.
    report.bytes += static_cast<std::size_t>(x1->rows() * 9 * report.components) * sizeof(double);
    typename Model::Views views{
        {k1, x1, weights(1, 2)}, {k2, x2, weights(0, 2)}, {k3, x3, weights(0, 1)}};
    clock.report(report);
    return Model(std::move(views), found.probabilities, std::move(start.singular_values),
                 found.defect, std::move(report));
  }

  K kernel_;
  S solver_;
  LatentMixtureParams params_;
};

template <class K>
LatentMixture(K) -> LatentMixture<K, Exact>;
template <class K, SpectralSolver S>
LatentMixture(K, S) -> LatentMixture<K, S>;
template <class K, SpectralSolver S>
LatentMixture(K, S, LatentMixtureParams) -> LatentMixture<K, S>;

}  // namespace mercer

#endif  // MERCER_MODELS_LATENT_LATENT_MIXTURE_HPP
