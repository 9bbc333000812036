// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/operators/gram_plan.hpp>

#include <cmath>
#include <string>

#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/kernel_archetypes.hpp>
#include <tests/support/samples.hpp>

namespace gram_plan_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20U;
constexpr GramPlanRequest loose{.tolerance = 1e-6, .memory_budget = 1024 * mebibyte};

/// The precision that is chosen for these samples.
template <class K, class Samples>
Precision precision_for(const K& kernel, const Samples& samples, double tolerance = 1e-6) {
  const OwnedSamplesOf<Samples>& x = samples;
  GramPlanRequest request = loose;
  request.tolerance = tolerance;
  return plan_gram(kernel, x, request).form.precision;
}

/// Calls \p check with each storage and precision asked for, at a strict and a loose tolerance.
template <class Check>
void with_choices(const Check& check) {
  for (const GramStorage storage : {GramStorage::Stored, GramStorage::Recomputed})
    for (const Precision precision : {Precision::Single, Precision::Double})
      for (const double tolerance : {1e-12, 1e-3}) {
        GramPlanRequest request = loose;
        request.tolerance = tolerance;
        request.storage = storage;
        request.precision = precision;
        check(request, GramForm{storage, precision});
      }
}

}  // namespace

TEST_CASE("gram_plan: storage by the memory budget", "[operators]") {
  // 600 samples are 3 x 3 tiles of 256 x 256, of which 6 are stored.
  const Matrix<double> x = test::uniform_samples<double>(600, 5, 1);
  const Laplacian kernel(1.0);  // dear enough to store its values, whatever the rule
  GramPlanRequest request{.tolerance = 1e-9, .memory_budget = 1024 * mebibyte};
  const GramPlan roomy = plan_gram(kernel, x, request);
  CHECK(roomy.form.storage == GramStorage::Stored);
  CHECK(roomy.form.precision == Precision::Double);
  CHECK_THAT(roomy.reason, ContainsSubstring("stored") && ContainsSubstring("3 MiB") &&
                               ContainsSubstring("1024 MiB") && ContainsSubstring("double"));
  request.memory_budget = 6 * 256 * 256 * sizeof(double);
  CHECK(plan_gram(kernel, x, request).form.storage == GramStorage::Stored);
  --request.memory_budget;
  const GramPlan tight = plan_gram(kernel, x, request);
  CHECK(tight.form.storage == GramStorage::Recomputed);
  CHECK_THAT(tight.reason, ContainsSubstring("recomputed") && ContainsSubstring("3 MiB"));
  // The same budget has room in single precision, but not if the solver takes all but half of it.
  request.tolerance = 1e-4;
  CHECK(plan_gram(kernel, x, request).form.storage == GramStorage::Stored);
  request.solver_bytes = request.memory_budget * 3 / 5;
  if (request.memory_budget - request.solver_bytes >=
      256 * 256 * 4 * static_cast<std::size_t>(thread_count()))
    CHECK(plan_gram(kernel, x, request).form.storage == GramStorage::Recomputed);
}

TEST_CASE("gram_plan: a budget too small is refused with its numbers and a way out",
          "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(600, 5, 2);
  const GramPlanRequest request{
      .tolerance = 1e-9, .memory_budget = 100 * mebibyte, .solver_bytes = 130 * mebibyte};
  const std::string error = test::error_of([&] { return plan_gram(Gaussian(1.0), x, request); });
  CHECK_THAT(error, ContainsSubstring("100 MiB is too small") && ContainsSubstring("13") &&
                        ContainsSubstring("Nystrom"));
  CHECK_THAT(test::error_of([&] { return plan_gram(Gaussian(1.0), x, {.tolerance = 1e-9}); }),
             ContainsSubstring("0 bytes"));
  // Both numbers are in one unit, and never the same.
  const auto refused = [](std::size_t budget, std::size_t least) {
    return test::error_of([&] { throw mercer::BudgetTooSmall(budget, least); });
  };
  CHECK_THAT(refused(1, mebibyte),
             ContainsSubstring("of 1 bytes is") && ContainsSubstring("take 1048576 bytes"));
  CHECK_THAT(refused(mebibyte - 1, mebibyte),
             ContainsSubstring("of 1023 KiB is") && ContainsSubstring("take 1024 KiB"));
  CHECK_THAT(refused(16 * mebibyte, 16 * mebibyte + 1),
             ContainsSubstring("of 16 MiB is") && ContainsSubstring("take 17 MiB"));
}

