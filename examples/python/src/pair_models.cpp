// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/python/src/pair_models.hpp>

#include <type_traits>
#include <utility>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/io/archive.hpp>
#include <mercer/io/archive/archive_views.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/models/kernel_functions.hpp>
#include <mercer/models/kernel_sir.hpp>

#include <examples/kpca/solver_code.hpp>
#include <examples/python/src/arrays.hpp>
#include <examples/python/src/watch.hpp>

namespace mercer_python {
namespace {

using mercer::AnyKernel;
using mercer::AnyKernelSolver;
using mercer::Matrix;

template <mercer::Real S>
using Functions = mercer::KernelFunctions<AnyKernel, Matrix<S>>;
template <mercer::Real S>
using CcaModel = mercer::KernelCcaModel<Functions<S>, Functions<S>>;
template <mercer::Real S>
using SirModel = mercer::KernelSirModel<Functions<S>>;

/// \tparam M  a model of mercer for samples of scalar S
template <class M, mercer::Real S>
class Holds : public PairModel {
 public:
  explicit Holds(M model) : model_(std::move(model)) {}

  [[nodiscard]] py::object values() const override {
    if constexpr (is_cca)
      return to_array(model_.correlations());
    else
      return to_array(model_.eigenvalues());
  }
  [[nodiscard]] const mercer::PairReport& report() const override { return model_.report(); }
  [[nodiscard]] std::string archive() const override { return mercer::io::archive_bytes(model_); }

  [[nodiscard]] py::object transform(const py::object& samples, int view,
                                     int threads) const override {
    if (!py::isinstance<py::array_t<S>>(samples))
      throw py::type_error("mercer: samples must have the scalar of the training samples");
    const auto array = py::reinterpret_borrow<py::array_t<S>>(samples);
    const ArrayView<S> q = view_of_array<S>(array);
    Matrix<S> out = [&] {
      const ThreadCount count(threads);
      const py::gil_scoped_release free;
      return functions(view).transform(q);
    }();
    return to_array(std::move(out));
  }

 private:
  static constexpr bool is_cca = std::same_as<M, CcaModel<S>>;

  [[nodiscard]] const Functions<S>& functions(int view) const {
    if constexpr (is_cca)
      return view == 0 ? model_.functions_x() : model_.functions_y();
    else
      return model_.functions();
  }

  M model_;
};

/// Solvers over features have functions of another type, which no class here holds.
[[nodiscard]] AnyKernelSolver solver_for(const FitOptions& options, const AnyKernel& kernel,
                                         mercer::Index n, mercer::Index d) {
  mercer::AnySolver solver = make_solver(options, kernel, n, d);
  if (auto* over_samples = std::get_if<AnyKernelSolver>(&solver)) return std::move(*over_samples);
  throw py::value_error("mercer: the solver " + options.solver.name +
                        " is for KernelPCA; take one that expands functions over samples");
}

template <mercer::Real S>
[[nodiscard]] std::unique_ptr<PairModel> fit_cca_in(const py::object& x, const py::object& y,
                                                    const Named& named_x, const Named& named_y,
                                                    const CcaOptions& options) {
  const ArrayView<S> view_x = view_of_array<S>(py::reinterpret_borrow<py::array_t<S>>(x)),
                     view_y = view_of_array<S>(py::reinterpret_borrow<py::array_t<S>>(y));
  const AnyKernel kernel_x = make_kernel(named_x), kernel_y = make_kernel(named_y);
  const AnyKernelSolver solver = solver_for(options.fit, kernel_x, view_x.rows(), view_x.cols());
  const mercer::KernelCca cca{kernel_x, kernel_y, solver,
                              mercer::KernelCcaParams{.components = options.components,
                                                      .regularization = options.regularization,
                                                      .regularization_y = options.regularization_y,
                                                      .rank = options.fit.components,
                                                      .centered = options.fit.centered,
                                                      .holdout = options.holdout,
                                                      .memory_budget = options.fit.memory_budget,
                                                      .seed = options.fit.seed}};
  return run_watched(options.fit.callback, options.fit.threads,
                     [&](const mercer::Observer& observer) -> std::unique_ptr<PairModel> {
                       return std::make_unique<Holds<CcaModel<S>, S>>(
                           cca.fit(Matrix<S>(view_x), Matrix<S>(view_y), observer));
                     });
}

template <mercer::Real S>
[[nodiscard]] std::unique_ptr<PairModel> fit_sir_in(const py::object& x, const py::object& y,
                                                    const Named& named, const SirOptions& options) {
  const ArrayView<S> view = view_of_array<S>(py::reinterpret_borrow<py::array_t<S>>(x));
  const Matrix<double> responses = view_of_array<double>(y.cast<py::array_t<double>>());
  const AnyKernel kernel = make_kernel(named);
  const AnyKernelSolver solver = solver_for(options.fit, kernel, view.rows(), view.cols());
  using mercer::SirTarget;
  const mercer::KernelSir sir{
      kernel, solver,
      mercer::KernelSirParams{.components = options.components,
                              .regularization = options.regularization,
                              .target = options.target == "classes"  ? SirTarget::Classes
                                        : options.target == "slices" ? SirTarget::Slices
                                                                     : SirTarget::Outputs,
                              .slices = options.slices,
                              .rank = options.fit.components,
                              .memory_budget = options.fit.memory_budget}};
  return run_watched(options.fit.callback, options.fit.threads,
                     [&](const mercer::Observer& observer) -> std::unique_ptr<PairModel> {
                       return std::make_unique<Holds<SirModel<S>, S>>(
                           sir.fit(Matrix<S>(view), responses, observer));
                     });
}

[[nodiscard]] bool is_single(const py::object& samples) {
  return py::isinstance<py::array_t<float>>(samples);
}

}  // namespace

std::unique_ptr<PairModel> fit_cca(const py::object& x, const py::object& y, const Named& kernel_x,
                                   const Named& kernel_y, const CcaOptions& options) {
  if (is_single(x) != is_single(y)) throw py::type_error("mercer: the views differ in precision");
  return is_single(x) ? fit_cca_in<float>(x, y, kernel_x, kernel_y, options)
                      : fit_cca_in<double>(x, y, kernel_x, kernel_y, options);
}

std::unique_ptr<PairModel> fit_sir(const py::object& x, const py::object& y, const Named& kernel,
                                   const SirOptions& options) {
  return is_single(x) ? fit_sir_in<float>(x, y, kernel, options)
                      : fit_sir_in<double>(x, y, kernel, options);
}

std::unique_ptr<PairModel> load_pair_model(std::string bytes, const std::string& name) {
  const auto archive = mercer::io::Archive::from_bytes(std::move(bytes), name);
  const auto get = [&]<class M, class S>(std::type_identity<M>, S) -> std::unique_ptr<PairModel> {
    return std::make_unique<Holds<M, S>>(archive.get<M>());
  };
  const bool single = archive.header().scalar == to_string(mercer::Precision::Single);
  if (archive.header().type == "kernel-cca")
    return single ? get(std::type_identity<CcaModel<float>>(), float{})
                  : get(std::type_identity<CcaModel<double>>(), double{});
  return single ? get(std::type_identity<SirModel<float>>(), float{})
                : get(std::type_identity<SirModel<double>>(), double{});
}

}  // namespace mercer_python
