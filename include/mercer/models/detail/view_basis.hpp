// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The basis of a view: kernel PCA of that view, by any solver.

#ifndef MERCER_MODELS_DETAIL_VIEW_BASIS_HPP
#define MERCER_MODELS_DETAIL_VIEW_BASIS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/memory.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/detail/basis_scores.hpp>
#include <mercer/models/feature_functions.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/models/kernel_functions.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/kernel_pca_model.hpp>
#include <mercer/models/kernel_pca_parts.hpp>
#include <mercer/models/pair_report.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer {

/// A solver for each view, where they differ: Views{Exact{}, Nystrom{RpCholesky{}}}.
template <SpectralSolver... S>
struct Views {
  explicit Views(S... each) : solvers(std::move(each)...) {}
  std::tuple<S...> solvers;  ///< in the order of the views
};

namespace detail {

/// How the basis of a view is found.
struct BasisRequest {
  Components rank = Components::all();
  std::optional<Components> rank_y = {};  // of the second view, if it is to have another one
  bool centered = true;
  double zero_threshold = 1e-12;
  std::size_t memory_budget = 0;

  /// The same for n samples, which span no more functions than that.
  [[nodiscard]] BasisRequest for_samples(Index n) const {
    BasisRequest request = *this;
    if (!rank.is_fraction() && rank.count() > n) request.rank = n;
    return request;
  }

  [[nodiscard]] KernelPcaParams for_pca() const {
    return {.components = rank,
            .centered = centered,
            .zero_threshold = zero_threshold,
            .memory_budget = memory_budget};
  }
  [[nodiscard]] KernelRequest for_solver() const {
    return {.pairs = {.components = rank, .zero_threshold = zero_threshold},
            .centered = centered,
            .memory_budget = memory_budget > 0 ? memory_budget : default_memory_budget(),
            .choice = "solver as asked for"};
  }
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

/// What may solve two views: the same, or a solver that finds their bases together.
template <class T>
concept SolvesTwoViews = solves_views<T, 2> || JointBasisSolver<T>;

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
    if (holds_gram<X>(kernel)) taken = take_columns(taken, training);
  return taken;
}

/// Kernel PCA of one view. Its r components are orthonormal functions v_a in feature space. The
/// functions that a method finds are combinations of them.
template <class Model>
class ViewBasis : public BasisScores<typename Model::Scalar> {
 public:
  using Scalar = typename Model::Scalar;
  using Scores = BasisScores<Scalar>;

  /// \param factor, rotation  as in BasisScores; without a factor, the model knows the scores
  ViewBasis(Model model, std::shared_ptr<const Matrix<Scalar>> factor, Matrix<double> rotation = {})
      : Scores(model.eigenvalues().template cast<double>(), or_own(std::move(factor), model),
               std::move(rotation)),
        model_(std::move(model)) {}

  /// A basis whose scores are evaluated anew.
  /// Lifetime: refers to the samples.
  template <OwnedSamples X>
  ViewBasis(Model model, const X& samples)
      : Scores(model.eigenvalues().template cast<double>(), samples.rows(),
               [model, &samples](const std::vector<Index>& rows, const Matrix<double>& c) {
                 const X taken = take_rows(samples, rows);
                 return c.size() > 0 ? functions_of(model, c).transform(taken)
                                     : model.transform(taken);
               }),
        model_(std::move(model)) {}

  /// A basis whose scores are gone with the samples.
  ViewBasis(Model model, Vector<double> means)
      : Scores(model.eigenvalues().template cast<double>(), std::move(means)),
        model_(std::move(model)) {}

  [[nodiscard]] const Model& model() const { return model_; }
  /// tr K_c.
  [[nodiscard]] double trace() const { return model_.report().trace; }
  /// Bytes of scores and coefficients.
  [[nodiscard]] std::size_t kept_bytes() const {
    return this->bytes() + static_cast<std::size_t>(model_.coefficients().size()) * sizeof(Scalar);
  }

  [[nodiscard]] ViewReport report() const {
    ViewReport report;
    report.basis = model_.report();
    report.rank = this->rank();
    if constexpr (requires { model_.points(); })
      if (!indefinite() && std::isfinite(trace()))  // a fit that was cancelled may not know it
        report.trace_error = (std::max)(0.0, trace() - this->eigenvalues().sum());
    return report;
  }

  /// What the sign rule goes by for the functions sum_a C_ai v_a: their values at the training
  /// samples or, if there are none, their coefficients.
  [[nodiscard]] Matrix<Scalar> sign_values(const Matrix<double>& combination) const {
    return this->has_scores() ? this->combined(combination)
                              : Combination<Scalar>::values(model_.coefficients(), combination);
  }

  /// The functions sum_a C_ai v_a.
  [[nodiscard]] auto functions(const Matrix<double>& combination) const {
    return functions_of(model_, combination);
  }

