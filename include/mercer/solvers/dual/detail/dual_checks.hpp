// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Checks of arguments that the solvers of the dual of kernel PCA share.

#ifndef MERCER_SOLVERS_DUAL_DETAIL_DUAL_CHECKS_HPP
#define MERCER_SOLVERS_DUAL_DETAIL_DUAL_CHECKS_HPP

#include <algorithm>
#include <limits>
#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/dual/detail/inverse_root.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer::detail {

/// For solvers of the dual. LBFGS++ indexes the rows x components values of the dual variable by
/// int.
/// Throws InvalidArgument unless \p components is a number from 1 to \p rows for which int
///   suffices.
inline void require_count(std::string_view who, const Components& components, Index rows) {
  require_number(who, components);
  components.validate(rows);
  if (rows > (std::numeric_limits<int>::max)() / components.count())
    fail("mercer::", who, ": ", rows, " rows by ", components.count(),
         " components are more values than the dual variable may have, 2^31 - 1");
}

/// What rounding errors can add to a residual of the dual's scores, in units of the eigenvalues. In
/// products they depend on the size of the entries, in the gradient on the largest eigenvalue.
template <Real S>
struct ResidualNoise {
  static constexpr double scalar_epsilon{std::numeric_limits<S>::epsilon()};

  double epsilon = 0;  ///< relative rounding error of the operator's entries
  double in_products = 0;

  explicit ResidualNoise(const EigenRequest& request)
      : epsilon((std::max)(scalar_epsilon, request.epsilon)),
        in_products(noise_ulps * epsilon * request.noise_scale) {}

  [[nodiscard]] double at(double largest) const {
    return (std::max)(in_products, 64 * scalar_epsilon * largest);
  }
  /// The noise in products of the deflated matrix; \p largest is its largest deflated eigenvalue.
  [[nodiscard]] ResidualNoise deflated(double largest) const {
    ResidualNoise rest = *this;
    rest.in_products = at(largest);
    return rest;
  }
};

/// Throws InvalidArgument if S = H^T G H has an eigenvalue below -\p allowed: then G has a negative
///   eigenvalue too.
template <Real S>
void require_semidefinite(const InverseRoot<S>& root, double allowed) {
  const double least = root.system.values.minCoeff();
  if (least < -allowed)
    fail(
        "mercer: the dual of kernel PCA needs a positive semidefinite matrix, and this one has a "
        "negative eigenvalue (H^T G H has one of ",
        least, ", its largest is ", root.system.values.maxCoeff(),
        "); BlockKrylov, Lanczos and Exact take indefinite ones");
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DUAL_DETAIL_DUAL_CHECKS_HPP
