// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/python/src/pair_models.hpp>

#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include <mercer/core/types.hpp>
#include <mercer/io/archive.hpp>
#include <mercer/io/archive/archive_views.hpp>
#include <mercer/models/feature_functions.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/models/kernel_functions.hpp>
#include <mercer/models/kernel_sir.hpp>
#include <mercer/models/kernel_svd.hpp>
#include <mercer/runtime/any_features.hpp>
#include <mercer/runtime/response_solvers.hpp>
#include <mercer/runtime/table.hpp>

#include <examples/kpca/solver_code.hpp>
#include <examples/python/src/arrays.hpp>
#include <examples/python/src/features.hpp>
#include <examples/python/src/watch.hpp>

namespace mercer_python {
namespace {

using mercer::AnyKernel;
using mercer::Matrix;

/// Functions over samples, and over features.
template <mercer::OwnedSamples X>
using OverPoints = mercer::KernelFunctions<AnyKernel, X>;
template <mercer::Real S>
using OverFeatures = mercer::FeatureFunctions<AnyKernel, mercer::AnyFeatures, S>;

/// \tparam M  a model of mercer
template <class M>
class Holds : public PairModel {
 public:
  explicit Holds(M model) : model_(std::move(model)) {}

  [[nodiscard]] const auto& functions(int view) const {
    if constexpr (requires { model_.functions_y(); })
      return view == 0 ? model_.functions_x() : model_.functions_y();
    else
      return model_.functions();
  }

  [[nodiscard]] py::object values() const override {
    if constexpr (requires { model_.correlations(); })
      return to_array(model_.correlations());
    else if constexpr (requires { model_.singular_values(); })
      return to_array(model_.singular_values());
    else
      return to_array(model_.eigenvalues());
  }
  [[nodiscard]] py::object dependence_ratio() const override {
    if constexpr (requires { model_.dependence(); })
      return py::make_tuple(model_.dependence(), to_array(model_.explained_dependence_ratio()));
    else
      return py::none();
  }
  [[nodiscard]] const mercer::PairReport& report() const override { return model_.report(); }
  [[nodiscard]] std::string archive() const override { return mercer::io::archive_bytes(model_); }

  [[nodiscard]] py::object transform(const py::object& samples, int view,
                                     int threads) const override {
    using S = typename std::remove_cvref_t<decltype(functions(view))>::Scalar;
    return with_samples_of<S>(samples, [&](const auto& q) -> py::object {
      Matrix<S> out = [&] {
        const ThreadCount count(threads);
        const py::gil_scoped_release free;
        return functions(view).transform(q);
      }();
      return to_array(std::move(out));
    });
  }

