// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Nystroem's method by parts of the rows: moments that merge, and the model that they give.

#ifndef MERCER_MODELS_MOMENTS_NYSTROM_PCA_MOMENTS_HPP
#define MERCER_MODELS_MOMENTS_NYSTROM_PCA_MOMENTS_HPP

#include <algorithm>
#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/moment_sum.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/sample_digest.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/models/kernel_pca_model.hpp>
#include <mercer/models/kernel_pca_parts.hpp>
#include <mercer/models/moments/moment_parts.hpp>
#include <mercer/solvers/detail/expansion_scores.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/nystrom/detail/nystrom_expansion.hpp>
#include <mercer/solvers/nystrom/detail/nystrom_factor.hpp>

namespace mercer {

namespace detail {

/// What NystromPcaMoments are made of, beside the kernel.
template <OwnedSamples X>
struct NystromSums {
  X points;                            ///< the landmarks that are linearly independent, r x d
  Matrix<double> whiten;               ///< r x r, upper triangular: F = K(X, P) whiten
  Index landmarks = 0;                 ///< the number of landmarks given
  double trace = 0;                    ///< sum of k(x, x)
  MomentSum<typename X::Scalar> sums;  ///< of the rows of F
};

}  // namespace detail

/// The sums over rows that Nystroem's method with given landmarks needs. Each part of the rows has
/// its own, computed by any process on any machine. The parts are merged, and the whole gives the
/// model of all rows.
///
/// \code
///   NystromPcaMoments all(Gaussian{1.5}, landmarks), part = all;
///   part.add(X);                                // on one machine ...
///   io::write_archive("part-7", part);          // io/archive/archive_moments.hpp
///   all.merge(io::read_archive<decltype(part)>("part-7"));  // ... and on another
///   const KernelPcaModel model = all.model(10);
/// \endcode
/// The sums are of the rows f of F = K(X, P) L^-T, where K(P, P) = L L^T for the landmarks P. All
/// parts must have the same kernel, landmarks, centring and form of samples; merge() checks this.
/// New moments are of no rows, and merge with any part of their fit. Choose landmarks with any
/// LandmarkSelector, or landmark_features(), from a few rows.
///
/// The model holds the landmarks and no scores of the samples added, so training_scores() of it
/// throws; transform() has them. Its report has the trace error tr(K - K~) and the error bounds of
/// Nystrom, and no residuals.
///
/// Accuracy: the model is that of KernelPca::fit of all rows with Nystrom{Given{landmarks}} in the
///   precision of the samples, up to rounding errors and the signs of components. The order of
///   merging changes no more. Where K(P, P) is ill-conditioned, rounding errors in L differ from
///   one kind of machine to the other, and merge() refuses parts that they have driven apart. Begin
///   all parts from one archive then, as L is in it.
/// \tparam K  models Kernel
/// \tparam X  Matrix or SparseMatrix
/// Shapes: m landmarks, r <= m of them linearly independent.
/// Cost: the constructor: m^2 kernel values and O(m^3). add(): O(n m (d + m)) for n rows; merge():
///   O(m^2); model(): O(m^3).
/// Memory: a few times m^2 doubles, and batch_rows rows of F in add(). A file has 16 m^2 bytes and
///   the landmarks.
/// Threads: the bits do not depend on their number. const members may run concurrently.
/// Source: as Nystrom.
template <Kernel K, OwnedSamples X>
class NystromPcaMoments {
 public:
  using Scalar = typename X::Scalar;

  /// The number of rows whose sums are computed together.
  static constexpr Index batch_rows = 2048;

  /// Of no rows.
  /// \param landmarks  points of the samples' dimension, one per row
  /// Throws InvalidArgument for landmarks that are none, not finite, outside the kernel's domain,
  ///   or all zero in feature space, and for a kernel that is indefinite on them.
  NystromPcaMoments(K kernel, const X& landmarks, bool centered = true)
      : NystromPcaMoments(kernel, whitened(kernel, landmarks, centered)) {}

