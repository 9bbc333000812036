// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel SVD: the singular functions of the cross-covariance operator of two views.

#ifndef MERCER_MODELS_KERNEL_SVD_HPP
#define MERCER_MODELS_KERNEL_SVD_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/detail/pair_method.hpp>
#include <mercer/models/detail/two_views.hpp>
#include <mercer/models/pair_model.hpp>
#include <mercer/models/pair_report.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer {

struct KernelSvdParams {
  Index components = 2;
  Components rank =
      Components::all();          ///< of the basis of each view: a number, or a share of variance
  bool centered = true;           ///< subtract the means in feature space
  double holdout = 0;             ///< share of the pairs to hold out, in [0, 1); see the report
  double zero_threshold = 1e-12;  ///< eigenvalues up to this times the largest one count as zero
  std::size_t memory_budget = 0;  ///< as in KernelPcaParams; of all views together
  std::uint64_t seed = 1;         ///< chooses the pairs to hold out
};

/// A fitted kernel SVD: unit functions f_j and g_j in the feature spaces of the two views, with
/// sigma_j = mean of f_j(x_i) g_j(y_i) over the training pairs.
template <class Fx, class Fy>
class KernelSvdModel : public PairModel<Fx, Fy> {
 public:
  /// \param dependence  sum of all sigma^2 in the bases of the views. If it is out of the range of
  ///   normal numbers, the sum over the singular values given stands for it
  /// Throws InvalidArgument as PairModel, and if \p dependence is negative or not a number.
  KernelSvdModel(Fx x, Fy y, Vector<double> singular_values, double dependence, PairReport report)
      : KernelSvdModel(std::move(x), std::move(y), singular_values,
                       DependenceRoot{root_of(dependence, singular_values)}, std::move(report)) {
    dependence_ = dependence;  // the square of its root can differ in the last bit
  }

  /// The root of the dependence, which has the range of the singular values.
  struct DependenceRoot {
    double value;  ///< sqrt(dependence), in units of the singular values
  };
  /// Throws InvalidArgument as PairModel, and if \p root is not finite.
  KernelSvdModel(Fx x, Fy y, Vector<double> singular_values, DependenceRoot root, PairReport report)
      : PairModel<Fx, Fy>(std::move(x), std::move(y), std::move(singular_values),
                          std::move(report)),
        root_(detail::require_finite("KernelSvdModel", "root of the dependence", root.value)),
        dependence_(root_ * root_) {}

  /// sigma_1 >= sigma_2 >= ... > 0.
  [[nodiscard]] const Vector<double>& singular_values() const { return this->values(); }

  /// The sum of sigma_j^2 over all components, found or not. With bases of full rank, it is
  /// tr(K L)/n^2 of the (centred) Gram matrices: the biased statistic HSIC. With smaller bases, it
  /// is a lower bound of this. Singular values of 1e154 and more make it infinite, and those of
  /// 1e-162 and less make it 0.
  /// Source: Gretton, Bousquet, Smola, Schoelkopf, Measuring statistical dependence with
  ///   Hilbert-Schmidt norms, 2005.
  [[nodiscard]] double dependence() const { return dependence_; }

  /// sigma_j^2 / dependence(): the share of dependence that a component explains, for singular
  /// values of any size.
  [[nodiscard]] Vector<double> explained_dependence_ratio() const {
    return (singular_values() / root_).array().square();
  }

 private:
  [[nodiscard]] static double root_of(double dependence, const Vector<double>& singular_values) {
    if (!(dependence >= 0))
      detail::fail("mercer::KernelSvdModel: dependence must be 0 or above, got ", dependence);
    if (std::isnormal(dependence)) return std::sqrt(dependence);
    return singular_values.size() > 0 ? singular_values.stableNorm() : 0;
  }

  double root_;
  double dependence_;
};

/// Kernel singular value decomposition of two views. It finds the leading singular functions of the
/// cross-covariance operator C_xy = (1/n) sum_i phi(x_i) (x) psi(y_i):
///   C_xy g_j = sigma_j f_j and C_xy^T f_j = sigma_j g_j, with |f_j| = |g_j| = 1.
/// These are the directions of largest covariance between the views. With linear kernels this is
/// partial least squares by SVD. With the same samples and kernel twice it is kernel PCA, with
/// sigma = mu / n.
///
/// \code
///   mercer::KernelSvd svd{mercer::Gaussian{1.0}, mercer::Gaussian{2.0}, mercer::Exact{},
///                         {.components = 5}};
///   auto model = svd.fit(X, Y);  // rows are pairs
///   model.singular_values();
///   Eigen::MatrixXd f = model.transform_x(X_new), g = model.transform_y(Y_new);
/// \endcode
///
/// Each view is reduced to a basis by kernel PCA of that view with the solver, then one small
/// singular value decomposition is left. Smaller bases can only lower the singular values; the
/// report bounds by how much.
/// \tparam Kx, Ky  model Kernel, or are Precomputed
/// \tparam S  a solver for both views, or Views of two. Exact by default
/// Signs: in each column of transform_x() of the training samples, the entry of largest absolute
///   value is positive.
/// Cost: that of two fits of KernelPca with all components, O(n r^2 + r^3) for bases of rank r.
/// Threads: one object may fit from several threads at once. fit() is described in the base class.
/// Source: the sound form of the eigenproblem of K L / n^2: M = F_x^T F_y / n for the scores F of
///   the views, decomposed as P diag(sigma) Q^T.
template <KernelOrPrecomputed Kx, KernelOrPrecomputed Ky, class S = Exact>
  requires detail::SolvesTwoViews<S>
