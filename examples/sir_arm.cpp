// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel sliced inverse regression of a robot arm with two joints: two functions of the six state
/// variables carry the two torques. Least squares on the functions predicts them. Draws
/// sir_arm.svg.

#include <cmath>
#include <cstdio>
#include <string>

#include <Eigen/QR>

#include <mercer/core/random.hpp>
#include <mercer/mercer.hpp>

#include <examples/support/gnuplot.hpp>
#include <examples/support/scatter.hpp>

namespace {

/// Torques of two links of unit mass and length, from angles, velocities and accelerations.
Eigen::MatrixXd torques(const Eigen::MatrixXd& q) {
  Eigen::MatrixXd out(q.rows(), 2);
  for (Eigen::Index i = 0; i < q.rows(); ++i) {
    const double c2 = std::cos(q(i, 1)), s2 = std::sin(q(i, 1)), gravity = 9.81;
    const double c1 = std::cos(q(i, 0)), c12 = std::cos(q(i, 0) + q(i, 1));
    out(i, 0) = (3 + 2 * c2) * q(i, 4) + (1 + c2) * q(i, 5) -
                s2 * q(i, 3) * (2 * q(i, 2) + q(i, 3)) + gravity * (2 * c1 + c12);
    out(i, 1) = (1 + c2) * q(i, 4) + q(i, 5) + s2 * q(i, 2) * q(i, 2) + gravity * c12;
  }
  return out;
}

Eigen::MatrixXd with_ones(const Eigen::MatrixXd& a) {
  Eigen::MatrixXd out(a.rows(), a.cols() + 1);
  out << Eigen::VectorXd::Ones(a.rows()), a;
  return out;
}

}  // namespace

int main() {
  const Eigen::MatrixXd states = mercer::normal_matrix<double>(1500, 6, 1, "states"),
                        fresh = mercer::normal_matrix<double>(500, 6, 2, "states");
  const Eigen::MatrixXd torque = torques(states), truth = torques(fresh);
  const mercer::KernelSir sir{mercer::Gaussian{1.5 * mercer::median_distance(states)},
                              mercer::Exact{},
                              {.components = 2, .regularization = 1e-6}};
  const auto model = sir.fit(states, torque);  // several outputs: through the linear kernel

  const auto predict = [&](const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& at) {
    return (with_ones(at) * with_ones(inputs).colPivHouseholderQr().solve(torque)).eval();
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
  const std::string problem = picture.save("sir_arm.svg");
  std::printf("%s\n", problem.empty() ? "drawn: sir_arm.svg" : ("no picture: " + problem).c_str());
}
