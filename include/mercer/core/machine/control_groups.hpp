// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The control groups of this process, by which Linux limits containers and services.

#ifndef MERCER_CORE_MACHINE_CONTROL_GROUPS_HPP
#define MERCER_CORE_MACHINE_CONTROL_GROUPS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace mercer::detail {

/// The first 64 KiB of a file; empty if it cannot be read.
[[nodiscard]] inline std::string small_file(const std::string& path) {
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) return {};
  std::string text(std::size_t{1} << 16U, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

/// Takes what stands before the first \p end off the front of \p text, or all of it.
[[nodiscard]] inline std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = (std::min)(text.find(end), text.size());
  const std::string_view front = text.substr(0, at);
  text.remove_prefix((std::min)(at + 1, text.size()));
  return front;
}

/// Calls visit(version, folder) for the control groups of this process that have a controller
/// ("memory", "cpu"), and for all groups above them. The version of control groups is 1 or 2. Not
/// all folders need to be there: a container often has its group under another name, as the root.
/// \param root  in front of all paths, for tests
/// Source: Linux, Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst; cgroups(7).
template <class Visit>
void for_control_groups(std::string_view controller, const std::string& root, Visit&& visit) {
  const std::string membership = small_file(root + "/proc/self/cgroup");
  // A line is hierarchy:controllers:path; version 2 has no controllers here.
  for (std::string_view lines = membership; !lines.empty();) {
    std::string_view path = take_until(lines, '\n');
    if (std::count(path.begin(), path.end(), ':') < 2) continue;
    (void)take_until(path, ':');
    std::string_view controllers = take_until(path, ':');
    const int version = controllers.empty() ? 2 : 1;
    bool has_it = version == 2;
    while (!controllers.empty()) has_it |= take_until(controllers, ',') == controller;
    if (!has_it) continue;
    std::string mount = root + "/sys/fs/cgroup";
    if (version == 1) mount.append("/").append(controller);
    for (;;) {
      visit(version, mount + std::string(path));
      const std::size_t slash = path.rfind('/');
      if (slash == std::string_view::npos) break;
      path = path.substr(0, slash);
    }
  }
}

}  // namespace mercer::detail

#endif  // MERCER_CORE_MACHINE_CONTROL_GROUPS_HPP
