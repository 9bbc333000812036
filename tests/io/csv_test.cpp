// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <rapidcheck.h>
#include <mercer/io/csv.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace csv_test {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using mercer::Index;
using mercer::Matrix;
using mercer::test::content_of;
using mercer::test::file_error;
using mercer::test::TemporaryDirectory;
namespace io = mercer::io;

using Names = std::vector<std::string>;

namespace {

template <class Scalar = double>
io::Table<Scalar> read_text(const std::string& text) {
  const TemporaryDirectory directory;
  return io::read_csv<Scalar>(directory.file("table.csv", text));
}

/// The message for a text that cannot be read, without the path in front.
std::string read_error(const std::string& text) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("table.csv", text);
  const std::string message = file_error([&] { return io::read_csv<double>(path); });
  CHECK_THAT(message, StartsWith(path + ": "));
  return message.substr((std::min)(path.size() + 2, message.size()));
}

Matrix<double> two_by_two() {
  return (Matrix<double>(2, 2) << 1, 2, 3, 4).finished();
}

}  // namespace

SCALAR_TEST_CASE("csv: rows of numbers", "[io][csv]") {
  const io::Table<TestType> table = read_text<TestType>("1,-2.5,0.1\n4e2,+5,1e-3\n");
  Matrix<TestType> expected(2, 3);
  expected << 1, TestType(-2.5), TestType(0.1), 400, 5, TestType(1e-3);
  CHECK(table.values == expected);
  CHECK(table.column_names.empty());
}

TEST_CASE("csv: separators", "[io][csv]") {
  CHECK(read_text("1,2\n3,4\n").values == two_by_two());
  CHECK(read_text("1;2\n3;4\n").values == two_by_two());
  CHECK(read_text("1\t2\n3\t4\n").values == two_by_two());
  CHECK(read_text("\"a,b;c\"\td\n1\t2\n3\t4\n").column_names == Names{"a,b;c", "d"});
  CHECK(read_text("7\n8\n").values == Matrix<double>(Eigen::Vector2d(7, 8)));
}

TEST_CASE("csv: blanks and tabs together separate numbers", "[io][csv]") {
  const Matrix<double> three = (Matrix<double>(2, 3) << 1, 2, 3, 4, 5, 6).finished();
  CHECK(read_text("  1   2\t3 \n  4   5\t6 \n").values == three);
  const io::Table<double> named = read_text("a b\tc\n1 2\t3\n4 5\t6\n");
  CHECK(named.values == three);
  CHECK(named.column_names == Names{"a", "b", "c"});
  // Tabs alone separate where a field has words, as names do, or is empty.
  CHECK(read_text("sepal length\twidth\n1\t2\n3\t4\n").column_names ==
        Names{"sepal length", "width"});
  CHECK_THAT(read_error("1\t\t2\n"), StartsWith("empty field at line 1"));
  // The second line tells that blanks separate, whatever its end.
  CHECK(read_text("a b\tc\r\n1 2\t3\r\n4 5\t6\r\n").values == three);
  CHECK(read_text("a b\r\n5 \r\n").column_names == Names{"a b"});
}

