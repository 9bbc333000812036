// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A fitted mixture: weights of components, and weights of samples that give the densities and
/// expectations of each component.

#ifndef MERCER_MODELS_LATENT_LATENT_MIXTURE_MODEL_HPP
#define MERCER_MODELS_LATENT_LATENT_MIXTURE_MODEL_HPP

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/models/kernel_functions.hpp>
#include <mercer/models/pair_report.hpp>

namespace mercer {

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

/// One view of a mixture: its samples, each with a weight for every component. The weighted sum of
/// any function over the samples is its expectation given the component.
/// Lifetime: owns its samples; copies share them.
/// Threads: const members may run concurrently.
template <Kernel K, OwnedSamples X>
class MixtureView {
 public:
  using Scalar = typename X::Scalar;

  /// \param weights  n x k
  /// Throws InvalidArgument for shapes that do not fit together, values that are not finite, and
  ///   samples outside the kernel's domain.
  MixtureView(K kernel, std::shared_ptr<const X> samples, Matrix<Scalar> weights)
      : kernel_(std::move(kernel)), samples_(std::move(samples)), weights_(std::move(weights)) {
    if (!samples_) detail::fail("mercer::MixtureView: there are no samples");
    detail::require_matrix("MixtureView", "weights", weights_, samples_->rows(), weights_.cols());
    detail::require_new_samples("MixtureView", kernel_, *samples_);
  }

  [[nodiscard]] const K& kernel() const { return kernel_; }
  /// The samples of this view, n x d.
  [[nodiscard]] const X& samples() const { return *samples_; }
  /// W, n x k. Some are negative.
  [[nodiscard]] const Matrix<Scalar>& sample_weights() const { return weights_; }
  /// The number of components, k.
  [[nodiscard]] Index components() const { return weights_.cols(); }

  /// E[g(x) | h] for each component, k x p, of p functions whose values at the samples are the rows
  /// of \p values, n x p: W^T G. With the samples as values, these are the means of the components.
  /// Cost: O(n k p).
  /// Throws InvalidArgument for another number of rows, and for values that are not finite.
  [[nodiscard]] Matrix<Scalar> expectation(const Matrix<Scalar>& values) const {
    detail::require_matrix("MixtureView::expectation", "values", values, samples_->rows(),
                           values.cols());
    return inner(weights_, values);
  }

  /// The density of each component at the rows of \p grid, q x k, smoothed by the kernel: sum_i
  /// k(x, x_i) W_ih / integral of k. As weights may be negative, so may values be; they integrate
  /// to 1 nearly.
  /// Cost: O(q n (d + k)).
  /// Memory: a few tiles per thread beside the result.
  /// Throws InvalidArgument for another dimension, for points that are not finite, and for points
  ///   outside the kernel's domain.
  template <class Q>
  [[nodiscard]] Matrix<Scalar> density(const Q& grid) const {
    static_assert(HasIntegral<K>,
                  "mercer: a density needs a kernel that is a multiple of a probability density, "
                  "such as Gaussian; give it  double integral(Index dimension) const");
    Matrix<Scalar> values =
        detail::expand("MixtureView::density", kernel_, *samples_, grid, weights_);
    // In many dimensions, the integral may not be a number of Scalar.
    if constexpr (HasIntegral<K>)
      values = (values.template cast<double>() / kernel_.integral(samples_->cols()))
                   .template cast<Scalar>();
    return values;
  }

 private:
  K kernel_;
  std::shared_ptr<const X> samples_;
  Matrix<Scalar> weights_;
};

/// A fitted mixture of three views: p(x_1, x_2, x_3) = sum_h pi_h p_1h(x_1) p_2h(x_2) p_3h(x_3).
/// Holds the samples with k weights each, and nothing of size n x n.
template <class V1, class V2, class V3>
class LatentMixtureModel {
 public:
  using Scalar = typename V1::Scalar;
  /// The views.
  using Views = std::tuple<V1, V2, V3>;

