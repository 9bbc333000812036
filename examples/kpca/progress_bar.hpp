// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A bar on the terminal while a fit runs.

#ifndef MERCER_EXAMPLES_KPCA_PROGRESS_BAR_HPP
#define MERCER_EXAMPLES_KPCA_PROGRESS_BAR_HPP

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>

#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>

namespace kpca {

[[nodiscard]] inline bool on_a_terminal(std::FILE* file) {
#if defined(_WIN32)
  return _isatty(_fileno(file)) != 0;
#else
  return isatty(fileno(file)) == 1;
#endif
}

/// A bar on standard error while a fit runs, if that is a terminal; gone when it goes out of scope.
class ProgressBar {
 public:
  ProgressBar() : shown_(on_a_terminal(stderr)) {}
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }

  [[nodiscard]] mercer::Observer observer() const {
    if (!shown_) return {};
    return [](const mercer::Progress& progress) {
      const auto phase_width = static_cast<int>(progress.phase.size());
      if (progress.total > 0) {
        constexpr mercer::Index width = 30;
        const mercer::Index step = (std::min)(progress.step, progress.total);
        const auto done = static_cast<std::size_t>(width * step / progress.total);
        const std::string bar = std::string(done, '#') + std::string(width - done, '.');
        std::fprintf(stderr, "\r\033[K[%s] %.*s", bar.c_str(), phase_width, progress.phase.data());
        if (progress.rank > 0)
          std::fprintf(stderr, ", rank %lld", static_cast<long long>(progress.rank));
      } else {  // nobody knows how many steps there will be
        std::fprintf(stderr, "\r\033[K%.*s %lld", phase_width, progress.phase.data(),
                     static_cast<long long>(progress.step));
      }
      std::fflush(stderr);
      return true;
    };
  }

 private:
  bool shown_;
};

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_PROGRESS_BAR_HPP
