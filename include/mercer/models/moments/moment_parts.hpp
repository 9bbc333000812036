// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What moments of parts of the rows have in common: which parts belong together.

#ifndef MERCER_MODELS_MOMENTS_MOMENT_PARTS_HPP
#define MERCER_MODELS_MOMENTS_MOMENT_PARTS_HPP

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/fit_setting.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// Moments cannot be merged: they are of parts of different fits.
class MomentMismatch : public InvalidArgument {
 public:
  /// \param who      the class of the moments
  /// \param problem  a sentence, where no setting differs
  MomentMismatch(std::string_view who, std::vector<SettingDifference> differences,
                 std::string_view problem)
      : InvalidArgument(
            "mercer::" + std::string(who) + "::merge: the parts are of different fits: " +
            (differences.empty() ? std::string(problem) : detail::in_words(differences))),
        differences_(std::move(differences)) {}

  /// The settings that differ. \c here are those of the moments that were to take the others.
  /// Empty if only features differ that have no words.
  [[nodiscard]] const std::vector<SettingDifference>& differences() const { return differences_; }

 private:
  std::vector<SettingDifference> differences_;
};

namespace detail {

/// What the sums of a part are sums of: the settings of the fit, and the features of one sample: a
/// landmark, or a fixed one. The settings say in words what differs. The features also tell maps
/// and kernels apart that have no words for themselves, and factors of landmarks that rounding
/// errors have spoiled.
struct MomentIdentity {
  std::vector<FitSetting> settings;
  Vector<double> features;
  double tolerance = 0;  ///< relative, of the features
};

/// The fixed sample, 1 x d: uniform numbers in (0, d^(-1/2)), inside the domain of the kernels that
/// mercer has features for.
/// Random: a fixed seed, purpose "moment identity".
template <Real S>
[[nodiscard]] Matrix<S> identity_sample(Index dimension) {
  RandomStream stream(1, "moment identity");
  const double scale = 1 / std::sqrt(static_cast<double>(dimension));
  Matrix<S> x(1, dimension);
  for (Index j = 0; j < dimension; ++j) x(0, j) = static_cast<S>(scale * stream.uniform());
  return x;
}

/// Throws MomentMismatch unless both are of parts of one fit.
/// \param features_differ  a sentence for equal settings and other features
inline void require_same_fit(std::string_view who, const MomentIdentity& there,
                             const MomentIdentity& here, std::string_view features_differ) {
  std::vector<SettingDifference> differences = setting_differences(there.settings, here.settings);
  if (!differences.empty()) throw MomentMismatch(who, std::move(differences), features_differ);
  const bool same =
      there.features.size() == here.features.size() &&
      (there.features - here.features).norm() <= here.tolerance * here.features.norm();
  // Features that are not finite are those of sums that no model can be made of.
  if (!same && here.features.allFinite()) throw MomentMismatch(who, {}, features_differ);
}

/// By how much features may differ that were computed on different machines, relatively.
template <Real S>
[[nodiscard]] double identity_tolerance() {
  return std::sqrt(static_cast<double>(std::numeric_limits<S>::epsilon()));
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_MODELS_MOMENTS_MOMENT_PARTS_HPP
