// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/io/samples_spread.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/io/csv.hpp>
#include <mercer/io/file_error.hpp>
#include <mercer/io/libsvm.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/io/samples.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/row_parts.hpp>
#include <tests/support/samples.hpp>

namespace samples_spread_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::Index;
using mercer::Matrix;
using mercer::Processes;
using mercer::SparseMatrix;
using mercer::SpreadRows;
using mercer::Vector;
using mercer::test::columns_at;
using mercer::test::process_counts;
using mercer::test::TemporaryDirectory;
namespace io = mercer::io;

/// All rows of a file that was read into several processes.
template <class X>
X read(const std::string& path, Index count, const io::SampleRequest& request = {}) {
  X all(0, 0);
  mercer::run_as_processes(count, [&](const Processes& processes) {
    const auto samples = io::read_samples_spread<typename X::Scalar>(processes, path, request);
    X gathered = std::get<SpreadRows<X>>(samples).gather();
    if (processes.rank() == 0) all = std::move(gathered);
  });
  return all;
}

/// What three processes are told of a file that cannot be read; empty if it is not the same.
std::string error(const std::string& path, const io::SampleRequest& request = {}) {
  std::vector<std::string> told(3);
  mercer::run_as_processes(3, [&](const Processes& processes) {
    try {
      static_cast<void>(io::read_samples_spread<double>(processes, path, request));
    } catch (const io::FileError& fault) {
      told[static_cast<std::size_t>(processes.rank())] = fault.what();
    }
  });
  return told[1] == told[0] && told[2] == told[0] ? told[0] : std::string();
}

Matrix<double> samples(Index rows) {
  return mercer::normal_matrix<double>(rows, 3, 1, "x");
}

}  // namespace

TEST_CASE("spread samples: tables as in one process, for any processes", "[io][rows]") {
  const TemporaryDirectory directory;
  for (const Index n : {1, 2, 5, 700}) {
    const std::string plain = directory.path("x.csv"), named = directory.path("n.csv");
    io::write_csv(plain, samples(n));
    io::write_csv(named, samples(n), {"a", "b", "c"});
    for (const Index count : process_counts) {
      CHECK(read<Matrix<double>>(plain, count) == samples(n));
      CHECK(read<Matrix<double>>(named, count) == samples(n));
      CHECK(read<Matrix<double>>(named, count, {.columns = {.drop = {"b"}}}) ==
            columns_at(samples(n), {0, 2}));
      CHECK(read<Matrix<float>>(plain, count) == io::read_csv<float>(plain).values);
    }
  }
  // The content tells what the name does not.
  CHECK(read<Matrix<double>>(directory.file("iris.data", "1,2\n3,4\n"), 3) ==
        Matrix<double>{{1, 2}, {3, 4}});
  CHECK(read<SparseMatrix<double>>(directory.file("a1a", "1 1:2\n0 2:3\n"), 3).cols() == 2);
  const std::string excel = directory.file("e.csv", "sep=;\n\n# none\nx;y\n1;2\n3;4\n");
  CHECK(read<Matrix<double>>(excel, 3) == Matrix<double>{{1, 2}, {3, 4}});
  const std::string named_rows =
      directory.file("r.txt", "\"x\" \"y\"\n\"1\" 1 2\n\"2\" 3 4\n\"3\" 5 6\n");
  CHECK(read<Matrix<double>>(named_rows, 3) == Matrix<double>{{1, 2}, {3, 4}, {5, 6}});
  const std::string blanks = directory.file("b.txt", "# x y\n1 2\n\t3 4\r\n5  6\n\n\n");
  CHECK(read<Matrix<double>>(blanks, 4) == io::read_csv<double>(blanks).values);
}

TEST_CASE("spread samples: the names of columns, on all processes", "[io][rows]") {
  const TemporaryDirectory directory;
  const std::string named = directory.path("n.csv"), plain = directory.path("x.npy");
  io::write_csv(named, samples(3), {"a", "b", "c"});
  io::write_npy(plain, samples(3));
  mercer::run_as_processes(4, [&](const Processes& processes) {
    const auto names = [&](const std::string& path, const io::SampleRequest& request) {
      return io::read_sample_table_spread<double>(processes, path, request).column_names;
    };
    using Names = std::vector<std::string>;
    const bool right = names(named, {}) == Names{"a", "b", "c"} &&
                       names(named, {.columns = {.drop = {"b"}}}) == Names{"a", "c"} &&
                       names(plain, {}).empty();
    mercer::detail::together(processes, [&] {
      if (!right) mercer::detail::fail("other names");
    });
  });
}

