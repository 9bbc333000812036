// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel sliced inverse regression: functions of the samples that matter for a response.

#ifndef MERCER_MODELS_KERNEL_SIR_HPP
#define MERCER_MODELS_KERNEL_SIR_HPP

#include <chrono>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/detail/response_basis.hpp>
#include <mercer/models/detail/ridge.hpp>
#include <mercer/models/detail/two_views.hpp>
#include <mercer/models/pair_report.hpp>
#include <mercer/solvers/dense/exact.hpp>

namespace mercer {

/// What the response of KernelSir is.
enum class SirTarget {
  Automatic,  ///< Classes for integers, Slices for one column of numbers, Outputs for several
  Classes,    ///< each value is a class
  Slices,     ///< one number, whose range is cut into slices of nearly equal size
  Outputs     ///< several numbers, through the linear kernel
};

struct KernelSirParams {
  Index components = 2;
  /// The ridge relative to the variance of the samples in feature space: kappa = eps tr(K) / n for
  /// the centred Gram matrix K. If not set, 1/n. 0 means no ridge.
  std::optional<double> regularization = {};
  SirTarget target = SirTarget::Automatic;
  Index slices = 10;                    ///< for Slices; 30 to 100 if a regression is to follow
  Components rank = Components::all();  ///< of the basis: a number, or a share of variance
  double zero_threshold = 1e-12;  ///< eigenvalues up to this times the largest one count as zero
  std::size_t memory_budget = 0;  ///< as in KernelPcaParams
};

/// A fitted kernel sliced inverse regression: k functions f_j of a sample.
/// \tparam F  KernelFunctions or FeatureFunctions
/// Threads: const members may run concurrently.
template <class F>
class KernelSirModel {
 public:
  using Scalar = typename F::Scalar;

  /// Throws InvalidArgument unless there are as many functions as eigenvalues.
  KernelSirModel(F functions, Vector<double> eigenvalues, PairReport report)
      : functions_(std::move(functions)),
        eigenvalues_(std::move(eigenvalues)),
        report_(std::move(report)) {
    if (functions_.size() != eigenvalues_.size())
      detail::fail("mercer::KernelSirModel: ", eigenvalues_.size(), " eigenvalues do not fit ",
                   functions_.size(), " functions");
  }

  [[nodiscard]] Index components() const { return eigenvalues_.size(); }

  /// rho_1^2 >= rho_2^2 >= ... > 0: of the variance of each function, with the ridge counted in,
  /// the share that lies between the slices.
  [[nodiscard]] const Vector<double>& eigenvalues() const { return eigenvalues_; }

  /// f_j at the rows of \p q: q x k.
  /// Throws InvalidArgument as KernelPcaModel::transform().
  template <class Q>
  [[nodiscard]] Matrix<Scalar> transform(const Q& q) const {
    return functions_.transform(q);
  }

  [[nodiscard]] const F& functions() const { return functions_; }
  [[nodiscard]] const PairReport& report() const { return report_; }

 private:
  F functions_;
  Vector<double> eigenvalues_;
  PairReport report_;
};

/// Kernel sliced inverse regression. It finds functions of x whose means differ most between slices
/// of the response, against their variance with a ridge:
///   Gamma f = rho^2 (C_xx + kappa) f, Gamma = sum_s p_s (m_s - m) (x) (m_s - m),
/// where m_s is the mean of phi(x) in slice s, m that of all samples, and p_s the share of s. It is
/// kernel CCA with the indicators of the slices as the second view, without a ridge there.
///
/// For several outputs, the linear kernel on them takes the place of the slices. The functions then
/// span the fits of kernel ridge regression of the outputs with the same ridge.
///
/// \code
///   mercer::KernelSir sir{mercer::Gaussian{3.0}, mercer::Exact{}, {.components = 2, .slices =
///   20}}; auto model = sir.fit(X, y); Eigen::MatrixXd f = model.transform(X_new);  // regress y on
///   these
/// \endcode
/// \tparam K  models Kernel, or is Precomputed
/// \tparam S  the solver for the basis of the samples. Exact by default
/// Signs: in each column of transform() of the training samples, the entry of largest absolute
/// value
///   is positive.
/// Scale: as in KernelCca.
/// Cost: that of a fit of KernelPca with all components, O(n r c + r c^2) for a basis of rank r and c
///   slices or outputs.
/// Source: Li, Sliced inverse regression for dimension reduction, 1991; Wu, Kernel sliced inverse
///   regression with applications to classification, 2008.
template <KernelOrPrecomputed K, SpectralSolver S = Exact>
class KernelSir {
 public:
  using Params = KernelSirParams;

