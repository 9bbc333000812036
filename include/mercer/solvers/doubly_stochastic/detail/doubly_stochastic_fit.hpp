// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// One fit by doubly stochastic gradients: the start, the steps, and the components.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_DOUBLY_STOCHASTIC_FIT_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_DOUBLY_STOCHASTIC_FIT_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/moment_sum.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/streams/sample_digest.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/solvers/doubly_stochastic/detail/batch_reader.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_checkpoint.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_run.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/feature_solver.hpp>

namespace mercer {

struct DoublyStochasticParams {
  StochasticRule rule = StochasticRule::Oja;
  Index blocks = 64;       ///< number of blocks of features
  Index data_batch = 512;  ///< samples of a step
  Index epochs = 1;        ///< passes over the samples; few samples need more, see steps
  /// 0: as many steps as the epochs take, but at least 16 for each block.
  Index steps = 0;
  /// eta_t = step / (1 + decay t). The defaults use the eigenvalues ell of the start:
  /// step = 1 / ell_1, and decay = step gap / 2 but at least 16 / steps. Here gap is the smallest
  /// gap between eigenvalues that the rule must separate.
  std::optional<double> step = {};
  std::optional<double> decay = {};
  Index start_rows = 512;         ///< samples used for the start and for the default step
  Index evaluation_rows = 32768;  ///< samples used for eigenvalues and means at the end
  bool shuffle = true;            ///< a new order in each pass, if the stream can seek
  std::uint64_t seed = 1;

  /// Throws InvalidArgument for values out of range.
  void validate() const {
    constexpr const char* who = "DoublyStochastic";
    detail::require_at_least(who, "blocks", blocks, Index{1});
    detail::require_at_least(who, "data_batch", data_batch, Index{2});
    detail::require_at_least(who, "epochs", epochs, Index{1});
    detail::require_at_least(who, "steps", steps, Index{0});
    detail::require_at_least(who, "start_rows", start_rows, Index{2});
    detail::require_at_least(who, "evaluation_rows", evaluation_rows, Index{2});
    if (step) detail::require_positive(who, "step", *step);
    if (decay && !(*decay >= 0 && std::isfinite(*decay)))
      detail::fail("mercer::DoublyStochastic: decay must be finite and not negative, got ", *decay);
  }
};

/// The start of a run.
template <Real S>
struct DoublyStochasticStart {
  Matrix<S> coefficients;      ///< of block 0: k orthonormal functions of its features
  Vector<double> eigenvalues;  ///< ell: of the covariance of block 0's features, descending
  double diagonal = 0;         ///< mean of k(x, x)
};

namespace detail {

/// The start, from Z = Z_0(X); see doubly_stochastic_start.
template <Real S>
[[nodiscard]] DoublyStochasticStart<S> start_from_features(Matrix<S> z, Index k, bool centered,
                                                           std::uint64_t seed) {
  DoublyStochasticStart<S> start;
  const auto n = static_cast<double>(z.rows());
  start.diagonal = static_cast<double>(column_products(z, z).sum()) / n;
  if (centered) centre_columns(z);
  const Matrix<double> features = z.template cast<double>();
  // Both products have the same nonzero eigenvalues; take the smaller matrix.
  const bool tall = features.rows() >= features.cols();
  const Matrix<double> wide = tall ? Matrix<double>(features.transpose()) : features;
  const Matrix<double> squares = inner(wide.transpose(), wide.transpose()) / n;
  require_finite_squares("DoublyStochastic", squares);
  const EigenSystem<double> eigen = symmetric_eigensystem<double>(squares);
  require_finite_squares("DoublyStochastic", eigen.values);
  start.eigenvalues = eigen.values.cwiseMax(0.0);
  const double noise = double{rounding_level<S>(z.cols())} * start.diagonal;
  const Index rank = (std::min)(k, Index{(start.eigenvalues.array() > noise).count()});
  Matrix<double> basis = eigen.vectors.leftCols(rank);
  if (!tall) basis = orthonormalize(multiply(features.transpose(), basis)).Q;
  const Matrix<double> rest =
      normal_matrix<double>(z.cols(), k - rank, seed, "doubly stochastic start");
  start.coefficients.resize(z.cols(), k);
  start.coefficients.leftCols(rank) = basis.template cast<S>();
  start.coefficients.rightCols(k - rank) = orthogonalize_against(basis, rest).Q.template cast<S>();
  return start;
}

}  // namespace detail

/// The k leading principal components of the features of block 0 at some samples. If these samples
/// vary in fewer than k directions, random directions fill up the rest, because other samples may
/// vary in them.
/// Cost: O(m^2 (n + m)) for m = min(n, columns).
/// Random: seed, purpose "doubly stochastic start".
/// Throws InvalidArgument for fewer features than components.
template <BoundFeatureMap B>
[[nodiscard]] DoublyStochasticStart<typename B::Scalar> doubly_stochastic_start(
    const B& map, const Matrix<typename B::Scalar>& samples, Index k, bool centered,
    std::uint64_t seed) {
  using S = typename B::Scalar;
  detail::require_enough_features("DoublyStochastic, in a block", k, map.columns());
  return detail::start_from_features<S>(block_features(map, 0, samples), k, centered, seed);
}

namespace detail {

/// The schedule, with defaults from the eigenvalues of the start. The step is at most 1 / ell_1.
/// The rate 1/t asks for step / decay = 1 / gap. The default is twice that, because the gap is
/// known from few samples only. If the number of steps is known, the last ones must be much shorter
/// than the first. Otherwise the functions would depend on the last few blocks only.
template <Real S>
[[nodiscard]] DoublyStochasticSchedule schedule_for(const DoublyStochasticParams& params,
                                                    bool centered, Index k, Index steps,
                                                    const DoublyStochasticStart<S>& start) {
  constexpr double shortening = 16;
  const Vector<double>& ell = start.eigenvalues;
  const auto value = [&](Index i) { return i < ell.size() ? ell(i) : 0.0; };
  double largest = value(0);
  if (largest <= 1e-6 * start.diagonal) largest = start.diagonal;  // only rounding errors so far
  // For very small samples the inverse overflows.
  constexpr double most{(std::numeric_limits<S>::max)()};
  const double step = params.step.value_or(largest > 0 ? (std::min)(1 / largest, most) : 1.0);
  double gap = value(k - 1) - value(k);
  if (params.rule == StochasticRule::Gha)
    for (Index i = 0; i + 1 < k; ++i) gap = (std::min)(gap, value(i) - value(i + 1));
  // Components with nearly equal eigenvalues cannot be separated, and need not be.
  gap = (std::max)({gap, value(k - 1) / 10, largest / 100});
  const double least = steps > 0 ? shortening / static_cast<double>(steps) : 0.0;
  return {.rule = params.rule,
          .blocks = params.blocks,
          .step = step,
          .decay = params.decay.value_or((std::max)(step * gap / 2, least)),
          .centered = centered};
}

/// A run of the method over a stream; call solve() once.
template <Real S>
class DoublyStochasticFit {
 public:
  /// \param first  the rows read already, for the start
  DoublyStochasticFit(BatchReader<S>& reader, Matrix<S> first, const DoublyStochasticParams& params,
                      const DoublyStochasticCheckpoints& checkpoints, const KernelRequest& request,
                      const Observer& observer)
      : reader_(reader),
        first_(std::move(first)),
        params_(params),
        checkpoints_(checkpoints),
        request_(request),
        observer_(observer) {
    solution_.report.reason = request.choice;
  }

