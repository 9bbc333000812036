// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The solver Slepc beside BlockKrylov, in one process and in those of MPI. Ends with 0 if all
/// agree; says what does not.

#include <mercer/slepc/slepc.hpp>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/mpi/session.hpp>
#include <mercer/slepc/slepc_session.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>

namespace {

using namespace mercer;

static_assert(GramSolver<Slepc>);

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("wrong: " + what);
}

/// n samples around three centres: leading eigenvalues that are well apart.
Matrix<double> samples(Index n) {
  Matrix<double> x = normal_matrix<double>(n, 4, 1, "samples");
  for (Index i = 0; i < n; ++i) x(i, i % 3) += 4;
  return x;
}

constexpr double tolerance = 1e-10;
const Gaussian kernel{2};

template <class Model>
void compare(const Model& found, const Model& expected, const std::string& name) {
  require(found.report().status == Status::Converged, name + " has converged");
  const auto& mu = expected.eigenvalues();
  require(found.eigenvalues().size() == mu.size(), name + " has all components");
  // Eigenvalues are within a residual of the true ones, for both solvers.
  require((found.eigenvalues() - mu).cwiseAbs().maxCoeff() <= 2 * tolerance * mu(0),
          name + " has the eigenvalues of BlockKrylov");
}

/// In one process, with each eigensolver that mercer has no counterpart of, too.
void check_alone() {
  const Matrix<double> x = samples(300);
  const auto expected =
      KernelPca{kernel, BlockKrylov{{.tolerance = tolerance}}, {.components = 3}}.fit(x);
  for (const char* type : {"krylovschur", "lobpcg", "gd"}) {
    const Slepc slepc{{.type = type, .tolerance = tolerance, .max_iterations = 2000}};
    const auto found = KernelPca{kernel, slepc, {.components = 3}}.fit(x);
    compare(found, expected, type);
    require(found.report().solver_form == std::string("SLEPc ") + type, "the name of the solver");
    // The third gap is above a tenth of mu_1, so scores have ten times the error of a residual.
    const double error = (found.training_scores() - expected.training_scores()).norm();
    require(error <= 100 * tolerance * expected.training_scores().norm(), "scores");
  }
  const Matrix<double> given = gram(kernel, x);
  const auto precomputed =
      KernelPca{Precomputed{}, Slepc{{.tolerance = tolerance}}, {.components = 3}}.fit(given);
  require((precomputed.eigenvalues() - expected.eigenvalues()).cwiseAbs().maxCoeff() <=
              2 * tolerance * expected.eigenvalues()(0),
          "a Gram matrix given");
  const Matrix<float> single = x.cast<float>();
  const auto rough = KernelPca{kernel, Slepc{{.tolerance = 1e-5}}, {.components = 3}}.fit(single);
  require((rough.eigenvalues().cast<double>() - expected.eigenvalues()).cwiseAbs().maxCoeff() <=
              1e-4 * expected.eigenvalues()(0),
          "samples in single precision");
}

void check_edges() {
  const Matrix<double> x = samples(300);
  const auto error = [&](const SlepcParams& params, Components components) -> std::string {
    try {
      (void)KernelPca{kernel, Slepc{params}, {.components = components}}.fit(x);
    } catch (const InvalidArgument& refused) {
      return refused.what();
    }
    return {};
  };
  const auto says = [&](const std::string& sentence, const std::string& part) {
    require(sentence.find(part) != std::string::npos, "\"" + sentence + "\" for " + part);
  };
  says(error({.type = "nothing"}, 2), "SLEPc has no eigensolver of type \"nothing\"");
  says(error({.basis = 2}, 2), "basis must be larger than the number of components, 2, got 2");
  says(error({}, 0.9), "needs components as a number");
  says(error({.tolerance = 0}, 2), "mercer::Slepc: tolerance");

  // An exception of a product passes by SLEPc.
  struct Failing {
    using Scalar = double;
    [[nodiscard]] Index rows() const { return 50; }
    void apply(const Points<double>&, GramOut<double>) const {
      throw std::runtime_error("the product failed");
    }
  };
  try {
    (void)Slepc{}.solve(Failing{}, {.components = 2});
    require(false, "an exception");
  } catch (const std::runtime_error& thrown) {
    require(std::string(thrown.what()) == "the product failed", thrown.what());
  }

  // Cancelled at the first step.
  const auto cancelled =
      KernelPca{kernel, Slepc{{.tolerance = 1e-14, .basis = 4}}, {.components = 3}}.fit(
          x, [](const Progress& p) { return p.phase != "eigenvectors"; });
  require(cancelled.report().status == Status::Cancelled, "cancelled");

  // Rank 2 and zero: fewer components, and none.
  Matrix<double> flat = Matrix<double>::Zero(40, 40);
  require(KernelPca{Precomputed{}, Slepc{}, {.components = 3}}.fit(flat).eigenvalues().size() == 0,
          "no components of a zero matrix");
}

void check_spread(const mpi::MpiProcesses& processes) {
  const Matrix<double> all = samples(1200);
  const RowSpace rows = RowSpace::spread(all.rows(), processes);
  const auto x = SpreadRows<Matrix<double>>::from_parts(
      processes, Matrix<double>(all.middleRows(rows.first(), rows.local())));
  const auto expected =
      fit_spread(KernelPca{kernel, BlockKrylov{{.tolerance = tolerance}}, {.components = 3}}, x);
  const auto found =
      fit_spread(KernelPca{kernel, Slepc{{.tolerance = tolerance}}, {.components = 3}}, x);
  compare(found, expected, "spread rows");

  // What an observer says or throws on one process, all do.
  const bool last = processes.rank() + 1 == processes.size();
  const KernelPca long_run{kernel, Slepc{{.tolerance = 1e-14, .basis = 4}}, {.components = 3}};
  const auto cancelled = fit_spread(
      long_run, x, [&](const Progress& p) { return p.phase != "eigenvectors" || !last; });
  require(cancelled.report().status == Status::Cancelled, "cancelled by the last process");
  std::string told;
  try {
    (void)fit_spread(long_run, x, [&](const Progress&) {
      if (last) detail::fail("the observer is tired");
      return true;
    });
  } catch (const InvalidArgument& thrown) {
    told = thrown.what();
  }
  require(told == "the observer is tired", "an observer that throws on the last process");
}

}  // namespace

int main(int argc, char** argv) {
  const mpi::Session session(argc, argv);
  return session.run([&](const mpi::MpiProcesses& processes) {
    try {
      (void)Slepc{}.solve(PrecomputedGram<double>(Matrix<double>::Identity(4, 4)), {});
      require(false, "a sentence without a session");
    } catch (const InvalidArgument& refused) {
      require(std::string(refused.what()).find("make a mercer::SlepcSession") != std::string::npos,
              refused.what());
    }
    const SlepcSession slepc(argc, argv);
    check_alone();
    check_edges();
    check_spread(processes);
    // What is wrong on one process ends all of them, and no process comes past this line.
    const bool all_here = !processes.any(false);
    if (all_here && processes.rank() == 0) std::puts("SLEPc agrees");
    return 0;
  });
}
