// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// That no file is written which is read, or written twice.

#ifndef MERCER_EXAMPLES_KPCA_SEPARATE_FILES_HPP
#define MERCER_EXAMPLES_KPCA_SEPARATE_FILES_HPP

#include <filesystem>
#include <string>
#include <vector>

namespace kpca {

/// A file and the option that it comes from, as the user gave it.
struct NamedFile {
  std::string option;
  std::filesystem::path path;
};

/// Throws mercer::InvalidArgument, with the option and the file, if a file that is to be written is
/// one of those that are read, by whatever name or link, or another one that is written. A file
/// that is read may be named with one of its arrays, as in "file.npz:name".
void require_separate(const std::vector<NamedFile>& read, const std::vector<NamedFile>& written);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_SEPARATE_FILES_HPP
