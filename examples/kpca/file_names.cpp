// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/file_names.hpp>

#include <filesystem>

#include <examples/kpca/separate_files.hpp>

namespace kpca {
namespace {

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
  require_separate(files_read(options), files_written(options));
}

}  // namespace kpca