class KernelSvd : public detail::PairMethodOf<KernelSvd<Kx, Ky, S>, Kx, Ky, S, KernelSvdParams> {
  using Base = detail::PairMethodOf<KernelSvd, Kx, Ky, S, KernelSvdParams>;
  friend Base;

 public:
  KernelSvd(Kx kernel_x, Ky kernel_y, S solver = {}, KernelSvdParams params = {})
      : Base(std::move(kernel_x), std::move(kernel_y), std::move(solver), params) {}

 private:
  static constexpr std::string_view name = "KernelSvd::fit";

  void check() const {}

  [[nodiscard]] PairRequest pair_request() const {
    return {.method = PairMethod::Svd,
            .components = this->params_.components,
            .centered = this->params_.centered,
            .memory_budget = this->params_.memory_budget};
  }

  template <class Found>
  [[nodiscard]] auto from_steps(Found found) const {
    const double root = norm(found.values);
    return model(std::move(found.x), std::move(found.y), std::move(found.values), root,
                 std::move(found.report));
  }

  template <class Fit, class Judge>
  [[nodiscard]] auto from_bases(const Fit& fit, const Judge& judge) const {
    const Index n = fit.samples;
    PairReport report = fit.report("kernel-svd", this->params_.components);
    const double weight = 1 / std::sqrt(static_cast<double>(n));
    const auto found =
        fit.solve(Vector<double>::Constant(fit.x.rank(), weight),
                  Vector<double>::Constant(fit.y.rank(), weight), this->params_.components, report);
    bound_truncation(fit.x.eigenvalues(), fit.y.eigenvalues(), report);
    auto f = fit.x.functions(found.x);
    auto g = fit.y.functions(found.y);
    judge(f, g, report);
    const double root = norm(fit.cross / static_cast<double>(n));
    return model(std::move(f), std::move(g), found.values, root, std::move(report));
  }

  [[nodiscard]] static double norm(const Matrix<double>& a) {
    return a.size() > 0 ? a.stableNorm() : 0;
  }

  template <class Fx, class Fy>
  [[nodiscard]] static KernelSvdModel<Fx, Fy> model(Fx f, Fy g, Vector<double> values, double root,
                                                    PairReport report) {
    using Root = typename KernelSvdModel<Fx, Fy>::DependenceRoot;
    return {std::move(f), std::move(g), std::move(values), Root{root}, std::move(report)};
  }

  /// Smaller bases lower sigma by at most ((t_x |L_c|)^(1/2) + (|K~_c| t_y)^(1/2)) / n.
  static void bound_truncation(const Vector<double>& mu_x, const Vector<double>& mu_y,
                               PairReport& report) {
    const auto &t_x = report.views[0].trace_error, &t_y = report.views[1].trace_error;
    if (!t_x || !t_y) return;
    const double norm_x = mu_x.size() > 0 ? mu_x(0) : 0;
    const double norm_y = (mu_y.size() > 0 ? mu_y(0) : 0) + *t_y;
    // The products may leave the range of numbers.
    report.truncation_bound =
        (std::sqrt(*t_x) * std::sqrt(norm_y) + std::sqrt(norm_x) * std::sqrt(*t_y)) /
        static_cast<double>(report.samples);
  }
};

template <KernelOrPrecomputed Kx, KernelOrPrecomputed Ky>
KernelSvd(Kx, Ky) -> KernelSvd<Kx, Ky, Exact>;
template <KernelOrPrecomputed Kx, KernelOrPrecomputed Ky, class S>
KernelSvd(Kx, Ky, S) -> KernelSvd<Kx, Ky, S>;
template <KernelOrPrecomputed Kx, KernelOrPrecomputed Ky, class S>
KernelSvd(Kx, Ky, S, KernelSvdParams) -> KernelSvd<Kx, Ky, S>;

}  // namespace mercer

#endif  // MERCER_MODELS_KERNEL_SVD_HPP
