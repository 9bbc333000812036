// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/standardize.hpp>

#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/io/npy/npy_stream.hpp>
#include <mercer/io/samples.hpp>

namespace kpca {

template <mercer::Real S>
void apply(const mercer::Standardize& standardize, SampleFile<S>& file) {
  in_context(file.path, [&] {
    file.samples =
        std::visit([&](const auto& x) { return mercer::io::Samples<S>(standardize.transform(x)); },
                   file.samples);
  });
}

template <mercer::Real S>
std::optional<mercer::Standardize> standardize(const Options& options, SampleFile<S>& file) {
  if (!options.standardize) return std::nullopt;
  if (options.standardize->centered &&
      std::holds_alternative<mercer::SparseMatrix<S>>(file.samples))
    throw mercer::InvalidArgument(file.path +
                                  ": --standardize: sparse samples lose their zeros if means are " +
                                  "subtracted; take --scale-only, or give them as .npy or .csv");
  const auto from = [&](auto& x) {
    if (file.weights.empty()) return mercer::Standardize(x, *options.standardize);
    const Eigen::Map<const mercer::Vector<double>> weights(
        file.weights.data(), static_cast<mercer::Index>(file.weights.size()));
    return mercer::Standardize(x, weights, *options.standardize);
  };
  const auto found = in_context(file.path, [&] {
    if (file.streamed_rows) {
      mercer::io::NpyStream<S> stream(file.path);
      return from(stream);
    }
    return std::visit([&](const auto& x) { return from(x); }, file.samples);
  });
  apply(found, file);
  return found;
}

template void apply(const mercer::Standardize&, SampleFile<double>&);
template std::optional<mercer::Standardize> standardize(const Options&, SampleFile<double>&);
#if !defined(MERCER_DOUBLE_ALONE)
template void apply(const mercer::Standardize&, SampleFile<float>&);
template std::optional<mercer::Standardize> standardize(const Options&, SampleFile<float>&);
#endif

}  // namespace kpca
