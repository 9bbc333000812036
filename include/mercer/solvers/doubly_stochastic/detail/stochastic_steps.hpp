// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The steps of a fit over a stream, of samples or of pairs: how many, with which settings, from
/// which checkpoint, and the rows of the evaluation after them.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_STOCHASTIC_STEPS_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_STOCHASTIC_STEPS_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/fit_setting.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/streams/sample_digest.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_sum.hpp>
#include <mercer/solvers/doubly_stochastic/detail/batch_reader.hpp>
#include <mercer/solvers/doubly_stochastic/detail/doubly_stochastic_start.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_checkpoint.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer::detail {

/// Why a run whose steps diverged gives no components.
inline constexpr const char* overflow_reason = "the squares of the functions' values overflow";

/// Lifetime: refers to all that it is made of.
template <Real S>
class StochasticSteps {
 public:
  StochasticSteps(BatchReader<S>& reader, const DoublyStochasticParams& params,
                  const Observer& observer)
      : reader_(reader), params_(params), observer_(observer) {}

  [[nodiscard]] Index batch_rows() const { return (std::min)(params_.data_batch, reader_.rows()); }

  /// The number of steps to do; 0: until the passes are over, and at least least_steps().
  [[nodiscard]] Index wanted() const {
    if (params_.steps > 0 || reader_.rows() == endless) return params_.steps;
    const Index passes = (params_.epochs * reader_.rows() + batch_rows() - 1) / batch_rows();
    return (std::max)(passes, least_steps());
  }

  /// The least number of steps where the caller gives none.
  [[nodiscard]] Index least_steps() const { return 16 * params_.blocks; }

  /// Says which fit this is, once its first rows have been read.
  /// \param problem  kernels, maps, and what is wanted
  /// \param columns  features of a block, in words
  void identify(const std::vector<FitSetting>& problem, std::string columns) {
    columns_ = std::move(columns);
    fit_ = settings(problem);
    start_ = reader_.digest();
  }

  /// Moves the reader to where a checkpoint of this fit was taken. Returns false if cancelled.
  /// Throws InvalidArgument for a run of other blocks, and CheckpointMismatch for one of another
  ///   fit or of other samples.
  template <class State>
  [[nodiscard]] bool resume(const FitCheckpoint<State>& from) const {
    require_same_fit(from);
    if (from.run.schedule.blocks != params_.blocks)
      fail("mercer::DoublyStochastic: the checkpoint has ", from.run.schedule.blocks,
           " blocks, this fit has ", params_.blocks);
    if (!read_again(from.read)) return false;
    reader_.resume(from.position, from.passes);
    return true;
  }

  /// A checkpoint of the run at this place of the stream.
  template <class State>
  [[nodiscard]] FitCheckpoint<State> checkpoint(State run) const {
    return {.fit = fit_,
            .run = std::move(run),
            .position = reader_.position(),
            .passes = reader_.passes(),
            .start = start_,
            .read = reader_.digest()};
  }

  /// Calls step(batch) until all steps of the run are done or step() returns false. Returns whether
  /// they are; the report says why not.
  /// \param batch     room for the samples of a batch, or for their numbers
  /// \param every     steps between calls of hand_out(); 0: none
  template <class Run, class Batch, class Step, class HandOut>
  [[nodiscard]] bool iterate(const Run& run, Batch batch, const Step& step, Index every,
                             const HandOut& hand_out, Report& report) const {
    const Index wanted = this->wanted(), rows = batch_rows();
    const auto goes_on = [&] {
      if (wanted > 0) return run.steps() < wanted;
      return reader_.passes() < params_.epochs || run.steps() < least_steps();
    };
    while (goes_on()) {
      if (!go_on(observer_, {"doubly stochastic steps", run.steps(), wanted})) {
        report.status = Status::Cancelled;
        if (every > 0) hand_out();
        return true;
      }
      if (!reader_.fill(rows, batch)) {
        // The last batch of a stream of unknown length may be too short.
        const bool passed = wanted == 0 && reader_.passes() + 1 >= params_.epochs;
        if (passed && run.steps() >= least_steps()) return true;
        std::string reason = "the stream ended after " + to_text(run.steps()) + " steps";
        if (passed)
          reason += ", and " + to_text(params_.blocks) +
                    (params_.blocks == 1 ? " block needs " : " blocks need ") +
                    to_text(least_steps());
        add_reason(reason, report);
        return false;
      }
      if (!step(batch)) {
        add_reason("the steps diverged after " + to_text(run.steps()), report);
        return false;
      }
      if (every > 0 && run.steps() % every == 0) hand_out();
    }
    return true;
  }

