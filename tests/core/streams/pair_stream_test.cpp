// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/streams/pair_stream.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/shuffled_stream.hpp>
#include <mercer/core/streams/split_stream.hpp>
#include <mercer/core/streams/zip_stream.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace pair_stream_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

using Rows = MatrixStream<Matrix<double>>;
using Sparse = MatrixStream<SparseMatrix<double>>;
using Calls = CallbackStream<double>;
static_assert(SeekablePairStream<ZipStream<Rows, Sparse>>);
static_assert(PairStream<ZipStream<Rows, Calls>> && !SeekablePairStream<ZipStream<Rows, Calls>>);
static_assert(SeekablePairStream<SplitStream<Rows>>);
static_assert(PairStream<SplitStream<Calls>> && !SeekablePairStream<SplitStream<Calls>>);
static_assert(SeekablePairStream<PairStreamView<float>> && !SampleStream<PairStreamView<float>>);
static_assert(SeekableStream<JoinedStream<SplitStream<Rows>>>);
static_assert(SampleStream<JoinedStream<SplitStream<Calls>>> &&
              !SeekableStream<JoinedStream<SplitStream<Calls>>>);

namespace {

using Pairs = std::pair<Matrix<double>, Matrix<double>>;

/// All pairs that are left, read in batches of \p most.
template <class T>
Pairs read_all(T& stream, Index most) {
  Pairs all{Matrix<double>(0, stream.dimension_x()), Matrix<double>(0, stream.dimension_y())};
  Matrix<double> x(most, stream.dimension_x()), y(most, stream.dimension_y());
  for (Index count = most; count == most;) {
    count = stream.read(x, y);
    all.first.conservativeResize(all.first.rows() + count, Eigen::NoChange);
    all.first.bottomRows(count) = x.topRows(count);
    all.second.conservativeResize(all.second.rows() + count, Eigen::NoChange);
    all.second.bottomRows(count) = y.topRows(count);
  }
  CHECK(stream.read(x, y) == 0);
  return all;
}

/// The rows of x, two at a time; \p passes passes over them.
Calls chunks_of(const Matrix<double>& x, Index passes = 1) {
  auto at = std::make_shared<Index>(0);
  return {x.cols(),
          [&x, at](Index) {
            const Index first = std::exchange(*at, (std::min)(x.rows(), *at + 2));
            return Matrix<double>(x.middleRows(first, *at - first));
          },
          [at, passes, done = Index{1}]() mutable {
            *at = 0;
            return ++done <= passes;
          }};
}

struct Samples {
  Matrix<double> x = test::uniform_samples<double>(23, 3, 1);
  Matrix<double> y = test::uniform_samples<double>(23, 2, 2);
};

}  // namespace

TEST_CASE("pair_stream: two streams in step, cut anywhere", "[stream]") {
  const Samples s;
  const SparseMatrix<double> sparse = s.y.sparseView();
  MatrixStream xs(s.x);
  MatrixStream ys(sparse);
  ZipStream pairs(xs, ys);
  CHECK(pairs.rows() == 23);
  CHECK(pairs.dimension_x() == 3);
  CHECK(pairs.dimension_y() == 2);
  for (const Index most : {1, 4, 22, 23, 100}) {
    CAPTURE(most);
    CHECK(read_all(pairs, most) == Pairs(s.x, s.y));
    CHECK(pairs.rewind());
  }
  CHECK(pairs.position() == StreamPosition{5, 0});
  pairs.seek({2, 20});
  CHECK(ys.position() == StreamPosition{2, 20});
  CHECK(read_all(pairs, 2) == Pairs(s.x.bottomRows(3), s.y.bottomRows(3)));
  CHECK_THROWS_AS(pairs.seek({0, 24}), InvalidArgument);

  // A stream that was read before does not make the pairs uneven.
  xs.seek({0, 7});
  ZipStream late(xs, ys);
  CHECK(read_all(late, 5) == Pairs(s.x.bottomRows(16), s.y.bottomRows(16)));
}

TEST_CASE("pair_stream: streams that cannot seek", "[stream]") {
  const Samples s;
  Calls xs = chunks_of(s.x, 3), ys = chunks_of(s.y, 2);
  ZipStream pairs(xs, ys);
  CHECK(read_all(pairs, 5) == Pairs(s.x, s.y));
  CHECK(pairs.rewind());
  CHECK(read_all(pairs, 3) == Pairs(s.x, s.y));
  // One of them has no third pass: there is none of the pairs, and no half of one.
  CHECK(!pairs.rewind());
  CHECK(read_all(pairs, 3).first.rows() == 0);
}

TEST_CASE("pair_stream: columns of one stream, and back", "[stream]") {
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

TEST_CASE("pair_stream: views of different lengths", "[stream]") {
  const Samples s;
  const Matrix<double> shorter = s.y.topRows(20);
  MatrixStream xs(s.x);
  MatrixStream ys(shorter);
  CHECK_THAT(test::error_of([&] { return ZipStream(xs, ys).rows(); }),
             ContainsSubstring("view y ends after row 20 and view x does not"));
  GeneratedStream<double> forever(1, endless, [](Index, GramOut<double> out) { out.setZero(); });
  CHECK_THAT(test::error_of([&] { return ZipStream(ys, forever).rows(); }),
             ContainsSubstring("view x ends after row 20 and view y does not"));

  Calls from_calls = chunks_of(shorter);
  ZipStream pairs(xs, from_calls);
  Matrix<double> x(6, 3), y(6, 2);
  for (int i = 0; i < 3; ++i) CHECK(pairs.read(x, y) == 6);
  CHECK_THAT(test::error_of([&] { return pairs.read(x, y); }),
             ContainsSubstring("view y ends after row 20 and view x does not"));

  CHECK_THAT(test::error_of([&] { return ZipStream(xs, xs).rows(); }),
             ContainsSubstring("the matrix is given for both views"));
  CHECK_THAT(
      test::error_of([&] { return SplitStream(xs, 3).rows(); }),
      ContainsSubstring("columns_x must be between 1 and 2 for samples of 3 columns, got 3"));
  CHECK_THAT(test::error_of([&] { return SplitStream(xs, 0).rows(); }), ContainsSubstring("got 0"));
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
