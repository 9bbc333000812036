// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/report_file.hpp>

#include <string>

#include <mercer/io/file.hpp>
#include <mercer/io/file_error.hpp>

namespace kpca {

std::vector<std::string> files_of_last_run(const ResultDirectory& directory) {
  try {
    const Json json = Json::parse(mercer::io::read_file(directory.path("report.json")));
    return json.at("files").get<std::vector<std::string>>();
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
  mercer::io::write_file(directory.path("report.json"), to_text(report));
}

}  // namespace kpca
