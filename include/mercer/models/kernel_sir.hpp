// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel sliced inverse regression: functions of the samples that matter for a response.

#ifndef MERCER_MODELS_KERNEL_SIR_HPP
#define MERCER_MODELS_KERNEL_SIR_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/pair_stream.hpp>
#include <mercer/core/streams/zip_stream.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/exact_features.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/models/detail/pair_streams.hpp>
#include <mercer/models/detail/paired_bases.hpp>
#include <mercer/models/detail/response_basis.hpp>
#include <mercer/models/detail/response_stream.hpp>
#include <mercer/models/detail/ridge.hpp>
#include <mercer/models/detail/two_views.hpp>
#include <mercer/models/detail/view_basis.hpp>
#include <mercer/models/pair_report.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer {

namespace detail {

struct SpreadSir;  // fits over processes, in models/spread/spread_sir.hpp

}  // namespace detail

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
  SirTarget target = SirTarget::Automatic;  ///< what the response is
  Index slices = 10;                        ///< for Slices; 30 to 100 if a regression is to follow
  Components rank = Components::all();      ///< of the basis: a number, or a share of variance
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
///   mercer::KernelSir sir{mercer::Gaussian{3.0}, mercer::Exact{}, {.slices = 20}};
///   auto model = sir.fit(X, y);
///   Eigen::MatrixXd f = model.transform(X_new);  // regress y on these
/// \endcode
/// \tparam K  models Kernel, or is Precomputed
/// \tparam S  the solver for the basis of the samples: one of KernelPca, Exact by default; or
///   RidgeCholesky, which finds the same functions with much less work
/// Signs: in each column of transform() of the training samples, the entry of largest absolute
///   value is positive; of streams, the coefficient of largest absolute value.
/// Scale: as in KernelCca.
/// Cost: that of a fit of KernelPca with all components (RidgeCholesky: n^3 / 3), and O(n r c + r
///   c^2) for a basis of rank r and c slices or outputs.
/// Source: Li, Sliced inverse regression for dimension reduction, 1991; Wu, Kernel sliced inverse
///   regression with applications to classification, 2008.
template <KernelOrPrecomputed K, class S = Exact>
  requires SpectralSolver<S> || ResponseBasisSolver<S>
class KernelSir {
  friend struct detail::SpreadSir;

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
  ///   out of range, no ridge where the samples span as many dimensions as there are, and responses
  ///   that span as many.
  template <class X, class Y>
    requires(!PairStream<X>)
  [[nodiscard]] auto fit(const X& x, const Y& y, const Observer& observer = {}) const {
    const detail::FitClock clock;
    const OwnedSamplesOf<X>& samples = x;
    const Index n = samples.rows();
    detail::require_view(who, "x", kernel_, samples, true);
    check();
    detail::require_components(who, params_.components, params_.rank, n);
    const Response response = take(y, n);
    if constexpr (detail::solves_pairs<S>) {
      using Scalar = typename OwnedSamplesOf<X>::Scalar;
      const Matrix<Scalar> values = response.values.template cast<Scalar>();
      MatrixStream rows(samples), responses(values);
      ZipStream pairs(rows, responses);
      // The borders of slices must fit the values as the stream has them.
      const Response rounded{values.template cast<double>(), response.target};
      return fit_columns(pairs, columns(rounded), observer, clock);
    } else {
      const ResponseSpan span = span_of(response, {0, n});
      const auto basis = basis_for(samples, span.columns, observer);
      return from_basis(basis, detail::cross_product(basis, span.columns), span.centered_rank, n,
                        clock);
    }
  }

  /// Fits to a stream of pairs of samples and responses, with solvers over features. FeaturePca
  /// takes one pass. DoublyStochastic takes stochastic steps over batches; see there. The first
  /// 4096 rows set the borders of the slices, the classes, and the scales of outputs. The
  /// eigenvalues of DoublyStochastic are those without the ridge, in the span that it found.
  /// \param pairs  its second view are the responses. They are numbers, so Automatic never means
  ///   Classes
  /// Throws InvalidArgument as above and as the solver, for classes that the first rows do not
  ///   have, and for streams that cannot be read again from the start.
  template <class P>
    requires PairStream<std::remove_cvref_t<P>>
  [[nodiscard]] auto fit(P&& pairs, const Observer& observer = {}) const {
    const detail::FitClock clock;
    check();
    return fit_columns(pairs, columns(first_responses(pairs)), observer, clock);
  }

