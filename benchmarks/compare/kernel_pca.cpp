// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The mercer side of kernel_pca.py: fits on one file, transforms another, prints seconds.
/// Usage: mercer_compare_kernel_pca TRAIN.npy NEW.npy GAMMA COMPONENTS OUT_PREFIX

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <mercer/io/npy.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Forgets the largest memory so far: without it the fit, which holds n^2 values, hides all that
/// comes after.
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
    std::fprintf(stderr, "usage: %s TRAIN.npy NEW.npy GAMMA COMPONENTS OUT_PREFIX\n", argv[0]);
    return 2;
  }
  const auto train = mercer::io::read_npy<double>(argv[1]);
  const auto fresh = mercer::io::read_npy<double>(argv[2]);
  const mercer::KernelPca pca{mercer::Gaussian::from_gamma(std::atof(argv[3])),
                              mercer::Exact{},
                              {.components = std::atoi(argv[4])}};
  const double begin = now();
  const auto model = pca.fit(train);
  const double fit_seconds = now() - begin;
  reset_peak_memory();
  const double memory_before = peak_memory();
  const double fitted = now();
  const mercer::Matrix<double> scores = model.transform(fresh);
  const double done = now();

  const std::string prefix = argv[5];
  mercer::io::write_npy(prefix + "eigenvalues.npy", model.eigenvalues());
  mercer::io::write_npy(prefix + "scores.npy", scores);
  std::printf("%.6f %.6f %.1f %.1f\n", fit_seconds, done - fitted, memory_before, peak_memory());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
