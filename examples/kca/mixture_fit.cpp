// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kca/mixture_fit.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/latent/latent_mixture.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/runtime/solver_task.hpp>

#include <examples/kca/fit_parts.hpp>
#include <examples/kpca/inputs.hpp>
#include <examples/kpca/kernel_choice.hpp>
#include <examples/kpca/landmark_choice.hpp>
#include <examples/kpca/progress_bar.hpp>
#include <examples/kpca/solver_choice.hpp>

namespace kca {
namespace {

using mercer::Index;
using Matrix = mercer::Matrix<double>;
using Vector = mercer::Vector<double>;

[[nodiscard]] Matrix stacked(const std::vector<Matrix>& views) {
  const Index n = views.front().rows();
  Matrix out(3 * n, views.front().cols());
  for (Index v = 0; v < 3; ++v) out.middleRows(v * n, n) = views[static_cast<std::size_t>(v)];
  return out;
}

/// The width that densities of the first coordinate are smoothed by: that of a Gaussian kernel.
/// Other kernels are no densities; then by Silverman, Density estimation, 1986, eq. (3.28).
[[nodiscard]] double smoothing(const mercer::AnyKernel& kernel, const Vector& coordinate) {
  const std::optional<double> sigma =
      kernel.with_kernel([]<class K>(const K& held) -> std::optional<double> {
        if constexpr (std::same_as<K, mercer::Gaussian>)
          return held.sigma();
        else
          return std::nullopt;
      });
  if (sigma) return *sigma;
  const auto n = static_cast<double>(coordinate.size());
  const double variance = (coordinate.array() - coordinate.mean()).square().sum() / n;
  return variance > 0 ? 1.06 * std::sqrt(variance) * std::pow(n, -.2) : 1;
}

[[nodiscard]] Vector grid_over(double low, double high, double width) {
  constexpr Index points = 400;
  return Vector::LinSpaced(points, low - 3 * width, high + 3 * width);
}

/// The densities of the first coordinate of a view: the law of x gives that of x_1 by its weights.
template <class V>
[[nodiscard]] Matrix densities_of(const V& view, double width, const Vector& grid) {
  auto coordinate = std::make_shared<const Matrix>(view.samples().leftCols(1));
  const mercer::MixtureView<mercer::Gaussian, Matrix> line(
      mercer::Gaussian(width), std::move(coordinate), view.sample_weights());
  return line.density(Matrix(grid));
}

template <class V>
[[nodiscard]] Components components_of(const V& view, std::size_t number) {
  Components out{.of = "view " + std::to_string(number),
                 .expectations = view.expectation(view.samples()),
                 .width = smoothing(view.kernel(), view.samples().col(0)),
                 .grid = {},
                 .densities = {}};
  const auto coordinate = view.samples().col(0);
  out.grid = grid_over(coordinate.minCoeff(), coordinate.maxCoeff(), out.width);
  out.densities = densities_of(view, out.width, out.grid);
  return out;
}

template <class V1, class V2, class V3>
[[nodiscard]] std::vector<Components> all_components(
    const mercer::LatentMixtureModel<V1, V2, V3>& model) {
  const auto& [first, second, third] = model.views();
  return {components_of(first, 1), components_of(second, 2), components_of(third, 3)};
}

/// The means over the views.
template <class V>
[[nodiscard]] std::vector<Components> all_components(
    const mercer::ExchangeableMixtureModel<V>& model) {
  const auto& [first, second, third] = model.views();
  const std::vector<Matrix> views = {first.samples(), second.samples(), third.samples()};
  const Vector coordinate = stacked(views).col(0);
  Components out{.of = "",
                 .expectations = model.expectation(views[0], views[1], views[2]),
                 .width = smoothing(first.kernel(), coordinate),
                 .grid = {},
                 .densities = {}};
  out.grid = grid_over(coordinate.minCoeff(), coordinate.maxCoeff(), out.width);
  out.densities =
      (densities_of(first, out.width, out.grid) + densities_of(second, out.width, out.grid) +
       densities_of(third, out.width, out.grid)) /
      3;
  return {out};
}

template <class Model>
[[nodiscard]] Mixture without_type(const Model& model) {
  return {.report = model.report(),
          .weights = model.weights(),
          .singular_values = model.singular_values(),
          .defect = model.defect(),
          .components = all_components(model),
          .choices = {}};
}

template <class S>
[[nodiscard]] Mixture fit_with(const Options& o, const std::vector<Matrix>& x,
                               const std::vector<kpca::KernelChoice>& kernels, const S& solver,
                               const mercer::Observer& observer) {
  const mercer::LatentMixtureParams params{.components = o.components,
                                           .rank = o.rank,
                                           .memory_budget = o.memory_budget.value_or(0),
                                           .seed = o.seed};
  if (o.exchangeable)
    return without_type(
        mercer::LatentMixture{kernels[0].kernel, solver, params}.fit(x[0], x[1], x[2], observer));
  const mercer::DifferentViews different{kernels[0].kernel, kernels[1].kernel, kernels[2].kernel};
  return without_type(
      mercer::LatentMixture{different, solver, params}.fit(x[0], x[1], x[2], observer));
}

/// The kernel of each view, or that of all.
[[nodiscard]] std::vector<kpca::KernelChoice> make_kernels(const Options& o,
                                                           const Triples& triples) {
  std::vector<kpca::KernelChoice> kernels;
  for (std::size_t v = 0; v < o.kernels.size(); ++v) {
    const kpca::KernelOptions& given = o.kernels[v];
    const std::string name = o.exchangeable ? triples.name() : triples.names[v];
    const Matrix& samples = o.exchangeable ? stacked(triples.views) : triples.views[v];
    kernels.push_back(kpca::in_context("--kernel" + given.suffix + " " + given.name, [&] {
      return kpca::make_kernel<double>(given, kpca::SampleFile<double>{name, samples}, o.seed);
    }));
    kpca::in_context(name, [&] { kernels.back().kernel.check_domain(samples); });
  }
  return kernels;
}

/// One solver, for the basis of each view.
[[nodiscard]] kpca::SolverChoice make_solver(const Options& o, const Triples& triples,
                                             const mercer::AnyKernel& kernel) {
  const Index n = triples.rows();
  Index dimension = 0;
  for (const Matrix& view : triples.views) dimension = (std::max)(dimension, view.cols());
  return kpca::make_solver(
      o.solver, {.kernel = kernel,
                 .components = o.rank,
                 .samples = o.exchangeable ? 3 * n : n,
                 .dimension = dimension,
                 .seed = o.seed,
                 .landmarks = [&](Index count) {
                   if (!o.exchangeable)
                     throw mercer::InvalidArgument(
                         "--map nystrom: its landmarks are samples of one view; take --solver "
                         "nystrom, or --exchangeable");
                   const kpca::SampleFile<double> all{triples.name(), stacked(triples.views)};
                   return kpca::choose_landmarks(kernel, all, count, o.seed);
                 }});
}

}  // namespace

Mixture fit_mixture(const Options& o, const Triples& triples, const std::function<void()>& ready) {
  const std::vector<kpca::KernelChoice> kernels = make_kernels(o, triples);
  const kpca::SolverChoice solver = make_solver(o, triples, kernels[0].kernel);
  ready();
  kpca::ProgressBar progress;
  try {
    Mixture mixture = std::visit(
        [&](const auto& one) {
          return fit_with(o, triples.views, kernels, one, progress.observer());
        },
        solver.solver);
    for (std::size_t v = 0; v < kernels.size(); ++v)
      mixture.choices.push_back(
          {kpca::describe(kernels[v], o.kernels[v].name), kernels[v].parameters, solver.settings});
    return mixture;
  } catch (const mercer::InvalidArgument& error) {
    throw mercer::InvalidArgument(triples.name() + ": " + error.what());
  }
}

}  // namespace kca