 private:
  M model_;
};

template <class M>
[[nodiscard]] std::unique_ptr<PairModel> hold(M model) {
  return std::make_unique<Holds<M>>(std::move(model));
}

/// \param method  makes the method of the kernels and the solvers of the views
template <mercer::Real S, class Method>
[[nodiscard]] std::unique_ptr<PairModel> fit_pairs_in(const py::object& x, const py::object& y,
                                                      const Named& named_x, const Named& named_y,
                                                      const FitOptions& fit, const Method& method) {
  const ArrayView<S> view_x = view_of_array<S>(py::reinterpret_borrow<py::array_t<S>>(x)),
                     view_y = view_of_array<S>(py::reinterpret_borrow<py::array_t<S>>(y));
  const AnyKernel kernel_x = make_kernel(named_x), kernel_y = make_kernel(named_y);
  return run_watched(fit.callback, fit.threads, [&](const mercer::Observer& observer) {
    const auto solver_for = [&](const AnyKernel& kernel, const ArrayView<S>& view) {
      return make_solver(fit, kernel, view.rows(), view.cols(),
                         landmarks_among(kernel, view, fit.seed, observer));
    };
    const mercer::AnySolver solver_x = solver_for(kernel_x, view_x),
                            solver_y = solver_for(kernel_y, view_y);
    return std::visit(
        [&]<class T>(const T& one) {
          // Features, and what solvers choose by default, are those of the kernel of each view.
          const mercer::Views solvers(one, std::get<T>(solver_y));
          return hold(method(kernel_x, kernel_y, solvers)
                          .fit(Matrix<S>(view_x), Matrix<S>(view_y), observer));
        },
        solver_x);
  });
}

[[nodiscard]] bool is_single(const py::object& samples) {
  return py::isinstance<py::array_t<float>>(samples);
}

template <class Method>
[[nodiscard]] std::unique_ptr<PairModel> fit_pairs(const py::object& x, const py::object& y,
                                                   const Named& kernel_x, const Named& kernel_y,
                                                   const FitOptions& fit, const Method& method) {
  if (is_single(x) != is_single(y)) throw py::type_error("mercer: the views differ in precision");
  return is_single(x) ? fit_pairs_in<float>(x, y, kernel_x, kernel_y, fit, method)
                      : fit_pairs_in<double>(x, y, kernel_x, kernel_y, fit, method);
}

[[nodiscard]] mercer::SirTarget target_of(const std::string& name) {
  using mercer::SirTarget;
  return name == "classes"  ? SirTarget::Classes
         : name == "slices" ? SirTarget::Slices
                            : SirTarget::Outputs;
}

}  // namespace

std::unique_ptr<PairModel> fit_cca(const py::object& x, const py::object& y, const Named& kernel_x,
                                   const Named& kernel_y, const CcaOptions& options) {
  const mercer::KernelCcaParams params{.components = options.components,
                                       .regularization = options.regularization,
                                       .regularization_y = options.regularization_y,
                                       .rank = options.fit.components,
                                       .centered = options.fit.centered,
                                       .holdout = options.holdout,
                                       .memory_budget = options.fit.memory_budget,
                                       .seed = options.fit.seed};
  return fit_pairs(x, y, kernel_x, kernel_y, options.fit,
                   [&](const auto&... parts) { return mercer::KernelCca(parts..., params); });
}

std::unique_ptr<PairModel> fit_svd(const py::object& x, const py::object& y, const Named& kernel_x,
                                   const Named& kernel_y, const SvdOptions& options) {
  const mercer::KernelSvdParams params{.components = options.components,
                                       .rank = options.fit.components,
                                       .centered = options.fit.centered,
                                       .holdout = options.holdout,
                                       .memory_budget = options.fit.memory_budget,
                                       .seed = options.fit.seed};
  return fit_pairs(x, y, kernel_x, kernel_y, options.fit,
                   [&](const auto&... parts) { return mercer::KernelSvd(parts..., params); });
}

std::unique_ptr<PairModel> fit_sir(const py::object& x, const py::object& y, const Named& named,
                                   const SirOptions& options) {
  const FitOptions& fit = options.fit;
  const Matrix<double> responses = view_of_array<double>(y.cast<py::array_t<double>>());
  const mercer::KernelSirParams params{.components = options.components,
                                       .regularization = options.regularization,
                                       .target = target_of(options.target),
                                       .slices = options.slices,
                                       .rank = fit.components,
                                       .memory_budget = fit.memory_budget};
  return with_samples(x, [&]<class View>(const View& view) {
    using X = mercer::OwnedSamplesOf<View>;
    const AnyKernel kernel = kernel_on<X>(named);
    return run_watched(fit.callback, fit.threads, [&](const mercer::Observer& observer) {
      const X samples(view);
      const auto fit_with = [&](const auto& solver) {
        return hold(mercer::KernelSir{kernel, solver, params}.fit(samples, responses, observer));
      };
      if (mercer::find_entry(mercer::response_solver_table(), fit.solver.name))
        return fit_with(mercer::make_response_solver(fit.solver.name, fit.solver.settings));
      return std::visit(fit_with,
                        make_solver(fit, kernel, view.rows(), view.cols(),
                                    landmarks_among(kernel, samples, fit.seed, observer)));
    });
  });
}

std::unique_ptr<PairModel> load_pair_model(std::string bytes, const std::string& name) {
  const auto archive = mercer::io::Archive::from_bytes(std::move(bytes), name);
  const std::string& type = archive.header().type;
  const auto get = [&]<class F>(std::type_identity<F>) {
    if (type == "kernel-cca") return hold(archive.get<mercer::KernelCcaModel<F, F>>());
    if (type == "kernel-svd") return hold(archive.get<mercer::KernelSvdModel<F, F>>());
    return hold(archive.get<mercer::KernelSirModel<F>>());
  };
  const auto in_scalar = [&]<mercer::Real S>(std::type_identity<S>) -> std::unique_ptr<PairModel> {
    if (!archive.header().features.empty()) return get(std::type_identity<OverFeatures<S>>());
    if (archive.header().samples == "sparse")
      return hold(archive.get<mercer::KernelSirModel<OverPoints<mercer::SparseMatrix<S>>>>());
    return get(std::type_identity<OverPoints<Matrix<S>>>());
  };
  return archive.header().scalar == to_string(mercer::Precision::Single)
             ? in_scalar(std::type_identity<float>())
             : in_scalar(std::type_identity<double>());
}

}  // namespace mercer_python
