// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The mercer side of solvers.py: one fit with one solver; prints what came of it as JSON.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include <mercer/io/npy/npy.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/auto.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/krylov/lanczos.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>

namespace {

constexpr std::string_view solver_names = "auto block-krylov exact nystrom lanczos";

struct Options {
  std::string data;
  double sigma;
  mercer::Index components;
  std::string solver;
  double tolerance;
  std::string precision;
  mercer::Index landmarks;
};

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

/// JSON has no infinities.
std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

void print(const mercer::Vector<double>& eigenvalues, const mercer::Report& report) {
  double residual = 0;
  for (const double r : report.residuals) residual = std::max(residual, r);
  std::printf("{\"fit_seconds\": %s, \"eigenvalues\": [", number(report.fit_seconds).c_str());
  for (mercer::Index i = 0; i < eigenvalues.size(); ++i)
    std::printf("%s%s", i > 0 ? ", " : "", number(eigenvalues(i)).c_str());
  std::printf("], \"status\": %s", quoted(mercer::to_string(report.status)).c_str());
  std::printf(", \"solver\": %s", quoted(describe_solver(report)).c_str());
  std::printf(", \"precision\": %s",
              report.precision ? quoted(mercer::to_string(*report.precision)).c_str() : "null");
  std::printf(", \"storage\": %s", quoted(report.storage).c_str());
  std::printf(", \"reason\": %s", quoted(report.reason).c_str());
  std::printf(", \"iterations\": %td, \"kernel_products\": %td", report.iterations,
              report.kernel_products);
  std::printf(", \"largest_residual\": %s, \"bytes\": %zu}\n", number(residual).c_str(),
              report.bytes);
}

template <class Solver>
void fit(const Options& options, const Solver& solver) {
  mercer::KernelPcaParams params{.components = options.components};
  if (options.precision == "double") params.precision = mercer::Precision::Double;
  if (options.precision == "single") params.precision = mercer::Precision::Single;
  const auto model = mercer::KernelPca{mercer::Gaussian{options.sigma}, solver, params}.fit(
      mercer::io::read_npy<double>(options.data));
  print(model.eigenvalues(), model.report());
}

/// False if there is no such solver.
bool run(const Options& options) {
  if (options.solver == "auto")
    fit(options, mercer::Auto{{.tolerance = options.tolerance}});
  else if (options.solver == "block-krylov")
    fit(options, mercer::BlockKrylov{{.tolerance = options.tolerance}});
  else if (options.solver == "exact")
    fit(options, mercer::Exact{});
  else if (options.solver == "nystrom")
    fit(options, mercer::Nystrom{mercer::RpCholesky{}, {.landmarks = options.landmarks}});
  else if (options.solver == "lanczos")
    fit(options, mercer::Lanczos{{.tolerance = options.tolerance}});
  else
    return false;
  return true;
}

}  // namespace

int main(int argc, char* argv[]) try {
  if (argc == 2 && std::string_view(argv[1]) == "--solvers") {
    std::printf("%s\n", std::string(solver_names).c_str());
    return 0;
  }
  const bool complete = argc == 8;
  if (!complete || !run({argv[1], std::atof(argv[2]), std::atoi(argv[3]), argv[4],
                         std::atof(argv[5]), argv[6], std::atoi(argv[7])})) {
    std::fprintf(stderr,
                 "usage: %s DATA.npy SIGMA COMPONENTS SOLVER TOLERANCE double|single|auto "
                 "LANDMARKS\nsolvers: %s\n",
                 argv[0], std::string(solver_names).c_str());
    return 2;
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
