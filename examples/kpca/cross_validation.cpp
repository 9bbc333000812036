// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/cross_validation.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/io/text.hpp>
#include <mercer/models/bandwidth_choice.hpp>
#include <mercer/runtime/any_kernel.hpp>

#include <examples/kpca/kernel_choice.hpp>
#include <examples/kpca/kernel_code.hpp>

namespace kpca {
namespace {

using mercer::BandwidthChoice;
using mercer::BandwidthChoiceParams;

/// By the criterion that the options name. \p make makes the kernel of a width.
template <class X, class Make>
[[nodiscard]] BandwidthChoice choose(const X& x, const std::vector<double>& grid,
                                     const BandwidthChoiceParams& params,
                                     const std::string& criterion,
                                     const std::vector<std::string>& labels, const Make& make) {
  if (criterion == "preimages")
    return choose_bandwidth(x, grid, params, mercer::PreimageError{});  // Gaussians only
  if (criterion == "labels")
    return choose_bandwidth(x, grid, params, mercer::LabelError(labels), make);
  return choose_bandwidth(x, grid, params, mercer::FeatureSpaceError{}, make);
}

}  // namespace

template <mercer::Real S>
std::optional<CrossValidation> cross_validate(const Options& options,
                                              const mercer::Components& components,
                                              const SampleFile<S>& training,
                                              const std::vector<std::string>& labels,
                                              KernelOptions& kernel) {
  const std::string parameter = kernel.cross_validated();
  if (parameter.empty()) return std::nullopt;
  const std::string& criterion = options.cross_validation.criterion;
  if (criterion == "labels" && training.streamed_rows)
    throw mercer::InvalidArgument(
        "--cv-criterion labels: needs all samples in memory, and --solver " + options.solver.name +
        " reads " + training.path + " piece by piece; take feature-space");
  BandwidthChoiceParams params{.centered = options.centered, .seed = options.seed};
  const mercer::Index n = std::visit([](const auto& x) { return x.rows(); }, training.samples);
  const mercer::Index least = (std::min)(n, params.max_samples) * (params.folds - 1) / params.folds;
  // What was not asked for may be fewer.
  params.components = options.components
                          ? components.count()
                          : (std::min)(components.count(), (std::max)(least, mercer::Index{1}));
  kernel.percentiles.erase(parameter);
  const auto make = [&](double width) {
    KernelOptions one = kernel;
    one.settings[parameter] = width;
    return make_kernel<S>(one, training, options.seed).kernel;
  };
  BandwidthChoice choice = in_context(training.path + ": --" + option_name(parameter) + " cv", [&] {
    return std::visit(
        [&](const auto& samples) {
          const auto x = mercer::SamplesIn<double, std::decay_t<decltype(samples)>>(
              samples.template cast<double>());
          const std::vector<double> grid =
              options.cross_validation.grid.empty()
                  ? mercer::bandwidth_grid(x, 13, {.seed = options.seed})
                  : options.cross_validation.grid;
          return choose(x, grid, params, criterion, labels, make);
        },
        training.samples);
  });
  kernel.settings[parameter] = choice.best;
  return CrossValidation{
      parameter,   criterion,     std::move(choice.grid), std::move(choice.errors),
      choice.best, choice.at_edge};
}

std::string edge_of_grid(const CrossValidation& validation) {
  return "--" + option_name(validation.parameter) + " cv: the best width is the " +
         (validation.best == validation.grid.front() ? "smallest" : "largest") +
         " that was tried; others may be better. Give a --cv-grid, fewer components or another "
         "--cv-criterion";
}

template std::optional<CrossValidation> cross_validate(const Options&, const mercer::Components&,
                                                       const SampleFile<double>&,
                                                       const std::vector<std::string>&,
                                                       KernelOptions&);
#if !defined(MERCER_DOUBLE_ALONE)
template std::optional<CrossValidation> cross_validate(const Options&, const mercer::Components&,
                                                       const SampleFile<float>&,
                                                       const std::vector<std::string>&,
                                                       KernelOptions&);
#endif

}  // namespace kpca
