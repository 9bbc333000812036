// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A mixture found from three views of each sample, without a parametric form of its components.

#ifndef MERCER_MODELS_LATENT_MIXTURE_HPP
#define MERCER_MODELS_LATENT_MIXTURE_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/zip_stream.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/models/detail/mixture_components.hpp>
#include <mercer/models/detail/pair_streams.hpp>
#include <mercer/models/detail/paired_bases.hpp>
#include <mercer/models/detail/two_views.hpp>
#include <mercer/models/detail/view_basis.hpp>
#include <mercer/models/latent_mixture_model.hpp>
#include <mercer/models/pair_report.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/pair_solver.hpp>

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

/// The number of components that singular values of the second moment show: the k with the largest
/// sigma_k / sigma_(k+1), among those with sigma_k > sigma_1 n^(-1/2), since smaller ones are
/// within the noise of n samples; 1 if there is none. A gap can be seen only before the last value.
/// \param values  descending
[[nodiscard]] inline Index components_before_gap(const Vector<double>& values, Index samples) {
  Index best = 1;
  double largest = 0;
  for (Index k = 1; k < values.size(); ++k) {
    const double value = values(k - 1), next = values(k);
    if (!(value * std::sqrt(static_cast<double>(samples)) > values(0)) && k > 1) break;
    const double ratio = next > 0 ? value / next : std::numeric_limits<double>::infinity();
    if (!(ratio > largest)) continue;
    best = k;
    largest = ratio;
  }
  return best;
}

