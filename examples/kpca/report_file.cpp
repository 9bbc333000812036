// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/report_file.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/file_error.hpp>

#include <examples/kpca/table_options.hpp>

namespace kpca {
namespace {

/// The files that the programs write to the directory of --out, but for those of --checkpoints.
constexpr std::string_view result_names[] = {
    "report.json",
    // kpca and kpca-mpi
    "scores.npy", "scores.csv", "eigenvalues.npy", "eigenvalues.csv", "projected.npy",
    "projected.csv", "variables.csv", "scores.svg", "scree.svg", "pairs.svg", "variables.svg",
    "bandwidth.svg", "components.svg",
    // kca
    "scores_x.npy", "scores_y.npy", "correlations.csv", "holdout_rows.txt", "correlations.svg",
    "sources.npy", "unmixing.npy", "mixing.npy", "sources.svg", "weights.npy", "expectations.npy",
    "expectations_1.npy", "expectations_2.npy", "expectations_3.npy", "densities.csv",
    "densities.svg"};

[[nodiscard]] bool is_result(const std::string& name) {
  if (std::find(std::begin(result_names), std::end(result_names), name) != std::end(result_names))
    return true;
  constexpr std::string_view iterate = "iterate_";
  if (!name.starts_with(iterate)) return false;
  const std::size_t begin = iterate.size(), end = (std::min)(name.find('_', begin), name.size());
  const auto t = parse_number<mercer::Index>(std::string_view(name).substr(begin, end - begin));
  if (!t) return false;
  const auto names = iterate_names(*t);
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string> files_of_last_run(const ResultDirectory& directory) {
  try {
    const Json json = Json::parse(mercer::io::read_file(directory.path("report.json")));
    static_cast<void>(json.at("mercer_version").get<std::string>());
    auto files = json.at("files").get<std::vector<std::string>>();
    std::erase_if(files, [](const std::string& name) { return !is_result(name); });
    return files;
  } catch (const mercer::io::FileError&) {
    return {};
  } catch (const Json::exception&) {
    return {};
  }
}

void write_report(const ResultDirectory& directory, Json report,
                  const std::vector<NamedFile>& read) {
  directory.remove_others(files_of_last_run(directory), read);
  report["files"] = directory.names();
  MERCER_ASSERT(std::all_of(report["files"].begin(), report["files"].end(),
                            [](const Json& name) { return is_result(name); }));
  mercer::io::write_file(directory.path("report.json"), to_text(report));
}

}  // namespace kpca
