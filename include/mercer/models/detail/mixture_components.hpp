// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The components of a mixture from scores of three views: moments, whitening, tensor components.

#ifndef MERCER_MODELS_DETAIL_MIXTURE_COMPONENTS_HPP
#define MERCER_MODELS_DETAIL_MIXTURE_COMPONENTS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/detail/tensor_power.hpp>

namespace mercer::detail {

/// Scores of three views, n x k each, that have the same conditional means given the component, and
/// their second moment: the mean of y_a y_b^T over pairs of views, k x k and symmetric. Their scale
/// and rotation do not matter.
template <Real S>
struct MixtureScores {
  std::array<Matrix<S>, 3> views;
  Matrix<S> moment;

  /// Scores of views that differ, all turned into those of the third: y_1 = C_32 C_12^-1 q_1 and
  /// y_2 = C_31 C_21^-1 q_2, where C_ab is the mean of q_a q_b^T, and the moment is C_32 C_12^-1
  /// C_13.
  /// \param scores  q_v, k of each view
  static MixtureScores align(std::array<Matrix<S>, 3> scores);
};

/// The components of a mixture.
template <Real S>
struct MixtureComponents {
  Vector<S> probabilities;  ///< pi, k, descending
  /// d of each view, n x k: the mean of d_h(x_v) given the component h' is 1 if h = h', else 0.
  std::array<Matrix<S>, 3> indicators;
  S defect = 0;  ///< max |V^T V - I| of the vectors of the third moment
  bool converged = true;

  /// Throws InvalidArgument unless the second moment has k positive eigenvalues, and each component
  ///   a positive third moment.
  static MixtureComponents find(std::string_view who, const MixtureScores<S>& scores,
                                const TensorPowerParams& params);

 private:
  static Matrix<S> whitening(std::string_view who, const Matrix<S>& moment);
};

/// Throws InvalidArgument unless the first \p count of these values, which are descending, are
/// positive.
template <Real S>
void require_positive_values(std::string_view who, const Vector<S>& values, Index count) {
  // A bound relative to the largest one, since a zero eigenvalue comes out as a rounding error.
  const S zero = values.size() > 0 ? rounding_level<S>(values.size()) * std::abs(values(0)) : S(0);
  const auto positive = static_cast<Index>((values.array() > zero).count());
  if (positive >= count) return;
  std::string list;
  for (Index j = 0; j < (std::min)(count, values.size()); ++j)
    list += (j > 0 ? ", " : "") + to_text(values(j));
  fail("mercer::", who, ": ", count, " components need as many positive eigenvalues of the second ",
       "moment, which has ", positive, " (", list, ")");
}

template <Real S>
MixtureScores<S> MixtureScores<S>::align(std::array<Matrix<S>, 3> scores) {
  const SingleThread one;
  auto& [q1, q2, q3] = scores;
  const S n = static_cast<S>(q1.rows());
  const Matrix<S> c13 = inner(q1, q3) / n, c23 = inner(q2, q3) / n;
  // The inverse of C_12, of few rows.
  const SingularSystem<S> c12 = singular_system<S>(inner(q1, q2) / n);
  const Matrix<S> inverse =
      c12.right * c12.values.cwiseInverse().asDiagonal() * c12.left.transpose();
  const Matrix<S> from1 = inverse.transpose() * c23, from2 = inverse * c13;
  const Matrix<S> moment = c23.transpose() * from2;
  q1 = multiply(q1, from1);
  q2 = multiply(q2, from2);
  return {std::move(scores), (moment + moment.transpose()) / 2};
}

template <Real S>
Matrix<S> MixtureComponents<S>::whitening(std::string_view who, const Matrix<S>& moment) {
  const EigenSystem<S> system = symmetric_eigensystem(moment);
  require_positive_values(who, system.values, moment.rows());
  return system.vectors * system.values.cwiseSqrt().cwiseInverse().asDiagonal();
}

template <Real S>
MixtureComponents<S> MixtureComponents<S>::find(std::string_view who,
                                                const MixtureScores<S>& scores,
                                                const TensorPowerParams& params) {
  const Index k = scores.moment.rows();
  const Matrix<S> whiten = whitening(who, scores.moment);
  std::array<Matrix<S>, 3> white;
  for (std::size_t v = 0; v < 3; ++v) white[v] = multiply(scores.views[v], whiten);
  auto found = TensorComponents<S>::find(SymmetricTensor<S>::moment(white[0], white[1], white[2]),
                                         k, params);
  for (Index h = 0; h < k; ++h)
    if (!(found.values(h) > 0))
      fail("mercer::", who, ": component ", h + 1, " of ", k, " has a third moment of ",
           found.values(h), ", which must be positive; take fewer components");

  std::vector<Index> order(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return found.values(a) < found.values(b); });
  MixtureComponents out;
  const Vector<S> values = take_entries<S>(found.values, order);
  const Matrix<S> vectors = take_columns<S>(found.vectors, order);
  out.probabilities = values.cwiseAbs2().cwiseInverse();
  const Matrix<S> turn = vectors * values.cwiseInverse().asDiagonal();
  for (std::size_t v = 0; v < 3; ++v) out.indicators[v] = multiply(white[v], turn);
  out.defect = orthogonality_error(vectors);
  out.converged = found.converged;
  return out;
}

#define MERCER_MIXTURE(S)                           \
  MERCER_INSTANTIATE_VIEWS(struct MixtureScores<S>) \
  MERCER_INSTANTIATE_VIEWS(struct MixtureComponents<S>)
MERCER_MIXTURE(double)
#undef MERCER_MIXTURE

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_MIXTURE_COMPONENTS_HPP
