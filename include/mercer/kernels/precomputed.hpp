// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel values that the caller has computed already.

#ifndef MERCER_KERNELS_PRECOMPUTED_HPP
#define MERCER_KERNELS_PRECOMPUTED_HPP

#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// Stands where a kernel stands and says that the "samples" are kernel values: `fit` takes the n x
/// n Gram matrix, `transform` the q x n matrix of values between new and training samples.
class Precomputed {
 public:
  [[nodiscard]] std::string describe() const { return "precomputed"; }

  /// Throws InvalidArgument unless \p gram is square and symmetric to relative 1e-8 (double) or
  /// 1e-4 (single) of its largest entry; names the worst pair.
  template <Real S>
  static void check_gram(const Matrix<S>& gram) {
    if (gram.rows() != gram.cols())
      detail::fail("mercer::Precomputed: the Gram matrix must be square, got ", gram.rows(), " x ",
                   gram.cols());
    if (gram.size() == 0) return;
    const S tolerance = (sizeof(S) == 4 ? S(1e-4) : S(1e-8)) * gram.cwiseAbs().maxCoeff();
    Index i = 0, j = 0;
    const S worst = (gram - gram.transpose()).cwiseAbs().maxCoeff(&i, &j);
    if (!(worst <= tolerance))
      detail::fail("mercer::Precomputed: the Gram matrix must be symmetric, but entries (", i, ", ",
                   j, ") and (", j, ", ", i, ") are ", gram(i, j), " and ", gram(j, i));
  }
};

}  // namespace mercer

#endif  // MERCER_KERNELS_PRECOMPUTED_HPP