namespace detail {

template <class K>
inline constexpr bool is_different_views = false;
template <class K1, class K2, class K3>
inline constexpr bool is_different_views<DifferentViews<K1, K2, K3>> = true;

/// The rows of three blocks of samples, one block below the other.
template <OwnedSamples X>
[[nodiscard]] X stack_rows(const X& a, const X& b, const X& c) {
  X out(a.rows() + b.rows() + c.rows(), a.cols());
  out.topRows(a.rows()) = a;
  out.middleRows(a.rows(), b.rows()) = b;
  out.bottomRows(c.rows()) = c;
  return out;
}

/// What step 1 finds: scores of the views, and singular values of the second moment.
struct MixtureStart {
  MixtureScores<double> scores;
  Vector<double> singular_values;
  PairReport report;
};

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
    const auto begin = std::chrono::steady_clock::now();
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
          start_different(*a, *b, *c, observer), begin, k1, a, k2, b, k3, c);
    } else {
      static_assert(std::same_as<OwnedSamplesOf<X1>, OwnedSamplesOf<X2>> &&
                        std::same_as<OwnedSamplesOf<X1>, OwnedSamplesOf<X3>>,
                    "mercer::LatentMixture: exchangeable views must be all dense or all sparse");
      return finish<ExchangeableMixtureModel<View<K, X1>>>(
          start_exchangeable(*a, *b, *c, observer), begin, kernel_, a, kernel_, b, kernel_, c);
    }
  }

 private:
  static constexpr std::string_view prefix = "mercer::", who = "LatentMixture::fit",
                                    method = "latent-mixture";

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

  [[nodiscard]] detail::BasisRequest request() const {
    return {.rank = params_.rank,
            .centered = false,
            .zero_threshold = params_.zero_threshold,
            .memory_budget = params_.memory_budget};
  }

  /// The components that a fit looks for: none, if it was cancelled before there was a basis.
  [[nodiscard]] Index wanted(const PairReport& report, const Vector<double>& values) const {
    if (report.status == Status::Cancelled) return 0;
    if (params_.components) return *params_.components;
    return components_before_gap(values, report.samples);
  }

  /// Functions whose span holds the leading eigenfunctions of the pooled moment of all pairs of
  /// views.
  template <OwnedSamples X>
  [[nodiscard]] detail::MixtureStart start_exchangeable(const X& a, const X& b, const X& c,
                                                        const Observer& observer) const {
    check("1", kernel_, a);
    check("2", kernel_, b);
    check("3", kernel_, c);
    if (a.cols() != b.cols() || a.cols() != c.cols())
      detail::fail(prefix, who, ": exchangeable views have one dimension, but got ", a.cols(), ", ",
                   b.cols(), " and ", c.cols(), " columns");
    if constexpr (detail::solves_pairs<S>)
      return steps_exchangeable(a, b, c, observer);
    else
      return basis_exchangeable(a, b, c, observer);
  }

  /// Functions of one view of pairs, by the steps of a solver of pairs. The moment is symmetric, so
  /// those of both views tend to the same; their mean is used.
  template <OwnedSamples X>
  [[nodiscard]] detail::MixtureStart steps_exchangeable(const X& a, const X& b, const X& c,
                                                        const Observer& observer) const {
    const auto found = stochastic_svd(kernel_, detail::stack_rows(a, a, b), kernel_,
                                      detail::stack_rows(b, c, c), observer);
    detail::MixtureStart out;
    out.report = found.report;
    out.report.method = method;
    out.report.samples = a.rows();
    out.report.views.push_back(out.report.views.back());
    out.singular_values = found.values;
    const Index k = wanted(out.report, found.values);
    detail::require_positive_values(who, found.values, k);
    const auto scores = [&](const X& x) -> Matrix<double> {
      return (found.x.transform(x) + found.y.transform(x)).template cast<double>().leftCols(k) / 2;
    };
    out.scores.views = {scores(a), scores(b), scores(c)};
    const auto& [p, q, r] = out.scores.views;
    const Matrix<double> sum = inner(p, q) + inner(p, r) + inner(q, r);
    out.scores.moment = (sum + sum.transpose()) / (6 * static_cast<double>(a.rows()));
    return out;
  }

  /// The k leading singular functions of two views, not centred, as a solver of pairs finds them.
  template <class Kx, class Ky, OwnedSamples X, OwnedSamples Y>
  [[nodiscard]] auto stochastic_svd(const Kx& kernel_x, const X& x, const Ky& kernel_y, const Y& y,
                                    const Observer& observer) const {
    if (!params_.components)
      detail::fail(prefix, who,
                   ": this solver finds as many functions as there are components; "
                   "say how many, or take Nystrom or FeaturePca to find their number");
    const detail::TwoViews<Kx, Ky, S> views{kernel_x, kernel_y, solver_};
    MatrixStream xs(x);
    MatrixStream ys(y);
    ZipStream pairs(xs, ys);
    return detail::stream_functions(who, views, pairs,
                                    {.method = PairMethod::Svd,
                                     .components = *params_.components,
                                     .centered = false,
                                     .memory_budget = params_.memory_budget},
                                    {}, observer);
  }

  /// The leading eigenfunctions of the moment. The three views must be expressed in one basis. It
  /// is fitted to all of them, so that it holds the moment in full and prefers no view.
  template <OwnedSamples X>
  [[nodiscard]] detail::MixtureStart basis_exchangeable(const X& a, const X& b, const X& c,
                                                        const Observer& observer) const {
    const auto basis =
        detail::fit_basis(kernel_, solver_, detail::stack_rows(a, b, c), request(), observer);
    const Index n = a.rows();
    const auto parts = thirds(basis.scores());
    const Matrix<double> sum = detail::cross_product(parts[0], parts[1]) +
                               detail::cross_product(parts[0], parts[2]) +
                               detail::cross_product(parts[1], parts[2]);
    const EigenSystem<double> system =
        symmetric_eigensystem<double>((sum + sum.transpose()) / (6 * static_cast<double>(n)));
    detail::MixtureStart out;
    out.report = report(n, basis, basis, basis);
    out.singular_values = system.values.cwiseAbs();
    std::sort(out.singular_values.data(), out.singular_values.data() + out.singular_values.size(),
              std::greater<>());
    const Index k = wanted(out.report, out.singular_values);
    detail::require_positive_values(who, system.values, k);
    const Matrix<double> leading = system.vectors.leftCols(k);
    for (std::size_t v = 0; v < 3; ++v) out.scores.views[v] = project(parts[v], leading);
    out.scores.moment = system.values.head(k).asDiagonal();
    return out;
  }

  /// The leading singular functions of the pairs (1, 2) and, for the third view, of (1, 3).
  template <OwnedSamples X1, OwnedSamples X2, OwnedSamples X3>
  [[nodiscard]] detail::MixtureStart start_different(const X1& a, const X2& b, const X3& c,
                                                     const Observer& observer) const {
    check("1", kernel_.first, a);
    check("2", kernel_.second, b);
    check("3", kernel_.third, c);
    if constexpr (detail::solves_pairs<S>)
      return steps_different(a, b, c, observer);
    else
      return bases_different(a, b, c, observer);
  }

  /// The same by the steps of a solver of pairs.
  template <OwnedSamples X1, OwnedSamples X2, OwnedSamples X3>
  [[nodiscard]] detail::MixtureStart steps_different(const X1& a, const X2& b, const X3& c,
                                                     const Observer& observer) const {
    const auto pair12 = stochastic_svd(kernel_.first, a, kernel_.second, b, observer);
    const auto pair13 = stochastic_svd(kernel_.first, a, kernel_.third, c, observer);
    detail::MixtureStart out;
    out.report = pair12.report;
    out.report.method = method;
    out.report.views.push_back(pair13.report.views[1]);
    out.report.status = detail::worse(pair12.report.status, pair13.report.status);
    out.singular_values = pair12.values;
    const Index k = wanted(out.report, pair12.values);
    for (const auto* pair : {&pair12.values, &pair13.values})
      detail::require_positive_values(who, *pair, k);
    const auto scores = [&](const auto& functions, const auto& x) -> Matrix<double> {
      return functions.transform(x).template cast<double>().leftCols(k);
    };
    out.scores = detail::MixtureScores<double>::align(
        {scores(pair12.x, a), scores(pair12.y, b), scores(pair13.y, c)});
    return out;
  }

  template <OwnedSamples X1, OwnedSamples X2, OwnedSamples X3>
  [[nodiscard]] detail::MixtureStart bases_different(const X1& a, const X2& b, const X3& c,
                                                     const Observer& observer) const {
    detail::ViewFits fits(request(), observer);
    const auto first = fits.next(kernel_.first, solver_, a);
    const auto second = fits.next(kernel_.second, solver_, b);
    const auto third = fits.next(kernel_.third, solver_, c);
    const Index n = a.rows();
    detail::MixtureStart out;
    out.report = report(n, first, second, third);
    const auto svd = [&](const auto& other) {
      const double weight = 1 / std::sqrt(static_cast<double>(n));  // as in kernel SVD
      return detail::PairedBases<double>::solve(
          detail::cross_product(first, other), Vector<double>::Constant(first.rank(), weight),
          Vector<double>::Constant(other.rank(), weight), n, (std::max)(first.rank(), Index{1}));
    };
    const auto pair12 = svd(second), pair13 = svd(third);
    const Index k = wanted(out.report, pair12.values);
    for (const auto* pair : {&pair12, &pair13})
      detail::require_positive_values(who, pair->values, k);
    out.scores = detail::MixtureScores<double>::align({combined(first, pair12.x.leftCols(k)),
                                                       combined(second, pair12.y.leftCols(k)),
                                                       combined(third, pair13.y.leftCols(k))});
    out.singular_values = pair12.values;
    return out;
  }

  /// The rows of the three views, which lie one below the other.
  template <Real T>
  [[nodiscard]] static std::array<Matrix<T>, 3> thirds(const Matrix<T>& scores) {
    const Index n = scores.rows() / 3;
    return {scores.topRows(n), scores.middleRows(n, n), scores.bottomRows(n)};
  }

  /// The functions with these coefficients over a basis, at its samples, in double.
  template <class Basis>
  [[nodiscard]] static Matrix<double> combined(const Basis& basis,
                                               const Matrix<double>& coefficients) {
    return basis.combined(coefficients).template cast<double>();
  }

  /// The same from the scores of some of its samples.
  template <Real T>
  [[nodiscard]] static Matrix<double> project(const Matrix<T>& scores,
                                              const Matrix<double>& coefficients) {
    return multiply(scores, coefficients.cast<T>().eval()).template cast<double>();
  }

  template <class B1, class B2, class B3>
  [[nodiscard]] PairReport report(Index n, const B1& first, const B2& second,
                                  const B3& third) const {
    PairReport out;
    out.method = method;
    out.views = {first.report(), second.report(), third.report()};
    out.status = Status::Converged;
    std::size_t largest = 0, ranks = 0;
    for (const ViewReport& view : out.views) {
      out.status = detail::worse(out.status, view.basis.status);
      largest = (std::max)(largest, view.basis.bytes);
      ranks += static_cast<std::size_t>(view.rank);
    }
    out.samples = n;
    // The scores twice, in parts and in the basis.
    out.bytes = largest + static_cast<std::size_t>(n) * 2 * ranks * sizeof(double);
    return out;
  }

  /// Steps 2 to 6, which are the same for all views.
  template <class Model, class K1, class P1, class K2, class P2, class K3, class P3>
  [[nodiscard]] Model finish(detail::MixtureStart start,
                             std::chrono::steady_clock::time_point begin, const K1& k1,
                             const P1& x1, const K2& k2, const P2& x2, const K3& k3,
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
    report.fit_seconds = detail::seconds_since(begin);
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

#endif  // MERCER_MODELS_LATENT_MIXTURE_HPP
