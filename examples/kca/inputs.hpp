// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The files of kca, with all checks that need no fit.

#ifndef MERCER_EXAMPLES_KCA_INPUTS_HPP
#define MERCER_EXAMPLES_KCA_INPUTS_HPP

#include <string>
#include <vector>

#include <mercer/core/types.hpp>

#include <examples/kca/options.hpp>
#include <examples/kpca/separate_files.hpp>

namespace kca {

/// A view: all of its samples, and those that the fit sees.
struct View {
  std::string path;
  bool gram = false;                   ///< rows are of a precomputed Gram matrix
  mercer::Matrix<double> all = {};     ///< as a fitted model takes them
  mercer::Matrix<double> fitted = {};  ///< of the pairs to fit to
  mercer::Matrix<double> held = {};    ///< of the pairs held out
};

struct Pairs {
  View x, y;  ///< for sir, y is empty
  std::vector<mercer::Index> fitted, held;

  [[nodiscard]] mercer::Index rows() const { return x.all.rows(); }
  [[nodiscard]] mercer::Index to_fit() const { return x.fitted.rows(); }
};

/// The responses of sir.
struct Responses {
  Target target = Target::Automatic;     ///< never automatic
  mercer::Matrix<double> values = {};    ///< numbers of classes, where they are
  std::vector<std::string> labels = {};  ///< one for each row, if there is one column
  mercer::Index classes = 0;             ///< how many, if they are classes
};

/// The three views of mixture.
struct Triples {
  std::vector<std::string> names;  ///< files, or one with its columns
  std::vector<mercer::Matrix<double>> views;

  [[nodiscard]] mercer::Index rows() const { return views.front().rows(); }
  /// All of them.
  [[nodiscard]] std::string name() const { return names[0] + ", " + names[1] + ", " + names[2]; }
};

/// The files that a run reads, with their names on the command line.
[[nodiscard]] std::vector<kpca::NamedFile> files_read(const Options& options);

/// Reads the views of a mixture, or divides the columns of one file. Throws
/// mercer::InvalidArgument, with the file.
[[nodiscard]] Triples read_triples(const Options& options);

/// Reads these columns of a file. Sparse samples become dense. Throws mercer::InvalidArgument, with
/// the file, and for a column of words with the option, which ends in \p suffix, that leaves it
/// out.
[[nodiscard]] mercer::Matrix<double> read_dense(const std::string& path,
                                                const mercer::io::ColumnChoice& columns,
                                                const std::string& suffix = "");

/// Reads both views and holds out pairs as KernelCca does with the same seed. Sparse samples become
/// dense. Throws mercer::InvalidArgument, with the file.
[[nodiscard]] Pairs read_pairs(const Options& options);

/// Reads the responses to the samples of \p pairs. Throws mercer::InvalidArgument, with the file.
[[nodiscard]] Responses read_responses(const Options& options, const Pairs& pairs);

}  // namespace kca

#endif  // MERCER_EXAMPLES_KCA_INPUTS_HPP
