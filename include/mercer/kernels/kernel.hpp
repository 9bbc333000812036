// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The Kernel concept: what a kernel must offer, what it may offer, and how a user checks a kernel.

#ifndef MERCER_KERNELS_KERNEL_HPP
#define MERCER_KERNELS_KERNEL_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <string>

#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

namespace detail {

/// A kernel's parameter in the samples' scalar. A value outside the range of the scalar becomes its
/// largest or its smallest normal number. It never becomes infinity or 0, because 0 * inf is NaN.
template <Real S>
[[nodiscard]] S parameter(double value) {
  constexpr double smallest = (std::numeric_limits<S>::min)(),
                   largest = (std::numeric_limits<S>::max)();
  if (value == 0) return 0;
  return static_cast<S>(std::copysign(std::clamp(std::abs(value), smallest, largest), value));
}

}  // namespace detail

/// Sparse samples as a kernel sees them: one per row, bound to row ranges without a copy.
template <Real Scalar>
using SparsePoints = Eigen::Ref<const SparseMatrix<Scalar>>;

/// The kernel writes out(i, j) = k(x_i, y_j) for dense samples of this scalar.
template <class K, class Scalar>
concept fills_gram = requires(const K& kernel, Points<Scalar> x, GramOut<Scalar> out) {
  { kernel.gram(x, x, out) } -> std::same_as<void>;
};

/// Optional: the same for sparse samples, without making them dense.
template <class K, class Scalar>
concept fills_sparse_gram = requires(const K& kernel, SparsePoints<Scalar> x, GramOut<Scalar> out) {
  { kernel.gram(x, x, out) } -> std::same_as<void>;
};

/// The kernel takes samples of double, of float, or of both.
template <class K>
concept fills_gram_in_some_precision = fills_gram<K, double> || fills_gram<K, float>;

/// A positive semidefinite (or at least symmetric) kernel function k on R^d.
///
/// A user's kernel is any copyable type of this form:
/// \code
/// struct MyKernel {
///   void gram(mercer::Points<double> x, mercer::Points<double> y,
///             mercer::GramOut<double> out) const;  // out(i, j) = k(x_i, y_j)
/// };
/// static_assert(mercer::check_kernel<MyKernel>());  // says in a sentence what is missing
/// \endcode
/// Syntax:
/// - (1) copyable;
/// - (2) a const member `gram` for Points of float, of double, or of both (as a member template,
///   like the kernels of mercer). `out` is x.rows() x y.rows() with contiguous columns and
///   uninitialised values.
///
/// Semantics:
/// - (3) symmetric: k(x, y) = k(y, x);
/// - (4) pure: the same arguments give the same values, and calls may run at the same time;
/// - (5) positive semidefinite, unless the solver accepts indefinite kernels (KernelPca keeps the
///   positive part and reports the rest).
///
/// Not required: vectorisation, threads (mercer calls `gram` tile by tile on several threads), and
/// checks of shapes or of finite values (done once, before any tile).
///
/// Optional:
/// - `void diagonal(Points<S> x, Eigen::Ref<Vector<S>> out) const` with out(i) = k(x_i, x_i);
/// - `void check_domain(x) const`, which throws for samples outside the kernel's domain;
/// - `double growth(x) const`, if k grows faster than inner products: see HasGrowth;
/// - `std::string describe() const` for reports;
/// - `gram` for SparsePoints;
/// - `static constexpr bool translation_invariant = true` if k depends on x - y alone;
/// - `static constexpr bool skips_equal_columns = true` if k stays the same, too, where columns are
///   left out in which x and y are equal: see SkipsEqualColumns;
/// - `double integral(Index d) const` if k(., y) is a multiple of a probability density on R^d: see
///   HasIntegral;
/// - `prepare` and `gram_prepared`, if something can be computed once for each sample: see
///   HasPreparation.
///
/// mercer/testing/kernel_laws.hpp tests (3) to (5) on your own samples.
template <class K>
concept Kernel = std::copy_constructible<K> && fills_gram_in_some_precision<K>;

/// Kernels that can compute k(x, x) without a Gram block.
template <class K, class Scalar>
concept HasDiagonal = requires(const K& kernel, Points<Scalar> x, Eigen::Ref<Vector<Scalar>> out) {
  { kernel.diagonal(x, out) } -> std::same_as<void>;
};

/// Kernels that are defined only on a part of R^d.
template <class K, class X>
concept HasDomain = requires(const K& kernel, const X& x) {
  kernel.check_domain(x);
};