  /// \param kernel_name, map_name  descriptions of the kernel and the map
  template <BoundFeatureMap B>
  [[nodiscard]] FeatureSolution<S> solve(const B& map, const std::string& kernel_name,
                                         const std::string& map_name) {
    const Components& components = request_.pairs.components;
    const DoublyStochasticStart<S> start =
        doubly_stochastic_start(map, first_, components.count(), request_.centered, params_.seed);
    const DoublyStochasticSchedule schedule =
        schedule_for(params_, request_.centered, components.count(), steps_wanted(), start);
    columns_ = map.columns();
    start_digest_ = reader_.digest();
    fit_ = settings(kernel_name, map_name);
    DoublyStochasticRun<S> run(
        map,
        checkpoints_.resume
            ? resumed(*checkpoints_.resume)
            : DoublyStochasticState<S>{schedule, start.coefficients, params_.blocks > 1 ? 1 : 0, 0},
        request_.memory_budget);
    if (solution_.report.status != Status::Cancelled) iterate(run);
    evaluate(run);
    describe(run, run.schedule());
    return std::move(solution_);
  }

 private:
  [[nodiscard]] Index batch_rows() const { return (std::min)(params_.data_batch, reader_.rows()); }

  /// The number of steps to do; 0: until the passes are over.
  [[nodiscard]] Index steps_wanted() const {
    if (params_.steps > 0 || reader_.rows() == endless) return params_.steps;
    const Index passes = (params_.epochs * reader_.rows() + batch_rows() - 1) / batch_rows();
    return (std::max)(passes, 16 * params_.blocks);
  }

