// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/machine/memory.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include <tests/support/catch.hpp>

namespace memory_test {

using namespace mercer;

TEST_CASE("memory: there is some, and no more than an address space", "[core]") {
  const std::size_t bytes = available_memory();
  CHECK(bytes > 0);
  CHECK(bytes < std::size_t{1} << 60U);
}

TEST_CASE("memory: in words, and in bytes, up to what a std::size_t holds", "[core]") {
  constexpr std::size_t megabyte = std::size_t{1} << 20U;
  constexpr std::size_t most = detail::unlimited_memory;
  CHECK(detail::megabytes(0) == "0 MiB");
  CHECK(detail::megabytes(1) == "1 MiB");
  CHECK(detail::megabytes(3 * megabyte) == "3 MiB");
  CHECK(detail::megabytes(3 * megabyte + 1) == "4 MiB");
  CHECK(detail::megabytes(most) == std::to_string(most / megabyte + 1) + " MiB");
  CHECK(detail::kilobytes_in_bytes(7) == 7168);
  CHECK(detail::kilobytes_in_bytes(most / 1024) == most - 1023);
  CHECK(detail::kilobytes_in_bytes(most / 1024 + 1) == most);
}

TEST_CASE("memory: a budget that is too small is smaller in words, too", "[core]") {
  const auto words = [](std::size_t budget, std::size_t needed) {
    const detail::BudgetInWords found(budget, needed);
    return found.needed + " of " + found.budget;
  };
  constexpr std::size_t kibibyte = 1024, mebibyte = kibibyte * kibibyte;
  CHECK(words(1023, 1024) == "1024 bytes of 1023 bytes");
  CHECK(words(mebibyte / 2, mebibyte / 2 + 1) == "513 KiB of 512 KiB");
  CHECK(words(16 * mebibyte + 5, 16 * mebibyte + 6) == "17 MiB of 16 MiB");
  CHECK(words(0, 3 * mebibyte) == "3145728 bytes of 0 bytes");
}

TEST_CASE("memory: processes of one machine share the default budget", "[core]") {
  CHECK(default_memory_budget() <= most_memory_by_default);
  // Between the calls other programs may take or free some memory, but not half of it.
  for (const std::size_t sharing : {1U, 4U, 1000U, 1000000U}) {
    const auto part = static_cast<double>(default_memory_budget(sharing));
    const double half = static_cast<double>(available_memory()) / 2;
    CHECK(part <= 2 * half / static_cast<double>(sharing));
  }
}

TEST_CASE("memory: the first number of a file, where there is one", "[core]") {
  const auto path = std::filesystem::temp_directory_path() / "mercer_memory_test";
  const auto number_in = [&](const std::string& text) {
    std::ofstream(path) << text;
    return detail::number_in(path.string(), 77);
  };
  CHECK(number_in("123456789012\n") == 123456789012U);
  CHECK(number_in("0\n") == 0);
  CHECK(number_in("max\n") == 77);  // what a control group without a limit says
  CHECK(number_in("") == 77);
  CHECK(number_in("99999999999999999999999999\n") == 77);  // beyond std::size_t
  std::filesystem::remove(path);
  CHECK(detail::number_in(path.string(), 77) == 77);
}

namespace {

/// A folder that stands in for the root of the file system, removed at the end.
class FakeRoot {
 public:
  FakeRoot() {
    for (int number = 0;; ++number) {
      path_ = std::filesystem::temp_directory_path() / ("mercer_memory_" + std::to_string(number));
      if (std::filesystem::create_directory(path_)) return;
    }
  }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;
  ~FakeRoot() { std::filesystem::remove_all(path_); }

  FakeRoot& write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return *this;
  }

  [[nodiscard]] std::size_t available() const {
    return detail::available_in_control_groups(path_.string());
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("memory: control groups of version 2, the process's own and those above", "[core]") {
  FakeRoot root;
  CHECK(root.available() == detail::unlimited_memory);  // no control groups at all
  root.write("proc/self/cgroup", "0::/user.slice/job\n");
  root.write("sys/fs/cgroup/memory.current", "900\n");  // the root has no limit
  CHECK(root.available() == detail::unlimited_memory);
  root.write("sys/fs/cgroup/user.slice/job/memory.max", "max\n");
  CHECK(root.available() == detail::unlimited_memory);
  root.write("sys/fs/cgroup/user.slice/memory.max", "5000\n");
  root.write("sys/fs/cgroup/user.slice/memory.current", "1500\n");
  CHECK(root.available() == 3500);
  root.write("sys/fs/cgroup/user.slice/job/memory.max", "1000\n");
  root.write("sys/fs/cgroup/user.slice/job/memory.current", "400\n");
  CHECK(root.available() == 600);
  root.write("sys/fs/cgroup/user.slice/other/memory.max", "10\n");  // not ours
  CHECK(root.available() == 600);
  // Pages of files that nobody uses are given back.
  root.write("sys/fs/cgroup/user.slice/job/memory.stat", "anon 300\ninactive_file 90\n");
  CHECK(root.available() == 690);
  root.write("sys/fs/cgroup/user.slice/job/memory.current", "2000\n");
  CHECK(root.available() == 0);
}

TEST_CASE("memory: a container that sees its own group as the root", "[core]") {
  FakeRoot own_names, names_of_the_machine;
  own_names.write("proc/self/cgroup", "0::/\n");
  own_names.write("sys/fs/cgroup/memory.max", "700\n");
  own_names.write("sys/fs/cgroup/memory.current", "100\n");
  CHECK(own_names.available() == 600);
  names_of_the_machine.write("proc/self/cgroup", "5:memory:/docker/0123abcd\n");
  names_of_the_machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "700\n");
  names_of_the_machine.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "200\n");
  CHECK(names_of_the_machine.available() == 500);
}

TEST_CASE("memory: control groups of version 1, beside those of version 2", "[core]") {
  FakeRoot root;
  root.write("proc/self/cgroup",
             "12:cpu,cpuacct:/a\n4:hugetlb,memory:/a/b\nnot a line of this file\n0::/a\n");
  // What version 1 says where there is no limit.
  root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(root.available() > std::size_t{1} << 60U);
  root.write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "800\n");
  root.write("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "300\n");
  root.write("sys/fs/cgroup/memory/a/b/memory.stat", "inactive_file 7\ntotal_inactive_file 50\n");
  CHECK(root.available() == 550);
  root.write("sys/fs/cgroup/a/memory.max", "20\n");
  CHECK(root.available() == 20);
}

TEST_CASE("memory: half of the machine's memory, for systems that say no more", "[core]") {
  CHECK(detail::half_of_machine() >= std::size_t{1} << 24U);
  CHECK(detail::half_of_machine() <= detail::unlimited_memory / 2);
}

}  // namespace memory_test
