// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/spgd/detail/spgd_state.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/low_rank/low_rank_term.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/spgd/spgd_run.hpp>
#include <mercer/testing/thread_processes.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/row_parts.hpp>
#include <tests/support/samples.hpp>

namespace spgd_state_test {

namespace {

using mercer::Index;
using mercer::LowRank;
using mercer::Matrix;
using mercer::ProductTerm;
using mercer::PsdTerm;
using mercer::RowSpace;
using mercer::SpgdSchedule;
using mercer::SymmetricTerm;
using mercer::Vector;
using mercer::detail::SpgdState;
using mercer::detail::state_key;
using mercer::detail::state_of_block;
using mercer::detail::to_block;

template <class S>
void check_same(const LowRank<S>& a, const LowRank<S>& b) {
  CHECK(a.is_symmetric() == b.is_symmetric());
  CHECK(a.values() == b.values());
  CHECK(Matrix<S>(a.left()) == Matrix<S>(b.left()));
  CHECK(Matrix<S>(a.right()) == Matrix<S>(b.right()));
}

template <class S>
void check_returns(const SpgdState<S>& state) {
  const RowSpace& space = state.iterate.row_space();
  const auto found = state_of_block<S>(space, to_block(state));
  check_same(found.iterate, state.iterate);
  CHECK(found.ranks == state.ranks);
  CHECK(found.bytes == state.bytes);
}

/// |F F^T| of rank 3 of so many rows, and its like that is not symmetric.
template <class S>
LowRank<S> symmetric_of(Index n) {
  return LowRank<S>::from_psd_factor(mercer::normal_matrix<S>(n, 3, 1, "f"));
}
template <class S>
LowRank<S> general_of(Index n) {
  return LowRank<S>::from_factors(mercer::normal_matrix<S>(n, 3, 1, "f"),
                                  mercer::normal_matrix<S>(n, 3, 1, "g"));
}

}  // namespace

SCALAR_TEST_CASE("spgd state: a block of rows holds it to the last bit", "[solvers][spgd]") {
  using S = TestType;
  // Few rows, so that numbers take several columns; and more than numbers.
  for (const Index n : {1, 2, 5, 300}) {
    CAPTURE(n);
    const std::vector<Index> ranks{1, 2, 3, 3, 3, 7};
    check_returns(SpgdState<S>{symmetric_of<S>(n), ranks, 12345});
    check_returns(SpgdState<S>{general_of<S>(n), ranks, 12345});
    check_returns(SpgdState<S>{LowRank<S>(n, n), {}, 0});
    LowRank<S> nothing = symmetric_of<S>(n);  // symmetric, of rank 0
    nothing.truncate(0);
    check_returns(SpgdState<S>{nothing, {0}, 1});
  }
}

TEST_CASE("spgd state: over processes it is the block of one", "[solvers][spgd][rows]") {
  constexpr Index n = 620;  // three tiles
  const Matrix<double> factor = mercer::normal_matrix<double>(n, 3, 1, "f");
  const SpgdState<double> whole{LowRank<double>::from_psd_factor(factor), {3, 3}, 7};
  const Matrix<double> block = to_block(whole);
  for (const Index count : {1, 2, 4}) {
    std::vector<Matrix<double>> blocks(static_cast<std::size_t>(count)), lefts = blocks;
    mercer::run_as_processes(count, [&](const mercer::Processes& processes) {
      const RowSpace rows = RowSpace::spread(n, processes);
      const auto state = state_of_block<double>(rows, mercer::test::local_rows(rows, block));
      const auto here = static_cast<std::size_t>(processes.rank());
      lefts[here] = state.iterate.left();
      blocks[here] = to_block(state);
    });
    CHECK(mercer::test::stacked(lefts) == Matrix<double>(whole.iterate.left()));
    CHECK(mercer::test::stacked(blocks) == block);
  }
}

TEST_CASE("spgd state: blocks of other things are refused", "[solvers][spgd]") {
  const RowSpace rows = RowSpace::whole(5);
  const auto error = [&](const Matrix<double>& block) {
    return mercer::test::error_of([&] { return state_of_block<double>(rows, block).bytes; });
  };
  const Matrix<double> block = to_block(SpgdState<double>{symmetric_of<double>(5), {3}, 1});
  CHECK_THAT(error(Matrix<double>(5, 0)), Catch::Matchers::ContainsSubstring("is not one of"));
  CHECK_THAT(error(block.leftCols(1)), Catch::Matchers::ContainsSubstring("is not one of"));
  CHECK_THAT(error(block.leftCols(4)),
             Catch::Matchers::ContainsSubstring("has 4 columns, expected 5"));
}

TEST_CASE("spgd state: the key follows the start, the draw and the schedule", "[solvers][spgd]") {
  constexpr Index n = 9;
  const LowRank<double> start = symmetric_of<double>(n), zero(n, n);
  const Matrix<double> f = mercer::normal_matrix<double>(n, 2, 1, "f");
  const Matrix<double> g = mercer::normal_matrix<double>(n, 2, 2, "f");
  const Matrix<double> one = Matrix<double>::Identity(2, 2);
  const SpgdSchedule schedule{.lambda = 1, .step_offset = 2, .max_rank = 3};
  std::vector<std::uint64_t> keys;
  const auto add = [&](const auto& z, const auto& term, const SpgdSchedule& steps) {
    keys.push_back(state_key(z, term, steps).block);
    CHECK(state_key(z, term, steps).block == keys.back());
  };
  add(start, PsdTerm<double>{f}, schedule);
  add(zero, PsdTerm<double>{f}, schedule);
  add(start, PsdTerm<double>{g}, schedule);
  add(start, ProductTerm<double>{f, g}, schedule);
  add(start, ProductTerm<double>{g, f}, schedule);
  add(start, SymmetricTerm<double>{f, one}, schedule);
  add(start, SymmetricTerm<double>{f, 2 * one}, schedule);
  SpgdSchedule other = schedule;
  other.lambda = 1.5;
  add(start, PsdTerm<double>{f}, other);
  other = schedule;
  other.step_offset = 3;
  add(start, PsdTerm<double>{f}, other);
  other = schedule;
  other.centered = false;
  add(start, PsdTerm<double>{f}, other);
  other = schedule;
  other.positive_only = false;
  add(start, PsdTerm<double>{f}, other);
  other = schedule;
  other.max_rank = 4;
  add(start, PsdTerm<double>{f}, other);
  for (std::size_t i = 0; i < keys.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(keys[i] != keys[j]);

  CHECK(state_key(start, PsdTerm<double>{f}, schedule).precision == mercer::Precision::Double);
  CHECK(state_key(LowRank<float>(n, n), PsdTerm<float>{f.cast<float>()}, schedule).precision ==
        mercer::Precision::Single);
}

}  // namespace spgd_state_test
