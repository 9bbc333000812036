// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include <Eigen/Core>

#include <mercer/core/types.hpp>
#include <mercer/io/labels.hpp>
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
  CHECK(dense(directory.file("y.txt", "# by savetxt\n1.0e+00 2.0e+00\n0.0e+00 4.0e+00\n")) ==
        expected);
  CHECK(dense(directory.file(
            "x.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n0\n2\n4\n")) == expected);
  for (const std::string name : {"x.svm", "x.libsvm"}) {
    const auto samples = io::read_samples<TestType>(directory.file(name, "7 1:1 2:2\n8 2:4\n"));
    CHECK(Matrix<TestType>(std::get<SparseMatrix<TestType>>(samples)) == expected);
  }
}

SCALAR_TEST_CASE("samples: the content chooses the reader if the name does not", "[io][samples]") {
  using S = TestType;
  const TemporaryDirectory directory;
  const Matrix<S> expected{{1, 2}, {0, 4}};
  const auto dense = [](const std::string& path) {
    return std::get<Matrix<S>>(io::read_samples<S>(path));
  };
  for (const std::string name : {"x.data", "x", "x.t", "folder.npy/x"}) {
    std::filesystem::create_directories(std::filesystem::path(directory.path(name)).parent_path());
    CHECK(dense(directory.file(name, "a,b\n1,2\n0,4\n")) == expected);
    CHECK(dense(directory.file(
              name, "%%MatrixMarket matrix array real general\n2 2\n1\n0\n2\n4\n")) == expected);
    const auto sparse = io::read_samples<S>(directory.file(name, "7 1:1 2:2\n8 2:4\n"));
    CHECK(Matrix<S>(std::get<SparseMatrix<S>>(sparse)) == expected);
  }
  io::write_npy(directory.path("x.bin"), expected);
  CHECK(dense(directory.path("x.bin")) == expected);
  // As UCI has them: without names, with blank lines at the end.
  const auto table = io::read_sample_table<S>(directory.file("iris.data", "1,2,a b\n0,4,c\n\n\n"),
                                              {.columns = {.labels = "3"}});
  CHECK(std::get<Matrix<S>>(table.samples) == expected);
  CHECK(table.labels == std::vector<std::string>{"a b", "c"});
}

TEST_CASE("samples: content that is not read is named", "[io][samples]") {
  const TemporaryDirectory directory;
  const auto refusal = [&](const std::string& name, const std::string& bytes) {
    const std::string path = directory.file(name, bytes);
    const std::string text = file_error([&] { return io::read_samples<double>(path); });
    CHECK(text.starts_with(path + ": "));
    return text.substr(path.size() + 2);
  };
  CHECK(refusal("x.bin", std::string("\0\1\2", 3)) ==
        "is no text, and none of the binary formats that mercer reads; known are .npy, .npz, .csv, "
        ".tsv, .txt, .dat, .mtx, .svm and .libsvm, each also with .gz, and .h5 and .hdf5");
  CHECK(refusal("x", "") == "is empty");
  CHECK(refusal("x.parquet", std::string("PAR1\x15\0", 6)) ==
        "is a Parquet file, which mercer does not read; convert it: python3 -c \"import pandas; "
        "pandas.read_parquet('FILE').to_csv('FILE.csv', index=False)\"");
  for (const std::string name : {"x.arrow", "x.feather"})
    CHECK_THAT(refusal(name, std::string("ARROW1\0\0\xff", 9)),
               ContainsSubstring("Arrow or Feather") && ContainsSubstring("read_feather"));
  CHECK_THAT(refusal("x.arrow", std::string("\xff\xff\xff\xff\x10\0", 6)),
             ContainsSubstring("a stream of Arrow") && ContainsSubstring("open_stream"));
  const auto zip = [](const std::string& name) {
    std::string header("PK\3\4", 4);
    header.resize(30, '\0');
    header[26] = static_cast<char>(name.size());
    return header + name;
  };
  CHECK(refusal("x.xlsx", zip("[Content_Types].xml")) ==
        "is an Excel workbook, which mercer does not read; save it as CSV");
  CHECK(refusal("iris.zip", zip("iris.data")) ==
        "is a ZIP archive, which mercer does not read; unpack it");
  CHECK_THAT(refusal("x.zip", zip("x.npy")), ContainsSubstring("ZIP"));  // as a .npz file
  // A name that says text.
  CHECK(refusal("x.csv", std::string("\x93NUMPY\1\0v\0", 10)) ==
        "is no text, but a NumPy array; its name must end in .npy");
  // Magic words may be names of columns.
  CHECK(std::get<Matrix<double>>(io::read_samples<double>(directory.file("x.d", "PAR1,b\n1,2\n")))
            .cols() == 2);
}

TEST_CASE("samples: whether indices of LIBSVM's format count from 0", "[io][samples]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.svm", "1 0:1 2:2\n");
  const auto table = io::read_sample_table<double>(path);
  CHECK(table.indices_from_zero == true);
  CHECK(std::get<SparseMatrix<double>>(table.samples).cols() == 3);
  CHECK(io::read_sample_table<double>(directory.file("y.svm", "1 2:2\n")).indices_from_zero ==
        false);
  CHECK_FALSE(io::read_sample_table<double>(directory.file("y.csv", "1\n")).indices_from_zero);
  const auto other = io::read_sample_table<double>(directory.path("y.svm"),
                                                   {.dimension = 3, .indices_from_zero = true});
  CHECK(Matrix<double>(std::get<SparseMatrix<double>>(other.samples)) == Matrix<double>{{0, 0, 2}});
}