TEST_CASE("csv: dialects that are not understood are named", "[io][csv]") {
  CHECK_THAT(read_error("a;b\n0,126;1\n"),
             ContainsSubstring("column 1: '0,126'; a comma inside a number: the decimal mark"));
  CHECK_THAT(read_error("a,b\n\"1,000\",2\n"),
             ContainsSubstring("column 1: '\"1,000\"'; a comma inside a number"));
  CHECK_THAT(read_error("a,b\n1,\"x, y\"\n"), EndsWith("column 2: '\"x, y\"'"));
  CHECK_THAT(read_error("a|b\n1|2\n"), ContainsSubstring("'1|2'; '|' separates nothing here"));
  for (const char* const missing : {"NA", "?", ".", "NULL", "", " ", "nan", "NaN", "-nan"})
    CHECK_THAT(read_error(std::string("a,b\n1,") + missing + "\n"),
               ContainsSubstring("'; it stands for a missing value"));
  const std::string utf16(
      "\xff\xfe"
      "a\0,\0b\0\n\0"
      "1\0,\0"
      "2\0\n\0",
      18);
  CHECK_THAT(read_error(utf16), ContainsSubstring("as UTF-16 has; save it as UTF-8"));
  CHECK_THAT(read_error(utf16.substr(2)), ContainsSubstring("UTF-16"));
  CHECK_THAT(read_error("a,b\r1,2\r3,4\r"), StartsWith("its lines end in CR alone"));
  CHECK(read_error(std::string("\1\0\0\7\n", 5)) == "is no text: it has zero bytes");
  CHECK(read_error(std::string("\x93NUMPY\1\0v\0", 10)) ==
        "is no text, but a NumPy array; its name must end in .npy");
  CHECK_THAT(read_error(std::string("PAR1\x15\4\x15\0", 8)),
             StartsWith("is no text, but a Parquet file, which mercer does not read; convert it"));
  // Behind a comment, and in one.
  CHECK_THAT(read_error("# of today\n" + utf16.substr(2)), ContainsSubstring("UTF-16"));
  CHECK_THAT(read_error("# one\n#" + utf16.substr(2)), ContainsSubstring("UTF-16"));
}

TEST_CASE("csv: a first line states the separator, as Excel reads it", "[io][csv]") {
  for (const char separator : {';', ',', '\t', '|'}) {
    const std::string s(1, separator);
    const io::Table<double> table =
        read_text("sep=" + s + "\r\nx" + s + "y\r\n1" + s + "2\r\n3" + s + "4\r\n");
    CHECK(table.values == two_by_two());
    CHECK(table.column_names == Names{"x", "y"});
  }
  CHECK(read_text("\xef\xbb\xbfsep=;\n1;2\n3;4\n").values == two_by_two());
  CHECK(read_text("sep=;\n\n# x;y\n1;2\n3;4\n").column_names == Names{"x", "y"});
  CHECK(read_error("sep=;\na;b\n1;x\n") == "not a number at line 3 (row 1), column 2: 'x'");
  CHECK(read_error("sep=;\n") == "has a header line but no rows of numbers");
  // Elsewhere, and with a letter, it is a name.
  CHECK(read_text("sep=x\n1\n").column_names == Names{"sep=x"});
  CHECK(read_text("# one\nsep=;\n1;2\n").column_names == Names{"sep=", ""});
}

TEST_CASE("csv: the names of rows, as R's write.table writes them, are ignored", "[io][csv]") {
  const Matrix<double> cars{{21, 6}, {22.8, 4}};
  const auto text = [](const std::string& s) {
    return "\"mpg\"" + s + "\"cyl\"\n\"Mazda RX4\"" + s + "21" + s + "6\n\"Datsun 710\"" + s +
           "22.8" + s + "4\n";
  };
  for (const char* const separator : {" ", "\t", ",", ";"}) {
    const io::Table<double> table = read_text(text(separator));
    CHECK(table.values == cars);
    CHECK(table.column_names == Names{"mpg", "cyl"});
  }
  const TemporaryDirectory directory;
  const io::Table<double> chosen = io::read_csv<double>(
      directory.file("x.txt", "\"a\" \"kind of\" \"b\"\n\"1\" 1 \"x y\" 2\n\"2\" 3 z 4\n"),
      {.labels = "kind of"});
  CHECK(chosen.values == two_by_two());
  CHECK(chosen.labels == std::vector<std::string>{"x y", "z"});
  CHECK(read_error(text(" ") + "\"x\" 1 y\n") == "not a number at line 4 (row 3), column 3: 'y'");
  // Without quotes they may be anything.
  const std::string advice =
      "; if the first are names of rows, write none: in R, write.csv(..., row.names = FALSE)";
  CHECK(read_error("a b\n1 2 3\n") ==
        "expected 2 fields, found 3 at line 2 (row 1), column 3: '1 2 3'" + advice);
  CHECK_THAT(read_error("a b\nMazda 2 3\n"), EndsWith(advice));
  CHECK_THAT(read_error("a,b\n\"1\",\"2\",\"3\"\n"), EndsWith(advice));
}

