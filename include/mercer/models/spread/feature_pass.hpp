// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// One pass over the features of rows that are in several processes, for their moments.

#ifndef MERCER_MODELS_SPREAD_FEATURE_PASS_HPP
#define MERCER_MODELS_SPREAD_FEATURE_PASS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/moment_sum.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/rows/order_free_sum.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/rows/row_checksum.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/scatter_sum.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/streams/sample_digest.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/operators/recorded.hpp>

namespace mercer::detail {

/// Features [Z_1(x) ... Z_B(x)] of rows, a tile of rows at a time.
/// Lifetime: refers to the map.
template <Real S>
class TiledFeatures {
 public:
  TiledFeatures(FeatureBlocks<S>& map, Index blocks) : map_(map), blocks_(blocks) {
    map.prepare(static_cast<Index>(thread_count()), blocks);
  }

  [[nodiscard]] Index columns() const { return map_.columns() * blocks_; }

  /// The features of \p size rows of \p samples from \p first on, less \p shift.
  template <OwnedSamples X>
  void evaluate(const X& samples, Index first, Index size, const Vector<S>& shift,
                GramOut<S> out) const {
    const PhaseTimer timer(Phase::Features, static_cast<std::size_t>(out.size()) * sizeof(S));
    const Index tiles = tile_count(size),
                workers = (std::min)(static_cast<Index>(thread_count()), tiles);
    parallel_for(workers, [&](Index worker) {
      for (Index t = worker; t < tiles; t += workers) {
        const Range tile = Range::tile(t, size);
        const Matrix<S> x(samples.middleRows(first + tile.begin, tile.size));
        GramOut<S> rows = out.middleRows(tile.begin, tile.size);
        for (Index b = 0; b < blocks_; ++b)
          map_.evaluate(static_cast<std::uint64_t>(b), worker, x,
                        rows.middleCols(b * map_.columns(), map_.columns()));
        rows.rowwise() -= shift.transpose();
      }
    });
  }

 private:
  FeatureBlocks<S>& map_;
  Index blocks_;
};

/// How far a pass has come.
struct PassState {
  Index slices = 1;            ///< of the pass
  Index done = 0;              ///< slices whose rows are summed
  int bound = 0;               ///< the exponent of a bound of the features; see ScatterSum
  Index count = 0;             ///< rows that are summed
  std::uint64_t checksum = 0;  ///< of these rows; see checksum_of_rows()

  static constexpr Index numbers = 6;

  [[nodiscard]] Eigen::RowVectorXd to_row() const {
    Eigen::RowVectorXd row(numbers);
    row << static_cast<double>(slices), static_cast<double>(done), bound,
        static_cast<double>(count), halves_of(checksum).transpose();
    return row;
  }
  [[nodiscard]] static PassState of_row(const Eigen::RowVectorXd& row) {
    return {.slices = static_cast<Index>(row(0)),
            .done = static_cast<Index>(row(1)),
            .bound = static_cast<int>(row(2)),
            .count = static_cast<Index>(row(3)),
            .checksum = whole_of(row.tail(2).transpose())};
  }
};

/// The sums over the features of all rows, in one pass over the samples; seldom in two.
///
/// Sums are about the mean of the features of a few rows, which are the same for any number of
/// processes. Features have no bound that is known before, so order-free sums begin with one far
/// above the features of these rows; if that is exceeded, they are summed again.
///
/// If there is a record, the pass is made in slices, and the sums are kept there after each of
/// them. Slice s of S has every S-th group of rows, from number s on. So the rows of a slice do not
/// depend on the number of processes, and all processes have some.
/// \tparam Source  HeldRows or StreamedRows
/// Lifetime: refers to source, features, weights and record.
template <class Source>
class FeaturePass {
 public:
  using S = typename Source::Scalar;

  /// \param most  rows in memory at one time
  /// \param weights  of the rows, in all of these sums
  FeaturePass(Source& source, const TiledFeatures<S>& features, Index most, bool centered,
              const RowWeights& weights)
      : source_(source),
        features_(features),
        rows_(source.rows()),
        group_(tile_count(most) * tile_size),
        centered_(centered),
        weights_(weights),
        summed_(Matrix<double>::Zero(rows_.local(), 1)) {}

  /// Keeps the sums there, and goes on from those of the same features.
  /// \param kernel  in words
  void record_in(FitRecord& record, std::string kernel) {
    record_ = &record;
    kernel_ = std::move(kernel);
  }

