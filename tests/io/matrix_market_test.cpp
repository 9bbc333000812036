// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/io/matrix_market.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <Eigen/Core>

#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace matrix_market_test {

using Catch::Matchers::ContainsSubstring;
using mercer::Matrix;
using mercer::SparseMatrix;
using mercer::test::file_error;
using mercer::test::TemporaryDirectory;
namespace io = mercer::io;

template <class S>
Matrix<S> dense(const std::string& path) {
  return std::visit([](const auto& x) { return Matrix<S>(x); }, io::read_matrix_market<S>(path));
}

TEMPLATE_TEST_CASE("matrix market: each kind of matrix", "[io]", float, double) {
  using S = TestType;
  const TemporaryDirectory directory;
  const auto read = [&](std::string_view kind, std::string_view rest) {
    return dense<S>(directory.file(
        "x.mtx", "%%MatrixMarket matrix " + std::string(kind) + "\n" + std::string(rest)));
  };
  const Matrix<S> a = (Matrix<S>(2, 3) << 1, 0, S(-2.5), 0, 4, 0).finished();
  CHECK(read("coordinate real general", "% a comment\n\n2 3 3\n1 1 1\n2 2 4e0\n1 3 -2.5\n") == a);
  CHECK(read("array real general", "2 3\n1\n0\n0\n4\n-2.5\n0\n") == a);
  CHECK(read("COORDINATE Integer General", "2 3 0\r\n") == Matrix<S>::Zero(2, 3));
  const Matrix<S> pattern = (Matrix<S>(2, 2) << 1, 1, 1, 0).finished();
  CHECK(read("coordinate pattern symmetric", "2 2 2\n1 1\n2 1\n") == pattern);
  const Matrix<S> symmetric = (Matrix<S>(2, 2) << 5, 6, 6, 7).finished();
  CHECK(read("array real symmetric", "2 2\n5\n6\n7\n") == symmetric);
  const Matrix<S> skew = (Matrix<S>(2, 2) << 0, -3, 3, 0).finished();
  CHECK(read("array real skew-symmetric", "2 2\n3\n") == skew);
  CHECK(read("coordinate real skew-symmetric", "2 2 1\n2 1 3\n") == skew);
}

TEST_CASE("matrix market: many columns take no memory", "[io]") {
  const TemporaryDirectory directory;
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  const auto read = io::read_matrix_market<double>(
      directory.file("wide.mtx", head + "3 2147483646 2\n2 2147483646 5\n1 7 4\n"));
  const auto& x = std::get<SparseMatrix<double>>(read);
  CHECK(x.cols() == 2147483646);
  CHECK(x.data().allocatedSize() == 2);
  CHECK(x.coeff(1, 2147483645) == 5);
  CHECK(x.coeff(0, 6) == 4);
}

TEST_CASE("matrix market: many columns without rows take no time", "[io]") {
  const TemporaryDirectory directory;
  const auto read = io::read_matrix_market<double>(
      directory.file("wide.mtx", "%%MatrixMarket matrix array real general\n0 2147483646\n"));
  CHECK(std::get<Matrix<double>>(read).cols() == 2147483646);
}

TEST_CASE("matrix market: the kind decides between dense and sparse", "[io]") {
  const TemporaryDirectory directory;
  const auto sparse = io::read_matrix_market<double>(
      directory.file("s.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 2 3\n"));
  CHECK(std::holds_alternative<SparseMatrix<double>>(sparse));
  const auto array = io::read_matrix_market<double>(
      directory.file("d.mtx", "%%MatrixMarket matrix array real general\n1 1\n3\n"));
  CHECK(std::holds_alternative<Matrix<double>>(array));
}

TEST_CASE("matrix market: what is wrong is named with its line", "[io]") {
  const TemporaryDirectory directory;
  const std::string banner = "%%MatrixMarket matrix ", real = "coordinate real general\n";
  for (const auto& [text, part] : std::initializer_list<std::pair<std::string, const char*>>{
           {"", "not in Matrix Market format"},
           {"1,2\n", "'1,2'"},
           {banner + "array pattern general\n",
            "values must be real or integer at line 1: 'pattern'"},
           {banner + "coordinate complex general\n",
            "values must be real, integer or pattern at line 1: 'complex'"},
           {banner + "coordinate real hermitian\n",
            "the matrix must be general, symmetric or skew-symmetric at line 1: 'hermitian'"},
           {banner + "vector real general\n", "unknown format at line 1: 'vector'"},
           {banner + real, "no line with the sizes"},
           {banner + real + "2 2\n", "expected rows, columns and entries at line 2"},
           {banner + real + "2 -2 1\n", "out of range at line 2: '-2'"},
           {banner + real + "2 2147483647 1\n1 1 1\n", "out of range"},
           {banner + real + "2 99999999999999999999 1\n", "out of range"},
           {banner + real + "2000000000 1 0\n", "2000000000 rows in 0 bytes"},
           {banner + real + "2 2 2000000000\n1 1 1\n", "do not fit in 6 bytes"},
           {banner + real + "2 2 2\n1 1 1.00000000\n", "expected 2 entries, found 1"},
           {banner + real + "2 2 1\n3 1 1\n", "outside of 2 x 2 at line 3: '3 1 1'"},
           {banner + real + "2 2 1\n0 1 1\n", "outside of 2 x 2"},
           {banner + real + "2 2 1\n1 1 nan\n", "not a finite number at line 3: 'nan'"},
           {banner + real + "2 2 1\n1 1 x1\n", "not a number"},
           {banner + real + "2 2 1\n1 1 1 1\n", "expected row, column and value"},
           {banner + real + "2 2 2\n1 1 1\n1 1 2\n", "the entry at row 1, column 1 is given twice"},
           {banner + real + "3 4 3\n2 3 1\n1 1 1\n2 3 2\n",
            "the entry at row 2, column 3 is given twice"},
           {banner + real + "2 2 1\n1 1 1\n2 2 2\n", "more values than the sizes say at line 4"},
           {banner + "coordinate real symmetric\n2 3 1\n1 1 1\n", "must be square"},
           {banner + "coordinate real symmetric\n2 2 1\n1 2 1\n", "lower triangle"},
           {banner + "coordinate real skew-symmetric\n2 2 1\n1 1 1\n", "diagonal"},
           {banner + "array real general\n100000 100000\n1\n", "do not fit in 2 bytes"},
           {banner + "array real general\n2 1\n1.000\n", "before row 2 of column 1"},
           {banner + "array real general\n1 1\n1\n2\n", "more values"}}) {
    const std::string path = directory.file("x.mtx", text);
    CHECK_THAT(file_error([&] { return io::read_matrix_market<double>(path); }),
               ContainsSubstring(path) && ContainsSubstring(part));
  }
}

}  // namespace matrix_market_test
