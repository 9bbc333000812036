// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel ICA of the columns of a file: from the file to the results.

#ifndef MERCER_EXAMPLES_KCA_ICA_HPP
#define MERCER_EXAMPLES_KCA_ICA_HPP

#include <examples/kca/options.hpp>

namespace kca {

/// Reads, fits, writes and reports. Returns the exit status. Throws mercer::InvalidArgument, with
/// the option or the file.
[[nodiscard]] int run_ica(const Options& options);

}  // namespace kca

#endif  // MERCER_EXAMPLES_KCA_ICA_HPP
