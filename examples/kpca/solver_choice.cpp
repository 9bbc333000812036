// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/solver_choice.hpp>

#include <algorithm>
#include <utility>

#include <mercer/core/errors.hpp>

namespace kpca {
namespace {

/// The defaults are those of the library.
template <class Params>
[[nodiscard]] Params iteration(const SolverOptions& options, std::uint64_t seed) {
  Params params{.seed = seed};
  if (options.tolerance) params.tolerance = *options.tolerance;
  return params;
}

[[nodiscard]] AnySolver make_lanczos([[maybe_unused]] const SolverOptions& options,
                                     [[maybe_unused]] std::uint64_t seed) {
#if defined(MERCER_HAS_SPECTRA)
  return mercer::Lanczos(iteration<mercer::LanczosParams>(options, seed));
#else
  throw mercer::InvalidArgument(
      "--solver lanczos: this kpca was built without the library Spectra (Debian package: "
      "libspectra-dev); take block-krylov");
#endif
}

[[nodiscard]] AnySolver make_nystrom(const SolverOptions& options, std::uint64_t seed) {
  const mercer::NystromParams params{.landmarks = options.landmarks.value_or(0),
                                     .trace_tolerance = options.trace_tolerance.value_or(0),
                                     .seed = seed};
  const std::string sampling = options.sampling.value_or("rp-cholesky");
  if (sampling == "greedy") return mercer::Nystrom{mercer::GreedyCholesky{}, params};
  if (sampling == "kmeans") return mercer::Nystrom{mercer::KMeansLandmarks{}, params};
  if (sampling == "uniform") return mercer::Nystrom{mercer::Uniform{}, params};
  return mercer::Nystrom{mercer::RpCholesky{}, params};
}

}  // namespace

AnySolver make_solver(const SolverOptions& options, std::uint64_t seed) {
  if (options.name == "exact") return mercer::Exact{};
  if (options.name == "block-krylov")
    return mercer::BlockKrylov(iteration<mercer::BlockKrylovParams>(options, seed));
  if (options.name == "lanczos") return make_lanczos(options, seed);
  if (options.name == "nystrom") return make_nystrom(options, seed);
  return mercer::Auto(iteration<mercer::AutoParams>(options, seed));
}

std::optional<double> tolerance(const AnySolver& solver) {
  return std::visit(
      [](const auto& s) -> std::optional<double> {
        if constexpr (requires { s.tolerance(); })
          return s.tolerance();
        else
          return std::nullopt;
      },
      solver);
}

std::string solver_name(const mercer::Report& report) {
  // What follows in parentheses are details.
  std::string name = report.solver.substr(0, report.solver.find(" ("));
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

}  // namespace kpca