  /// The moments that have these sums, as from a file.
  /// Throws InvalidArgument for parts that do not fit together.
  NystromPcaMoments(K kernel, detail::NystromSums<X> parts)
      : kernel_(std::move(kernel)), parts_(std::move(parts)) {
    const Index r = parts_.points.rows();
    if (r == 0 || parts_.points.cols() == 0)
      detail::fail("mercer::NystromPcaMoments: there are no landmarks");
    if (parts_.landmarks < r)
      detail::fail("mercer::NystromPcaMoments: ", r, " of ", parts_.landmarks,
                   " landmarks are independent");
    detail::require_finite_samples("NystromPcaMoments", parts_.points);
    detail::check_domain(kernel_, parts_.points);
    detail::require_matrix("NystromPcaMoments", "whiten", parts_.whiten, r, r);
    if (parts_.sums.columns() != r)
      detail::fail("mercer::NystromPcaMoments: sums over ", parts_.sums.columns(),
                   " columns do not fit ", r, " landmarks");
    whiten_ = parts_.whiten.template cast<Scalar>();
    set_identity();
  }

  /// Adds rows: a matrix in the form of the landmarks or, with dense ones, what is left of a
  /// SampleStream. The observer may stop it between batches; then it returns false, and the rows so
  /// far are added.
  /// Throws InvalidArgument for another dimension, for samples that are not finite or outside the
  ///   kernel's domain, where k(x, x) is negative or not finite, and for a stream that does not
  ///   end. Some rows may be added then.
  template <class Samples>
  bool add(Samples&& x, const Observer& observer = {}) {
    using Y = std::remove_cvref_t<Samples>;
    static_assert(std::same_as<typename Y::Scalar, Scalar>,
                  "mercer::NystromPcaMoments: the rows must have the scalar of the moments");
    if constexpr (SampleStream<Y>) {
      static_assert(DenseSamples<X>,
                    "mercer::NystromPcaMoments: streams are dense, and the landmarks are sparse");
      return add_stream(SampleStreamView<Scalar>(x), observer);
    } else {
      static_assert(SparseSamples<Y> == SparseSamples<X>,
                    "mercer::NystromPcaMoments: the rows must be dense if the landmarks are, and "
                    "sparse if they are");
      const X& samples = x;
      return add_samples(samples, observer);
    }
  }

  /// Adds the rows of another part. No row may be in both.
  /// Throws MomentMismatch, with what differs, for moments of another fit; nothing is added then.
  void merge(const NystromPcaMoments& other) {
    detail::require_same_fit(
        "NystromPcaMoments", other.identity_, identity_,
        "values of the kernel differ, or rounding errors in the factor of nearly dependent "
        "landmarks; begin all parts from one archive");
    parts_.sums.merge(other.parts_.sums);
    parts_.trace += other.parts_.trace;
  }

  /// The components of all rows added and merged so far. The largest coefficient of each is
  /// positive. The report knows no time.
  /// \param zero_threshold  eigenvalues up to this times the largest one count as zero
  /// Status: as Nystrom.
  /// Throws InvalidArgument if there are no rows, for components outside [1, n] or (0, 1], for
  ///   products of kernel values that overflow, and for fewer landmarks than one more than the
  ///   components, unless they leave out nothing of the rows but rounding errors.
  [[nodiscard]] KernelPcaModel<K, X> model(const Components& components,
                                           double zero_threshold = 1e-12) const;

  /// The most components that model() finds of these rows: one less than the landmarks, as Nystrom
  /// needs one more; or as many as landmarks are independent, if these leave out nothing of the
  /// rows but rounding errors.
  [[nodiscard]] Index most_components() const {
    const Index held = holds_all() ? parts_.points.rows() : parts_.landmarks - 1;
    return (std::min)(samples(), (std::max)(held, Index{1}));
  }

  /// The number of rows, n.
  [[nodiscard]] Index samples() const { return parts_.sums.count(); }
  [[nodiscard]] bool centered() const { return parts_.sums.centered(); }
  [[nodiscard]] const K& kernel() const { return kernel_; }
  /// The landmarks without those that depend linearly on others, up to rounding.
  [[nodiscard]] const X& landmarks() const { return parts_.points; }
  /// All but the kernel, to write it to a file.
  [[nodiscard]] const detail::NystromSums<X>& parts() const { return parts_; }

