// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/moments/nystrom_pca_moments.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/nystrom/landmark_features.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace nystrom_pca_moments_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

template <Real S>
using Moments = NystromPcaMoments<Gaussian, Matrix<S>>;

template <OwnedSamples X>
NystromPcaMoments<Gaussian, X> moments_of(const X& landmarks, const X& part, bool centered = true) {
  NystromPcaMoments<Gaussian, X> moments(Gaussian(1.0), landmarks, centered);
  moments.add(part);
  return moments;
}

/// Values of the kernel are at most 1, 12 landmarks in the unit cube have pivots of about 1e-2, and
/// the gaps of the eigenvalues are a hundredth of the largest: factors of 1e2 each. The third is
/// for the sums of 100 rows.
template <Real S>
constexpr S rounding = S(1e6) * std::numeric_limits<S>::epsilon();

/// One fit takes the signs from its scores, which the merged model does not have.
template <Real S>
Matrix<S> with_signs_of(Matrix<S> scores, const Matrix<S>& expected) {
  for (Index j = 0; j < scores.cols(); ++j)
    if (scores.col(j).dot(expected.col(j)) < 0) scores.col(j) *= S(-1);
  return scores;
}

}  // namespace

SCALAR_TEST_CASE("nystrom_pca_moments: merged parts give the model of one fit", "[models]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(100, 3, 1), landmarks = x.topRows(12);
  for (const bool centered : {false, true}) {
    CAPTURE(centered);
    const KernelPca pca{
        Gaussian(1.0), Nystrom{Given{landmarks}}, {.components = 3, .centered = centered}};
    const auto whole = pca.fit(x);
    Moments<S> merged(Gaussian(1.0), landmarks, centered);
    for (const auto& [first, count] : {std::pair<Index, Index>{41, 59}, {0, 1}, {7, 0}, {1, 40}})
      merged.merge(moments_of<Matrix<S>>(landmarks, x.middleRows(first, count), centered));
    CHECK(merged.samples() == 100);
    const auto model = merged.model(3);
    REQUIRE(model.components() == 3);
    const S scale = whole.eigenvalues()(0);
    CHECK((model.eigenvalues() - whole.eigenvalues()).cwiseAbs().maxCoeff() <= rounding<S> * scale);
    const Matrix<S> expected = whole.transform(x);
    CHECK((with_signs_of<S>(model.transform(x), expected) - expected).cwiseAbs().maxCoeff() <=
          rounding<S> * std::sqrt(scale));
    // Novelty needs the mean in feature space.
    CHECK((model.novelty(x).spe - whole.novelty(x).spe).cwiseAbs().maxCoeff() <= rounding<S>);
    CHECK(model.report().trace == Approx(whole.report().trace).epsilon(rounding<S>));
    CHECK(model.report().status == Status::Converged);
    CHECK(model.report().solver == SolverId::Nystrom);
    CHECK(model.report().samples == 100);
    CHECK(model.report().dimension == 3);
    CHECK(model.report().expansion_points == 12);
    CHECK(
        std::get<NystromDetails>(model.report().details).trace_error ==
        Approx(std::get<NystromDetails>(whole.report().details).trace_error).epsilon(rounding<S>));
    // Weyl's bound; that of the fit may be smaller, as it has residuals.
    CHECK(model.report().eigenvalue_error_bounds[0] >=
          whole.report().eigenvalue_error_bounds[0] * (1 - rounding<S>));
    CHECK(test::error_of([&] { return model.training_scores(); }) ==
          "mercer::KernelPcaModel: this model was made without training scores");
    // The same rows in one part, in several calls and as a stream.
    MatrixStream stream(x);
    Moments<S> streamed(Gaussian(1.0), landmarks, centered);
    CHECK(streamed.add(stream));
    CHECK(streamed.parts().sums.scatter() ==
          moments_of<Matrix<S>>(landmarks, x, centered).parts().sums.scatter());
  }
}

