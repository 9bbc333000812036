// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include <mercer/core/random.hpp>
#include <mercer/core/small_dense.hpp>

namespace small_dense_test {

namespace {

using mercer::Index;
using mercer::Matrix;
using mercer::Vector;

constexpr std::uint64_t seed = 5;

// A few roundings in sums over tens of terms, relative to the norm of the matrix.
template <class S>
constexpr S tolerance = 100 * std::numeric_limits<S>::epsilon();

template <class S>
void check_orthonormal(const Matrix<S>& q) {
  CHECK((q.transpose() * q - Matrix<S>::Identity(q.cols(), q.cols())).norm() <= tolerance<S>);
}

template <class S>
bool descending(const Vector<S>& values) {
  return std::is_sorted(values.data(), values.data() + values.size(), std::greater<S>());
}

}  // namespace

SCALAR_TEST_CASE("small_dense: eigenvalues descend and rebuild the matrix", "[core]") {
  using S = TestType;
  for (const Index size : {1, 2, 40}) {
    const Matrix<S> b = mercer::normal_matrix<S>(size, size, seed, "b");
    const Matrix<S> a = b + b.transpose();
    const mercer::EigenSystem<S> eigen = mercer::symmetric_eigensystem(a);
    CHECK(descending(eigen.values));
    check_orthonormal(eigen.vectors);
    CHECK((eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose() - a).norm() <=
          tolerance<S> * a.norm());
    // LAPACK finds values alone by another iteration.
    CHECK((mercer::symmetric_eigenvalues(a) - eigen.values).norm() <= tolerance<S> * a.norm());
  }
  CHECK(mercer::symmetric_eigensystem(Matrix<S>(0, 0)).vectors.size() == 0);
  CHECK(mercer::symmetric_eigenvalues(Matrix<S>(0, 0)).size() == 0);
  CHECK_THROWS_AS(mercer::symmetric_eigensystem<S>(Matrix<S>::Constant(2, 2, std::nanf(""))),
                  mercer::InvalidArgument);
  CHECK_THROWS_WITH(mercer::symmetric_eigenvalues<S>(Matrix<S>::Constant(2, 2, std::nanf(""))),
                    Catch::Matchers::Contains("symmetric_eigenvalues: values are not all finite"));
}

SCALAR_TEST_CASE("small_dense: equal, near and zero eigenvalues", "[core]") {
  using S = TestType;
  constexpr Index size = 150;  // LAPACK divides from 26 rows on
  Vector<S> values = Vector<S>::Zero(size);
  values.head(40).setConstant(S(3));
  for (Index i = 40; i < 80; ++i)
    values(i) = S(2) - static_cast<S>(i) * 4 * std::numeric_limits<S>::epsilon();
  const Matrix<S> b = mercer::normal_matrix<S>(size, size, seed, "b");
  const Matrix<S> basis = mercer::symmetric_eigensystem<S>(b + b.transpose()).vectors;
  const Matrix<S> a = basis * values.asDiagonal() * basis.transpose();
  Matrix<S> lower = a;
  lower.template triangularView<Eigen::StrictlyUpper>().setConstant(S(7));
  const mercer::EigenSystem<S> eigen = mercer::symmetric_eigensystem(lower);
  CHECK(descending(eigen.values));
  CHECK((eigen.values - values).cwiseAbs().maxCoeff() <= 3 * tolerance<S>);
  CHECK((mercer::symmetric_eigenvalues(lower) - values).cwiseAbs().maxCoeff() <= 3 * tolerance<S>);
  // Norms of differences of 150 x 150 entries.
  CHECK((eigen.vectors.transpose() * eigen.vectors - Matrix<S>::Identity(size, size)).norm() <=
        tolerance<S> * std::sqrt(S(size)));
  CHECK((a * eigen.vectors - eigen.vectors * eigen.values.asDiagonal()).norm() <=
        tolerance<S> * a.norm());
}

SCALAR_TEST_CASE("small_dense: singular values descend and rebuild the matrix", "[core]") {
  using S = TestType;
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {40, 40}, {30, 7}, {7, 30}}) {
    Matrix<S> a = mercer::normal_matrix<S>(rows, cols, seed, "a");
    a.col(0).setZero();
    const mercer::SingularSystem<S> svd = mercer::singular_system(a);
    CHECK(svd.values.size() == (std::min)(rows, cols));
    CHECK(descending(svd.values));
    CHECK(svd.values.minCoeff() >= 0);
    check_orthonormal(svd.left);
    check_orthonormal(svd.right);
    CHECK((svd.left * svd.values.asDiagonal() * svd.right.transpose() - a).norm() <=
          tolerance<S> * a.norm());
  }
  CHECK(mercer::singular_system(Matrix<S>(0, 3)).right.rows() == 3);
  CHECK_THROWS_AS(mercer::singular_system<S>(Matrix<S>::Constant(2, 2, std::nanf(""))),
                  mercer::InvalidArgument);
}

TEST_CASE("small_dense: products of empty matrices", "[core]") {
  const Matrix<double> none(3, 0), flat(0, 2);
  CHECK(mercer::detail::small_product(none, flat) == Matrix<double>::Zero(3, 2));
  CHECK(mercer::detail::small_product(flat, Matrix<double>(2, 4)).size() == 0);
}

TEST_CASE("small_dense: the threads of the caller are kept", "[core]") {
  const int before = mercer::thread_count();
  {
    const mercer::detail::SingleThread one;
    CHECK(mercer::thread_count() == 1);
  }
  CHECK(mercer::thread_count() == before);
}

}  // namespace small_dense_test