TEST_CASE("csv: blanks separate fields in quotes", "[io][csv]") {
  const io::Table<double> table = read_text("\"a b\"  \"c\"\n1 \"2\"\n \"3\"\t4\n");
  CHECK(table.values == two_by_two());
  CHECK(table.column_names == Names{"a b", "c"});
}

TEST_CASE("csv: blank lines at the beginning", "[io][csv]") {
  CHECK(read_text("\n1,2\n3,4\n").values == two_by_two());
  CHECK(read_text(" \r\n\n# x,y\n\n1,2\n3,4\n").column_names == Names{"x", "y"});
  CHECK(read_error("\n\na,b\n1,x\n") == "not a number at line 4 (row 1), column 2: 'x'");
}

TEST_CASE("csv: line ends, blank lines at the end, byte-order mark, spaces, quotes", "[io][csv]") {
  CHECK(read_text("1,2\r\n3,4\r\n").values == two_by_two());
  CHECK(read_text("1,2\n3,4").values == two_by_two());
  CHECK(read_text("1,2\n3,4\n\n \r\n\n").values == two_by_two());
  CHECK(read_text("\xef\xbb\xbf"
                  "1,2\n3,4\n")
            .values == two_by_two());
  CHECK(read_text(" 1 , 2\n3 ,  4 \n").values == two_by_two());
  CHECK(read_text("\"1\",\"2\"\n\"3\", \"4\" \n").values == two_by_two());
}

TEST_CASE("csv: a first line with a word names the columns", "[io][csv]") {
  const auto table = read_text("x, \"y, \"\"why\"\"\" ,2020,\n1,2,3,4\n");
  CHECK(table.column_names == Names{"x", "y, \"why\"", "2020", ""});
  CHECK(table.values == Matrix<double>(Eigen::RowVector4d(1, 2, 3, 4)));
  CHECK(read_text("\xef\xbb\xbfname\r\n5\r\n").column_names == Names{"name"});
}

TEST_CASE("csv: marks of missing numbers are no header, and comments may have any text",
          "[io][csv]") {
  const TemporaryDirectory directory;
  for (const char* mark : {"?", "NA", "N/A", ".", "-", "NULL"}) {
    const std::string path = directory.file("x.csv", std::string(mark) + ",2\n3,4\n");
    CHECK_THAT(file_error([&] { return io::read_csv<double>(path); }),
               ContainsSubstring("at line 1 (row 1), column 1"));
  }
  CHECK(io::read_csv<double>(directory.file("x.csv", "NA,b\n3,4\n")).column_names ==
        std::vector<std::string>{"NA", "b"});
  CHECK(io::read_csv<double>(directory.file("x.csv", "# 5\" wide\n3,4\n")).values.rows() == 1);
}

TEST_CASE("csv: errors name line, row, column and text", "[io][csv]") {
  const std::string missing =
      "; it stands for a missing value: give it one, or leave out its row or column";
  CHECK(read_error("1,2\n3,abc\n") == "not a number at line 2 (row 2), column 2: 'abc'");
  CHECK(read_error("a,b\n1,2\n3x,4\n") == "not a number at line 3 (row 2), column 1: '3x'");
  CHECK(read_error("a,b\n1,\n") == "empty field at line 2 (row 1), column 2: ''" + missing);
  CHECK(read_error("1,,3\n") == "empty field at line 1 (row 1), column 2: ''" + missing);
  CHECK(read_error("1,2\n3, \n4,5\n") == "empty field at line 2 (row 2), column 2: ' '" + missing);
  CHECK(read_error("1,NaN\n") ==
        "not a finite number at line 1 (row 1), column 2: 'NaN'" + missing);
  CHECK(read_error("1,2\n-inf,2\n") == "not a finite number at line 2 (row 2), column 1: '-inf'");
  CHECK(read_error("1,2\n1e999,2\n") == "too large at line 2 (row 2), column 1: '1e999'");
  CHECK(read_error("1,2\n1.5.2,2\n") == "not a number at line 2 (row 2), column 1: '1.5.2'");
}

