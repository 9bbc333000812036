// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// From the options to a kernel: what is not given gets its default here.

#ifndef MERCER_EXAMPLES_KPCA_KERNEL_CHOICE_HPP
#define MERCER_EXAMPLES_KPCA_KERNEL_CHOICE_HPP

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/runtime/parameter.hpp>

#include <examples/kpca/inputs.hpp>
#include <examples/kpca/options.hpp>

namespace kpca {

/// The kernel and the values its parameters took, by name.
struct KernelChoice {
  mercer::AnyKernel kernel;
  std::vector<std::pair<std::string, mercer::ParameterValue>> parameters;
};

/// For people: "gaussian (sigma 2.36)".
[[nodiscard]] std::string describe(const KernelChoice& choice, const std::string& name);

/// Builds the kernel. What the options leave open is the default of the parameter, or follows from
/// the samples: a percentile of the distances, or 1/d. \p seed chooses the samples for
/// percentiles of more than 4000 of them. Throws mercer::InvalidArgument.
template <mercer::Real S>
[[nodiscard]] KernelChoice make_kernel(const KernelOptions& options, const SampleFile<S>& file,
                                       std::uint64_t seed);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_KERNEL_CHOICE_HPP
