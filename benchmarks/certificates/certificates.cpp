// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// Fits random problems with all solvers and precisions, computes again in long double what each
// report claims, and prints how often a claim was false, by solver and precision.
// usage: mercer_certificates [--problems COUNT] [--seed SEED] [--first NUMBER] [--most SAMPLES]

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include <benchmarks/certificates/fit.hpp>
#include <benchmarks/certificates/judge.hpp>
#include <benchmarks/certificates/problem.hpp>
#include <benchmarks/certificates/truth.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/runtime/kernels.hpp>

namespace certificates {
namespace {

using mercer::Precision;
using mercer::Status;

struct Tally {
  int fits = 0, refused = 0, converged = 0;
  long components = 0;
  std::array<int, Claims> broken{};
};

struct SolverUse {
  const char* name;
  Index most_samples;  ///< of which a fit takes long
  bool tolerance;      ///< it has one
};
constexpr std::array solvers{
    SolverUse{"exact", 1500, false},          SolverUse{"lanczos", 3000, true},
    SolverUse{"block-krylov", 3000, true},    SolverUse{"auto", 3000, true},
    SolverUse{"power-iteration", 300, true},  SolverUse{"dual", 1000, true},
    SolverUse{"nystrom", 3000, false},        SolverUse{"spgd", 60, true},
    SolverUse{"kernel-hebbian", 200, true},   SolverUse{"features", 1000, false},
    SolverUse{"doubly-stochastic", 300, true}};

[[nodiscard]] Drawn draw_job(mercer::RandomStream& stream, const Problem& problem,
                             const SolverUse& solver, bool centered) {
  const Index n = problem.x.rows();
  Drawn drawn;
  Job& job = drawn.job;
  job.solver = solver.name;
  job.centered = centered;
  job.seed = stream();
  job.components = whole(stream, 1, (std::min)(n, Index{12}));
  drawn.form = static_cast<Form>(stream.below(problem.floats ? 4 : 3));
  if (drawn.form == Form::Double) job.precision = Precision::Double;
  if (drawn.form == Form::Asked) job.precision = Precision::Single;
  if (solver.tolerance) {
    drawn.tolerance = power_of_ten(stream, -12, -3);
    job.settings["tolerance"] = drawn.tolerance;
  }
  if (job.solver == "nystrom") {
    constexpr std::array samplings{"uniform", "kmeans", "rp-cholesky", "greedy"};
    job.settings["sampling"] = samplings[stream.below(samplings.size())];
    job.settings["landmarks"] =
        whole(stream, (std::min)(n, job.components + 1), (std::min)(n, Index{300}));
  }
  if (job.solver == "spgd") job.settings["iterations"] = whole(stream, 1, 20);
  if (job.solver == "features") job.settings["features"] = whole(stream, 12, 200);
  if (job.solver == "doubly-stochastic") job.settings["features"] = Index{256};
  return drawn;
}

using Table = std::map<std::pair<std::size_t, Form>, Tally>;

void print(const Table& table) {
  std::printf("%-18s %-13s %8s %8s %9s %10s  violations:", "solver", "precision", "fits", "refused",
              "converged", "components");
  for (const char* name : claim_names) std::printf(" %9s", name);
  std::printf("\n");
  const auto row = [](const char* solver, const char* form, const Tally& tally) {
    std::printf("%-18s %-13s %8d %8d %9d %10ld             ", solver, form, tally.fits,
                tally.refused, tally.converged, tally.components);
    for (const int count : tally.broken) std::printf(" %9d", count);
    std::printf("\n");
  };
  Tally all;
  for (const auto& [key, tally] : table) {
    row(solvers[key.first].name, form_names[static_cast<std::size_t>(key.second)], tally);
    all.fits += tally.fits;
    all.refused += tally.refused;
    all.converged += tally.converged;
    all.components += tally.components;
    for (std::size_t i = 0; i < Claims; ++i) all.broken[i] += tally.broken[i];
  }
  row("all", "", all);
}

/// Fits one problem with each solver that it is not too large for.
void judge_problem(std::uint64_t seed, std::uint64_t number, Index most, const char* only,
                   Table& table) {
  mercer::RandomStream stream(seed, "certificates", number);
  const Problem problem = draw_problem(stream, most);
  const bool centered = stream.uniform() < 0.6;
  constexpr Index most_eigenvalues = 300;
  const Truth truth(problem, centered, most_eigenvalues);
  if (!truth.finite()) return;
  const mercer::AnyKernel kernel = mercer::make_kernel(problem.kernel, problem.parameters);
  for (std::size_t s = 0; s < solvers.size(); ++s) {
    const Drawn drawn = draw_job(stream, problem, solvers[s], centered);
    if (problem.x.rows() > solvers[s].most_samples) continue;
    if (only != nullptr && drawn.job.solver != only) continue;
    Tally& tally = table[{s, drawn.form}];
    ++tally.fits;
    Fitted fitted;
    try {
      fitted = drawn.form == Form::Float ? fit<float>(kernel, problem.x.cast<float>(), drawn.job)
                                         : fit<double>(kernel, problem.x, drawn.job);
    } catch (const mercer::InvalidArgument&) {
      ++tally.refused;
      continue;
    }
    if (fitted.report.status == Status::Converged) ++tally.converged;
    tally.components += fitted.values.size();
    Judge judge(truth, drawn, fitted);
    const auto broken = judge.broken();
    for (std::size_t i = 0; i < Claims; ++i) tally.broken[i] += broken[i] ? 1 : 0;
    if (!judge.reason().empty())
      std::printf("problem %llu, %s, %s: n = %ld, d = %ld, %s, %s%s, tolerance %.3g, %s: %s\n",
                  static_cast<unsigned long long>(number), solvers[s].name,
                  form_names[static_cast<std::size_t>(drawn.form)],
                  static_cast<long>(problem.x.rows()), static_cast<long>(problem.x.cols()),
                  problem.data.c_str(), kernel.describe().c_str(), centered ? ", centred" : "",
                  drawn.tolerance, std::string(to_string(fitted.report.status)).c_str(),
                  judge.reason().c_str());
  }
  std::fflush(stdout);
}

[[nodiscard]] std::uint64_t whole_number(const char* text) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0')
    throw std::invalid_argument(std::string(text) + " is not a whole number");
  return value;
}

}  // namespace
}  // namespace certificates

int main(int argc, char* argv[]) try {
  using namespace certificates;
  std::map<std::string, std::uint64_t> options{
      {"--problems", 200}, {"--seed", 1}, {"--first", 0}, {"--most", 3000}};
  const char* only = nullptr;
  for (int i = 1; i < argc; i += 2) {
    const bool is_solver = std::string(argv[i]) == "--solver";
    if (i + 1 == argc || (!is_solver && !options.contains(argv[i])))
      throw std::invalid_argument(
          "usage: mercer_certificates [--problems COUNT] [--seed SEED] [--first NUMBER] "
          "[--most SAMPLES] [--solver NAME]");
    if (is_solver)
      only = argv[i + 1];
    else
      options[argv[i]] = whole_number(argv[i + 1]);
  }
  Table table;
  const std::uint64_t first = options["--first"];
  for (std::uint64_t number = first; number < first + options["--problems"]; ++number)
    judge_problem(options["--seed"], number, static_cast<Index>(options["--most"]), only, table);
  print(table);
  for (const auto& [key, tally] : table)
    for (const int count : tally.broken)
      if (count > 0) return 1;
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
