// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The basis of a view: kernel PCA of that view, by any solver.

#ifndef MERCER_MODELS_DETAIL_VIEW_BASIS_HPP
#define MERCER_MODELS_DETAIL_VIEW_BASIS_HPP

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/detail/paired_bases.hpp>
#include <mercer/models/feature_functions.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/models/kernel_functions.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/pair_report.hpp>

namespace mercer {

/// A solver for each view, where they differ: Views{Exact{}, Nystrom{RpCholesky{}}}.
template <SpectralSolver... S>
struct Views {
  explicit Views(S... each) : solvers(std::move(each)...) {}
  std::tuple<S...> solvers;
};

namespace detail {

/// How the basis of a view is found.
struct BasisRequest {
  Components rank = Components::all();
  bool centered = true;
  double zero_threshold = 1e-12;
  std::size_t memory_budget = 0;
};

/// The solver of a view.
template <std::size_t Number, class S>
[[nodiscard]] const S& solver_of(const S& all) {
  return all;
}
template <std::size_t Number, class... S>
[[nodiscard]] const auto& solver_of(const Views<S...>& views) {
  return std::get<Number>(views.solvers);
}

/// What may solve so many views: one solver for all of them, or one for each.
template <class T, std::size_t count>
inline constexpr bool solves_views = SpectralSolver<T>;
template <class... S, std::size_t count>
inline constexpr bool solves_views<Views<S...>, count> = sizeof...(S) == count;

/// True if the samples of a view are rows of a Gram matrix.
template <OwnedSamples X, KernelOrPrecomputed K>
[[nodiscard]] bool holds_gram(const K& kernel) {
  if constexpr (std::same_as<K, Precomputed>)
    return true;
  else if constexpr (HoldsKernel<K>)
    return KernelView<X>(kernel).is_precomputed();
  else
    return false;
}

/// The chosen samples, as a model that was fitted to the samples \p training takes them: a sample
/// of a precomputed Gram matrix is its row of kernel values with those.
template <KernelOrPrecomputed K, OwnedSamples X>
[[nodiscard]] X take_samples(const K& kernel, const X& samples, const std::vector<Index>& rows,
                             const std::vector<Index>& training) {
  X taken = take_rows(samples, rows);
  if constexpr (DenseSamples<X>)
    if (holds_gram<X>(kernel)) taken = taken(Eigen::indexing::all, training).eval();
  return taken;
}

/// Kernel PCA of one view. Its r components are orthonormal functions v_a in feature space. The
/// functions that a method finds are combinations of them.
template <class Model>
class ViewBasis {
 public:
  using Scalar = typename Model::Scalar;

  template <OwnedSamples X>
  ViewBasis(Model model, const X& samples) : model_(std::move(model)) {
    if constexpr (requires { model_.training_scores(); })
      scores_ = model_.training_scores();
    else
      scores_ = model_.transform(samples);
    eigenvalues_ = model_.eigenvalues().template cast<double>();
    means_ = column_means(scores_).template cast<double>();
  }

  /// A basis whose scores are not kept: what is known of them are their means.
  ViewBasis(Model model, Vector<double> means)
      : model_(std::move(model)),
        eigenvalues_(model_.eigenvalues().template cast<double>()),
        means_(std::move(means)),
        scores_(0, eigenvalues_.size()) {}

  [[nodiscard]] Index rank() const { return eigenvalues_.size(); }
  /// The eigenvalues mu of K_c that belong to the basis, r.
  [[nodiscard]] const Vector<double>& eigenvalues() const { return eigenvalues_; }
  /// The functions at the n training samples: F, n x r, with F^T F = diag(mu). No rows if the
  /// samples came from a stream.
  [[nodiscard]] const Matrix<Scalar>& scores() const { return scores_; }
  [[nodiscard]] bool has_scores() const { return scores_.rows() > 0; }
  /// The means of the scores; zero if they are centred.
  [[nodiscard]] const Vector<double>& means() const { return means_; }
  [[nodiscard]] const Model& model() const { return model_; }
  /// tr K_c.
  [[nodiscard]] double trace() const { return model_.report().trace; }

  [[nodiscard]] ViewReport report() const {
    ViewReport report;
    report.basis = model_.report();
    report.rank = rank();
    if constexpr (requires { model_.points(); })
      report.trace_error = (std::max)(0.0, trace() - eigenvalues_.sum());
    return report;
  }

  /// The functions sum_a C_ai v_a at the training samples, F C, for C of r x k.
  [[nodiscard]] Matrix<Scalar> combined(const Matrix<double>& combination) const {
    return Combination<Scalar>::values(scores_, combination);
  }

  /// The factors, 1 or -1, that the sign rule gives to these functions: by their values at the
  /// training samples or, if there are none, by their coefficients.
  [[nodiscard]] Vector<double> signs(const Matrix<double>& combination) const {
    return Combination<Scalar>::signs(has_scores() ? scores_ : model_.coefficients(), combination);
  }

  /// The functions sum_a C_ai v_a.
  [[nodiscard]] auto functions(const Matrix<double>& combination) const {
    Matrix<Scalar> coefficients =
        Combination<Scalar>::coefficients(model_.coefficients(), combination);
    Vector<Scalar> shift =
        Combination<Scalar>::coefficients(model_.offset().transpose(), combination).transpose();
    if constexpr (requires { model_.points(); })
      return KernelFunctions(model_.kernel(), model_.parts().points, std::move(coefficients),
                             std::move(shift));
    else
      return FeatureFunctions(model_.kernel(), model_.map(),
                              FeatureExpansion<Scalar>{.coefficients = std::move(coefficients),
                                                       .offset = std::move(shift),
                                                       .blocks = model_.solution().blocks,
                                                       .bounds = model_.solution().bounds,
                                                       .seed = model_.solution().seed});
  }

 private:
  Model model_;
  Vector<double> eigenvalues_, means_;
  Matrix<Scalar> scores_;
};

/// The basis of a view of these samples.
template <KernelOrPrecomputed K, SpectralSolver S, OwnedSamples X>
[[nodiscard]] auto fit_basis(const K& kernel, const S& solver, const X& samples,
                             const BasisRequest& request, const Observer& observer) {
  static_assert(!DirectionSolver<S>,
                "mercer: the basis of a view is made of eigenfunctions; this solver finds other "
                "directions");
  const KernelPca pca{kernel,
                      solver,
                      {.components = request.rank,
                       .centered = request.centered,
                       .zero_threshold = request.zero_threshold,
                       .memory_budget = request.memory_budget}};
  auto model = pca.fit(samples, observer);
  return ViewBasis<decltype(model)>(std::move(model), samples);
}

/// The functions that a basis of this kind makes.
template <class Basis>
using FunctionsOf =
    decltype(std::declval<const Basis&>().functions(std::declval<const Matrix<double>&>()));

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_MODELS_DETAIL_VIEW_BASIS_HPP
