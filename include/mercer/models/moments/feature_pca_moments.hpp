// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// FeaturePca by parts of the rows: moments that merge, and the model that they give.

#ifndef MERCER_MODELS_MOMENTS_FEATURE_PCA_MOMENTS_HPP
#define MERCER_MODELS_MOMENTS_FEATURE_PCA_MOMENTS_HPP

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/memory.hpp>
#include <mercer/core/moment_sum.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_blocks.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/models/feature_functions.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/models/moments/moment_parts.hpp>
#include <mercer/solvers/doubly_stochastic/detail/batch_reader.hpp>
#include <mercer/solvers/doubly_stochastic/detail/feature_components.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/feature_solver.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

/// The sums over rows that a FeaturePca needs. Each part of the rows has its own, computed by any
/// process on any machine. The parts are merged, and the whole gives the model of all rows.
///
/// \code
///   const FeaturePca solver{RandomFourier{.features = 500}};
///   FeaturePcaMoments all(Gaussian{1.5}, solver, sample_bounds(pilot)), part = all;
///   part.add(X);                                // on one machine ...
///   io::write_archive("part-7", part);          // io/archive/archive_moments.hpp
///   all.merge(io::read_archive<decltype(part)>("part-7"));  // ... and on another
///   const FeaturePcaModel model = all.model(10);
/// \endcode
/// The features of all parts must be the same: kernel, map, blocks, centring and scalar; also the
/// seed, if the map draws, and the bounds, if it depends on them: take those of a few rows that all
/// parts know, or of one part. merge() checks this. New moments are of no rows, and merge with any
/// part of their fit.
///
/// Accuracy: the model is that of KernelPca::fit of all rows with this solver, if the bounds are
///   those of its first batch, up to the rounding errors of sums. The order of merging changes no
///   more. With one batch for each part, merged in order, it has the same bits.
/// \tparam K  models Kernel
/// \tparam F  models FeatureMapFor K
/// \tparam S  the scalar of the samples
/// Shapes: m features, the columns of solver.params().blocks blocks together.
/// Cost: add(): O(n m (d + m)) for n rows; merge(): O(m^2), and the features of one sample, O(m d);
///   model(): at most O(m^3).
/// Memory: O(m^2) doubles, and a batch of features in add(). A file has 8 m^2 bytes.
/// Random: the seed of the solver, with the purposes of the map.
/// Threads: the bits do not depend on their number. const members may run concurrently.
template <Kernel K, FeatureMap F, Real S>
class FeaturePcaMoments {
 public:
  using Scalar = S;

  /// Of no rows.
  /// Throws InvalidArgument for a kernel that the map does not fit, and as the map does.
  FeaturePcaMoments(K kernel, const FeaturePca<F>& solver, const SampleBounds& bounds,
                    bool centered = true)
      : FeaturePcaMoments(std::move(kernel), solver.map(), solver.params(), bounds,
                          detail::MomentSum<S>(0, centered)) {
    sums_ = detail::MomentSum<S>(bound_->columns() * params_.blocks, centered);
  }

  /// The moments that have these sums, as from a file.
  /// Throws InvalidArgument also for sums of another shape.
  FeaturePcaMoments(K kernel, const FeaturePca<F>& solver, const SampleBounds& bounds,
                    detail::MomentSum<S> sums)
      : FeaturePcaMoments(std::move(kernel), solver.map(), solver.params(), bounds,
                          std::move(sums)) {
    const Index columns = bound_->columns();
    // The product may be too large for a number.
    if (features() % params_.blocks != 0 || features() / params_.blocks != columns)
      detail::fail("mercer::FeaturePcaMoments: sums over ", features(), " features do not fit ",
                   params_.blocks, " blocks of ", columns, " features");
  }

  /// Adds rows: a matrix, dense or sparse, or what is left of a SampleStream. The observer may stop
  /// it between batches; then it returns false, and the rows so far are added.
  /// Throws InvalidArgument for another dimension, for samples that are not finite or outside the
  ///   kernel's domain, and for a stream that does not end. Some rows may be added then.
  template <class Samples>
  bool add(Samples&& x, const Observer& observer = {}) {
    using X = std::remove_cvref_t<Samples>;
    static_assert(std::same_as<typename X::Scalar, S>,
                  "mercer::FeaturePcaMoments: the rows must have the scalar of the moments");
    if constexpr (SampleStream<X>) {
      return add_stream(SampleStreamView<S>(x), observer);
    } else {
      const OwnedSamplesOf<X>& samples = x;
      MatrixStream stream(samples);
      return add_stream(SampleStreamView<S>(stream), observer);
    }
  }

  /// Adds the rows of another part. No row may be in both.
  /// Throws MomentMismatch, with what differs, for moments of another fit; nothing is added then.
  void merge(const FeaturePcaMoments& other) {
    detail::MomentIdentity there = other.settings(), here = settings();
    // Features take memory for each coordinate, and a file may claim any number of them.
    if (detail::setting_differences(there.settings, here.settings).empty()) {
      there.features = other.features_of_one_sample();
      here.features = features_of_one_sample();
    }
    detail::require_same_fit(
        "FeaturePcaMoments", there, here,
        "the features differ, as by another kernel or map, or by another radius in the bounds");
    sums_.merge(other.sums_);
  }