  /// \param weights          pi, k, positive
  /// \param singular_values  descending
  /// Throws InvalidArgument for views of different numbers of samples or components, another number
  ///   of weights, and values that are not finite.
  LatentMixtureModel(Views views, Vector<double> weights, Vector<double> singular_values,
                     double defect, PairReport report)
      : views_(std::move(views)),
        weights_(std::move(weights)),
        singular_values_(std::move(singular_values)),
        defect_(detail::require_finite("LatentMixtureModel", "defect", defect)),
        report_(std::move(report)) {
    const auto& [first, second, third] = views_;
    const Matrix<Scalar>& shape = first.sample_weights();
    detail::require_matrix("LatentMixtureModel", "weights of view 1", second.sample_weights(),
                           shape.rows(), shape.cols());
    detail::require_matrix("LatentMixtureModel", "weights of view 2", third.sample_weights(),
                           shape.rows(), shape.cols());
    detail::require_matrix("LatentMixtureModel", "weights", weights_, components(), 1);
    detail::require_matrix("LatentMixtureModel", "singular values", singular_values_,
                           singular_values_.size(), 1);
  }

  /// The number of components, k.
  [[nodiscard]] Index components() const { return std::get<0>(views_).components(); }

  /// pi_1 >= ... >= pi_k > 0. They are not normalised: a sum far from 1 says that the components do
  /// not describe the samples.
  [[nodiscard]] const Vector<double>& weights() const { return weights_; }

  /// The singular values of the second moment of the views in feature space, descending: more than
  /// the k that are used. Those of a mixture of k components fall to the level of noise after the
  /// k-th. So choose the number of components by the gap. With DoublyStochastic, there are k.
  [[nodiscard]] const Vector<double>& singular_values() const { return singular_values_; }

  /// max |V^T V - I| of the components of the third moment, which are orthonormal for an infinite
  /// number of samples of a mixture.
  [[nodiscard]] double defect() const { return defect_; }

  [[nodiscard]] const PairReport& report() const { return report_; }

  /// The samples and their weights, view by view.
  [[nodiscard]] const Views& views() const { return views_; }

  /// E[g(x) | h] for each component, k x p, of functions with these values at the samples of a
  /// view, 0, 1 or 2; see MixtureView.
  /// Throws InvalidArgument for another view, another number of rows, and values that are not
  ///   finite.
  [[nodiscard]] Matrix<Scalar> expectation(Index view, const Matrix<Scalar>& values) const {
    return at("expectation", view, [&](const auto& v) { return v.expectation(values); });
  }

  /// The smoothed densities of the components of a view, 0, 1 or 2, at the rows of \p grid, q x k;
  /// see MixtureView.
  /// Throws InvalidArgument for another view, and as MixtureView.
  template <class Q>
  [[nodiscard]] Matrix<Scalar> density(Index view, const Q& grid) const {
    return at("density", view, [&](const auto& v) { return v.density(grid); });
  }

 private:
  template <class Use>
  [[nodiscard]] Matrix<Scalar> at(std::string_view who, Index view, Use&& use) const {
    if (view == 0) return use(std::get<0>(views_));
    if (view == 1) return use(std::get<1>(views_));
    if (view == 2) return use(std::get<2>(views_));
    detail::fail("mercer::LatentMixtureModel::", who, ": view must be 0, 1 or 2, got ", view);
  }

  Views views_;
  Vector<double> weights_, singular_values_;
  double defect_;
  PairReport report_;
};

/// A fitted mixture whose components have the same law in all views. Densities and expectations are
/// averaged over the views, unless one view is asked for.
template <class V>
class ExchangeableMixtureModel : public LatentMixtureModel<V, V, V> {
 public:
  /// The same model without the symmetry.
  using Base = LatentMixtureModel<V, V, V>;
  using Base::Base;
  using Base::density;
  using Base::expectation;
  using typename Base::Scalar;

  /// The smoothed densities of the components at the rows of \p grid, q x k.
  template <class Q>
  [[nodiscard]] Matrix<Scalar> density(const Q& grid) const {
    return (density(0, grid) + density(1, grid) + density(2, grid)) / 3;
  }

  /// E[g(x) | h], k x p, of functions with these values at the samples of the three views.
  [[nodiscard]] Matrix<Scalar> expectation(const Matrix<Scalar>& values_1,
                                           const Matrix<Scalar>& values_2,
                                           const Matrix<Scalar>& values_3) const {
    return (expectation(0, values_1) + expectation(1, values_2) + expectation(2, values_3)) / 3;
  }
};

}  // namespace mercer

#endif  // MERCER_MODELS_LATENT_LATENT_MIXTURE_MODEL_HPP
