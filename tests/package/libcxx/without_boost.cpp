// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Matern kernels where there are no Bessel functions: half-integers work, others are refused.

#include <cmath>
#include <iostream>
#include <string>

#include <Eigen/Core>

#include <mercer/core/errors.hpp>
#include <mercer/kernels/radial.hpp>

#if !defined(_LIBCPP_VERSION)
#error "this is not libc++"
#endif

int main() {
  const Eigen::MatrixXd x = Eigen::MatrixXd::Zero(1, 2), y = Eigen::MatrixXd::Constant(1, 2, 0.5);
  Eigen::MatrixXd value(1, 1);
  mercer::Matern{{.nu = 0.5, .length = 1}}.gram(x, y, value);
  if (!(std::abs(value(0, 0) - std::exp(-std::sqrt(0.5))) <= 1e-15)) {
    std::cout << "the kernel of order 1/2 is " << value << '\n';
    return 1;
  }
  try {
    const mercer::Matern kernel{{.nu = 0.8, .length = 1}};
  } catch (const mercer::InvalidArgument& error) {
    const std::string message = error.what();
    std::cout << message << '\n';
    return message.find("boost_math") == std::string::npos ? 1 : 0;
  }
#if defined(__cpp_lib_math_special_functions)
  return 0;
#else
  std::cout << "order 0.8 was not refused\n";
  return 1;
#endif
}
