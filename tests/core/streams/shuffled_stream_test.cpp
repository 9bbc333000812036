// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/streams/shuffled_stream.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/random_order.hpp>
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

/// The order of a pass as the documentation has it, window after window.
std::vector<Index> expected_order(Index n, const ShuffleParams& params, Index epoch) {
  const Index blocks = (n + params.block_rows - 1) / params.block_rows;
  const auto pass = static_cast<std::uint64_t>(epoch);
  const detail::RandomOrder block_order(blocks, params.seed, "block order", pass);
  std::vector<Index> all;
  for (Index window = 0; window * params.window_blocks < blocks; ++window) {
    std::vector<Index> rows;
    for (Index i = window * params.window_blocks;
         i < (std::min)((window + 1) * params.window_blocks, blocks); ++i) {
      const Index first = block_order(i) * params.block_rows;
      for (Index row = first; row < (std::min)(first + params.block_rows, n); ++row)
        rows.push_back(row);
    }
    RandomStream draws(params.seed, "row order", pass << 32U | static_cast<std::uint64_t>(window));
    for (const Index i : random_permutation(static_cast<Index>(rows.size()), draws))
      all.push_back(rows[static_cast<std::size_t>(i)]);
  }
  return all;
}

/// A stream that counts how often it is asked for its number of rows, which is the work of whoever
/// looks at its blocks one by one, and how often it is read.
class CountingStream : public MatrixStream<Matrix<double>> {
 public:
  using MatrixStream::MatrixStream;

  [[nodiscard]] Index rows() const {
    ++questions;
    return MatrixStream::rows();
  }
  [[nodiscard]] Index read(GramOut<double> out) {
    ++reads;
    return MatrixStream::read(out);
  }

  mutable Index questions = 0;
  Index reads = 0;
};