TEST_CASE("gram_plan: the caller's choices are honoured", "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(300, 5, 3);
  with_choices([&](const GramPlanRequest& request, const GramForm& form) {
    const GramPlan plan = plan_gram(Gaussian(1.0), x, request);
    CHECK(plan.form.storage == form.storage);
    CHECK(plan.form.precision == form.precision);
    CHECK_THAT(plan.reason,
               ContainsSubstring("as asked for; " + std::string(to_string(form.precision))));
  });
}

TEST_CASE("gram_plan: precision by the tolerance", "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(300, 5, 4);
  CHECK(precision_for(Gaussian(1.0), x, 1e-3) == Precision::Single);
  CHECK(precision_for(Gaussian(1.0), x, 1e-6) == Precision::Single);
  CHECK(precision_for(Gaussian(1.0), x, 0.99e-6) == Precision::Double);
  CHECK(precision_for(Gaussian(1.0), x, 0) == Precision::Double);
  CHECK_THAT(plan_gram(Gaussian(1.0), x, loose).reason, ContainsSubstring("1e-06"));
  // The only precision that there is.
  CHECK(precision_for(Gaussian(1.0), Matrix<float>(x.cast<float>()), 1e-12) == Precision::Single);
  CHECK(precision_for(test::MinimalKernel(1), x) == Precision::Double);
  CHECK_THAT(plan_gram(test::MinimalKernel(1), x, loose).reason, ContainsSubstring("only one"));
}

// Few samples often have tiny eigenvalues, and single precision saves no time on one tile.
TEST_CASE("gram_plan: one tile is in double precision", "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(257, 5, 8);
  for (const Index n : {1, 5, 256}) {
    CHECK(precision_for(Gaussian(1.0), Matrix<double>(x.topRows(n))) == Precision::Double);
    CHECK(precision_for(Precomputed{}, Matrix<double>::Identity(n, n)) == Precision::Double);
  }
  CHECK(precision_for(Gaussian(1.0), x) == Precision::Single);
  CHECK_THAT(plan_gram(Gaussian(1.0), Matrix<double>(x.topRows(5)), loose).reason,
             ContainsSubstring("one tile"));
  GramPlanRequest asked = loose;
  asked.precision = Precision::Single;
  CHECK(plan_gram(Gaussian(1.0), Matrix<double>(x.topRows(5)), asked).form.precision ==
        Precision::Single);
}

