// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/python/src/features.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <mercer/core/observer.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/io/archive.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/runtime/feature_maps.hpp>
#include <mercer/runtime/parameter.hpp>
#include <mercer/runtime/table.hpp>
#include <mercer/solvers/nystrom/landmark_features.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>

#include <examples/kpca/kernel_code.hpp>
#include <examples/python/src/arrays.hpp>
#include <examples/python/src/watch.hpp>

namespace mercer_python {
namespace {

using mercer::AnyFeatures;
using mercer::AnyKernel;
using mercer::Index;
using mercer::Matrix;

template <mercer::Real S>
class Features : public FeatureModel {
 public:
  explicit Features(FeatureParts parts)
      : parts_(std::move(parts)),
        bound_(parts_.map.template bind<S>(parts_.kernel, parts_.bounds, parts_.seed)) {
    bound_.draw(0, block_);
  }

  [[nodiscard]] Index columns() const override { return bound_.columns(); }

  [[nodiscard]] py::tuple describe() const override {
    return py::make_tuple(parts_.map.describe(), parts_.kernel.describe());
  }

  [[nodiscard]] py::object transform(const py::object& samples, int threads) const override {
    return with_samples_of<S>(samples, [&](const auto& x) -> py::object {
      if (x.cols() != bound_.dimension())
        throw py::value_error("mercer: samples must have as many columns as the training samples");
      Matrix<S> out(x.rows(), bound_.columns());
      {
        const ThreadCount count(threads);
        const py::gil_scoped_release free;
        evaluate(x, out);
      }
      return to_array(std::move(out));
    });
  }

  [[nodiscard]] py::tuple state() const override {
    return py::make_tuple(py::bytes(mercer::io::archive_bytes(parts_.kernel)),
                          py::bytes(mercer::io::archive_bytes(parts_.map)), parts_.bounds.dimension,
                          parts_.bounds.radius, parts_.seed, sizeof(S) == sizeof(float));
  }

 private:
  /// The features at the rows of \p x, tile by tile.
  template <class View>
  void evaluate(const View& x, Matrix<S>& out) const {
    const mercer::KernelView<Matrix<S>> kernel(parts_.kernel);
    mercer::parallel_for(mercer::detail::tile_count(x.rows()), [&](Index task) {
      const auto range = mercer::detail::Range::tile(task, x.rows());
      const Matrix<S> tile = x.middleRows(range.begin, range.size);
      kernel.check_domain(tile);
      bound_.evaluate(block_, tile, out.middleRows(range.begin, range.size));
    });
  }

  FeatureParts parts_;
  mercer::BoundAnyFeatures<S> bound_;
  typename mercer::BoundAnyFeatures<S>::Block block_;  // all features are in one block
};

/// The map that is asked for, which must have features of the kernel.
[[nodiscard]] const mercer::FeatureMapEntry& entry_for(const AnyKernel& kernel,
                                                       const std::string& name) {
  if (name.empty()) {
    const mercer::FeatureMapEntry* const natural = mercer::natural_feature_map(kernel);
    return natural ? *natural
                   : mercer::require_entry("map", mercer::feature_map_table(), "nystrom");
  }
  const mercer::FeatureMapEntry& entry =
      mercer::require_entry("map", mercer::feature_map_table(), name);
  if (entry.fit(kernel) == mercer::FeatureFit::No)
    throw py::value_error("map: " + name + " has no features of the kernel " + kernel.name() +
                          "; take " + mercer::enumerated(mercer::feature_maps_of(kernel)));
  return entry;
}

}  // namespace

template <mercer::OwnedSamples X>
Matrix<double> choose_landmarks(const AnyKernel& kernel, const X& samples, Index count,
                                std::uint64_t seed, const mercer::Observer& observer) {
  const auto map =
      mercer::landmark_features(mercer::RpCholesky{}, kernel, samples, count, seed, observer);
  return Matrix<typename X::Scalar>(map.landmarks()).template cast<double>();
}

template <mercer::OwnedSamples X>
FeatureParts choose_features(const X& samples, const Named& named, const FeatureOptions& options,
                             const mercer::Observer& observer) {
  const AnyKernel kernel = make_kernel(named);
  const mercer::FeatureMapEntry& entry = entry_for(kernel, options.map);
  kernel.check_domain(samples);
  const auto landmarks = [&](Index count) {
    return choose_landmarks(kernel, samples, (std::min)(count, samples.rows()), options.seed,
                            observer);
  };
  AnyFeatures map = entry
                        .make({entry.name, entry.parameters, {{"features", options.columns}}},
                              {.dimension = samples.cols(), .landmarks = landmarks})
                        .map;
  return {kernel, std::move(map), mercer::sample_bounds(samples), options.seed};
}

std::unique_ptr<FeatureModel> fit_features(const py::object& samples, const Named& named,
                                           const FeatureOptions& options) {
  return with_samples(samples, [&]<class View>(const View& view) {
    using X = mercer::OwnedSamplesOf<View>;
    return run_watched(py::none(), options.threads,
                       [&](const mercer::Observer& observer) -> std::unique_ptr<FeatureModel> {
                         return std::make_unique<Features<typename X::Scalar>>(
                             choose_features(X(view), named, options, observer));
                       });
  });
}

std::unique_ptr<FeatureModel> load_features(const py::tuple& state) {
  constexpr std::size_t size = 6;
  if (state.size() != size) throw py::value_error("mercer: no state of features");
  FeatureParts parts{mercer::io::read_archive_bytes<AnyKernel>(state[0].cast<std::string>()),
                     mercer::io::read_archive_bytes<AnyFeatures>(state[1].cast<std::string>()),
                     {.dimension = state[2].cast<Index>(), .radius = state[3].cast<double>()},
                     state[4].cast<std::uint64_t>()};
  if (state[5].cast<bool>()) return std::make_unique<Features<float>>(std::move(parts));
  return std::make_unique<Features<double>>(std::move(parts));
}

template FeatureParts choose_features(const Matrix<double>&, const Named&, const FeatureOptions&,
                                      const mercer::Observer&);
template FeatureParts choose_features(const Matrix<float>&, const Named&, const FeatureOptions&,
                                      const mercer::Observer&);
template FeatureParts choose_features(const mercer::SparseMatrix<double>&, const Named&,
                                      const FeatureOptions&, const mercer::Observer&);
template FeatureParts choose_features(const mercer::SparseMatrix<float>&, const Named&,
                                      const FeatureOptions&, const mercer::Observer&);
template Matrix<double> choose_landmarks(const AnyKernel&, const Matrix<double>&, Index,
                                         std::uint64_t, const mercer::Observer&);
template Matrix<double> choose_landmarks(const AnyKernel&, const Matrix<float>&, Index,
                                         std::uint64_t, const mercer::Observer&);
template Matrix<double> choose_landmarks(const AnyKernel&, const mercer::SparseMatrix<double>&,
                                         Index, std::uint64_t, const mercer::Observer&);
template Matrix<double> choose_landmarks(const AnyKernel&, const mercer::SparseMatrix<float>&,
                                         Index, std::uint64_t, const mercer::Observer&);

}  // namespace mercer_python
