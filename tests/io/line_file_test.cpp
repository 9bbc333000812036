// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/io/line_file.hpp>

#include <algorithm>
#include <string>

#include <rapidcheck.h>
#include <mercer/core/types.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace line_file_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::Index;
using mercer::detail::count_lines;
using mercer::detail::LineFile;
using mercer::test::TemporaryDirectory;

/// Whether a text has whole lines only, or is the end of \p all.
bool ends_with_line(const std::string& text, const std::string& all) {
  return text.empty() || text.ends_with('\n') || all.ends_with(text);
}

}  // namespace

TEST_CASE("line file: each line is in one part", "[io]") {
  const TemporaryDirectory directory;
  const bool holds = rc::check("parts are whole lines, and all of them", [&] {
    const auto bytes =
        *rc::gen::container<std::string>(rc::gen::element('a', '7', ',', '\n', '\n'));
    const auto count = *rc::gen::inRange(1, 9);
    const LineFile file(directory.file("lines.txt", bytes));
    std::string all;
    for (Index i = 0; i < count; ++i) all += file.part(i, count);
    RC_ASSERT(all == bytes.substr(0, bytes.find_last_not_of(" \r\n") + 1));
    Index lines = 0;
    for (Index i = 0; i < count; ++i) {
      RC_ASSERT(ends_with_line(file.part(i, count), all));
      lines += count_lines(file.part(i, count));
    }
    RC_ASSERT(lines == count_lines(all));
  });
  CHECK(holds);
}

TEST_CASE("line file: a line longer than what is read at one time", "[io]") {
  const TemporaryDirectory directory;
  const std::string longest(200000, 'x');
  const LineFile file(directory.file("long.txt", "a\n" + longest + "\nb\n"));
  CHECK(file.part(0, 3) == "a\n" + longest + "\n");
  CHECK(file.part(1, 3).empty());
  CHECK(file.part(2, 3) == "b");
  CHECK(file.head() == "a\n" + longest + "\nb");
}

TEST_CASE("line file: the head, a byte-order mark, and blank lines at the end", "[io]") {
  const TemporaryDirectory directory;
  std::string rows;
  for (int i = 0; i < 100000; ++i) rows += "1,2\n";
  LineFile file(directory.file("table.csv", "\xef\xbb\xbf# one\n#two\nx,y\n" + rows + "\n \r\n\n"));
  const std::string head = file.head();
  CHECK(head.starts_with("# one\n#two\nx,y\n1,2\n"));
  CHECK(head.ends_with("\n"));
  CHECK(head.size() < rows.size());
  file.begin_at(file.begin() + 15);
  CHECK(file.part(0, 2) + file.part(1, 2) == rows.substr(0, rows.size() - 1));
  const std::string comments = "#" + std::string(100000, 'c') + "\n";
  CHECK(LineFile(directory.file("c.csv", comments + rows)).head().starts_with(comments + "1,2\n"));
  const LineFile blank(directory.file("blank.txt", std::string(70000, '\n')));
  CHECK(blank.head().empty());
  CHECK(blank.part(0, 1).empty());
}

TEST_CASE("line file: a file that is not there", "[io]") {
  const TemporaryDirectory directory;
  CHECK_THAT(mercer::test::file_error([&] { return LineFile(directory.path("none.csv")); }),
             ContainsSubstring("none.csv: cannot open"));
  CHECK_THAT(mercer::test::file_error([&] { return LineFile(directory.path(".")); }),
             ContainsSubstring("irectory"));
}

}  // namespace line_file_test
