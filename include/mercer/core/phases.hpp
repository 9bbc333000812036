// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Where the time of a fit goes: phases, what they cost, and how code says in which one it is.

#ifndef MERCER_CORE_PHASES_HPP
#define MERCER_CORE_PHASES_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/machine/freed_memory.hpp>

namespace mercer {

/// A kind of work in a fit.
enum class Phase {
  SamplesRead,      ///< rows of a stream
  SamplesPrepared,  ///< samples copied, checked and rounded, their norms, and the plan of a fit
  Landmarks,        ///< points chosen from the samples, with the kernel values that this takes
  Tiles,            ///< kernel values that are held: of the Gram matrix, or with landmarks
  Features,         ///< features of a map
  /// Products with the Gram matrix, also for its row means, or of features. If tiles are not held,
  /// their evaluation is part of it.
  Products,
  Orthogonalisation,  ///< bases made orthonormal, projections onto them, and Ritz vectors
  Eigenproblems,      ///< decompositions of small matrices, and of the whole one by Exact
  Steps,              ///< what an iteration does beside this: updates, searches along a line
  Scores,             ///< scores of the samples, and the components as functions
  Certificate         ///< residuals, and kernel values in double to judge those in single precision
};

[[nodiscard]] constexpr std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::SamplesRead:
      return "samples read";
    case Phase::SamplesPrepared:
      return "samples prepared";
    case Phase::Landmarks:
      return "landmarks";
    case Phase::Tiles:
      return "tiles";
    case Phase::Features:
      return "features";
    case Phase::Products:
      return "products";
    case Phase::Orthogonalisation:
      return "orthogonalisation";
    case Phase::Eigenproblems:
      return "eigenproblems";
    case Phase::Steps:
      return "steps";
    case Phase::Scores:
      return "scores";
    case Phase::Certificate:
      return "certificate";
  }
  return "unknown";
}

/// What a phase of a fit cost.
struct PhaseCost {
  Phase phase = Phase::SamplesRead;  ///< the kind of work
  double seconds = 0;                ///< wall time, without that of phases within it
  /// Wall time outside of parallel loops, part of seconds: what more cores do not shorten. All of
  /// it with one thread. Threads that BLAS or LAPACK start are not seen.
  double serial_seconds = 0;
  std::size_t bytes = 0;  ///< samples, features or kernel values it went over; 0: not counted
};

class PhaseTimer;

namespace detail {

/// The clock of one fit, while it lives, for the thread that made it: PhaseTimer says which phase
/// runs, and parallel loops say how long they took. The time between phases belongs to none. A fit
/// within a fit has a clock of its own; its phases then count for the outer one, too.
///
/// From the first clock on, memory that fits free is kept for their next buffers.
class FitClock {
 public:
  using Time = std::chrono::steady_clock::time_point;

  FitClock() : outer_(std::exchange(current_, this)), begin_(now()), mark_(begin_) {
    keep_freed_memory();
  }
  ~FitClock() {
    current_ = outer_;
    if (outer_ != nullptr) outer_->include(*this);
  }
  FitClock(const FitClock&) = delete;
  FitClock& operator=(const FitClock&) = delete;

  /// Wall time so far.
  [[nodiscard]] double seconds() const { return seconds_between(begin_, now()); }

  /// The phases that have ended so far, in the order of their declaration; only those that ran.
  [[nodiscard]] std::vector<PhaseCost> phases() const {
    std::vector<PhaseCost> out;
    for (std::size_t i = 0; i < no_phase; ++i) {
      const Sum& sum = sums_[i];
      if (!sum.ran) continue;
      const double serial = sum.seconds - sum.parallel;
      out.push_back({.phase = static_cast<Phase>(i),
                     .seconds = sum.seconds,
                     .serial_seconds = serial > 0 ? serial : 0,
                     .bytes = sum.bytes});
    }
    return out;
  }

  /// Sets the times of a report.
  template <class R>
  void report(R& report) const {
    report.phases = phases();
    report.fit_seconds = seconds();
  }

 private:
  friend class ParallelPart;
  friend class mercer::PhaseTimer;

