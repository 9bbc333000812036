// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Sines and cosines beside the standard library's and Eigen's, and 8192 random Fourier features
/// of 1024 samples beside what they are made of; on one thread.
/// Counters: rate = G angles/s, each with its sine and its cosine; ulp = largest error for angles
/// up to 1e5, in units in the last place; bound = the time of Eigen's product alone and of the
/// sines and cosines alone, both measured in the same run, over the time of the features.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <mercer/core/math/sine_cosine.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/features/fastfood.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>

#include <tests/support/units.hpp>

namespace {

using namespace mercer;

/// n angles, uniform in [-range, range].
template <Real S>
Vector<S> random_angles(Index n, double range) {
  return random_matrix<S>(
             n, 1, 1, "benchmark angles",
             [range](RandomStream& stream) { return range * (2 * stream.uniform() - 1); })
      .col(0);
}

template <Real S, class Function>
double largest_error(const Function& function) {
  const Vector<S> angles = random_angles<S>(Index{1} << 17, 1e5);
  Vector<S> sines(angles.size()), cosines(angles.size());
  function(angles, sines, cosines);
  double worst = 0;
  for (Index i = 0; i < angles.size(); ++i) {
    const auto angle = static_cast<long double>(angles(i));
    worst = (std::max)({worst, test::error_in_units(sines(i), std::sin(angle)),
                        test::error_in_units(cosines(i), std::cos(angle))});
  }
  return worst;
}

/// function(angles, sines, cosines) on vectors that stay in the first-level cache.
template <Real S, class Function>
void run_sine_cosine(benchmark::State& state, const Function& function) {
  const Vector<S> angles = random_angles<S>(1024, 100);
  Vector<S> sines(angles.size()), cosines(angles.size());
  for (auto _ : state) {
    function(angles, sines, cosines);
    benchmark::DoNotOptimize(sines.data());
    benchmark::DoNotOptimize(cosines.data());
    benchmark::ClobberMemory();
  }
  state.counters["rate"] = benchmark::Counter(
      1e-9 * static_cast<double>(angles.size()) * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate);
  state.counters["ulp"] = largest_error<S>(function);
}

template <Real S>
void BM_sine_cosine(benchmark::State& state) {
  run_sine_cosine<S>(state, [](const Vector<S>& x, Vector<S>& sines, Vector<S>& cosines) {
    detail::sine_cosine<S>(x, sines, cosines);
  });
}

template <Real S>
void BM_std_sin_cos(benchmark::State& state) {
  run_sine_cosine<S>(state, [](const Vector<S>& x, Vector<S>& sines, Vector<S>& cosines) {
    for (Index i = 0; i < x.size(); ++i) {
      sines(i) = std::sin(x(i));
      cosines(i) = std::cos(x(i));
    }
  });
}

template <Real S>
void BM_Eigen_sin_cos(benchmark::State& state) {
  run_sine_cosine<S>(state, [](const Vector<S>& x, Vector<S>& sines, Vector<S>& cosines) {
    sines = x.array().sin();
    cosines = x.array().cos();
  });
}

template <class Task>
double seconds_of(const Task& task) {
  const auto start = std::chrono::steady_clock::now();
  task();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Seconds of one call, the least of some: what else runs on the machine only ever adds to it.
template <class Task>
double least_seconds_of(int repetitions, const Task& task) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repetitions; ++i) least = (std::min)(least, seconds_of(task));
  return least;
}

/// Seconds of one angle's sine and cosine.
template <Real S>
double seconds_of_angle() {
  const Vector<S> angles = random_angles<S>(1024, 100);
  Vector<S> sines(angles.size()), cosines(angles.size());
  return least_seconds_of(1000,
                          [&] {
                            detail::sine_cosine<S>(angles, sines, cosines);
                            benchmark::DoNotOptimize(sines.data());
                            benchmark::DoNotOptimize(cosines.data());
                          }) /
         static_cast<double>(angles.size());
}

template <Real S, class Map>
void run_features(benchmark::State& state, const Map& settings) {
  set_thread_count(1);
  const Index n = 1024, d = state.range(0);
  const Matrix<S> x = normal_matrix<S>(n, d, 1, "benchmark samples");
  const auto map =
      settings.template bind<S>(Gaussian(std::sqrt(static_cast<double>(d))), sample_bounds(x), 1);
  typename decltype(map)::Block block;
  map.draw(0, block);
  Matrix<S> z = Matrix<S>::Zero(n, map.columns());  // the memory is mapped before the clock starts
  const Matrix<S> w = normal_matrix<S>(settings.features, d, 2, "benchmark frequencies");
  const double product = least_seconds_of(5, [&] {
    z.leftCols(settings.features).noalias() = x * w.transpose();
    benchmark::DoNotOptimize(z.data());
  });
  const double waves = static_cast<double>(n * settings.features) * seconds_of_angle<S>();
  double least = std::numeric_limits<double>::infinity();
  for (auto _ : state)
    least = (std::min)(least, seconds_of([&] {
                         map.evaluate(block, x, z);
                         benchmark::DoNotOptimize(z.data());
                       }));
  state.counters["product_ms"] = 1e3 * product;
  state.counters["waves_ms"] = 1e3 * waves;
  state.counters["least_ms"] = 1e3 * least;
  state.counters["bound"] = (product + waves) / least;
}

template <Real S>
void BM_RandomFourier_paired(benchmark::State& state) {
  run_features<S>(state, RandomFourier{.features = 4096});
}

template <Real S>
void BM_RandomFourier_phase(benchmark::State& state) {
  run_features<S>(state, RandomFourier{.features = 8192, .form = FourierForm::Phase});
}

template <Real S>
void BM_Fastfood(benchmark::State& state) {
  run_features<S>(state, Fastfood{.features = 4096});
}

BENCHMARK_TEMPLATE(BM_sine_cosine, double);
BENCHMARK_TEMPLATE(BM_std_sin_cos, double);
BENCHMARK_TEMPLATE(BM_Eigen_sin_cos, double);
BENCHMARK_TEMPLATE(BM_sine_cosine, float);
BENCHMARK_TEMPLATE(BM_std_sin_cos, float);
BENCHMARK_TEMPLATE(BM_Eigen_sin_cos, float);

#define MERCER_FEATURE_BENCHMARK(function, scalar) \
  BENCHMARK_TEMPLATE(function, scalar)             \
      ->Arg(1)                                     \
      ->Arg(20)                                    \
      ->Arg(392)                                   \
      ->Arg(784)                                   \
      ->UseRealTime()                              \
      ->Unit(benchmark::kMillisecond)

MERCER_FEATURE_BENCHMARK(BM_RandomFourier_paired, double);
MERCER_FEATURE_BENCHMARK(BM_RandomFourier_paired, float);
MERCER_FEATURE_BENCHMARK(BM_RandomFourier_phase, double);
MERCER_FEATURE_BENCHMARK(BM_RandomFourier_phase, float);
MERCER_FEATURE_BENCHMARK(BM_Fastfood, double);
MERCER_FEATURE_BENCHMARK(BM_Fastfood, float);

}  // namespace
