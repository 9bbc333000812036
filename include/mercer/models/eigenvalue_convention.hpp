// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The matrix or operator that the eigenvalues of a model belong to.

#ifndef MERCER_MODELS_EIGENVALUE_CONVENTION_HPP
#define MERCER_MODELS_EIGENVALUE_CONVENTION_HPP

#include <mercer/core/types.hpp>

namespace mercer {

/// The matrix or operator that eigenvalues belong to.
enum class EigenvalueConvention {
  Gram,           ///< mu_i, of the (centred) Gram matrix
  Covariance,     ///< mu_i / n, of the covariance operator
  SampleVariance  ///< mu_i / (n - 1), the sample variance of the i-th training score
};

namespace detail {

/// Converts eigenvalues mu_i of the Gram matrix of \p samples samples to another convention. A
/// centred model of one sample has no eigenvalues; of one that is not centred, the sample variance
/// is infinite.
template <Real S>
[[nodiscard]] Vector<S> in_convention(const Vector<S>& eigenvalues, Index samples,
                                      EigenvalueConvention convention) {
  const auto n = static_cast<S>(samples);
  switch (convention) {
    case EigenvalueConvention::Gram:
      return eigenvalues;
    case EigenvalueConvention::Covariance:
      return eigenvalues / n;
    case EigenvalueConvention::SampleVariance:
      return eigenvalues / (n - 1);
  }
  return eigenvalues;
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_MODELS_EIGENVALUE_CONVENTION_HPP
