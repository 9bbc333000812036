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

#if defined(WITH_COMPANION)
/// Whether a fit has the same bits on one and two threads, with the loops that the processor has.
bool threads_agree(const Eigen::MatrixXd& x) {
  const mercer::KernelPca pca{mercer::Gaussian{1.5}, mercer::Auto{}, {.components = 3}};
  const int before = mercer::thread_count();
  mercer::set_thread_count(1);
  const auto one = pca.fit(x);
  mercer::set_thread_count(2);
  const auto two = pca.fit(x);
  mercer::set_thread_count(before);
  return one.eigenvalues() == two.eigenvalues() && one.transform(x) == two.transform(x);
}
#endif

int main(int argc, char** argv) {
#if defined(WITH_COMPANION)
  if (!threads_agree(mercer::normal_matrix<double>(argc > 1 ? 60 : 700, 4, 1, "samples"))) {
    std::cerr << "the number of threads changes bits\n";
    return 1;
  }
#endif
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
