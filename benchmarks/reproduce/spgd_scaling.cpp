// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The time of an iteration of stochastic proximal gradient descent at a fixed rank, its parts, and
/// that of its matrix products alone; prints one line of JSON.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

#include <mercer/core/growing_basis.hpp>
#include <mercer/core/low_rank.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/estimators/estimator.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/solvers/spgd_run.hpp>
#include <mercer/solvers/spgd_start.hpp>

namespace {

using mercer::Index;
using Samples = mercer::Matrix<double>;

template <class Work>
[[nodiscard]] double seconds_of(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  std::forward<Work>(work)();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Seconds of a second round of the same work, so that its memory is there.
template <class Work>
[[nodiscard]] double warm_seconds_of(Work&& work) {
  work();
  return seconds_of(work);
}

/// The draws of another estimator, timed.
template <mercer::BoundEstimator B>
class TimedDraws {
 public:
  using Term = typename B::Term;

  TimedDraws(B draws, double& seconds) : draws_(std::move(draws)), seconds_(&seconds) {}

  void draw(std::uint64_t t, Term& out) {
    *seconds_ += seconds_of([&] { draws_.draw(t, out); });
  }

 private:
  B draws_;
  double* seconds_;
};

void scale(Index n, Index d, Index rank, Index features, Index steps) {
  constexpr Index warm_up = 20, rows = 1000;
  const Samples x = mercer::normal_matrix<double>(n, d, 1, "samples");
  const mercer::Gaussian kernel{mercer::percentile_distance(x, 20)};
  // Half of the rank is above lambda, and noise fills up the rest.
  const double lambda =
      mercer::detail::threshold_between(mercer::detail::subsampled_eigenvalues(
                                            mercer::KernelView<Samples>(kernel), x, rows, false, 1),
                                        rank / 2);
  double drawing = 0;
  auto draws = mercer::bind_estimator(mercer::RandomFourier{.features = features}, kernel, x, 1);
  mercer::SpgdRun run(TimedDraws(draws, drawing), mercer::LowRank<double>(n, n),
                      {.lambda = lambda, .centered = false, .max_rank = rank});
  for (Index t = 0; t < warm_up; ++t) run.step();
  drawing = 0;
  const double stepping = seconds_of([&] {
    for (Index t = 0; t < steps; ++t) run.step();
  });

  // The parts of one more iteration, on the same shapes.
  const mercer::Matrix<double> u = run.iterate().left();
  mercer::PsdTerm<double> term;
  draws.draw(1, term);
  const mercer::Matrix<double>& b = term.factor;
  mercer::detail::GrowingBasis<double> basis(u);
  mercer::Matrix<double> coordinates;
  const double extending = warm_seconds_of([&] { coordinates = basis.extend(b); });
  mercer::Matrix<double> core = coordinates * coordinates.transpose();
  mercer::EigenSystem<double> small;
  const double decomposing = warm_seconds_of([&] { small = mercer::symmetric_eigensystem(core); });
  const mercer::Matrix<double> rotation = small.vectors.leftCols(u.cols());
  const double rotating = seconds_of([&] { basis.rotate(rotation); });

  // Each product of the iteration once.
  mercer::Matrix<double> g, gram, both(n, rotation.rows()), residual = b, rotated;
  both.leftCols(u.cols()) = u;
  both.rightCols(rotation.rows() - u.cols()) = b.leftCols(rotation.rows() - u.cols());
  const double products = warm_seconds_of([&] {
    g = mercer::inner(u, b);
    mercer::add_product(-1.0, u, g, residual);
    gram = mercer::inner(residual, residual);
    rotated = mercer::multiply(both, rotation);
  });
  const auto r = static_cast<double>(u.cols()), a = static_cast<double>(b.cols());
  const double flops =
      2 * static_cast<double>(n) * (2 * r * a + a * a + static_cast<double>(both.cols()) * r);
  constexpr Index square = 1500;
  const mercer::Matrix<double> s = mercer::normal_matrix<double>(square, square, 1, "square");
  mercer::Matrix<double> p(square, square);
  const double cube = warm_seconds_of([&] { p.noalias() = s * s; });
  const double count = static_cast<double>(steps);
  std::printf(
      "{\"n\": %td, \"rank\": %td, \"columns\": %td, \"step\": %.17g, \"draw\": %.17g, "
      "\"extend\": %.17g, \"decompose\": %.17g, \"rotate\": %.17g, \"products\": %.17g, "
      "\"flops\": %.17g, \"gemm\": %.17g}\n",
      n, u.cols(), b.cols(), stepping / count, drawing / count, extending, decomposing, rotating,
      products, flops, 2 * static_cast<double>(square * square * square) / cube);
}

}  // namespace

int main(int argc, char* argv[]) try {
  if (argc != 6) {
    std::fprintf(stderr, "usage: %s N D RANK FEATURES STEPS\n", argv[0]);
    return 2;
  }
  scale(std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]),
        std::atoi(argv[5]));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
