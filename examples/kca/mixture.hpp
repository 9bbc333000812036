// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The components of a mixture from three views: from the files to the results.

#ifndef MERCER_EXAMPLES_KCA_MIXTURE_HPP
#define MERCER_EXAMPLES_KCA_MIXTURE_HPP

#include <examples/kca/options.hpp>

namespace kca {

/// Reads, fits, writes and reports. Returns the exit status. Throws mercer::InvalidArgument, with
/// the option or the file.
[[nodiscard]] int run_mixture(const Options& options);

}  // namespace kca

#endif  // MERCER_EXAMPLES_KCA_MIXTURE_HPP
