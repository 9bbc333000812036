// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel independent component analysis: linear combinations of variables that are independent.

#ifndef MERCER_MODELS_KERNEL_ICA_HPP
#define MERCER_MODELS_KERNEL_ICA_HPP

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/detail/ica_rotation.hpp>
#include <mercer/models/ica_contrast.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

struct KernelIcaParams {
  IcaContrast contrast = IcaContrast::Kgv;    ///< as in IcaContrastParams
  std::optional<double> sigma = {};           ///< likewise
  std::optional<double> regularization = {};  ///< likewise
  std::optional<double> tolerance = {};       ///< likewise
  // Of the search for a rotation:
  Index angles = 12;              ///< tried for each pair of columns, before golden section
  double angle_tolerance = 1e-3;  ///< of golden section, in radians
  Index sweeps = 10;              ///< most sweeps over the pairs
  /// Stop after a sweep whose largest rotation is below this, in radians.
  double sweep_tolerance = 5e-3;
};

/// The record of one fit of KernelIca.
struct IcaReport {
  /// Converged if the last sweep rotated by less than the tolerance, or for two variables.
  Status status = Status::NotConverged;
  IcaContrast contrast = IcaContrast::Kgv;  ///< the measure of dependence
  Index samples = 0;                        ///< n
  Index dimension = 0;                      ///< m
  double sigma = 0;           ///< width of the kernel on each source, whose variance is 1
  double regularization = 0;  ///< c
  double tolerance = 0;       ///< eta
  Index sweeps = 0;           ///< done
  Index evaluations = 0;      ///< of the contrast of two columns
  double last_angle = 0;      ///< largest rotation of the last sweep, in radians
  double fit_seconds = 0;     ///< time of the fit
};

/// A fitted kernel ICA: sources s = U (x - mean) of unit variance. Immutable.
template <Real S>
class KernelIcaModel {
 public:
  using Scalar = S;

  /// \param mean      m
  /// \param unmixing  U, m x m
  /// \param mixing    its inverse
  KernelIcaModel(Vector<S> mean, Matrix<S> unmixing, Matrix<S> mixing, double contrast,
                 IcaReport report)
      : mean_(std::move(mean)),
        unmixing_(std::move(unmixing)),
        mixing_(std::move(mixing)),
        contrast_(detail::require_finite("KernelIcaModel", "contrast", contrast)),
        report_(report) {
    const Index m = mean_.size();
    detail::require_matrix("KernelIcaModel", "mean", mean_, m, 1);
    detail::require_matrix("KernelIcaModel", "unmixing", unmixing_, m, m);
    detail::require_matrix("KernelIcaModel", "mixing", mixing_, m, m);
  }

  /// The number of variables and of sources, m.
  [[nodiscard]] Index dimension() const { return mean_.size(); }
  /// The mean of the samples, m.
  [[nodiscard]] const Vector<S>& mean() const { return mean_; }
  /// U, m x m: row j makes source j of a centred sample.
  [[nodiscard]] const Matrix<S>& unmixing() const { return unmixing_; }
  /// U^-1: column j is what source j adds to the variables.
  [[nodiscard]] const Matrix<S>& mixing() const { return mixing_; }
  /// The contrast of the sources of the training samples: small if they are independent.
  [[nodiscard]] double contrast() const { return contrast_; }
  [[nodiscard]] const IcaReport& report() const { return report_; }

  /// The sources of the rows of \p x, q x m: (x - mean) U^T.
  /// Throws InvalidArgument for another number of columns, and for samples that are not finite.
  [[nodiscard]] Matrix<S> transform(const Matrix<S>& x) const {
    detail::require_matrix("KernelIcaModel::transform", "samples", x, x.rows(), dimension());
    const Matrix<S> centered = x.rowwise() - mean_.transpose();
    return multiply(centered, unmixing_.transpose().eval());
  }

  /// The samples with these sources: s mixing^T + mean.
  /// Throws InvalidArgument as transform().
  [[nodiscard]] Matrix<S> inverse_transform(const Matrix<S>& sources) const {
    detail::require_matrix("KernelIcaModel::inverse_transform", "sources", sources, sources.rows(),
                           dimension());
    Matrix<S> x = multiply(sources, mixing_.transpose().eval());
    x.rowwise() += mean_.transpose();
    return x;
  }

