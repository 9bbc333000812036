// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel values that the caller has computed already.

#ifndef MERCER_KERNELS_PRECOMPUTED_HPP
#define MERCER_KERNELS_PRECOMPUTED_HPP

#include <algorithm>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// Takes the place of a kernel if the "samples" are kernel values: `fit` takes the n x n Gram
/// matrix, `transform` the q x n matrix of values between new and training samples.
class Precomputed {
 public:
  [[nodiscard]] std::string describe() const { return "precomputed"; }

  /// Throws InvalidArgument unless \p gram is square, and symmetric up to 1e-8 (double) or 1e-4
  ///   (single) times its largest entry. The message names a pair that differs.
  template <Real S>
  static void check_gram(const Matrix<S>& gram) {
    if (gram.rows() != gram.cols())
      detail::fail("mercer::Precomputed: the Gram matrix must be square, got ", gram.rows(), " x ",
                   gram.cols());
    if (gram.size() == 0) return;
    const S tolerance = (sizeof(S) == 4 ? S(1e-4) : S(1e-8)) * gram.cwiseAbs().maxCoeff();
    constexpr Index tile = 64;  // a tile and its mirror image both fit in the first-level cache
    for (Index j = 0; j < gram.cols(); j += tile)
      for (Index i = j; i < gram.rows(); i += tile) {
        const Index rows = (std::min)(tile, gram.rows() - i),
                    cols = (std::min)(tile, gram.cols() - j);
        Index r = 0, c = 0;
        const S worst = (gram.block(i, j, rows, cols) - gram.block(j, i, cols, rows).transpose())
                            .cwiseAbs()
                            .maxCoeff(&r, &c);
        if (!(worst <= tolerance))
          detail::fail("mercer::Precomputed: the Gram matrix must be symmetric, but entries (",
                       i + r, ", ", j + c, ") and (", j + c, ", ", i + r, ") are ",
                       gram(i + r, j + c), " and ", gram(j + c, i + r));
      }
  }
};

}  // namespace mercer

#endif  // MERCER_KERNELS_PRECOMPUTED_HPP
