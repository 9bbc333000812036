// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// kpca --standardize and --scale-only.

#ifndef MERCER_EXAMPLES_KPCA_STANDARDIZE_HPP
#define MERCER_EXAMPLES_KPCA_STANDARDIZE_HPP

#include <optional>
#include <string>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/core/standardize.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/npy/npy_stream.hpp>
#include <mercer/io/samples.hpp>

#include <examples/kpca/inputs.hpp>
#include <examples/kpca/options.hpp>

namespace kpca {

/// Brings the samples of a file, those in memory, to standard units.
template <mercer::Real S>
void apply(const mercer::Standardize& standardize, SampleFile<S>& file) {
  in_context(file.path, [&] {
    file.samples =
        std::visit([&](const auto& x) { return mercer::io::Samples<S>(standardize.transform(x)); },
                   file.samples);
  });
}

/// If the options want it, brings the samples in memory to standard units. Returns what was done to
/// them. Of a file that is read piece by piece, all rows count. Throws mercer::InvalidArgument.
template <mercer::Real S>
[[nodiscard]] std::optional<mercer::Standardize> standardize(const Options& options,
                                                             SampleFile<S>& file) {
  if (!options.standardize) return std::nullopt;
  if (options.standardize->centered &&
      std::holds_alternative<mercer::SparseMatrix<S>>(file.samples))
    throw mercer::InvalidArgument(
        file.path + ": --standardize: sparse samples (LIBSVM) lose their zeros if means are " +
        "subtracted; take --scale-only, or give them as .npy or .csv");
  const auto found = in_context(file.path, [&] {
    if (file.streamed_rows) {
      mercer::io::NpyStream<S> stream(file.path);
      return mercer::Standardize(stream, *options.standardize);
    }
    return std::visit([&](const auto& x) { return mercer::Standardize(x, *options.standardize); },
                      file.samples);
  });
  apply(found, file);
  return found;
}

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_STANDARDIZE_HPP