TEST_CASE("spread samples: a column of weights, and a file of them", "[io][rows]") {
  const TemporaryDirectory directory;
  const Index n = 700;
  const Matrix<double> weights = mercer::normal_matrix<double>(n, 1, 2, "w").cwiseAbs();
  Matrix<double> both(n, 4);
  both << samples(n).leftCols(1), weights, samples(n).rightCols(2);
  const std::string table = directory.path("t.csv"), bare = directory.path("b.csv");
  io::write_csv(table, both, {"a", "w", "b", "c"});
  io::write_csv(bare, samples(n), {"a", "b", "c"});
  const std::string named = directory.path("w.csv"), binary = directory.path("w.npy");
  io::write_csv(named, weights, {"weight"});
  io::write_npy(binary, Vector<double>(weights.col(0)));
  for (const Index count : process_counts) {
    mercer::run_as_processes(count, [&](const Processes& processes) {
      const auto read = [&](const std::string& path, bool may_miss) {
        return io::read_sample_table_spread<float>(
            processes, path, {.columns = {.weights = "w", .may_miss = may_miss}});
      };
      const auto found = read(table, false);
      const auto& x = std::get<SpreadRows<Matrix<float>>>(found.samples);
      const mercer::RowSpace& rows = x.rows();
      const auto is_weights = [&](const SpreadRows<Matrix<double>>& some) {
        return some.local() == mercer::test::local_rows(rows, weights);
      };
      // Weights are in double, also where samples are not.
      const bool right = x.local() == mercer::test::local_rows(rows, samples(n)).cast<float>() &&
                         found.column_names.size() == 3 && found.weights &&
                         is_weights(*found.weights) && !read(bare, true).weights &&
                         is_weights(io::read_weights_spread(processes, named, n)) &&
                         is_weights(io::read_weights_spread(processes, binary, n));
      mercer::detail::together(processes, [&] {
        if (!right) mercer::detail::fail("other weights");
      });
    });
  }
}

TEST_CASE("spread samples: files of weights that are refused", "[io][rows]") {
  const TemporaryDirectory directory;
  const auto told = [&](const std::string& path) {
    std::vector<std::string> all(3);
    mercer::run_as_processes(3, [&](const Processes& processes) {
      try {
        static_cast<void>(io::read_weights_spread(processes, path, 4));
      } catch (const io::FileError& fault) {
        all[static_cast<std::size_t>(processes.rank())] = fault.what();
      }
    });
    return all[1] == all[0] && all[2] == all[0] ? all[0] : std::string();
  };
  CHECK_THAT(told(directory.file("w.csv", "1\n2\n3\n")),
             ContainsSubstring("w.csv: has 3 weights for 4 samples"));
  CHECK_THAT(told(directory.file("m.csv", "1,2\n3,4\n5,6\n7,8\n")),
             ContainsSubstring("m.csv: has 2 columns, expected 1"));
  CHECK_THAT(told(directory.file("w.svm", "1 1:2\n")), ContainsSubstring("not weights"));
  CHECK_THAT(told(directory.file("x.csv", "1\n2\nx\n4\n")), ContainsSubstring("line 3"));
}

TEST_CASE("spread samples: LIBSVM as in one process, as wide as the widest part", "[io][rows]") {
  const TemporaryDirectory directory;
  // The largest index is in the first row alone.
  std::string text = "1 2:5 9:1\n# nothing here\n";
  for (int i = 0; i < 600; ++i) text += "-1 1:" + std::to_string(i) + " 3:0.25 # more\n\n";
  const std::string path = directory.file("x.svm", text);
  const Matrix<double> whole = io::read_libsvm<double>(path).samples;
  for (const Index count : process_counts)
    CHECK(Matrix<double>(read<SparseMatrix<double>>(path, count)) == whole);
  CHECK(read<SparseMatrix<double>>(path, 3, {.dimension = 12}).cols() == 12);
  // An index is 0 in the last row alone, so all of them count from 0.
  const std::string zero = directory.file("z.svm", text + "1 0:7\n");
  const Matrix<double> counted = io::read_libsvm<double>(zero).samples;
  CHECK(counted.cols() == 10);
  for (const Index count : process_counts) {
    CHECK(Matrix<double>(read<SparseMatrix<double>>(zero, count)) == counted);
    CHECK(Matrix<double>(read<SparseMatrix<double>>(path, count, {.indices_from_zero = true})) ==
          counted.topRows(601));
  }
  CHECK(error(zero, {.dimension = 9}) ==
        mercer::test::file_error([&] { return io::read_libsvm<double>(zero, 9); }));
  const std::string one = directory.file("one.libsvm", "1 1:2");
  CHECK(Matrix<double>(read<SparseMatrix<double>>(one, 5)) == Matrix<double>::Constant(1, 1, 2));
}

TEST_CASE("spread samples: .npy by rows", "[io][rows]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x.npy");
  io::write_npy(path, samples(600));
  CHECK(read<Matrix<double>>(path, 3) == samples(600));
}