  /// All settings that the steps depend on; a checkpoint must have the same. The first ones, as
  /// many as settings_of_start, decide which samples the fit starts from.
  [[nodiscard]] std::vector<FitSetting> settings(const std::string& kernel_name,
                                                 const std::string& map_name) const {
    const auto or_found = [](const std::optional<double>& value) {
      return value ? to_text(*value) : "found from the first samples";
    };
    return {
        {"samples", reader_.rows() == endless ? "without end" : to_text(reader_.rows())},
        {"dimension", to_text(reader_.dimension())},
        {"precision", std::string(to_string(precision_of<S>))},
        {"order", params_.shuffle ? "shuffled" : "as they come"},
        {"seed", to_text(params_.seed)},
        {"start_rows", to_text(params_.start_rows)},
        {"kernel", kernel_name},
        {"map", map_name},
        {"centering", request_.centered ? "by means" : "none"},
        {"components", to_text(request_.pairs.components.count())},
        {"rule", std::string(to_string(params_.rule))},
        {"blocks", to_text(params_.blocks)},
        {"features of a block", to_text(columns_)},
        {"data_batch", to_text(batch_rows())},
        {"epochs", to_text(params_.epochs)},
        {"steps", params_.steps > 0 ? to_text(params_.steps) : "as the epochs take"},
        {"step", or_found(params_.step)},
        {"decay", or_found(params_.decay)},
    };
  }
  static constexpr std::size_t settings_of_start = 6;

  /// Throws CheckpointMismatch unless all settings and the first samples are the same.
  void require_same_fit(const DoublyStochasticCheckpoint& from) const {
    std::vector<CheckpointMismatch::Difference> differences;
    for (const FitSetting& here : fit_) {
      const auto there = std::find_if(from.fit.begin(), from.fit.end(),
                                      [&](const FitSetting& f) { return f.name == here.name; });
      const std::string value = there == from.fit.end() ? "nothing" : there->value;
      if (value != here.value) differences.push_back({here.name, value, here.value});
    }
    const bool same_start =
        from.fit.size() >= settings_of_start &&
        std::equal(fit_.begin(), fit_.begin() + settings_of_start, from.fit.begin());
    const bool samples_differ = same_start && from.start != start_digest_;
    if (samples_differ || !differences.empty())
      throw CheckpointMismatch(samples_differ, std::move(differences));
  }

  /// Reads the samples again that the checkpoint's fit had read in its first pass. Returns false if
  /// cancelled.
  /// Throws CheckpointMismatch if the samples are not the same.
  [[nodiscard]] bool read_again(const DoublyStochasticCheckpoint& from) {
    const Index wanted = from.read.rows;
    Matrix<S> batch;
    while (reader_.digest().rows < wanted) {
      const Index done = reader_.digest().rows;
      if (!go_on(observer_, {"samples read before", done, wanted})) return false;
      reader_.read((std::min)(FeatureSum<S>::panel_rows, wanted - done), batch);
      if (batch.rows() == 0) break;
    }
    if (reader_.digest() != from.read) throw CheckpointMismatch(true, {});
    return true;
  }

  [[nodiscard]] DoublyStochasticState<S> resumed(const DoublyStochasticCheckpoint& from) {
    require_same_fit(from);
    if (from.run.schedule.blocks != params_.blocks)
      fail("mercer::DoublyStochastic: the checkpoint has ", from.run.schedule.blocks,
           " blocks, this fit has ", params_.blocks);
    if (read_again(from))
      reader_.resume(from.position, from.passes);
    else
      solution_.report.status = Status::Cancelled;
    return {from.run.schedule, from.run.coefficients.template cast<S>(), from.run.next_block,
            from.run.steps};
  }

  void hand_out(const DoublyStochasticRun<S>& run) const {
    const DoublyStochasticState<S> state = run.state();
    checkpoints_.visit({.fit = fit_,
                        .run = {state.schedule, state.coefficients.template cast<double>(),
                                state.next_block, state.steps},
                        .position = reader_.position(),
                        .passes = reader_.passes(),
                        .start = start_digest_,
                        .read = reader_.digest()});
  }

  void iterate(DoublyStochasticRun<S>& run) {
    const Index wanted = steps_wanted(), rows = batch_rows();
    Report& report = solution_.report;
    if (request_.centered && rows < 2) return;  // one sample does not vary
    Matrix<S> batch;
    while (wanted > 0 ? run.steps() < wanted : reader_.passes() < params_.epochs) {
      if (!go_on(observer_, {"doubly stochastic steps", run.steps(), wanted})) {
        report.status = Status::Cancelled;
        if (checkpoints_.every > 0) hand_out(run);
        return;
      }
      if (!reader_.fill(rows, batch)) {
        if (wanted > 0 || run.steps() == 0) {
          report.status = Status::NotConverged;
          add_reason("the stream ended after " + to_text(run.steps()) + " steps", report);
        }
        return;
      }
      if (!run.partial_fit(batch)) {
        report.status = Status::NotConverged;
        add_reason("the steps diverged after " + to_text(run.steps()), report);
        return;
      }
      if (checkpoints_.every > 0 && run.steps() % checkpoints_.every == 0) hand_out(run);
    }
  }

