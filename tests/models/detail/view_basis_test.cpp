// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/detail/view_basis.hpp>

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/models/multiview_cca.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/on_gram.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace view_basis_test {

using namespace mercer;

namespace {

/// Exact, which notes the memory budget of each request.
struct Noting {
  std::shared_ptr<std::vector<std::size_t>> budgets;

  template <OwnedSamples X>
  [[nodiscard]] KernelSolution<X> solve(const std::type_identity_t<KernelView<X>>& kernel,
                                        const X& samples, const KernelRequest& request,
                                        const Observer& observer = {}) const {
    budgets->push_back(request.memory_budget);
    return OnGram(Exact{}).solve(kernel, samples, request, observer);
  }
};
static_assert(KernelSolver<Noting>);

}  // namespace

TEST_CASE("view_basis: views share one memory budget", "[models]") {
  constexpr Index n = 50;
  constexpr std::size_t budget = 100000;
  const Matrix<double> x = test::uniform_samples<double>(n, 3, 1),
                       y = test::uniform_samples<double>(n, 2, 2),
                       z = test::uniform_samples<double>(n, 2, 3);
  const Noting noting{std::make_shared<std::vector<std::size_t>>()};
  // Linear kernels: bases of rank 3 and 2, of which scores and coefficients are kept.
  const std::size_t of_x = std::size_t{2} * n * 3 * sizeof(double),
                    of_y = std::size_t{2} * n * 2 * sizeof(double);
  const KernelCca cca{Linear{}, Linear{}, noting, {.components = 1, .memory_budget = budget}};
  CHECK(cca.fit(x, y).components() == 1);
  CHECK(*noting.budgets == std::vector<std::size_t>{budget, budget - of_x});

  noting.budgets->clear();
  const MultiviewCca views{
      std::tuple{Linear{}, Linear{}, Linear{}}, noting, {.components = 1, .memory_budget = budget}};
  CHECK(views.fit(x, y, z).components() == 1);
  CHECK(*noting.budgets == std::vector<std::size_t>{budget, budget - of_x, budget - of_x - of_y});

  // A budget that the first view takes up is not the default one, which 0 would mean.
  noting.budgets->clear();
  const KernelCca small{Linear{}, Linear{}, noting, {.components = 1, .memory_budget = of_x}};
  static_cast<void>(small.fit(x, y));
  CHECK(*noting.budgets == std::vector<std::size_t>{of_x, 1});
}

}  // namespace view_basis_test
