// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/outputs.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <mercer/core/report.hpp>
#include <mercer/io/csv.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/io/text.hpp>
#include <mercer/version.hpp>

#include <examples/kpca/file_names.hpp>
#include <examples/kpca/json.hpp>
#include <examples/kpca/option_parts.hpp>
#include <examples/kpca/output_parts.hpp>
#include <examples/kpca/pictures.hpp>
#include <examples/kpca/report_file.hpp>
#include <examples/kpca/report_json.hpp>
#include <examples/kpca/solver_choice.hpp>
#include <examples/support/gnuplot.hpp>

namespace kpca {

namespace {

/// The iterations whose iterates are in files.
void add_checkpoints(Json& json, const mercer::Report& report,
                     const std::vector<mercer::Index>& checkpoints) {
  json["checkpoints"] = Json::array();
  for (const mercer::Index t : checkpoints)
    if (t <= report.iterations) json["checkpoints"].push_back(t);
}

/// What is known of a model, however it came here.
template <mercer::Real S>
void add_model(Json& json, const Results<S>& results) {
  const mercer::Report& r = results.report;
  json["n"] = r.samples;
  json["d"] = r.dimension;
  json["components"] = r.components;
  if (results.features) json["features"] = *results.features;
  json["centered"] = results.centered;
  if (results.standardize) {
    const mercer::Standardize& standardize = *results.standardize;
    Json columns;
    if (standardize.centered()) columns["mean"] = numbers(standardize.mean());
    columns["deviation"] = numbers(standardize.deviation());
    json["standardized"] = std::move(columns);
  }
  add_components(json, results.eigenvalues, results.explained_variance_ratio, r);
}

template <mercer::Real S>
void add_projection(Json& json, const Results<S>& results, const Options& options) {
  json["project"] = mercer::io::printable(options.project);
  json["projected_rows"] = results.projected.rows();
}

/// What is known of a model that was not fitted now.
template <mercer::Real S>
void add_known_model(Json& json, const Results<S>& results, const std::string& kernel) {
  const mercer::Report& r = results.report;
  add_solver(json, r, "");
  json["kernel"] = kernel;
  json["kernel_description"] = r.kernel;
  json["components_requested"] = or_null(r.components_requested);
  add_model(json, results);
  add_machine(json);
}

/// The report of a model that was loaded: the fit's, and what was done with it now.
template <mercer::Real S>
[[nodiscard]] Json make_report_of_loaded(const Results<S>& results, const std::string& kernel,
                                         const Options& options) {
  Json json;
  json["mercer_version"] = MERCER_VERSION_STRING;
  json["model"] = mercer::io::printable(options.load);
  add_known_model(json, results, kernel);
  add_projection(json, results, options);
  return json;
}

/// The report of a model that was merged from parts.
template <mercer::Real S>
[[nodiscard]] Json make_report_of_merged(const Results<S>& results, const std::string& kernel,
                                         const Options& options) {
  Json json;
  json["mercer_version"] = MERCER_VERSION_STRING;
  json["parts"] = Json::array();
  for (const std::string& part : options.parts.merged)
    json["parts"].push_back(mercer::io::printable(part));
  add_known_model(json, results, kernel);
  if (!results.saved_to.empty()) json["model"] = mercer::io::printable(results.saved_to);
  return json;
}

/// With the number of components given, errors are a list, one for each width; with that number
/// chosen, they are a list for each width, or for the width there is.
[[nodiscard]] Json cross_validation_json(const CrossValidation& validation) {
  Json json;
  if (!validation.parameter.empty()) {
    json["parameter"] = validation.parameter;
    json["grid"] = validation.grid;
    json["best"] = validation.best;
    json["at_edge"] = validation.at_edge;
  }
  json["criterion"] = validation.criterion;
  const auto list = [](const auto& errors) {
    return std::vector<double>(errors.begin(), errors.end());
  };
  if (validation.components) {
    json["component_counts"] = validation.counts;
    json["best_components"] = *validation.components;
    json["at_last_count"] = validation.at_last_count;
    for (mercer::Index i = 0; i < validation.errors.rows(); ++i)
      json["errors"].push_back(list(validation.errors.row(i)));
  } else {
    json["errors"] = list(validation.errors.col(0));
  }
  return json;
}

template <mercer::Real S>
[[nodiscard]] Json make_report(const Results<S>& results, const KernelChoice& kernel,
                               const SolverChoice& solver,
                               const std::optional<CrossValidation>& validation,
                               const examples::Stopwatch& watch, const Options& options) {
  const mercer::Report& r = results.report;
  Json json;
  json["mercer_version"] = MERCER_VERSION_STRING;
  json["input"] = mercer::io::printable(options.input);
  add_solver(json, r, options.solver.name);
  if (results.tolerance && r.solver != mercer::SolverId::Exact)
    json["tolerance"] = *results.tolerance;
  if (options.solver.trace_tolerance) json["trace_tolerance"] = *options.solver.trace_tolerance;
  add_settings(json, solver);
  if (r.solver == mercer::SolverId::Spgd) add_checkpoints(json, r, options.solver.checkpoints);
  json["phases"] = phases_json(r.phases);
  for (const examples::Stopwatch::Lap& lap : watch.laps())
    json["run_seconds"][lap.part] = lap.seconds;
  add_kernel(json, kernel, options.kernel.name, r);
  if (validation) json["cross_validation"] = cross_validation_json(*validation);
  add_request(json, options.components, r);
  add_model(json, results);
  json["memory_budget"] = results.memory_budget;
  add_machine(json);
  json["seed"] = options.seed;
  if (!options.project.empty()) add_projection(json, results, options);
  if (!results.saved_to.empty()) json["model"] = mercer::io::printable(results.saved_to);
  if (!options.labels.empty()) json["labels"] = mercer::io::printable(options.labels);
  if (options.weighted())
    json["weights"] =
        mercer::io::printable(options.weights.empty() ? options.columns.weights : options.weights);
  return json;
}

/// component_1, component_2, ...
[[nodiscard]] std::vector<std::string> component_names(mercer::Index count) {
  std::vector<std::string> names;
  for (mercer::Index i = 1; i <= count; ++i) names.push_back("component_" + std::to_string(i));
  return names;
}

/// Scores of no component as text: a blank line for each row. write_csv() refuses such a matrix,
/// since no reader could tell its rows.
void write_blank_lines(const std::string& path, mercer::Index rows) {
  mercer::io::write_file(path, std::string(static_cast<std::size_t>(rows), '\n'));
}

template <class Derived>
void write_scores(const std::string& path, const Eigen::MatrixBase<Derived>& scores,
                  const Options& options) {
  if (!options.as_csv)
    mercer::io::write_npy(path, scores);
  else if (scores.cols() == 0)
    write_blank_lines(path, scores.rows());
  else
    mercer::io::write_csv(path, scores, component_names(scores.cols()));
}

/// The scores of a stream.
template <mercer::Real S, class Writer>
void write_parts(const Results<S>& results, Writer writer) {
  results.score_parts([&](const mercer::Matrix<S>& part) { writer.append(part); });
  writer.commit();
}

}  // namespace

template <mercer::Real S>
void Outputs::write_eigenvalues(const Results<S>& results, const Options& options) const {
  const std::string eigenvalues = directory_.path(options.file_name("eigenvalues"));
  if (options.as_csv)
    mercer::io::write_csv(eigenvalues, results.eigenvalues, {"eigenvalue"});
  else
    mercer::io::write_npy(eigenvalues, results.eigenvalues);
}

template <mercer::Real S>
void Outputs::write_projected(const Results<S>& results, const Options& options) const {
  if (options.project.empty() || !results.projection_problem.empty()) return;
  write_scores(directory_.path(options.file_name("projected")), results.projected, options);
}

Outputs::Outputs(const Options& options)
    : directory_(result_directory(options)),
      model_(options.save),
      state_(needs_archive(options.solver) ? options.solver.state : ""),
      checkpoints_(options.solver.checkpoints) {}

void Outputs::prepare() const {
  directory_.prepare();
  for (const mercer::Index iteration : checkpoints_)
    for (const std::string& name : iterate_names(iteration)) directory_.require_writable(name);
  if (!model_.empty()) kpca::require_writable(model_, "--save");
  if (!state_.empty()) kpca::require_writable(state_, "--state");
}

void Outputs::write_iterate(mercer::Index t, const mercer::EigenSystem<double>& iterate) {
  const auto names = iterate_names(t);
  mercer::io::write_npy(directory_.path(names[0]), iterate.values);
  mercer::io::write_npy(directory_.path(names[1]), iterate.vectors);
  for (const std::string& name : names) directory_.add(name);
}

template <mercer::Real S>
void Outputs::write(const Results<S>& results, const KernelChoice& kernel,
                    const SolverChoice& solver, const std::optional<CrossValidation>& validation,
                    const examples::Stopwatch& watch, const Options& options) const {
  const std::string scores = directory_.path(options.file_name("scores"));
  if (results.score_parts && options.as_csv && results.scores.cols() == 0)
    write_blank_lines(scores, results.report.samples);
  else if (results.score_parts && options.as_csv)
    write_parts<S>(results, mercer::io::CsvWriter<S>(scores, results.scores.cols(),
                                                     component_names(results.scores.cols())));
  else if (results.score_parts)
    write_parts<S>(results,
                   mercer::io::NpyWriter<S>(scores, results.report.samples, results.scores.cols()));
  else
    write_scores(scores, results.scores, options);
  write_eigenvalues(results, options);
  write_projected(results, options);
  write_report(directory_, make_report(results, kernel, solver, validation, watch, options),
               files_read(options));
}

template <mercer::Real S>
void Outputs::write_projection(const Results<S>& results, const std::string& kernel,
                               const Options& options) const {
  write_projected(results, options);
  // The files of a fit stay, as they may be those of this very model, and in the list for the next.
  // Projected samples in the other format are those of an earlier run.
  std::vector<std::string> files = files_of_last_run(directory_);
  const auto others = std::stable_partition(
      files.begin(), files.end(),
      [](const std::string& name) { return !name.starts_with("projected."); });
  directory_.remove_others({others, files.end()}, files_read(options));
  files.erase(others, files.end());
  for (const std::string& name : directory_.names())
    if (std::find(files.begin(), files.end(), name) == files.end()) files.push_back(name);
  Json report = make_report_of_loaded(results, kernel, options);
  report["files"] = files;
  mercer::io::write_file(directory_.path("report.json"), to_text(report));
}

template <mercer::Real S>
void Outputs::write_merged(const Results<S>& results, const std::string& kernel,
                           const Options& options) const {
  write_eigenvalues(results, options);
  write_report(directory_, make_report_of_merged(results, kernel, options), files_read(options));
}

template <mercer::Real S>
void Outputs::write_variables(const Results<S>& results,
                              const std::vector<Variable>& variables) const {
  if (results.gradients.size() == 0) return;
  std::string text = "variable,deviation";
  for (const std::string& name : component_names(results.gradients.cols())) text += "," + name;
  text += "\n";
  for (mercer::Index v = 0; v < results.gradients.rows(); ++v) {
    const Variable& variable = variables[static_cast<std::size_t>(v)];
    text += mercer::detail::name_field(variable.name) + "," +
            mercer::detail::to_text(variable.deviation);
    for (const S value : results.gradients.row(v)) text += "," + mercer::detail::to_text(value);
    text += "\n";
  }
  mercer::io::write_file(directory_.path("variables.csv"), text);
}

template <mercer::Real S>
std::string Outputs::draw(const Results<S>& results, const KernelChoice& choice,
                          const std::vector<std::string>& labels,
                          const std::optional<CrossValidation>& validation,
                          const std::vector<Variable>& variables, const Options& options) const {
  if (results.scores.cols() == 0) return "there are no components";
  const PicturedScores scores{
      .scores = results.scores.template cast<double>(),
      .projected = results.projected.template cast<double>(),
      .ratio = results.explained_variance_ratio.template cast<double>(),
      .labels = labels,
      .kind = label_kind(options, labels),
      .title = picture_title(options, kpca::describe(choice, options.kernel.name))};
  std::string problem;
  const auto save = [&](const std::string& name, const examples::Picture& picture) {
    if (problem.empty()) problem = picture.save(directory_.path(name));
  };
  if (options.pictures.has("scores")) save("scores.svg", draw_scores(scores));
  if (options.pictures.has("scree")) save("scree.svg", draw_scree(scores));
  if (options.pictures.has("pairs")) save("pairs.svg", draw_pairs(scores));
  if (results.gradients.size() > 0)
    save("variables.svg",
         draw_variables(results.gradients.template cast<double>(), variables, scores.title));
  if (validation) save(options.cross_validation_picture(), draw_errors(*validation, options));
  return problem;
}

template void Outputs::write(const Results<double>&, const KernelChoice&, const SolverChoice&,
                             const std::optional<CrossValidation>&, const examples::Stopwatch&,
                             const Options&) const;
template void Outputs::write_projection(const Results<double>&, const std::string&,
                                        const Options&) const;
template void Outputs::write_merged(const Results<double>&, const std::string&,
                                    const Options&) const;
template std::string Outputs::draw(const Results<double>&, const KernelChoice&,
                                   const std::vector<std::string>&,
                                   const std::optional<CrossValidation>&,
                                   const std::vector<Variable>&, const Options&) const;
template void Outputs::write_variables(const Results<double>&, const std::vector<Variable>&) const;
#if !defined(MERCER_DOUBLE_ALONE)
template void Outputs::write(const Results<float>&, const KernelChoice&, const SolverChoice&,
                             const std::optional<CrossValidation>&, const examples::Stopwatch&,
                             const Options&) const;
template void Outputs::write_projection(const Results<float>&, const std::string&,
                                        const Options&) const;
template void Outputs::write_merged(const Results<float>&, const std::string&,
                                    const Options&) const;
template std::string Outputs::draw(const Results<float>&, const KernelChoice&,
                                   const std::vector<std::string>&,
                                   const std::optional<CrossValidation>&,
                                   const std::vector<Variable>&, const Options&) const;
template void Outputs::write_variables(const Results<float>&, const std::vector<Variable>&) const;
#endif

}  // namespace kpca
