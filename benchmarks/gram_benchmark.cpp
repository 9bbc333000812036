// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Gram matrices formed, and multiplied by a block of vectors, beside an Eigen product.
/// Counters: rate = GFLOP/s (2 n^2 d for Eigen's product; n^2 d to form a Gram matrix, by symmetry,
/// and nothing for the exponential; 2 n^2 b to multiply it by b vectors) or G coordinate
/// differences/s; error = largest absolute error of sampled entries against long double.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include <mercer/core/random.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/operators/gram.hpp>

namespace {

using namespace mercer;

template <Real S>
Matrix<S> samples(Index n, Index d) {
  return normal_matrix<S>(n, d, 1, "benchmark samples");
}

/// Largest error of entries on a grid through the matrix, against value(|x - y|^2, |x - y|_1).
template <Real S, class Value>
double sampled_error(const Matrix<S>& x, const Matrix<S>& k, const Value& value) {
  double worst = 0;
  for (Index i = 0; i < x.rows(); i += 97)
    for (Index j = 0; j < x.rows(); j += 89) {
      const auto difference =
          (x.row(i).template cast<long double>() - x.row(j).template cast<long double>()).eval();
      const long double exact = value(difference.squaredNorm(), difference.template lpNorm<1>());
      worst = (std::max)(worst,
                         static_cast<double>(std::abs(static_cast<long double>(k(i, j)) - exact)));
    }
  return worst;
}

void set_rate(benchmark::State& state, double operations) {
  state.counters["rate"] = benchmark::Counter(
      operations * 1e-9 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

template <Real S>
void BM_Eigen_product(benchmark::State& state) {
  const Index n = state.range(0), d = state.range(1);
  const Matrix<S> x = samples<S>(n, d);
  Matrix<S> k = Matrix<S>::Zero(n, n);  // the memory is mapped before the clock starts
  for (auto _ : state) {
    k.noalias() = x * x.transpose();
    benchmark::DoNotOptimize(k.data());
  }
  set_rate(state, 2.0 * static_cast<double>(n * n * d));
}

template <Real S>
void BM_Gaussian_gram(benchmark::State& state) {
  const Index n = state.range(0), d = state.range(1);
  const Matrix<S> x = samples<S>(n, d);
  const double sigma = std::sqrt(static_cast<double>(d));
  Matrix<S> k = Matrix<S>::Zero(n, n);
  for (auto _ : state) {
    fill_gram(Gaussian(sigma), x, k);
    benchmark::DoNotOptimize(k.data());
  }
  set_rate(state, static_cast<double>(n * n * d));
  state.counters["error"] = sampled_error(x, k, [&](long double squared, long double) {
    return std::exp(-squared / (2.0L * sigma * sigma));
  });
}

template <Real S>
void BM_Laplacian_gram(benchmark::State& state) {
  const Index n = state.range(0), d = state.range(1);
  const Matrix<S> x = samples<S>(n, d);
  const double gamma = 1 / static_cast<double>(d);
  Matrix<S> k = Matrix<S>::Zero(n, n);
  for (auto _ : state) {
    fill_gram(Laplacian(gamma), x, k);
    benchmark::DoNotOptimize(k.data());
  }
  // Half of the n^2 d differences, by symmetry; rate is of all threads together.
  set_rate(state, 0.5 * static_cast<double>(n * n * d));
  state.counters["error"] = sampled_error(
      x, k, [&](long double, long double absolute) { return std::exp(-absolute * gamma); });
  state.counters["threads"] = thread_count();
}

/// One pass of a solver: K V for a block V, n x b in double.
void BM_Gram_product(benchmark::State& state, GramStorage storage, Precision precision) {
  const Index n = state.range(0), d = state.range(1), b = state.range(2);
  const Gram gram(Gaussian(std::sqrt(static_cast<double>(d))), samples<double>(n, d),
                  {storage, precision});
  const Matrix<double> v = normal_matrix<double>(n, b, 2, "benchmark block");
  Matrix<double> product(n, b);
  for (auto _ : state) {
    gram.apply(v, product);
    benchmark::DoNotOptimize(product.data());
  }
  const Index evaluated = storage == GramStorage::Stored ? 0 : d;
  set_rate(state, static_cast<double>(n * n * (2 * b + evaluated)));
}

#define MERCER_GRAM_BENCHMARK(function) \
  BENCHMARK_TEMPLATE(function, double)  \
      ->Args({8000, 112})               \
      ->UseRealTime()                   \
      ->Unit(benchmark::kMillisecond);  \
  BENCHMARK_TEMPLATE(function, float)   \
      ->Args({8000, 112})               \
      ->UseRealTime()                   \
      ->Unit(benchmark::kMillisecond)

MERCER_GRAM_BENCHMARK(BM_Eigen_product);
MERCER_GRAM_BENCHMARK(BM_Gaussian_gram);
MERCER_GRAM_BENCHMARK(BM_Laplacian_gram);

#define MERCER_PRODUCT_BENCHMARK(storage, precision)                              \
  BENCHMARK_CAPTURE(BM_Gram_product, storage##_##precision, GramStorage::storage, \
                    Precision::precision)                                         \
      ->Args({8000, 112, 32})                                                     \
      ->UseRealTime()                                                             \
      ->Unit(benchmark::kMillisecond)

MERCER_PRODUCT_BENCHMARK(Stored, Single);
MERCER_PRODUCT_BENCHMARK(Stored, Double);
MERCER_PRODUCT_BENCHMARK(Recomputed, Single);
MERCER_PRODUCT_BENCHMARK(Recomputed, Double);

}  // namespace
