// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>
#include <cstdint>
#include <limits>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/SVD>

#include <mercer/core/small_dense.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/principal_angles.hpp>
#include <tests/metrics/points.hpp>
#include <tests/support/catch.hpp>

namespace principal_angles_test {

using Catch::Matchers::ContainsSubstring;
using mercer::Index;
using mercer::Matrix;
using mercer::principal_angles;
using mercer::PrincipalAngles;
using mercer::Vector;
using mercer::test::change_of_basis;
using mercer::test::four_points;
using mercer::test::normals;
using mercer::test::unit_coefficients;

namespace {

// Values are given with 12 decimals.
constexpr double worked_tolerance = 1e-11;
// A hundred times the error of a product of a few hundred terms of size 1 in double.
constexpr double tight = 1e-12;

double largest_difference(const Vector<double>& a, const Vector<double>& b) {
  REQUIRE(a.size() == b.size());
  return (a - b).cwiseAbs().maxCoeff();
}

/// The definition on stored kernel matrices: Cholesky factors of A^T K A and B^T K B.
Vector<double> cosines_by_cholesky(const Matrix<double>& aa, const Matrix<double>& ab,
                                   const Matrix<double>& bb) {
  const Eigen::LLT<Matrix<double>> left(aa), right(bb);
  const Matrix<double> half = left.matrixL().solve(ab);
  const Matrix<double> whole = right.matrixL().solve(half.transpose());
  return Eigen::JacobiSVD<Matrix<double>>(whole).singularValues();
}

}  // namespace

TEST_CASE("principal angles: worked example", "[metrics][angles]") {
  const Matrix<double> x = four_points(), k = mercer::gram(mercer::Gaussian{1}, x);
  const Matrix<double> a = unit_coefficients(mercer::symmetric_eigensystem(k), 2);
  const Matrix<double> b = Matrix<double>::Identity(4, 2);
  for (const auto& result : {principal_angles(mercer::Gaussian{1}, x, a, b),
                             principal_angles(mercer::Precomputed{}, k, a, b),
                             principal_angles(mercer::Gaussian{1}, x, a, x.topRows(2),
                                              Matrix<double>::Identity(2, 2))}) {
    CHECK(result.cosines(0) == Approx(0.968808220338).margin(worked_tolerance));
    CHECK(result.cosines(1) == Approx(0.061294079478).margin(worked_tolerance));
    CHECK(result.projection_distance() == Approx(1.454409617698).margin(worked_tolerance));
    CHECK(result.largest_squared_sine() == Approx(0.996243035821).margin(worked_tolerance));
    const Vector<double> ones = result.cosines.cwiseAbs2() + result.sines.cwiseAbs2();
    CHECK((ones.array() - 1).abs().maxCoeff() <= tight);
    CHECK(std::cos(result.angles()(0)) == Approx(0.968808220338).margin(worked_tolerance));
  }
}

TEST_CASE("principal angles: identical spans under any change of basis", "[metrics][angles]") {
  const Matrix<double> x = normals(40, 3, 1);
  const mercer::Gaussian kernel{1.2};
  const Matrix<double> a = normals(40, 5, 2);
  for (const double condition : {1e1, 1e3, 1e6}) {
    for (std::uint64_t seed = 10; seed < 15; ++seed) {
      const Matrix<double> b = a * change_of_basis(5, condition, seed);
      // The entries of b are rounded, which turns its span by up to condition * epsilon times the
      // ratio of coefficient to function norms, here below 100.
      const double turned = 100 * condition * std::numeric_limits<double>::epsilon();
      for (const auto& result : {principal_angles(kernel, x, a, b), principal_angles(a, b)}) {
        REQUIRE(result.cosines.size() == 5);
        CHECK(result.right_dimension == 5);
        CHECK(result.cosines.minCoeff() >= 1 - tight);
        CHECK(result.cosines.maxCoeff() <= 1);
        CHECK(result.sines.maxCoeff() <= turned);
      }
    }
  }
}

TEST_CASE("principal angles: a change of both bases keeps the angles", "[metrics][angles]") {
  const Matrix<double> x = normals(30, 2, 3);
  const mercer::Laplacian kernel{0.7};
  const Matrix<double> a = normals(30, 3, 4), b = normals(30, 4, 5);
  const PrincipalAngles expected = principal_angles(kernel, x, a, b);
  const PrincipalAngles changed =
      principal_angles(kernel, x, a * change_of_basis(3, 1e3, 6), b * change_of_basis(4, 1e3, 8));
  CHECK(largest_difference(expected.angles(), changed.angles()) <= 1e3 * tight);
  const PrincipalAngles swapped = principal_angles(kernel, x, b, a);
  CHECK(largest_difference(expected.angles(), swapped.angles()) <= tight);
  CHECK(swapped.left_dimension == 4);
  CHECK(swapped.right_dimension == 3);
  CHECK(swapped.projection_distance() ==
        Approx(std::sqrt(7 - 2 * expected.cosines.squaredNorm())).epsilon(tight));
}

TEST_CASE("principal angles: orthogonal spans", "[metrics][angles]") {
  const Matrix<double> identity = Matrix<double>::Identity(6, 6);
  const PrincipalAngles exact =
      principal_angles(mercer::Linear{}, identity, identity.leftCols(2), identity.rightCols(3));
  CHECK(exact.cosines == Vector<double>::Zero(2));
  CHECK(exact.sines.minCoeff() >= 1 - tight);
  CHECK(exact.projection_distance() == Approx(std::sqrt(5.0)).epsilon(tight));

  const Matrix<double> x = normals(30, 4, 9);
  const auto eigen = mercer::symmetric_eigensystem<double>(mercer::gram(mercer::Gaussian{1}, x));
  const PrincipalAngles components =
      principal_angles(mercer::Gaussian{1}, x, eigen.vectors.leftCols(3),
                       eigen.vectors.middleCols(3, 4) * change_of_basis(4, 10, 1));
  CHECK(components.cosines.maxCoeff() <= tight);
  CHECK(components.sines.minCoeff() >= 1 - tight);
}

TEST_CASE("principal angles: tiny angles beside large ones", "[metrics][angles]") {
  const Matrix<double> x = normals(25, 3, 12);
  const mercer::Gaussian kernel{1};
  const auto eigen = mercer::symmetric_eigensystem<double>(mercer::gram(kernel, x));
  const Matrix<double> unit = unit_coefficients(eigen, 6);
  const auto check = [](const PrincipalAngles& result, double tiny) {
    CHECK(result.angles()(0) == Approx(tiny).epsilon(1e-5));
    CHECK(result.sines(0) == Approx(std::sin(tiny)).epsilon(1e-5));
    CHECK(result.angles()(1) == Approx(0.01).epsilon(1e-11));
    CHECK(result.angles()(2) == Approx(0.5).epsilon(1e-12));
  };
  for (const double tiny : {1e-6, 1e-9, 1e-10}) {
    Matrix<double> turn(6, 3);
    turn << std::cos(tiny), 0, 0, 0, std::cos(0.01), 0, 0, 0, std::cos(0.5),  //
        std::sin(tiny), 0, 0, 0, std::sin(0.01), 0, 0, 0, std::sin(0.5);
    const Matrix<double> mixed = turn * change_of_basis(3, 2, 20);
    check(principal_angles(kernel, x, unit.leftCols(3), unit * mixed), tiny);
    check(principal_angles(eigen.vectors.leftCols(3), eigen.vectors.leftCols(6) * mixed), tiny);
  }
}

TEST_CASE("principal angles: expansions over different samples", "[metrics][angles]") {
  // With the linear kernel the functions are the vectors X^T A and Y^T B of R^d.
  const Matrix<double> x = normals(10, 8, 30), y = normals(300, 8, 31);
  const Matrix<double> a = normals(10, 2, 32), b = normals(300, 3, 33);
  const PrincipalAngles expected = principal_angles(x.transpose() * a, y.transpose() * b);
  const PrincipalAngles result = principal_angles(mercer::Linear{}, x, a, y, b);
  CHECK(largest_difference(result.angles(), expected.angles()) <= tight);
  CHECK(result.left_dimension == 2);
  CHECK(result.right_dimension == 3);

  const mercer::Gaussian kernel{2};
  const PrincipalAngles curved = principal_angles(kernel, x, a, y, b);
  const Vector<double> oracle = cosines_by_cholesky(a.transpose() * mercer::gram(kernel, x) * a,
                                                    a.transpose() * mercer::gram(kernel, x, y) * b,
                                                    b.transpose() * mercer::gram(kernel, y) * b);
  CHECK(largest_difference(curved.cosines, oracle) <= tight);

  const mercer::SparseMatrix<double> x_sparse = x.sparseView(), y_sparse = y.sparseView();
  CHECK(largest_difference(principal_angles(kernel, x_sparse, a, y_sparse, b).angles(),
                           curved.angles()) <= tight);
}

TEST_CASE("principal angles: streamed tiles agree with the stored matrix", "[metrics][angles]") {
  const Matrix<double> x = normals(530, 4, 40);
  const Matrix<double> a = normals(530, 3, 41), b = normals(530, 3, 42);
  const mercer::Gaussian kernel{1.5};
  const Matrix<double> k = mercer::gram(kernel, x);
  const PrincipalAngles result = principal_angles(kernel, x, a, b);
  const Vector<double> oracle =
      cosines_by_cholesky(a.transpose() * k * a, a.transpose() * k * b, b.transpose() * k * b);
  CHECK(largest_difference(result.cosines, oracle) <= tight);

  const mercer::RowMajorMatrix<double> by_row = x;
  CHECK(principal_angles(kernel, by_row, a, b).sines == result.sines);
  const int before = mercer::thread_count();
  mercer::set_thread_count(1);
  const PrincipalAngles one = principal_angles(kernel, x, a, b);
  mercer::set_thread_count(3);
  const PrincipalAngles three = principal_angles(kernel, x, a, b);
  mercer::set_thread_count(before);
  CHECK(one.cosines == three.cosines);
  CHECK(one.sines == three.sines);
}

TEST_CASE("principal angles: dependent coefficients", "[metrics][angles]") {
  const Matrix<double> x = normals(50, 3, 50);
  const mercer::Gaussian kernel{1};
  const Matrix<double> basis = normals(50, 2, 51);
  Matrix<double> dependent(50, 5);
  dependent << basis.col(0), 1e150 * basis.col(1), 1e-150 * (basis.col(0) - 2 * basis.col(1)),
      Vector<double>::Zero(50), basis.col(0);
  const Matrix<double> other = normals(50, 3, 52);
  const PrincipalAngles expected = principal_angles(kernel, x, basis, other);
  const PrincipalAngles result = principal_angles(kernel, x, dependent, other);
  CHECK(result.left_dimension == 2);
  CHECK(result.right_dimension == 3);
  CHECK(largest_difference(result.angles(), expected.angles()) <= tight);
  CHECK(principal_angles(dependent, other).left_dimension == 2);
  CHECK(largest_difference(principal_angles(dependent, other).angles(),
                           principal_angles(basis, other).angles()) <= tight);

  // Functions can be dependent where coefficients are not: six points in the plane.
  const PrincipalAngles flat =
      principal_angles(mercer::Linear{}, normals(6, 2, 53), Matrix<double>::Identity(6, 6),
                       Matrix<double>::Identity(6, 1));
  CHECK(flat.left_dimension == 2);
  CHECK(flat.cosines(0) == Approx(1).epsilon(tight));
  CHECK(flat.projection_distance() == Approx(1).epsilon(tight));
}

TEST_CASE("principal angles: components over ten orders of magnitude", "[metrics][angles]") {
  const Matrix<double> x = normals(60, 1, 60);
  const mercer::Gaussian kernel{1};
  const auto eigen = mercer::symmetric_eigensystem<double>(mercer::gram(kernel, x));
  Index count = 1;
  while (eigen.values(count) > 1e-10 * eigen.values(0)) ++count;
  const Matrix<double> unit = unit_coefficients(eigen, count);
  const PrincipalAngles result =
      principal_angles(kernel, x, unit, unit * change_of_basis(count, 10, 61));
  CHECK(result.left_dimension == count);
  CHECK(result.right_dimension == count);
  CHECK(result.cosines.minCoeff() >= 1 - tight);
  // epsilon times the ratio of eigenvalues, 1e10.
  CHECK(result.sines.maxCoeff() <= 1e10 * std::numeric_limits<double>::epsilon());
}

TEST_CASE("principal angles: subspaces of dimension zero", "[metrics][angles]") {
  const Matrix<double> x = four_points();
  const PrincipalAngles result = principal_angles(
      mercer::Gaussian{1}, x, Matrix<double>::Zero(4, 2), Matrix<double>::Identity(4, 3));
  CHECK(result.cosines.size() == 0);
  CHECK(result.left_dimension == 0);
  CHECK(result.right_dimension == 3);
  CHECK(result.projection_distance() == Approx(std::sqrt(3.0)).epsilon(tight));
  CHECK(result.largest_squared_sine() == 0);
  const PrincipalAngles nothing =
      principal_angles(mercer::Gaussian{1}, normals(300, 2, 65), Matrix<double>::Zero(300, 2),
                       Matrix<double>(300, 0));
  CHECK(nothing.projection_distance() == 0);
  const PrincipalAngles empty = principal_angles(Matrix<double>(4, 0), Matrix<double>(4, 0));
  CHECK(empty.angles().size() == 0);
  CHECK(empty.projection_distance() == 0);
}

TEST_CASE("principal angles: single precision", "[metrics][angles]") {
  const Matrix<float> x = normals(40, 3, 70).cast<float>();
  const Matrix<float> a = normals(40, 3, 71).cast<float>(), b = normals(40, 2, 72).cast<float>();
  const PrincipalAngles expected = principal_angles(
      mercer::Gaussian{1}, Matrix<double>(x.cast<double>()), a.cast<double>(), b.cast<double>());
  CHECK(largest_difference(principal_angles(mercer::Gaussian{1}, x, a, b).angles(),
                           expected.angles()) <= tight);
  // Columns that are dependent up to the rounding of their entries.
  Matrix<float> dependent(40, 3);
  dependent << a.leftCols(2), a.col(0) + a.col(1) / 3;
  CHECK(principal_angles(dependent, b).left_dimension == 2);
}

TEST_CASE("principal angles: a Gram matrix in single precision", "[metrics][angles]") {
  const Matrix<double> k = mercer::gram(mercer::Gaussian{1}, normals(50, 3, 73));
  const Matrix<double> a = normals(50, 2, 74), b = normals(50, 2, 75);
  const auto angles = [&](const auto& gram) {
    return principal_angles(mercer::Precomputed{}, gram, a, b).angles();
  };
  CHECK(largest_difference(angles(mercer::test::rounded_gram(k)), angles(k)) <= 1e-5);
}

TEST_CASE("principal angles: mistakes are named", "[metrics][angles]") {
  const Matrix<double> x = four_points(), a = Matrix<double>::Identity(4, 2);
  const mercer::Gaussian kernel{1};
  CHECK_THROWS_WITH(principal_angles(kernel, x, a.topRows(3), a),
                    ContainsSubstring("principal_angles: coefficients are 3 x 2 for 4 samples"));
  CHECK_THROWS_WITH(principal_angles(kernel, x, a, Matrix<double>(x.leftCols(1)), a),
                    ContainsSubstring("dimensions 2 and 1"));
  CHECK_THROWS_AS(principal_angles(a, a.topRows(3)), mercer::InvalidArgument);
  Matrix<double> bad = a;
  bad(0, 0) = std::nan("");
  CHECK_THROWS_AS(principal_angles(kernel, x, a, bad), mercer::InvalidArgument);
  CHECK_THROWS_AS(principal_angles(bad, a), mercer::InvalidArgument);
  Matrix<double> bad_x = x;
  bad_x(3, 1) = std::nan("");
  CHECK_THROWS_WITH(principal_angles(kernel, bad_x, a, a), ContainsSubstring("row 3, column 1"));
}

}  // namespace principal_angles_test