 private:
  Vector<S> mean_;
  Matrix<S> unmixing_, mixing_;
  double contrast_;
  IcaReport report_;
};

namespace detail {

/// Samples as Z with unit covariance, and the way back: x - mean = (Z root) diag(deviation).
template <Real S>
struct WhiteSamples {
  Matrix<S> white;
  Vector<S> mean, deviations;
  Matrix<S> inverse_root, root;  ///< of the correlation matrix, symmetric

  /// Throws InvalidArgument for a constant variable, and for variables of which one is a linear
  ///   combination of the others.
  static WhiteSamples of(std::string_view who, Matrix<S> x);
};

template <Real S>
WhiteSamples<S> WhiteSamples<S>::of(std::string_view who, Matrix<S> x) {
  const auto n = static_cast<S>(x.rows());
  WhiteSamples out;
  const Vector<S> size = x.cwiseAbs().colwise().maxCoeff();
  out.mean = centre_columns(x);
  out.deviations = column_norms(x) / std::sqrt(n);
  for (Index j = 0; j < x.cols(); ++j)
    if (!(out.deviations(j) > rounding_level<S>(x.rows()) * size(j)))
      fail("mercer::", who, ": the covariance is singular, as variable ", j,
           " is constant (counted from 0)");
  // Each variable is scaled to unit variance first, so that units do not matter, not even to the
  // test for singularity. The columns of the result differ from those of X Sigma^(-1/2) by a
  // rotation only.
  x *= out.deviations.cwiseInverse().asDiagonal();
  const EigenSystem<S> system = symmetric_eigensystem<S>(inner(x) / n);
  const S least = system.values(system.values.size() - 1);
  if (!(least > rounding_level<S>(x.rows()) * system.values(0)))
    fail("mercer::", who, ": the covariance is singular: the eigenvalues of the correlations go ",
         "from ", system.values(0), " down to ", least,
         ", so some variable is a linear combination of the others; reduce the dimension first");
  const Vector<S> roots = system.values.cwiseSqrt();
  out.root = system.vectors * roots.asDiagonal() * system.vectors.transpose();
  out.inverse_root =
      system.vectors * roots.cwiseInverse().asDiagonal() * system.vectors.transpose();
  out.white = multiply(x, out.inverse_root);
  return out;
}

#define MERCER_WHITE_SAMPLES(S) MERCER_INSTANTIATE_VIEWS(struct WhiteSamples<S>)
MERCER_WHITE_SAMPLES(double)
#undef MERCER_WHITE_SAMPLES

}  // namespace detail

/// Kernel independent component analysis. It finds sources s = U (x - mean) whose kernel contrast,
/// see ica_contrast(), is small: variables x = A s + mean are taken apart into independent sources,
/// of which at most one may be normal.
///
/// \code
///   mercer::KernelIca ica{{.contrast = mercer::IcaContrast::Kgv}};
///   auto model = ica.fit(X);                            // n x m, one sample per row
///   Eigen::MatrixXd sources = model.transform(X);       // n x m, unit variance
///   model.unmixing();
/// \endcode
///
/// The samples are whitened, so that only a rotation is left. It is found by sweeps over the pairs
/// of columns: for each, the angle with the least contrast of the two columns. The contrast has
/// local minima; the angles that are tried first are there to avoid them.
///
/// Order and signs, which no contrast can tell, are fixed: sources have descending shares of the
/// variance of the variables, each scaled to unit variance; in each column of the mixing, scaled
/// likewise, the entry of largest absolute value is positive.
/// Cost: O(n r^2) for each of the 25 to 30 contrasts of a pair, with Gram matrices of rank r, 10 to
///   25; m (m - 1) / 2 pairs a sweep, and some five sweeps for m > 2. A few thousand samples are
///   enough.
/// Memory: O(n (m + r)).
/// Random: nothing is drawn.
/// Threads: over the angles. The bits do not depend on the number of threads. One object may fit
///   from several threads at once.
/// Source: Bach, Jordan, Kernel independent component analysis, 2002. They minimise over all
///   columns at once by a gradient method with restarts.
class KernelIca {
 public:
  using Params = KernelIcaParams;

