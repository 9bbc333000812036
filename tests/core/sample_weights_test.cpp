// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/sample_weights.hpp>

#include <limits>
#include <string>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/types.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/row_parts.hpp>
#include <tests/support/samples.hpp>

namespace sample_weights_test {

using Catch::Matchers::ContainsSubstring;
using mercer::Vector;
using mercer::detail::largest_weight;
using mercer::test::error_of;
using mercer::test::local_rows;
using mercer::test::on_processes;

TEST_CASE("sample weights: the largest one", "[core]") {
  CHECK(largest_weight("who: ", Vector<double>{{0, 3, 2}}) == 3);
  CHECK(largest_weight("who: ", Vector<double>{{1e-300}}) == 1e-300);
}

TEST_CASE("sample weights: what is refused", "[core]") {
  const auto error = [](const Vector<double>& weights) {
    return error_of([&] { return largest_weight("who: ", weights); });
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(error(Vector<double>{{1, -1, 2}}),
             ContainsSubstring("who: weights must be finite and not negative, got -1 at sample 1"));
  CHECK_THAT(error(Vector<double>{{1, 1, infinity}}), ContainsSubstring("at sample 2"));
  CHECK_THAT(error(Vector<double>{{nan, 1}}), ContainsSubstring("at sample 0"));
  for (const mercer::Index n : {0, 3})
    CHECK_THAT(error(Vector<double>::Zero(n)),
               ContainsSubstring("who: at least one weight must be positive"));
}

TEST_CASE("sample weights: of the rows of several processes", "[core][rows]") {
  const mercer::Index n = 700;
  Vector<double> weights = mercer::normal_matrix<double>(n, 1, 1, "w").cwiseAbs().col(0);
  weights(3) = 0;
  const auto scaled = [&](mercer::Index count) {
    Vector<double> all(n);
    for (const Vector<double>& some :
         on_processes(count, n, mercer::RowSums::OrderFree, [&](const mercer::RowSpace& rows) {
           return rows.everywhere(
               mercer::detail::weights_of_mean_one("who: ", rows, local_rows(rows, weights)));
         }))
      all = some;
    return all;
  };
  const Vector<double> one = scaled(1);
  CHECK(one.mean() == Approx(1).epsilon(1e-15));
  CHECK(one.isApprox(weights / weights.mean(), 1e-15));
  CHECK(scaled(3) == one);
  CHECK(scaled(7) == one);
  const mercer::RowSpace whole = mercer::RowSpace::whole(n);
  CHECK(mercer::detail::weights_of_mean_one("who: ", whole, weights).isApprox(one, 1e-15));
  CHECK(mercer::detail::weights_of_mean_one("who: ", whole, 1e306 * weights).isApprox(one, 1e-15));
  CHECK(mercer::detail::weights_of_mean_one("who: ", whole, 1e-306 * weights).isApprox(one, 1e-12));
}

TEST_CASE("sample weights: faults and equality over processes", "[core][rows]") {
  Vector<double> weights = Vector<double>::Constant(700, 2);
  const auto on_three = [&](const auto& work) {
    return on_processes(3, 700, mercer::RowSums::OrderFree, [&](const mercer::RowSpace& rows) {
      return work(rows, Vector<double>(local_rows(rows, weights)));
    });
  };
  const auto largest = [](const mercer::RowSpace& rows, const Vector<double>& mine) {
    return largest_weight("who: ", rows, mine);
  };
  const auto equal = [](const mercer::RowSpace& rows, const Vector<double>& mine) {
    return mercer::detail::all_equal(rows, mine) ? 1 : 0;
  };
  const auto error = [&](const mercer::RowSpace& rows, const Vector<double>& mine) {
    return error_of([&] { return largest_weight("who: ", rows, mine); });
  };
  CHECK(on_three(equal) == std::vector<int>{1, 1, 1});
  weights(600) = 3;
  CHECK(on_three(equal) == std::vector<int>{0, 0, 0});
  CHECK(on_three(largest) == std::vector<double>{3, 3, 3});
  weights(600) = -1;
  for (const std::string& sentence : on_three(error))
    CHECK_THAT(sentence, ContainsSubstring("got -1 at sample 600 "));
  weights.setZero();
  for (const std::string& sentence : on_three(error))
    CHECK_THAT(sentence, ContainsSubstring("at least one weight must be positive"));
}

TEST_CASE("sample weights: one for each sample", "[core]") {
  mercer::detail::require_as_many_weights("who: ", 4, 4);
  CHECK_THAT(error_of([] { mercer::detail::require_as_many_weights("who: ", 4, 3); }),
             ContainsSubstring("who: 4 samples need as many weights, got 3"));
}

}  // namespace sample_weights_test
