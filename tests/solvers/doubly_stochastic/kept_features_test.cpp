// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// DoublyStochastic with the features of all samples in memory, and without.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/shuffled_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_rows.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/doubly_stochastic/detail/block_expansion.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_checkpoint.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace {

using namespace mercer;

constexpr Index n = 700, d = 5, columns = 16, blocks = 4, batch = 300, k = 3;
constexpr std::size_t large = std::size_t{1} << 26U, small = 1;

DoublyStochasticParams params(bool shuffle = true) {
  return {.blocks = blocks, .data_batch = batch, .start_rows = 280, .shuffle = shuffle};
}

auto pca(std::size_t budget, DoublyStochasticParams of = params(),
         DoublyStochasticCheckpoints checkpoints = {}) {
  return KernelPca{
      Gaussian(1.5),
      DoublyStochastic(RandomFourier{.features = columns / 2}, of, std::move(checkpoints)),
      {.components = k, .memory_budget = budget}};
}

template <class Model>
bool keeps(const Model& model) {
  return model.report().storage == "features of all samples kept";
}

template <class Model, class X>
void check_same(const Model& one, const Model& other, const X& x) {
  CHECK(one.eigenvalues() == other.eigenvalues());
  CHECK(one.transform(x) == other.transform(x));
  CHECK(one.report().residuals == other.report().residuals);
  CHECK(one.report().trace == other.report().trace);
}

}  // namespace

SCALAR_TEST_CASE("kept features: the same bits as without them", "[solvers][law]") {
  const Matrix<TestType> x = test::sparse_looking_samples<TestType>(n, d, 3);
  for (const bool shuffle : {true, false}) {
    const auto with = pca(large, params(shuffle)).fit(x),
               without = pca(small, params(shuffle)).fit(x);
    REQUIRE(keeps(with));
    REQUIRE_FALSE(keeps(without));
    check_same(with, without, x);
  }
  const SparseMatrix<TestType> sparse = x.sparseView();
  const auto with = pca(large).fit(sparse), without = pca(small).fit(sparse);
  REQUIRE(keeps(with));
  check_same(with, without, x);
  check_same(with, pca(small).fit(x), x);
}

SCALAR_TEST_CASE("kept features: only within the memory budget", "[solvers]") {
  const Matrix<TestType> x = normal_matrix<TestType>(n, d, 3, "samples");
  const auto needed = static_cast<std::size_t>(
      detail::KeptFeatures<TestType>::bytes(n, columns, blocks) +
      detail::BlockExpansion<TestType>::bytes_for(batch, k, columns, blocks));
  for (const std::size_t budget : {needed, needed + 100, large}) {
    const auto model = pca(budget).fit(x);
    CHECK(keeps(model));
    CHECK(model.report().bytes <= budget);
    CHECK(model.report().bytes >= std::size_t{n * columns * blocks} * sizeof(TestType));
  }
  CHECK_FALSE(keeps(pca(needed - 1).fit(x)));
}

TEST_CASE("kept features: not where each is needed about once", "[solvers]") {
  const Matrix<double> x = normal_matrix<double>(n, d, 3, "samples");
  DoublyStochasticParams few = params();
  few.steps = 3;
  CHECK_FALSE(keeps(pca(large, few).fit(x)));
}

TEST_CASE("kept features: not of rows that change with the passes", "[solvers]") {
  class Changing : public ShuffledStream<double> {
   public:
    using ShuffledStream::ShuffledStream;
    Index read_numbers() = delete;  // hides that of the base
  };
  const Matrix<double> x = normal_matrix<double>(n, d, 3, "samples");
  MatrixStream rows(x);
  Changing stream{SampleStreamView<double>(rows)};
  static_assert(!NumbersRows<Changing> && SeekableStream<Changing>);
  CHECK_FALSE(keeps(pca(large, params(false)).fit(stream)));
}

TEST_CASE("kept features: checkpoints resume with and without to the same bits", "[solvers]") {
  const Matrix<double> x = normal_matrix<double>(n, d, 3, "samples");
  const auto whole = pca(small).fit(x);
  for (const std::size_t before : {large, small})
    for (const Index steps : {1, 2, 20}) {  // in the first pass and after it
      std::shared_ptr<const DoublyStochasticCheckpoint> saved;
      static_cast<void>(pca(before, params(),
                            {.every = steps,
                             .visit =
                                 [&](const DoublyStochasticCheckpoint& checkpoint) {
                                   if (checkpoint.run.steps == steps)
                                     saved = std::make_shared<const DoublyStochasticCheckpoint>(
                                         checkpoint);
                                 },
                             .resume = nullptr})
                            .fit(x));
      REQUIRE(saved != nullptr);
      for (const std::size_t after : {large, small}) {
        const auto model = pca(after, params(), {.every = 0, .visit = {}, .resume = saved}).fit(x);
        CHECK(keeps(model) == (after == large));
        check_same(model, whole, x);
      }
    }
}
