// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Which files kpca reads and writes, and that these are not the same.

#ifndef MERCER_EXAMPLES_KPCA_FILE_NAMES_HPP
#define MERCER_EXAMPLES_KPCA_FILE_NAMES_HPP

#include <string>
#include <vector>

#include <examples/kpca/options.hpp>
#include <examples/kpca/output_parts.hpp>
#include <examples/kpca/separate_files.hpp>

namespace kpca {

/// Where a model goes that --save asks for, if the fit was interrupted.
[[nodiscard]] inline std::string partial_model(const std::string& save) {
  return save + ".partial";
}

/// The files of every run in the directory of --out.
[[nodiscard]] ResultDirectory result_directory(const Options& options);

/// The files that a run reads, each with its option.
[[nodiscard]] std::vector<NamedFile> files_read(const Options& options);

/// Throws mercer::InvalidArgument, with the option and the file, if a file that is to be written is
/// one of those that are read, by whatever name or link, or another one that is written.
void require_separate_files(const Options& options);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_FILE_NAMES_HPP
