// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A kernel that offers what the concept Kernel asks and nothing more, and for each requirement a
/// type that lacks just this.

#ifndef MERCER_TESTS_SUPPORT_KERNEL_ARCHETYPES_HPP
#define MERCER_TESTS_SUPPORT_KERNEL_ARCHETYPES_HPP

#include <cmath>

#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer::test {

/// exp(-|x - y|^2 / 2) for dense samples of doubles. No default constructor, no assignment.
class MinimalKernel {
 public:
  explicit MinimalKernel(int) {}
  MinimalKernel(const MinimalKernel&) = default;
  MinimalKernel& operator=(const MinimalKernel&) = delete;

  void gram(Points<double> x, Points<double> y, GramOut<double> out) const {
    for (Index j = 0; j < out.cols(); ++j)
      for (Index i = 0; i < out.rows(); ++i)
        out(i, j) = std::exp(-0.5 * (x.row(i) - y.row(j)).squaredNorm());
  }
};

/// The same for float only.
struct SinglePrecisionKernel {
  void gram(Points<float> x, Points<float> y, GramOut<float> out) const {
    out.noalias() = x * y.transpose();
  }
};

struct WithoutGram {};

struct GramNotConst {
  void gram(Points<double> x, Points<double> y, GramOut<double> out);
};

struct GramReturnsAMatrix {
  Matrix<double> gram(Points<double> x, Points<double> y, GramOut<double> out) const;
};

struct GramWithoutOutput {
  void gram(Points<double> x, Points<double> y) const;
};

/// Takes mutable references, which bind to no block of constant samples.
struct GramOfMutableSamples {
  void gram(Matrix<double>& x, Matrix<double>& y, GramOut<double> out) const;
};

struct GramOfIntegers {
  void gram(const Eigen::MatrixXi& x, const Eigen::MatrixXi& y, Eigen::Ref<Eigen::MatrixXi>) const;
};

struct GramIsPrivate {
 private:
  void gram(Points<double> x, Points<double> y, GramOut<double> out) const;
};

struct NotCopyable {
  NotCopyable() = default;
  NotCopyable(const NotCopyable&) = delete;
  NotCopyable(NotCopyable&&) = default;
  void gram(Points<double> x, Points<double> y, GramOut<double> out) const;
};

}  // namespace mercer::test

#endif  // MERCER_TESTS_SUPPORT_KERNEL_ARCHETYPES_HPP