  /// Eigenvalues, means and the rotation to components, from another pass if possible, else from
  /// the first rows. The trace comes from column sums of the features.
  void evaluate(DoublyStochasticRun<S>& run) {
    const Index features = run.blocks() * columns_;
    MomentSum<S> moments(run.components(), request_.centered);
    Vector<double> sums = Vector<double>::Zero(features);
    Vector<double> squares = Vector<double>::Zero(run.blocks());
    const auto with = [&](Index b, const Points<S>& z) {
      sums.segment(b * columns_, columns_) += z.colwise().sum().transpose().template cast<double>();
      squares(b) += static_cast<double>(z.squaredNorm());
    };
    const bool again = solution_.report.status != Status::Cancelled && reader_.rewind();
    Matrix<S> panel;
    const auto next_panel = [&] {
      const Index most =
          (std::min)(FeatureSum<S>::panel_rows, params_.evaluation_rows - moments.count());
      if (again) return reader_.read(most, panel);
      panel = first_.middleRows(moments.count(), (std::min)(most, first_.rows() - moments.count()));
    };
    for (next_panel(); panel.rows() > 0; next_panel()) {
      if (moments.count() > 0 && !go_on(observer_, {"evaluation", moments.count(), 0})) {
        solution_.report.status = Status::Cancelled;
        break;
      }
      moments.add(run.evaluate(panel, with));
    }
    const auto m = static_cast<double>(moments.count());
    trace_ = squares.sum();
    if (request_.centered) trace_ -= sums.squaredNorm() / m;
    trace_ /= static_cast<double>(run.blocks());
    diagonal_ = squares.sum() / static_cast<double>(run.blocks());
    set_components(run, moments);
  }

  /// mu = n ell for the eigenvalues ell of M. Rotates the functions to the eigenvectors of M.
  void set_components(const DoublyStochasticRun<S>& run, const MomentSum<S>& moments) {
    Report& report = solution_.report;
    const Index one = request_.centered ? 1 : 0, n = reader_.samples(), m = moments.count();
    const double scale =
        m > one ? static_cast<double>(n - one) / static_cast<double>(m - one) : 1.0;
    report.trace = scale * trace_;
    EigenRequest pairs = request_.pairs;
    pairs.noise_scale = static_cast<double>(n) * diagonal_ / static_cast<double>(m);
    pairs.epsilon = std::numeric_limits<S>::epsilon();
    const EigenSystem<double> eigen = symmetric_eigensystem<double>(scale * moments.scatter());
    const Index k = select_components(eigen.values, n, pairs, report);
    const Matrix<double> rotation = eigen.vectors.leftCols(k);
    const Matrix<S> coefficients = run.state().coefficients;
    solution_.coefficients = multiply(coefficients, Matrix<S>(rotation.template cast<S>()));
    const Vector<S> signs = fix_signs(solution_.coefficients);
    solution_.eigenvalues = eigen.values.head(k).template cast<S>();
    solution_.offset = Vector<S>::Zero(k);
    if (request_.centered)
      solution_.offset =
          (rotation.transpose() * moments.mean()).template cast<S>().cwiseProduct(signs);
  }

  void describe(const DoublyStochasticRun<S>& run, const DoublyStochasticSchedule& schedule) {
    solution_.blocks = run.blocks();
    solution_.seed = params_.seed;
    Report& report = solution_.report;
    report.solver = "doubly-stochastic (" + std::string(to_string(params_.rule)) + ", " +
                    to_text(run.blocks()) + " blocks of " + to_text(columns_) + ")";
    report.precision = to_string(precision_of<S>);
    report.storage = run.kept_blocks() == run.blocks() ? "features kept" : "features redrawn";
    report.samples = reader_.samples();
    report.dimension = reader_.dimension();
    report.iterations = run.steps();
    report.bytes = run.bytes();
    add_reason("steps " + to_text(schedule.step) + " / (1 + " + to_text(schedule.decay) + " t)",
               report);
  }

  BatchReader<S>& reader_;
  Matrix<S> first_;
  const DoublyStochasticParams& params_;
  const DoublyStochasticCheckpoints& checkpoints_;
  const KernelRequest& request_;
  const Observer& observer_;
  Index columns_ = 0;
  std::vector<FitSetting> fit_;  // the settings of this fit
  SampleDigest start_digest_;
  double trace_ = 0, diagonal_ = 0;  // sums over the rows of the evaluation
  FeatureSolution<S> solution_;
};

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_DOUBLY_STOCHASTIC_FIT_HPP
