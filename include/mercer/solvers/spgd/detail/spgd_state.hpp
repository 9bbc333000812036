// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The state of a fit by stochastic proximal gradient descent, as one block of n rows.

#ifndef MERCER_SOLVERS_SPGD_DETAIL_SPGD_STATE_HPP
#define MERCER_SOLVERS_SPGD_DETAIL_SPGD_STATE_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/low_rank/low_rank_term.hpp>
#include <mercer/core/rows/row_checksum.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/streams/sample_digest.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/recorded.hpp>
#include <mercer/solvers/spgd/spgd_run.hpp>

namespace mercer::detail {

/// What a fit goes on from.
template <Real S>
struct SpgdState {
  LowRank<S> iterate;
  std::vector<Index> ranks;  ///< of the iterates so far, one for each step
  std::size_t bytes = 0;     ///< the most that a step has taken
};

/// The state in double, exactly: columns of numbers, one below the other, of which the first three
/// tell how many there are; then U; then V unless the iterate is symmetric.
/// Shapes: the rows of this process.
template <Real S>
[[nodiscard]] Matrix<double> to_block(const SpgdState<S>& state) {
  const LowRank<S>& z = state.iterate;
  const RowSpace& space = z.row_space();
  const Index n = space.total(), r = z.rank(), sides = z.is_symmetric() ? 1 : 2;
  std::vector<double> numbers{static_cast<double>(sides), static_cast<double>(r),
                              static_cast<double>(state.ranks.size()),
                              static_cast<double>(state.bytes)};
  for (const S value : z.values()) numbers.push_back(static_cast<double>(value));
  for (const Index rank : state.ranks) numbers.push_back(static_cast<double>(rank));
  const auto count = static_cast<Index>(numbers.size()), columns = (count + n - 1) / n;
  numbers.resize(static_cast<std::size_t>(n * columns));
  const Matrix<double> all = Eigen::Map<const Matrix<double>>(numbers.data(), n, columns);
  Matrix<double> block(space.local(), columns + sides * r);
  block.leftCols(columns) = space.own_of(all);
  block.middleCols(columns, r) = z.left().template cast<double>();
  if (sides == 2) block.rightCols(r) = z.right().template cast<double>();
  return block;
}

/// The state of such a block. Collective.
template <Real S>
[[nodiscard]] SpgdState<S> state_of_block(const RowSpace& space, const Matrix<double>& block) {
  const Index n = space.total();
  Index known = 0;
  Matrix<double> all(n, 0);
  const auto number = [&](Index i) {
    if (i / n >= known) {
      if (i / n >= block.cols())
        fail("mercer::Spgd: the state that was kept is not one of this solver");
      known = i / n + 1;
      all = space.everywhere(Matrix<double>(block.leftCols(known)));
    }
    return all(i % n, i / n);
  };
  const auto whole = [&](Index i) { return static_cast<Index>(number(i)); };
  const Index sides = whole(0), r = whole(1), steps = whole(2);
  SpgdState<S> state;
  state.bytes = static_cast<std::size_t>(number(3));
  Vector<S> values(r);
  for (Index i = 0; i < r; ++i) values(i) = static_cast<S>(number(4 + i));
  for (Index t = 0; t < steps; ++t) state.ranks.push_back(whole(4 + r + t));
  if (block.cols() != known + sides * r)
    fail("mercer::Spgd: the state that was kept has ", block.cols(), " columns, expected ",
         known + sides * r);
  const Matrix<S> left = block.middleCols(known, r).template cast<S>();
  state.iterate = sides == 1
                      ? LowRank<S>::from_eigenpairs(space, values, left)
                      : LowRank<S>::from_singular_vectors(
                            space, values, left, Matrix<S>(block.rightCols(r).template cast<S>()));
  return state;
}

/// The checksum of the factors of a term. Collective.
template <Real S>
[[nodiscard]] std::uint64_t checksum_of_term(const RowSpace& space, const ProductTerm<S>& term) {
  return checksum_of_rows(space, term.left) + 3 * checksum_of_rows(space, term.right);
}
/// See the first form.
template <Real S>
[[nodiscard]] std::uint64_t checksum_of_term(const RowSpace& space, const SymmetricTerm<S>& term) {
  const RowSpace whole = RowSpace::whole(term.middle.rows());
  return checksum_of_rows(space, term.basis) + 3 * checksum_of_rows(whole, term.middle);
}
/// See the first form.
template <Real S>
[[nodiscard]] std::uint64_t checksum_of_term(const RowSpace& space, const PsdTerm<S>& term) {
  return checksum_of_rows(space, term.factor);
}

/// Under which key the state of a run is kept: by its start, one of its draws and its schedule.
/// Runs of other numbers of steps have the same key, so a fit can be lengthened. Collective.
/// \param start  the first iterate
/// \param term  a draw
template <Real S, class Term>
[[nodiscard]] RecordKey state_key(const LowRank<S>& start, const Term& term,
                                  const SpgdSchedule& schedule) {
  const RowSpace& space = start.row_space();
  SampleDigest digest;
  for (const double number :
       {schedule.lambda, schedule.step_offset, schedule.centered ? 1.0 : 0.0,
        schedule.positive_only ? 1.0 : 0.0, static_cast<double>(schedule.max_rank)})
    digest.add(number);
  for (const S value : start.values()) digest.add(static_cast<double>(value));
  const std::uint64_t blocks =
      3 * checksum_of_rows(space, Matrix<S>(start.left())) + checksum_of_term(space, term);
  return {.precision = precision_of<S>, .block = agreed_checksum(space, digest.checksum ^ blocks)};
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_SPGD_DETAIL_SPGD_STATE_HPP
