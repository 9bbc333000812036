// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel sliced inverse regression of a robot arm: two functions of its six state variables carry
/// its two torques. Least squares on the functions predicts them. Draws sir_arm.svg.

#include <cstdio>
#include <string>

#include <Eigen/Geometry>
#include <Eigen/QR>

#include <mercer/core/random.hpp>
#include <mercer/mercer.hpp>

#include <examples/support/gnuplot.hpp>
#include <examples/support/made_samples.hpp>
#include <examples/support/scatter.hpp>

int main() {
  const Eigen::MatrixXd states = mercer::normal_matrix<double>(1500, 6, 1, "states"),
                        fresh = mercer::normal_matrix<double>(500, 6, 2, "states");
  const Eigen::MatrixXd torque = examples::arm_torques(states),
                        truth = examples::arm_torques(fresh);
  const mercer::KernelSir sir{mercer::Gaussian{1.5 * mercer::median_distance(states)},
                              mercer::Exact{},
                              {.components = 2, .regularization = 1e-6}};
  const auto model = sir.fit(states, torque);  // several outputs: through the linear kernel

  const auto predict = [&](const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& at) {
    const Eigen::MatrixXd with_ones = inputs.rowwise().homogeneous();
    return (at.rowwise().homogeneous() * with_ones.colPivHouseholderQr().solve(torque)).eval();
  };
  const Eigen::MatrixXd guess = predict(model.transform(states), model.transform(fresh));
  const double spread = (truth.rowwise() - truth.colwise().mean()).squaredNorm();
  std::printf("share of the torques' variance that is not explained, on new states\n");
  std::printf("  by least squares on the 6 states        %.3f\n",
              (predict(states, fresh) - truth).squaredNorm() / spread);
  std::printf("  by least squares on the 2 functions     %.3f\n",
              (guess - truth).squaredNorm() / spread);

  examples::Picture picture(1000, 480);
  picture << "set multiplot layout 1,2\nset xlabel 'torque, Nm'\nset ylabel 'predicted, Nm'\n";
  for (const int joint : {0, 1}) {
    Eigen::MatrixX2d pair(fresh.rows(), 2);
    pair << truth.col(joint), guess.col(joint);
    picture << "set title 'joint " << joint + 1 << "'\n";
    examples::scatter(picture, "joint" + std::to_string(joint), pair, {});
  }
  picture.draw("sir_arm.svg");
}
