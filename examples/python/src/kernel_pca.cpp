// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/python/src/kernel_pca.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/archive.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/models/held_out_error.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/runtime/any_features.hpp>

#include <examples/kpca/solver_code.hpp>
#include <examples/python/src/arrays.hpp>
#include <examples/python/src/features.hpp>
#include <examples/python/src/watch.hpp>

namespace mercer_python {
namespace {

using mercer::AnyFeatureSolver;
using mercer::AnyKernel;
using mercer::AnyKernelSolver;
using mercer::Index;
using mercer::Matrix;

/// The part that models over points and over features share.
/// \tparam M  a model of mercer
template <class M>
class Holds : public PcaModel {
 public:
  using S = typename M::Scalar;

  explicit Holds(M model) : model_(std::move(model)) {}

  [[nodiscard]] py::object eigenvalues() const override { return to_array(model_.eigenvalues()); }
  [[nodiscard]] const mercer::Report& report() const override { return model_.report(); }
  [[nodiscard]] std::string archive() const override { return mercer::io::archive_bytes(model_); }
  [[nodiscard]] py::tuple kernel() const override { return to_python(model_.kernel()); }
  void save(const std::string& path) const override { mercer::io::write_archive(path, model_); }

  [[nodiscard]] py::object transform(const py::object& samples, int threads) const override {
    return with_samples_of<S>(samples, [&](const auto& q) -> py::object {
      Matrix<S> scores = [&] {
        const ThreadCount count(threads);
        const py::gil_scoped_release free;
        return model_.transform(q);
      }();
      return to_array(std::move(scores));
    });
  }

 protected:
  M model_;
};

/// A model over training samples or landmarks.
template <mercer::OwnedSamples X>
class OverPoints : public Holds<mercer::KernelPcaModel<AnyKernel, X>> {
 public:
  using S = typename X::Scalar;
  using Holds<mercer::KernelPcaModel<AnyKernel, X>>::Holds;

  [[nodiscard]] py::object training_scores() const override {
    return to_array(this->model_.training_scores());
  }
  [[nodiscard]] py::object points(const py::object& self) const override {
    return view_for_python(this->model_.points(), self);
  }
  [[nodiscard]] bool over_landmarks() const override { return this->model_.parts().over_landmarks; }
  [[nodiscard]] bool centered() const override { return this->model_.parts().centered; }

  [[nodiscard]] py::object preimage_error(const py::object& samples, int threads) const override {
    if constexpr (mercer::DenseSamples<X>) {
      const auto* const gaussian = std::get_if<mercer::Gaussian>(&this->model_.kernel().choice());
      if (!gaussian) return py::none();
      const X held = view_of_array<S>(samples.cast<py::array_t<S>>());
      const std::vector<Index> none;
      const mercer::HeldOutError error = [&] {
        const ThreadCount count(threads);
        const py::gil_scoped_release free;
        return mercer::PreimageError{}(
            with_kernel(*gaussian),
            mercer::HeldOutRows<X>{this->model_.points(), held, none, none});
      }();
      return py::cast(error.missed / static_cast<double>(held.rows()));
    } else {
      return py::none();
    }
  }

  [[nodiscard]] py::object kernel_values(const py::object& x, const py::object& y,
                                         int threads) const override {
    const Matrix<S> left = view_of_array<S>(x.cast<py::array_t<S>>()),
                    right = view_of_array<S>(y.cast<py::array_t<S>>());
    if (left.cols() != right.cols())
      throw py::value_error("mercer: samples differ in their numbers of columns");
    Matrix<S> out(left.rows(), right.rows());
    {
      const ThreadCount count(threads);
      const py::gil_scoped_release free;
      const mercer::KernelView<Matrix<S>> kernel(this->model_.kernel());
      kernel.check_domain(left);
      kernel.check_domain(right);
      const auto columns = kernel.prepare(right), rows = kernel.prepare(left, columns);
      mercer::parallel_for(mercer::detail::tile_count(left.rows()), [&](Index task) {
        const auto range = mercer::detail::Range::tile(task, left.rows());
        mercer::detail::fill_rows<Matrix<S>, mercer::PreparedSamples<Matrix<S>>, S>(
            kernel, rows, range, columns, out.middleRows(range.begin, range.size));
      });
    }
    return to_array(std::move(out));
  }

 private:
  /// The model with the type of its kernel, for which there are better pre-images.
  template <class K>
  [[nodiscard]] mercer::KernelPcaModel<K, X> with_kernel(const K& kernel) const {
    const mercer::KernelPcaParts<AnyKernel, X>& parts = this->model_.parts();
    return mercer::KernelPcaModel<K, X>({.kernel = kernel,
                                         .points = parts.points,
                                         .centered = parts.centered,
                                         .eigenvalues = parts.eigenvalues,
                                         .coefficients = parts.coefficients,
                                         .offset = parts.offset,
                                         .mean_weights = parts.mean_weights,
                                         .mean = parts.mean,
                                         .training_scores = parts.training_scores,
                                         .over_landmarks = parts.over_landmarks,
                                         .report = parts.report},
                                        mercer::detail::PointsAreChecked{});
  }
};

/// A model that has no points.
template <mercer::Real S>
class OverFeatures : public Holds<mercer::FeaturePcaModel<AnyKernel, mercer::AnyFeatures, S>> {
 public:
  using Holds<mercer::FeaturePcaModel<AnyKernel, mercer::AnyFeatures, S>>::Holds;

