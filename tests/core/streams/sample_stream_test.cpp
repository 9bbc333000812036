// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/streams/sample_stream.hpp>

#include <limits>

#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace sample_stream_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(SeekableStream<MatrixStream<Matrix<double>>>);
static_assert(SeekableStream<MatrixStream<SparseMatrix<float>>>);
static_assert(SeekableStream<GeneratedStream<double>>);
static_assert(SampleStream<CallbackStream<float>> && !SeekableStream<CallbackStream<float>>);
static_assert(SeekableStream<SampleStreamView<double>>);
static_assert(!std::constructible_from<MatrixStream<Matrix<double>>, Matrix<double>>);

namespace {

/// All rows that are left, read in batches of \p most.
template <class T>
Matrix<typename T::Scalar> read_all(T& stream, Index most) {
  Matrix<typename T::Scalar> all(0, stream.dimension()), batch(most, stream.dimension());
  for (Index count = most; count == most;) {
    count = stream.read(batch);
    all.conservativeResize(all.rows() + count, Eigen::NoChange);
    all.bottomRows(count) = batch.topRows(count);
  }
  CHECK(stream.read(batch) == 0);
  return all;
}

/// Hands out the rows of x in chunks of 1, 2, 3, 1, 2, 3, ... rows.
CallbackStream<double> chunks_of(const Matrix<double>& x) {
  return {x.cols(), [&x, at = Index{0}, size = Index{0}](Index) mutable {
            size = size % 3 + 1;
            const Index first = at;
            at = (std::min)(x.rows(), at + size);
            return Matrix<double>(x.middleRows(first, at - first));
          }};
}

}  // namespace

SCALAR_TEST_CASE("sample_stream: the rows of a matrix, cut anywhere", "[stream]") {
  const Matrix<TestType> x = test::sparse_looking_samples<TestType>(23, 3, 1);
  const SparseMatrix<TestType> sparse = x.sparseView();
  MatrixStream dense_stream(x);
  MatrixStream sparse_stream(sparse);
  for (const Index most : {1, 4, 22, 23, 100}) {
    CAPTURE(most);
    CHECK(read_all(dense_stream, most) == x);
    CHECK(read_all(sparse_stream, most) == x);
    CHECK((dense_stream.rewind() && sparse_stream.rewind()));
  }
  CHECK(dense_stream.position() == StreamPosition{5, 0});

  // The memory of another library, by row, is read where it is.
  const RowMajorMatrix<TestType> by_row = x;
  const Eigen::Map<const RowMajorMatrix<TestType>> map(by_row.data(), x.rows(), x.cols());
  const Eigen::Map<const SparseMatrix<TestType>> sparse_map(
      sparse.rows(), sparse.cols(), sparse.nonZeros(), sparse.outerIndexPtr(),
      sparse.innerIndexPtr(), sparse.valuePtr());
  MatrixStream map_stream(map);
  MatrixStream sparse_map_stream(sparse_map);
  CHECK(read_all(map_stream, 4) == x);
  CHECK(read_all(sparse_map_stream, 4) == x);
  dense_stream.seek({2, 20});
  CHECK(read_all(dense_stream, 2) == x.bottomRows(3));
  CHECK_THROWS_AS(dense_stream.seek({0, 24}), InvalidArgument);
}

TEST_CASE("sample_stream: rows that a function makes", "[stream]") {
  GeneratedStream<double> stream(2, 7, [](Index first, GramOut<double> out) {
    for (Index i = 0; i < out.rows(); ++i) out.row(i).setConstant(static_cast<double>(first + i));
  });
  const Matrix<double> all = read_all(stream, 3);
  REQUIRE(all.rows() == 7);
  for (Index i = 0; i < 7; ++i) CHECK(all(i, 1) == static_cast<double>(i));
  GeneratedStream<double> forever(1, endless, [](Index, GramOut<double> out) { out.setZero(); });
  Matrix<double> batch(5, 1);
  CHECK(SampleStreamView(forever).read(batch) == 5);
}

TEST_CASE("sample_stream: chunks of a callback are put together", "[stream]") {
  const Matrix<double> x = test::uniform_samples<double>(14, 2, 3);
  for (const Index most : {1, 2, 5, 20}) {
    CallbackStream<double> stream = chunks_of(x);
    CHECK(read_all(stream, most) == x);
    CHECK(!stream.rewind());
  }
  Index passes = 0;
  CallbackStream<double> twice(
      1,
      [&, left = true](Index) mutable {
        left = !left;
        return Matrix<double>(Matrix<double>::Ones(left ? 0 : 3, 1));
      },
      [&] { return ++passes < 2; });
  CHECK(read_all(twice, 2).rows() == 3);
  CHECK(twice.rewind());
  CHECK(read_all(twice, 2).rows() == 3);
  CHECK(!twice.rewind());
}