  explicit KernelSir(K kernel, S solver = {}, KernelSirParams params = {})
      : kernel_(std::move(kernel)), solver_(std::move(solver)), params_(params) {}

  [[nodiscard]] const K& kernel() const { return kernel_; }
  [[nodiscard]] const S& solver() const { return solver_; }
  [[nodiscard]] const KernelSirParams& params() const { return params_; }

  /// Fits to the samples in the rows of \p x and their responses.
  /// \param y  n integers, n numbers, or an n x c matrix of numbers; an Eigen object or a
  ///   std::vector
  /// Throws InvalidArgument for other numbers of responses than of samples, responses that are not
  ///   finite or all equal, fewer than two slices, samples that KernelPca does not take, parameters
  ///   out of range, and no ridge where the samples span as many dimensions as there are.
  template <class X, class Y>
  [[nodiscard]] auto fit(const X& x, const Y& y, const Observer& observer = {}) const {
    constexpr std::string_view who = "KernelSir::fit";
    const auto begin = std::chrono::steady_clock::now();
    const OwnedSamplesOf<X>& samples = x;
    const Index n = samples.rows();
    detail::require_view(who, "x", kernel_, samples, true);
    if (params_.regularization)
      detail::require_not_negative(who, "regularization", *params_.regularization);
    detail::require_components(who, params_.components, params_.rank, n);
    const Matrix<double> response = response_basis(y, n);
    const detail::BasisRequest request{params_.rank, true, params_.zero_threshold,
                                       params_.memory_budget};
    const auto basis = detail::fit_basis(kernel_, solver_, samples, request, observer);

    PairReport report;
    report.method = "kernel-sir";
    report.views.push_back(basis.report());
    report.status = basis.model().report().status;
    report.samples = n;
    report.components_requested = params_.components;
    const double eps = params_.regularization.value_or(1 / static_cast<double>(n));
    const detail::Ridge ridge(basis.eigenvalues(), n, eps * basis.trace() / static_cast<double>(n));
    // The response has no ridge. Its basis contains the constant, which centred samples do not see.
    detail::require_ridge(who, n - 1, ridge.kappa, basis.rank(), 0,
                          detail::centered_rank(response));
    ridge.describe(basis.eigenvalues(), report.views[0]);
    detail::bound_truncation(report);
    auto found = detail::PairedBases<double>::solve(
        detail::cross_product(basis, response), ridge.weights,
        Vector<double>::Ones(response.cols()), n, params_.components);
    found.turn(basis.signs(found.x));
    found.describe(report);
    auto functions = basis.functions(found.x);
    report.fit_seconds = detail::seconds_since(begin);
    return KernelSirModel(std::move(functions), found.values.cwiseAbs2().eval(), std::move(report));
  }

 private:
  /// Orthonormal columns that hold the response.
  template <class Y>
  [[nodiscard]] Matrix<double> response_basis(const Y& y, Index n) const {
    if constexpr (
        requires {
          y.data();
          y.size();
        } &&
        !requires { y.rows(); }) {
      using Value = typename Y::value_type;
      return response_basis(Eigen::Map<const Eigen::Matrix<Value, Eigen::Dynamic, 1>>(
                                y.data(), static_cast<Index>(y.size())),
                            n);
    } else {
      constexpr bool integers = std::integral<typename Y::Scalar>;
      if (y.rows() != n || y.cols() < 1)
        detail::fail("mercer::KernelSir::fit: ", n, " samples need as many responses, got ",
                     y.rows(), " x ", y.cols());
      const SirTarget target = params_.target != SirTarget::Automatic ? params_.target
                               : y.cols() > 1                         ? SirTarget::Outputs
                               : integers                             ? SirTarget::Classes
                                                                      : SirTarget::Slices;
      if (target != SirTarget::Outputs && y.cols() > 1)
        detail::fail(
            "mercer::KernelSir::fit: classes and slices need one column of responses, got ",
            y.cols());
      const Matrix<double> values = y.template cast<double>();
      detail::require_matrix("KernelSir::fit", "the response", values, n, y.cols());
      if (target == SirTarget::Outputs) return detail::output_basis(values);
      const Vector<double> column = values.col(0);
      return detail::slice_basis<double>(target == SirTarget::Classes
                                             ? detail::class_numbers(column)
                                             : detail::slice_numbers(column, params_.slices));
    }
  }

  K kernel_;
  S solver_;
  KernelSirParams params_;
};

}  // namespace mercer

#endif  // MERCER_MODELS_KERNEL_SIR_HPP
