// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/separate_files.hpp>

#include <cstddef>
#include <system_error>

#include <mercer/core/errors.hpp>
#include <mercer/io/file.hpp>

namespace kpca {
namespace {

/// Whether both are one file, or would be if they were there.
[[nodiscard]] bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  // A name of which nothing is there yet stays relative unless it is made absolute before.
  const auto whole = [&](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
  };
  const std::filesystem::path whole_a = whole(a);
  if (error) return false;  // such a name cannot be written to either
  return whole(b) == whole_a && !error;
}

}  // namespace

void require_separate(const std::vector<NamedFile>& read, const std::vector<NamedFile>& written) {
  for (std::size_t i = 0; i < written.size(); ++i) {
    for (const NamedFile& input : read)
      if (same_file(written[i].path, mercer::detail::file_and_array(input.path.string()).first))
        throw mercer::InvalidArgument(written[i].option + ": " + written[i].path.string() +
                                      " would overwrite " + input.option);
    for (std::size_t j = 0; j < i; ++j)
      if (same_file(written[i].path, written[j].path))
        throw mercer::InvalidArgument(written[j].option + ": " + written[i].path.string() +
                                      " is also written for " + written[i].option);
  }
}

}  // namespace kpca