TEMPLATE_TEST_CASE("samples: columns can be chosen of every dense format", "[io][samples]", float,
                   double) {
  using S = TestType;
  const TemporaryDirectory directory;
  const Matrix<S> all = (Matrix<S>(2, 4) << 7, 1, 2, 0, 8, 3, 4, 1).finished();
  io::write_npy(directory.path("x.npy"), all);
  const std::string csv = directory.file("x.csv", "id,a,b,kind\n7,1,2,0\n8,3,4,1\n");
  const Matrix<S> wanted = (Matrix<S>(2, 2) << 1, 2, 3, 4).finished();
  const io::ColumnChoice choice{.labels = "4", .weights = "1"};
  for (const std::string& path : {directory.path("x.npy"), csv}) {
    const auto table = io::read_sample_table<S>(path, {.dimension = 2, .columns = choice});
    CHECK(std::get<Matrix<S>>(table.samples) == wanted);
    CHECK(table.labels == std::vector<std::string>{"0", "1"});
    CHECK(table.weights == std::vector<double>{7, 8});
  }
  const auto named = io::read_sample_table<S>(csv, {.columns = choice});
  CHECK(named.column_names == std::vector<std::string>{"a", "b"});
  const std::string svm = directory.file("x.svm", "1 1:1\n");
  CHECK_THAT(file_error([&] { return io::read_sample_table<S>(svm, {.columns = choice}); }),
             ContainsSubstring("dense samples only"));
}

SCALAR_TEST_CASE("samples: labels in a column are those of a file of labels", "[io][samples]") {
  using S = TestType;
  const TemporaryDirectory directory;
  // Labels that float does not tell apart, and one that is shorter with an exponent.
  const Matrix<double> all{{16777216, 1, 0.1}, {16777217, 2, 0.2}, {100000, 3, 16777217}};
  const std::vector<std::string> labels{"16777216", "16777217", "100000"};
  const Matrix<S> wanted{{1}, {2}, {3}};
  io::write_npy(directory.path("x.npy"), all);
  static_cast<void>(
      directory.file("x.mtx",
                     "%%MatrixMarket matrix array real general\n3 3\n16777216\n16777217\n1e5\n"
                     "1\n2\n3\n.1\n.2\n16777217\n"));
  for (const char* const name : {"x.npy", "x.mtx"}) {
    const auto table = io::read_sample_table<S>(directory.path(name),
                                                {.columns = {.labels = "1", .weights = "3"}});
    CHECK(std::get<Matrix<S>>(table.samples) == wanted);
    CHECK(table.labels == labels);
    CHECK(table.weights == std::vector<double>{0.1, 0.2, 16777217});
  }
  io::write_npy(directory.path("labels.npy"), mercer::Vector<double>(all.col(0)));
  CHECK(io::read_labels(directory.path("labels.npy")) == labels);
}

SCALAR_TEST_CASE("samples: without rows or columns there are none, dense or sparse",
                 "[io][samples]") {
  const TemporaryDirectory directory;
  const auto refusal = [&](const std::string& name, const std::string& bytes) {
    const std::string path = directory.file(name, bytes);
    return file_error([&] { return io::read_samples<TestType>(path); });
  };
  const std::string entries = "%%MatrixMarket matrix coordinate real general\n";
  CHECK_THAT(refusal("e.svm", "1\n0\n"),
             ContainsSubstring("e.svm: has no columns: the matrix is 2 x 0"));
  CHECK_THAT(refusal("e.mtx", entries + "0 3 0\n"),
             ContainsSubstring("has no samples: the matrix is 0 x 3"));
  CHECK_THAT(refusal("e.mtx", entries + "3 0 0\n"),
             ContainsSubstring("has no columns: the matrix is 3 x 0"));
  CHECK_THAT(refusal("e.mtx", "%%MatrixMarket matrix array real general\n3 0\n"),
             ContainsSubstring("has no columns: the matrix is 3 x 0"));
  // Zeros are samples.
  const auto zeros = io::read_samples<TestType>(directory.file("z.mtx", entries + "2 3 0\n"));
  CHECK(std::get<SparseMatrix<TestType>>(zeros).cols() == 3);
  const auto wide = io::read_samples<TestType>(directory.file("w.svm", "1\n0\n"), 3);
  CHECK(std::get<SparseMatrix<TestType>>(wide).cols() == 3);
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

TEST_CASE("samples: an array without elements may claim any number of columns", "[io][samples]") {
  const TemporaryDirectory directory;
  const std::string header =
      "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 1152921504606846976)}";
  const std::string path = directory.file(
      "x.npy", std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) + '\0' + header);
  CHECK_THAT(file_error([&] { return io::read_samples<double>(path); }),
             ContainsSubstring("has no samples"));
  CHECK_THAT(
      file_error([&] { return io::read_sample_table<double>(path, {.columns = {.labels = "1"}}); }),
      ContainsSubstring("has no samples"));
}

}  // namespace samples_test
