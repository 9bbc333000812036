// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <string>
#include <variant>

#include <Eigen/Core>

#include <mercer/io/samples.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace samples_test {

using Catch::Matchers::ContainsSubstring;
using mercer::Matrix;
using mercer::SparseMatrix;
using mercer::test::file_error;
using mercer::test::TemporaryDirectory;
namespace io = mercer::io;

SCALAR_TEST_CASE("samples: the extension chooses the reader", "[io][samples]") {
  const TemporaryDirectory directory;
  const Matrix<TestType> expected = (Matrix<TestType>(2, 2) << 1, 2, 0, 4).finished();
  io::write_npy(directory.path("x.NPY"), expected);
  const auto dense = [](const std::string& path) {
    return std::get<Matrix<TestType>>(io::read_samples<TestType>(path));
  };
  CHECK(dense(directory.path("x.NPY")) == expected);
  CHECK(dense(directory.file("x.csv", "a,b\n1,2\n0,4\n")) == expected);
  CHECK(dense(directory.file("x.tsv", "1\t2\n0\t4\n")) == expected);
  CHECK(dense(directory.file("x.txt", "1;2\n0;4\n")) == expected);
  for (const std::string name : {"x.svm", "x.libsvm"}) {
    const auto samples = io::read_samples<TestType>(directory.file(name, "7 1:1 2:2\n8 2:4\n"));
    CHECK(Matrix<TestType>(std::get<SparseMatrix<TestType>>(samples)) == expected);
  }
}

TEST_CASE("samples: an unknown extension is an error that lists the known ones", "[io][samples]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.xlsx", "");
  CHECK(file_error([&] { return io::read_samples<double>(path); }) ==
        path +
            ": unknown extension '.xlsx'; known are .npy, .csv, .tsv, .txt, .svm and .libsvm, "
            "each also with .gz");
}

TEST_CASE("samples: the number of columns can be asked for", "[io][samples]") {
  const TemporaryDirectory directory;
  const std::string csv = directory.file("x.csv", "1,2\n");
  CHECK(std::get<Matrix<double>>(io::read_samples<double>(csv, 2)).cols() == 2);
  CHECK_THAT(file_error([&] { return io::read_samples<double>(csv, 3); }),
             ContainsSubstring("x.csv: has 2 columns, expected 3"));
  const std::string svm = directory.file("x.svm", "1 2:1\n");
  CHECK(std::get<SparseMatrix<double>>(io::read_samples<double>(svm, 3)).cols() == 3);
  CHECK_THAT(file_error([&] { return io::read_samples<double>(svm, 1); }),
             ContainsSubstring("index exceeds the dimension 1"));
  CHECK_THROWS_AS(io::read_samples<double>(csv, -1), mercer::InvalidArgument);
}

}  // namespace samples_test
