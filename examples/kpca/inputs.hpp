// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Reading what kpca is given, with all checks that need no fit.

#ifndef MERCER_EXAMPLES_KPCA_INPUTS_HPP
#define MERCER_EXAMPLES_KPCA_INPUTS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/columns.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/file_error.hpp>
#include <mercer/io/samples.hpp>
#include <mercer/operators/gram_plan.hpp>

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
  std::vector<double> weights = {};            ///< the same
  /// Of a file that is not in memory as a whole: which of its rows samples are.
  std::vector<mercer::Index> numbers = {};
  std::optional<bool> indices_from_zero = {};  ///< see mercer::io::SampleTable

  /// The weights of samples; none if the file's rows have none.
  [[nodiscard]] mercer::Vector<double> sample_weights() const {
    const mercer::Vector<double> all = Eigen::Map<const mercer::Vector<double>>(
        weights.data(), static_cast<mercer::Index>(weights.size()));
    return numbers.empty() || weights.empty() ? all : mercer::detail::take_entries(all, numbers);
  }

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
  } catch (const mercer::BudgetTooSmall&) {
    throw;  // is said in words of options
  } catch (const mercer::InvalidArgument& error) {
    throw mercer::InvalidArgument(where + ": " + error.what());
  }
}

/// What can be done about a column of words, which is what stops most people.
inline constexpr const char* column_advice =
    "--drop leaves columns out, --label-column takes one as labels";

/// Calls \p read; if it throws for a column of words, and no columns were chosen, the message gets
/// \p advice at its end. It ends with the word, unless the reader has said what is wrong with that.
template <class Read>
auto with_column_advice(const mercer::io::ColumnChoice& choice, const std::string& advice,
                        Read&& read) {
  try {
    return read();
  } catch (const mercer::io::FileError& error) {
    const std::string text = error.what();
    if (text.find(": not a number at line ") == std::string::npos || !text.ends_with('\'') ||
        !choice.is_all())
      throw;
    throw mercer::io::FileError(text + "; " + advice);
  }
}

/// What to add to a message about values or distances in single precision.
template <mercer::Real S>
inline constexpr const char* precision_advice =
    std::is_same_v<S, float> ? "; this is in single precision, take --precision double" : "";

// What reads files is compiled once for each precision, in inputs.cpp: the readers of all formats
// are long.

/// Throws mercer::InvalidArgument, with row and column counted from 1, for the first value in some
/// rows of a file that is not finite.
/// \param first  the number of the rows before them
template <mercer::Real S>
void require_finite(const std::string& path, const mercer::Matrix<S>& rows,
                    mercer::Index first = 0);

/// Reads samples with \p columns columns, or any number of them if it is 0.
/// \param indices_from_zero  those of LIBSVM's format, even if none is 0
template <mercer::Real S>
[[nodiscard]] SampleFile<S> read_sample_file(const std::string& path, mercer::Index columns = 0,
                                             const mercer::io::ColumnChoice& choice = {},
                                             bool indices_from_zero = false);

/// Throws mercer::InvalidArgument, with both, if the columns of new samples have other names than
/// those of \p known, or the same in another order, or if their indices alone count from 0. Columns
/// without names may be any.
template <mercer::Real S>
void require_same_columns(const SampleFile<S>& fresh, const SampleFile<S>& known);

/// Says on standard error that the first line of a table was taken as names, if one of them is a
/// number: it may be a row of samples with a mistake.
void tell_of_names(const std::string& path, const std::vector<std::string>& names,
                   const std::string& program);
template <mercer::Real S>
void tell_of_names(const SampleFile<S>& file);

/// The labels of samples, one in each row of a file. Says on standard error if the first line was
/// taken as a name, but is one of the labels, too.
[[nodiscard]] std::vector<std::string> read_labels(const std::string& path, mercer::Index samples);

/// The weights of samples, one in each row of a file.
[[nodiscard]] std::vector<double> read_weights(const std::string& path, mercer::Index samples);

/// What a column is called: by its name, or by its number, counted from 1.
template <mercer::Real S>
[[nodiscard]] std::string column_name(const SampleFile<S>& file, mercer::Index column);

/// What is odd about the columns, a sentence each: one that looks like an identifier (whole numbers
/// of which no two are the same, of 50 rows or more, or the numbers of the rows), and scales that
/// differ so much that a few columns decide all distances.
template <mercer::Real S>
[[nodiscard]] std::vector<std::string> oddities(const SampleFile<S>& file, bool standardized);

/// Whether a file can be read piece by piece.
[[nodiscard]] inline bool is_streamable(const std::string& path) {
  return path.ends_with(".npy") || path.ends_with(".NPY");
}

/// A file that is to be read as a stream: some 4000 of its rows, drawn at random.
template <mercer::Real S>
[[nodiscard]] SampleFile<S> sample_of_file(const std::string& path, std::uint64_t seed);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_INPUTS_HPP
