// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The mercer side of transform.py: fits on one file, transforms another, writes the scores, prints
/// the seconds of the transform and the memory in MiB before and in it.
/// Usage: mercer_compare_transform TRAIN.npy NEW.npy GAMMA COMPONENTS SCORES.npy

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <mercer/io/npy/npy.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Forgets the largest memory so far: without it the fit, which holds the Gram matrix, hides all
/// that comes after.
void reset_peak_memory() {
  if (std::FILE* file = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", file);
    std::fclose(file);
  }
}

/// Largest memory of the process since then, in MiB.
double peak_memory() {
  double kilobytes = 0;
  char line[256];
  if (std::FILE* file = std::fopen("/proc/self/status", "r")) {
    while (std::fgets(line, sizeof line, file) != nullptr)
      if (std::sscanf(line, "VmHWM: %lf", &kilobytes) == 1) break;
    std::fclose(file);
  }
  return kilobytes / 1024;
}

}  // namespace

int main(int argc, char* argv[]) try {
  if (argc != 6) {
    std::fprintf(stderr, "usage: %s TRAIN.npy NEW.npy GAMMA COMPONENTS SCORES.npy\n", argv[0]);
    return 2;
  }
  const auto train = mercer::io::read_npy<double>(argv[1]);
  const auto fresh = mercer::io::read_npy<double>(argv[2]);
  const mercer::KernelPca pca{mercer::Gaussian::from_gamma(std::atof(argv[3])),
                              mercer::BlockKrylov{{.tolerance = 1e-12}},
                              {.components = std::atoi(argv[4])}};
  const auto model = pca.fit(train);
  reset_peak_memory();
  const double memory_before = peak_memory();
  const double fitted = now();
  const mercer::Matrix<double> scores = model.transform(fresh);
  const double done = now();

  mercer::io::write_npy(argv[5], scores);
  std::printf("%.6f %.1f %.1f\n", done - fitted, memory_before, peak_memory());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
