// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/io/content.hpp>

#include <string>
#include <string_view>

#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace content_test {

using mercer::test::file_error;

TEST_CASE("content: the format of a file whose name does not tell it", "[io]") {
  const auto format_of_content = [](std::string_view bytes) {
    return mercer::detail::format_of_content("x", bytes);
  };
  CHECK(format_of_content("\x93NUMPY\1") == ".npy");
  CHECK(format_of_content("PK\3\4") == ".npz");
  CHECK(format_of_content("PK\5\6") == ".npz");
  CHECK(format_of_content("PK,a\n1,2\n") == ".csv");
  CHECK(format_of_content("\x89HDF\r\n\x1a\n") == ".h5");
  CHECK(format_of_content("PAR1,FEA1\n1,2\n") == ".csv");
  CHECK(format_of_content("%%MatrixMarket matrix") == ".mtx");
  CHECK(format_of_content("1 2:3\n") == ".svm");
  CHECK(format_of_content("1 qid:3 2:3\n") == ".svm");
  CHECK(format_of_content("a:b,c\n1,2\n") == ".csv");
  CHECK(format_of_content("1 2\n3 4:5\n") == ".csv");
  CHECK(format_of_content("") == ".csv");
  // The first line that has two words decides: samples may have no entries, and there are comments.
  CHECK(format_of_content("1\r\n-1 # 4:5 is not there\n# a comment\n1\t2:3\r\n") == ".svm");
  CHECK(format_of_content("# a b\n1 2\n") == ".csv");
  CHECK(format_of_content("a\nb\n") == ".csv");
  // A colon alone is not enough.
  CHECK(format_of_content("time, note:what\n1,2\n") == ".csv");
  CHECK(format_of_content("day,time\n2026-01-01 12:30:15,7\n") == ".csv");
  CHECK(format_of_content("a :3\n") == ".csv");
  CHECK(format_of_content("1 -2:3\n") == ".csv");
}

TEST_CASE("content: a name of a known format counts more than the content", "[io]") {
  using mercer::detail::format_of_file;
  std::string table = "1,2\n", entries = "1 2:3\n";
  CHECK(format_of_file("x.svm", table) == ".svm");
  CHECK(format_of_file("x.TXT.gz", entries) == ".txt");
  CHECK(format_of_file("x.t", entries) == ".svm");
  CHECK(format_of_file("-", table) == ".csv");
}

TEST_CASE("content: what is no text is refused by its name", "[io]") {
  const auto refusal = [](std::string_view bytes) {
    return file_error([&] {
      mercer::detail::require_lines_of_text("x", bytes);
      return true;
    });
  };
  CHECK(refusal("a,b\r\n1,2\r\n") == "no error");
  CHECK(refusal("PAR1,b\n") == "no error");
  CHECK(refusal("PK\3\4") == "x: is no text, but a ZIP archive; its name must end in .npz");
  CHECK(refusal(std::string_view("a\0b\0\n\0", 6)) ==
        "x: has zero bytes between its letters, as UTF-16 has; save it as UTF-8");
  CHECK(refusal(std::string_view("\7\0\0\1\0\2", 6)) == "x: is no text: it has zero bytes");
}

}  // namespace content_test