TEST_CASE("spread samples: errors are those of one process, with their lines", "[io][rows]") {
  const TemporaryDirectory directory;
  std::string rows = "a,b\n";
  for (int i = 0; i < 500; ++i) rows += i == 480 ? "1,x\n" : "1,2\n";
  const std::string table = directory.file("x.csv", rows);
  CHECK(error(table) == mercer::test::file_error([&] { return io::read_csv<double>(table); }));
  CHECK_THAT(error(table), ContainsSubstring("line 482 (row 481)"));
  std::string lines;
  for (int i = 0; i < 500; ++i) lines += i == 320 ? "1 -1:1\n" : "1 1:1\n";
  const std::string sparse = directory.file("x.svm", lines);
  CHECK(error(sparse) == mercer::test::file_error([&] { return io::read_libsvm<double>(sparse); }));
  CHECK_THAT(error(sparse), ContainsSubstring("line 321"));
  // Of several faults, the first one is told.
  const std::string two = directory.file("two.csv", "1,2\nx,2\n3,4\n5,6\n7,y\n8,9\n");
  CHECK_THAT(error(two), ContainsSubstring("line 2 "));
}

TEST_CASE("spread samples: a file that differs between machines", "[io][rows]") {
  const TemporaryDirectory directory;
  const Matrix<double> x = mercer::test::uniform_samples<double>(20, 3, 1);
  const auto check = [&](const std::string& extension, const std::string& sizes) {
    const auto path = [&](const std::string& name) { return directory.path(name + extension); };
    for (const bool shorter : {false, true}) {
      const Matrix<double> rows = x.topRows(shorter ? 17 : 20);
      if (extension == ".npy")
        io::write_npy(path(shorter ? "short" : "long"), rows);
      else
        io::write_libsvm<double>(path(shorter ? "short" : "long"), rows.sparseView(),
                                 Vector<double>::Ones(rows.rows()));
    }
    std::vector<std::string> told(3);
    mercer::run_as_processes(3, [&](const Processes& processes) {
      const Index rank = processes.rank();
      try {
        static_cast<void>(
            io::read_samples_spread<double>(processes, path(rank == 2 ? "short" : "long")));
      } catch (const io::FileError& fault) {
        told[static_cast<std::size_t>(rank)] = fault.what();
      }
    });
    for (const std::string& sentence : told)
      CHECK_THAT(sentence, ContainsSubstring("different files ") && ContainsSubstring(sizes));
  };
  check(".npy", "process 0 has 20 x 3");
  check(".svm", " bytes");
}

TEST_CASE("spread samples: files that are refused", "[io][rows]") {
  const TemporaryDirectory directory;
  CHECK_THAT(error(directory.file("e.csv", "")), ContainsSubstring("is empty"));
  CHECK_THAT(error(directory.file("h.csv", "a,b\n")), ContainsSubstring("no rows"));
  CHECK_THAT(error(directory.file("e.svm", "# none\n")), ContainsSubstring("has no samples"));
  CHECK_THAT(error(directory.file("n.svm", "1\n0\n")), ContainsSubstring("has no entries"));
  CHECK_THAT(error(directory.path("none.csv")), ContainsSubstring("cannot open"));
  for (const char* name : {"x.csv.gz", "x.npz", "x.mtx", "x.gz", "x.xyz.gz"})
    CHECK_THAT(error(directory.file(name, "1,2\n")), ContainsSubstring("cannot be read in parts"));
  CHECK_THAT(error(directory.file("x", "\x1f\x8b\b")),
             ContainsSubstring("cannot be read in parts"));
  CHECK_THAT(error(directory.file("x.parquet", "PAR1\x15")),
             ContainsSubstring("x.parquet: is a Parquet file"));
  CHECK_THAT(error("-"), ContainsSubstring("cannot be read in parts"));
  CHECK_THAT(error(directory.file("x.csv", "1,2\n"), {.dimension = 3}),
             ContainsSubstring("has 2 columns, expected 3"));
  CHECK_THAT(error(directory.file("x.svm", "1 1:2\n"), {.columns = {.keep = {"1"}}}),
             ContainsSubstring("of tables only"));
  CHECK_THAT(error(directory.file("w.csv", "a,w\n1,x\n"), {.columns = {.weights = "w"}}),
             ContainsSubstring("not a number at line 2"));
  CHECK_THAT(error(directory.file("w.svm", "1 1:2\n"), {.columns = {.weights = "1"}}),
             ContainsSubstring("of tables only"));
  CHECK_THAT(error(directory.path("none.npy")), ContainsSubstring("cannot open"));
  const std::string empty = directory.path("empty.npy");
  io::write_npy(empty, Matrix<double>(0, 3));
  CHECK_THAT(error(empty), ContainsSubstring("empty.npy: has no samples: the matrix is 0 x 3"));
  io::write_npy(empty, Matrix<double>(5, 0));
  CHECK_THAT(error(empty), ContainsSubstring("empty.npy: has no columns: the matrix is 5 x 0"));
  CHECK_THAT(error(directory.file("x.svm", "1 4:2\n"), {.dimension = 3}),
             ContainsSubstring("exceeds the dimension 3"));
}

}  // namespace samples_spread_test
