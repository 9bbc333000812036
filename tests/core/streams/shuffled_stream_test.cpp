// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/streams/shuffled_stream.hpp>

#include <algorithm>
#include <vector>

#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace shuffled_stream_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(SeekableStream<ShuffledStream<double>>);

namespace {

Matrix<double> numbers(Index n) {
  return Vector<double>::LinSpaced(n, 0, static_cast<double>(n - 1));
}

std::vector<double> read_numbers(ShuffledStream<double>& stream, Index batch_rows) {
  std::vector<double> all;
  Matrix<double> batch(batch_rows, 1);
  for (Index count = batch_rows; count > 0;) {
    count = stream.read(batch);
    all.insert(all.end(), batch.data(), batch.data() + count);
  }
  return all;
}

}  // namespace

TEST_CASE("shuffled_stream: every row once in a pass, in a fixed order of its own", "[stream]") {
  const Matrix<double> x = numbers(103);
  MatrixStream stream(x);
  const ShuffleParams params{.block_rows = 4, .window_blocks = 5, .seed = 3};
  ShuffledStream shuffled(stream, params);
  const std::vector<double> first = read_numbers(shuffled, 10);
  std::vector<double> sorted = first;
  std::sort(sorted.begin(), sorted.end());
  REQUIRE(sorted.size() == 103);
  for (std::size_t i = 0; i < sorted.size(); ++i) CHECK(sorted[i] == static_cast<double>(i));
  CHECK(sorted != first);

  CHECK(shuffled.rewind());
  const std::vector<double> second = read_numbers(shuffled, 1);
  CHECK(second != first);
  shuffled.seek({0, 0});
  CHECK(read_numbers(shuffled, 37) == first);

  // Resumed anywhere, it goes on as before.
  for (Index row = 0; row <= 103; ++row) {
    ShuffledStream again(stream, params);
    again.seek({1, row});
    const std::vector<double> rest = read_numbers(again, 8);
    CHECK(rest == std::vector<double>(second.begin() + row, second.end()));
  }
}

TEST_CASE("shuffled_stream: numbers are those of the rows that are read", "[stream]") {
  const Matrix<double> x = numbers(37);
  MatrixStream stream(x);
  ShuffledStream shuffled(stream, {.block_rows = 4, .window_blocks = 3});
  static_assert(NumbersRows<decltype(shuffled)>);
  // Numbers and rows in turns, over the edges of windows and passes, with a row read twice.
  Matrix<double> read(7, 1);
  std::vector<Index> rows(7);
  for (int turn = 0; turn < 12; ++turn) {
    const StreamPosition before = shuffled.position();
    const Index count = shuffled.read_numbers(rows);
    const StreamPosition after = shuffled.position();
    shuffled.seek(before);
    REQUIRE(shuffled.read(read) == count);
    CHECK(shuffled.position() == after);
    for (Index i = 0; i < count; ++i)
      CHECK(read(i, 0) == static_cast<double>(rows[static_cast<std::size_t>(i)]));
    if (turn % 3 == 0) CHECK(shuffled.read_numbers(rows) == (std::min)(Index{7}, 37 - after.row));
    if (shuffled.position().row == 37) CHECK(shuffled.rewind());
  }
}

TEST_CASE("shuffled_stream: batches of sorted samples are mixed", "[stream]") {
  // The mean of a random 64 of 4096 rows has a standard error of 1182/8 = 148 by simple sampling.
  // Blocks of 16 rows and windows of 32 of them leave it as if 32 blocks had been drawn: below
  // 1182/32^(1/2) = 209, five times which is no matter of chance.
  const Matrix<double> x = numbers(4096);
  MatrixStream stream(x);
  ShuffledStream shuffled(stream, {.block_rows = 16, .window_blocks = 32});
  Matrix<double> batch(64, 1);
  for (int i = 0; i < 64; ++i) {
    REQUIRE(shuffled.read(batch) == 64);
    CHECK(std::abs(batch.mean() - 2047.5) <= 5 * 209);
  }
}

TEST_CASE("shuffled_stream: what cannot be shuffled", "[stream]") {
  CallbackStream<double> callback(1, [](Index) { return Matrix<double>(0, 1); });
  CHECK_THAT(test::error_of([&] { return ShuffledStream<double>(callback); }),
             ContainsSubstring("cannot be shuffled"));
  GeneratedStream<double> forever(1, endless, [](Index, GramOut<double> out) { out.setZero(); });
  CHECK_THAT(test::error_of([&] { return ShuffledStream<double>(forever); }),
             ContainsSubstring("cannot be shuffled"));
  const Matrix<double> none(0, 2);
  MatrixStream stream(none);
  ShuffledStream empty(stream);
  Matrix<double> batch(3, 2);
  CHECK(empty.read(batch) == 0);
  CHECK(test::error_of([&] { return ShuffledStream(stream, {.block_rows = 0}); }) ==
        "mercer::ShuffledStream: block_rows must be at least 1, got 0");
}

}  // namespace shuffled_stream_test
