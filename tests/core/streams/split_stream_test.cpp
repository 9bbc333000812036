// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/streams/split_stream.hpp>

#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/pair_stream.hpp>
#include <tests/core/streams/pairs_read.hpp>
#include <tests/support/catch.hpp>

namespace split_stream_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using test::chunks_of;
using test::Pairs;
using test::read_all;
using Calls = CallbackStream<double>;
using Rows = MatrixStream<Matrix<double>>;
using Samples = test::PairSamples;
static_assert(SeekablePairStream<SplitStream<Rows>>);
static_assert(PairStream<SplitStream<Calls>> && !SeekablePairStream<SplitStream<Calls>>);

TEST_CASE("split_stream: columns of one stream, and back", "[stream]") {
  const Samples s;
  Matrix<double> both(23, 5);
  both << s.x, s.y;
  MatrixStream rows(both);
  SplitStream pairs(rows, 3);
  CHECK(read_all(pairs, 4) == Pairs(s.x, s.y));
  pairs.seek({1, 20});
  CHECK(read_all(pairs, 2) == Pairs(s.x.bottomRows(3), s.y.bottomRows(3)));
  CHECK(pairs.rewind());
  CHECK(pairs.position() == StreamPosition{2, 0});

  JoinedStream joined(pairs);
  CHECK(joined.rows() == 23);
  Matrix<double> again(30, 5);
  CHECK(joined.read(again) == 23);
  CHECK(again.topRows(23) == both);
  joined.seek({0, 22});
  CHECK(joined.position() == StreamPosition{0, 22});
  CHECK(joined.read(again) == 1);
  CHECK(again.row(0) == both.row(22));
  CHECK(joined.rewind());

  Calls chunks = chunks_of(both);
  SplitStream from_calls(chunks, 1);
  CHECK(read_all(from_calls, 3) == Pairs(both.leftCols(1), both.rightCols(4)));
  CHECK(!from_calls.rewind());
}

TEST_CASE("split_stream: both views get a column at least", "[stream]") {
  const Samples s;
  MatrixStream xs(s.x);
  CHECK_THAT(
      test::error_of([&] { return SplitStream(xs, 3).rows(); }),
      ContainsSubstring("columns_x must be between 1 and 2 for samples of 3 columns, got 3"));
  CHECK_THAT(test::error_of([&] { return SplitStream(xs, 0).rows(); }), ContainsSubstring("got 0"));
  SplitStream first(xs, 1), second(xs, 2);
  CHECK(first.dimension_y() == 2);
  CHECK(second.dimension_y() == 1);
  CHECK(first.name() == "the matrix");
}

}  // namespace split_stream_test
