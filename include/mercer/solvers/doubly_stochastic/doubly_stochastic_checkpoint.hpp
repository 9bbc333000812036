// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The state of a fit by doubly stochastic gradients, from which it can be resumed.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_DOUBLY_STOCHASTIC_CHECKPOINT_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_DOUBLY_STOCHASTIC_CHECKPOINT_HPP

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/fit_setting.hpp>
#include <mercer/core/streams/sample_digest.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_run.hpp>

namespace mercer {

/// All that is needed to continue a fit, except the kernel, the map, the settings and the samples.
/// Of these it has enough to check that they are the same.
/// \tparam State  of the run, in double
template <class State>
struct FitCheckpoint {
  std::vector<FitSetting> fit;  ///< the settings of the fit
  State run;                    ///< exact also for runs in single precision
  StreamPosition position;      ///< of the next batch
  Index passes = 0;             ///< completed passes over the samples
  SampleDigest start;           ///< of the samples that the start was computed from
  SampleDigest read;            ///< of all samples of the first pass so far, with the start's
};
/// A checkpoint of a fit of one view.
using DoublyStochasticCheckpoint = FitCheckpoint<DoublyStochasticState<double>>;

/// A checkpoint does not match the fit that was to resume it: another fit, or other samples.
class CheckpointMismatch : public InvalidArgument {
 public:
  /// A setting that differs; the fit here is the one that was to resume.
  using Difference = SettingDifference;

  CheckpointMismatch(bool samples_differ, std::vector<Difference> differences)
      : InvalidArgument("mercer::DoublyStochastic: the checkpoint is of another fit: " +
                        in_words(samples_differ, differences)),
        samples_differ_(samples_differ),
        differences_(std::move(differences)) {}

  /// True if the samples are not those of the checkpoint. If settings differ that decide which
  /// samples are read, this cannot be checked, and is false.
  [[nodiscard]] bool samples_differ() const { return samples_differ_; }
  /// The settings that differ.
  [[nodiscard]] const std::vector<Difference>& differences() const { return differences_; }

 private:
  [[nodiscard]] static std::string in_words(bool samples_differ,
                                            const std::vector<Difference>& differences) {
    std::string words = samples_differ ? "the samples differ" : "";
    if (samples_differ && !differences.empty()) words += "; ";
    return words + detail::in_words(differences);
  }

  bool samples_differ_;
  std::vector<Difference> differences_;
};

/// The checkpoints that a fit hands out, and the one that it resumes.
/// \code
///   DoublyStochasticCheckpoints checkpoints{
///       .every = 100, .visit = [](const auto& c) { io::write_archive("run.state", c); }};
///   // ... and after the machine went down:
///   checkpoints.resume = std::make_shared<const DoublyStochasticCheckpoint>(
///       io::read_archive<DoublyStochasticCheckpoint>("run.state"));
/// \endcode
/// \tparam Checkpoint  FitCheckpoint
template <class Checkpoint>
struct FitCheckpoints {
  Index every = 0;  ///< steps between checkpoints; a cancelled fit gives one more. 0: none
  std::function<void(const Checkpoint&)> visit = {};  ///< called with each checkpoint
  /// Continues from this checkpoint, with the same result to the last bit as the interrupted fit
  /// would have had. Not set: from the start. Samples read in the first pass are read again, to
  /// check that they are the same.
  std::shared_ptr<const Checkpoint> resume = nullptr;

  /// Throws InvalidArgument for a negative interval, or for one without visit.
  void validate() const {
    detail::require_at_least("DoublyStochastic", "every", every, Index{0});
    if (every > 0 && !visit)
      detail::fail("mercer::DoublyStochastic: checkpoints need a function to visit them");
  }
};
/// The checkpoints of a fit of one view.
using DoublyStochasticCheckpoints = FitCheckpoints<DoublyStochasticCheckpoint>;

}  // namespace mercer

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_DOUBLY_STOCHASTIC_CHECKPOINT_HPP
