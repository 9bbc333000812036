// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The leading singular triplets of a dense matrix, by a symmetric eigensolver.

#ifndef MERCER_MODELS_DETAIL_LEADING_TRIPLETS_HPP
#define MERCER_MODELS_DETAIL_LEADING_TRIPLETS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/dense/detail/dense_eigen.hpp>

namespace mercer::detail {

/// The same triplets in descending order of the values.
template <Real S>
[[nodiscard]] SingularSystem<S> descending(const SingularSystem<S>& system) {
  const Index count = system.values.size();
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return system.values(a) > system.values(b); });
  SingularSystem<S> out{Matrix<S>(system.left.rows(), count), Vector<S>(count),
                        Matrix<S>(system.right.rows(), count)};
  for (Index j = 0; j < count; ++j) {
    const Index from = order[static_cast<std::size_t>(j)];
    out.left.col(j) = system.left.col(from);
    out.values(j) = system.values(from);
    out.right.col(j) = system.right.col(from);
  }
  return out;
}

/// At most \p k leading singular triplets of T = \p a. Those that are zero to rounding are left
/// out.
///
/// The eigenvectors of T^T T are right singular vectors, but the squares cost half of the digits of
/// the small ones. So only the values above 1/100 of the largest are taken. Then T is deflated by
/// them, and the next ones are found in the same way. Each value is the norm of T v, so that equal
/// ones come in any order; they are sorted at the end.
/// Cost: for each factor of 100 in the spectrum that is needed, a product T^T T and an eigenproblem
///   of the smaller size of T.
/// Accuracy: |T v - sigma u| and |T^T u - sigma v| of about 100 epsilon |T|.
/// Throws InvalidArgument if entries are not finite.
template <Real S>
[[nodiscard]] SingularSystem<S> leading_triplets(const Matrix<S>& a, Index k) {
  if (a.rows() < a.cols()) {
    SingularSystem<S> turned = leading_triplets<S>(a.transpose(), k);
    std::swap(turned.left, turned.right);
    return turned;
  }
  require_finite_entries("leading_triplets", a);
  // Scaling by a power of two is exact, and keeps squares from overflowing.
  const S size = a.size() > 0 ? a.cwiseAbs().maxCoeff() : S(0);
  const S scale = std::exp2(size > 0 ? static_cast<S>(std::ilogb(size)) : S(0));
  const Matrix<S> t = a / scale;
  constexpr S least = S(0.01);  // of the largest singular value of a round
  const Index most = (std::min)(k, t.cols());
  SingularSystem<S> out{Matrix<S>(t.rows(), most), Vector<S>(most), Matrix<S>(t.cols(), most)};
  Index found = 0;
  Matrix<S> rest = t;
  while (found < most) {
    Matrix<S> gram = small_product<S>(rest.transpose(), rest);
    DenseEigen<S> eigen(gram);
    const Vector<S> squares = eigen.eigenvalues().reverse();
    const S largest = found > 0 ? out.values(0) : std::sqrt((std::max)(squares(0), S(0)));
    const S zero = rounding_level<S>(t.rows()) * largest;
    if (!eigen.ok() || !(squares(0) > zero * zero)) break;
    const Index above = (squares.array() >= least * least * squares(0)).count();
    const Index next = (std::min)(found + above, most);
    out.right.middleCols(found, next - found) = eigen.leading_vectors(next - found);
    for (Index j = found; j < next; ++j) {
      // Rounding has turned the vectors towards the ones before by a few hundred epsilon.
      Vector<S> v = out.right.col(j);
      v -= out.right.leftCols(j) * (out.right.leftCols(j).transpose() * v);
      v.normalize();
      Vector<S> u = small_product<S>(t, v);
      u -= out.left.leftCols(j) * (out.left.leftCols(j).transpose() * u);
      out.right.col(j) = v;
      out.values(j) = u.norm();
      out.left.col(j) = u / out.values(j);
    }
    found = next;
    if (found < most)
      rest = t - small_product<S>(out.left.leftCols(found) * out.values.head(found).asDiagonal(),
                                  out.right.leftCols(found).transpose());
  }
  return descending<S>(
      {out.left.leftCols(found), scale * out.values.head(found), out.right.leftCols(found)});
}

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_LEADING_TRIPLETS_HPP
