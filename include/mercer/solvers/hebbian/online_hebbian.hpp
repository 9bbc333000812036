// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Online kernel PCA as a solver: passes of Hebbian updates over samples in memory.

#ifndef MERCER_SOLVERS_HEBBIAN_ONLINE_HEBBIAN_HPP
#define MERCER_SOLVERS_HEBBIAN_ONLINE_HEBBIAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random_order.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/solvers/detail/complete_expansion.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/hebbian/online_hebbian_run.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

struct OnlineHebbianFitParams {
  OnlineHebbianParams updates = {};  ///< the dictionary and the gains
  Index epochs = 5;                  ///< passes over the samples
  double tolerance = 0;              ///< of |K u - mu u| / mu_1, to judge the result by; 0: none
  Index certificate_rows = 128;      ///< rows to estimate |K u - mu u| from, at least
  std::uint64_t seed = 1;

  /// Throws InvalidArgument for values out of range.
  void validate() const {
    updates.validate();
    constexpr std::string_view who = "OnlineHebbian";
    detail::require_at_least(who, "epochs", epochs, Index{1});
    detail::require_not_negative(who, "tolerance", tolerance);
    detail::require_at_least(who, "certificate_rows", certificate_rows, Index{2});
  }
};

namespace detail {

/// A fit by online kernel PCA; call solve() once.
template <OwnedSamples X>
class OnlineHebbianFit {
 public:
  using S = typename X::Scalar;

  OnlineHebbianFit(const KernelView<X>& kernel, const X& samples, const KernelRequest& request,
                   const OnlineHebbianFitParams& params, const Observer& observer)
      : kernel_(kernel),
        samples_(samples),
        request_(request),
        params_(params),
        observer_(observer),
        diagonal_(semidefinite_diagonal("OnlineHebbian", kernel, samples)),
        run_(request.pairs.components.count(), request.centered, params.updates) {
    raise_noise_scale(request_.pairs, kernel, samples, diagonal_.sum());
  }

  [[nodiscard]] KernelSolution<X> solve() {
    Report report = begin_report(kernel_, samples_, request_);
    report.solver = SolverId::OnlineHebbian;
    report.storage = "dictionary";
    bool stopped = !pass_over_samples();
    // All functions: which of them are zero is seen from their scores.
    EigenRequest all = request_.pairs;
    all.components = Components::all();
    KernelSolution<X> solution = run_.solution(samples_.rows(), all);
    const Index m = run_.dictionary().size();
    report.solver_form = std::string(to_string(params_.updates.gain)) + ", " +
                         to_text(params_.epochs) + " passes, " + to_text(m) + " points";
    report.iterations = run_.samples();
    report.expansion_points = m;
    report.bytes = bytes(m);
    report.trace = diagonal_.sum();
    solution.report = std::move(report);
    if (m > 0 && request_.centered) centre(solution);
    if (m == 0) remove_components(samples_.rows(), solution);  // K is zero, or there was no step
    // The components so far are worth their scores.
    const bool done =
        complete_expansion(kernel_, samples_, request_, stopped ? Observer{} : observer_, solution);
    stopped = stopped || !done ||
              !estimate_residuals(kernel_, samples_, request_, params_.certificate_rows,
                                  params_.seed, observer_, solution);
    if (stopped) {
      solution.report.status = Status::Cancelled;
      return solution;
    }
    judge_residuals(params_.tolerance, solution.eigenvalues, solution.report);
    if (!misses_components(request_.pairs, solution)) return solution;
    solution.report.status = Status::NotConverged;
    note_missing_components(
        "the dictionary holds only " + to_text(solution.report.components) +
            " components, and the samples have more; lower the threshold or allow more "
            "points",
        solution.report);
    return solution;
  }

 private:
  /// Returns false if the observer stopped it.
  [[nodiscard]] bool pass_over_samples() {
    const Index n = samples_.rows(), batch = OnlineHebbianRun<X>::batch_rows;
    std::vector<Index> rows;
    for (Index epoch = 0; epoch < params_.epochs; ++epoch) {
      const RandomOrder order(n, params_.seed, "online hebbian order",
                              static_cast<std::uint64_t>(epoch));
      for (Index first = 0; first < n; first += batch) {
        if (!go_on(observer_, {"hebbian updates", epoch, params_.epochs})) return false;
        rows.clear();
        for (Index i = first; i < (std::min)(n, first + batch); ++i) rows.push_back(order(i));
        run_.add(kernel_, take_rows(samples_, rows));
      }
    }
    return true;
  }