  explicit KernelIca(KernelIcaParams params = {}) : params_(params) {}

  [[nodiscard]] const KernelIcaParams& params() const { return params_; }

  /// Fits to the rows of \p x, n x m, dense, of float or double. All is computed in double. Between
  /// pairs the observer is called; a run that it cancels gives the rotation so far.
  /// Throws InvalidArgument for fewer than two columns, for no more rows than columns, for values
  ///   that are not finite, for a covariance that is singular, and for parameters out of range.
  template <DenseSamples X>
  [[nodiscard]] auto fit(const X& x, const Observer& observer = {}) const {
    using S = typename X::Scalar;
    static_assert(Real<S>, "mercer::KernelIca: samples must be of float or double");
    constexpr std::string_view who = "KernelIca::fit";
    const auto begin = std::chrono::steady_clock::now();
    if (x.cols() < 2 || x.rows() <= x.cols())
      detail::fail("mercer::", who, ": needs at least two columns and more rows than columns, got ",
                   x.rows(), " x ", x.cols());
    const detail::IcaSettings settings(
        who, {params_.contrast, params_.sigma, params_.regularization, params_.tolerance},
        x.rows());
    const detail::IcaSearch search = checked_search(who);
    Matrix<double> samples = x.template cast<double>();
    detail::require_finite_samples(who, samples);
    const auto white = detail::WhiteSamples<double>::of(who, std::move(samples));
    auto found = detail::IcaRotation<double>::find(white.white, settings, search, observer);
    sort_sources(white.root, found.rotation);
    const double contrast =
        detail::IcaMeasure<double>::of_columns(multiply(white.white, found.rotation), settings);
    const Matrix<double> unmixing =
        detail::small_product<double>(found.rotation.transpose(), white.inverse_root) *
        white.deviations.cwiseInverse().asDiagonal();
    const Matrix<double> mixing =
        white.deviations.asDiagonal() * detail::small_product(white.root, found.rotation);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    const IcaReport report{.status = found.cancelled   ? Status::Cancelled
                                     : found.converged ? Status::Converged
                                                       : Status::NotConverged,
                           .contrast = settings.contrast,
                           .samples = x.rows(),
                           .dimension = x.cols(),
                           .sigma = settings.sigma,
                           .regularization = settings.regularization,
                           .tolerance = settings.tolerance,
                           .sweeps = found.sweeps,
                           .evaluations = found.evaluations,
                           .last_angle = found.last_angle,
                           .fit_seconds = elapsed.count()};
    return KernelIcaModel<S>(white.mean.template cast<S>(), unmixing.template cast<S>(),
                             mixing.template cast<S>(), contrast, report);
  }

 private:
  [[nodiscard]] detail::IcaSearch checked_search(std::string_view who) const {
    detail::require_at_least(who, "angles", params_.angles, Index{2});
    detail::require_at_least(who, "sweeps", params_.sweeps, Index{1});
    detail::require_positive(who, "angle_tolerance", params_.angle_tolerance);
    detail::require_positive(who, "sweep_tolerance", params_.sweep_tolerance);
    return {params_.angles, params_.angle_tolerance, params_.sweeps, params_.sweep_tolerance};
  }

  /// Brings the columns of the rotation into order, with their signs.
  template <std::same_as<double> S>
  static void sort_sources(const Matrix<S>& root, Matrix<S>& rotation) {
    Matrix<S> mixing = detail::small_product(root, rotation);
    rotation *= detail::fix_signs(mixing).asDiagonal();
    const Vector<S> shares = mixing.colwise().squaredNorm();
    std::vector<Index> order(static_cast<std::size_t>(shares.size()));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return shares(a) > shares(b); });
    rotation = detail::take_columns(rotation, order);
  }

  KernelIcaParams params_;
};

}  // namespace mercer

#endif  // MERCER_MODELS_KERNEL_ICA_HPP
