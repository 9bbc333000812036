// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The rotation that makes the columns of white samples least dependent.

#ifndef MERCER_MODELS_DETAIL_ICA_ROTATION_HPP
#define MERCER_MODELS_DETAIL_ICA_ROTATION_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <vector>

#include <Eigen/Geometry>

#include <mercer/core/compiled.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/ica_contrast.hpp>

namespace mercer::detail {

/// How the search for a rotation proceeds; see KernelIcaParams.
struct IcaSearch {
  Index angles;
  double angle_tolerance;
  Index sweeps;
  double sweep_tolerance;
};

/// An orthogonal W for which the columns of Z W have a small contrast, by sweeps over the pairs of
/// columns. Each pair is rotated by the best angle, as the contrast of two columns is a function of
/// one angle with the period pi/2.
template <Real S>
struct IcaRotation {
  Matrix<S> rotation;  ///< W, m x m
  Index sweeps = 0;
  Index evaluations = 0;  ///< of the contrast of two columns
  S last_angle = 0;       ///< the largest rotation of the last sweep
  bool converged = false;
  bool cancelled = false;

  static IcaRotation find(const Matrix<S>& white, const IcaSettings& settings,
                          const IcaSearch& search, const Observer& observer);

 private:
  struct Minimum {
    S angle;
    S gain;  ///< contrast at angle 0 less the one at this angle
  };
  Minimum best_angle(const Matrix<S>& pair, const IcaSettings& settings, const IcaSearch& search);
};

/// X times the rotation by an angle in the plane of its two columns.
template <Real S>
[[nodiscard]] Matrix<S> rotated(const Matrix<S>& x, S angle) {
  return multiply(x, Matrix<S>(Eigen::Rotation2D<S>(angle).toRotationMatrix()));
}

/// The minimum of a function between \p a and \p b, by golden section, to within \p tolerance, but
/// no better than the root of the rounding errors, within which a minimum is flat.
template <Real S, class F>
[[nodiscard]] S golden_section(F&& f, S a, S b, S tolerance) {
  const S ratio = 1 / std::numbers::phi_v<S>;
  const S least = (std::max)(tolerance, std::sqrt(std::numeric_limits<S>::epsilon()));
  S c = b - ratio * (b - a), d = a + ratio * (b - a);
  S at_c = f(c), at_d = f(d);
  while (b - a > least) {
    if (at_c < at_d) {
      b = d;
      d = c;
      at_d = at_c;
      c = b - ratio * (b - a);
      at_c = f(c);
    } else {
      a = c;
      c = d;
      at_c = at_d;
      d = a + ratio * (b - a);
      at_d = f(d);
    }
  }
  return (a + b) / 2;
}

template <Real S>
typename IcaRotation<S>::Minimum IcaRotation<S>::best_angle(const Matrix<S>& pair,
                                                            const IcaSettings& settings,
                                                            const IcaSearch& search) {
  const auto contrast = [&](S angle) {
    return IcaMeasure<S>::of_columns(rotated(pair, angle), settings);
  };
  const S step = std::numbers::pi_v<S> / 2 / static_cast<S>(search.angles);
  std::vector<S> values(static_cast<std::size_t>(search.angles));
  parallel_for(search.angles, [&](Index q) {
    values[static_cast<std::size_t>(q)] = contrast(static_cast<S>(q) * step);
  });
  const auto best = static_cast<S>(std::min_element(values.begin(), values.end()) - values.begin());
  evaluations += search.angles;
  const auto counted = [&](S angle) {
    ++evaluations;
    return contrast(angle);
  };
  const S angle = golden_section(counted, (best - 1) * step, (best + 1) * step,
                                 static_cast<S>(search.angle_tolerance));
  return {angle, values[0] - counted(angle)};
}

template <Real S>
IcaRotation<S> IcaRotation<S>::find(const Matrix<S>& white, const IcaSettings& settings,
                                    const IcaSearch& search, const Observer& observer) {
  constexpr S rounding = S(1e-12), quarter = std::numbers::pi_v<S> / 4;
  const Index m = white.cols();
  IcaRotation out;
  out.rotation = Matrix<S>::Identity(m, m);
  Matrix<S> sources = white;
  while (out.sweeps < search.sweeps && !out.converged) {
    out.last_angle = 0;
    for (Index j = 1; j < m; ++j)
      for (Index i = 0; i < j; ++i) {
        out.cancelled = !go_on(observer, {"sweeps", out.sweeps, search.sweeps});
        if (out.cancelled) return out;
        const std::vector<Index> columns{i, j};
        const Matrix<S> pair = take_columns(sources, columns);
        const Minimum minimum = out.best_angle(pair, settings, search);
        if (!(minimum.gain > rounding)) continue;
        put_columns(rotated(pair, minimum.angle), columns, sources);
        put_columns(rotated(take_columns(out.rotation, columns), minimum.angle), columns,
                    out.rotation);
        // An angle of pi/2 only exchanges the columns, so count the distance to its multiples.
        const S angle = minimum.angle - 2 * quarter * std::round(minimum.angle / (2 * quarter));
        out.last_angle = (std::max)(out.last_angle, std::abs(angle));
      }
    ++out.sweeps;
    // A single pair is done after its minimum is found.
    out.converged = m == 2 || out.last_angle < static_cast<S>(search.sweep_tolerance);
  }
  return out;
}

#define MERCER_ICA_ROTATION(S) MERCER_INSTANTIATE_VIEWS(struct IcaRotation<S>)
MERCER_ICA_ROTATION(double)
#undef MERCER_ICA_ROTATION

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_ICA_ROTATION_HPP
