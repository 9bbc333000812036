// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Chooses how a Gram operator holds its matrix: the storage by the memory budget, the precision by
/// the tolerance.

#ifndef MERCER_OPERATORS_GRAM_PLAN_HPP
#define MERCER_OPERATORS_GRAM_PLAN_HPP

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/machine/memory.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/operators/gram_form.hpp>

namespace mercer {

/// The data from which a plan is made.
struct GramPlanRequest {
  double tolerance = 0;                     ///< of residuals, relative to the largest eigenvalue
  std::size_t memory_budget = 0;            ///< bytes allowed beside the samples
  std::size_t solver_bytes = 0;             ///< the part of these that the solver needs for itself
  std::optional<GramStorage> storage = {};  ///< the caller's choice, if there is one
  std::optional<Precision> precision = {};  ///< the same
};

/// How a Gram matrix is to be held, and why.
struct GramPlan {
  GramForm form;       ///< storage and precision
  std::string reason;  ///< "tiles recomputed: ...; double precision: ..."
};

/// A memory budget is too small for a solver that takes the Gram matrix by tiles.
class BudgetTooSmall : public InvalidArgument {
 public:
  /// \param budget, needed  bytes; what is needed is the solver's vectors and a tile a thread
  BudgetTooSmall(std::size_t budget, std::size_t needed)
      : InvalidArgument(in_words(detail::BudgetInWords(budget, needed))),
        budget_(budget),
        needed_(needed) {}

  /// The budget, in bytes.
  [[nodiscard]] std::size_t budget() const { return budget_; }
  /// What is needed, in bytes.
  [[nodiscard]] std::size_t needed() const { return needed_; }

 private:
  [[nodiscard]] static std::string in_words(const detail::BudgetInWords& words) {
    return "mercer: a memory budget of " + words.budget +
           " is too small: the solver's vectors and a tile a thread take " + words.needed +
           "; raise it, ask for fewer components, or take Nystrom with fewer landmarks";
  }

  std::size_t budget_, needed_;
};

namespace detail {

/// From this tolerance on, tiles may be in single precision.
inline constexpr double single_tolerance = 1e-6;

/// Indices of \p count rows, in ascending order. Half of them are the rows of the largest sizes,
/// half are drawn at random from the others.
[[nodiscard]] inline std::vector<Index> large_and_drawn(const Vector<double>& sizes, Index count,
                                                        RandomStream& stream) {
  const Index n = sizes.size();
  std::vector<Index> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), Index{0});
  if (n <= count) return rows;
  const auto large = static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(rows.begin(), rows.begin() + large, rows.end(), [&](Index a, Index b) {
    return sizes(a) != sizes(b) ? sizes(a) > sizes(b) : a < b;
  });
  std::vector<Index> taken(rows.begin(), rows.begin() + large);
  for (const Index at : sample_without_replacement(n - count / 2, count - count / 2, stream))
    taken.push_back(rows[static_cast<std::size_t>(at + count / 2)]);
  std::sort(taken.begin(), taken.end());
  return taken;
}

/// Whether values are in the range of float, if the largest of them has this magnitude.
[[nodiscard]] constexpr bool fits_float(double largest) {
  return largest == 0 || (largest < 1e30 && largest > 1e-30);
}

/// A bound of the relative error of given values, which are rounded once: half a unit in the last
/// place. All entries are checked, because those of an indefinite matrix may exceed its diagonal.
[[nodiscard]] inline double rounding_of_values(const Matrix<double>& gram) {
  const Index n = gram.cols();
  Vector<double> largest(n);
  parallel_for(n, [&](Index j) { largest(j) = gram.col(j).tail(n - j).cwiseAbs().maxCoeff(); });
  return fits_float(largest.maxCoeff()) ? double{std::numeric_limits<float>::epsilon()} / 2
                                        : std::numeric_limits<double>::infinity();
}

