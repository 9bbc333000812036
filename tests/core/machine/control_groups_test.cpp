// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/machine/control_groups.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace control_groups_test {

namespace {

using Visits = std::vector<std::pair<int, std::string>>;  // version, folder

/// The groups that are visited for "memory" in a process with this membership.
Visits visits(const std::string& membership) {
  const mercer::test::TemporaryDirectory directory;
  const std::string root = directory.path("root");
  std::filesystem::create_directories(root + "/proc/self");
  std::ofstream(root + "/proc/self/cgroup") << membership;
  Visits found;
  mercer::detail::for_control_groups("memory", root, [&](int version, const std::string& folder) {
    REQUIRE(folder.starts_with(root));
    found.emplace_back(version, folder.substr(root.size()));
  });
  return found;
}

}  // namespace

TEST_CASE("control groups: a group and all above it", "[core]") {
  CHECK(visits("0::/a/b\n") ==
        Visits{{2, "/sys/fs/cgroup/a/b"}, {2, "/sys/fs/cgroup/a"}, {2, "/sys/fs/cgroup"}});
  CHECK(visits("7:cpu,memory:/a\n") ==
        Visits{{1, "/sys/fs/cgroup/memory/a"}, {1, "/sys/fs/cgroup/memory"}});
}

TEST_CASE("control groups: other controllers and other lines are passed over", "[core]") {
  CHECK(visits("3:cpu:/a\n2:memory_other:/a\n").empty());
  CHECK(visits("").empty());
  CHECK(visits("memory\n:\n\n").empty());
  // A path may contain a colon.
  CHECK(visits("5:cpu:/x\n4:memory:/a:b") ==
        Visits{{1, "/sys/fs/cgroup/memory/a:b"}, {1, "/sys/fs/cgroup/memory"}});
}

TEST_CASE("control groups: small files, and parts of a text", "[core]") {
  const mercer::test::TemporaryDirectory directory;
  CHECK(mercer::detail::small_file(directory.file("some", "12 34\n")) == "12 34\n");
  CHECK(mercer::detail::small_file(directory.path("none")).empty());
  std::string_view text = "a:b";
  CHECK(mercer::detail::take_until(text, ':') == "a");
  CHECK(mercer::detail::take_until(text, ':') == "b");
  CHECK(mercer::detail::take_until(text, ':').empty());
}

}  // namespace control_groups_test
