// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/streams/standardized_stream.hpp>

#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <tests/core/streams/pairs_read.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace standardized_stream_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using test::uniform_samples;
using Calls = CallbackStream<double>;
static_assert(SampleStream<StandardizedStream<Calls>> &&
              !SeekableStream<StandardizedStream<Calls>>);

SCALAR_TEST_CASE("standardized_stream: rows in standard units, from anywhere", "[stream]") {
  const Matrix<TestType> x = uniform_samples<TestType>(50, 3, 1);
  const Standardize standardize(x);
  const Matrix<TestType> z = standardize.transform(x);
  MatrixStream rows(x);
  StandardizedStream standardized(rows, standardize);
  STATIC_REQUIRE(SeekableStream<decltype(standardized)>);
  CHECK(standardized.dimension() == 3);
  CHECK(standardized.rows() == 50);
  CHECK(standardized.name() == rows.name());
  Matrix<TestType> read(60, 3);
  REQUIRE(standardized.read(read) == 50);
  CHECK(read.topRows(50) == z);
  CHECK(standardized.read(read) == 0);
  standardized.seek({.epoch = 1, .row = 49});
  CHECK(standardized.position() == StreamPosition{1, 49});
  REQUIRE(standardized.read(read) == 1);
  CHECK(read.row(0) == z.row(49));
  CHECK(standardized.rewind());
  CHECK(standardized.position() == StreamPosition{2, 0});
}

TEST_CASE("standardized_stream: a source that cannot seek", "[stream]") {
  const Matrix<double> x = uniform_samples<double>(7, 2, 2);
  const Standardize standardize(x);
  Calls calls = test::chunks_of(x, 2);
  StandardizedStream standardized(calls, standardize);
  Matrix<double> read(7, 2);
  for (int pass = 0; pass < 2; ++pass) {
    REQUIRE(standardized.read(read) == 7);
    CHECK(read == standardize.transform(x));
    CHECK(standardized.rewind() == (pass == 0));
  }
}

TEST_CASE("standardized_stream: another number of columns is refused", "[stream]") {
  const Matrix<double> x = uniform_samples<double>(5, 2, 3);
  MatrixStream rows(x);
  const Standardize other(Vector<double>{{0.}}, Vector<double>{{1.}}, true);
  CHECK_THAT(test::error_of([&] { return StandardizedStream(rows, other); }),
             ContainsSubstring("the matrix has 2 columns, expected 1"));
}

}  // namespace standardized_stream_test
