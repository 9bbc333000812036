// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/mpi/fits.hpp>

#include <csignal>
#include <cstdio>
#include <string>

#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/io/npy/npy_spread.hpp>
#include <mercer/io/npy/npy_stream.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/spread_exact.hpp>
#include <mercer/models/spread/spread_features.hpp>
#include <mercer/models/spread/spread_nystrom.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/models/spread/spread_stochastic.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>

namespace mpi_fits {

using namespace mercer;

namespace {

/// The rows of all processes and what else the fits start from.
struct Problem {
  const Processes& processes;
  std::string in;
  RowSums sums;
  SpreadRows<Matrix<double>> samples = io::read_npy_spread<double>(processes, in, sums);
  Gaussian kernel{2.0};
  KernelPcaParams params{.components = 4};
  RandomFourier map{.features = 60};
  FeaturePca<RandomFourier> features{map};
  DoublyStochastic<RandomFourier> stochastic{map, {.blocks = 2, .data_batch = 600, .steps = 20}};

  template <class Solver>
  auto fit(const Solver& solver) const {
    return fit_spread(KernelPca(kernel, solver, params), samples);
  }
  template <class Solver>
  auto fit_stream(const Solver& solver) const {
    io::NpyStream<double> stream(in);
    return fit_spread(KernelPca(kernel, solver, params), processes, stream, sums);
  }
  auto fit_weighted() const {
    const auto weights =
        SpreadRows<Matrix<double>>::from_parts(processes, samples.local().col(0).cwiseMax(0), sums);
    return fit_spread(KernelPca(kernel, BlockKrylov{}, params), samples, weights);
  }
};

}  // namespace

void fit_by_all_methods(const Processes& processes, const std::string& in,
                        const std::string& folder, RowSums sums) {
  const Problem problem{processes, in, sums};
  const auto write = [&](const char* method, const auto& model, const auto& scores) {
    io::write_npy_spread(processes, folder + "/" + method + ".npy", scores);
    if (processes.rank() != 0) return;
    std::printf("%s", method);
    for (const double value : model.eigenvalues()) std::printf(" %a", value);
    std::printf("\n");
  };
  const auto write_samples_model = [&](const char* method, const auto& model) {
    write(method, model, model.training_scores());
  };
  const auto write_feature_model = [&](const char* method, const auto& model) {
    write(method, model, model.transform(problem.samples.local()));
  };
  write_samples_model("block-krylov", problem.fit(BlockKrylov{}));
  write_samples_model("weighted", problem.fit_weighted());
  write_samples_model("nystrom", problem.fit(Nystrom(RpCholesky{}, {.landmarks = 80})));
  write_samples_model("exact", problem.fit(Exact{}));
  write_feature_model("features", problem.fit(problem.features));
  write_feature_model("stochastic", problem.fit(problem.stochastic));
  write_feature_model("streamed-features", problem.fit_stream(problem.features));
  write_feature_model("streamed-stochastic", problem.fit_stream(problem.stochastic));
}

void fit_and_be_killed(const Processes& processes, const std::string& in, const std::string& out) {
  const auto model = Problem{processes, in, RowSums::OrderFree}.fit(BlockKrylov{});
  if (processes.rank() == processes.size() - 1) std::raise(SIGKILL);
  io::write_npy_spread(processes, out, model.training_scores());
}

}  // namespace mpi_fits
