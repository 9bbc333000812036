// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/rows/spread_stream.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/streams/shuffled_stream.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/row_parts.hpp>

namespace spread_stream_test {

namespace {

using mercer::Index;
using mercer::Matrix;
using mercer::Processes;
using mercer::RowSpace;
using mercer::SharedStream;
using mercer::SparseMatrix;
using mercer::SpreadRows;
using mercer::SpreadStream;
using mercer::test::process_counts;

static_assert(mercer::SeekableStream<SpreadStream<Matrix<double>>>);
static_assert(mercer::SeekableStream<SharedStream<double>>);
static_assert(mercer::NumbersRows<SharedStream<double>>);

constexpr Index n = 900, d = 3;

/// What read(stream) returns on each of the processes that share the rows of x.
template <class X, class Read>
std::vector<Matrix<typename X::Scalar>> on_streams(Index count, const X& x, const Read& read) {
  std::vector<Matrix<typename X::Scalar>> all(static_cast<std::size_t>(count));
  mercer::run_as_processes(count, [&](const Processes& processes) {
    const RowSpace rows = RowSpace::spread(x.rows(), processes);
    const auto samples = SpreadRows<X>::from_parts(processes, mercer::test::local_rows(rows, x));
    SpreadStream<X> stream(samples);
    all[static_cast<std::size_t>(processes.rank())] = read(stream);
  });
  return all;
}

/// All rows in reads of \p step rows.
template <class Stream>
Matrix<typename Stream::Scalar> read_all(Stream& stream, Index step) {
  Matrix<typename Stream::Scalar> all(stream.rows(), stream.dimension());
  for (Index at = 0; at < all.rows();) {
    Matrix<typename Stream::Scalar> part(step, all.cols());
    const Index count = stream.read(part);
    all.middleRows(at, count) = part.topRows(count);
    at += count;
  }
  return all;
}

}  // namespace

TEST_CASE("spread stream: all processes read all rows, in their order", "[core][rows]") {
  const Matrix<double> x = mercer::normal_matrix<double>(n, d, 1, "x");
  const Matrix<float> single = x.cast<float>();
  const SparseMatrix<double> sparse = x.sparseView(1.0, 0.7);
  for (const Index count : process_counts)
    for (const Index step : {1000, 900, 256, 77}) {
      const auto read = [&](auto& stream) { return read_all(stream, step); };
      for (const auto& all : on_streams(count, x, read)) CHECK(all == x);
      for (const auto& all : on_streams(count, single, read)) CHECK(all == single);
      for (const auto& all : on_streams(count, sparse, read)) CHECK(all == Matrix<double>(sparse));
    }
}

TEST_CASE("spread stream: seeks, rewinds and ends as a stream of a matrix", "[core][rows]") {
  const Matrix<double> x = mercer::normal_matrix<double>(n, d, 1, "x");
  const auto all = on_streams(3, x, [&](auto& stream) -> Matrix<double> {
    Matrix<double> out(4, d), rest(4, d);
    stream.seek({0, 510});
    const Index first = stream.read(out);
    stream.seek({0, n - 1});
    const Index last = stream.read(rest), none = stream.read(rest);
    const bool again = stream.rewind();
    if (first != 4 || last != 1 || none != 0 || !again) return Matrix<double>();
    static_cast<void>(stream.read(rest));
    return (Matrix<double>(8, d) << out, rest).finished();
  });
  for (const Matrix<double>& read : all) {
    REQUIRE(read.rows() == 8);
    CHECK(read.topRows(4) == x.middleRows(510, 4));
    CHECK(read.bottomRows(4) == x.topRows(4));
  }
}

TEST_CASE("spread stream: parts that are in place already are not copied", "[core][rows]") {
  const Matrix<double> x = mercer::normal_matrix<double>(n, d, 1, "x");
  for (const Index count : process_counts) {
    std::vector<Index> kept(static_cast<std::size_t>(count), 0), whole = kept;
    mercer::run_as_processes(count, [&](const Processes& processes) {
      const auto rank = static_cast<std::size_t>(processes.rank());
      const RowSpace rows = RowSpace::spread(n, processes);
      // Processes without rows may bring any number of columns.
      Matrix<double> mine = rows.local() > 0 ? mercer::test::local_rows(rows, x) : Matrix<double>();
      const double* const values = mine.data();
      const auto samples = SpreadRows<Matrix<double>>::from_parts(processes, std::move(mine));
      kept[rank] = samples.local().data() == values || rows.local() == 0;
      whole[rank] = samples.cols() == d && samples.local() == mercer::test::local_rows(rows, x);
      // One row elsewhere: the rows move.
      const bool first = processes.rank() == 0;
      const auto moved =
          SpreadRows<Matrix<double>>::from_parts(processes, first ? x : Matrix<double>());
      whole[rank] *= moved.local() == mercer::test::local_rows(rows, x);
    });
    CHECK(kept == std::vector<Index>(kept.size(), 1));
    CHECK(whole == std::vector<Index>(kept.size(), 1));
  }
}

TEST_CASE("shared stream: the rows of each process's own stream", "[core][rows]") {
  const Matrix<double> x = mercer::normal_matrix<double>(n, d, 1, "x");
  std::vector<Index> right(3, 0);
  mercer::run_as_processes(3, [&](const Processes& processes) {
    mercer::MatrixStream<Matrix<double>> own(x);
    SharedStream<double> stream(processes, mercer::SampleStreamView<double>(own));
    const bool all = read_all(stream, 100) == x && stream.rewind() && read_all(stream, 333) == x;
    stream.seek({0, 890});
    std::vector<Index> numbers(20);
    const bool last = stream.read_numbers(numbers) == 10 && numbers[9] == 899 &&
                      stream.position().row == n && stream.name() == "the matrix";
    right[static_cast<std::size_t>(processes.rank())] = all && last ? 1 : 0;
  });
  CHECK(right == std::vector<Index>(3, 1));
}

TEST_CASE("shared stream: streams without an end are refused, on all processes", "[core][rows]") {
  std::vector<std::string> told(3);
  mercer::run_as_processes(3, [&](const Processes& processes) {
    mercer::GeneratedStream<double> stream(
        2, mercer::endless, [](Index, mercer::GramOut<double> out) { out.setOnes(); });
    try {
      const SharedStream<double> shared(processes, mercer::SampleStreamView<double>(stream));
    } catch (const mercer::InvalidArgument& error) {
      told[static_cast<std::size_t>(processes.rank())] = error.what();
    }
  });
  for (const std::string& sentence : told)
    CHECK_THAT(sentence,
               Catch::Matchers::ContainsSubstring("must number its rows and have an end"));
}

TEST_CASE("spread stream: shuffled rows are those of one process; zeros have one sign",
          "[core][rows]") {
  Matrix<double> x = mercer::normal_matrix<double>(n, d, 1, "x");
  x(3, 1) = -0.0;
  const auto shuffled = [](auto& stream) {
    mercer::ShuffledStream mixed(stream, {.seed = 7});
    return read_all(mixed, 100);
  };
  const auto one = on_streams(1, x, shuffled);
  for (const auto& all : on_streams(4, x, shuffled)) CHECK(all == one.front());
  for (const Index count : {1, 4})
    for (const auto& all :
         on_streams(count, x, [](auto& stream) { return read_all(stream, Index{n}); }))
      CHECK_FALSE(std::signbit(all(3, 1)));
}

}  // namespace spread_stream_test
