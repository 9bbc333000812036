// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The time of an iteration of stochastic proximal gradient descent at a fixed rank, its parts, and
/// that of its matrix products alone; prints one line of JSON.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>
#include <vector>

#include <mercer/core/low_rank/growing_basis.hpp>
#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/low_rank/low_rank_term.hpp>
#include <mercer/core/machine/freed_memory.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/estimators/estimator.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/solvers/spgd/detail/spgd_start.hpp>
#include <mercer/solvers/spgd/spgd_run.hpp>

namespace {

using mercer::Index;
using Samples = mercer::Matrix<double>;

template <class Work>
[[nodiscard]] double seconds_of(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  std::forward<Work>(work)();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

[[nodiscard]] double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The median over five rounds of the same work.
template <class Work>
[[nodiscard]] double median_seconds_of(Work&& work) {
  std::vector<double> seconds;
  for (int round = 0; round < 5; ++round) seconds.push_back(seconds_of(work));
  return median(seconds);
}

/// The draws of another estimator, timed.
template <mercer::BoundEstimator B>
class TimedDraws {
 public:
  using Term = typename B::Term;

  TimedDraws(B draws, std::vector<double>& seconds)
      : draws_(std::move(draws)), seconds_(&seconds) {}

  void draw(std::uint64_t t, Term& out) {
    seconds_->push_back(seconds_of([&] { draws_.draw(t, out); }));
  }

 private:
  B draws_;
  std::vector<double>* seconds_;
};

/// Seconds of the parts of an iteration.
struct Parts {
  double extend;     ///< [U Q] and the coordinates of a draw in it
  double decompose;  ///< eigensystem of the small matrix
  double rotate;     ///< [U Q] W
  double products;   ///< each product with n rows once: U^T B, B - U G, B^T B, [U Q] W
  double flops;      ///< of the products
};

/// For an iterate with the columns \p u and a draw \p b.
[[nodiscard]] Parts time_parts(const mercer::Matrix<double>& u, const mercer::Matrix<double>& b) {
  Parts parts{};
  mercer::detail::GrowingBasis<double> basis(u);
  mercer::Matrix<double> coordinates;
  parts.extend = median_seconds_of([&] { coordinates = basis.extend(b); });
  const mercer::Matrix<double> core = coordinates * coordinates.transpose();
  mercer::EigenSystem<double> small;
  parts.decompose = median_seconds_of([&] { small = mercer::symmetric_eigensystem(core); });
  const mercer::Matrix<double> rotation = small.vectors.leftCols(u.cols());
  parts.rotate = median_seconds_of([&] { basis.rotate(rotation); });

  mercer::Matrix<double> g, gram, rotated, residual = b, both(u.rows(), rotation.rows());
  const Index added = both.cols() - u.cols();
  both << u, b.leftCols(added);
  parts.products = median_seconds_of([&] {
    g = mercer::inner(u, b);
    mercer::add_product(-1.0, u, g, residual);
    gram = mercer::inner(residual, residual);
    rotated = mercer::multiply(both, rotation);
  });
  const auto n = static_cast<double>(u.rows()), r = static_cast<double>(u.cols());
  const auto a = static_cast<double>(b.cols());
  parts.flops = 2 * n * (2 * r * a + a * a + (r + static_cast<double>(added)) * r);
  return parts;
}

/// Operations per second of a product of square matrices.
[[nodiscard]] double gemm_speed() {
  constexpr Index size = 1500;
  const mercer::Matrix<double> a = mercer::normal_matrix<double>(size, size, 1, "square");
  mercer::Matrix<double> b(size, size);
  return 2 * static_cast<double>(size * size * size) /
         median_seconds_of([&] { b.noalias() = a * a; });
}

void scale(Index n, Index d, Index rank, Index features, Index steps) {
  constexpr Index warm_up = 20, rows = 1000;
  mercer::detail::keep_freed_memory();  // as fits do
  const Samples x = mercer::normal_matrix<double>(n, d, 1, "samples");
  const mercer::Gaussian kernel{mercer::percentile_distance(x, 20)};
  // As many eigenvalues as the rank are above lambda, so that max_rank is reached and kept.
  const mercer::Vector<double> values = mercer::detail::subsampled_eigenvalues(
      mercer::KernelView<Samples>(kernel), mercer::RowSpace::whole(n), x, rows, false, 1);
  const double lambda = mercer::detail::threshold_between(values, rank);
  std::vector<double> drawing, stepping;
  auto draws = mercer::bind_estimator(mercer::RandomFourier{.features = features}, kernel, x, 1);
  mercer::SpgdRun run(TimedDraws(draws, drawing), mercer::LowRank<double>(n, n),
                      {.lambda = lambda, .centered = false, .max_rank = rank});
  for (Index t = 0; t < warm_up; ++t) run.step();
  drawing.clear();
  for (Index t = 0; t < steps; ++t) stepping.push_back(seconds_of([&] { run.step(); }));

  mercer::PsdTerm<double> term;
  draws.draw(1, term);
  const Parts parts = time_parts(run.iterate().left(), term.factor);
  std::printf(
      "{\"n\": %td, \"rank\": %td, \"columns\": %td, \"step\": %.17g, \"draw\": %.17g, "
      "\"extend\": %.17g, \"decompose\": %.17g, \"rotate\": %.17g, \"products\": %.17g, "
      "\"flops\": %.17g, \"gemm\": %.17g}\n",
      n, run.iterate().rank(), term.factor_cols(), median(stepping), median(drawing), parts.extend,
      parts.decompose, parts.rotate, parts.products, parts.flops, gemm_speed());
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
