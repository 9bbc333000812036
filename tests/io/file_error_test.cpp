// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/io/file_error.hpp>

#include <string>

#include <mercer/io/csv.hpp>
#include <mercer/io/labels.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace file_error_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("file error: one line that does not steer a terminal", "[io]") {
  CHECK(test::file_error([] { detail::file_fail("a\nb", "holds \x1b[2J", 3, "\xc2\x9b"); }) ==
        "a\\x0ab: holds \\x1b[2J3\\xc2\\x9b");

  const test::TemporaryDirectory directory;
  const std::string table = directory.file("\x1b[1m.csv", "\x1b[31mname,b\n1,\x1b[2J\n");
  const std::string of_table = test::file_error([&] { return io::read_csv<double>(table); });
  CHECK_THAT(of_table,
             ContainsSubstring("\\x1b[1m.csv: not a number") && ContainsSubstring("'\\x1b[2J'"));
  CHECK(of_table.find('\x1b') == std::string::npos);

  const std::string labels = directory.file("labels.txt", "\x1b[31mred, \x9b,\n");
  const std::string of_labels = test::file_error([&] { return io::read_labels(labels); });
  CHECK_THAT(of_labels, ContainsSubstring("'\\x1b[31mred, \\x9b,'"));
  CHECK(of_labels.find('\x1b') == std::string::npos);
}

}  // namespace file_error_test
