// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/progress_bar.hpp>

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>

#include <examples/kpca/interruption.hpp>

namespace kpca {

bool on_a_terminal(std::FILE* file) {
#if defined(_WIN32)
  return _isatty(_fileno(file)) != 0;
#else
  return isatty(fileno(file)) == 1;
#endif
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(seconds));
  std::array<char, 40> text{};
  if (whole >= 3600)
    std::snprintf(text.data(), text.size(), "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60,
                  whole % 60);
  else
    std::snprintf(text.data(), text.size(), "%lld:%02lld", whole / 60, whole % 60);
  return text.data();
}

ProgressBar::ProgressBar() : shown_(on_a_terminal(stderr)) {
  if (!shown_) return;
  thread_ = std::thread([this] {
    constexpr std::chrono::milliseconds between{200};
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, between, [this] { return ended_; })) draw();
  });
}

ProgressBar::~ProgressBar() {
  if (!shown_) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
  std::fputs("\r\033[K", stderr);
}

mercer::Observer ProgressBar::observer() {
  // The phase that an interruption ended, for all copies of the observer.
  const auto ended_in = std::make_shared<std::string>();
  return [this, ended_in](const mercer::Progress& progress) {
    if (shown_) take(progress);
    if (!Interruption::requested()) return true;
    if (ended_in->empty()) *ended_in = progress.phase;
    // What a solver has found by then is finished, so that it can be written.
    const bool finishes = progress.phase == "scores" || progress.phase == "residuals";
    return finishes && progress.phase != *ended_in;
  };
}

void ProgressBar::take(const mercer::Progress& progress) {
  const std::lock_guard lock(mutex_);
  if (phase_ != progress.phase || progress.step < step_) {
    phase_ = progress.phase;
    first_step_ = progress.step;
    begin_of_phase_ = Clock::now();
  }
  step_ = progress.step;
  total_ = progress.total;
  products_ = progress.products;
  rank_ = progress.rank;
}

void ProgressBar::draw() const {
  const auto seconds_since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  std::string line;
  constexpr mercer::Index fewest = 4;  // a bar of fewer steps would stand still
  if (total_ >= fewest) {
    constexpr mercer::Index width = 24;
    const mercer::Index step = (std::min)(step_, total_);
    const auto done = static_cast<std::size_t>(width * step / total_);
    line = "[" + std::string(done, '#') + std::string(width - done, '.') + "] " +
           std::to_string(100 * step / total_) + " % ";
  }
  line += phase_;
  if (total_ == 0 && step_ > 0) line += ", step " + std::to_string(step_);
  if (total_ > 1 && total_ < fewest)
    line +=
        ", step " + std::to_string((std::min)(step_ + 1, total_)) + " of " + std::to_string(total_);
  if (products_ > 0) line += ", product " + std::to_string(products_ + 1);
  if (rank_ > 0) line += ", rank " + std::to_string(rank_);
  line += " | " + clock_text(seconds_since(begin_)) + " spent";
  if (total_ > step_ && step_ > first_step_) {
    const double each = seconds_since(begin_of_phase_) / static_cast<double>(step_ - first_step_);
    line += ", about " + clock_text(each * static_cast<double>(total_ - step_)) + " left";
  }
  if (Interruption::requested()) line += " | stops at the next step; Ctrl-C again: at once";
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

}  // namespace kpca