  /// Sets the mean to the projection of that of all samples.
  void centre(KernelSolution<X>& solution) const {
    const Index n = samples_.rows();
    const X& points = *solution.points;
    const Matrix<S> weights = Matrix<S>::Constant(n, 1, S(1) / static_cast<S>(n));
    Matrix<S> products(points.rows(), 1);
    kernel_product(kernel_, points, samples_, weights, products);
    const Matrix<double> mean = run_.dictionary().coordinates(products.template cast<double>());
    solution.mean_weights = run_.dictionary().coefficients(mean).template cast<S>();
    solution.mean = static_cast<S>(mean.squaredNorm());
    solution.offset = (solution.coefficients.transpose() * products).col(0);
    solution.report.trace -= static_cast<double>(n) * mean.squaredNorm();
    solution.report.trace = (std::max)(solution.report.trace, 0.0);
  }

  [[nodiscard]] std::size_t bytes(Index points) const {
    const auto m = static_cast<std::size_t>(points), b = std::size_t{128};
    const auto k = static_cast<std::size_t>(request_.pairs.components.count());
    return sizeof(double) * (m * (2 * m + 2 * k) + b * (2 * m + 2 * b)) +
           sizeof(S) * static_cast<std::size_t>(samples_.rows()) * k;
  }

  KernelView<X> kernel_;
  const X& samples_;
  KernelRequest request_;
  OnlineHebbianFitParams params_;
  const Observer& observer_;
  Vector<double> diagonal_;
  OnlineHebbianRun<X> run_;
};

}  // namespace detail

/// Components by online kernel PCA: Hebbian updates of functions over a dictionary of samples, as
/// OnlineHebbianRun makes them, in passes over the samples in random order.
///
/// \code
///   KernelPca pca{Gaussian{1.5}, OnlineHebbian{{.epochs = 10}}, {.components = 5}};
/// \endcode
/// The result is a Rayleigh-Ritz step in the span of the last functions: orthonormal components
/// over the dictionary, and eigenvalues that are never above the exact ones. For samples that
/// arrive one by one, see OnlineKernelPca. This is a baseline for comparisons: Nystrom finds the
/// best components over as many points.
///
/// Shapes: X n x d, m points.
/// Cost: O(n m (d + m + k)) time for each pass.
/// Memory: 2 m^2 + 2 m k doubles and n k values.
/// Threads: the result does not depend on their number.
/// Status: Finished without a tolerance; else Converged if no |K u - mu u|, estimated from
///   params.certificate_rows rows, is above tolerance mu_1. NotConverged if the dictionary holds
///   fewer components than were asked for and the samples have more. Cancelled: the components so
///   far.
/// Random: params.seed, purpose "online hebbian order" with the pass. The rows of the certificate:
///   see certificate_rows().
/// Throws InvalidArgument for parameters out of range, components as a fraction of variance, and
///   negative k(x, x).
/// Source: see OnlineHebbianRun.
class OnlineHebbian {
 public:
  using Params = OnlineHebbianFitParams;

  OnlineHebbian() = default;

  /// Throws InvalidArgument for parameters out of range.
  explicit OnlineHebbian(OnlineHebbianFitParams params) : params_(params) { params.validate(); }

  [[nodiscard]] const OnlineHebbianFitParams& params() const { return params_; }

  template <OwnedSamples X>
  [[nodiscard]] KernelSolution<X> solve(const std::type_identity_t<KernelView<X>>& kernel,
                                        const X& samples, const KernelRequest& request,
                                        const Observer& observer = {}) const {
    detail::require_counted_components("OnlineHebbian", samples, request.pairs.components);
    return detail::OnlineHebbianFit<X>(kernel, samples, request, params_, observer).solve();
  }

 private:
  OnlineHebbianFitParams params_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_HEBBIAN_ONLINE_HEBBIAN_HPP
