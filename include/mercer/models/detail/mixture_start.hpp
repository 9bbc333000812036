// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The first step to a mixture: functions of each view that span the second moment.

#ifndef MERCER_MODELS_DETAIL_MIXTURE_START_HPP
#define MERCER_MODELS_DETAIL_MIXTURE_START_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
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
#include <mercer/models/latent/latent_mixture_model.hpp>
#include <mercer/models/pair_report.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer::detail {

/// The rows of three blocks of samples, one block below the other.
template <OwnedSamples X>
[[nodiscard]] X stack_rows(const X& a, const X& b, const X& c) {
  X out(a.rows() + b.rows() + c.rows(), a.cols());
  out.topRows(a.rows()) = a;
  out.middleRows(a.rows(), b.rows()) = b;
  out.bottomRows(c.rows()) = c;
  return out;
}

/// Scores of the views, and singular values of the second moment.
struct MixtureStart {
  MixtureScores<double> scores;
  Vector<double> singular_values;
  PairReport report;
};

/// Finds the functions by a solver, for three views whose checks are done.
/// Lifetime: refers to the solver.
template <class S>
class MixtureStarter {
 public:
  /// \param who         names the caller in errors
  /// \param components  k; if empty, components_before_gap() decides
  MixtureStarter(std::string_view who, std::string_view method, const S& solver,
                 std::optional<Index> components, const BasisRequest& request)
      : who_(who), method_(method), solver_(solver), components_(components), request_(request) {}

  /// Functions whose span holds the leading eigenfunctions of the pooled moment of all pairs of
  /// views.
  template <Kernel K, OwnedSamples X>
  [[nodiscard]] MixtureStart exchangeable(const K& kernel, const X& a, const X& b, const X& c,
                                          const Observer& observer) const {
    if constexpr (solves_pairs<S>)
      return steps_exchangeable(kernel, a, b, c, observer);
    else
      return basis_exchangeable(kernel, a, b, c, observer);
  }

  /// The leading singular functions of the pairs (1, 2) and, for the third view, of (1, 3).
  template <Kernel K1, Kernel K2, Kernel K3, OwnedSamples X1, OwnedSamples X2, OwnedSamples X3>
  [[nodiscard]] MixtureStart different(const K1& k1, const X1& a, const K2& k2, const X2& b,
                                       const K3& k3, const X3& c, const Observer& observer) const {
    if constexpr (solves_pairs<S>)
      return steps_different(k1, a, k2, b, k3, c, observer);
    else
      return bases_different(k1, a, k2, b, k3, c, observer);
  }

 private:
  /// The components that a fit looks for: none, if it was cancelled before there was a basis.
  [[nodiscard]] Index wanted(const PairReport& report, const Vector<double>& values) const {
    if (report.status == Status::Cancelled) return 0;
    if (components_) return *components_;
    return components_before_gap(values, report.samples);
  }

  /// Functions of one view of pairs, by the steps of a solver of pairs. The moment is symmetric, so
  /// those of both views tend to the same; their mean is used.
  template <Kernel K, OwnedSamples X>
  [[nodiscard]] MixtureStart steps_exchangeable(const K& kernel, const X& a, const X& b, const X& c,
                                                const Observer& observer) const {
    const auto found =
        stochastic_svd(kernel, stack_rows(a, a, b), kernel, stack_rows(b, c, c), observer);
    MixtureStart out;
    out.report = found.report;
    out.report.method = method_;
    out.report.samples = a.rows();
    out.report.views.push_back(out.report.views.back());
    out.singular_values = found.values;
    const Index k = wanted(out.report, found.values);
    require_positive_values(who_, found.values, k);
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
    if (!components_)
      fail("mercer::", who_,
           ": this solver finds as many functions as there are components; "
           "say how many, or take Nystrom or FeaturePca to find their number");
    const TwoViews<Kx, Ky, S> views{kernel_x, kernel_y, solver_};
    MatrixStream xs(x);
    MatrixStream ys(y);
    ZipStream pairs(xs, ys);
    return stream_functions(who_, views, pairs,
                            {.method = PairMethod::Svd,
                             .components = *components_,
                             .centered = false,
                             .memory_budget = request_.memory_budget},
                            {}, observer);
  }

