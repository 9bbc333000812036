// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What both programs need to write a directory of results.

#ifndef MERCER_EXAMPLES_KPCA_OUTPUT_PARTS_HPP
#define MERCER_EXAMPLES_KPCA_OUTPUT_PARTS_HPP

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include <nlohmann/json.hpp>

#include <mercer/core/errors.hpp>
#include <mercer/io/file.hpp>

namespace kpca {

using Json = nlohmann::ordered_json;

/// The value, or null if there is none.
template <class T>
[[nodiscard]] Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// As text. The texts of a model may be no UTF-8, which JSON has to be.
[[nodiscard]] inline std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Makes the directory of --out if it is not there.
/// Throws mercer::InvalidArgument if it cannot be made.
inline void make_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error || !std::filesystem::is_directory(directory, error))
    throw mercer::InvalidArgument("--out " + directory + ": cannot create the directory: " +
                                  (error ? error.message() : "there is a file of this name"));
}

/// Throws, with the option in front, if there can be no file of this name.
inline void require_writable(const std::string& path, const std::string& option) {
  try {
    const mercer::io::AtomicFile probe(path);
  } catch (const mercer::io::FileError& problem) {
    throw mercer::InvalidArgument(option + ": " + problem.what());
  }
}

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_OUTPUT_PARTS_HPP
