// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A kernel from a function of two samples.

#ifndef MERCER_KERNELS_CALLABLE_HPP
#define MERCER_KERNELS_CALLABLE_HPP

#include <concepts>
#include <string>
#include <utility>

#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// One sample as a callable kernel sees it: a column vector of its d coordinates, contiguous.
template <Real Scalar>
using Sample = Eigen::Map<const Vector<Scalar>>;

/// f(x, y) -> number, for samples of this scalar.
template <class F, class Scalar>
concept kernel_function = std::copy_constructible<F> &&
    requires(const F& f, const Sample<Scalar>& x) {
  { f(x, x) } -> std::convertible_to<Scalar>;
};

/// k(x, y) = f(x, y), called for each pair: the slowest form of a kernel, and the shortest to
/// write.
/// \code
/// mercer::Callable kernel{[](const auto& x, const auto& y) { return std::cosh(x.dot(y)); }};
/// \endcode
/// f must be symmetric, and pure because it is called from several threads. KernelPca also accepts
/// a bare f.
template <class F>
class Callable {
 public:
  Callable(F f, std::string name = "callable")  // NOLINT: implicit, so that a bare f is a kernel
      : f_(std::move(f)), name_(std::move(name)) {}

  template <DenseSamples X, Real S = typename X::Scalar>
    requires kernel_function<F, S>
  void gram(const X& x, const X& y, GramOut<typename X::Scalar> out) const {
    const Matrix<S> x_by_sample = x.transpose(), y_by_sample = y.transpose();
    const Index d = x.cols();
    for (Index j = 0; j < out.cols(); ++j)
      for (Index i = 0; i < out.rows(); ++i)
        out(i, j) = static_cast<S>(
            f_(Sample<S>(x_by_sample.data() + i * d, d), Sample<S>(y_by_sample.data() + j * d, d)));
  }

  [[nodiscard]] std::string describe() const { return name_; }

 private:
  F f_;
  std::string name_;
};

}  // namespace mercer

#endif  // MERCER_KERNELS_CALLABLE_HPP