  /// The sums. Stops early if the observer of any process says so; they are then over the rows so
  /// far. Call once. Collective.
  [[nodiscard]] MomentSum<S> run(const Observer& observer) {
    const auto few = source_.rows_at(spaced_numbers(rows_.total()));
    Matrix<S> first(few.rows(), features_.columns());
    shift_ = Vector<S>::Zero(first.cols());
    features_.evaluate(few, 0, few.rows(), shift_, first);
    if (centered_) shift_ = first.colwise().mean().transpose();
    rows_.agree(shift_);
    first.rowwise() -= shift_.transpose();
    double largest = Exponent::of(static_cast<double>(first.cwiseAbs().maxCoeff()));
    rows_.agree(largest);
    constexpr int reserve = 16;  // rows may have features 2^16 times as large as the few have
    state_.bound = static_cast<int>(largest) + reserve;
    std::optional<Matrix<double>> kept;
    if (record_) kept = resume(few, first);
    while (true) {
      rows_.together([&] {
        if (rows_.order_free() &&
            2 * state_.bound + exponent_of_count(rows_.total()) > ScaledInteger::largest)
          fail("mercer::FeaturePca: features are not finite, or too large for their squares");
      });
      ScatterSum<S> sums(rows_, features_.columns(), state_.bound);
      if (kept && is_first()) sums.add_state(*kept);
      kept.reset();
      if (add_slices(sums, observer)) return moments(sums);
      const PassState anew{.slices = state_.slices, .bound = sums.least_bound()};
      state_ = anew;
      before_ = done_here_ = 0;
      checksum_ = 0;
      summed_.setZero();
    }
  }

  /// Whether the observer of any process has stopped the pass.
  [[nodiscard]] bool stopped() const { return stopped_; }

  /// What was there before the pass, for reports.
  [[nodiscard]] const std::string& resumed_in_words() const { return resumed_; }

 private:
  [[nodiscard]] bool is_first() const {
    return !rows_.is_spread() || rows_.processes().rank() == 0;
  }

  /// Calls work(begin, size) for the groups of rows of this process in a slice, counted from its
  /// first row.
  template <class Work>
  void for_groups(Index slice, const Work& work) const {
    const Index groups = (rows_.total() + group_ - 1) / group_;
    const Index end = rows_.first() + rows_.local();
    for (Index g = slice; g < groups; g += state_.slices) {
      const Index from = (std::max)(g * group_, rows_.first()),
                  to = (std::min)((g + 1) * group_, end);
      if (from < to) work(from - rows_.first(), to - from);
    }
  }

  /// Adds the slices that are left. Returns false if features exceed the bound. Collective.
  [[nodiscard]] bool add_slices(ScatterSum<S>& sums, const Observer& observer) {
    stopped_ = false;
    while (state_.done < state_.slices && !stopped_) {
      bool here = false;
      rows_.together([&] { here = !add_slice(sums, observer); });
      stopped_ = rows_.any(here);
      if (!rows_.all(sums.within())) return false;
      count_rows(sums);
      if (stopped_) break;
      ++state_.done;
      if (record_) keep(sums);
    }
    return true;
  }

  /// Returns false if the observer stopped it.
  [[nodiscard]] bool add_slice(ScatterSum<S>& sums, const Observer& observer) {
    bool goes_on = true;
    for_groups(state_.done, [&](Index begin, Index size) {
      goes_on = goes_on && go_on(observer, {"features", done_here_, rows_.local()});
      if (!goes_on) return;
      values_.resize(size, features_.columns());
      source_.visit(begin, size, [&](const auto& samples, Index at) {
        features_.evaluate(samples, at, size, shift_, values_);
        note(samples, at, begin, size);
      });
      if (weights_.any)
        sums.add(values_, weights_.values.segment(begin, size).template cast<S>());
      else
        sums.add(values_);
    });
    return goes_on;
  }

  /// Notes that rows are summed: their weights and, for the record, their checksums.
  template <class X>
  void note(const X& samples, Index at, Index begin, Index size) {
    done_here_ += size;
    if (weights_.any) summed_.middleRows(begin, size) = weights_.values.middleRows(begin, size);
    if (!record_) return;
    for (Index i = 0; i < size; ++i)
      checksum_ += checksum_of_row(samples, at + i, rows_.first() + begin + i);
  }

  /// Collective.
  void count_rows(const ScatterSum<S>& sums) {
    double count = static_cast<double>(sums.count());
    if (rows_.is_spread()) rows_.processes().sum({&count, 1});
    state_.count = before_ + static_cast<Index>(count);
  }