TEST_CASE("nystrom_pca_moments: more rows than a batch, with the bits of its parts", "[models]") {
  constexpr Index batch = NystromPcaMoments<Gaussian, Matrix<double>>::batch_rows;
  const Matrix<double> x = test::uniform_samples<double>(2 * batch + 5, 2, 4);
  const Matrix<double> landmarks = x.topRows(9);
  const auto whole = moments_of<Matrix<double>>(landmarks, x);
  Moments<double> merged(Gaussian(1.0), landmarks);
  for (Index first = 0; first < x.rows(); first += batch)
    merged.merge(moments_of<Matrix<double>>(
        landmarks, x.middleRows(first, (std::min)(batch, x.rows() - first))));
  CHECK(merged.parts().sums.mean() == whole.parts().sums.mean());
  CHECK(merged.parts().sums.scatter() == whole.parts().sums.scatter());
  CHECK(merged.parts().trace == whole.parts().trace);
  // The fit in double precision, which whitens the rows before or after it sums them.
  const auto fitted = KernelPca{Gaussian(1.0),
                                Nystrom{Given{landmarks}},
                                {.components = 4, .precision = Precision::Double}}
                          .fit(x);
  CHECK((merged.model(4).eigenvalues() - fitted.eigenvalues()).norm() <=
        rounding<double> * fitted.eigenvalues()(0));
}

TEST_CASE("nystrom_pca_moments: sparse rows", "[models]") {
  const Matrix<double> x = test::sparse_looking_samples<double>(60, 4, 2);
  const SparseMatrix<double> sparse = x.sparseView(), landmarks = sparse.middleRows(10, 12);
  NystromPcaMoments<Gaussian, SparseMatrix<double>> merged(Gaussian(1.0), landmarks);
  merged.merge(moments_of<SparseMatrix<double>>(landmarks, sparse.middleRows(30, 30)));
  merged.merge(moments_of<SparseMatrix<double>>(landmarks, sparse.middleRows(0, 30)));
  const auto dense = moments_of<Matrix<double>>(x.middleRows(10, 12), x).model(3);
  CHECK((merged.model(3).eigenvalues() - dense.eigenvalues()).norm() <=
        rounding<double> * dense.eigenvalues()(0));
}

SCALAR_TEST_CASE("nystrom_pca_moments: landmarks that hold all rows give all their components",
                 "[models]") {
  using S = TestType;
  // Among samples of rank d, no more than d landmarks are independent under the linear kernel.
  for (const Index d : {Index{1}, Index{3}}) {
    CAPTURE(d);
    const Matrix<S> x = test::uniform_samples<S>(50, d, 1);
    const auto chosen = landmark_features(RpCholesky{}, Linear{}, x, 10).landmarks();
    REQUIRE(chosen.rows() == d);
    NystromPcaMoments<Linear, Matrix<S>> moments(Linear{}, chosen);
    CHECK(moments.most_components() == 0);
    moments.add(x);
    CHECK(moments.most_components() == d);
    const auto whole =
        KernelPca{Linear{}, Nystrom{RpCholesky{}, {.landmarks = 10}}, {.components = d}}.fit(x);
    REQUIRE(whole.components() == d);
    for (const Index asked : {d, d + 2}) {
      const auto model = moments.model(asked);
      REQUIRE(model.components() == d);
      CHECK(model.report().status == Status::Converged);
      CHECK(model.report().zero_eigenvalues == asked - d);
      CHECK((model.eigenvalues() - whole.eigenvalues()).cwiseAbs().maxCoeff() <=
            rounding<S> * whole.eigenvalues()(0));
    }
  }
  // Equal rows.
  NystromPcaMoments<Linear, Matrix<S>> same(Linear{}, Matrix<S>::Ones(1, 3));
  same.add(Matrix<S>(Matrix<S>::Ones(5, 3)));
  const auto nothing = same.model(2);
  CHECK(nothing.components() == 0);
  CHECK(nothing.report().status == Status::Converged);
}

TEST_CASE("nystrom_pca_moments: landmarks that hold too few components are told", "[models]") {
  // Two planes: five landmarks in one of them, of rank 2.
  Matrix<double> x = Matrix<double>::Zero(40, 4);
  x.topLeftCorner(20, 2) = test::uniform_samples<double>(20, 2, 1);
  x.bottomRightCorner(20, 2) = test::uniform_samples<double>(20, 2, 2);
  NystromPcaMoments<Linear, Matrix<double>> moments(Linear{}, x.topRows(5), false);
  moments.add(x);
  const auto model = moments.model(3);
  CHECK(model.components() == 2);
  CHECK(model.report().status == Status::NotConverged);
  CHECK(model.report().zero_eigenvalues == 0);
  CHECK_THAT(model.report().reason, ContainsSubstring("take more landmarks"));
  CHECK(moments.model(2).report().status == Status::Converged);
}