 private:
  using S = Scalar;

  [[nodiscard]] static detail::NystromSums<X> whitened(const K& kernel, const X& landmarks,
                                                       bool centered) {
    constexpr const char* who = "NystromPcaMoments";
    if (landmarks.rows() == 0 || landmarks.cols() == 0)
      detail::fail("mercer::", who, ": needs landmarks, got ", landmarks.rows(), " x ",
                   landmarks.cols());
    const KernelView<X> view(kernel);
    static_cast<void>(detail::semidefinite_diagonal(who, view, landmarks));
    detail::NystromFactor<X> factor = detail::nystrom_factor(view, landmarks);
    const Index r = factor.points.rows();
    if (r == 0) detail::fail("mercer::", who, ": k(p, p) is 0 for all landmarks");
    return {.points = std::move(factor.points),
            .whiten = std::move(factor.whiten),
            .landmarks = landmarks.rows(),
            .trace = 0,
            .sums = detail::MomentSum<S>(r, centered)};
  }

  /// tr(K - K~).
  [[nodiscard]] double trace_error() const {
    return (std::max)(0.0, parts_.trace - parts_.sums.squares());
  }

  /// n times the variance that the landmarks leave out in any case: others were dropped whose rest
  /// was no larger.
  [[nodiscard]] double dropped() const {
    return detail::least_pivot<S>(parts_.trace, parts_.points.rows());
  }

  /// Whether more landmarks would add nothing.
  [[nodiscard]] bool holds_all() const { return trace_error() <= dropped(); }

  void set_identity() {
    const SampleDigest digest = digest_of(parts_.points);
    std::string landmarks = detail::to_text(digest.rows);
    landmarks.append(" with checksum ").append(detail::to_text(digest.checksum));
    identity_.settings = {{"kernel", detail::describe(kernel_)},
                          {"columns", detail::to_text(parts_.points.cols())},
                          {"landmarks", std::move(landmarks)},
                          {"centering", centered() ? "by means" : "none"}};
    identity_.tolerance = detail::identity_tolerance<S>();
    // Far from all landmarks, features would be 0 for any kernel that vanishes there.
    const X last = detail::take_rows(parts_.points, {parts_.points.rows() - 1});
    identity_.features = rows_of_factor(last).row(0).transpose().template cast<double>();
  }

  /// K(X, P) L^-T for a batch of rows.
  [[nodiscard]] Matrix<S> rows_of_factor(const X& batch) const {
    const KernelView<X> kernel(kernel_);
    const PreparedSamples<X> p = kernel.prepare(parts_.points), x = kernel.prepare(batch, p);
    const Index n = batch.rows();
    const Vector<S> origin = Vector<S>::Zero(whiten_.cols());
    Matrix<S> f(n, whiten_.cols());
    parallel_for((n + detail::factor_tile - 1) / detail::factor_tile, [&](Index task) {
      const Index begin = task * detail::factor_tile,
                  size = (std::min)(detail::factor_tile, n - begin);
      detail::fill_factor<X, X, S>(kernel, x, {begin, size}, p, whiten_, origin,
                                   f.middleRows(begin, size));
    });
    return f;
  }

  /// \param first  the row of the samples that is the first of the batch
  void add_batch(const X& batch, Index first) {
    const Vector<double> diagonal = detail::counting_from(first, [&] {
      return detail::semidefinite_diagonal("NystromPcaMoments", KernelView<X>(kernel_), batch);
    });
    parts_.sums.add(rows_of_factor(batch));
    parts_.trace += diagonal.sum();
  }

  void require_columns(const std::string& name, Index columns) const {
    if (columns != parts_.points.cols())
      detail::fail("mercer::NystromPcaMoments: ", name, " has ", columns,
                   " columns, the landmarks have ", parts_.points.cols());
  }

