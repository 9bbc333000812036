// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/python/src/batches.hpp>

#include <memory>
#include <string>
#include <utility>

#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/io/archive.hpp>
#include <mercer/io/archive/archive_moments.hpp>
#include <mercer/models/moments/feature_pca_moments.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>

#include <examples/kpca/kernel_code.hpp>
#include <examples/python/src/arrays.hpp>
#include <examples/python/src/watch.hpp>

namespace mercer_python {
namespace {

using mercer::AnyFeatures;
using mercer::AnyKernel;

template <mercer::Real S>
using Moments = mercer::FeaturePcaMoments<AnyKernel, AnyFeatures, S>;

template <mercer::Real S>
class Sums : public BatchSums {
 public:
  explicit Sums(Moments<S> moments) : moments_(std::move(moments)) {}

  [[nodiscard]] mercer::Index samples() const override { return moments_.samples(); }
  [[nodiscard]] mercer::Index columns() const override { return moments_.features(); }
  [[nodiscard]] py::tuple describe() const override {
    return py::make_tuple(moments_.map().describe(), moments_.kernel().describe());
  }
  [[nodiscard]] std::string archive() const override { return mercer::io::archive_bytes(moments_); }

  [[nodiscard]] std::unique_ptr<BatchSums> plus(const py::object& samples,
                                                int threads) const override {
    return with_samples_of<S>(samples, [&](const auto& view) -> std::unique_ptr<BatchSums> {
      return run_watched(py::none(), threads, [&](const mercer::Observer& observer) {
        Moments<S> all = moments_;
        mercer::MatrixStream rows(view);
        static_cast<void>(all.add(rows, observer));  // what stops it is thrown
        return std::make_unique<Sums>(std::move(all));
      });
    });
  }

  [[nodiscard]] std::unique_ptr<PcaModel> model(const mercer::Components& components,
                                                int threads) const override {
    return run_watched(py::none(), threads, [&](const mercer::Observer&) {
      return make_model(moments_.model(components));
    });
  }

 private:
  Moments<S> moments_;
};

}  // namespace

std::unique_ptr<BatchSums> begin_sums(const py::object& samples, const Named& named,
                                      const FeatureOptions& options, bool centered) {
  return with_samples(samples, [&]<class View>(const View& view) {
    using X = mercer::OwnedSamplesOf<View>;
    using S = typename X::Scalar;
    return run_watched(py::none(), options.threads,
                       [&](const mercer::Observer& observer) -> std::unique_ptr<BatchSums> {
                         FeatureParts parts = choose_features(X(view), named, options, observer);
                         const mercer::FeaturePca<AnyFeatures> solver(std::move(parts.map),
                                                                      {.seed = parts.seed});
                         return std::make_unique<Sums<S>>(
                             Moments<S>(parts.kernel, solver, parts.bounds, centered));
                       });
  });
}

std::unique_ptr<BatchSums> load_sums(std::string bytes, const std::string& name) {
  const auto archive = mercer::io::Archive::from_bytes(std::move(bytes), name);
  if (archive.header().scalar == to_string(mercer::Precision::Single))
    return std::make_unique<Sums<float>>(archive.get<Moments<float>>());
  return std::make_unique<Sums<double>>(archive.get<Moments<double>>());
}

}  // namespace mercer_python