TEST_CASE("nystrom_pca_moments: any split in any order", "[models][law]") {
  const Matrix<double> x = test::uniform_samples<double>(40, 2, 3), landmarks = x.topRows(6);
  const auto expected = moments_of<Matrix<double>>(landmarks, x).model(2);
  CHECK(rc::check([&] {
    auto cuts = *rc::gen::container<std::vector<Index>>(3, rc::gen::inRange<Index>(0, 41));
    cuts.insert(cuts.end(), {0, 40});
    std::sort(cuts.begin(), cuts.end());
    std::vector<Moments<double>> parts;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
      parts.push_back(
          moments_of<Matrix<double>>(landmarks, x.middleRows(cuts[i], cuts[i + 1] - cuts[i])));
    while (parts.size() > 1) {  // any tree of merges
      const auto into = *rc::gen::inRange<std::size_t>(0, parts.size() - 1);
      parts[into].merge(parts.back());
      parts.pop_back();
    }
    const auto model = parts[0].model(2);
    RC_ASSERT(model.report().samples == 40);
    RC_ASSERT((model.eigenvalues() - expected.eigenvalues()).norm() <=
              rounding<double> * expected.eigenvalues()(0));
    RC_ASSERT((model.coefficients() - expected.coefficients()).norm() <=
              rounding<double> * expected.coefficients().norm());
  }));
}

TEST_CASE("nystrom_pca_moments: dependent landmarks, and kernels of low rank", "[models]") {
  const Matrix<double> x = test::uniform_samples<double>(30, 2, 3);
  Matrix<double> twice(10, 2);
  twice << x.topRows(5), x.topRows(5);
  const auto merged = moments_of<Matrix<double>>(twice, x);
  CHECK(merged.landmarks().rows() == 5);
  CHECK(merged.model(2).report().expansion_points == 5);
  // Two landmarks span all of a linear kernel of two columns: the model is exact.
  NystromPcaMoments<Linear, Matrix<double>> linear(Linear{}, x.topRows(4));
  linear.add(x);
  const auto model = linear.model(3);
  REQUIRE(model.components() == 2);
  const Matrix<double> centred = x.rowwise() - x.colwise().mean();
  CHECK(model.eigenvalues().sum() == Approx(centred.squaredNorm()).epsilon(1e-12));
  CHECK(std::get<NystromDetails>(model.report().details).trace_error <= 1e-12 * x.squaredNorm());
}

TEST_CASE("nystrom_pca_moments: wrong partners are refused and change nothing", "[models][error]") {
  const Matrix<double> x = test::uniform_samples<double>(20, 3, 1);
  Moments<double> here = moments_of<Matrix<double>>(x.topRows(6), x);
  const Matrix<double> before = here.parts().sums.scatter();
  const auto refusal = [&](const Gaussian& kernel, const Matrix<double>& landmarks, bool centered) {
    const Moments<double> other(kernel, landmarks, centered);
    return test::error_of([&] {
      here.merge(other);
      return 0;
    });
  };
  CHECK(refusal(Gaussian(1.0), x.topRows(6), true) == "no error");
  CHECK(refusal(Gaussian(2.0), x.topRows(6), true) ==
        "mercer::NystromPcaMoments::merge: the parts are of different fits: kernel: "
        "gaussian(sigma=2) there, gaussian(sigma=1) here");
  CHECK_THAT(refusal(Gaussian(1.0), x.topRows(5), true), ContainsSubstring("landmarks: 5 with"));
  CHECK_THAT(refusal(Gaussian(1.0), x.bottomRows(6), true), ContainsSubstring("landmarks: 6 with"));
  CHECK_THAT(refusal(Gaussian(1.0), x.topLeftCorner(6, 2), true),
             ContainsSubstring("columns: 2 there, 3 here"));
  CHECK_THAT(refusal(Gaussian(1.0), x.topRows(6), false),
             ContainsSubstring("centering: none there, by means here"));
  CHECK(here.parts().sums.scatter() == before);
  // The factor of another machine, whose rounding errors were amplified.
  detail::NystromSums<Matrix<double>> parts = here.parts();
  parts.whiten *= 1 + 1e-12;
  CHECK(test::error_of([&] {
          here.merge(Moments<double>(Gaussian(1.0), parts));
          return 0;
        }) == "no error");
  here = Moments<double>(Gaussian(1.0), x.topRows(6));
  parts.whiten *= 1 + 1e-6;
  CHECK_THAT(test::error_of([&] {
               here.merge(Moments<double>(Gaussian(1.0), parts));
               return 0;
             }),
             ContainsSubstring("begin all parts from one archive"));
  CHECK(here.samples() == 0);
}

