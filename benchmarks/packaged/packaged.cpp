// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Seconds of four tasks, one line each, with the instruction set of the inner loops: Auto, Nyström
/// with 1000 landmarks, principal components of 512 random features, and new rows.
///
///   packaged [N [D [as-compiled]]]      by default 10000 784 and the best loops there are
///
/// The samples have 30 large directions and noise, as images do; Gaussian kernel, 20 components.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include <mercer/core/machine/instruction_sets.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>

namespace {

using mercer::Index;
using mercer::Matrix;

template <class Task>
auto timed(const char* name, const Task& task) {
  const auto begin = std::chrono::steady_clock::now();
  auto result = task();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%s %.4f\n", name, seconds.count());
  return result;
}

void run(Index n, Index d) {
  constexpr Index directions = 30;
  const double size = 3 / std::sqrt(double(directions));
  const Matrix<double> x = size * mercer::normal_matrix<double>(n, directions, 1, "places") *
                               mercer::normal_matrix<double>(directions, d, 1, "directions") +
                           mercer::normal_matrix<double>(n, d, 1, "noise");
  const mercer::Gaussian kernel(3 * std::sqrt(double(d)));
  const mercer::KernelPcaParams params{.components = 20};
  const auto model =
      timed("auto", [&] { return mercer::KernelPca(kernel, mercer::Auto{}, params).fit(x); });
  timed("nystrom", [&] {
    return mercer::KernelPca(kernel, mercer::Nystrom{mercer::RpCholesky{}, {.landmarks = 1000}},
                             params)
        .fit(x);
  });
  timed("features", [&] {
    return mercer::KernelPca(kernel, mercer::FeaturePca{mercer::RandomFourier{.features = 512}},
                             params)
        .fit(x);
  });
  timed("new-rows", [&] { return model.transform(x); });
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 3 && std::string_view(argv[3]) == "as-compiled")
      mercer::set_instruction_set(mercer::InstructionSet::AsCompiled);
    std::printf("instructions %s\n", std::string(to_string(mercer::instruction_set())).c_str());
    run(argc > 1 ? std::stol(argv[1]) : 10000, argc > 2 ? std::stol(argv[2]) : 784);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "packaged: %s\n", error.what());
    return 2;
  }
}
