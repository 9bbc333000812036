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
#include <mercer/core/threads.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/npy.hpp>
#include <mercer/io/text.hpp>
#include <mercer/version.hpp>

#include <examples/kpca/file_names.hpp>
#include <examples/kpca/output_parts.hpp>
#include <examples/kpca/solver_choice.hpp>
#include <examples/support/gnuplot.hpp>
#include <examples/support/scatter.hpp>

namespace kpca {

namespace {

template <mercer::Real S>
[[nodiscard]] std::vector<double> numbers(const mercer::Vector<S>& values) {
  return {values.begin(), values.end()};
}

/// The iterations whose iterates are in files.
void add_checkpoints(Json& json, const mercer::Report& report,
                     const std::vector<mercer::Index>& checkpoints) {
  json["checkpoints"] = Json::array();
  for (const mercer::Index t : checkpoints)
    if (t <= report.iterations) json["checkpoints"].push_back(t);
}

/// What only the solver that ran knows.
struct AddDetails {
  Json& json;

  void operator()(const std::monostate&) const {}
  void operator()(const mercer::NystromDetails& details) const {
    json["trace_error"] = details.trace_error;
    json["sampling_evaluations"] = details.sampling_evaluations;
  }
  void operator()(const mercer::SpgdDetails& details) const {
    json["lambda"] = details.lambda;
    json["ranks"] = details.ranks;
    json["expected_error"] = details.expected_error;
    json["error_bound"] = or_null(details.error_bound);
  }
  void operator()(const mercer::DualDetails& details) const {
    json["dual_objective"] = details.dual_objective;
    json["duality_gap"] = details.duality_gap;
    json["objective_error"] = details.objective_error;
  }
  void operator()(const mercer::DcaDetails& details) const {
    json["dual_objective"] = details.dual_objective;
    json["duality_gap"] = details.duality_gap;
    json["zero_rows"] = details.zero_rows;
    json["zero_entries"] = details.zero_entries;
  }
};

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
  json["eigenvalues"] = numbers(results.eigenvalues);
  json["explained_variance_ratio"] = numbers(results.explained_variance_ratio);
  json["trace"] = r.trace;
  json["residuals"] = r.residuals;
  json["residual_rows"] = or_null(r.residual_rows);
  json["eigenvalue_error_bounds"] = r.eigenvalue_error_bounds;
  json["negative_eigenvalues"] = r.negative_eigenvalues;
  json["most_negative_eigenvalue"] = or_null(r.most_negative_eigenvalue);
  json["zero_eigenvalues"] = r.zero_eigenvalues;
  json["iterations"] = r.iterations;
  json["kernel_products"] = r.kernel_products;
  json["precision"] = r.precision ? Json(to_string(*r.precision)) : Json(nullptr);
  json["storage"] = r.storage;
  json["landmarks"] = or_null(r.expansion_points);
  std::visit(AddDetails{json}, r.details);
  json["fit_seconds"] = r.fit_seconds;
  json["bytes"] = r.bytes;
}

template <mercer::Real S>
void add_projection(Json& json, const Results<S>& results, const Options& options) {
  json["project"] = mercer::io::printable(options.project);
  json["projected_rows"] = results.projected.rows();
}

/// The report of a model that was loaded: the fit's, and what was done with it now.
template <mercer::Real S>
[[nodiscard]] Json make_report_of_loaded(const Results<S>& results, const std::string& kernel,
                                         const Options& options) {
  const mercer::Report& r = results.report;
  Json json;
  json["mercer_version"] = MERCER_VERSION_STRING;
  json["model"] = mercer::io::printable(options.load);
  json["status"] = std::string(to_string(r.status));
  json["solver"] = solver_name(r);
  json["solver_description"] = describe_solver(r);
  json["reason"] = r.reason;
  json["kernel"] = kernel;
  json["kernel_description"] = r.kernel;
  json["components_requested"] = or_null(r.components_requested);
  add_model(json, results);
  json["threads"] = mercer::thread_count();
  add_projection(json, results, options);
  return json;
}

template <mercer::Real S>
[[nodiscard]] Json make_report(const Results<S>& results, const KernelChoice& kernel,
                               const SolverChoice& solver,
                               const std::optional<CrossValidation>& validation,
                               const Options& options) {
  const mercer::Report& r = results.report;
  Json parameters = Json::object();
  for (const auto& [name, value] : kernel.parameters)
    std::visit([&, &key = name](auto number) { parameters[key] = number; }, value);

  Json json;
  json["mercer_version"] = MERCER_VERSION_STRING;
  json["input"] = mercer::io::printable(options.input);
  json["status"] = std::string(to_string(r.status));
  json["solver"] = solver_name(r);
  if (options.solver.name == "auto") json["solver_requested"] = options.solver.name;
  json["solver_description"] = describe_solver(r);
  json["reason"] = r.reason;
  if (results.tolerance && r.solver != mercer::SolverId::Exact)
    json["tolerance"] = *results.tolerance;
  if (options.solver.trace_tolerance) json["trace_tolerance"] = *options.solver.trace_tolerance;
  for (const auto& [name, value] : solver.settings)
    std::visit([&, &key = name](const auto& setting) { json[key] = setting; }, value);
  if (r.solver == mercer::SolverId::Spgd) add_checkpoints(json, r, options.solver.checkpoints);
  json["kernel"] = options.kernel.name;
  json["kernel_description"] = r.kernel;
  json["parameters"] = std::move(parameters);
  if (validation)
    json["cross_validation"] = {
        {"parameter", validation->parameter}, {"criterion", validation->criterion},
        {"grid", validation->grid},           {"errors", validation->errors},
        {"best", validation->best},           {"at_edge", validation->at_edge}};
  if (options.components && options.components->is_fraction())
    json["components_requested"] = options.components->fraction();
  else
    json["components_requested"] = or_null(r.components_requested);
  add_model(json, results);
  json["memory_budget"] = results.memory_budget;
  json["threads"] = mercer::thread_count();
  json["seed"] = options.seed;
  if (!options.project.empty()) add_projection(json, results, options);
  if (results.saved) json["model"] = mercer::io::printable(options.save);
  if (!options.labels.empty()) json["labels"] = mercer::io::printable(options.labels);
  return json;
}

[[nodiscard]] std::string axis_title(mercer::Index component, double ratio) {
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.1f", 100 * ratio);
  return examples::text_for_gnuplot("component " + std::to_string(component) + " (" + percent +
                                    " % of variance)");
}

/// The error of each width, and the best of them.
[[nodiscard]] examples::Picture draw_errors(const CrossValidation& validation,
                                            const Options& options) {
  const auto count = static_cast<Eigen::Index>(validation.grid.size());
  Eigen::MatrixX2d curve(count, 2);
  for (Eigen::Index i = 0; i < count; ++i)
    curve.row(i) << validation.grid[static_cast<std::size_t>(i)],
        validation.errors[static_cast<std::size_t>(i)];
  const auto best = std::find(validation.grid.begin(), validation.grid.end(), validation.best);
  examples::Picture picture(900, 500);
  picture << "set key outside right top\nset title "
          << examples::text_for_gnuplot(std::filesystem::path(options.input).filename().string() +
                                        ", " + options.kernel.name + ": cross-validation, " +
                                        validation.criterion)
          << "\nset logscale x\nset xlabel " << examples::text_for_gnuplot(validation.parameter)
          << "\nset ylabel 'share missed of held-out samples'\nset yrange [0:*<1.05]\n";
  picture.data("errors", curve);
  picture.data("best", curve.row(best - validation.grid.begin()));
  picture
      << "plot $errors with linespoints pointtype " << examples::shapes[0]
      << " pointsize 0.8 linecolor rgb '" << examples::colours[0]
      << "' title 'error', $best with points pointtype 6 pointsize 2 linewidth 2 linecolor rgb '"
      << examples::colours[1] << "' title 'chosen'\n";
  return picture;
}

}  // namespace