TEST_CASE("nystrom_pca_moments: rows, landmarks and requests that cannot be", "[models][error]") {
  const Matrix<double> x = test::uniform_samples<double>(20, 3, 1);
  Moments<double> moments(Gaussian(1.0), x.topRows(4));
  const auto error = [&](const auto& action) {
    return test::error_of([&] {
      action();
      return 0;
    });
  };
  CHECK(error([&] { (void)moments.model(2); }) ==
        "mercer::NystromPcaMoments::model: there are no rows");
  CHECK(error([&] { moments.add(Matrix<double>(Matrix<double>::Zero(4, 2))); }) ==
        "mercer::NystromPcaMoments: the matrix has 2 columns, the landmarks have 3");
  Matrix<double> hole = x;
  hole(2, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(error([&] { moments.add(hole); }), ContainsSubstring("NystromPcaMoments"));
  Matrix<double> late = Matrix<double>::Ones(3000, 3);
  late(2999, 1) = std::numeric_limits<double>::quiet_NaN();
  Moments<double> partly(Gaussian(1.0), x.topRows(4));
  CHECK_THAT(error([&] { partly.add(late); }),
             ContainsSubstring("row 951, column 1") && ContainsSubstring("rows from 2048 on"));
  GeneratedStream<double> endless_rows(3, endless,
                                       [](Index, GramOut<double> out) { out.setZero(); });
  CHECK_THAT(error([&] { moments.add(endless_rows); }), ContainsSubstring("does not end"));
  CHECK(moments.samples() == 0);
  CHECK_THAT(error([&] { Moments<double>(Gaussian(1.0), Matrix<double>(0, 3)); }),
             ContainsSubstring("needs landmarks, got 0 x 3"));
  CHECK_THAT(error([&] { Moments<double>(Gaussian(1.0), hole); }),
             ContainsSubstring("NystromPcaMoments"));
  CHECK_THAT(error([&] {
               NystromPcaMoments<Linear, Matrix<double>>(Linear{}, Matrix<double>::Zero(2, 3));
             }),
             ContainsSubstring("k(p, p) is 0 for all landmarks"));
  moments.add(x);
  CHECK_THAT(error([&] { (void)moments.model(4); }),
             ContainsSubstring("4 components need at least 5 landmarks, got 4"));
  CHECK_FALSE(moments.add(x, [](const Progress&) { return false; }));
  CHECK(moments.samples() == 20);
  // One row has no variance about its mean.
  CHECK(moments_of<Matrix<double>>(x.topRows(4), x.topRows(1)).model(1).components() == 0);
}

TEST_CASE("nystrom_pca_moments: kernels without words are told apart, also far from 0",
          "[models]") {
  for (const double offset : {0.0, 1000.0}) {
    const Matrix<double> landmarks = test::uniform_samples<double>(5, 2, 1).array() + offset;
    const auto moments = [&](double width) {
      const Callable kernel(
          [width](Eigen::Ref<const Vector<double>> a, Eigen::Ref<const Vector<double>> b) {
            return std::exp(-(a - b).squaredNorm() / width);
          });
      return NystromPcaMoments(kernel, landmarks);
    };
    auto narrow = moments(1);
    CHECK_NOTHROW(narrow.merge(moments(1)));
    CHECK_THROWS_AS(narrow.merge(moments(2)), MomentMismatch);
  }
}

}  // namespace nystrom_pca_moments_test