  /// The settings of the record, and the state that it has of a pass over these features; nothing
  /// if it has none. Then reads the rows that are summed. Collective.
  /// \param few  some of the samples
  /// \param first  their features
  template <class X>
  [[nodiscard]] std::optional<Matrix<double>> resume(const X& few, const Matrix<S>& first) {
    constexpr Index most_slices = 32;
    const Index groups = (rows_.total() + group_ - 1) / group_;
    auto slices = static_cast<double>(
        (std::min)(most_slices, (std::max)(Index{1}, groups / record_->every())));
    rows_.agree(slices);
    state_.slices = static_cast<Index>(slices);
    const std::uint64_t some = checksum_of_rows(RowSpace::whole(few.rows()), few);
    record_->begin(rows_, {{"kernel", kernel_},
                           {"precision", std::string(to_string(precision_of<S>))},
                           {"number of samples", to_text(rows_.total())},
                           {"dimension", to_text(source_.cols())},
                           {"checksum of some samples", to_text(some)}});
    key_ = key_of(first);
    const RowSpace space = rows_.of_size(features_.columns());
    const std::optional<Matrix<double>> found = record_->find(key_, space);
    if (!found) {
      resumed_ = "no sums were there already";
      return std::nullopt;
    }
    const Matrix<double> all = space.everywhere(*found);
    const Index columns = all.cols() - PassState::numbers;
    if (columns != ScatterSum<S>::state_columns(rows_, features_.columns()))
      fail("mercer::FeaturePca: the sums that were kept have ", columns, " columns");
    state_ = PassState::of_row(all.row(0).tail(PassState::numbers));
    resumed_ = "the sums of " + to_text(state_.count) + " rows were there already";
    rows_.together([&] {
      for (Index slice = 0; slice < state_.done; ++slice)
        for_groups(slice, [&](Index begin, Index size) {
          source_.visit(begin, size,
                        [&](const auto& samples, Index at) { note(samples, at, begin, size); });
        });
    });
    if (sum_of_checksums(rows_, checksum_) != state_.checksum)
      fail("mercer::FeaturePca: the samples are not those whose sums were kept; keep the state in ",
           "another place to start anew");
    before_ = state_.count;
    return Matrix<double>(all.leftCols(columns));
  }

  /// Under which key sums of these features are kept. Collective.
  [[nodiscard]] RecordKey key_of(const Matrix<S>& first) const {
    SampleDigest digest;
    for (const Index number : {features_.columns(), group_, Index{centered_},
                               Index{rows_.order_free()}, Index{weights_.any}})
      digest.add(static_cast<double>(number));
    for (const S value : shift_) digest.add(static_cast<double>(value));
    std::uint64_t key = digest.checksum + checksum_of_rows(RowSpace::whole(first.rows()), first);
    if (weights_.any) key += 3 * checksum_of_rows(rows_, Matrix<double>(weights_.values));
    return {.precision = precision_of<S>, .block = agreed_checksum(rows_, key)};
  }

  /// Collective.
  void keep(const ScatterSum<S>& sums) {
    state_.checksum = sum_of_checksums(rows_, checksum_);
    const Matrix<double> kept = sums.state();
    const RowSpace space = rows_.of_size(kept.rows());
    Matrix<double> block(space.local(), kept.cols() + PassState::numbers);
    block.leftCols(kept.cols()) = space.own_of(kept);
    block.rightCols(PassState::numbers) = state_.to_row().replicate(space.local(), 1);
    record_->replace(key_, space, block);
  }

  /// The moments of the sums of all processes. Collective.
  [[nodiscard]] MomentSum<S> moments(ScatterSum<S>& sums) const {
    sums.reduce();
    const auto count = static_cast<double>(state_.count);
    const double weight = weights_.any ? block_sums<double>(rows_, summed_)(0) : count;
    const Index m = features_.columns();
    if (!(weight > 0))  // stopped before the first rows that have weight
      return MomentSum<S>(centered_, 0, Vector<double>::Zero(m), Matrix<double>::Zero(m, m));
    const Vector<double> step = sums.sum() / weight;
    Matrix<double> scatter = std::move(sums.scatter());
    if (centered_) scatter -= weight * step * step.transpose();
    // As of rows whose weights have the mean 1: not so if the run was stopped.
    scatter *= count / weight;
    return MomentSum<S>(centered_, state_.count, shift_.template cast<double>() + step,
                        std::move(scatter));
  }

  Source& source_;
  const TiledFeatures<S>& features_;
  RowSpace rows_;
  Index group_;
  bool centered_;
  const RowWeights& weights_;
  FitRecord* record_ = nullptr;
  RecordKey key_;
  std::string kernel_, resumed_;
  Vector<S> shift_;
  Matrix<S> values_;
  Matrix<double> summed_;  // the weights of the rows of this process that are summed
  PassState state_;
  Index before_ = 0;            // rows of the sums that were kept
  Index done_here_ = 0;         // rows of this process
  std::uint64_t checksum_ = 0;  // of the rows of this process that are summed
  bool stopped_ = false;
};

}  // namespace mercer::detail

#endif  // MERCER_MODELS_SPREAD_FEATURE_PASS_HPP