TEST_CASE("csv: rows must have as many fields as the first", "[io][csv]") {
  CHECK(read_error("1,2\n3\n") == "expected 2 fields, found 1 at line 2 (row 2), column 2: '3'");
  CHECK(read_error("1,2\n3,4,5\n") ==
        "expected 2 fields, found 3 at line 2 (row 2), column 3: '3,4,5'");
  CHECK(read_error("a,b\n1,2\n3,4,\n") ==
        "expected 2 fields, found 3 at line 3 (row 2), column 3: '3,4,'");
  CHECK(read_error("a\n1\n2,3\n") ==
        "expected 1 field, found 2 at line 3 (row 2), column 2: '2,3'");
  CHECK(read_error("1,2\n\n3,4\n") == "blank line at line 2 (row 2)");
}

TEST_CASE("csv: files without numbers", "[io][csv]") {
  CHECK(read_error("") == "is empty");
  CHECK(read_error("\n \n") == "is empty");
  CHECK(read_error("a,b\n") == "has a header line but no rows of numbers");
  CHECK(read_error("\"a,b\n1,2\n") == "unclosed quote at line 1, column 1: '\"a,b'");
}

TEST_CASE("csv: numbers beyond float", "[io][csv]") {
  CHECK_THAT(file_error([] { return read_text<float>("1e39\n"); }),
             EndsWith("too large at line 1 (row 1), column 1: '1e39'"));
  CHECK(read_text<float>("1e-60\n").values(0, 0) == 0.0F);
}

TEST_CASE("csv: names that begin with a byte-order mark come back", "[io][csv]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("table.csv");
  const Names names{
      "\xef\xbb\xbf"
      "a",
      "\xef\xbb\xbf"
      "b"};
  io::write_csv(path, two_by_two(), names);
  CHECK(io::read_csv<double>(path).column_names == names);
}

TEST_CASE("csv: names that look like something else come back", "[io][csv]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("table.csv");
  // Nothing, as pandas names the row numbers; a comment; a row of numbers between blanks.
  for (const Names& names :
       {Names{"", "b"}, Names{"#a", "b"}, Names{"1 2", "b"}, Names{"7 8"}, Names{"\xff\xfe", "b"},
        Names{"sep=|"}, Names{"sep=;"}, Names{"PAR1", "\1"}, Names{"\x1f\x8b"}}) {
    CAPTURE(names.front());
    io::write_csv(path, two_by_two().leftCols(static_cast<Index>(names.size())), names);
    CHECK(io::read_csv<double>(path).column_names == names);
  }
}

TEST_CASE("csv: what is written", "[io][csv]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("table.csv");
  io::write_csv(path, two_by_two() / 4);
  CHECK(content_of(path) == "0.25,0.5\n0.75,1\n");
  io::write_csv(path, two_by_two(), {"a b", "c,\"d\""});
  CHECK(content_of(path) == "a b,\"c,\"\"d\"\"\"\n1,2\n3,4\n");
  io::write_csv(path, Eigen::RowVector2f(0.1F, 2));
  CHECK(content_of(path) == "0.1,2\n");
}

TEST_CASE("csv: names that could not be read back are refused", "[io][csv]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("table.csv");
  for (const Names& names : {Names{"a"}, Names{"a", "b", "c"}, Names{"1", "2"}, Names{"", "nan"},
                             Names{"a", "b\nc"}, Names{"a", std::string("b\0c", 3)}})
    CHECK_THROWS_AS(io::write_csv(path, two_by_two(), names), mercer::InvalidArgument);
  CHECK_THROWS_AS(io::write_csv(path, Matrix<double>(2, 0)), mercer::InvalidArgument);
  CHECK(directory.entries() == 0);
}

TEST_CASE("csv: tables larger than the write buffer", "[io][csv]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("table.csv");
  const Matrix<double> x = Eigen::VectorXd::LinSpaced(150000, 0, 1).reshaped(50000, 3);
  io::write_csv(path, x);
  CHECK(io::read_csv<double>(path).values == x);
}

