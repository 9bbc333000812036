// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// How a Gram operator is to hold its matrix: storage by the memory budget, precision by the
/// tolerance.

#ifndef MERCER_OPERATORS_GRAM_PLAN_HPP
#define MERCER_OPERATORS_GRAM_PLAN_HPP

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/memory.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/operators/gram.hpp>

namespace mercer {

/// What a plan is made for.
struct GramPlanRequest {
  double tolerance = 0;                     ///< of residuals, relative to the largest eigenvalue
  std::size_t memory_budget = 0;            ///< bytes beside the samples
  std::size_t solver_bytes = 0;             ///< of these, what the solver needs for itself
  std::optional<GramStorage> storage = {};  ///< the caller's choice, if there is one
  std::optional<Precision> precision = {};  ///< the same
};

struct GramPlan {
  GramForm form;
  std::string reason;  ///< "tiles recomputed: ...; double precision: ..."
};

namespace detail {

[[nodiscard]] inline std::string megabytes(std::size_t bytes) {
  return std::to_string((bytes + (std::size_t{1} << 20U) - 1) >> 20U) + " MiB";
}

/// Tolerances from here on allow single tiles.
inline constexpr double single_tolerance = 1e-6;

/// |K - K'| / |K| over a random 128 x 512 part of K, K' being K in single precision; infinite if K'
/// is not finite.
template <Kernel K, OwnedSamples X>
  requires has_single_tiles<K, X>
[[nodiscard]] double single_tile_error(const K& kernel, const X& x) {
  RandomStream stream(0, "single tiles");
  const Index n = x.rows();
  const auto rows = sample_without_replacement(n, (std::min)(n, Index{128}), stream);
  const auto cols = sample_without_replacement(n, (std::min)(n, Index{512}), stream);
  std::vector<Index> both = rows;
  both.insert(both.end(), cols.begin(), cols.end());
  const X in_double = take_rows(x, both);
  const SamplesIn<float, X> in_single = to_single<K>(in_double);
  const Range left{0, static_cast<Index>(rows.size())};
  const Range right{left.size, static_cast<Index>(cols.size())};
  Matrix<double> exact(left.size, right.size);
  Matrix<float> rounded(left.size, right.size);
  fill_tile(kernel, in_double, left, in_double, right, exact);
  fill_tile(kernel, in_single, left, in_single, right, rounded);
  const double norm = exact.norm();
  const double error = (rounded.cast<double>() - exact).norm() / (norm > 0 ? norm : 1);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

/// Whether values of which the largest has this magnitude are in the range of float.
[[nodiscard]] constexpr bool fits_float(double largest) {
  return largest == 0 || (largest < 1e30 && largest > 1e-30);
}

/// A bound of the same for a matrix of given values, which are rounded once: half a unit in the
/// last place. All entries are looked at, as those of an indefinite matrix may exceed its diagonal.
[[nodiscard]] inline double single_tile_error(const Precomputed&, const Matrix<double>& gram) {
  const Index n = gram.cols();
  Vector<double> largest(n);
  parallel_for(n, [&](Index j) { largest(j) = gram.col(j).tail(n - j).cwiseAbs().maxCoeff(); });
  return fits_float(largest.maxCoeff()) ? double{std::numeric_limits<float>::epsilon()} / 2
                                        : std::numeric_limits<double>::infinity();
}

/// Whether stored tiles fit in the memory budget beside the solver's own vectors.
[[nodiscard]] constexpr bool has_room(const GramPlanRequest& request, Index n,
                                      Precision precision) {
  return request.solver_bytes + stored_tile_bytes(n, precision) <= request.memory_budget;
}

/// Why given values in double are to be read as they are in every product; empty if tiles in single
/// precision may be stored, which halves the bytes that products wait for.
[[nodiscard]] inline std::string reason_to_read(const GramPlanRequest& request, Index n) {
  if (request.storage == GramStorage::Recomputed)
    return "double precision, that of the matrix given";
  if (request.storage || has_room(request, n, Precision::Single)) return {};
  return "double precision as single tiles, " + megabytes(stored_tile_bytes(n, Precision::Single)) +
         ", are beyond the memory budget of " + megabytes(request.memory_budget);
}

template <KernelOrPrecomputed K, OwnedSamples X>
[[nodiscard]] Precision plan_precision(const K& kernel, const X& x, const GramPlanRequest& request,
                                       std::string& reason) {
  if constexpr (std::same_as<typename X::Scalar, float>) {
    reason = "single precision, that of the samples";
    return Precision::Single;
  } else if (request.precision) {
    reason = std::string(to_string(*request.precision)) + " precision as asked for";
    return *request.precision;
  } else if constexpr (has_single_tiles<K, X>) {
    if (request.tolerance < single_tolerance) {
      reason = "double precision for the tolerance " + to_text(request.tolerance);
      return Precision::Double;
    }
    if constexpr (std::same_as<K, Precomputed>) {
      reason = reason_to_read(request, x.rows());
      if (!reason.empty()) return Precision::Double;
    }
    const double error = fits_float(diagonal(kernel, x).cwiseAbs().maxCoeff())
                             ? single_tile_error(kernel, x)
                             : std::numeric_limits<double>::infinity();
    if (error <= request.tolerance / 2) {
      reason = "single precision, good enough for the tolerance " + to_text(request.tolerance);
      return Precision::Single;
    }
    reason = "double precision as single would cost too many digits here";
    return Precision::Double;
  } else {
    reason = "double precision, the only one of this kernel";
    return Precision::Double;
  }
}

/// Whether a value of the kernel costs no more to evaluate again, in some five products, than to
/// keep: memory that is touched for the first time takes about a nanosecond a float on the machines
/// that we measured, and reading it back is not free either. One tile is timed; the outcome changes
/// the time of a fit and no bit of its result.
template <Kernel K, OwnedSamples X>
[[nodiscard]] bool cheaper_than_memory(const K& kernel, const X& x, Precision precision) {
  constexpr Index worth_timing = 8 * tile_size;
  if (x.rows() < worth_timing) return false;
  const auto nanoseconds = [&](const auto& samples) {
    using T = typename std::decay_t<decltype(samples)>::Scalar;
    Matrix<T> tile(tile_size, tile_size);
    double least = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < 3; ++repeat) {
      const auto begin = std::chrono::steady_clock::now();
      fill_tile(kernel, samples, {0, tile_size}, samples, {tile_size, tile_size}, tile);
      const std::chrono::duration<double, std::nano> time =
          std::chrono::steady_clock::now() - begin;
      least = (std::min)(least, time.count());
    }
    return least / static_cast<double>(tile.size());
  };
  const X first = x.topRows(2 * tile_size);
  constexpr double per_byte = 0.25;
  if constexpr (has_single_tiles<K, X>)
    if (precision == Precision::Single) return nanoseconds(to_single<K>(first)) <= 4 * per_byte;
  return nanoseconds(first) <= static_cast<double>(sizeof(typename X::Scalar)) * per_byte;
}

/// Values given in double are read from memory too, and are twice the bytes of single tiles.
template <OwnedSamples X>
[[nodiscard]] bool cheaper_than_memory(const Precomputed&, const X&, Precision) {
  return false;
}

}  // namespace detail

/// The rule: tiles in single precision if the tolerance is at least 1e-6 and sampled kernel values
/// are good enough in it; tiles stored if they fit in the memory budget beside the solver's own
/// vectors and are not as fast to evaluate as to keep, else recomputed in every product. A matrix
/// of double that is given (Precomputed) is stored in single precision if all of that holds, and
/// otherwise read as it is.
/// Throws InvalidArgument for a budget that has no room for the solver's vectors and one tile a
/// thread.
template <KernelOrPrecomputed K, OwnedSamples X>
[[nodiscard]] GramPlan plan_gram(const K& kernel, const X& x, const GramPlanRequest& request) {
  GramPlan plan;
  std::string precision;
  plan.form.precision = detail::plan_precision(kernel, x, request, precision);
  const std::size_t tiles = detail::stored_tile_bytes(x.rows(), plan.form.precision);
  const std::size_t one_tile =
      detail::stored_tile_bytes(1, plan.form.precision) * static_cast<std::size_t>(thread_count());
  const std::size_t least = request.solver_bytes + one_tile;
  if (request.memory_budget < least)
    detail::fail("mercer: a memory budget of ", detail::megabytes(request.memory_budget),
                 " is too small: the solver's vectors and a tile a thread take ",
                 detail::megabytes(least),
                 "; raise it, ask for fewer components, or take Nystrom with fewer landmarks");
  const bool room = detail::has_room(request, x.rows(), plan.form.precision);
  std::string storage;
  if (request.storage) {
    plan.form.storage = *request.storage;
    storage = *request.storage == GramStorage::Stored ? "tiles stored" : "tiles recomputed";
    storage += " as asked for";
  } else if (std::same_as<K, Precomputed> &&
             plan.form.precision == precision_of<typename X::Scalar>) {
    storage = "tiles read from the matrix given";
  } else if (room && detail::cheaper_than_memory(kernel, x, plan.form.precision)) {
    storage = "tiles recomputed: that is as fast as to keep " + detail::megabytes(tiles);
  } else if (room) {
    plan.form.storage = GramStorage::Stored;
    storage = "tiles stored: " + detail::megabytes(tiles) + " are within the memory budget of " +
              detail::megabytes(request.memory_budget);
  } else {
    storage = "tiles recomputed: to store them, " + detail::megabytes(tiles) +
              ", is beyond the memory budget of " + detail::megabytes(request.memory_budget);
  }
  plan.reason = storage + "; " + precision;
  return plan;
}

}  // namespace mercer

#endif  // MERCER_OPERATORS_GRAM_PLAN_HPP