  /// Calls take(panel, numbers) for the rows of the evaluation: of another pass if possible, else
  /// the rows that the fit started from. The numbers are there for rows of another pass alone, if
  /// \p numbered.
  template <class Take>
  void evaluate(const Matrix<S>& first, bool numbered, const Take& take, Report& report) const {
    const bool again = report.status != Status::Cancelled && reader_.rewind();
    Matrix<S> panel;
    std::vector<Index> numbers;
    for (Index done = 0;; done += panel.rows()) {
      const Index most = (std::min)(FeatureSum<S>::panel_rows, params_.evaluation_rows - done);
      if (again && numbered) numbers = reader_.next_numbers(most);
      if (again)
        reader_.read(most, panel);
      else
        panel = first.middleRows(done, (std::min)(most, first.rows() - done));
      if (panel.rows() == 0) return;
      if (done > 0 && !go_on(observer_, {"evaluation", done, 0})) {
        report.status = Status::Cancelled;
        return;
      }
      take(panel, numbers);
    }
  }

  /// What the report says of a run.
  /// \param blocks  of all views together
  template <class Run>
  void describe(const Run& run, Index blocks, Report& report) const {
    report.solver = SolverId::DoublyStochastic;
    report.solver_form = std::string(to_string(params_.rule)) + ", " + to_text(run.blocks()) +
                         " blocks of " + columns_;
    report.precision = precision_of<S>;
    report.storage = run.kept_blocks() == blocks ? "features kept" : "features redrawn";
    report.samples = reader_.samples();
    report.iterations = run.steps();
    report.bytes = run.bytes();
    add_reason("steps " + to_text(run.schedule().step) + " / (1 + " +
                   to_text(run.schedule().decay) + " t)",
               report);
    tell_changes(run.steps(), report);
  }

 private:
  static constexpr std::size_t settings_of_start = 6;

  /// Says where batches and passes were not those of the settings.
  void tell_changes(Index steps, Report& report) const {
    if (batch_rows() < params_.data_batch)
      add_reason("batches of all " + to_text(batch_rows()) + " samples", report);
    if (params_.steps > 0 || reader_.rows() == endless || batch_rows() == 0) return;
    const Index passes = (steps * batch_rows() + reader_.rows() - 1) / reader_.rows();
    if (passes > params_.epochs)
      add_reason(to_text(passes) + " passes in place of " + to_text(params_.epochs) + ", for " +
                     to_text(least_steps()) + " steps at least",
                 report);
  }

  /// All settings that the steps depend on. The first ones, as many as settings_of_start, decide
  /// which samples the fit starts from.
  [[nodiscard]] std::vector<FitSetting> settings(const std::vector<FitSetting>& problem) const {
    const auto or_found = [](const std::optional<double>& value) {
      return value ? to_text(*value) : "found from the first samples";
    };
    std::vector<FitSetting> all = {
        {"samples", reader_.rows() == endless ? "without end" : to_text(reader_.rows())},
        {"dimension", to_text(reader_.dimension())},
        {"precision", std::string(to_string(precision_of<S>))},
        {"order", params_.shuffle ? "shuffled" : "as they come"},
        {"seed", to_text(params_.seed)},
        {"start_rows", to_text(params_.start_rows)},
    };
    all.insert(all.end(), problem.begin(), problem.end());
    const std::vector<FitSetting> schedule = {
        {"rule", std::string(to_string(params_.rule))},
        {"blocks", to_text(params_.blocks)},
        {"features of a block", columns_},
        {"data_batch", to_text(batch_rows())},
        {"epochs", to_text(params_.epochs)},
        {"steps", params_.steps > 0 ? to_text(params_.steps) : "as the epochs take"},
        {"step", or_found(params_.step)},
        {"decay", or_found(params_.decay)},
    };
    all.insert(all.end(), schedule.begin(), schedule.end());
    return all;
  }

  /// Throws CheckpointMismatch unless all settings and the first samples are the same.
  template <class State>
  void require_same_fit(const FitCheckpoint<State>& from) const {
    const std::vector<FitSetting>& there = from.fit;
    std::vector<SettingDifference> differences = setting_differences(there, fit_);
    const bool same_start =
        there.size() >= settings_of_start &&
        std::equal(fit_.begin(), fit_.begin() + settings_of_start, there.begin());
    const bool samples_differ = same_start && from.start != start_;
    if (samples_differ || !differences.empty())
      throw CheckpointMismatch(samples_differ, std::move(differences));
  }

  /// Reads the samples again that the checkpoint's fit had read in its first pass. Returns false if
  /// cancelled.
  /// Throws CheckpointMismatch if the samples are not the same.
  [[nodiscard]] bool read_again(const SampleDigest& read) const {
    const Index wanted = read.rows;
    Matrix<S> batch;
    while (reader_.digest().rows < wanted) {
      const Index done = reader_.digest().rows;
      if (!go_on(observer_, {"samples read before", done, wanted})) return false;
      reader_.read((std::min)(FeatureSum<S>::panel_rows, wanted - done), batch);
      if (batch.rows() == 0) break;
    }
    if (reader_.digest() != read) throw CheckpointMismatch(true, {});
    return true;
  }

  BatchReader<S>& reader_;
  const DoublyStochasticParams& params_;
  const Observer& observer_;
  std::string columns_;          // features of a block, in words
  std::vector<FitSetting> fit_;  // the settings of this fit
  SampleDigest start_;           // of the rows that the fit started from
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_STOCHASTIC_STEPS_HPP
