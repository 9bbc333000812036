// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/saved_model.hpp>

#if defined(MERCER_HAS_CEREAL)  // by the CMake target mercer::archive

#include <cstdio>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/archive.hpp>
#include <mercer/io/text.hpp>
#include <mercer/runtime/table.hpp>

#include <examples/kpca/fit.hpp>
#include <examples/kpca/fit_features.hpp>
#include <examples/kpca/fit_results.hpp>
#include <examples/kpca/inputs.hpp>
#include <examples/kpca/outputs.hpp>
#include <examples/kpca/run_options.hpp>
#include <examples/kpca/tables.hpp>

namespace kpca {
namespace {

template <mercer::Real S>
[[nodiscard]] Results<S> project_with(const mercer::io::Archive& archive, const Options& options) {
  const std::string& kernel = archive.header().kernel;
  if (!mercer::find_entry(kernel_entries(), kernel))
    throw mercer::InvalidArgument(options.load + ": holds a model of the kernel " + kernel +
                                  ", which kpca does not have");
  const bool over_features = !archive.header().features.empty();
  return with_column_advice(options.columns, column_advice, [&] {
    return over_features
               ? project_features<S>(archive, options.project, options.columns_of_new_samples())
               : project<S>(archive, options.project, options.columns_of_new_samples());
  });
}

template <mercer::Real S>
void run(const mercer::io::Archive& archive, const Options& options) {
  const Outputs outputs(options);
  outputs.prepare();
  const Results<S> results = project_with<S>(archive, options);
  if (!results.projection_problem.empty())
    throw mercer::InvalidArgument(results.projection_problem);
  if (!succeeded(results.report.status))
    std::fprintf(stderr, "kpca: %s: the fit of this model ended with the status '%s'\n",
                 mercer::io::printable(options.load).c_str(),
                 std::string(to_string(results.report.status)).c_str());
  outputs.write_projection(results, archive.header().kernel, options);
  const mercer::Report& report = results.report;
  using mercer::io::printable;  // the file may be anyone's
  std::printf(
      "%s: %lld components of %lld samples of dimension %lld\nkernel %s%s\nsolver %s\n\n"
      "%s: %lld samples projected\nwritten to %s\n",
      printable(options.load).c_str(), static_cast<long long>(report.components),
      static_cast<long long>(report.samples), static_cast<long long>(report.dimension),
      printable(report.kernel).c_str(), results.centered ? "" : " (not centred)",
      printable(describe_solver(report)).c_str(), printable(options.project).c_str(),
      static_cast<long long>(results.projected.rows()), printable(outputs.list(false)).c_str());
}

}  // namespace

void project_with_saved_model(const Options& options) {
  const mercer::io::Archive archive(options.load);
  std::string type = archive.header().type;
  if (type.starts_with(standardized_type)) type.erase(0, standardized_type.size());
  if (type != "kernel-pca" && type != "feature-pca")
    throw mercer::InvalidArgument(options.load + ": holds no model of kernel PCA, but a " + type);
  if (archive.header().scalar != to_string(mercer::Precision::Single)) {
    run<double>(archive, options);
    return;
  }
#if defined(MERCER_DOUBLE_ALONE)
  throw mercer::InvalidArgument(options.load + ": the model is in single precision; " +
                                without_single_precision());
#else
  run<float>(archive, options);
#endif
}

}  // namespace kpca

#else

namespace kpca {

// Never called: parse_options() refuses --load.
void project_with_saved_model(const Options&) {}

}  // namespace kpca

#endif
