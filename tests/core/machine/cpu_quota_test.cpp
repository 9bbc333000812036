// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/machine/cpu_quota.hpp>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <mercer/core/threads.hpp>

#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace cpu_quota_test {

using namespace mercer;
constexpr double none = std::numeric_limits<double>::infinity();

/// The files in which Linux shows control groups, below a root of their own.
class Groups {
 public:
  explicit Groups(const std::string& membership) {
    std::filesystem::create_directory(root());
    with("proc/self/cgroup", membership);
  }

  /// A file with this content.
  Groups& with(const std::string& path, const std::string& content) {
    const std::filesystem::path file = std::filesystem::path(root()) / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << content;
    return *this;
  }

  [[nodiscard]] double quota() const { return detail::cpu_quota(root()); }

 private:
  [[nodiscard]] std::string root() const { return directory_.path("root"); }

  test::TemporaryDirectory directory_;
};

TEST_CASE("cpu quota: version 2 takes the least of a group and those above it", "[core]") {
  const auto quota = [](const std::string& group) {
    return Groups("0::" + group + "\n")
        .with("sys/fs/cgroup/cpu.max", "max 100000\n")
        .with("sys/fs/cgroup/service/cpu.max", "150000 100000\n")
        .with("sys/fs/cgroup/service/job/cpu.max", "400000 100000\n")
        .quota();
  };
  CHECK(quota("/") == none);
  CHECK(quota("/service") == 1.5);
  CHECK(quota("/service/job") == 1.5);
  CHECK(quota("/service/job/") == 1.5);
}

TEST_CASE("cpu quota: a container whose group has another name inside", "[core]") {
  CHECK(Groups("0::/docker/0123abcd\n").with("sys/fs/cgroup/cpu.max", "50000 100000\n").quota() ==
        0.5);
}

TEST_CASE("cpu quota: version 1, alone and beside version 2", "[core]") {
  const auto quota = [](const std::string& membership) {
    return Groups(membership)
        .with("sys/fs/cgroup/cpu/pod/cpu.cfs_quota_us", "250000\n")
        .with("sys/fs/cgroup/cpu/pod/cpu.cfs_period_us", "100000\n")
        .with("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")
        .with("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")
        .quota();
  };
  CHECK(quota("4:memory:/pod\n3:cpu,cpuacct:/pod\n") == 2.5);
  CHECK(quota("3:cpuacct,cpu:/pod\n0::/\n") == 2.5);
  CHECK(quota("3:cpu:/\n") == none);
  CHECK(quota("3:cpuset:/pod\n2:cpuacct:/pod\n") == none);
}

TEST_CASE("cpu quota: what is not understood is no limit", "[core]") {
  const std::string content = GENERATE("", "max", "100000", "0 100000", "100000 0", "-1 100000",
                                       "many 100000", "99999999999999999999 1");
  CHECK(Groups("0::/\n").with("sys/fs/cgroup/cpu.max", content).quota() == none);
  const std::string membership = GENERATE("", "0", "0:", "\n\n", ":::", "0::/no/such/group");
  CHECK(Groups(membership).quota() == none);
}

TEST_CASE("cpu quota: threads keep to it unless somebody asks for more", "[core]") {
  CHECK(detail::quota_threads() >= 1);
  CHECK(core_count() <= detail::quota_threads());
#if defined(_OPENMP)
  const int before = omp_get_max_threads();
  omp_set_num_threads(omp_get_num_procs());
  CHECK(thread_count() == core_count());
  set_thread_count(omp_get_num_procs());
  CHECK(thread_count() == omp_get_num_procs());
  set_thread_count(omp_get_num_procs() + 1);
  CHECK(thread_count() == omp_get_num_procs() + 1);
  omp_set_num_threads(before);
#endif
}

}  // namespace cpu_quota_test