 private:
  static constexpr std::string_view who = "KernelSir::fit";

  /// The responses as numbers, and what to make of them.
  struct Response {
    Matrix<double> values;  // n x c
    SirTarget target;
  };

  /// Orthonormal columns that hold the response beside the constant, and their rank once their
  /// means are subtracted.
  struct ResponseSpan {
    Matrix<double> columns;
    Index centered_rank;
  };

  void check() const {
    if (params_.regularization)
      detail::require_not_negative(who, "regularization", *params_.regularization);
  }

  /// Throws InvalidArgument for responses that do not fit the samples or the target.
  template <class Y>
  [[nodiscard]] Response take(const Y& y, Index n) const {
    if constexpr (
        requires {
          y.data();
          y.size();
        } &&
        !requires { y.rows(); }) {
      using Value = typename Y::value_type;
      return take(Eigen::Map<const Eigen::Matrix<Value, Eigen::Dynamic, 1>>(
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
      if constexpr (integers)
        if (target == SirTarget::Classes)
          return {detail::class_numbers<typename Y::Scalar>(y.col(0)), target};
      Matrix<double> values = y.template cast<double>();
      detail::require_matrix(who, "the response", values, n, y.cols());
      return {std::move(values), target};
    }
  }

  /// The responses of the first rows of a stream, which is then at its start again.
  template <class P>
  [[nodiscard]] Response first_responses(P& pairs) const {
    constexpr Index first_rows = 4096;
    using Scalar = typename P::Scalar;
    PairStreamView<Scalar> view(pairs);
    Matrix<Scalar> x(first_rows, view.dimension_x()), y(first_rows, view.dimension_y());
    if (view.seekable()) view.seek({});
    const Index count = view.read(x, y);
    if (count == 0) detail::fail("mercer::", who, ": ", view.name(), " has no pairs");
    if (!view.rewind())
      detail::fail("mercer::", who, ": ", view.name(),
                   " cannot be read again from the start, after its first rows have set the "
                   "slices");
    return take(y.topRows(count), count);
  }

  [[nodiscard]] detail::SliceNumbers slices(const Response& response) const {
    const Vector<double> y = response.values.col(0);
    return response.target == SirTarget::Classes ? detail::SliceNumbers::classes(y)
                                                 : detail::SliceNumbers::slices(y, params_.slices);
  }

  /// Orthonormal columns that hold the response beside the constant, some of their rows.
  [[nodiscard]] ResponseSpan span_of(const Response& response, detail::Range rows) const {
    if (response.target == SirTarget::Outputs) {
      const Matrix<double> q = detail::output_basis(response.values);
      return {q.middleRows(rows.begin, rows.size), detail::centered_rank(q)};
    }
    const std::vector<Index> numbers = slices(response).numbers(response.values.col(0));
    Matrix<double> q = detail::slice_contrasts<double>(numbers, rows);
    const Index rank = q.cols();
    return {std::move(q), rank};
  }

  /// Columns that stand for the response in a stream.
  [[nodiscard]] detail::ResponseColumns<double> columns(const Response& response) const {
    if (response.target == SirTarget::Outputs)
      return detail::ResponseColumns<double>(response.values);
    return {slices(response), response.values.col(0)};
  }

  /// The model from the basis of n samples.
  /// \param cross  its inner products with the columns of the response
  /// \param response_rank  of the centred response
  template <class Basis>
  [[nodiscard]] auto from_basis(const Basis& basis, const Matrix<double>& cross,
                                Index response_rank, Index n, const detail::FitClock& clock) const {
    PairReport report = detail::report_of_bases("kernel-sir", n, basis);
    report.components_requested = params_.components;
    const detail::Ridge ridge = this->ridge(basis, n, response_rank, report);
    const detail::WeightedView<double> x{basis.eigenvalues(), ridge.weights};
    const detail::WeightedView<double> y = detail::orthonormal_view<double>(cross.cols());
    auto found = detail::PairedBases<double>::solve(cross, x, y, n, params_.components);
    auto values = basis.sign_values(found.x);
    found.turn(detail::fix_signs(values).template cast<double>());
    found.describe(report);
    if constexpr (ResponseBasisSolver<S>)  // its basis holds all
      if (report.status == Status::Converged) report.truncation_bound = 0;
    report.bytes += 2 * static_cast<std::size_t>(cross.size()) * sizeof(double);
    auto functions = basis.functions(found.x);
    clock.report(report);
    return KernelSirModel(std::move(functions), found.values.cwiseAbs2().eval(), std::move(report));
  }

  template <OwnedSamples X>
  [[nodiscard]] auto basis_for(const X& samples, const Matrix<double>& response,
                               const Observer& observer) const {
    if constexpr (ResponseBasisSolver<S>) {
      auto found =
          solver_.solve_response(kernel_, samples, response, regularization(samples.rows()),
                                 basis_request().for_solver(), observer);
      return detail::basis_of(kernel_, samples, std::move(found), true);
    } else {
      return detail::fit_basis(kernel_, solver_, samples, basis_request(), observer);
    }
  }

  /// Fits to a stream: kernel CCA with the linear kernel on the columns of the response, without a
  /// ridge there.
  template <class P>
  [[nodiscard]] auto fit_columns(P& pairs, const detail::ResponseColumns<double>& columns,
                                 const Observer& observer, const detail::FitClock& clock) const {
    static_assert(detail::solves_pairs<S> || PairBasisSolver<S>,
                  "mercer::KernelSir: this solver needs all samples in memory; FeaturePca and "
                  "DoublyStochastic take streams");
    detail::ResponseStream rows(pairs, columns);
    const auto response_solver = solver_.with_map(ExactFeatures{});
    const Views solvers{solver_, response_solver};
    const detail::TwoViews<K, Linear, std::remove_cv_t<decltype(solvers)>> views{kernel_, Linear{},
                                                                                 solvers};
    if constexpr (detail::solves_pairs<S>) {
      auto found =
          detail::stream_functions(who, views, rows,
                                   {.method = PairMethod::Cca,
                                    .components = (std::min)(params_.components, columns.rank()),
                                    .regularization_x = params_.regularization,
                                    .regularization_y = 0,
                                    .memory_budget = params_.memory_budget},
                                   {}, observer);
      return finish(std::move(found.x), found.values, std::move(found.report), clock);
    } else {
      detail::BasisRequest request = basis_request();
      request.rank_y = Components::all();  // the rank is that of the samples
      const auto fit =
          detail::stream_bases(who, views, rows, params_.components, request, observer);
      PairReport report = fit.report("kernel-sir", params_.components);
      const detail::Ridge x = this->ridge(fit.x, fit.samples, fit.y.rank(), report);
      const detail::Ridge y(fit.y.eigenvalues(), fit.samples, 0);
      const auto found = fit.solve(x.weights, y.weights, params_.components, report);
      return finish(fit.x.functions(found.x), found.values, std::move(report), clock);
    }
  }

  /// The model of the first view alone.
  template <class F>
  [[nodiscard]] auto finish(F functions, const Vector<double>& correlations, PairReport report,
                            const detail::FitClock& clock) const {
    report.method = "kernel-sir";
    report.components_requested = params_.components;
    report.views.pop_back();
    clock.report(report);
    return KernelSirModel(std::move(functions), correlations.cwiseAbs2().eval(), std::move(report));
  }

  [[nodiscard]] detail::BasisRequest basis_request() const {
    return {.rank = params_.rank,
            .zero_threshold = params_.zero_threshold,
            .memory_budget = params_.memory_budget};
  }

  [[nodiscard]] double regularization(Index n) const {
    return params_.regularization.value_or(1 / static_cast<double>(n));
  }

  /// The ridge of the samples, and what the report says of it.
  /// \param response_rank  of the centred response
  template <class Basis>
  [[nodiscard]] detail::Ridge ridge(const Basis& basis, Index n, Index response_rank,
                                    PairReport& report) const {
    const detail::Ridge ridge = detail::relative_ridge(basis, n, regularization(n));
    if (response_rank >= n - 1)  // then every function of the samples is one of the response
      detail::fail("mercer::", who, ": the response spans all ", n - 1, " dimensions of ", n,
                   " centred samples; take fewer slices, classes or outputs, or more samples");
    detail::require_ridge(who, n - 1, ridge.kappa, basis.rank(), 0, response_rank);
    ridge.describe(basis.eigenvalues(), report.views[0]);
    detail::bound_truncation(report);
    return ridge;
  }

  K kernel_;
  S solver_;
  KernelSirParams params_;
};

}  // namespace mercer

#endif  // MERCER_MODELS_KERNEL_SIR_HPP
