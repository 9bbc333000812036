// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/streams/zip_stream.hpp>

#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/pair_stream.hpp>
#include <tests/core/streams/pairs_read.hpp>
#include <tests/support/catch.hpp>

namespace zip_stream_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using test::chunks_of;
using test::Pairs;
using test::read_all;
using Calls = CallbackStream<double>;
using Rows = MatrixStream<Matrix<double>>;
using Samples = test::PairSamples;
using Sparse = MatrixStream<SparseMatrix<double>>;
static_assert(SeekablePairStream<ZipStream<Rows, Sparse>>);
static_assert(PairStream<ZipStream<Rows, Calls>> && !SeekablePairStream<ZipStream<Rows, Calls>>);

TEST_CASE("zip_stream: two streams in step, cut anywhere", "[stream]") {
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

TEST_CASE("zip_stream: streams that cannot seek", "[stream]") {
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

TEST_CASE("zip_stream: after an exception the views are not read out of step", "[stream]") {
  const Samples s;
  bool fails = false;
  MatrixStream xs(s.x);
  GeneratedStream<double> ys(2, 23, [&](Index first, GramOut<double> out) {
    if (fails) detail::fail("not now");
    out = s.y.middleRows(first, out.rows());
  });
  ZipStream pairs(xs, ys);
  Matrix<double> x(6, 3), y(6, 2);
  CHECK(pairs.read(x, y) == 6);
  fails = true;
  CHECK_THAT(test::error_of([&] { return pairs.read(x, y); }), ContainsSubstring("not now"));
  fails = false;
  for (int i = 0; i < 2; ++i)
    CHECK_THAT(test::error_of([&] { return pairs.read(x, y); }),
               ContainsSubstring("an error after row 6 has left one view ahead of the other"));
  CHECK(pairs.position() == StreamPosition{0, 6});
  pairs.seek(pairs.position());
  CHECK(read_all(pairs, 6) == Pairs(s.x.bottomRows(17), s.y.bottomRows(17)));
  CHECK(pairs.rewind());
  fails = true;
  CHECK_THAT(test::error_of([&] { return pairs.read(x, y); }), ContainsSubstring("not now"));
  fails = false;
  CHECK(pairs.rewind());
  CHECK(read_all(pairs, 6) == Pairs(s.x, s.y));
}

TEST_CASE("zip_stream: views of different lengths", "[stream]") {
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
}

}  // namespace zip_stream_test
