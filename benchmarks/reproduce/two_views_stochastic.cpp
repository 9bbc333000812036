// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel CCA of the halves of digits by stochastic steps over batches of images and of features.

#include <algorithm>
#include <stdexcept>

#include <mercer/features/random_fourier.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>

#include <benchmarks/reproduce/digit_halves.hpp>

namespace reproduce {

void fit_stochastic_halves(const DigitTask& task, const Arguments& given) {
  const mercer::Index size = given.count("size"), block = given.count("block");
  if (block < 1 || size % block != 0)
    throw std::invalid_argument("size= must be a multiple of block=");
  fit_halves<float>(
      task, task.kernels.x, task.kernels.y,
      mercer::DoublyStochastic{
          mercer::RandomFourier{.features = block, .form = mercer::FourierForm::Phase},
          {.blocks = size / block,
           .data_batch = given.count("batch"),
           .steps = given.count("steps"),
           .start_rows = std::max(mercer::Index{1024}, 2 * block),
           .evaluation_rows = 10000,
           .seed = given.seed()}},
      given);
}

}  // namespace reproduce
