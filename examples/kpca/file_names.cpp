// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/file_names.hpp>

#include <cstddef>
#include <filesystem>
#include <system_error>

#include <mercer/core/errors.hpp>

namespace kpca {
namespace {

/// A file and the option that it comes from, as the user gave it.
struct NamedFile {
  std::string option;
  std::filesystem::path path;
};

[[nodiscard]] std::vector<NamedFile> files_read(const Options& options) {
  std::vector<NamedFile> files;
  const auto add = [&](const std::string& option, const std::string& path) {
    if (!path.empty()) files.push_back({option + path, path});
  };
  add("INPUT ", options.input);
  add("--project ", options.project);
  add("--labels ", options.labels);
  add("--load ", options.load);
  return files;
}

[[nodiscard]] std::vector<NamedFile> files_written(const Options& options) {
  std::vector<NamedFile> files;
  const auto add = [&](const std::string& option, const std::string& path) {
    if (!path.empty()) files.push_back({option + path, path});
  };
  add("--save ", options.save);
  add("--state ", options.solver.state);
  std::vector<std::string> names = result_names(options);
  if (options.load.empty()) names.emplace_back("scores.svg");
  for (const mercer::Index t : options.solver.checkpoints)
    for (const std::string& name : iterate_names(t)) names.push_back(name);
  for (const std::string& name : names)
    files.push_back({"--out " + options.out, std::filesystem::path(options.out) / name});
  return files;
}

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

std::array<std::string, 2> iterate_names(mercer::Index t) {
  const std::string name = "iterate_" + std::to_string(t);
  return {name + "_values.npy", name + "_vectors.npy"};
}

std::vector<std::string> result_names(const Options& options) {
  std::vector<std::string> names;
  if (options.load.empty()) names = {"scores.npy", "eigenvalues.npy"};
  if (!options.project.empty()) names.emplace_back("projected.npy");
  names.emplace_back("report.json");
  return names;
}

void require_separate_files(const Options& options) {
  const std::vector<NamedFile> read = files_read(options), written = files_written(options);
  for (std::size_t i = 0; i < written.size(); ++i) {
    for (const NamedFile& input : read)
      if (same_file(written[i].path, input.path))
        throw mercer::InvalidArgument(written[i].option + ": " + written[i].path.string() +
                                      " would overwrite " + input.option);
    for (std::size_t j = 0; j < i; ++j)
      if (same_file(written[i].path, written[j].path))
        throw mercer::InvalidArgument(written[j].option + ": " + written[i].path.string() +
                                      " is also written for " + written[i].option);
  }
}

}  // namespace kpca
