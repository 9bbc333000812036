// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors
//
// The laws of gram_solver_checks.hpp, for all solvers of operators. What is special to one of them
// is in its own test.

#include <tests/solvers/gram_solver_checks.hpp>

#include <tuple>

#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/krylov/lanczos.hpp>
#include <mercer/solvers/krylov/power_iteration.hpp>
#if defined(MERCER_HAS_LBFGSPP)
#include <mercer/solvers/dual/dual.hpp>
#endif

namespace gram_solver_test {

using namespace mercer;

namespace {

/// A solver with settings, and what test::TestedSolver says of it.
template <class T>
struct Claims {
  using Solver = T;
  static constexpr bool slow = false, iterates = true;
  static constexpr double in_single = 1e-5;
  static constexpr Index observed = 3;

  [[nodiscard]] static typename T::Params params(const test::SolverSettings& settings) {
    typename T::Params params;
    if (settings.tolerance > 0) params.tolerance = settings.tolerance;
    if (settings.max_iterations > 0) params.max_iterations = settings.max_iterations;
    params.seed = settings.seed;
    return params;
  }
  [[nodiscard]] static T make(const test::SolverSettings& settings) { return T(params(settings)); }
};

struct ExactClaims {
  using Solver = Exact;
  static constexpr SolverId id = SolverId::Exact;
  static constexpr bool slow = false, iterates = false;
  static constexpr double in_single = 1e-5;
  static constexpr Index observed = 2;
  [[nodiscard]] static Exact make(const test::SolverSettings&) { return {}; }
};
struct BlockKrylovClaims : Claims<BlockKrylov> {
  static constexpr const char* name = "BlockKrylov";
  static constexpr SolverId id = SolverId::BlockKrylov;
};
struct LanczosClaims : Claims<Lanczos> {
  static constexpr const char* name = "Lanczos";
  static constexpr SolverId id = SolverId::Lanczos;
  static constexpr Index observed = 20;
};
struct PowerIterationClaims : Claims<PowerIteration> {
  static constexpr const char* name = "PowerIteration";
  static constexpr SolverId id = SolverId::PowerIteration;
  static constexpr bool slow = true;
  static constexpr Index observed = 20;
  /// Its tolerance is for one vector outside of those before; the residuals of several add up.
  [[nodiscard]] static PowerIteration make(test::SolverSettings settings) {
    settings.tolerance /= 4;
    return Claims::make(settings);
  }
};
#if defined(MERCER_HAS_LBFGSPP)
struct DualClaims : Claims<Dual> {
  static constexpr const char* name = "Dual";
  static constexpr SolverId id = SolverId::Dual;
  static constexpr double in_single = 1e-4;
};
#define MERCER_TEST_DUAL , DualClaims
#else
#define MERCER_TEST_DUAL
#endif

using All = std::tuple<ExactClaims, BlockKrylovClaims, LanczosClaims,
                       PowerIterationClaims MERCER_TEST_DUAL>;
using Iterative =
    std::tuple<BlockKrylovClaims, LanczosClaims, PowerIterationClaims MERCER_TEST_DUAL>;
// Dual refuses indefinite matrices and fractions. PowerIteration ends at the largest |mu|.
using TakeIndefinite = std::tuple<ExactClaims, BlockKrylovClaims, LanczosClaims>;
using TakeFractions =
    std::tuple<ExactClaims, BlockKrylovClaims, LanczosClaims, PowerIterationClaims>;

}  // namespace

TEMPLATE_LIST_TEST_CASE("gram solvers: model GramSolver", "[solvers]", All) {
  STATIC_REQUIRE(GramSolver<typename TestType::Solver>);
}

TEMPLATE_LIST_TEST_CASE("gram solvers: pairs, residuals and bounds against the truth",
                        "[solvers][law]", All) {
  test::check_known_spectra<double>(test::Tested<TestType>());
  test::check_known_spectra<float>(test::Tested<TestType>());
}

TEMPLATE_LIST_TEST_CASE("gram solvers: multiple eigenvalues as often as they are there",
                        "[solvers][law]", All) {
  test::check_multiples(test::Tested<TestType>());
}

TEMPLATE_LIST_TEST_CASE("gram solvers: stop where the spectrum ends", "[solvers][law]", All) {
  test::check_ends_of_spectra<double>(test::Tested<TestType>());
  test::check_ends_of_spectra<float>(test::Tested<TestType>());
}

TEMPLATE_LIST_TEST_CASE("gram solvers: eigenvalues far below the tolerance", "[solvers][law]",
                        All) {
  test::check_small_eigenvalues(test::Tested<TestType>());
}

TEMPLATE_LIST_TEST_CASE("gram solvers: what centring leaves in rounding errors", "[solvers][law]",
                        All) {
  test::check_centring_noise(test::Tested<TestType>());
}

TEMPLATE_LIST_TEST_CASE("gram solvers: tiny matrices and all components", "[solvers][law]", All) {
  test::check_tiny<double>(test::Tested<TestType>());
  test::check_tiny<float>(test::Tested<TestType>());
}

TEMPLATE_LIST_TEST_CASE("gram solvers: indefinite matrices", "[solvers][law]", TakeIndefinite) {
  test::check_indefinite(test::Tested<TestType>());
}

TEMPLATE_LIST_TEST_CASE("gram solvers: the unit of the matrix", "[solvers][law]", All) {
  test::check_scales<double>(test::Tested<TestType>());
  test::check_scales<float>(test::Tested<TestType>());
}

TEMPLATE_LIST_TEST_CASE("gram solvers: the same bits for a seed, on any threads", "[solvers][law]",
                        Iterative) {
  test::check_bits<double>(test::Tested<TestType>());
  test::check_bits<float>(test::Tested<TestType>());
}

TEMPLATE_LIST_TEST_CASE("gram solvers: a fraction of the variance", "[solvers][law]",
                        TakeFractions) {
  test::check_fractions(test::Tested<TestType>());
}

TEMPLATE_LIST_TEST_CASE("gram solvers: products are counted", "[solvers][law]", Iterative) {
  test::check_counts(test::Tested<TestType>());
}

TEMPLATE_LIST_TEST_CASE("gram solvers: cancelled at any step", "[solvers][law]", All) {
  test::check_cancelled(test::Tested<TestType>());
}

TEMPLATE_LIST_TEST_CASE("gram solvers: at the limit of iterations", "[solvers][law]", Iterative) {
  test::check_limit(test::Tested<TestType>());
}

TEMPLATE_LIST_TEST_CASE("gram solvers: operators that break", "[solvers][law]", Iterative) {
  test::check_broken_operators(test::Tested<TestType>());
}

TEMPLATE_LIST_TEST_CASE("gram solvers: a tolerance is met", "[solvers][law]", Iterative) {
  test::check_tolerances(test::Tested<TestType>());
}

TEMPLATE_LIST_TEST_CASE("gram solvers: parameters are checked", "[solvers][law]", Iterative) {
  test::check_parameters<TestType>();
}

}  // namespace gram_solver_test
