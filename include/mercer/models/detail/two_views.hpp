// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What all fits of two views share: checks, held-out pairs, bases, and the way from the solution
/// in the bases to functions.

#ifndef MERCER_MODELS_DETAIL_TWO_VIEWS_HPP
#define MERCER_MODELS_DETAIL_TWO_VIEWS_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/detail/paired_bases.hpp>
#include <mercer/models/detail/row_splits.hpp>
#include <mercer/models/detail/view_basis.hpp>
#include <mercer/models/kernel_pca_parts.hpp>
#include <mercer/models/pair_report.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer::detail {

/// Throws InvalidArgument unless a view has rows and columns, at least two rows to be centred, and
/// samples that the kernel takes.
template <KernelOrPrecomputed K, OwnedSamples X>
void require_view(std::string_view who, std::string_view view, const K& kernel, const X& samples,
                  bool centered) {
  const Index least = centered ? 2 : 1;
  const std::string name = std::string(who) + ", view " + std::string(view);
  if (samples.rows() < least || samples.cols() == 0)
    fail("mercer::", name, ": needs at least ", least, " rows and one column, got ", samples.rows(),
         " x ", samples.cols());
  naming_view(view, [&] { require_samples(who, kernel, samples); });
}

/// Throws InvalidArgument unless the number of components is in [1, n] and the rank of the bases
/// can give as many.
inline void require_components(std::string_view who, Index components, const Components& rank,
                               Index n) {
  if (components < 1 || components > n)
    fail("mercer::", who, ": components must be between 1 and the number of pairs, ", n, ", got ",
         components);
  if (!rank.is_fraction() && rank.count() < components)
    fail("mercer::", who, ": ", components, " components need bases of at least that rank, got ",
         rank.count());
  if (rank.is_fraction() && !(rank.fraction() > 0 && rank.fraction() <= 1))
    fail("mercer::", who, ": rank as a fraction of variance must be in (0, 1], got ",
         rank.fraction());
}

/// Kernels and solvers of two views.
template <class Kx, class Ky, class S>
struct TwoViews {
  Kx kernel_x;
  Ky kernel_y;
  S solver;

  template <OwnedSamples X, OwnedSamples Y>
  void check(std::string_view who, const X& x, const Y& y, bool centered) const {
    if (x.rows() != y.rows())
      fail("mercer::", who, ": rows are pairs, but view x has ", x.rows(), " rows and view y ",
           y.rows());
    require_view(who, "x", kernel_x, x, centered);
    require_view(who, "y", kernel_y, y, centered);
  }

  template <OwnedSamples X>
  [[nodiscard]] auto basis_x(const X& x, ViewFits& fits) const {
    return fits.next("x", kernel_x, solver_of<0>(solver), x);
  }
  template <OwnedSamples Y>
  [[nodiscard]] auto basis_y(const Y& y, ViewFits& fits) const {
    return fits.next("y", kernel_y, solver_of<1>(solver), y);
  }
};

/// The pairs to fit to, and those held out to judge the result.
/// Lifetime: refers to the caller's samples where none are held out.
template <OwnedSamples X, OwnedSamples Y>
class TrainingPairs {
 public:
  template <class Kx, class Ky, class S>
  TrainingPairs(std::string_view who, const TwoViews<Kx, Ky, S>& views, const X& x, const Y& y,
                double holdout, std::uint64_t seed)
      : x_(&x), y_(&y) {
    const auto [training, held] = split_rows(who, x.rows(), holdout, seed);
    if (held.empty()) return;
    own_x_ = take_samples(views.kernel_x, x, training, training);
    own_y_ = take_samples(views.kernel_y, y, training, training);
    holdout_x_ = take_samples(views.kernel_x, x, held, training);
    holdout_y_ = take_samples(views.kernel_y, y, held, training);
  }

  [[nodiscard]] const X& x() const { return own_x_ ? *own_x_ : *x_; }
  [[nodiscard]] const Y& y() const { return own_y_ ? *own_y_ : *y_; }

  /// Reports the correlations of the pairs that were held out.
  template <class Fx, class Fy>
  void judge(const Fx& f, const Fy& g, PairReport& report) const {
    if (!holdout_x_) return;
    report.holdout_samples = holdout_x_->rows();
    report.holdout_correlations =
        column_correlations(f.transform(*holdout_x_), g.transform(*holdout_y_));
  }

 private:
  const X* x_;
  const Y* y_;
  std::optional<X> own_x_, holdout_x_;
  std::optional<Y> own_y_, holdout_y_;
};

/// The worse of two outcomes: a result is no better than the bases that it is made of.
[[nodiscard]] constexpr Status worse(Status a, Status b) {
  for (const Status status : {Status::Cancelled, Status::NotConverged, Status::Finished})
    if (a == status || b == status) return status;
  return Status::Converged;
}

/// What the bases of all views say: their reports, the worst status, and the bytes of what is held
/// at once, which is every basis and the largest fit.
template <class... Bases>
[[nodiscard]] PairReport report_of_bases(std::string_view method, Index samples,
                                         const Bases&... bases) {
  PairReport report;
  report.method = method;
  report.samples = samples;
  report.views = {bases.report()...};
  report.status = Status::Converged;
  for (const ViewReport& view : report.views) {
    report.status = worse(report.status, view.basis.status);
    report.bytes = (std::max)(report.bytes, view.basis.bytes);
  }
  report.bytes += (bases.bytes() + ...);
  return report;
}

/// A fit of two views in progress, of samples or of a stream of pairs. The method sets ridges and
/// weights between the bases and the solution.
template <class Bx, class By>
struct PairFit {
  PairFit(Bx basis_x, By basis_y, Index n)
      : PairFit(std::move(basis_x), std::move(basis_y), n, {}) {
    cross = cross_product(x, y);
  }
  PairFit(Bx basis_x, By basis_y, Index n, Matrix<double> products)
      : x(std::move(basis_x)), y(std::move(basis_y)), samples(n), cross(std::move(products)) {}

  Bx x;
  By y;
  Index samples;
  Matrix<double> cross;  // F_x^T F_y

  /// The worse of the two bases.
  [[nodiscard]] Status status() const {
    return worse(x.model().report().status, y.model().report().status);
  }

  /// Report of the bases alone.
  [[nodiscard]] PairReport report(std::string_view method, Index components) const {
    PairReport report = report_of_bases(method, samples, x, y);
    report.components_requested = components;
    report.bytes += 4 * static_cast<std::size_t>(cross.size()) * sizeof(double);
    return report;
  }

  /// The components for these weights, with signs, and what the report says of them.
  [[nodiscard]] PairedBases<double> solve(const Vector<double>& weights_x,
                                          const Vector<double>& weights_y, Index components,
                                          PairReport& report) const {
    auto found = PairedBases<double>::solve(cross, {x.eigenvalues(), weights_x},
                                            {y.eigenvalues(), weights_y}, samples, components);
    auto values = x.sign_values(found.x);
    found.turn(fix_signs(values).template cast<double>());
    found.describe(report);
    using Pair = ScorePair<typename Bx::Scalar, typename By::Scalar>;
    report.training_correlations = x.has_scores()
                                       ? Pair::correlations(values, y.combined(found.y))
                                       : Pair::correlations(x, y, cross, samples, found.x, found.y);
    return found;
  }
};

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_TWO_VIEWS_HPP
