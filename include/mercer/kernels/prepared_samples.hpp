// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Samples together with what a kernel computes from each of them once, and not once per tile.

#ifndef MERCER_KERNELS_PREPARED_SAMPLES_HPP
#define MERCER_KERNELS_PREPARED_SAMPLES_HPP

#include <concepts>
#include <optional>

#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// Samples, and what a kernel has computed from them once.
/// Lifetime: refers to the samples, which must outlive it.
template <OwnedSamples X>
struct PreparedSamples {
  using Scalar = typename X::Scalar;

  const X* samples = nullptr;  ///< as they were given
  X values{0, 0};              ///< a shifted or scaled copy, if the kernel needs one
  Vector<Scalar> norms{};      ///< a number for each sample, usually its squared norm, if needed
  /// How these samples and all that they meet in a Gram matrix are prepared, once that is decided.
  struct Form {
    bool copied = false;      ///< values is in use
    Vector<Scalar> origin{};  ///< subtracted from the samples to give the values
  };
  /// Not set: not decided yet.
  std::optional<Form> form{};
};

namespace detail {

/// Some of the rows of prepared samples.
template <OwnedSamples X>
struct PreparedRows {
  const PreparedSamples<X>& all;
  Range rows;

  [[nodiscard]] auto samples() const { return rows_of(*all.samples, rows); }
  [[nodiscard]] auto values() const { return rows_of(all.values, rows); }
  [[nodiscard]] auto norms() const { return all.norms.segment(rows.begin, rows.size); }
};

}  // namespace detail

/// Optional for a kernel: values from prepared samples, where something is computed once for each
/// sample that would else be computed for each tile.
/// - `prepare(p)` sets p.values and p.norms for p.samples. It decides p.form, or keeps to the form
///   that is there.
/// - `gram_prepared(x, y, out)` writes out(i, j) = k(x_i, y_j) for rows of samples of one form.
template <class K, class X>
concept HasPreparation = OwnedSamples<X> &&
    requires(const K& kernel, PreparedSamples<X>& p, const detail::PreparedRows<X>& rows,
             GramOut<typename X::Scalar> out) {
  { kernel.prepare(p) } -> std::same_as<void>;
  { kernel.gram_prepared(rows, rows, out) } -> std::same_as<void>;
};

}  // namespace mercer

#endif  // MERCER_KERNELS_PREPARED_SAMPLES_HPP