/// |K - K'| / |K| over a 128 x 512 part of K, where K' is K in single precision. Infinite if K' is
/// not finite. Half of the rows and columns are those of the largest samples, which lose most
/// digits.
template <OwnedSamples X>
  requires std::same_as<typename X::Scalar, double>
[[nodiscard]] double single_tile_error(const KernelView<X>& kernel, const X& x) {
  if constexpr (DenseSamples<X>)
    if (kernel.is_precomputed()) return rounding_of_values(x);
  if (!fits_float(kernel.diagonal(x).cwiseAbs().maxCoeff()))
    return std::numeric_limits<double>::infinity();
  RandomStream stream(0, "single tiles");
  Vector<double> sizes = kernel.rounded_sizes(x);
  if (!sizes.allFinite()) sizes.setZero();  // the order of the sizes is not known
  const auto rows = large_and_drawn(sizes, 128, stream);
  const auto cols = large_and_drawn(sizes, 512, stream);
  std::vector<Index> both = rows;
  both.insert(both.end(), cols.begin(), cols.end());
  const X in_double = take_rows(x, both);
  const SamplesIn<float, X> in_single = kernel.to_single(in_double);
  const Range left{0, static_cast<Index>(rows.size())};
  const Range right{left.size, static_cast<Index>(cols.size())};
  Matrix<double> exact(left.size, right.size);
  Matrix<float> rounded(left.size, right.size);
  kernel.fill(in_double, left, in_double, right, exact);
  kernel.fill_single(in_single, left, in_single, right, rounded);
  const double norm = exact.norm();
  const double error = (rounded.cast<double>() - exact).norm() / (norm > 0 ? norm : 1);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

/// Whether stored tiles fit into the memory budget beside the solver's own vectors.
[[nodiscard]] constexpr bool has_room(const GramPlanRequest& request, Index n,
                                      Precision precision) {
  return request.solver_bytes + stored_tile_bytes(n, precision) <= request.memory_budget;
}

/// The reason to read given values in double, as they are, in every product. Empty if tiles in
/// single precision may be stored instead. That would halve the bytes that a product waits for.
[[nodiscard]] inline std::string reason_to_read(const GramPlanRequest& request, Index n) {
  if (request.storage == GramStorage::Recomputed)
    return "double precision, that of the matrix given";
  if (request.storage || has_room(request, n, Precision::Single)) return {};
  return "double precision as single tiles, " + megabytes(stored_tile_bytes(n, Precision::Single)) +
         ", are beyond the memory budget of " + megabytes(request.memory_budget);
}

template <OwnedSamples X>
[[nodiscard]] Precision plan_precision(const KernelView<X>& kernel, const X& x,
                                       const GramPlanRequest& request, std::string& reason) {
  if constexpr (std::same_as<typename X::Scalar, float>) {
    reason = "single precision, that of the samples";
    return Precision::Single;
  } else {
    if (request.precision) {
      reason = std::string(to_string(*request.precision)) + " precision as asked for";
      return *request.precision;
    }
    if (!kernel.has_single()) {
      reason = "double precision, the only one of this kernel";
      return Precision::Double;
    }
    if (request.tolerance < single_tolerance) {
      reason = request.tolerance > 0
                   ? "double precision for the tolerance " + to_text(request.tolerance)
                   : "double precision, as this solver has no tolerance for residuals";
      return Precision::Double;
    }
    if (x.rows() <= tile_size) {
      reason = "double precision, which costs little for a matrix of one tile";
      return Precision::Double;
    }
    if (kernel.is_precomputed()) {
      reason = reason_to_read(request, x.rows());
      if (!reason.empty()) return Precision::Double;
    }
    if (single_tile_error(kernel, x) <= request.tolerance / 2) {
      reason = "single precision, good enough for the tolerance " + to_text(request.tolerance);
      return Precision::Single;
    }
    reason = "double precision as single would cost too many digits here";
    return Precision::Double;
  }
}

/// Whether it costs no more to evaluate a kernel value again, in about five products, than to keep
/// it. Memory that is touched for the first time takes about a nanosecond per float on the machines
/// that we measured, and reading it back also takes time. One tile is timed. The result changes the
/// time of a fit, but no bit of its result. Values given in double must be read from memory in any
/// case, and have twice the bytes of tiles in single precision.
template <OwnedSamples X>
[[nodiscard]] bool cheaper_than_memory(const KernelView<X>& kernel, const X& x,
                                       Precision precision) {
  constexpr Index worth_timing = 8 * tile_size;
  if (kernel.is_precomputed() || x.rows() < worth_timing) return false;
  const auto nanoseconds = [](auto scalar, const auto& fill) {
    Matrix<decltype(scalar)> tile(tile_size, tile_size);
    double least = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < 3; ++repeat) {
      const auto begin = std::chrono::steady_clock::now();
      fill(tile);
      const std::chrono::duration<double, std::nano> time =
          std::chrono::steady_clock::now() - begin;
      least = (std::min)(least, time.count());
    }
    return least / static_cast<double>(tile.size());
  };
  using S = typename X::Scalar;
  const X first = x.topRows(2 * tile_size);
  const Range rows{0, tile_size}, cols{tile_size, tile_size};
  constexpr double per_byte = 0.25;
  if (precision != precision_of<S>) {
    const SamplesIn<float, X> rounded = kernel.to_single(first);
    return nanoseconds(float{}, [&](Matrix<float>& tile) {
             kernel.fill_single(rounded, rows, rounded, cols, tile);
           }) <= 4 * per_byte;
  }
  return nanoseconds(S{}, [&](Matrix<S>& tile) { kernel.fill(first, rows, first, cols, tile); }) <=
         static_cast<double>(sizeof(S)) * per_byte;
}

