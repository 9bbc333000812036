// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/detail/tensor_power.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include <mercer/core/tall_skinny.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace tensor_power_test {

using namespace mercer;
using detail::SymmetricTensor;
using detail::TensorComponents;

namespace {

using Components = TensorComponents<double>;

Matrix<double> orthonormal(Index k, std::uint64_t seed) {
  return orthonormalize(test::uniform_samples<double>(k, k, seed)).Q;
}

SymmetricTensor<double> tensor_of(const Vector<double>& values, const Matrix<double>& vectors) {
  SymmetricTensor<double> tensor(vectors.rows());
  for (Index h = 0; h < values.size(); ++h) tensor.add(values(h), vectors.col(h));
  return tensor;
}

}  // namespace

TEST_CASE("tensor_power: components of orthogonal tensors", "[models]") {
  for (const Index k : {1, 2, 5, 8}) {
    const auto seed = static_cast<std::uint64_t>(k);
    const Matrix<double> vectors = orthonormal(k, seed);
    Vector<double> values = test::uniform_samples<double>(k, 1, seed + 10, 1, 3);
    std::sort(values.data(), values.data() + k, std::greater<>());
    const Components found = Components::find(tensor_of(values, vectors), k, {});
    CHECK(found.converged);
    // The start with the largest value is kept, but the largest component of all is found only if a
    // start leads to it. So compare the components whatever their order.
    Vector<double> sorted = found.values;
    std::sort(sorted.data(), sorted.data() + k, std::greater<>());
    CHECK((sorted - values).cwiseAbs().maxCoeff() <= 1e-10);
    const Matrix<double> products = found.vectors.transpose() * vectors;
    const Matrix<double> permutation = products.array().round();
    CHECK((products - permutation).cwiseAbs().maxCoeff() <= 1e-10);
    CHECK((permutation.rowwise().sum().array() == 1).all());  // and so the signs are right
    CHECK((permutation.colwise().sum().array() == 1).all());
  }
}

TEST_CASE("tensor_power: fewer components than dimensions, and none", "[models]") {
  const Matrix<double> vectors = orthonormal(4, 1);
  const Vector<double> values = Vector<double>::LinSpaced(2, 3, 2);
  const Components two = Components::find(tensor_of(values, vectors.leftCols(2)), 3, {});
  CHECK(std::abs(two.values(2)) <= 1e-10);
  const Components none = Components::find(SymmetricTensor<double>(3), 2, {});
  CHECK((none.values.array() == 0).all());
  CHECK_FALSE(none.converged);
  CHECK(none.vectors.allFinite());
}

TEST_CASE("tensor_power: a small perturbation changes the components as little", "[models]") {
  const Index k = 4;
  const Matrix<double> vectors = orthonormal(k, 3);
  const Vector<double> values = Vector<double>::LinSpaced(k, 3, 1.5);
  SymmetricTensor<double> tensor = tensor_of(values, vectors);
  constexpr double noise = 1e-4;
  tensor.add(noise, Vector<double>::Constant(k, 0.5));  // a unit vector
  const Components found = Components::find(tensor, k, {});
  CHECK(found.converged);
  Vector<double> sorted = found.values;
  std::sort(sorted.data(), sorted.data() + k, std::greater<>());
  CHECK((sorted - values).cwiseAbs().maxCoeff() <= 4 * noise);
  CHECK((found.vectors.transpose() * found.vectors - Matrix<double>::Identity(k, k)).norm() <=
        10 * noise);
}

TEST_CASE("tensor_power: the third moment is the mean over samples and orders", "[models]") {
  const Index n = 7, k = 3;
  const Matrix<double> a = test::uniform_samples<double>(n, k, 1),
                       b = test::uniform_samples<double>(n, k, 2),
                       c = test::uniform_samples<double>(n, k, 3);
  const auto moment = SymmetricTensor<double>::moment(a, b, c);
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < k; ++j)
      for (Index l = 0; l < k; ++l) {
        double sum = 0;
        for (Index row = 0; row < n; ++row)
          sum += a(row, i) * (b(row, j) * c(row, l) + b(row, l) * c(row, j)) +
                 a(row, j) * (b(row, i) * c(row, l) + b(row, l) * c(row, i)) +
                 a(row, l) * (b(row, i) * c(row, j) + b(row, j) * c(row, i));
        CHECK(moment(i, j, l) == Approx(sum / 6 / n).margin(1e-14));
      }
  const Vector<double> v = a.row(0).transpose();
  const Vector<double> image = moment.contract(v);
  for (Index i = 0; i < k; ++i) {
    double sum = 0;
    for (Index j = 0; j < k; ++j)
      for (Index l = 0; l < k; ++l) sum += moment(i, j, l) * v(j) * v(l);
    CHECK(image(i) == Approx(sum).margin(1e-14));
  }
}

TEST_CASE("tensor_power: the same bits for the same seed", "[models]") {
  const SymmetricTensor<double> tensor =
      tensor_of(Vector<double>::LinSpaced(3, 3, 1), orthonormal(3, 5));
  const Components a = Components::find(tensor, 3, {.seed = 4});
  const Components b = Components::find(tensor, 3, {.seed = 4});
  CHECK((a.vectors.array() == b.vectors.array()).all());
  CHECK((a.values.array() == b.values.array()).all());
}

}  // namespace tensor_power_test
