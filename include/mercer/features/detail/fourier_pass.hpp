// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Turns angles into Fourier features. All Fourier maps share this step.

#ifndef MERCER_FEATURES_DETAIL_FOURIER_PASS_HPP
#define MERCER_FEATURES_DETAIL_FOURIER_PASS_HPP

#include <cmath>
#include <string_view>

#include <mercer/core/math/sine_cosine.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>

namespace mercer {

/// The features of one frequency w.
enum class FourierForm {
  Paired,  ///< cos(w . x) and sin(w . x), two columns for each frequency; k(x, x) is exact
  Phase,   ///< 2^(1/2) cos(w . x + b), one column for each frequency
};

[[nodiscard]] constexpr std::string_view to_string(FourierForm form) {
  return form == FourierForm::Paired ? "paired" : "phase";
}

namespace detail {

/// The number of columns for D frequencies.
[[nodiscard]] inline Index fourier_columns(FourierForm form, Index features) {
  return form == FourierForm::Paired ? 2 * features : features;
}

/// Turns angles into features in place. On entry, the given rows and columns of \p out hold the
/// angles w_j . x_i. On exit they hold the features. In the paired form these are the cosines, and
/// the sines are written D columns further on.
/// @param phases  one phase for each of the D frequencies; empty in the paired form
template <Real S>
void fourier_pass(FourierForm form, const Vector<S>& phases, Range rows, Range cols,
                  GramOut<S> out) {
  const bool paired = form == FourierForm::Paired;
  const Index d = paired ? out.cols() / 2 : out.cols();
  const S scale = std::sqrt((paired ? S(1) : S(2)) / static_cast<S>(d));
  Vector<S> unused(paired ? 0 : rows.size);
  for (Index j = cols.begin; j < cols.begin + cols.size; ++j) {
    Eigen::Ref<Vector<S>> angles = out.col(j).segment(rows.begin, rows.size);
    if (paired) {
      Eigen::Ref<Vector<S>> sines = out.col(d + j).segment(rows.begin, rows.size);
      sine_cosine<S>(angles, sines, angles);
      sines *= scale;
    } else {
      angles.array() += phases(j);
      sine_cosine<S>(angles, unused, angles);
    }
    angles *= scale;
  }
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_FEATURES_DETAIL_FOURIER_PASS_HPP
