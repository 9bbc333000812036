// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Fits of several kinds; prints every bit of their eigenvalues and of the scores of a sample.

#include <algorithm>
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include <mercer/mercer.hpp>

#if defined(WITH_COMPANION) != defined(MERCER_COMPILED)
#error "mercer::compiled does not switch the companion on, or mercer::mercer does"
#endif

namespace {

template <class X, class Solver>
void print(const X& x, const Solver& solver) {
  const auto model = mercer::KernelPca{mercer::Gaussian{1.5}, solver, {.components = 3}}.fit(x);
  std::cout << std::hexfloat;
  const auto scores = model.transform(x);
  for (mercer::Index i = 0; i < model.components(); ++i)
    std::cout << model.eigenvalues()(i) << ' ' << scores(1, i) << ' ';
  std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  // The companion's loops for newer processors differ in the last bits.
  mercer::set_instruction_set(mercer::InstructionSet::AsCompiled);
  const mercer::Index n = argc > 1 ? std::atoi(argv[1]) : 700;  // fewer where all takes long
  const Eigen::MatrixXd x = mercer::normal_matrix<double>(n, 4, 1, "samples");
  const mercer::SparseMatrix<float> sparse = x.cast<float>().sparseView();
  print(x, mercer::Auto{});
  print(x, mercer::Nystrom{mercer::RpCholesky{}, {.landmarks = 40}});
  print(x, mercer::Nystrom{mercer::KMeansLandmarks{}, {.landmarks = 20}});
  print(x.topRows((std::min)(n, mercer::Index{200})).eval(), mercer::Exact{});
  print(Eigen::MatrixXf(x.cast<float>()), mercer::BlockKrylov{});
  print(sparse, mercer::BlockKrylov{});
  print(x.topRows((std::min)(n, mercer::Index{100})).eval(), mercer::KernelHebbian{});
}
