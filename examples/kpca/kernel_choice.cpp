// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/kernel_choice.hpp>

#include <algorithm>
#include <sstream>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/from_chars.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/runtime/kernels.hpp>

#include <examples/kpca/tables.hpp>

namespace kpca {

std::string describe(const KernelChoice& choice, const std::string& name) {
  std::ostringstream text;
  text << name;
  const char* before = " (";
  for (const auto& [parameter, value] : choice.parameters) {
    text << before << parameter << ' ';
    std::visit([&](const auto& one) { text << one; }, value);
    before = ", ";
  }
  if (!choice.parameters.empty()) text << ')';
  return text.str();
}

namespace {

/// A percentile or the median of the distances between the samples.
template <mercer::Real S>
[[nodiscard]] double distance(const std::string& option, const std::string& text,
                              const SampleFile<S>& file, std::uint64_t seed) {
  double percent = 50;
  if (text != "median")
    static_cast<void>(mercer::io::from_chars(text.data() + 1, text.data() + text.size(), percent));
  try {
    return std::visit(
        [&](const auto& x) {
          return mercer::percentile_distance(x, percent,
                                             {.seed = seed, .weights = file.sample_weights()});
        },
        file.samples);
  } catch (const mercer::InvalidArgument& error) {
    throw mercer::io::FileError(file.path + ": --" + option + " " + text + ": " + error.what() +
                                precision_advice<S>);
  }
}

/// Whether a parameter that was given takes the place of this one.
[[nodiscard]] bool is_replaced(const mercer::Parameter& parameter, const mercer::KernelEntry& entry,
                               const mercer::Settings& given) {
  return std::any_of(entry.parameters.begin(), entry.parameters.end(),
                     [&](const mercer::Parameter& other) {
                       return other.instead_of == parameter.name && given.contains(other.name);
                     });
}

}  // namespace

const std::vector<mercer::KernelEntry>& kernel_entries() {
  return mercer::kernel_table();
}

template <mercer::Real S>
KernelChoice make_kernel(const KernelOptions& options, const SampleFile<S>& file,
                         std::uint64_t seed) {
  const mercer::KernelEntry& entry =
      mercer::require_entry("kernel", kernel_entries(), options.name);
  mercer::Settings settings = options.settings;
  KernelChoice choice{mercer::Linear{}, {}};
  for (const mercer::Parameter& p : entry.parameters) {
    if (is_replaced(p, entry, options.settings)) continue;
    const auto percentile = options.percentiles.find(p.name);
    if (percentile != options.percentiles.end())
      settings[p.name] = distance(p.name + options.suffix, percentile->second, file, seed);
    else if (!settings.contains(p.name) && p.suggestion == mercer::Suggestion::Distance)
      settings[p.name] = distance(p.name + options.suffix, options.percentile, file, seed);
    else if (!settings.contains(p.name) && p.suggestion == mercer::Suggestion::InverseDimension)
      settings[p.name] = 1 / static_cast<double>(file.columns());
    else if (!settings.contains(p.name) && p.fallback)
      settings[p.name] = *p.fallback;
    if (settings.contains(p.name)) choice.parameters.emplace_back(p.name, settings.at(p.name));
  }
  choice.kernel = mercer::make_kernel(options.name, settings);
  return choice;
}

template KernelChoice make_kernel<double>(const KernelOptions&, const SampleFile<double>&,
                                          std::uint64_t);
#if !defined(MERCER_DOUBLE_ALONE)
template KernelChoice make_kernel<float>(const KernelOptions&, const SampleFile<float>&,
                                         std::uint64_t);
#endif

}  // namespace kpca
