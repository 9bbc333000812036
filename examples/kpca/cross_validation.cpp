// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/cross_validation.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <type_traits>
#include <utility>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/io/text.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/bandwidth_choice.hpp>
#include <mercer/runtime/any_kernel.hpp>

#include <examples/kpca/kernel_choice.hpp>
#include <examples/kpca/kernel_code.hpp>
#include <examples/kpca/pictures.hpp>

namespace kpca {
namespace {

using mercer::BandwidthChoiceParams;
using mercer::WidthAndComponents;

/// By the criterion that the options name. \p make makes the kernel of a width. \p make_gaussian
/// makes it with its own type, for which there are better pre-images.
template <class X, class Make, class MakeGaussian>
[[nodiscard]] WidthAndComponents choose(const X& x, const std::vector<double>& grid,
                                        const std::vector<mercer::Index>& counts,
                                        const BandwidthChoiceParams& params, const Options& options,
                                        const std::vector<std::string>& labels, const Make& make,
                                        const MakeGaussian& make_gaussian) {
  const std::string& criterion = options.cross_validation.criterion;
  if (criterion == "preimages")
    return choose_width_and_components(x, grid, counts, params, mercer::PreimageError{},
                                       make_gaussian);
  if (criterion == "labels") {
    std::optional<mercer::Matrix<double>> numbers = numbers_on_scale(options, labels);
    return choose_width_and_components(
        x, grid, counts, params,
        numbers ? mercer::LabelError(*std::move(numbers)) : mercer::LabelError(labels), make);
  }
  return choose_width_and_components(x, grid, counts, params, mercer::FeatureSpaceError{}, make);
}

/// The Gaussian with the parameters of this choice.
[[nodiscard]] mercer::Gaussian gaussian_of(const KernelChoice& choice) {
  for (const auto& [name, value] : choice.parameters) {
    if (name == "sigma") return mercer::Gaussian{std::get<double>(value)};
    if (name == "gamma") return mercer::Gaussian::from_gamma(std::get<double>(value));
  }
  throw mercer::InvalidArgument("--cv-criterion preimages: the Gaussian has no width");
}

/// The numbers of components to try. \p least is the number of samples in a fit.
[[nodiscard]] std::vector<mercer::Index> counts_to_try(const Options& options,
                                                       mercer::Components components,
                                                       mercer::Index least) {
  const auto at_most_fitted = [&](mercer::Index count) {
    return (std::min)(count, (std::max)(least, mercer::Index{1}));
  };
  if (!options.cross_validation.components)  // what was not asked for may be fewer
    return {options.components ? components.count() : at_most_fitted(components.count())};
  if (!options.cross_validation.counts.empty()) return options.cross_validation.counts;
  std::vector<mercer::Index> counts(static_cast<std::size_t>(at_most_fitted(10)));
  std::iota(counts.begin(), counts.end(), mercer::Index{1});
  return counts;
}

/// The options that are "cv".
[[nodiscard]] std::string options_of(const std::string& parameter, bool components) {
  const std::string width = parameter.empty() ? "" : "--" + option_name(parameter) + " cv";
  if (!components) return width;
  return width + (width.empty() ? "" : ", ") + "--components cv";
}

}  // namespace

template <mercer::Real S>
std::optional<CrossValidation> cross_validate(const Options& options,
                                              const mercer::Components& components,
                                              const SampleFile<S>& training,
                                              const std::vector<std::string>& labels,
                                              KernelOptions& kernel,
                                              const std::function<void()>& prepare) {
  const std::string parameter = kernel.cross_validated();
  const bool choose_components = options.cross_validation.components;
  if (parameter.empty() && !choose_components) return std::nullopt;
  const std::string& criterion = options.cross_validation.criterion;
  if (criterion == "labels" && training.streamed_rows)
    throw mercer::InvalidArgument(
        "--cv-criterion labels: needs all samples in memory, and --solver " + options.solver.name +
        " reads " + training.path + " piece by piece; take " +
        (choose_components ? "preimages" : "feature-space"));
  const BandwidthChoiceParams params{.centered = options.centered, .seed = options.seed};
  const mercer::Index n = std::visit([](const auto& x) { return x.rows(); }, training.samples);
  const mercer::Index least = (std::min)(n, params.max_samples) * (params.folds - 1) / params.folds;
  const std::vector<mercer::Index> counts = counts_to_try(options, components, least);
  if (!parameter.empty()) kernel.percentiles.erase(parameter);
  const auto choice_of = [&](double width) {
    KernelOptions one = kernel;
    if (!parameter.empty()) one.settings[parameter] = width;
    return make_kernel<S>(one, training, options.seed);
  };
  // A kernel that is given is made once: percentiles of the distances take a while.
  std::optional<KernelChoice> given;
  if (parameter.empty()) given = choice_of(0);
  const auto make = [&](double width) { return given ? given->kernel : choice_of(width).kernel; };
  const auto make_gaussian = [&](double width) {
    return given ? gaussian_of(*given) : mercer::Gaussian{width};
  };
  prepare();
  WidthAndComponents choice =
      in_context(training.path + ": " + options_of(parameter, choose_components), [&] {
        return std::visit(
            [&](const auto& samples) {
              const auto choose_for = [&](const auto& x) {
                const std::vector<double> grid =
                    given ? std::vector<double>{1}
                    : options.cross_validation.grid.empty()
                        ? mercer::bandwidth_grid(x, 13, {.seed = options.seed})
                        : options.cross_validation.grid;
                return choose(x, grid, counts, params, options, labels, make, make_gaussian);
              };
              if constexpr (std::is_same_v<S, double>)
                return choose_for(samples);
              else
                return choose_for(mercer::SamplesIn<double, std::decay_t<decltype(samples)>>(
                    samples.template cast<double>()));
            },
            training.samples);
      });
  if (!parameter.empty()) kernel.settings[parameter] = choice.width;
  CrossValidation validation{.parameter = parameter,
                             .criterion = criterion,
                             .grid = std::move(choice.grid),
                             .counts = std::move(choice.counts),
                             .errors = std::move(choice.errors),
                             .best = choice.width,
                             .components = {},
                             .at_edge = choice.at_edge,
                             .at_last_count = choice.at_last_count};
  if (choose_components) validation.components = choice.components;
  return validation;
}

std::string edge_of_grid(const CrossValidation& validation) {
  std::string edges;
  if (validation.at_edge)
    edges = "--" + option_name(validation.parameter) + " cv: the best width is the " +
            (validation.best == validation.grid.front() ? "smallest" : "largest") +
            " that was tried; others may be better. Give a --cv-grid" +
            (validation.components ? "" : ", fewer components") + " or another --cv-criterion";
  if (validation.at_last_count)
    edges += (edges.empty() ? "" : "\nkpca: ") +
             ("--components cv: the best number is the largest that was tried, " +
              std::to_string(*validation.components) +
              "; more may be better. Give --cv-components with larger numbers");
  return edges;
}

template std::optional<CrossValidation> cross_validate(const Options&, const mercer::Components&,
                                                       const SampleFile<double>&,
                                                       const std::vector<std::string>&,
                                                       KernelOptions&,
                                                       const std::function<void()>&);
#if !defined(MERCER_DOUBLE_ALONE)
template std::optional<CrossValidation> cross_validate(const Options&, const mercer::Components&,
                                                       const SampleFile<float>&,
                                                       const std::vector<std::string>&,
                                                       KernelOptions&,
                                                       const std::function<void()>&);
#endif

}  // namespace kpca