  [[nodiscard]] bool add_samples(const X& samples, const Observer& observer) {
    const Index n = samples.rows();
    require_columns("the matrix", samples.cols());
    for (Index first = 0; first < n; first += batch_rows) {
      if (!detail::go_on(observer, {"low-rank factor", first, n})) return false;
      add_batch(X(samples.middleRows(first, (std::min)(batch_rows, n - first))), first);
    }
    return true;
  }

  [[nodiscard]] bool add_stream(SampleStreamView<S> stream, const Observer& observer) {
    if (stream.seekable() && stream.rows() == endless)
      detail::fail("mercer::NystromPcaMoments: ", stream.name(), " does not end");
    require_columns(stream.name(), stream.dimension());
    const Index before = samples(), rows = stream.seekable() ? stream.rows() : 0;
    Matrix<S> batch(batch_rows, stream.dimension());
    for (Index count = batch_rows; count == batch_rows;) {
      if (!detail::go_on(observer, {"low-rank factor", samples() - before, rows})) return false;
      const Index first = stream.position().row;
      count = stream.read(batch);
      if (count > 0) add_batch(batch.topRows(count), first);
    }
    return true;
  }

  K kernel_;
  detail::NystromSums<X> parts_;
  Matrix<S> whiten_;
  detail::MomentIdentity identity_;
};

template <Kernel K, OwnedSamples X>
KernelPcaModel<K, X> NystromPcaMoments<K, X>::model(const Components& components,
                                                    double zero_threshold) const {
  const Index n = samples(), r = parts_.points.rows();
  if (n == 0) detail::fail("mercer::NystromPcaMoments::model: there are no rows");
  components.validate(n);
  const Index needed = components.is_fraction() ? 1 : (std::min)(components.count() + 1, n);
  if (parts_.landmarks < needed && !holds_all())
    detail::fail("mercer::NystromPcaMoments::model: ", components.count(),
                 " components need at least ", needed, " landmarks, got ", parts_.landmarks);
  detail::NystromMoments moments{.origin = Vector<double>::Zero(r),
                                 .mean = parts_.sums.mean(),
                                 .scatter = parts_.sums.scatter(),
                                 .squared_norm = parts_.sums.squares()};
  if (!moments.scatter.allFinite())
    detail::fail("mercer::NystromPcaMoments::model: the kernel ", detail::describe(kernel_),
                 " has values that are too large for their products");
  const double rest = trace_error();
  EigenRequest pairs{.components = components, .zero_threshold = zero_threshold};
  // The samples have gone; the landmarks are some of them.
  detail::raise_noise_scale(pairs, KernelView<X>(kernel_), parts_.points, parts_.trace);
  auto parts =
      detail::parts_before_fit(kernel_, std::make_shared<const X>(parts_.points), centered());
  parts.report.samples = n;
  KernelSolution<X> solution;
  Report& report = solution.report = parts.report;
  report.solver = SolverId::Nystrom;
  report.solver_form = "given points, " + detail::to_text(r) + " landmarks";
  report.storage = "landmarks";
  report.reason = "moments of parts of the rows";
  report.expansion_points = r;
  report.details = NystromDetails{.trace_error = rest, .sampling_evaluations = 0};
  if (!components.is_fraction()) report.components_requested = components.count();
  detail::NystromDirections found = detail::nystrom_directions(moments, rest, pairs, solution);
  if (found.complete) report.status = Status::Converged;
  detail::expand_over_landmarks(parts_.points, parts_.whiten, moments, centered(), found.vectors,
                                solution);
  detail::bound_by_trace_error(rest, pairs, solution);
  detail::judge_landmarks(pairs, dropped(), solution);
  const Vector<S> signs = detail::fix_signs(solution.coefficients);
  solution.offset = solution.offset.cwiseProduct(signs).eval();
  detail::take_solution(std::move(solution), parts, true);
  parts.training_scores = nullptr;
  return KernelPcaModel<K, X>(std::move(parts), detail::PointsAreChecked{});
}

}  // namespace mercer

#endif  // MERCER_MODELS_MOMENTS_NYSTROM_PCA_MOMENTS_HPP
