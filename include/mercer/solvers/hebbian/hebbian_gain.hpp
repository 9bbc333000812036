// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The gains of the kernel Hebbian algorithm, and its parameters.

#ifndef MERCER_SOLVERS_HEBBIAN_HEBBIAN_GAIN_HPP
#define MERCER_SOLVERS_HEBBIAN_HEBBIAN_GAIN_HPP

#include <cstdint>
#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// The gain eta_i of row i at update t = 0, 1, ..., from a step eta0 and a time tau. The current
/// estimate of eigenvalue i is lambda_i = |(A K)_i| / |A_i|.
enum class Gain {
  Constant,     ///< eta0
  InverseTime,  ///< eta0 tau / (t + tau)
  Et,           ///< eta0 tau / (t + tau) / lambda_i
  EtStar,       ///< eta0 n / (t + n) |lambda| / lambda_i
  Smd           ///< gain of EtStar times exp(rho_i), with rho from stochastic meta-descent
};

[[nodiscard]] constexpr std::string_view to_string(Gain gain) {
  switch (gain) {
    case Gain::Constant:
      return "constant";
    case Gain::InverseTime:
      return "inverse-time";
    case Gain::Et:
      return "et";
    case Gain::EtStar:
      return "et-star";
    case Gain::Smd:
      return "smd";
  }
  return "unknown";
}

struct KernelHebbianParams {
  Gain gain = Gain::EtStar;  ///< how steps follow from eigenvalues
  /// eta0, for a kernel matrix divided by its mean diagonal entry. 0 selects the default: 0.05 for
  /// Constant, 0.5 for InverseTime, 4 for Et, 0.2 for EtStar and Smd.
  double gain_step = 0;
  double tau = 0;            ///< updates, for InverseTime and Et; 0: n (InverseTime), 4 n (Et)
  Index epochs = 50;         ///< passes over the samples
  double meta_step = 0.05;   ///< mu of Smd
  double meta_decay = 0.99;  ///< xi of Smd, in [0, 1]
  double tolerance = 1e-2;   ///< Converged if |K u - mu u| <= tolerance mu_1 for each component
  std::uint64_t seed = 1;

  void validate() const {
    constexpr std::string_view who = "KernelHebbian";
    detail::require_not_negative(who, "gain_step", gain_step);
    detail::require_not_negative(who, "tau", tau);
    detail::require_at_least(who, "epochs", epochs, Index{1});
    detail::require_not_negative(who, "meta_step", meta_step);
    if (!(meta_decay >= 0 && meta_decay <= 1))
      detail::fail("mercer::", who, ": meta_decay must be in [0, 1], got ", meta_decay);
    detail::require_positive(who, "tolerance", tolerance);
  }
};

namespace detail {

/// The parameters of a gain.
struct GainSchedule {
  Gain gain = Gain::Constant;
  double step = 0.05;       ///< eta0
  double time = 0;          ///< tau, in updates
  double meta_step = 0;     ///< mu of Smd
  double meta_decay = .99;  ///< xi of Smd
};

/// The gain parameters for n samples, with defaults filled in.
[[nodiscard]] inline GainSchedule gain_schedule(const KernelHebbianParams& params, Index n) {
  GainSchedule schedule{.gain = params.gain,
                        .step = params.gain_step,
                        .time = params.tau,
                        .meta_step = params.meta_step,
                        .meta_decay = params.meta_decay};
  if (schedule.step == 0) {
    switch (params.gain) {
      case Gain::Constant:
        schedule.step = 0.05;
        break;
      case Gain::InverseTime:
        schedule.step = 0.5;
        break;
      case Gain::Et:
        schedule.step = 4;
        break;
      case Gain::EtStar:
      case Gain::Smd:
        schedule.step = 0.2;
        break;
    }
  }
  if (schedule.time == 0)
    schedule.time = static_cast<double>(n) * (params.gain == Gain::Et ? 4 : 1);
  return schedule;
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_SOLVERS_HEBBIAN_HEBBIAN_GAIN_HPP