SCALAR_TEST_CASE("sample_stream: after an exception no rows are skipped", "[stream]") {
  using S = TestType;
  bool fails = false;
  GeneratedStream<S> stream(1, 9, [&](Index first, GramOut<S> out) {
    if (fails) detail::fail("not now");
    for (Index i = 0; i < out.rows(); ++i) out(i, 0) = static_cast<S>(first + i);
  });
  Matrix<S> batch(4, 1);
  CHECK(stream.read(batch) == 4);
  fails = true;
  CHECK_THAT(test::error_of([&] { return stream.read(batch); }), ContainsSubstring("not now"));
  CHECK(stream.position() == StreamPosition{0, 4});
  fails = false;
  CHECK(stream.read(batch) == 4);
  CHECK(batch(0, 0) == 4);

  // Chunks of 3 rows. What fails before a row was taken is tried again.
  Index at = 0;
  const auto chunk = [&](Index) -> Matrix<S> {
    if (fails) detail::fail("not now");
    at += 3;
    return Matrix<S>::Constant(3, 1, static_cast<S>(at));
  };
  CallbackStream<S> calls(1, chunk, [&] {
    at = 0;
    return true;
  });
  Matrix<S> three(3, 1);
  CHECK(calls.read(three) == 3);
  fails = true;
  CHECK_THAT(test::error_of([&] { return calls.read(three); }), ContainsSubstring("not now"));
  fails = false;
  CHECK(calls.read(three) == 3);
  CHECK(three(0, 0) == 6);
  // Where it loses rows, the stream says so until it is rewound.
  CHECK(calls.read(batch) == 4);
  fails = true;
  CHECK_THAT(test::error_of([&] { return calls.read(batch); }), ContainsSubstring("not now"));
  fails = false;
  for (int i = 0; i < 2; ++i)
    CHECK_THAT(test::error_of([&] { return calls.read(batch); }),
               ContainsSubstring("lost samples after row 10; rewind"));
  CHECK(calls.rewind());
  CHECK(calls.read(three) == 3);
  CHECK(three(0, 0) == 3);
}

TEST_CASE("sample_stream: what is wrong, and where", "[stream]") {
  Matrix<double> x = test::uniform_samples<double>(10, 2, 3), batch(4, 2);
  x(6, 1) = std::numeric_limits<double>::quiet_NaN();
  MatrixStream stream(x);
  SampleStreamView<double> view(stream);
  CHECK(view.read(batch) == 4);
  CHECK_THAT(test::error_of([&] { return view.read(batch); }),
             ContainsSubstring("got nan at row 6, column 1"));
  CallbackStream<double> chunks = chunks_of(x);
  SampleStreamView<double> counted(chunks);
  CHECK(counted.read(batch) == 4);
  CHECK(counted.position().row == 4);
  CHECK(counted.rows() == endless);
  CHECK_THAT(test::error_of([&] { return counted.read(batch); }),
             ContainsSubstring("got nan at row 6, column 1"));
  CHECK_THAT(test::error_of([&] { counted.seek({}); }), ContainsSubstring("cannot seek"));

  CallbackStream<double> wider(
      2, [n = 1](Index most) mutable { return Matrix<double>(Matrix<double>::Zero(most, ++n)); });
  CHECK(wider.read(batch) == 4);
  CHECK_THAT(test::error_of([&] { return wider.read(batch); }),
             ContainsSubstring("near row 4 has 3 columns, the stream has dimension 2"));
  CHECK_THAT(test::error_of([&] { return wider.read(batch); }),
             ContainsSubstring("lost samples after row 4"));
}

namespace {

/// Says that it has ten rows, and gives seven.
struct ShortStream : RowCursor {
  using Scalar = double;
  ShortStream() : RowCursor(10) {}
  [[nodiscard]] Index dimension() const { return 1; }
  [[nodiscard]] Index read(GramOut<double> out) {
    out.setZero();
    const Index left = 7 - position().row;
    return advance((std::min)(out.rows(), left));
  }
  [[nodiscard]] std::string name() const { return "short.dat"; }
};

}  // namespace

TEST_CASE("sample_stream: an early end", "[stream]") {
  ShortStream stream;
  SampleStreamView<double> view(stream);
  Matrix<double> batch(5, 1);
  CHECK(view.read(batch) == 5);
  CHECK_THAT(test::error_of([&] { return view.read(batch); }),
             ContainsSubstring("short.dat ended after row 7 of 10"));
}

}  // namespace sample_stream_test
