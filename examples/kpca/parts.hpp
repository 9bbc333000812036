// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// kpca --partial-out and kpca merge: fits by parts of the rows.

#ifndef MERCER_EXAMPLES_KPCA_PARTS_HPP
#define MERCER_EXAMPLES_KPCA_PARTS_HPP

#include <examples/kpca/options.hpp>

namespace kpca {

/// Sums over the rows of INPUT, writes the sums to the file of --partial-out and says so. Returns
/// the exit status. Throws mercer::InvalidArgument for what does not fit together.
[[nodiscard]] int write_part(const Options& options);

/// Merges the parts, and writes the results of all rows, or the merged part. Returns the exit
/// status. Throws mercer::InvalidArgument, with the names of both files, for parts that are not of
/// one fit.
[[nodiscard]] int merge_parts(const Options& options);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_PARTS_HPP
