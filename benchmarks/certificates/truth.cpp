// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <benchmarks/certificates/truth.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <variant>

#include <Eigen/Eigenvalues>

#include <mercer/solvers/eigenpairs.hpp>

namespace certificates {

namespace {

using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Columns = Eigen::Ref<const Eigen::Matrix<Real, Eigen::Dynamic, 1>>;

[[nodiscard]] Real number(const Problem& problem, const char* name) {
  const mercer::ParameterValue& value = problem.parameters.at(name);
  if (const auto* whole = std::get_if<Index>(&value)) return static_cast<Real>(*whole);
  return static_cast<Real>(std::get<double>(value));
}

/// k(x, y).
[[nodiscard]] Real kernel(const Problem& p, const Columns& x, const Columns& y) {
  if (p.kernel == "linear") return x.dot(y);
  if (p.kernel == "polynomial")
    return std::pow(number(p, "gamma") * x.dot(y) + number(p, "coef0"), number(p, "degree"));
  if (p.kernel == "sigmoid") return std::tanh(number(p, "gamma") * x.dot(y) + number(p, "coef0"));
  if (p.kernel == "exponential-dot") return std::exp(number(p, "gamma") * x.dot(y));
  if (p.kernel == "gaussian") {
    const Real sigma = number(p, "sigma");
    return std::exp(-(x - y).squaredNorm() / (2 * sigma * sigma));
  }
  if (p.kernel == "laplacian") return std::exp(-number(p, "gamma") * (x - y).cwiseAbs().sum());
  if (p.kernel == "cauchy") {
    const Real gamma = number(p, "gamma");
    return 1 / (1 + (gamma * (x - y)).array().square()).prod();
  }
  if (p.kernel == "rational-quadratic") {
    const Real alpha = number(p, "alpha"), length = number(p, "length");
    return std::pow(1 + (x - y).squaredNorm() / (2 * alpha * length * length), -alpha);
  }
  throw std::invalid_argument("no formula for the kernel " + p.kernel);
}

/// About the rounding error of kernel values, in ulp: that of inner products of d terms, times the
/// condition of the function of them.
[[nodiscard]] double ulps(const Problem& p, const RealMatrix& gram) {
  double condition = 1;
  if (p.kernel == "exponential-dot")
    condition = static_cast<double>(std::log(gram.diagonal().maxCoeff()));
  else if (p.kernel == "polynomial")
    condition = static_cast<double>(number(p, "degree"));
  else if (p.kernel == "sigmoid")
    // The root mean square: few values of large inner products are not near 1 or -1.
    condition =
        std::sqrt(static_cast<double>(number(p, "gamma")) * p.x.rowwise().squaredNorm().maxCoeff() /
                  static_cast<double>(gram.diagonal().cwiseAbs().maxCoeff()));
  else
    return 1;
  return (std::max)(1.0, condition) *
         (std::max)(1.0, std::sqrt(static_cast<double>(p.x.cols())) / 2);
}

}  // namespace

Truth::Truth(const Problem& problem, bool centered, Index most_eigenvalues) {
  const Index n = problem.x.rows();
  const RealMatrix columns = problem.x.transpose().cast<Real>();
  gram_.resize(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i <= j; ++i)
      gram_(i, j) = gram_(j, i) = kernel(problem, columns.col(i), columns.col(j));
  const auto diagonal = static_cast<double>(gram_.diagonal().cwiseAbs().sum());
  noise_scale_ = diagonal * (std::max)(1.0, ulps(problem, gram_) / mercer::detail::noise_ulps);
  if (centered) {
    const Eigen::Matrix<Real, Eigen::Dynamic, 1> means = gram_.rowwise().mean();
    const Real mean = means.mean();
    gram_.rowwise() -= means.transpose();
    gram_.colwise() -= means;
    gram_.array() += mean;
  }
  if (n > most_eigenvalues || !gram_.allFinite()) return;
  // A power of two brings the largest entry to order 1, so that squares do not overflow.
  const Real largest = gram_.cwiseAbs().maxCoeff();
  const int unit = largest > 0 ? std::ilogb(largest) : 0;
  const Matrix<double> scaled = (gram_ * std::ldexp(Real(1), -unit)).cast<double>();
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> system(scaled, Eigen::EigenvaluesOnly);
  eigenvalues_ = system.eigenvalues().reverse() * std::ldexp(1.0, unit);
}

mercer::Vector<double> Truth::residuals(const Matrix<double>& u,
                                        const mercer::Vector<double>& mu) const {
  mercer::Vector<double> norms(mu.size());
  for (Index i = 0; i < mu.size(); ++i) {
    const Eigen::Matrix<Real, Eigen::Dynamic, 1> v = u.col(i).cast<Real>();
    norms(i) = static_cast<double>((gram_ * v - static_cast<Real>(mu(i)) * v).norm());
  }
  return norms;
}

}  // namespace certificates