/// Throws BudgetTooSmall without room for the solver's vectors and one tile per thread.
inline void require_budget(std::size_t budget, std::size_t solver_bytes, Precision precision) {
  const std::size_t least =
      solver_bytes + stored_tile_bytes(1, precision) * static_cast<std::size_t>(thread_count());
  if (budget < least) throw BudgetTooSmall(budget, least);
}

}  // namespace detail

/// Chooses the form of a Gram operator by these rules:
/// - Tiles are in single precision if the tolerance is at least 1e-6, sampled kernel values are
///   accurate enough in it, and there is more than one tile.
/// - Tiles are stored if they fit into the memory budget beside the solver's own vectors, unless it
///   is as fast to evaluate them as to keep them. Otherwise they are recomputed in every product.
/// - A given matrix of double (Precomputed) is stored in single precision if all of this holds.
///   Otherwise it is read as it is.
///
/// Throws InvalidArgument for a budget without room for the solver's vectors and one tile per
///   thread.
template <OwnedSamples X>
[[nodiscard]] GramPlan plan_gram(const std::type_identity_t<KernelView<X>>& kernel, const X& x,
                                 const GramPlanRequest& request) {
  GramPlan plan;
  std::string precision;
  plan.form.precision = detail::plan_precision(kernel, x, request, precision);
  const std::size_t tiles = detail::stored_tile_bytes(x.rows(), plan.form.precision);
  detail::require_budget(request.memory_budget, request.solver_bytes, plan.form.precision);
  const bool room = detail::has_room(request, x.rows(), plan.form.precision);
  std::string storage;
  if (request.storage) {
    plan.form.storage = *request.storage;
    storage = *request.storage == GramStorage::Stored ? "tiles stored" : "tiles recomputed";
    storage += " as asked for";
  } else if (kernel.is_precomputed() && plan.form.precision == precision_of<typename X::Scalar>) {
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

#define MERCER_GRAM_PLAN(X)     \
  MERCER_INSTANTIATE_OPERATORS( \
      GramPlan plan_gram<X>(const KernelView<X>&, const X&, const GramPlanRequest&))
MERCER_FOR_SAMPLES(MERCER_GRAM_PLAN)
#undef MERCER_GRAM_PLAN

}  // namespace mercer

#endif  // MERCER_OPERATORS_GRAM_PLAN_HPP