SCALAR_TEST_CASE("csv: any finite table comes back as it was", "[io][csv][property]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("table.csv");
  CHECK(rc::check("read_csv(write_csv(x)) == x", [&] {
    const Index n = *rc::gen::inRange<Index>(1, 20), d = *rc::gen::inRange<Index>(1, 8);
    const auto values = *rc::gen::container<std::vector<TestType>>(static_cast<std::size_t>(n * d),
                                                                   rc::gen::arbitrary<TestType>());
    const Matrix<TestType> x = Eigen::Map<const Matrix<TestType>>(values.data(), n, d);
    auto names = *rc::gen::container<Names>(
        static_cast<std::size_t>(d),
        rc::gen::container<std::string>(rc::gen::elementOf(std::string("a1 ,;\t\"."))));
    names[0] += "name";
    for (std::string& name : names) name = mercer::detail::without_spaces(name);
    io::write_csv(path, x, names);
    const io::Table<TestType> table = io::read_csv<TestType>(path);
    RC_ASSERT(table.values == x);
    RC_ASSERT(table.column_names == names);
  }));
}

TEST_CASE("csv: which prefixes of a file are read, and as what", "[io][csv]") {
  // A file that was cut must be refused wherever a row is not a whole one, and no number of a row
  // may be lost or made up elsewhere.
  const std::string valid =
      "\xef\xbb\xbf\"a \"\"x\"\"\",b,c\r\n1,-2.5e-3,\"3\"\r\n4, +5 ,6e1\r\n\r\n";
  const Names names{"a \"x\"", "b", "c"};
  const Matrix<double> refused, first = Eigen::RowVector3d(1, -0.0025, 3);
  const auto with = [&](double last) {
    return (Matrix<double>(2, 3) << first, 4, 5, last).finished();
  };
  // So many prefixes in a row, from the empty one on, and the numbers that are in them.
  const std::vector<std::pair<std::size_t, Matrix<double>>> outcomes{
      {19, refused},   // names without a row
      {12, refused},   // a row up to its last field, whose quote is open: 1,-2.5e-3,"3
      {3, first},      // the row, and the two characters of its line end
      {7, refused},    // 4, +5 , without a third field
      {1, with(6)},    // 6
      {1, refused},    // 6e
      {5, with(60)}};  // 6e1, its line end, and a blank line
  const TemporaryDirectory directory;
  std::size_t size = 0;
  for (const auto& [count, expected] : outcomes)
    for (std::size_t i = 0; i < count; ++i, ++size) {
      const std::string prefix = valid.substr(0, size);
      CAPTURE(prefix);
      const std::string path = directory.file("table.csv", prefix);
      io::Table<double> table;
      const bool rejected = mercer::test::rejects([&] {
        table = io::read_csv<double>(path);
        return true;
      });
      REQUIRE(rejected == (expected.size() == 0));
      if (rejected) continue;
      CHECK(table.values == expected);
      CHECK(table.column_names == names);
    }
  CHECK(size == valid.size() + 1);
}

TEST_CASE("csv: any text is read or refused", "[io][csv][property]") {
  const TemporaryDirectory directory;
  CHECK(rc::check("characters that mean something to the reader", [&] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::elementOf("0123456789.,;\t\"'\r\n -+eEnaifx" + std::string(1, '\0')));
    const std::string path = directory.file("table.csv", text);
    Index n = 1;
    RC_ASSERT(mercer::test::rejects([&] { return n = io::read_csv<double>(path).values.rows(); }) ||
              n > 0);
  }));
}