  [[nodiscard]] py::object training_scores() const override { return py::none(); }
  [[nodiscard]] py::object points(const py::object&) const override { return py::none(); }
  [[nodiscard]] bool over_landmarks() const override { return true; }
  [[nodiscard]] bool centered() const override { return this->model_.centered(); }
  [[nodiscard]] py::object preimage_error(const py::object&, int) const override {
    return py::none();
  }

  [[nodiscard]] py::object kernel_values(const py::object&, const py::object&, int) const override {
    throw py::value_error(
        "mercer: fit_inverse_transform needs a solver that expands components over samples");
  }
};

template <mercer::OwnedSamples X>
[[nodiscard]] std::unique_ptr<PcaModel> make_model(mercer::KernelPcaModel<AnyKernel, X> model) {
  return std::make_unique<OverPoints<X>>(std::move(model));
}

/// The fit, with weights if there are any.
template <class Pca, class Samples>
[[nodiscard]] auto fit_model(const Pca& pca, Samples&& samples,
                             const std::optional<mercer::Vector<double>>& weights,
                             const mercer::Observer& observer) {
  return weights ? pca.fit(std::forward<Samples>(samples), *weights, observer)
                 : pca.fit(std::forward<Samples>(samples), observer);
}

/// No weights for None.
[[nodiscard]] std::optional<mercer::Vector<double>> weights_of(const py::object& weights) {
  if (weights.is_none()) return std::nullopt;
  const auto given = weights.cast<py::array_t<double, py::array::c_style>>();
  return Eigen::Map<const mercer::Vector<double>>(given.data(), given.size());
}

}  // namespace

template <mercer::Real S>
std::unique_ptr<PcaModel> make_model(
    mercer::FeaturePcaModel<AnyKernel, mercer::AnyFeatures, S> model) {
  return std::make_unique<OverFeatures<S>>(std::move(model));
}

template std::unique_ptr<PcaModel> make_model(
    mercer::FeaturePcaModel<AnyKernel, mercer::AnyFeatures, double>);
template std::unique_ptr<PcaModel> make_model(
    mercer::FeaturePcaModel<AnyKernel, mercer::AnyFeatures, float>);

std::unique_ptr<PcaModel> fit_pca(const py::object& samples, const py::object& sample_weights,
                                  const Named& named, const FitOptions& options) {
  const std::optional<mercer::Vector<double>> weights = weights_of(sample_weights);
  return with_samples(samples, [&]<class View>(const View& view) -> std::unique_ptr<PcaModel> {
    using X = mercer::OwnedSamplesOf<View>;
    const AnyKernel kernel = kernel_on<X>(named);
    const mercer::KernelPcaParams params{.components = options.components,
                                         .centered = options.centered,
                                         .memory_budget = options.memory_budget};
    return run_watched(options.callback, options.threads, [&](const mercer::Observer& observer) {
      const mercer::AnySolver solver =
          make_solver(options, kernel, view.rows(), view.cols(),
                      landmarks_among(kernel, view, options.seed, observer));
      if (const auto* over_features = std::get_if<AnyFeatureSolver>(&solver)) {
        mercer::MatrixStream stream(view);
        mercer::SampleStreamView<typename X::Scalar> rows(stream);
        return make_model(
            fit_model(mercer::KernelPca{kernel, *over_features, params}, rows, weights, observer));
      }
      // The model owns its samples: this is the only copy of them that is made.
      return make_model(
          fit_model(mercer::KernelPca{kernel, std::get<AnyKernelSolver>(solver), params}, X(view),
                    weights, observer));
    });
  });
}

std::unique_ptr<PcaModel> load_pca_model(std::string bytes, const std::string& name) {
  const auto archive = mercer::io::Archive::from_bytes(std::move(bytes), name);
  const mercer::io::ArchiveHeader& header = archive.header();
  if (header.type.starts_with("standardized-"))
    throw py::value_error(name +
                          ": is of a fit with --standardize; fit without it, to samples that are "
                          "standardised before");
  if (header.type != "kernel-pca" && header.type != "feature-pca")
    throw py::value_error(name + ": holds no model of kernel PCA, but a " + header.type);
  const bool single = header.scalar == to_string(mercer::Precision::Single);
  const auto get = [&]<class M>(std::type_identity<M>) { return make_model(archive.get<M>()); };
  using mercer::AnyFeatures, mercer::FeaturePcaModel, mercer::KernelPcaModel, mercer::SparseMatrix;
  if (header.type == "feature-pca")
    return single ? get(std::type_identity<FeaturePcaModel<AnyKernel, AnyFeatures, float>>())
                  : get(std::type_identity<FeaturePcaModel<AnyKernel, AnyFeatures, double>>());
  if (header.samples == "sparse")
    return single ? get(std::type_identity<KernelPcaModel<AnyKernel, SparseMatrix<float>>>())
                  : get(std::type_identity<KernelPcaModel<AnyKernel, SparseMatrix<double>>>());
  return single ? get(std::type_identity<KernelPcaModel<AnyKernel, Matrix<float>>>())
                : get(std::type_identity<KernelPcaModel<AnyKernel, Matrix<double>>>());
}

double median_distance(const py::object& samples, std::uint64_t seed,
                       const py::object& sample_weights, int threads) {
  const mercer::Vector<double> weights =
      weights_of(sample_weights).value_or(mercer::Vector<double>());
  return with_samples(samples, [&](const auto& x) {
    const ThreadCount count(threads);
    const py::gil_scoped_release free;
    return mercer::median_distance(x, {.seed = seed, .weights = weights});
  });
}

}  // namespace mercer_python
