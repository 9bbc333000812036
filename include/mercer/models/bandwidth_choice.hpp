// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The width of a kernel, and the number of components, by cross-validation of kernel PCA.

#ifndef MERCER_MODELS_BANDWIDTH_CHOICE_HPP
#define MERCER_MODELS_BANDWIDTH_CHOICE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/models/detail/row_splits.hpp>
#include <mercer/models/held_out_error.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/auto.hpp>

namespace mercer {

struct BandwidthChoiceParams {
  Index components = 2;  ///< k, of the models that are compared, if their number is not chosen, too
  bool centered = true;  ///< as in KernelPcaParams
  Index folds = 5;       ///< parts that the samples are divided into; each is held out once
  /// Up to this many samples, all are used. With more samples, a random subset of this size is.
  Index max_samples = 2000;
  std::uint64_t seed = 0;
};

/// A width chosen by cross-validation.
struct BandwidthChoice {
  double best = 0;             ///< of the smallest error; of equal errors, the largest width
  std::vector<double> grid;    ///< the widths tried, ascending
  std::vector<double> errors;  ///< for each, the error of held-out samples; 1: nothing was learnt
  bool at_edge = false;        ///< best is the first or the last width of several: a wider grid may
                               ///< hold a better one
};

/// A width and a number of components chosen by cross-validation.
struct WidthAndComponents {
  double width = 0;           ///< of the smallest error; of equal errors, the largest width
  Index components = 0;       ///< with it; of equal errors, the smallest number
  std::vector<double> grid;   ///< the widths tried, ascending
  std::vector<Index> counts;  ///< the numbers of components tried, ascending
  /// The error of held-out samples, with a row for each width and a column for each number of
  /// components; 1: nothing was learnt.
  Matrix<double> errors;
  bool at_edge = false;  ///< the width is the first or the last of several
  bool at_last_count =
      false;  ///< the number of components is the last of several: more may be better
};

/// Makes a Gaussian of a width.
struct MakeGaussian {
  /// The kernel of this width.
  [[nodiscard]] Gaussian operator()(double sigma) const { return Gaussian{sigma}; }
};

/// Widths between an eighth and eight times the median of the distances, each larger than the one
/// before by the same factor.
/// Cost: as median_distance().
/// Throws InvalidArgument for fewer than two widths, and as median_distance().
template <class X>
  requires DenseSamples<X> || SparseSamples<X>
[[nodiscard]] std::vector<double> bandwidth_grid(const X& x, Index count = 13,
                                                 BandwidthParams params = {}) {
  detail::require_at_least("bandwidth_grid", "count", count, Index{2});
  const double median = median_distance(x, params);
  std::vector<double> grid(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i)
    grid[static_cast<std::size_t>(i)] =
        median * std::exp2(-3 + 6 * static_cast<double>(i) / static_cast<double>(count - 1));
  return grid;
}

namespace detail {

/// Numbers of the rows that are used, ascending.
[[nodiscard]] inline std::vector<Index> rows_to_validate(Index n,
                                                         const BandwidthChoiceParams& params) {
  if (n > params.max_samples) {
    RandomStream stream(params.seed, "bandwidth choice");
    std::vector<Index> rows = sample_without_replacement(n, params.max_samples, stream);
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  std::vector<Index> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

/// Throws InvalidArgument for settings that do not fit n samples.
inline void require_bandwidth_choice(std::string_view who, const std::vector<double>& grid,
                                     const std::vector<Index>& counts, Index n,
                                     const BandwidthChoiceParams& params) {
  if (grid.empty()) fail("mercer::", who, ": the grid is empty");
  for (const double width : grid) {
    require_positive(who, "each width of the grid", width);
    require_finite(who, "each width of the grid", width);
  }
  require_at_least(who, "max_samples", params.max_samples, Index{4});
  const Index used = (std::min)(n, params.max_samples);
  require_folds(who, used, params.folds);
  const Index fitted = used - (used + params.folds - 1) / params.folds;
  if (counts.empty()) fail("mercer::", who, ": there is no number of components to try");
  for (const Index components : counts)
    if (components < 1 || components > fitted)
      fail("mercer::", who, ": components must be between 1 and the ", fitted,
           " samples of a fit, got ", components);
}

/// The sums of all folds for one width, with a sum for each number of components. A model may have
/// fewer components than asked for: the others have no variance.
template <class K, class Criterion, OwnedSamples X>
void add_held_out_errors(const K& kernel, const Criterion& criterion,
                         const std::vector<Index>& counts, bool centered,
                         const HeldOutRows<X>& rows, std::vector<HeldOutError>& sums) {
  const KernelPca pca{kernel, Auto{},
                      KernelPcaParams{.components = counts.back(), .centered = centered}};
  const auto model = pca.fit(rows.training);
  for (std::size_t j = 0; j < counts.size(); ++j) {
    const HeldOutError error = counts[j] < model.components()
                                   ? criterion(model.leading(counts[j]), rows)
                                   : criterion(model, rows);
    sums[j].missed += error.missed;
    sums[j].total += error.total;
  }
}

/// The shares that are missed of held-out samples, widths x numbers of components, both ascending.
template <class X, class Criterion, class MakeKernel>
[[nodiscard]] Matrix<double> held_out_errors(std::string_view who, const X& x,
                                             const std::vector<double>& grid,
                                             const std::vector<Index>& counts,
                                             const BandwidthChoiceParams& params,
                                             const Criterion& criterion,
                                             const MakeKernel& make_kernel) {
  using Owned = OwnedSamplesOf<X>;
  const Owned& samples = x;
  require_finite_samples(who, samples);
  if constexpr (requires { criterion.check(Index{}); }) criterion.check(samples.rows());
  for (const double width : grid) check_domain(make_kernel(width), samples);
  const std::vector<Index> rows = rows_to_validate(samples.rows(), params);
  std::vector<std::vector<HeldOutError>> sums(grid.size(),
                                              std::vector<HeldOutError>(counts.size()));
  for (auto& [fitted, held_out] :
       fold_rows(who, static_cast<Index>(rows.size()), params.folds, params.seed)) {
    std::vector<Index> training_rows, held_rows;
    for (const Index i : fitted) training_rows.push_back(rows[static_cast<std::size_t>(i)]);
    for (const Index i : held_out) held_rows.push_back(rows[static_cast<std::size_t>(i)]);
    const Owned training = take_rows(samples, training_rows);
    const Owned held = take_rows(samples, held_rows);
    const HeldOutRows<Owned> fold{training, held, training_rows, held_rows};
    for (std::size_t i = 0; i < grid.size(); ++i)
      add_held_out_errors(make_kernel(grid[i]), criterion, counts, params.centered, fold, sums[i]);
  }
  const auto refuse = [&](double width, const HeldOutError& sum) {
    fail("mercer::", who, ": the error of the width ", width, " is ", sum.missed, " of ", sum.total,
         "; are the ", rows.size(), " samples used (of ", samples.rows(),
         "), or their labels, all the same, or their kernel values beyond all numbers, or is the "
         "width so large that all kernel values are equal?");
  };
  Matrix<double> errors(static_cast<Index>(grid.size()), static_cast<Index>(counts.size()));
  bool something = false;  // that could be missed
  for (std::size_t i = 0; i < grid.size(); ++i)
    for (std::size_t j = 0; j < counts.size(); ++j) {
      const HeldOutError& sum = sums[i][j];
      // Under a width so large that all kernel values are equal, nothing is left to learn.
      const bool nothing = sum.missed == 0 && sum.total == 0;
      const double error = nothing ? 1 : sum.missed / sum.total;
      if (!std::isfinite(error)) refuse(grid[i], sum);
      something = something || !nothing;
      errors(static_cast<Index>(i), static_cast<Index>(j)) = error;
    }
  if (!something) refuse(grid.back(), sums.back().back());
  return errors;
}

}  // namespace detail

/// Chooses the width of a kernel by cross-validation of kernel PCA with k components: the one with
/// the smallest error of samples that the fit has not seen.
///
/// \code
///   const auto grid = mercer::bandwidth_grid(X);
///   const auto choice = mercer::choose_bandwidth(X, grid, {.components = 10});
///   mercer::KernelPca pca{mercer::Gaussian{choice.best}, mercer::Auto{}, {.components = 10}};
///   choose_bandwidth(X, grid, {.components = 10}, mercer::PreimageError{});      // in input space
///   choose_bandwidth(X, grid, {.components = 10}, mercer::LabelError{labels});   // labels
///   choose_bandwidth(X, grid, {}, mercer::FeatureSpaceError{},
///                    [](double length) { return mercer::Matern{{.nu = 1.5, .length = length}}; });
/// \endcode
/// All errors are shares: 0 is perfect, and 1 is what the mean of the training samples gives. A
/// width so large that all kernel values are equal has the error 1.
/// Errors are summed over the folds before they are divided.
/// @param x     n x d dense (either storage order) or sparse, one sample per row
/// @param grid  widths above 0, in any order
/// @param criterion    FeatureSpaceError, PreimageError, LabelError, or your own: a HeldOutError of
///   a model and HeldOutRows
/// @param make_kernel  a kernel of a width; by default a Gaussian
/// Cost: a fit to (1 - 1/folds) n samples for each width and each fold, and the criterion.
/// Random: params.seed, purposes "bandwidth choice" (the samples, if n > max_samples) and "folds".
/// Throws InvalidArgument for an empty grid, widths that are not positive, fewer than two folds or
///   folds with fewer than two samples, components outside [1, samples of a fit], samples that a
///   fit refuses, an error that is not finite, and if there is nothing to learn with any width, for
///   example of samples that are all the same.
/// Accuracy: which criterion to take depends on the use of the components. See each for where it
///   prefers the widest kernel; `at_edge` tells that it did.
template <class X, class Criterion = FeatureSpaceError, class MakeKernel = MakeGaussian>
  requires DenseSamples<X> || SparseSamples<X>
[[nodiscard]] BandwidthChoice choose_bandwidth(const X& x, std::vector<double> grid,
                                               BandwidthChoiceParams params = {},
                                               const Criterion& criterion = {},
                                               const MakeKernel& make_kernel = {}) {
  constexpr std::string_view who = "choose_bandwidth";
  const std::vector<Index> counts{params.components};
  detail::require_bandwidth_choice(who, grid, counts, x.rows(), params);
  std::sort(grid.begin(), grid.end());
  const Vector<double> errors =
      detail::held_out_errors(who, x, grid, counts, params, criterion, make_kernel);
  BandwidthChoice choice{.grid = std::move(grid), .errors = {errors.begin(), errors.end()}};
  std::size_t best = 0;
  for (std::size_t i = 0; i < choice.errors.size(); ++i)
    if (choice.errors[i] <= choice.errors[best]) best = i;
  choice.best = choice.grid[best];
  choice.at_edge = choice.grid.size() > 1 && (best == 0 || best + 1 == choice.grid.size());
  return choice;
}

/// Chooses the width of a kernel and the number of components together, as choose_bandwidth() does
/// for the width alone: the two with the smallest error of samples that the fit has not seen.
///
/// \code
///   const auto choice = mercer::choose_width_and_components(
///       X, mercer::bandwidth_grid(X), {1, 2, 4, 8, 16}, {}, mercer::PreimageError{});
///   mercer::KernelPca pca{mercer::Gaussian{choice.width}, mercer::Auto{},
///                         {.components = choice.components}};
/// \endcode
/// @param grid    widths above 0, in any order; of one width, only the number is chosen
/// @param counts  numbers of components, in any order
/// @param criterion    PreimageError, LabelError, or your own. FeatureSpaceError is allowed, but
///   more components never miss more in feature space, so it takes the largest number.
/// Cost: that of choose_bandwidth() with the largest number of components, and the criterion for
///   each number.
/// Random: as choose_bandwidth().
/// Throws InvalidArgument for no numbers of components, and as choose_bandwidth().
/// Source: Alam, Fukumizu, Hyperparameter selection in kernel principal component analysis, 2014,
///   where both are chosen by pre-images.
template <class X, class Criterion = PreimageError<>, class MakeKernel = MakeGaussian>
  requires DenseSamples<X> || SparseSamples<X>
[[nodiscard]] WidthAndComponents choose_width_and_components(const X& x, std::vector<double> grid,
                                                             std::vector<Index> counts,
                                                             BandwidthChoiceParams params = {},
                                                             const Criterion& criterion = {},
                                                             const MakeKernel& make_kernel = {}) {
  constexpr std::string_view who = "choose_width_and_components";
  detail::require_bandwidth_choice(who, grid, counts, x.rows(), params);
  std::sort(grid.begin(), grid.end());
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  WidthAndComponents choice;
  choice.errors = detail::held_out_errors(who, x, grid, counts, params, criterion, make_kernel);
  Index width = 0, count = 0;
  for (Index i = 0; i < choice.errors.rows(); ++i)
    for (Index j = 0; j < choice.errors.cols(); ++j) {
      const double error = choice.errors(i, j), least = choice.errors(width, count);
      if (error < least || (error == least && i > width)) {
        width = i;
        count = j;
      }
    }
  choice.width = grid[static_cast<std::size_t>(width)];
  choice.components = counts[static_cast<std::size_t>(count)];
  choice.at_edge = choice.errors.rows() > 1 && (width == 0 || width + 1 == choice.errors.rows());
  choice.at_last_count = choice.errors.cols() > 1 && count + 1 == choice.errors.cols();
  choice.grid = std::move(grid);
  choice.counts = std::move(counts);
  return choice;
}

}  // namespace mercer

#endif  // MERCER_MODELS_BANDWIDTH_CHOICE_HPP
