// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Scalars, matrices, and the two forms of samples that a kernel receives.

#ifndef MERCER_CORE_TYPES_HPP
#define MERCER_CORE_TYPES_HPP

#if !((defined(_MSVC_LANG) && _MSVC_LANG >= 202002L) || __cplusplus >= 202002L)
#error "mercer needs C++20: compile with -std=c++20 or later"
#endif

#include <concepts>
#include <string_view>
#include <type_traits>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#if !EIGEN_VERSION_AT_LEAST(3, 4, 0)
#error "mercer needs Eigen 3.4 or later (Debian package: libeigen3-dev)"
#endif

namespace mercer {

/// Numbers of samples, dimensions and components.
using Index = Eigen::Index;

/// The floating-point types that mercer computes in.
template <class T>
concept Real = std::same_as<T, float> || std::same_as<T, double>;

/// The precision that values are held in.
enum class Precision { Single, Double };

/// The precision of a type of numbers.
template <Real Scalar>
inline constexpr Precision precision_of = sizeof(Scalar) == 4 ? Precision::Single
                                                              : Precision::Double;

[[nodiscard]] constexpr std::string_view to_string(Precision precision) {
  return precision == Precision::Single ? "single" : "double";
}

/// A matrix stored by columns.
template <Real Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
/// A column vector.
template <Real Scalar>
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
/// A matrix stored by rows.
template <Real Scalar>
using RowMajorMatrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Sparse samples, one per row.
template <Real Scalar>
using SparseMatrix = Eigen::SparseMatrix<Scalar, Eigen::RowMajor>;

/// A block of dense samples as a kernel sees it: one sample per row, columns contiguous.
/// Binds to row ranges of a column-major matrix without a copy; row-major input is copied.
template <Real Scalar>
using Points = Eigen::Ref<const Matrix<Scalar>>;

/// Where a kernel writes a block of the Gram matrix.
template <Real Scalar>
using GramOut = Eigen::Ref<Matrix<Scalar>>;

/// Any Eigen object with sparse storage.
template <class T>
concept SparseSamples = std::derived_from<T, Eigen::SparseMatrixBase<T>>;

/// Any dense Eigen object.
template <class T>
concept DenseSamples = std::derived_from<T, Eigen::DenseBase<T>>;

/// Samples in the form that mercer stores them: Matrix (column-major) or SparseMatrix (row-major).
template <class T>
concept OwnedSamples = std::same_as<T, Matrix<typename T::Scalar>> ||
    std::same_as<T, SparseMatrix<typename T::Scalar>>;

/// The owned form of a sample expression: SparseMatrix for sparse ones, Matrix for dense ones.
template <class X>
using OwnedSamplesOf = std::conditional_t<SparseSamples<X>, SparseMatrix<typename X::Scalar>,
                                          Matrix<typename X::Scalar>>;

}  // namespace mercer

#endif  // MERCER_CORE_TYPES_HPP