TEST_CASE("gram_plan: a matrix that is given", "[operators]") {
  // 3 x 3 tiles, of which 6 are stored.
  const Matrix<double> k = gram(Gaussian(1.0), test::uniform_samples<double>(600, 5, 7));
  constexpr std::size_t single_tiles = 6 * 256 * 256 * sizeof(float);
  constexpr GramForm stored{GramStorage::Stored, Precision::Single};
  constexpr GramForm read{GramStorage::Recomputed, Precision::Double};
  const auto check = [](const Matrix<double>& given, const GramPlanRequest& request, GramForm form,
                        const std::string& reason) {
    const GramPlan plan = plan_gram(Precomputed{}, given, request);
    CHECK(plan.form.storage == form.storage);
    CHECK(plan.form.precision == form.precision);
    CHECK_THAT(plan.reason, ContainsSubstring(reason));
  };
  SECTION("is stored in single precision if the tolerance allows it") {
    check(k, loose, stored, "tiles stored: 2 MiB are within the memory budget of 1024 MiB; single");
    GramPlanRequest tight = loose;
    tight.tolerance = 0.99e-6;
    check(k, tight, read, "tiles read from the matrix given; double precision for the tolerance");
  }
  SECTION("and if that fits in the memory budget") {
    GramPlanRequest request = loose;
    request.solver_bytes = 10 * mebibyte;
    request.memory_budget = request.solver_bytes + single_tiles;
    check(k, request, stored, "tiles stored");
    --request.memory_budget;
    check(k, request, read, "double precision as single tiles, 2 MiB, are beyond");
    request.precision = Precision::Single;
    check(k, request, {GramStorage::Recomputed, Precision::Single}, "tiles recomputed: to store");
  }
  SECTION("and if float holds all its entries, on the diagonal and off it") {
    check(1e200 * k, loose, read, "digits");
    check(1e-200 * k, loose, read, "digits");
    Matrix<double> indefinite = k;
    indefinite(590, 3) = indefinite(3, 590) = -1e200;
    check(indefinite, loose, read, "digits");
    indefinite = 1e-200 * k;
    indefinite.diagonal().setZero();
    check(indefinite, loose, read, "digits");
    check(Matrix<double>::Zero(600, 600), loose, stored, "single");
  }
  SECTION("or as the caller has it") {
    with_choices([&](const GramPlanRequest& request, const GramForm& form) {
      check(k, request, form, "as asked for");
    });
    GramPlanRequest request = loose;
    request.storage = GramStorage::Recomputed;
    check(k, request, read, "double precision, that of the matrix given");
    request.storage = GramStorage::Stored;
    request.memory_budget = single_tiles - 1;
    check(k, request, stored, "tiles stored as asked for; single");
    request = loose;
    request.precision = Precision::Double;
    check(k, request, read, "tiles read from the matrix given; double precision as asked for");
    request.precision = Precision::Single;
    check(k, request, stored, "tiles stored: 2 MiB");
  }
  SECTION("in float is read as it is") {
    const GramPlan plan = plan_gram(Precomputed{}, Matrix<float>(k.cast<float>()), loose);
    CHECK(plan.form.storage == GramStorage::Recomputed);
    CHECK(plan.form.precision == Precision::Single);
    CHECK(plan.reason == "tiles read from the matrix given; single precision, that of the samples");
  }
}

TEST_CASE("gram_plan: double where single would lose digits", "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(300, 5, 5);
  SECTION("a wide spread beside a small bandwidth") {
    // Two clusters so far apart that single precision does not resolve either.
    Matrix<double> far = x;
    far.topRows(150).array() += 1e9;
    CHECK(precision_for(Gaussian(1.0), far) == Precision::Double);
    CHECK_THAT(plan_gram(Gaussian(1.0), far, loose).reason, ContainsSubstring("digits"));
  }
  SECTION("values beyond the range of float") {
    CHECK(precision_for(Linear{}, 1e25 * x) == Precision::Double);
    CHECK(precision_for(Linear{}, 1e-25 * x) == Precision::Double);
    CHECK(precision_for(Linear{}, 1e160 * x) == Precision::Double);
  }
  SECTION("but a common offset is none of the kernel's business") {
    CHECK(precision_for(Gaussian(1.0), (x.array() + 1048576.0).matrix()) == Precision::Single);
    CHECK(precision_for(Linear{}, x) == Precision::Single);
  }
  SECTION("zeros") {
    CHECK_NOTHROW(precision_for(Linear{}, Matrix<double>::Zero(30, 2)));
    CHECK_NOTHROW(precision_for(Linear{}, Matrix<double>::Ones(1, 1)));
  }
}

TEST_CASE("gram_plan: sparse samples", "[operators]") {
  const SparseMatrix<double> x = test::sparse_looking_samples<double>(300, 9, 6).sparseView();
  CHECK(precision_for(Gaussian(1.0), x) == Precision::Single);
  CHECK(precision_for(Gaussian(1.0), x, 1e-9) == Precision::Double);
}

}  // namespace gram_plan_test
