// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/streams/pair_stream.hpp>

#include <algorithm>
#include <limits>

#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/shuffled_stream.hpp>
#include <mercer/core/streams/split_stream.hpp>
#include <mercer/core/streams/zip_stream.hpp>
#include <tests/core/streams/pairs_read.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace pair_stream_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

using test::chunks_of;
using test::Pairs;
using test::read_all;
using Calls = CallbackStream<double>;
using Rows = MatrixStream<Matrix<double>>;
using Samples = test::PairSamples;
static_assert(SeekablePairStream<PairStreamView<float>> && !SampleStream<PairStreamView<float>>);
static_assert(SeekableStream<JoinedStream<SplitStream<Rows>>>);
static_assert(SampleStream<JoinedStream<SplitStream<Calls>>> &&
              !SeekableStream<JoinedStream<SplitStream<Calls>>>);

TEST_CASE("pair_stream: shuffling moves x and y together", "[stream]") {
  Matrix<double> x(103, 1), y(103, 2);
  for (Index i = 0; i < 103; ++i) {
    x(i, 0) = static_cast<double>(i);
    y.row(i) << static_cast<double>(2 * i), static_cast<double>(-i);
  }
  MatrixStream xs(x);
  MatrixStream ys(y);
  ZipStream pairs(xs, ys);
  JoinedStream rows(pairs);
  ShuffledStream shuffled(rows, {.block_rows = 4, .window_blocks = 5, .seed = 3});
  SplitStream mixed(shuffled, pairs.dimension_x());
  const Pairs first = read_all(mixed, 10);
  CHECK(mixed.rewind());
  const Pairs second = read_all(mixed, 7);
  for (const Pairs& pass : {first, second}) {
    REQUIRE(pass.first.rows() == 103);
    CHECK(pass.second.col(0) == 2 * pass.first.col(0));
    CHECK(pass.second.col(1) == -pass.first.col(0));
    CHECK(pass.first != x);
    Vector<double> sorted = pass.first.col(0);
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == x.col(0));
  }
  CHECK(first.first != second.first);
  mixed.seek({0, 40});
  CHECK(read_all(mixed, 9) == Pairs(first.first.bottomRows(63), first.second.bottomRows(63)));
}

TEST_CASE("pair_stream: what is wrong, in which view, and where", "[stream]") {
  Samples s;
  s.y(6, 1) = std::numeric_limits<double>::quiet_NaN();
  s.x(9, 2) = std::numeric_limits<double>::infinity();
  MatrixStream xs(s.x);
  MatrixStream ys(s.y);
  ZipStream pairs(xs, ys);
  PairStreamView view(pairs);
  Matrix<double> x(4, 3), y(4, 2);
  CHECK(view.read(x, y) == 4);
  CHECK_THAT(test::error_of([&] { return view.read(x, y); }),
             ContainsSubstring("view y: samples must be finite, got nan at row 6, column 1"));
  view.seek({0, 8});
  CHECK_THAT(test::error_of([&] { return view.read(x, y); }),
             ContainsSubstring("view x: samples must be finite, got inf at row 9, column 2"));
  CHECK_THAT(test::error_of([&] { return view.read(x, y.topRows(3)); }),
             ContainsSubstring("room for 4 rows of x and 3 of y"));

  // The same through the joined rows, and where the stream does not count its rows.
  Calls from_calls = chunks_of(s.x), other = chunks_of(s.y);
  ZipStream counted(from_calls, other);
  PairStreamView counts(counted);
  CHECK(counts.read(x, y) == 4);
  CHECK(counts.position().row == 4);
  CHECK(counts.rows() == endless);
  CHECK_THAT(test::error_of([&] { counts.seek({}); }), ContainsSubstring("cannot seek"));
  JoinedStream joined(counted);
  CHECK_THAT(test::error_of([&] {
               Matrix<double> both(19, 5);
               return joined.read(both);
             }),
             ContainsSubstring("view x: samples must be finite, got inf at row 5, column 2"));
}

namespace {

/// Says that it has ten rows, and gives seven; or more than were asked for.
struct Faulty : RowCursor {
  using Scalar = double;
  explicit Faulty(Index more) : RowCursor(10), more_(more) {}
  [[nodiscard]] Index dimension_x() const { return 1; }
  [[nodiscard]] Index dimension_y() const { return 1; }
  [[nodiscard]] Index read(GramOut<double> x, GramOut<double> y) {
    x.setZero();
    y.setZero();
    return advance((std::min)(x.rows(), 7 - position().row)) + more_;
  }
  [[nodiscard]] std::string name() const { return "short.dat"; }
  Index more_;
};

}  // namespace

TEST_CASE("pair_stream: streams that do not keep their word", "[stream]") {
  Matrix<double> x(5, 1), y(5, 1);
  Faulty ends(0), gives(1);
  PairStreamView view(ends), other(gives);
  CHECK(view.read(x, y) == 5);
  CHECK_THAT(test::error_of([&] { return view.read(x, y); }),
             ContainsSubstring("short.dat ended after row 7 of 10"));
  CHECK_THAT(test::error_of([&] { return other.read(x, y); }),
             ContainsSubstring("short.dat gave 6 rows where 5 were asked for"));
}

}  // namespace pair_stream_test
