// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel values that the caller has computed already.

#ifndef MERCER_KERNELS_PRECOMPUTED_HPP
#define MERCER_KERNELS_PRECOMPUTED_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// Takes the place of a kernel if the "samples" are kernel values: `fit` takes the n x n Gram
/// matrix, `transform` the q x n matrix of values between new and training samples.
class Precomputed {
 public:
  [[nodiscard]] std::string describe() const { return "precomputed"; }

  /// How far a matrix is from a symmetric one.
  template <Real S>
  struct Asymmetry {
    S sum = 0;      ///< of all entries, not in a known order; not finite if one of them is not
    S largest = 0;  ///< of the absolute values
    S worst = 0;    ///< largest |K_ij - K_ji|
    Index row = 0;  ///< where the difference is largest
    Index col = 0;  ///< likewise
  };

  /// \param who  the class or function to name if an entry is not finite
  /// Throws InvalidArgument unless \p gram is square, finite, and symmetric up to 1e-8 (double) or
  ///   1e-4 (single) times its largest entry. The message names the entry that is not finite, or
  ///   the pair that differs most.
  /// Cost: the matrix is read once if all is well.
  template <Real S>
  static void check_gram(const Matrix<S>& gram, std::string_view who = "Precomputed") {
    const Asymmetry<S> found = asymmetry(gram);
    // NaN compares with nothing, so it may also hide a pair that differs.
    if (!std::isfinite(found.sum)) detail::require_finite_samples(who, gram);
    require_symmetric(gram, found);
  }

  /// One pass over a square matrix.
  /// Throws InvalidArgument unless it is square.
  /// Threads: over blocks of columns; the result does not depend on their number.
  template <Real S>
  [[nodiscard]] static Asymmetry<S> asymmetry(const Matrix<S>& gram) {
    if (gram.rows() != gram.cols())
      detail::fail("mercer::Precomputed: the Gram matrix must be square, got ", gram.rows(), " x ",
                   gram.cols());
    // A tile and its mirror image both fit in the first-level cache.
    constexpr Index tile = 64;
    const Index n = gram.rows(), count = (n + tile - 1) / tile;
    std::vector<Asymmetry<S>> parts(static_cast<std::size_t>(count));
    parallel_for(count, [&](Index task) {
      const Index j = task * tile, cols = (std::min)(tile, n - j);
      Asymmetry<S>& part = parts[static_cast<std::size_t>(task)];
      for (Index i = j; i < n; i += tile) {
        const Index rows = (std::min)(tile, n - i);
        const auto below = gram.block(i, j, rows, cols), above = gram.block(j, i, cols, rows);
        part.sum += below.sum() + above.sum();
        part.largest =
            (std::max)({part.largest, below.cwiseAbs().maxCoeff(), above.cwiseAbs().maxCoeff()});
        Index r = 0, c = 0;
        const S worst = (below - above.transpose()).cwiseAbs().maxCoeff(&r, &c);
        if (worst > part.worst) part = {part.sum, part.largest, worst, i + r, j + c};
      }
    });
    Asymmetry<S> all;
    for (const Asymmetry<S>& part : parts) {
      all.sum += part.sum;
      all.largest = (std::max)(all.largest, part.largest);
      if (part.worst > all.worst) all = {all.sum, all.largest, part.worst, part.row, part.col};
    }
    return all;
  }

  /// Throws InvalidArgument if this asymmetry of a finite \p gram is more than rounding, as
  ///   check_gram().
  template <Real S>
  static void require_symmetric(const Matrix<S>& gram, const Asymmetry<S>& found) {
    const S tolerance = (sizeof(S) == 4 ? S(1e-4) : S(1e-8)) * found.largest;
    if (!(found.worst <= tolerance))
      detail::fail("mercer::Precomputed: the Gram matrix must be symmetric, but entries (",
                   found.row, ", ", found.col, ") and (", found.col, ", ", found.row, ") are ",
                   gram(found.row, found.col), " and ", gram(found.col, found.row));
  }
};

}  // namespace mercer

#endif  // MERCER_KERNELS_PRECOMPUTED_HPP
