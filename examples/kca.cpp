// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// kca: functions of two views that belong together, of samples in two files; independent sources
/// of the columns of a file; and the components of a mixture with three views. The sibling of kpca,
/// and a template for your own programs. A program with fixed kernels needs few of these lines:
/// see the examples at mercer::KernelCca, mercer::KernelSvd, mercer::KernelSir, mercer::KernelIca
/// and mercer::LatentMixture.
///
/// Its own parts are in the directory kca/:
/// - options: the command line options
/// - inputs: the files, and the pairs to hold out
/// - fit: chooses kernels and solvers; cca.hpp, svd.hpp and sir.hpp call the library
/// - outputs, pictures: files of these three
/// - ica, mixture: from the files to the results
/// - terminal: tables
/// Kernels, solvers and all else it shares with kpca, in the directory kpca/.

#include <algorithm>
#include <cstdio>
#include <new>
#include <optional>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/report.hpp>
#include <mercer/io/text.hpp>

#include <examples/kca/fit.hpp>
#include <examples/kca/ica.hpp>
#include <examples/kca/inputs.hpp>
#include <examples/kca/mixture.hpp>
#include <examples/kca/options.hpp>
#include <examples/kca/outputs.hpp>
#include <examples/kca/terminal.hpp>
#include <examples/kpca/memory_sizes.hpp>
#include <examples/kpca/progress_bar.hpp>
#include <examples/kpca/run_options.hpp>
#include <examples/kpca/separate_files.hpp>
#include <examples/support/start_settings.hpp>

namespace {

using mercer::Index;

/// How many components to ask for.
Index components_for(const kca::Options& options, Index pairs) {
  constexpr Index by_default = 10;
  if (options.components && *options.components > pairs)
    throw mercer::InvalidArgument("--components: " + std::to_string(*options.components) +
                                  " is more than the " + std::to_string(pairs) +
                                  " pairs to fit to of " + options.x);
  if (options.components) return *options.components;
  const Index most = options.rank.is_fraction() ? pairs : (std::min)(pairs, options.rank.count());
  return (std::min)(by_default, most);
}

/// Throws, with the reason, if there is no component.
void require_components(const kca::Results& results, const kca::Options& options) {
  if (!results.values.empty()) return;
  std::string reason = "the views have nothing in common";
  for (std::size_t i = 0; i < results.report.views.size(); ++i)
    if (results.report.views[i].rank == 0)
      reason =
          "the samples of " + (i == 0 ? options.x : options.y) + " are all the same to the kernel";
  throw mercer::InvalidArgument("no component: " + reason);
}

std::string shortfall(const kca::Results& results, const kca::Options& options) {
  for (std::size_t i = 0; i < results.report.views.size(); ++i) {
    const mercer::Report& basis = results.report.views[i].basis;
    if (basis.status == mercer::Status::NotConverged)
      return kca::basis_shortfall(i == 0 ? options.x : options.y, basis);
  }
  return options.choose_regularization
             ? "not converged: a basis in a fold of --regularization auto; take --solver exact, or "
               "another --rank"
             : "not converged";
}

/// cca, svd and sir.
int run_pairs(const kca::Options& options) {
  // All checks of the input come before the fit.
  const kca::Outputs outputs(options);
  kpca::require_separate(kca::files_read(options), outputs.directory().named_files());
  const kca::Pairs pairs = kca::read_pairs(options);
  kca::Responses responses;
  if (!options.two_kernels()) responses = kca::read_responses(options, pairs);
  kpca::require_exact_fits(options.solver.name, options.memory_budget, pairs.to_fit(), options.rank,
                           sizeof(double));
  kca::Task task{.options = options,
                 .pairs = pairs,
                 .responses = responses,
                 .components = components_for(options, pairs.to_fit()),
                 .observer = {}};
  try {
    const kca::Results results = [&] {
      kpca::ProgressBar progress;
      task.observer = progress.observer();
      return kca::fit(task, [&] { outputs.directory().prepare(); });
    }();
    if (results.values.empty() && results.report.status == mercer::Status::NotConverged) {
      std::fprintf(stderr, "kca: %s\n", mercer::io::printable(shortfall(results, options)).c_str());
      return kpca::exit_not_converged;
    }
    require_components(results, options);
    outputs.write(task, results);
    const std::string no_pictures = outputs.draw(task, results);
    kca::print_results(task, results);
    return kca::finish(outputs.directory(), no_pictures, results.report.status,
                       shortfall(results, options));
  } catch (const std::bad_alloc&) {
    throw mercer::InvalidArgument(
        options.x + ": not enough memory for n = " + std::to_string(pairs.to_fit()) +
        " with --solver " + options.solver.name + "; take --solver nystrom");
  }
}

}  // namespace

int main(int argc, char** argv) {
  examples::start_with_settings(argv);
  return kpca::guarded("kca", [&] {
    const std::optional<kca::Options> options = kca::parse_options(argc, argv);
    if (!options) return kpca::exit_success;
    kpca::take_threads("kca", *options);
    kpca::take_max_input(*options);
    if (options->method == kca::Method::Ica) return kca::run_ica(*options);
    if (options->method == kca::Method::Mixture) return kca::run_mixture(*options);
    return run_pairs(*options);
  });
}