  struct Sum {
    bool ran = false;
    double seconds = 0;
    double parallel = 0;  ///< seconds of parallel loops
    std::size_t bytes = 0;
  };
  static constexpr std::size_t no_phase = static_cast<std::size_t>(Phase::Certificate) + 1;

  [[nodiscard]] static Time now() { return std::chrono::steady_clock::now(); }
  [[nodiscard]] static double seconds_between(Time begin, Time end) {
    return std::chrono::duration<double>(end - begin).count();
  }

  /// Adds the time since the last call to the phase that ran. Returns it; \p next runs from now on.
  std::size_t turn_to(std::size_t next) {
    const Time at = now();
    sums_[phase_].seconds += seconds_between(mark_, at);
    mark_ = at;
    return std::exchange(phase_, next);
  }

  /// Adds the phases of a fit that ran within this one, and has just ended. Its time in no phase is
  /// part of the one that runs here.
  void include(FitClock& inner) {
    inner.turn_to(no_phase);
    sums_[phase_].seconds += seconds_between(mark_, inner.begin_);
    mark_ = inner.mark_;
    for (std::size_t i = 0; i <= no_phase; ++i) {
      Sum& sum = sums_[i == no_phase ? phase_ : i];
      const Sum& more = inner.sums_[i];
      sum.ran = sum.ran || more.ran;
      sum.seconds += more.seconds;
      sum.parallel += more.parallel;
      sum.bytes += more.bytes;
    }
  }

  static inline thread_local FitClock* current_ = nullptr;

  FitClock* outer_;
  Time begin_, mark_;
  std::size_t phase_ = no_phase;
  std::array<Sum, no_phase + 1> sums_{};
};

/// A parallel loop of the calling thread. Its tasks are no phases of their own: those on this
/// thread would stand for those on all.
class ParallelPart {
 public:
  /// \param parallel  more than one thread will run
  explicit ParallelPart(bool parallel)
      : clock_(std::exchange(FitClock::current_, nullptr)),
        timed_(clock_ != nullptr && parallel),
        begin_(timed_ ? FitClock::now() : FitClock::Time()) {}
  ~ParallelPart() {
    FitClock::current_ = clock_;
    if (timed_)
      clock_->sums_[clock_->phase_].parallel += FitClock::seconds_between(begin_, FitClock::now());
  }
  ParallelPart(const ParallelPart&) = delete;
  ParallelPart& operator=(const ParallelPart&) = delete;

 private:
  FitClock* clock_;
  bool timed_;
  FitClock::Time begin_;
};

}  // namespace detail

/// Says that the calling thread works on a phase of the fit that it makes, until the timer ends.
/// Within another timer, the time counts for the inner phase alone. Does nothing outside of a fit,
/// and in the tasks of a parallel loop. For solvers and operators of the user's, too.
/// \code
///   void apply(const Points<double>& v, GramOut<double> out) const {
///     const PhaseTimer timer(Phase::Products, bytes_of_matrix);
///     ...
/// \endcode
/// Cost: two readings of the clock. Time passes over data, not what is done to their tiles.
class PhaseTimer {
 public:
  /// \param bytes  samples, features or kernel values that this part of the phase goes over
  explicit PhaseTimer(Phase phase, std::size_t bytes = 0)
      : clock_(detail::FitClock::current_), phase_(phase) {
    if (clock_ == nullptr) return;
    const auto index = static_cast<std::size_t>(phase);
    before_ = clock_->turn_to(index);
    clock_->sums_[index].ran = true;
    count(bytes);
  }
  ~PhaseTimer() {
    if (clock_ != nullptr) clock_->turn_to(before_);
  }
  /// Adds to the bytes.
  void count(std::size_t bytes) {
    if (clock_ != nullptr) clock_->sums_[static_cast<std::size_t>(phase_)].bytes += bytes;
  }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  detail::FitClock* clock_;
  Phase phase_;
  std::size_t before_ = 0;
};

}  // namespace mercer

#endif  // MERCER_CORE_PHASES_HPP