/// Kernels k = f(t) that grow faster than the inner product t. A relative error of t becomes one of
/// k that is |t f'(t) / f(t)| times as large. `kernel.growth(x)` is the largest of these over the
/// inner products of samples with themselves, times the errors of t in ulp: how many ulp the values
/// may have lost.
template <class K, class X>
concept HasGrowth = requires(const K& kernel, const X& x) {
  { kernel.growth(x) } -> std::same_as<double>;
};

/// Kernels that depend on x - y alone. A shift of all samples does not change them, so a common
/// offset can be removed before samples are rounded to single precision.
template <class K>
concept IsTranslationInvariant = requires {
  requires K::translation_invariant;
};

/// Kernels that see no column in which all samples are the same, wherever it stands: functions of a
/// distance, for example. Such columns are left out of samples in single precision. A kernel with a
/// weight for each column is not one of them.
template <class K>
concept SkipsEqualColumns = requires {
  requires K::skips_equal_columns;
};

/// Kernels that are a multiple of a probability density. `kernel.integral(d)` is the integral of
/// k(x, y) over x in R^d, the same number for every y. Divided by it, the kernel smooths densities.
template <class K>
concept HasIntegral = requires(const K& kernel, Index dimension) {
  { kernel.integral(dimension) } -> std::same_as<double>;
};

/// Kernels with a name and parameters to print.
template <class K>
concept HasDescription = requires(const K& kernel) {
  { kernel.describe() } -> std::convertible_to<std::string>;
};

/// Kernels that hold another kernel, chosen at run time. `kernel.with_kernel(use)` calls \p use
/// with the kernel that it holds. mercer asks that kernel, and not the holder, for values and
/// properties.
template <class K>
concept HoldsKernel = requires(const K& kernel) {
  kernel.with_kernel([](const auto&) {});
};

/// Whether the kernel can be evaluated on samples of the stored form X.
template <class K, class X>
concept evaluates = OwnedSamples<X> &&
    ((SparseSamples<X> && fills_sparse_gram<K, typename X::Scalar>) ||
     (!SparseSamples<X> && fills_gram<K, typename X::Scalar>));

/// True if K models Kernel for this scalar. Otherwise compilation stops with a sentence that says
/// what to add. Use as `static_assert(mercer::check_kernel<MyKernel>());`.
template <class K, Real Scalar = double>
consteval bool check_kernel() {
  static_assert(std::copy_constructible<K>,
                "mercer::Kernel: the kernel is stored by value, so it must be copyable");
  static_assert(fills_gram<K, Scalar>,
                "mercer::Kernel: the kernel needs  void gram(Points<S> x, Points<S> y, GramOut<S> "
                "out) const  that writes out(i, j) = k(x_i, y_j)");
  return Kernel<K>;
}

namespace detail {

/// A range of samples, as a kernel sees them.
template <DenseSamples X>
[[nodiscard]] Points<typename X::Scalar> rows_of(const X& x, Range rows) {
  // A matrix without columns has no memory to offset into, and all its rows are the same.
  return x.middleRows(x.cols() == 0 ? 0 : rows.begin, rows.size);
}

template <SparseSamples X>
[[nodiscard]] SparsePoints<typename X::Scalar> rows_of(const X& x, Range rows) {
  return SparsePoints<typename X::Scalar>(x.middleRows(rows.begin, rows.size));
}

/// Eigen 3.4 makes no such reference of rows of another one.
template <Real S>
[[nodiscard]] SparsePoints<S> rows_of(const SparsePoints<S>& x, Range rows) {
  const auto* counts = x.innerNonZeroPtr();
  return Eigen::Map<const SparseMatrix<S>>(rows.size, x.cols(), x.nonZeros(),
                                           x.outerIndexPtr() + rows.begin, x.innerIndexPtr(),
                                           x.valuePtr(), counts ? counts + rows.begin : nullptr);
}

/// Stops compilation with a sentence if K is not a kernel, or has no values for samples of the
/// stored form X.
template <class K, OwnedSamples X>
consteval void require_evaluates() {
  if constexpr (!Kernel<K>) {
    static_cast<void>(check_kernel<K, typename X::Scalar>());
  } else {
    static_assert(
        !SparseSamples<X> || evaluates<K, X>,
        "mercer: this kernel does not take sparse samples; pass dense ones (X.toDense()), "
        "or use a kernel of inner products, distances or angles");
    static_assert(SparseSamples<X> || evaluates<K, X>,
                  "mercer: this kernel does not take samples of this scalar; its gram() is for the "
                  "other one of float and double");
  }
}

}  // namespace detail

}  // namespace mercer

#endif  // MERCER_KERNELS_KERNEL_HPP
