// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/nystrom/landmarks.hpp>

#include <limits>

#include <mercer/kernels/inner_product.hpp>
#include <mercer/solvers/nystrom/greedy_cholesky.hpp>
#include <mercer/solvers/nystrom/kmeans_landmarks.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace landmarks_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(LandmarkSelector<Uniform>);
static_assert(LandmarkSelector<RpCholesky>);
static_assert(LandmarkSelector<GreedyCholesky>);
static_assert(LandmarkSelector<KMeansLandmarks>);
static_assert(LandmarkSelector<Given<std::vector<Index>>>);
static_assert(LandmarkSelector<Given<SparseMatrix<float>>>);

// One type per requirement, lacking just this.
struct SelectsNothing {};
struct SelectIsNotConst {
  template <OwnedSamples X>
  Landmarks<X> select(const KernelView<X>&, const X&, const LandmarkRequest&, const Observer&);
};
struct ReturnsRows {
  template <OwnedSamples X>
  std::vector<Index> select(const KernelView<X>&, const X&, const LandmarkRequest&,
                            const Observer&) const;
};
static_assert(!LandmarkSelector<SelectsNothing>);
static_assert(!LandmarkSelector<SelectIsNotConst>);
static_assert(!LandmarkSelector<ReturnsRows>);

static_assert(detail::FollowsResidual<RpCholesky> && detail::FollowsResidual<GreedyCholesky>);
static_assert(!detail::FollowsResidual<Uniform> && !detail::FollowsResidual<KMeansLandmarks>);
static_assert(detail::FixedCount<Given<Matrix<double>>> && !detail::FixedCount<Uniform>);

TEST_CASE("landmarks: rows are taken in the order asked for, repeated ones too", "[solvers]") {
  const Matrix<double> x = test::sparse_looking_samples<double>(9, 5, 3);
  const SparseMatrix<double> sparse = x.sparseView();
  const std::vector<Index> rows{7, 2, 2, 0};
  const Matrix<double> taken = detail::take_rows(x, rows);
  for (Index i = 0; i < 4; ++i) CHECK((taken.row(i) == x.row(rows[static_cast<std::size_t>(i)])));
  CHECK((Matrix<double>(detail::take_rows(sparse, rows)) == taken));
  CHECK(detail::take_rows(sparse, {}).rows() == 0);
}

TEST_CASE("landmarks: uniform ones are samples, each at most once, fixed by the seed",
          "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(50, 3, 1);
  const Linear kernel;
  const auto first = Uniform{}.select<Matrix<double>>(kernel, x, {.count = 20, .seed = 5}, {});
  REQUIRE(first.rows.size() == 20);
  CHECK(std::adjacent_find(first.rows.begin(), first.rows.end(), std::greater_equal<>()) ==
        first.rows.end());
  CHECK((first.points == detail::take_rows(x, first.rows)));
  CHECK(first.evaluations == 0);
  CHECK(first.method == "uniform");
  CHECK(Uniform{}.select<Matrix<double>>(kernel, x, {.count = 20, .seed = 5}, {}).rows ==
        first.rows);
  CHECK(Uniform{}.select<Matrix<double>>(kernel, x, {.count = 20, .seed = 6}, {}).rows !=
        first.rows);
}

TEST_CASE("landmarks: given rows and given points", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(8, 3, 1);
  const Linear kernel;
  const auto rows = Given{std::vector<Index>{6, 1}}.select<Matrix<double>>(kernel, x, {}, {});
  CHECK(rows.rows == std::vector<Index>{6, 1});
  CHECK((rows.points.row(0) == x.row(6)));

  const Matrix<double> points = test::uniform_samples<double>(4, 3, 2);
  const Given given{points};
  CHECK(given.count() == 4);
  CHECK((given.select<Matrix<double>>(kernel, x, {}, {}).points == points));
  // In the scalar and form of the samples.
  const SparseMatrix<float> sparse = x.cast<float>().sparseView();
  const auto converted = given.select<SparseMatrix<float>>(kernel, sparse, {}, {});
  CHECK((Matrix<float>(converted.points) == points.cast<float>()));
  CHECK((Given{SparseMatrix<double>(points.sparseView())}
             .select<Matrix<double>>(kernel, x, {}, {})
             .points == points));
  CHECK((Given{points.topRows(2)}.count() == 2));
}

TEST_CASE("landmarks: given ones that cannot be landmarks are refused", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(8, 3, 1);
  const Linear kernel;
  CHECK(test::error_of([] { return Given{std::vector<Index>{}}; }) ==
        "mercer::Given: needs at least one landmark");
  for (const Index row : {Index{-1}, Index{8}})
    CHECK_THAT(test::error_of([&] {
                 return Given{std::vector<Index>{0, row}}.select<Matrix<double>>(kernel, x, {}, {});
               }),
               ContainsSubstring("landmark " + std::to_string(row) + " is none of the 8 samples"));
  CHECK(test::error_of([&] {
          return Given{Matrix<double>::Ones(2, 4).eval()}.select<Matrix<double>>(kernel, x, {}, {});
        }) == "mercer::Given: landmarks have dimension 4, samples have 3");
  Matrix<double> bad = Matrix<double>::Ones(2, 3);
  bad(1, 2) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(test::error_of([&] { return Given{bad}; }), ContainsSubstring("row 1, column 2"));
}

}  // namespace landmarks_test
