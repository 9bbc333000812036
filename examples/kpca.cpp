// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// kpca: kernel PCA of the samples in a file, and a template for your own programs.
///
/// A program with a fixed kernel needs only the ten lines of iris_kpca.cpp. This one takes
/// everything from the command line. Its parts are in the directory kpca/:
/// - options: the command line options; run_options: those of every run
/// - kernel_choice: the kernel with its parameters; cross_validation: its width by --sigma cv, and
///   the number of components by --components cv
/// - solver_choice: the solver with its settings
/// - landmark_choice: samples that stand for the others
/// - kernel_code, solver_code: what is compiled of all kernels, features and solvers
/// - file_names, inputs; standardize: columns on one scale
/// - fit: fit.cpp calls the library
/// - saved_model: --load; parts: --partial-out, merge
/// - outputs: files; pictures; variables: which of them matter
/// - terminal, progress_bar; shortfall: of a fit that found too little; interruption: Ctrl-C
/// - help, manual: what the program says of itself
/// The files that kca needs too, with another command line, are in mercer_example_programs.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/standardize.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/text.hpp>
#include <mercer/operators/gram_plan.hpp>
#include <mercer/runtime/solver_task.hpp>
#include <mercer/solvers/eigenpairs.hpp>

#include <examples/kpca/cross_validation.hpp>
#include <examples/kpca/file_names.hpp>
#include <examples/kpca/fit.hpp>
#include <examples/kpca/inputs.hpp>
#include <examples/kpca/interruption.hpp>
#include <examples/kpca/kernel_choice.hpp>
#include <examples/kpca/landmark_choice.hpp>
#include <examples/kpca/memory_sizes.hpp>
#include <examples/kpca/options.hpp>
#include <examples/kpca/outputs.hpp>
#include <examples/kpca/parts.hpp>
#include <examples/kpca/pictures.hpp>
#include <examples/kpca/progress_bar.hpp>
#include <examples/kpca/run_options.hpp>
#include <examples/kpca/saved_model.hpp>
#include <examples/kpca/shortfall.hpp>
#include <examples/kpca/solver_choice.hpp>
#include <examples/kpca/standardize.hpp>
#include <examples/kpca/terminal.hpp>
#include <examples/kpca/variables.hpp>
#include <examples/support/start_settings.hpp>
#include <examples/support/stopwatch.hpp>