  /// The components of all rows added and merged so far. The largest coefficient of each is
  /// positive. The report knows no time.
  /// \param zero_threshold  eigenvalues up to this times the largest one count as zero
  /// Status: Converged if the eigenproblem is solved.
  /// Throws InvalidArgument if there are no rows, for components outside [1, n] or (0, 1], and for
  ///   more than there are features.
  [[nodiscard]] FeaturePcaModel<K, F, S> model(const Components& components,
                                               double zero_threshold = 1e-12) const {
    if (samples() == 0) detail::fail("mercer::FeaturePcaMoments::model: there are no rows");
    components.validate(samples());
    detail::require_enough_features("FeaturePcaMoments", components, features());
    const KernelRequest request{
        .pairs = {.components = components, .zero_threshold = zero_threshold},
        .centered = centered()};
    FeatureSolution<S> solution;
    solution.bounds = bounds_;
    Report& report = solution.report;
    report.reason = "moments of parts of the rows";
    report.dimension = bounds_.dimension;
    report.kernel = detail::describe(kernel_);
    detail::find_components(sums_, samples(), params_, bound_->columns(), request, solution);
    return FeaturePcaModel<K, F, S>(kernel_, map_, std::move(solution), centered());
  }

  /// The number of rows, n.
  [[nodiscard]] Index samples() const { return sums_.count(); }
  /// The number of features, m.
  [[nodiscard]] Index features() const { return sums_.columns(); }
  [[nodiscard]] bool centered() const { return sums_.centered(); }
  [[nodiscard]] const K& kernel() const { return kernel_; }
  [[nodiscard]] const F& map() const { return map_; }
  [[nodiscard]] const FeaturePcaParams& params() const { return params_; }
  /// What the map was told of the samples.
  [[nodiscard]] const SampleBounds& bounds() const { return bounds_; }
  /// The sums themselves, to write them to a file.
  [[nodiscard]] const detail::MomentSum<S>& sums() const { return sums_; }

 private:
  using Bound = detail::BoundMap<K, F, S>;

  FeaturePcaMoments(K kernel, F map, const FeaturePcaParams& params, const SampleBounds& bounds,
                    detail::MomentSum<S> sums)
      : kernel_(std::move(kernel)),
        map_(std::move(map)),
        params_(params),
        bounds_(bounds),
        bound_(
            std::make_shared<const Bound>(map_.template bind<S>(kernel_, bounds_, params_.seed))),
        sums_(std::move(sums)) {
    static_assert(FeatureMapFor<F, K>,
                  "mercer::FeaturePcaMoments: the map has no features for this kernel");
    if (bounds_.dimension == 0)
      detail::fail("mercer::FeaturePcaMoments: the bounds have the dimension 0");
  }

  [[nodiscard]] detail::MomentIdentity settings() const {
    using detail::to_text;
    std::string map = "user map";
    if constexpr (requires { map_.describe(); }) map = map_.describe();
    detail::MomentIdentity identity;
    identity.settings = {{"kernel", detail::describe(kernel_)},
                         {"map", std::move(map)},
                         {"columns", to_text(bounds_.dimension)},
                         {"blocks", to_text(params_.blocks)},
                         {"centering", centered() ? "by means" : "none"}};
    if (is_drawn()) identity.settings.push_back({"seed", to_text(params_.seed)});
    identity.tolerance = detail::identity_tolerance<S>();
    return identity;
  }

  /// Whether the features depend on the seed.
  [[nodiscard]] bool is_drawn() const {
    if constexpr (requires { bound_->is_deterministic(); })
      return !bound_->is_deterministic();
    else
      return !IsDeterministic<Bound>;
  }

  /// They tell whether two maps with the same settings are the same.
  [[nodiscard]] Vector<double> features_of_one_sample() const {
    const Matrix<S> x = detail::identity_sample<S>(bounds_.dimension);
    Matrix<S> features(1, this->features());
    detail::FeatureBlocksOf<Bound> blocks(bound_, 0);
    blocks.prepare(1, params_.blocks);
    detail::evaluate_blocks<S>(blocks, params_.blocks, x, features);
    return features.row(0).transpose().template cast<double>();
  }

  bool add_stream(SampleStreamView<S> stream, const Observer& observer) {
    if (stream.seekable() && stream.rows() == endless)
      detail::fail("mercer::FeaturePcaMoments: ", stream.name(), " does not end");
    if (stream.dimension() != bounds_.dimension)
      detail::fail("mercer::FeaturePcaMoments: ", stream.name(), " has ", stream.dimension(),
                   " columns, the moments are for ", bounds_.dimension);
    detail::BatchReader<S> reader("FeaturePcaMoments", stream, [this](const Matrix<S>& rows) {
      detail::check_domain(kernel_, rows);
    });
    Matrix<S> batch;
    reader.read(params_.batch, batch);
    detail::FeatureBlocksOf<Bound> blocks(bound_, default_memory_budget());
    return detail::FeatureSums<S>(blocks, params_.blocks, sums_)
        .add(std::move(batch), reader, params_.batch, observer);
  }

  K kernel_;
  F map_;
  FeaturePcaParams params_;
  SampleBounds bounds_;
  std::shared_ptr<const Bound> bound_;
  detail::MomentSum<S> sums_;
};

template <Kernel K, FeatureMap F>
FeaturePcaMoments(K, FeaturePca<F>, SampleBounds) -> FeaturePcaMoments<K, F, double>;
template <Kernel K, FeatureMap F>
FeaturePcaMoments(K, FeaturePca<F>, SampleBounds, bool) -> FeaturePcaMoments<K, F, double>;

}  // namespace mercer

#endif  // MERCER_MODELS_MOMENTS_FEATURE_PCA_MOMENTS_HPP
