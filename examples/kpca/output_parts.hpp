// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What both programs need to write a directory of results.

#ifndef MERCER_EXAMPLES_KPCA_OUTPUT_PARTS_HPP
#define MERCER_EXAMPLES_KPCA_OUTPUT_PARTS_HPP

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/file.hpp>

#include <examples/kpca/separate_files.hpp>

namespace kpca {

/// Makes the directory of --out if it is not there.
/// Throws mercer::InvalidArgument if it cannot be made.
inline void make_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error || !std::filesystem::is_directory(directory, error))
    throw mercer::InvalidArgument("--out " + directory + ": cannot create the directory: " +
                                  (error ? error.message() : "there is a file of this name"));
}

/// Calls \p action. What it says of a file gets the option in front.
template <class Action>
auto with_option(const std::string& option, Action&& action) {
  try {
    return action();
  } catch (const mercer::io::FileError& problem) {
    throw mercer::InvalidArgument(option + ": " + problem.what());
  }
}

/// Throws, with the option in front, if there can be no file of this name.
inline void require_writable(const std::string& path, const std::string& option) {
  with_option(option, [&] { const mercer::io::AtomicFile probe(path); });
}

/// iterate_<t>_values.npy and iterate_<t>_vectors.npy, of --checkpoints.
[[nodiscard]] inline std::array<std::string, 2> iterate_names(mercer::Index t) {
  const std::string name = "iterate_" + std::to_string(t);
  return {name + "_values.npy", name + "_vectors.npy"};
}

/// The directory of --out, and the names of the files that a run writes to it.
class ResultDirectory {
 public:
  /// \p pictures may fail to appear: they need gnuplot.
  ResultDirectory(std::string directory, std::vector<std::string> files,
                  std::vector<std::string> pictures)
      : directory_(std::move(directory)),
        files_(std::move(files)),
        pictures_(std::move(pictures)) {}

  [[nodiscard]] std::string path(const std::string& name) const {
    return (std::filesystem::path(directory_) / name).string();
  }

  /// One more file, which was written beside the others.
  void add(const std::string& name) { files_.push_back(name); }

  /// A file that was to be written, but is not.
  void leave_out(const std::string& name) { std::erase(files_, name); }

  /// All files with their option, for require_separate().
  [[nodiscard]] std::vector<NamedFile> named_files() const {
    std::vector<NamedFile> named;
    for (const auto* names : {&files_, &pictures_})
      for (const std::string& name : *names) named.push_back({"--out " + directory_, path(name)});
    return named;
  }

  /// The names of all files, then of the pictures.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all = files_;
    all.insert(all.end(), pictures_.begin(), pictures_.end());
    return all;
  }

  /// Removes files of an earlier run, which would look like results of this one: those of \p
  /// earlier that are not among this run's files, or are pictures, which this run may fail to draw.
  /// Keeps what is in \p read, and what is no plain name.
  void remove_others(const std::vector<std::string>& earlier,
                     const std::vector<NamedFile>& read) const {
    for (const std::string& name : earlier) {
      std::error_code error;
      const std::filesystem::path file = path(name);
      const bool written = std::find(files_.begin(), files_.end(), name) != files_.end();
      const bool is_input = std::any_of(read.begin(), read.end(), [&](const NamedFile& input) {
        const std::string read_file = mercer::detail::file_and_array(input.path.string()).first;
        return std::filesystem::equivalent(file, read_file, error);
      });
      if (!written && !is_input && file.filename() == name &&
          std::filesystem::is_regular_file(file, error))
        std::filesystem::remove(file, error);
    }
  }

  /// Makes the directory if it is not there, and finds out whether the files can be written to it.
  /// Throws mercer::InvalidArgument if not.
  void prepare() const {
    make_directory(directory_);
    for (const std::string& name : files_) require_writable(name);
  }
  void require_writable(const std::string& name) const {
    kpca::require_writable(path(name), "--out " + directory_);
  }

  /// The names of the files, one after the other.
  [[nodiscard]] std::string list(bool with_pictures) const {
    std::string text = directory_ + ":";
    for (const std::string& name : files_) text += " " + name;
    if (with_pictures)
      for (const std::string& name : pictures_) text += " " + name;
    return text;
  }

  [[nodiscard]] const std::vector<std::string>& pictures() const { return pictures_; }

 private:
  std::string directory_;
  std::vector<std::string> files_, pictures_;
};

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_OUTPUT_PARTS_HPP