TEST_CASE("csv: blanks separate where nothing else does", "[io][csv]") {
  const TemporaryDirectory directory;
  const auto read = [&](std::string_view text) {
    return io::read_csv<double>(directory.file("x.txt", text));
  };
  const Matrix<double> expected = (Matrix<double>(2, 2) << 1, -2, 3.5, 4).finished();
  CHECK(read("1.000e+00 -2.000e+00\n3.500e+00 4.000e+00\n").values == expected);
  CHECK(read("   1   -2 \n  3.5 \t 4\r\n").values == expected);
  const io::Table<double> commented = read("# written by hand\n# a b\n1 -2\n3.5 4\n");
  CHECK(commented.values == expected);
  CHECK(commented.column_names == std::vector<std::string>{"a", "b"});
  CHECK(read("#one two three\n1 -2\n3.5 4\n").column_names.empty());
  CHECK(read("a b\n1 -2\n3.5 4\n").column_names == std::vector<std::string>{"a", "b"});
  CHECK(read("1 2").values == Eigen::RowVector2d(1, 2));
  // One column whose name has a blank.
  CHECK(read("sepal length\n1\n2\n").values == Eigen::Vector2d(1, 2));
  const auto error = [&](std::string_view text) { return file_error([&] { return read(text); }); };
  CHECK_THAT(error("1 2\n3\n"), ContainsSubstring("expected 2 fields, found 1 at line 2 (row 2)"));
  CHECK_THAT(error("1 2\n3 4 5\n"), ContainsSubstring("expected 2 fields, found 3"));
  CHECK_THAT(error("1 2\n3 x\n"), ContainsSubstring("not a number at line 2 (row 2), column 2"));
  CHECK_THAT(error("# only words\n"), ContainsSubstring("no rows of numbers"));
}