/// Reads the numbers of a pass, goes back and passes by each batch, as a fit does that keeps what
/// it made of the samples. Returns how often the stream was asked for its rows.
Index questions_of_a_pass(Index n) {
  const Matrix<double> x = numbers(n);
  CountingStream stream(x);
  ShuffledStream<double> shuffled(stream, {.block_rows = 4, .window_blocks = 8});
  std::vector<Index> rows(8);
  while (shuffled.position().row < n) {
    const StreamPosition before = shuffled.position();
    const Index count = shuffled.read_numbers(rows);
    shuffled.seek(before);
    shuffled.seek({before.epoch, before.row + count});
  }
  return stream.questions;
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

TEST_CASE("shuffled_stream: a seek goes on as reading from the beginning does", "[stream]") {
  // The last block is whole, short, or the only one; the last window is whole or short.
  for (const Index n : {1, 3, 4, 20, 40, 59, 60, 61, 62, 63, 103}) {
    const Matrix<double> x = numbers(n);
    for (const ShuffleParams params : {ShuffleParams{.block_rows = 4, .window_blocks = 5},
                                       ShuffleParams{.block_rows = 1, .window_blocks = 7},
                                       ShuffleParams{.block_rows = 7, .window_blocks = 1},
                                       ShuffleParams{.block_rows = 16, .window_blocks = 3}}) {
      CAPTURE(n, params.block_rows, params.window_blocks);
      MatrixStream stream(x);
      ShuffledStream kept(stream, params);
      std::vector<Index> rows(3);
      Matrix<double> row(1, 1);
      Index wrong = 0;
      for (const Index epoch : {0, 1, 2, 5, 0}) {
        const std::vector<Index> order = expected_order(n, params, epoch);
        REQUIRE(order.size() == static_cast<std::size_t>(n));
        // Steps of 1, so that all edges of windows are met; steps back and forth; new streams.
        for (Index step = 0; step <= 2 * n + 1; ++step) {
          const Index from = step <= n ? step : (37 * step) % (n + 1);
          MatrixStream again(x);
          ShuffledStream fresh(again, params);
          for (ShuffledStream<double>* shuffled : {&kept, &fresh}) {
            shuffled->seek({epoch, from});
            wrong += shuffled->position() != StreamPosition{epoch, from};
            const Index count = shuffled->read_numbers(rows);
            wrong += count != (std::min)(Index{3}, n - from);
            for (Index i = 0; i < count; ++i)
              wrong +=
                  rows[static_cast<std::size_t>(i)] != order[static_cast<std::size_t>(from + i)];
            shuffled->seek({epoch, from});
            if (shuffled->read(row) == 1)
              wrong += row(0, 0) != static_cast<double>(order[static_cast<std::size_t>(from)]);
          }
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("shuffled_stream: the work of seeks within a pass grows as the pass", "[stream]") {
  // Four times the rows, and one more than whole blocks, so that a short block must be found. The
  // work of walks from the first window on grows 16 times.
  const Index few = questions_of_a_pass(2001), many = questions_of_a_pass(8001);
  CAPTURE(few, many);
  CHECK(many <= 5 * few);
}

TEST_CASE("shuffled_stream: each window is read once, whatever is sought in it", "[stream]") {
  const Matrix<double> x = numbers(103);  // 26 blocks in 6 windows
  CountingStream stream(x);
  ShuffledStream<double> shuffled(stream, {.block_rows = 4, .window_blocks = 5});
  Matrix<double> row(1, 1);
  std::vector<Index> rows(9);
  for (Index epoch = 0; epoch < 2; ++epoch) {
    stream.reads = 0;
    while (shuffled.position().row < 103) {
      const StreamPosition before = shuffled.position();
      CHECK(shuffled.read_numbers(rows) > 0);  // may go to the next window, which is not read yet
      shuffled.seek(before);
      REQUIRE(shuffled.read(row) == 1);
    }
    CHECK(stream.reads == 26);
    CHECK(shuffled.rewind());
  }
}

TEST_CASE("shuffled_stream: a source that fails once goes on at the same row", "[stream]") {
  bool fails = false;
  GeneratedStream<double> stream(1, 61, [&](Index first, GramOut<double> out) {
    if (fails) throw InvalidArgument("not now");
    for (Index i = 0; i < out.rows(); ++i) out(i, 0) = static_cast<double>(first + i);
  });
  const ShuffleParams params{.block_rows = 4, .window_blocks = 3};
  ShuffledStream shuffled(stream, params);
  Matrix<double> batch(20, 1);
  fails = true;
  CHECK_THROWS_AS(shuffled.read(batch), InvalidArgument);
  fails = false;
  CHECK(shuffled.position() == StreamPosition{});
  const std::vector<Index> order = expected_order(61, params, 0);
  const std::vector<double> read = read_numbers(shuffled, 20);
  CHECK(read == std::vector<double>(order.begin(), order.end()));
}

TEST_CASE("shuffled_stream: blocks and windows that are larger than the stream", "[stream]") {
  constexpr Index most = (std::numeric_limits<Index>::max)();
  const Matrix<double> x = numbers(60);
  const auto pass = [&x](ShuffleParams params) {
    MatrixStream stream(x);
    ShuffledStream shuffled(stream, params);
    shuffled.seek({1, 0});
    return read_numbers(shuffled, 11);
  };
  CHECK(pass({.block_rows = most}) == pass({.block_rows = 60}));
  CHECK(pass({.block_rows = most, .window_blocks = most}) == pass({.block_rows = 60}));
  CHECK(pass({.block_rows = most / 2}) == pass({.block_rows = 60}));
  CHECK(pass({.block_rows = 7, .window_blocks = most}) ==
        pass({.block_rows = 7, .window_blocks = 9}));
  const Matrix<double> none(0, 1);
  MatrixStream stream(none);
  ShuffledStream empty(stream, {.block_rows = most, .window_blocks = most});
  Matrix<double> batch(3, 1);
  CHECK(empty.read(batch) == 0);
  CHECK(empty.rewind());
  CHECK(empty.read(batch) == 0);
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