Outputs::Outputs(const Options& options)
    : directory_(result_directory(options)),
      model_(options.save),
      checkpoints_(options.solver.checkpoints) {}

void Outputs::prepare() const {
  directory_.prepare();
  for (const mercer::Index iteration : checkpoints_)
    for (const std::string& name : iterate_names(iteration)) directory_.require_writable(name);
  if (!model_.empty()) kpca::require_writable(model_, "--save");
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
                    const Options& options) const {
  if (results.score_parts) {
    mercer::io::NpyWriter<S> scores(directory_.path("scores.npy"), results.report.samples,
                                    results.scores.cols());
    results.score_parts([&](const mercer::Matrix<S>& part) { scores.append(part); });
    scores.commit();
  } else {
    mercer::io::write_npy(directory_.path("scores.npy"), results.scores);
  }
  mercer::io::write_npy(directory_.path("eigenvalues.npy"), results.eigenvalues);
  if (!options.project.empty())
    mercer::io::write_npy(directory_.path("projected.npy"), results.projected);
  mercer::io::write_file(directory_.path("report.json"),
                         to_text(make_report(results, kernel, solver, validation, options)));
}

template <mercer::Real S>
void Outputs::write_projection(const Results<S>& results, const std::string& kernel,
                               const Options& options) const {
  mercer::io::write_npy(directory_.path("projected.npy"), results.projected);
  mercer::io::write_file(directory_.path("report.json"),
                         to_text(make_report_of_loaded(results, kernel, options)));
}