namespace {

/// Throws if the number of landmarks does not fit the samples and components.
void require_landmarks_fit(const kpca::Options& options, mercer::Components components,
                           mercer::Index samples) {
  const std::optional<mercer::Index> given = options.solver.whole("landmarks");
  if (!given) return;
  const mercer::Index landmarks = *given;
  if (landmarks > samples)
    throw mercer::InvalidArgument("--landmarks: " + std::to_string(landmarks) +
                                  " is more than the " + std::to_string(samples) + " rows of " +
                                  options.input);
  const bool expanded_over = options.solver.name == "nystrom";
  if (expanded_over && !components.is_fraction() && landmarks <= components.count() &&
      landmarks < samples)
    throw mercer::InvalidArgument("--landmarks: " + std::to_string(components.count()) +
                                  " components need more landmarks than " +
                                  std::to_string(landmarks));
}

/// The fit, with a bar that shows its progress.
template <mercer::Real S>
kpca::Results<S> fit(const kpca::KernelChoice& choice, kpca::SampleFile<S> training,
                     const std::optional<kpca::SampleFile<S>>& fresh, kpca::FitSettings settings) {
  kpca::ProgressBar progress;
  settings.observer = progress.observer();
  return kpca::fit(choice.kernel, std::move(training), fresh, settings);
}

/// What remains to be said of a run that was stopped.
template <mercer::Real S>
int end_interrupted(const kpca::Results<S>& results) {
  const mercer::Index count = results.eigenvalues.size();
  if (count == 0)
    std::fprintf(stderr, "kpca: interrupted before there was a component; nothing is written\n");
  else
    std::fprintf(stderr, "kpca: interrupted; the %lld components so far are written\n",
                 static_cast<long long>(count));
  return kpca::exit_interrupted;
}

/// Samples as the kernel takes them: kernel values that were computed before are dense.
template <mercer::Real S>
kpca::SampleFile<S> as_kernel_takes(kpca::SampleFile<S> file, const kpca::Options& options) {
  if (options.kernel.name == "precomputed")
    file.samples = kpca::in_form<mercer::Matrix<S>>(file.samples);
  return file;
}

/// The samples to fit to.
template <mercer::Real S>
kpca::SampleFile<S> read_training(const kpca::Options& options) {
  return kpca::with_column_advice(options.columns, kpca::column_advice, [&] {
    return as_kernel_takes(kpca::read_sample_file<S>(options.input, 0, options.columns), options);
  });
}

/// New samples, of the same columns. What one file has and the other has not can only be left out
/// by a choice of those to take.
template <mercer::Real S>
kpca::SampleFile<S> read_new_samples(const kpca::Options& options,
                                     const kpca::SampleFile<S>& training) {
  return kpca::with_column_advice(
      options.columns, "--columns takes some of the columns, of both files", [&] {
        return as_kernel_takes(
            kpca::read_sample_file<S>(options.project, training.columns(),
                                      options.columns_of_new_samples(),
                                      training.indices_from_zero.value_or(false)),
            options);
      });
}

/// The columns, if it is to be told which of them matter.
template <mercer::Real S>
std::vector<kpca::Variable> variables_of(const kpca::Options& options,
                                         const kpca::SampleFile<S>& training) {
  std::vector<kpca::Variable> variables;
  const auto* const x = std::get_if<mercer::Matrix<S>>(&training.samples);
  if (!options.variables || x == nullptr) return variables;
  // Solvers that stream the samples tell of no variables: all rows are here, as many as weights.
  mercer::Vector<double> shares = mercer::Vector<double>::Ones(x->rows());
  std::copy(training.weights.begin(), training.weights.end(), shares.data());
  shares /= shares.maxCoeff();  // so that the sum does not overflow
  shares /= shares.sum();
  for (mercer::Index j = 0; j < x->cols(); ++j) {
    const mercer::Vector<double> column = x->col(j).template cast<double>();
    const double mean = column.dot(shares);
    variables.push_back({kpca::column_name(training, j),
                         std::sqrt(shares.dot((column.array() - mean).square().matrix()))});
  }
  return variables;
}

/// The whole program, in double or in single precision.
template <mercer::Real S>
int run(const kpca::Options& options) {
  examples::Stopwatch watch;
  // All checks of the input come before the fit.
  const bool streamed =
      options.solver.streams && kpca::is_streamable(options.input) && options.columns.is_all();
  kpca::SampleFile<S> training =
      streamed ? kpca::sample_of_file<S>(options.input, options.seed) : read_training<S>(options);
  mercer::Components components =
      kpca::components_for(options.components, 10, training.rows(), options.input);
  std::vector<std::string> labels = training.labels;
  if (!options.labels.empty()) labels = kpca::read_labels(options.labels, training.rows());
  if (!options.weights.empty())
    training.weights = kpca::read_weights(options.weights, training.rows());
  std::optional<kpca::SampleFile<S>> fresh;
  if (!options.project.empty()) {
    fresh = read_new_samples<S>(options, training);
    kpca::require_same_columns(*fresh, training);
    kpca::tell_of_names(*fresh);
  }
  kpca::tell_of_names(training);
  watch.lap("input");
  static_cast<void>(kpca::label_kind(options, labels));
  if (options.kernel.name != "precomputed")
    for (const std::string& oddity : kpca::oddities(training, options.standardize.has_value()))
      std::fprintf(stderr, "kpca: %s\n", mercer::io::printable(oddity).c_str());
  const std::optional<mercer::Standardize> standardize = kpca::standardize(options, training);
  if (standardize && fresh) kpca::apply(*standardize, *fresh);
  watch.lap("columns");
  if (options.variables && std::holds_alternative<mercer::SparseMatrix<S>>(training.samples))
    throw mercer::InvalidArgument(options.input + ": --variables: the samples are sparse");
  kpca::require_exact_fits(options.solver.name, options.memory_budget, training.rows(), components,
                           sizeof(S));
  kpca::KernelOptions kernel = options.kernel;
  kpca::Outputs outputs(options);
  const std::optional<kpca::CrossValidation> validation = kpca::cross_validate(
      options, components, training, labels, kernel, [&] { outputs.prepare(); });
  if (validation && validation->components) components = *validation->components;
  const kpca::KernelChoice choice = kpca::in_context("--kernel " + options.kernel.name, [&] {
    return kpca::make_kernel<S>(kernel, training, options.seed);
  });
  watch.lap("kernel");
  if (options.variables) kpca::require_gradients(choice.kernel);
  require_landmarks_fit(options, components, training.rows());
  const kpca::SolverChoice solver = kpca::make_solver(
      options.solver,
      {.kernel = choice.kernel,
       .components = components,
       .samples = training.rows(),
       .dimension = training.columns(),
       .seed = options.seed,
       .landmarks =
           [&](mercer::Index count) {
             return kpca::choose_landmarks(choice.kernel, training, count, options.seed);
           },
       .spgd_checkpoints = {
           .iterations = options.solver.checkpoints,
           .visit = [&](mercer::Index t, const mercer::EigenSystem<double>& iterate) {
             outputs.write_iterate(t, iterate);
           }}});
  if (options.weighted())
    kpca::require_weights_taken(solver, options.solver,
                                options.weights.empty() ? "--weight-column" : "--weights");
  const kpca::Interruption interruption;  // from here on Ctrl-C stops the fit at its next step
  outputs.prepare();
  const kpca::FitSettings settings{
      .solver = solver.solver,
      .components = kpca::with_bound(
          components, options.components || options.cross_validation.components, solver),
      .centered = options.centered,
      .memory_budget = options.memory_budget,
      .observer = {},
      .standardize = standardize,
      .save = options.save,
      .state = options.solver.state,
      .record = solver.record,
      .variables = options.variables};
  const std::vector<kpca::Variable> variables = variables_of(options, training);
  const mercer::Index samples = training.rows();

  try {
    const kpca::Results<S> results = fit(choice, std::move(training), fresh, settings);
    watch.lap("fit");
    const bool interrupted = results.report.status == mercer::Status::Cancelled;
    if (interrupted && results.eigenvalues.size() == 0) return end_interrupted(results);
    kpca::require_components(results.report, results.eigenvalues.size(),
                             {.path = options.input,
                              .weighted = options.weighted(),
                              .centered = options.centered,
                              .single = std::same_as<S, float>});
    if (!results.projection_problem.empty()) outputs.leave_out_projected(options);
    outputs.write(results, choice, solver, validation, watch, options);
    outputs.write_variables(results, variables);
    watch.lap("files");
    const std::string no_picture =
        outputs.draw(results, choice, labels, validation, variables, options);
    watch.lap("pictures");
    kpca::print_table(results, choice, options);
    if (options.verbose) watch.print();
    kpca::print_variables(results, variables);
    std::printf("written to %s\n", mercer::io::printable(outputs.list(no_picture.empty())).c_str());
    if (!results.saved_to.empty())
      std::printf("the model%s is in %s\n", interrupted ? " so far" : "",
                  mercer::io::printable(results.saved_to).c_str());
    if (const std::string edge = validation ? kpca::edge_of_grid(*validation) : ""; !edge.empty())
      std::fprintf(stderr, "kpca: %s\n", edge.c_str());
    if (!no_picture.empty() && !outputs.pictures().empty())
      std::fprintf(stderr, "kpca: %s not drawn: %s\n",
                   outputs.pictures().size() > 1 ? "the pictures were"
                                                 : (outputs.pictures().front() + " was").c_str(),
                   no_picture.c_str());
    if (results.features) kpca::tell_of_features(options, *results.features);
    const std::string& problem = results.projection_problem;
    if (!problem.empty())
      std::fprintf(stderr, "kpca: %s\n", mercer::io::printable(problem).c_str());
    if (interrupted) return end_interrupted(results);
    const bool converged = kpca::succeeded(results.report.status);
    if (!converged)
      std::fprintf(stderr, "kpca: %s\n", kpca::shortfall(results, options.solver).c_str());
    return !problem.empty() ? kpca::exit_caller_error
           : converged      ? kpca::exit_success
                            : kpca::exit_not_converged;
  } catch (const mercer::BudgetTooSmall& error) {
    throw mercer::InvalidArgument(options.input + ": " +
                                  kpca::in_option_words(error, options.solver.name));
  } catch (const std::bad_alloc&) {
    const auto n = static_cast<double>(samples);
    std::string message = options.input + ": not enough memory for n = " + std::to_string(samples) +
                          " with --solver " + options.solver.name;
    if (options.solver.name == "exact")
      message += ", which holds the n x n Gram matrix, at least " +
                 kpca::gibibytes(n * n * sizeof(S)) + "; take block-krylov or nystrom";
    else
      message += "; lower --memory-budget, or take --solver nystrom with fewer landmarks";
    throw mercer::InvalidArgument(message);
  }
}

}  // namespace

int main(int argc, char** argv) {
  examples::start_with_settings(argv);
  return kpca::guarded("kpca", [&] {
    const std::optional<kpca::Options> options = kpca::parse_options(argc, argv);
    if (!options) return kpca::exit_success;
    kpca::require_separate_files(*options);
    kpca::take_threads("kpca", *options);
    kpca::take_max_input(*options);
    if (!options->parts.merged.empty()) return kpca::merge_parts(*options);
    if (!options->parts.out.empty()) return kpca::write_part(*options);
    if (!options->load.empty()) {
      kpca::project_with_saved_model(*options);
      return kpca::exit_success;
    }
#if !defined(MERCER_DOUBLE_ALONE)
    if (options->single_precision) return run<float>(*options);
#endif
    return run<double>(*options);
  });
}
