// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The last file of a run.

#ifndef MERCER_EXAMPLES_KPCA_REPORT_FILE_HPP
#define MERCER_EXAMPLES_KPCA_REPORT_FILE_HPP

#include <string>
#include <vector>

#include <examples/kpca/json.hpp>
#include <examples/kpca/output_parts.hpp>
#include <examples/kpca/separate_files.hpp>

namespace kpca {

/// The files that the run wrote whose report is in the directory; none without a report of these
/// programs. Names that no program writes are left out: anybody may have written the report.
[[nodiscard]] std::vector<std::string> files_of_last_run(const ResultDirectory& directory);

/// Writes report.json with the names of the run's files, after the other files and before the
/// pictures. Removes what is in the directory of an earlier run, as its report.json says, and not
/// of this one: it would look like a result of this run. Keeps the files that were read.
void write_report(const ResultDirectory& directory, Json report,
                  const std::vector<NamedFile>& read);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_REPORT_FILE_HPP
