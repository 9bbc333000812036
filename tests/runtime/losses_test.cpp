// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/runtime/losses.hpp>

#include <string>

#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace losses_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(check_loss<AnyLoss>() && check_loss<AnyLoss, float>());

TEST_CASE("runtime: any loss is the loss that it holds", "[runtime]") {
  const Matrix<double> y = test::uniform_samples<double>(20, 3, 4);
  CHECK(loss_table().size() == std::variant_size_v<AnyLoss::Choice>);
  for (const LossEntry& entry : loss_table()) {
    CAPTURE(entry.name);
    Settings settings;
    for (const Parameter& p : entry.parameters) settings[p.name] = 0.3;
    const AnyLoss any = make_loss(entry.name, settings);
    CHECK_THAT(any.describe(), ContainsSubstring(entry.name));
    std::visit(
        [&](const auto& held) {
          CHECK(any.rotation_invariant == held.rotation_invariant);
          CHECK(any.describe() == held.describe());
          CHECK(any.value(y) == held.value(y));
          CHECK(any.prox_conjugate(y) == held.prox_conjugate(y));
          CHECK(any.conjugate(any.prox_conjugate(y)) == held.conjugate(held.prox_conjugate(y)));
        },
        any.choice());
  }
}

TEST_CASE("runtime: losses without their parameter, or with another, are refused", "[runtime]") {
  CHECK(test::error_of([] { return make_loss("huber-l2"); }) ==
        "huber-l2: kappa is needed, a number greater than 0");
  CHECK(test::error_of([] {
          return make_loss("huber-l2", {{"kappa", 0}});
        }) == "huber-l2: kappa must be a number greater than 0, got 0");
  CHECK(test::error_of([] {
          return make_loss("eps-l1", {{"kappa", 1}});
        }) == "eps-l1: kappa is not known; there is epsilon");
  CHECK(test::error_of([] {
          return make_loss("square", {{"kappa", 1}});
        }) == "square: kappa is not known; there are no parameters");
  CHECK_THAT(test::error_of([] { return make_loss("huber"); }),
             ContainsSubstring("unknown loss 'huber'; known: square, huber-l2"));
}

}  // namespace losses_test
