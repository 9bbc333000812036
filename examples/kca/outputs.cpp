// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kca/outputs.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <utility>
#include <variant>

#include <mercer/core/report.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/io/text.hpp>
#include <mercer/version.hpp>

#include <examples/kpca/json.hpp>
#include <examples/kpca/output_parts.hpp>
#include <examples/kpca/report_file.hpp>
#include <examples/kpca/solver_choice.hpp>

namespace kca {
namespace {

using kpca::Json;
using kpca::or_null;
using mercer::io::printable;

[[nodiscard]] std::vector<std::string> result_names(const Options& options) {
  std::vector<std::string> names = {"report.json", "scores_x.npy"};
  if (options.two_kernels()) names.emplace_back("scores_y.npy");
  names.emplace_back("correlations.csv");
  if (options.holdout > 0) names.emplace_back("holdout_rows.txt");
  return names;
}

void add_views(Json& json, const Task& task, const Results& results) {
  const Options& o = task.options;
  json["views"] = Json::array();
  for (std::size_t i = 0; i < results.views.size(); ++i)
    json["views"].push_back(view_json(i == 0 ? o.x : o.y, i == 0 ? o.kernel_x : o.kernel_y,
                                      results.views[i], results.report.views[i]));
}

void add_choice(Json& json, const Results& results) {
  json["regularization"] = *results.regularization;
  if (results.ridges.grid.empty()) return;
  json["regularization_table"] = Json::array();
  for (std::size_t i = 0; i < results.ridges.grid.size(); ++i)
    json["regularization_table"].push_back(
        {{"regularization", results.ridges.grid[i]}, {"score", results.ridges.scores[i]}});
}

void add_responses(Json& json, const Task& task, const Results& results) {
  json["responses"] = printable(task.options.y);
  const Target target = task.responses.target;
  json["target"] = target == Target::Classes  ? "classes"
                   : target == Target::Slices ? "slices"
                                              : "outputs";
  if (target == Target::Classes) json["classes"] = task.responses.classes;
  if (target == Target::Slices) json["slices"] = results.slices;
  if (target == Target::Outputs) json["outputs"] = task.responses.values.cols();
}

[[nodiscard]] Json make_report(const Task& task, const Results& results) {
  const Options& o = task.options;
  const mercer::PairReport& r = results.report;
  Json json;
  json["mercer_version"] = MERCER_VERSION_STRING;
  json["status"] = std::string(to_string(r.status));
  json["method"] = r.method;
  json["n"] = r.samples;
  json["components"] = r.components;
  json["components_requested"] = r.components_requested;
  json["centered"] = o.centered;
  json[o.method == Method::Cca   ? "correlations"
       : o.method == Method::Svd ? "singular_values"
                                 : "eigenvalues"] = results.values;
  json["holdout_samples"] = r.holdout_samples;
  if (o.two_kernels()) {
    json["training_correlations"] = r.training_correlations;
    json["holdout_correlations"] = r.holdout_correlations;
  } else {
    add_responses(json, task, results);
  }
  if (results.dependence) {
    json["dependence"] = *results.dependence;
    json["explained_dependence_ratio"] = results.explained;
  }
  for (const Judgement& one : results.judgements) {
    json["training_" + one.name] = one.training;
    if (one.holdout) json["holdout_" + one.name] = *one.holdout;
  }
  if (results.regularization) add_choice(json, results);
  if (!results.null.empty()) json["permutation_null"] = results.null;
  json["error_bounds"] = r.error_bounds;
  json["truncation_bound"] = or_null(r.truncation_bound);
  add_views(json, task, results);
  json["seconds"] = r.fit_seconds;
  json["phases"] = kpca::phases_json(r.phases);
  json["bytes"] = r.bytes;
  kpca::add_machine(json);
  json["seed"] = o.seed;
  return json;
}

void add_number(std::string& line, const std::vector<double>& values, std::size_t i) {
  line += ',';
  if (i >= values.size()) return;
  std::array<char, 32> text{};
  line.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), values[i]).ptr);
}

/// One line for each component; what there is none of stays empty.
[[nodiscard]] std::string make_csv(const Task& task, const Results& results) {
  const mercer::PairReport& r = results.report;
  const Method method = task.options.method;
  std::string name = value_name(method);
  if (method == Method::Svd) name = "singular_value";
  std::string text = "component," + name + ",error_bound";
  if (task.options.two_kernels()) text += ",training_correlation,holdout_correlation";
  text += '\n';
  for (std::size_t i = 0; i < results.values.size(); ++i) {
    text += std::to_string(i + 1);
    add_number(text, results.values, i);
    add_number(text, r.error_bounds, i);
    if (task.options.two_kernels()) {
      add_number(text, r.training_correlations, i);
      add_number(text, r.holdout_correlations, i);
    }
    text += '\n';
  }
  return text;
}

/// Row numbers, one in a line.
[[nodiscard]] std::string make_lines(const std::vector<mercer::Index>& rows) {
  std::string text;
  for (const mercer::Index row : rows) text += std::to_string(row) + '\n';
  return text;
}

}  // namespace

Json view_json(const std::string& input, const kpca::KernelOptions& kernel,
               const ViewChoice& choice, const mercer::ViewReport& view) {
  const mercer::Report& basis = view.basis;
  Json json;
  json["input"] = printable(input);
  json["dimension"] = basis.dimension;
  json["kernel"] = kernel.name;
  json["kernel_description"] = basis.kernel;
  json["parameters"] = Json::object();
  for (const auto& [name, value] : choice.parameters)
    std::visit([&, &key = name](const auto& one) { json["parameters"][key] = one; }, value);
  json["rank"] = view.rank;
  json["kappa"] = or_null(view.kappa);
  if (view.kappa) json["effective_dimension"] = view.effective_dimension;
  json["residuals"] = view.residuals;
  json["trace"] = basis.trace;
  json["trace_error"] = or_null(view.trace_error);
  json["status"] = std::string(to_string(basis.status));
  json["solver"] = kpca::solver_name(basis);
  json["solver_description"] = describe_solver(basis);
  json["reason"] = basis.reason;
  for (const auto& [name, value] : choice.settings)
    std::visit([&, &key = name](const auto& one) { json[key] = one; }, value);
  json["landmarks"] = or_null(basis.expansion_points);
  json["basis_residuals"] = basis.residuals;
  json["negative_eigenvalues"] = basis.negative_eigenvalues;
  json["seconds"] = basis.fit_seconds;
  return json;
}

std::string value_name(Method method) {
  return method == Method::Cca   ? "correlation"
         : method == Method::Svd ? "singular value"
                                 : "eigenvalue";
}

Outputs::Outputs(const Options& options)
    : directory_(options.out, result_names(options), {"scores.svg", "correlations.svg"}) {}

void Outputs::write(const Task& task, const Results& results) const {
  mercer::io::write_npy(directory_.path("scores_x.npy"), results.scores_x);
  if (task.options.two_kernels())
    mercer::io::write_npy(directory_.path("scores_y.npy"), results.scores_y);
  mercer::io::write_file(directory_.path("correlations.csv"), make_csv(task, results));
  if (!task.pairs.held.empty())
    mercer::io::write_file(directory_.path("holdout_rows.txt"), make_lines(task.pairs.held));
  kpca::write_report(directory_, make_report(task, results), files_read(task.options));
}

}  // namespace kca
