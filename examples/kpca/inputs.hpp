// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Reading what kpca is given, with all checks that need no fit.

#ifndef MERCER_EXAMPLES_KPCA_INPUTS_HPP
#define MERCER_EXAMPLES_KPCA_INPUTS_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/streams/shuffled_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/columns.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/npy/npy_stream.hpp>
#include <mercer/io/samples.hpp>

namespace kpca {

/// Samples and the name of the file they came from, for messages.
template <mercer::Real S>
struct SampleFile {
  std::string path;
  mercer::io::Samples<S> samples;
  /// Of a file that is not in memory as a whole: its rows, of which samples are some.
  std::optional<mercer::Index> streamed_rows = {};
  std::vector<std::string> column_names = {};  ///< empty if the file has none
  std::vector<std::string> labels = {};        ///< of the column that was chosen for them

  [[nodiscard]] mercer::Index rows() const {
    return streamed_rows ? *streamed_rows
                         : std::visit([](const auto& x) { return x.rows(); }, samples);
  }
  [[nodiscard]] mercer::Index columns() const {
    return std::visit([](const auto& x) { return x.cols(); }, samples);
  }
};

/// Samples in the form X.
template <mercer::OwnedSamples X>
[[nodiscard]] X in_form(const mercer::io::Samples<typename X::Scalar>& samples) {
  return std::visit(
      [](const auto& x) -> X {
        constexpr bool is_sparse = mercer::SparseSamples<std::decay_t<decltype(x)>>;
        if constexpr (mercer::SparseSamples<X> && !is_sparse)
          return x.sparseView();
        else
          return X(x);
      },
      samples);
}

/// Calls \p action; if it throws for a mistake of the caller, the message gets \p where in front.
template <class Action>
auto in_context(const std::string& where, Action&& action) {
  try {
    return action();
  } catch (const mercer::io::FileError&) {
    throw;  // names its file already
  } catch (const mercer::InvalidArgument& error) {
    throw mercer::InvalidArgument(where + ": " + error.what());
  }
}

/// Throws for an empty matrix and for a value that is not finite (only .npy files can hold one).
template <mercer::Real S>
void require_usable(const SampleFile<S>& file) {
  if (file.rows() == 0 || file.columns() == 0)
    throw mercer::InvalidArgument(file.path + ": no samples: the matrix is " +
                                  std::to_string(file.rows()) + " x " +
                                  std::to_string(file.columns()));
  const auto* dense = std::get_if<mercer::Matrix<S>>(&file.samples);
  if (dense == nullptr || dense->allFinite()) return;
  for (mercer::Index i = 0; i < dense->rows(); ++i)
    for (mercer::Index j = 0; j < dense->cols(); ++j)
      if (!std::isfinite((*dense)(i, j)))
        throw mercer::InvalidArgument(
            file.path + ": values must be finite, got " + std::to_string((*dense)(i, j)) +
            " at row " + std::to_string(i) + ", column " + std::to_string(j) + " (counted from 0)");
}

/// Reads samples with \p columns columns, or any number of them if it is 0. Compiled once for each
/// precision, in inputs.cpp: the readers of all formats are long.
template <mercer::Real S>
[[nodiscard]] SampleFile<S> read_sample_file(const std::string& path, mercer::Index columns = 0,
                                             const mercer::io::ColumnChoice& choice = {});

/// What a column is called: by its name, or by its number, counted from 1.
template <mercer::Real S>
[[nodiscard]] std::string column_name(const SampleFile<S>& file, mercer::Index column);

/// What is odd about the columns, a sentence each: one that looks like an identifier, and scales
/// that differ so much that a few columns decide all distances.
template <mercer::Real S>
[[nodiscard]] std::vector<std::string> oddities(const SampleFile<S>& file, bool standardized);

/// Whether a file can be read piece by piece.
[[nodiscard]] inline bool is_streamable(const std::string& path) {
  return path.ends_with(".npy") || path.ends_with(".NPY");
}

/// A file that is to be read as a stream: some 4000 of its rows, drawn at random.
template <mercer::Real S>
[[nodiscard]] SampleFile<S> sample_of_file(const std::string& path, std::uint64_t seed) {
  constexpr mercer::Index most = 4000;
  mercer::io::NpyStream<S> stream(path);
  mercer::ShuffledStream shuffled(stream, {.seed = seed});
  mercer::Matrix<S> rows((std::min)(most, stream.rows()), stream.dimension());
  static_cast<void>(shuffled.read(rows));
  SampleFile<S> file{path, std::move(rows), stream.rows()};
  require_usable(file);
  return file;
}

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_INPUTS_HPP