TEST_CASE("csv: columns by name and number, and labels", "[io][csv]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file(
      "x.csv", "id,a,b,\"a, b\",kind\n1,2,3,\"no, number\",x\n2,4,5,\"\"\"q\"\"\",\"y z\"\n");
  const auto read = [&](const io::ColumnChoice& choice) {
    return io::read_csv<double>(path, choice);
  };
  const Matrix<double> ab = (Matrix<double>(2, 2) << 2, 3, 4, 5).finished();
  const io::Table<double> table = read({.keep = {"a", "b"}, .labels = "kind"});
  CHECK(table.values == ab);
  CHECK(table.column_names == std::vector<std::string>{"a", "b"});
  CHECK(table.labels == std::vector<std::string>{"x", "y z"});
  CHECK(read({.keep = {"2-3"}, .drop = {}}).values == ab);
  CHECK(read({.drop = {"1", "4-5"}}).values == ab);
  CHECK(read({.keep = {"b"}, .labels = "a, b"}).labels ==
        std::vector<std::string>{"no, number", "\"q\""});
  CHECK(read({.keep = {"1-3"}, .drop = {"id", "nothing"}, .labels = "none", .may_miss = true})
            .values == ab);
  const auto error = [&](const io::ColumnChoice& choice) {
    return file_error([&] { return read(choice); });
  };
  CHECK_THAT(error({.labels = "kinds"}),
             ContainsSubstring("no column 'kinds'; it has 5 columns; did you mean kind?"));
  CHECK_THAT(error({.labels = "species"}),
             ContainsSubstring("no column 'species'; it has 5 columns: id, a, b, a, b, kind"));
  for (const char* wrong : {"0", "6", "2-6", "3-2", "-1", "2-", "1.5", ""})
    CHECK_THAT(error({.drop = {wrong}}), ContainsSubstring("has no column '"));
  CHECK_THAT(error({.drop = {"1-5"}}), ContainsSubstring("no column is left"));
  CHECK_THAT(error({.labels = "1-2"}), ContainsSubstring("labels are in one column"));
  CHECK_THAT(error({.labels = "kind", .weights = "5"}),
             ContainsSubstring("'5' cannot hold both labels and weights"));
  CHECK_THAT(error({.weights = "1-2"}), ContainsSubstring("weights are in one column"));
  CHECK_THAT(error({.keep = {"a"}, .weights = "kind"}),
             ContainsSubstring("not a number at line 2 (row 1), column 5: 'x'"));
  // What is asked for twice, or for two uses, is a mistake.
  CHECK_THAT(error({.keep = {"a", "b", "a"}}),
             ContainsSubstring("column 'a' is chosen twice for the samples"));
  CHECK_THAT(error({.keep = {"1-3", "2"}}), ContainsSubstring("column 'a' is chosen twice"));
  CHECK_THAT(error({.keep = {"a", "b"}, .labels = "a"}),
             ContainsSubstring("column 'a' cannot hold labels and be chosen for the samples"));
  CHECK_THAT(error({.keep = {"1-3"}, .weights = "id"}),
             ContainsSubstring("column 'id' cannot hold weights and be chosen for the samples"));
  CHECK(read({.keep = {"1-3"}, .drop = {"id"}, .labels = "id"}).values == ab);
  CHECK(read({.keep = {"b", "a"}}).values == ab);  // in the order of the file
  const io::Table<double> weighted = read({.keep = {"a", "b"}, .labels = "kind", .weights = "id"});
  CHECK(weighted.values == ab);
  CHECK(weighted.weights == std::vector<double>{1, 2});
  CHECK(weighted.labels == table.labels);
  CHECK(table.weights.empty());
  CHECK_THAT(error({.drop = {"id"}}),
             ContainsSubstring("not a number at line 2 (row 1), column 4"));
  // Without a header, words in other columns do not make the first row one.
  const std::string bare = directory.file("y.csv", "1,2,setosa\n3,4,virginica\n");
  const io::Table<double> rows = io::read_csv<double>(bare, {.labels = "3"});
  CHECK(rows.values == (Matrix<double>(2, 2) << 1, 2, 3, 4).finished());
  CHECK(rows.labels == std::vector<std::string>{"setosa", "virginica"});
  // Names that are numbers are no header by themselves, but a column that is chosen by its name
  // shows that it is one.
  const std::string years = directory.file("years.csv", "id,2001,2002\n7,1.5,2.5\n8,3.5,4.5\n");
  const Matrix<double> growth = (Matrix<double>(2, 2) << 1.5, 2.5, 3.5, 4.5).finished();
  for (const io::ColumnChoice& choice :
       {io::ColumnChoice{.drop = {"id"}}, io::ColumnChoice{.labels = "id"},
        io::ColumnChoice{.weights = "id"}, io::ColumnChoice{.weights = "1"},
        io::ColumnChoice{.keep = {"2001", "2002"}}, io::ColumnChoice{.keep = {"2", "2002"}}}) {
    const io::Table<double> named = io::read_csv<double>(years, choice);
    CHECK(named.values == growth);
    CHECK(named.column_names == std::vector<std::string>{"2001", "2002"});
  }
  CHECK(io::read_csv<double>(years, {.drop = {"1"}}).values.rows() == 3);
  // Also where all names are numbers, in a header or in a comment.
  for (const char* const head : {"2001,2002\n", "#2001,2002\n"}) {
    const std::string all = directory.file("all.csv", std::string(head) + "1.5,2.5\n3.5,4.5\n");
    for (const io::ColumnChoice& choice :
         {io::ColumnChoice{.keep = {"2001"}}, io::ColumnChoice{.drop = {"2002"}},
          io::ColumnChoice{.drop = {"2002", "2003"}, .may_miss = true},
          io::ColumnChoice{.labels = "2002"}, io::ColumnChoice{.weights = "2002"}}) {
      const io::Table<double> named = io::read_csv<double>(all, choice);
      CHECK(named.values == Matrix<double>{{1.5}, {3.5}});
      CHECK(named.column_names == std::vector<std::string>{"2001"});
    }
    // Numbers of columns are no names, and neither are names that are not there.
    const mercer::Index lines = head[0] == '#' ? 2 : 3;
    CHECK(io::read_csv<double>(all, {.keep = {"1"}}).values.rows() == lines);
    CHECK(io::read_csv<double>(all, {.drop = {"2003"}, .may_miss = true}).values.rows() == lines);
  }
  const std::string open = directory.file("z.csv", "a,b\n1,\"x\n");
  CHECK_THAT(file_error([&] { return io::read_csv<double>(open, {.labels = "b"}); }),
             ContainsSubstring("unclosed quote at line 2"));
  const std::string gap = directory.file("g.csv", "a,b\n1,\n");
  CHECK_THAT(file_error([&] { return io::read_csv<double>(gap, {.labels = "b"}); }),
             ContainsSubstring("empty label at line 2"));
}

}  // namespace csv_test
