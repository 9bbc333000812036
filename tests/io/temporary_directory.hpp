// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Files for one test case, removed at its end, and the errors that reading them gives.

#ifndef MERCER_TESTS_IO_TEMPORARY_DIRECTORY_HPP
#define MERCER_TESTS_IO_TEMPORARY_DIRECTORY_HPP

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <mercer/core/errors.hpp>
#include <mercer/io/file.hpp>

namespace mercer::test {

/// A new directory of its own below the system's directory for temporary files.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    const std::filesystem::path base = std::filesystem::temp_directory_path();
    for (int number = 0;; ++number) {
      path_ = base / ("mercer_test_" + std::to_string(number));
      if (std::filesystem::create_directory(path_)) return;
    }
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }

  /// Writes a file, without the code under test, and returns its path.
  [[nodiscard]] std::string file(const std::string& name, std::string_view bytes) const {
    std::ofstream stream(path_ / name, std::ios::binary | std::ios::trunc);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream) throw std::runtime_error("cannot write " + path(name));
    return path(name);
  }

  /// The number of files and directories inside.
  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(std::filesystem::directory_iterator(path_),
                         std::filesystem::directory_iterator());
  }

 private:
  std::filesystem::path path_;
};

/// The bytes of a file, read without the code under test.
[[nodiscard]] inline std::string content_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// The message of the io::FileError that \p action throws.
template <class Action>
[[nodiscard]] std::string file_error(Action&& action) {
  try {
    (void)action();
  } catch (const io::FileError& error) {
    return error.what();
  }
  return "no error";
}

/// Runs \p action and tells whether it threw InvalidArgument; lets everything else through.
template <class Action>
[[nodiscard]] bool rejects(Action&& action) {
  try {
    (void)action();
  } catch (const InvalidArgument&) {
    return true;
  }
  return false;
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_IO_TEMPORARY_DIRECTORY_HPP
