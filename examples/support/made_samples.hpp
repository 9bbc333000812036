// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Samples made by formulas, for examples of two and more views.

#ifndef MERCER_EXAMPLES_SUPPORT_MADE_SAMPLES_HPP
#define MERCER_EXAMPLES_SUPPORT_MADE_SAMPLES_HPP

#include <cmath>
#include <cstdint>
#include <numbers>

#include <Eigen/Core>

#include <mercer/core/random.hpp>

namespace examples {

/// Noisy pictures of ellipses with random axes and tilt, size x size pixels. One picture in each
/// row, column by column of pixels, so that each half is a block.
inline Eigen::MatrixXd ellipses(Eigen::Index count, Eigen::Index size) {
  Eigen::MatrixXd pictures(count, size * size);
  const double middle = static_cast<double>(size - 1) / 2;
  for (Eigen::Index i = 0; i < count; ++i) {
    mercer::RandomStream draws(1, "ellipses", static_cast<std::uint64_t>(i));
    const double a = 3 + 4 * draws.uniform(), b = 2 + 2 * draws.uniform();
    const double tilt = std::numbers::pi * draws.uniform();
    for (Eigen::Index pixel = 0; pixel < size * size; ++pixel) {
      const double x = static_cast<double>(pixel / size) - middle,
                   y = static_cast<double>(pixel % size) - middle;
      const double u = (x * std::cos(tilt) + y * std::sin(tilt)) / a,
                   v = (y * std::cos(tilt) - x * std::sin(tilt)) / b;
      pictures(i, pixel) = std::exp(-8 * std::pow(std::hypot(u, v) - 1, 2)) + .2 * draws.normal();
    }
  }
  return pictures;
}

/// The torques, in Nm, of a robot arm with two links of 1 kg and 1 m. Each row of \p states has the
/// angles of both joints, their velocities and their accelerations.
inline Eigen::MatrixXd arm_torques(const Eigen::MatrixXd& states) {
  Eigen::MatrixXd out(states.rows(), 2);
  for (Eigen::Index i = 0; i < states.rows(); ++i) {
    const auto q = states.row(i);
    const double c2 = std::cos(q(1)), s2 = std::sin(q(1)), gravity = 9.81;
    const double c1 = std::cos(q(0)), c12 = std::cos(q(0) + q(1));
    out(i, 0) = (3 + 2 * c2) * q(4) + (1 + c2) * q(5) - s2 * q(3) * (2 * q(2) + q(3)) +
                gravity * (2 * c1 + c12);
    out(i, 1) = (1 + c2) * q(4) + q(5) + s2 * q(2) * q(2) + gravity * c12;
  }
  return out;
}

/// Three measurements of each sample: for two samples of five N(-2, 0.6^2), for the others a Gamma
/// law of shape 2 and scale 0.7.
inline Eigen::MatrixXd mixture_measurements(Eigen::Index count) {
  mercer::RandomStream stream(1, "measurements");
  Eigen::MatrixXd x(count, 3);
  for (Eigen::Index i = 0; i < count; ++i) {
    const bool normal = stream.uniform() < 0.4;
    for (Eigen::Index view = 0; view < 3; ++view)
      x(i, view) = normal ? -2 + 0.6 * stream.normal()
                          : -0.7 * std::log(stream.uniform() * stream.uniform());
  }
  return x;
}

/// A reed, and a bell that is struck four times.
inline Eigen::MatrixXd reed_and_bell(Eigen::Index moments) {
  Eigen::MatrixXd out(moments, 2);
  for (Eigen::Index i = 0; i < moments; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(moments);
    out(i, 0) = 2 * std::fmod(23.7 * t, 1.0) - 1;
    out(i, 1) = std::exp(-14 * std::fmod(t, 0.25)) * std::sin(2 * std::numbers::pi * 97 * t);
  }
  return out;
}

}  // namespace examples

#endif  // MERCER_EXAMPLES_SUPPORT_MADE_SAMPLES_HPP