 private:
  /// Whether the trace has negative eigenvalues, more than rounding errors: they hide in it what
  /// the basis leaves out. Nystrom refuses indefinite kernels, and has rounding errors only.
  [[nodiscard]] bool indefinite() const {
    const Report& report = model_.report();
    if (report.negative_eigenvalues == 0) return false;
    if (std::holds_alternative<NystromDetails>(report.details)) return false;
    const double rounding = std::sqrt(double{std::numeric_limits<Scalar>::epsilon()});
    return static_cast<double>(report.negative_eigenvalues) *
               -report.most_negative_eigenvalue.value_or(0) >
           rounding * this->eigenvalues().sum();
  }

  [[nodiscard]] static auto functions_of(const Model& model, const Matrix<double>& combination) {
    Matrix<Scalar> coefficients =
        Combination<Scalar>::coefficients(model.coefficients(), combination);
    Vector<Scalar> shift =
        Combination<Scalar>::coefficients(model.offset().transpose(), combination).transpose();
    if constexpr (requires { model.points(); })
      return KernelFunctions(model.kernel(), model.parts().points, std::move(coefficients),
                             std::move(shift));
    else
      return FeatureFunctions(model.kernel(), model.map(),
                              FeatureExpansion<Scalar>{.coefficients = std::move(coefficients),
                                                       .offset = std::move(shift),
                                                       .blocks = model.solution().blocks,
                                                       .bounds = model.solution().bounds,
                                                       .seed = model.solution().seed});
  }

  [[nodiscard]] static std::shared_ptr<const Matrix<Scalar>> or_own(
      std::shared_ptr<const Matrix<Scalar>> factor, const Model& model) {
    if constexpr (requires { model.training_scores(); })
      if (!factor) return std::make_shared<const Matrix<Scalar>>(model.training_scores());
    return factor;
  }

  Model model_;
};

/// The basis of a view of these samples. Scores of landmarks or features that exceed the memory
/// budget are not held.
/// Lifetime: may refer to the samples.
template <KernelOrPrecomputed K, SpectralSolver S, OwnedSamples X>
[[nodiscard]] auto fit_basis(const K& kernel, const S& solver, const X& samples,
                             const BasisRequest& request, const Observer& observer) {
  static_assert(!DirectionSolver<S>,
                "mercer: the basis of a view is made of eigenfunctions; this solver finds other "
                "directions");
  BasisRequest ask = request.for_samples(samples.rows());
  if (ask.memory_budget == 0) ask.memory_budget = default_memory_budget();
  const KernelPca pca{kernel, solver, ask.for_pca()};
  using Scalar = typename X::Scalar;
  if constexpr (FeatureSolver<S>) {
    auto model = pca.fit(samples, observer);
    using Basis = ViewBasis<decltype(model)>;
    const auto values = static_cast<std::size_t>(samples.rows() * model.components());
    if (values * sizeof(Scalar) > ask.memory_budget) return Basis(std::move(model), samples);
    auto scores = std::make_shared<const Matrix<Scalar>>(model.transform(samples));
    return Basis(std::move(model), std::move(scores));
  } else {
    auto fit = pca.fit_factored(samples, observer);
    using Basis = ViewBasis<decltype(fit.model)>;
    if (fit.scores_left_out()) return Basis(std::move(fit.model), samples);
    return Basis(std::move(fit.model), std::move(fit.factor), std::move(fit.rotation));
  }
}

/// Fits the bases of views one after the other, in one memory budget: each gets what those before
/// it leave.
/// Lifetime: refers to the observer.
class ViewFits {
 public:
  ViewFits(BasisRequest request, const Observer& observer)
      : request_(std::move(request)), observer_(observer) {}

  /// Throws InvalidArgument as fit_basis(), with the name of the view.
  template <KernelOrPrecomputed K, SpectralSolver S, OwnedSamples X>
  [[nodiscard]] auto next(std::string_view view, const K& kernel, const S& solver,
                          const X& samples) {
    auto basis =
        naming_view(view, [&] { return fit_basis(kernel, solver, samples, request_, observer_); });
    // A default budget is made anew of the memory that is free then.
    if (std::size_t& left = request_.memory_budget; left > 0)
      left = (std::max)(left - (std::min)(left, basis.kept_bytes()), std::size_t{1});
    return basis;
  }

 private:
  BasisRequest request_;
  const Observer& observer_;
};

/// The model of a view whose components another solver has found.
template <KernelOrPrecomputed K, OwnedSamples X>
[[nodiscard]] auto basis_of(const K& kernel, const X& samples, KernelSolution<X> solution,
                            bool centered) {
  KernelPcaParts<K, X> parts =
      parts_before_fit(kernel, std::make_shared<const X>(samples), centered);
  take_solution(std::move(solution), parts, false);
  auto scores = parts.training_scores;
  KernelPcaModel<K, X> model(std::move(parts), PointsAreChecked{});
  return ViewBasis<KernelPcaModel<K, X>>(std::move(model), std::move(scores));
}

/// The functions that a basis of this kind makes.
template <class Basis>
using FunctionsOf =
    decltype(std::declval<const Basis&>().functions(std::declval<const Matrix<double>&>()));

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_MODELS_DETAIL_VIEW_BASIS_HPP