template <mercer::Real S>
std::string Outputs::draw(const Results<S>& results, const KernelChoice& choice,
                          const std::vector<std::string>& labels,
                          const std::optional<CrossValidation>& validation,
                          const Options& options) const {
  if (results.scores.cols() == 0) return "there are no components";
  const auto ratio = results.explained_variance_ratio.template cast<double>();
  const mercer::Index n = results.scores.rows();
  Eigen::MatrixX2d points(n, 2);
  examples::Picture picture(900, 650);
  picture << "set key outside right top\n"
             "set title "
          << examples::text_for_gnuplot(std::filesystem::path(options.input).filename().string() +
                                        ", " + kpca::describe(choice, options.kernel.name))
          << '\n';
  if (results.scores.cols() >= 2) {
    points = results.scores.leftCols(2).template cast<double>();
    picture << "set xlabel " << axis_title(1, ratio(0)) << "\nset ylabel "
            << axis_title(2, ratio(1)) << '\n';
  } else {
    points.col(0) = Eigen::VectorXd::LinSpaced(n, 0, static_cast<double>(n - 1));
    points.col(1) = results.scores.template cast<double>();
    picture << "set xlabel 'row (counted from 0)'\nset ylabel " << axis_title(1, ratio(0)) << '\n';
  }
  // Of a stream, only the first samples are in the picture.
  const auto shown = (std::min)(labels.size(), static_cast<std::size_t>(n));
  examples::scatter(picture, "scores", points,
                    {labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(shown)});
  const std::string problem = picture.save(directory_.path("scores.svg"));
  if (!problem.empty() || !validation) return problem;
  return draw_errors(*validation, options).save(directory_.path("bandwidth.svg"));
}

template void Outputs::write(const Results<double>&, const KernelChoice&, const SolverChoice&,
                             const std::optional<CrossValidation>&, const Options&) const;
template void Outputs::write(const Results<float>&, const KernelChoice&, const SolverChoice&,
                             const std::optional<CrossValidation>&, const Options&) const;
template void Outputs::write_projection(const Results<double>&, const std::string&,
                                        const Options&) const;
template void Outputs::write_projection(const Results<float>&, const std::string&,
                                        const Options&) const;
template std::string Outputs::draw(const Results<double>&, const KernelChoice&,
                                   const std::vector<std::string>&,
                                   const std::optional<CrossValidation>&, const Options&) const;
template std::string Outputs::draw(const Results<float>&, const KernelChoice&,
                                   const std::vector<std::string>&,
                                   const std::optional<CrossValidation>&, const Options&) const;

}  // namespace kpca
