// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/file_names.hpp>

#include <string>
#include <vector>

namespace kpca {
namespace {

[[nodiscard]] std::vector<NamedFile> files_written(const Options& options) {
  if (!options.parts.out.empty())
    return {{"--partial-out " + options.parts.out, options.parts.out}};
  ResultDirectory directory = result_directory(options);
  for (const mercer::Index t : options.solver.checkpoints)
    for (const std::string& name : iterate_names(t)) directory.add(name);
  std::vector<NamedFile> files;
  if (!options.save.empty())
    for (const std::string& path : {options.save, partial_model(options.save)})
      files.push_back({"--save " + options.save, path});
  if (!options.solver.state.empty())
    files.push_back({"--state " + options.solver.state, options.solver.state});
  for (const NamedFile& file : directory.named_files()) files.push_back(file);
  return files;
}

}  // namespace

ResultDirectory result_directory(const Options& options) {
  std::vector<std::string> names, pictures;
  if (!options.parts.merged.empty()) {
    names = {options.file_name("eigenvalues")};
  } else if (options.load.empty()) {
    names = {options.file_name("scores"), options.file_name("eigenvalues")};
    for (const char* const name : {"scores", "scree", "pairs"})
      if (options.pictures.has(name)) pictures.push_back(name + std::string(".svg"));
    if (options.variables) {
      names.emplace_back("variables.csv");
      pictures.emplace_back("variables.svg");
    }
    if (const std::string picture = options.cross_validation_picture(); !picture.empty())
      pictures.push_back(picture);
  }
  if (!options.project.empty()) names.push_back(options.file_name("projected"));
  names.emplace_back("report.json");
  return {options.out, names, pictures};
}

std::vector<NamedFile> files_read(const Options& options) {
  std::vector<NamedFile> files;
  const auto add = [&](const std::string& option, const std::string& path) {
    if (!path.empty() && path != "-") files.push_back({option + path, path});
  };
  add("INPUT ", options.input);
  add("--project ", options.project);
  add("--labels ", options.labels);
  add("--weights ", options.weights);
  add("--load ", options.load);
  add("--partial-like ", options.parts.like);
  add("--landmarks-from ", options.parts.landmarks);
  for (const std::string& part : options.parts.merged) add("PARTS ", part);
  return files;
}

void require_separate_files(const Options& options) {
  require_separate(files_read(options), files_written(options));
}

}  // namespace kpca