  /// The leading eigenfunctions of the moment. The three views must be expressed in one basis. It
  /// is fitted to all of them, so that it holds the moment in full and prefers no view.
  template <Kernel K, OwnedSamples X>
  [[nodiscard]] MixtureStart basis_exchangeable(const K& kernel, const X& a, const X& b, const X& c,
                                                const Observer& observer) const {
    const X all = stack_rows(a, b, c);
    const auto basis = fit_basis(kernel, solver_, all, request_, observer);
    const Index n = a.rows();
    const auto moment = [&](Index v, Index w) {
      return cross_product(basis, row_range(v * n, n), basis, row_range(w * n, n));
    };
    const Matrix<double> sum = moment(0, 1) + moment(0, 2) + moment(1, 2);
    const EigenSystem<double> system =
        symmetric_eigensystem<double>((sum + sum.transpose()) / (6 * static_cast<double>(n)));
    MixtureStart out;
    out.report = report_of_bases(method_, n, basis);
    out.report.views.assign(3, out.report.views.front());
    out.singular_values = system.values.cwiseAbs();
    std::sort(out.singular_values.data(), out.singular_values.data() + out.singular_values.size(),
              std::greater<>());
    const Index k = wanted(out.report, out.singular_values);
    require_positive_values(who_, system.values, k);
    const Matrix<double> leading = combined(basis, system.vectors.leftCols(k));
    for (Index v = 0; v < 3; ++v)
      out.scores.views[static_cast<std::size_t>(v)] = leading.middleRows(v * n, n);
    out.scores.moment = system.values.head(k).asDiagonal();
    return out;
  }

  /// Functions of three different views by the steps of a solver of pairs.
  template <Kernel K1, Kernel K2, Kernel K3, OwnedSamples X1, OwnedSamples X2, OwnedSamples X3>
  [[nodiscard]] MixtureStart steps_different(const K1& k1, const X1& a, const K2& k2, const X2& b,
                                             const K3& k3, const X3& c,
                                             const Observer& observer) const {
    const auto pair12 = stochastic_svd(k1, a, k2, b, observer);
    const auto pair13 = stochastic_svd(k1, a, k3, c, observer);
    MixtureStart out;
    out.report = pair12.report;
    out.report.method = method_;
    out.report.views.push_back(pair13.report.views[1]);
    out.report.status = worse(pair12.report.status, pair13.report.status);
    out.singular_values = pair12.values;
    const Index k = wanted(out.report, pair12.values);
    for (const auto* pair : {&pair12.values, &pair13.values})
      require_positive_values(who_, *pair, k);
    const auto scores = [&](const auto& functions, const auto& x) -> Matrix<double> {
      return functions.transform(x).template cast<double>().leftCols(k);
    };
    out.scores = MixtureScores<double>::align(
        {scores(pair12.x, a), scores(pair12.y, b), scores(pair13.y, c)});
    return out;
  }

  /// The same from a basis of each view.
  template <Kernel K1, Kernel K2, Kernel K3, OwnedSamples X1, OwnedSamples X2, OwnedSamples X3>
  [[nodiscard]] MixtureStart bases_different(const K1& k1, const X1& a, const K2& k2, const X2& b,
                                             const K3& k3, const X3& c,
                                             const Observer& observer) const {
    ViewFits fits(request_, observer);
    const auto first = fits.next("1", k1, solver_, a);
    const auto second = fits.next("2", k2, solver_, b);
    const auto third = fits.next("3", k3, solver_, c);
    const Index n = a.rows();
    MixtureStart out;
    out.report = report_of_bases(method_, n, first, second, third);
    const auto svd = [&](const auto& other) {
      const double weight = 1 / std::sqrt(static_cast<double>(n));  // as in kernel SVD
      return PairedBases<double>::solve(
          cross_product(first, other),
          {first.eigenvalues(), Vector<double>::Constant(first.rank(), weight)},
          {other.eigenvalues(), Vector<double>::Constant(other.rank(), weight)}, n,
          (std::max)(first.rank(), Index{1}));
    };
    const auto pair12 = svd(second), pair13 = svd(third);
    const Index k = wanted(out.report, pair12.values);
    for (const auto* pair : {&pair12, &pair13}) require_positive_values(who_, pair->values, k);
    out.scores = MixtureScores<double>::align({combined(first, pair12.x.leftCols(k)),
                                               combined(second, pair12.y.leftCols(k)),
                                               combined(third, pair13.y.leftCols(k))});
    out.singular_values = pair12.values;
    return out;
  }

  /// The functions with these coefficients over a basis, at its samples, in double.
  template <class Basis>
  [[nodiscard]] static Matrix<double> combined(const Basis& basis,
                                               const Matrix<double>& coefficients) {
    return basis.combined(coefficients).template cast<double>();
  }

  std::string_view who_, method_;
  const S& solver_;
  std::optional<Index> components_;
  BasisRequest request_;
};

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_MIXTURE_START_HPP
