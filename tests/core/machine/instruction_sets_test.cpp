// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/machine/instruction_sets.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <mercer/core/math/sine_cosine.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/kernels/blocks.hpp>
#include <mercer/operators/tile_product.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace instruction_sets_test {

using namespace mercer;

namespace {

/// Puts back the set that was in use.
class SetInUse {
 public:
  SetInUse() = default;
  ~SetInUse() { set_instruction_set(before_); }
  SetInUse(const SetInUse&) = delete;
  SetInUse& operator=(const SetInUse&) = delete;

 private:
  InstructionSet before_ = instruction_set();
};

/// Results of all loops, for blocks of sizes that fill no register. The blocks are parts of larger
/// matrices, which must stay as they are around them.
template <Real S>
struct Results {
  Results() {
    const Index n = 37, m = 29, d = 53;
    const Matrix<S> a = test::uniform_samples<S>(n + 2, d, 1),
                    b = test::uniform_samples<S>(m, d, 2);
    const auto x = a.middleRows(1, n);
    const Matrix<S> y = b.transpose();
    const auto inside = [&] { return products.block(1, 2, n, m); };
    const auto taken = [&] {
      const Matrix<S> block = inside();
      inside().setZero();
      frames += products.cwiseAbs().sum();
      return block;
    };

    detail::multiply_add<S>(x, y, inside());
    sum = taken();
    detail::add_inner_products<S>(x.transpose().eval(), y, inside());
    of_transposed = taken();
    detail::multiply_transposed<S>(x, b, inside());
    transposed = taken();
    detail::sum_squared_differences<S>(x, b, inside());
    differences = taken();

    distances = transposed;
    const Vector<S> norms = x.rowwise().squaredNorm();
    for (Index j = 0; j < m; ++j)
      none_cancelled = detail::distances_to_one<S>(norms.data(), b.row(j).squaredNorm(), S(2),
                                                   {distances.col(j).data(), n}) &&
                       none_cancelled;

    exponentials = test::uniform_samples<S>(n, 1, 3, -20, 20);
    detail::exponentials<S>(S(-0.5), {exponentials.data(), n});
    const Vector<S> angles = test::uniform_samples<S>(n, 1, 4, -50, 50);
    sines.resize(n);
    cosines.resize(n);
    detail::sine_cosine<S>(angles, sines, cosines);

    const Index w = 7 * detail::padded_to<S>;
    const RowMajorMatrix<S> v = test::uniform_samples<S>(d, w, 5);
    RowMajorMatrix<S> out = RowMajorMatrix<S>::Zero(n, w);
    const Matrix<S> tile = x;
    detail::add_tile_product<S>({tile.data(), n, d, 1, n}, v.data(), w, out.data());
    tile_product = out;
    tile_of_columns = x * v;
  }

  Matrix<S> products = Matrix<S>::Zero(40, 32);
  S frames = 0;
  Matrix<S> sum, of_transposed, transposed, differences, distances, tile_product, tile_of_columns;
  Vector<S> exponentials, sines, cosines;
  bool none_cancelled = true;
};

}  // namespace

SCALAR_TEST_CASE("instruction sets: each gives the values of the compiled loops", "[core]") {
  using S = TestType;
  const SetInUse restore;
  set_instruction_set(InstructionSet::AsCompiled);
  CHECK(instruction_set() == InstructionSet::AsCompiled);
  const Results<S> expected;
  CHECK(expected.frames == 0);
  // Sums of up to 53 products of numbers below 1, in some order.
  const S rounding = 53 * std::numeric_limits<S>::epsilon();
  const auto near = [&](const auto& a, const auto& b, S scale) {
    return (a - b).cwiseAbs().maxCoeff() <= scale * rounding;
  };
  CHECK(near(expected.tile_product, expected.tile_of_columns, 53));
  CHECK(near(expected.sum, expected.of_transposed, 53));
  CHECK(near(expected.sum, expected.transposed, 53));
  CHECK(near(expected.differences, expected.distances, 4 * 53));
  for (const InstructionSet set : {InstructionSet::Avx2, InstructionSet::Avx512}) {
    if (!has_instruction_set(set)) continue;
    CAPTURE(std::string(to_string(set)));
    set_instruction_set(set);
    CHECK(instruction_set() == set);
    const Results<S> found;
    CHECK(found.frames == 0);
    CHECK(near(found.sum, expected.sum, 53));
    CHECK(near(found.of_transposed, expected.of_transposed, 53));
    CHECK(near(found.transposed, expected.transposed, 53));
    CHECK(near(found.differences, expected.differences, 4 * 53));
    CHECK(near(found.distances, expected.distances, 4 * 53));
    CHECK(near(found.tile_product, expected.tile_product, 53));
    CHECK(found.none_cancelled == expected.none_cancelled);
    // Two units in the last place each, for values of any size.
    const S units = 4 * std::numeric_limits<S>::epsilon();
    CHECK(((found.exponentials - expected.exponentials).array().abs() <=
           units * expected.exponentials.array())
              .all());
    CHECK(((found.sines - expected.sines).array().abs() <= units).all());
    CHECK(((found.cosines - expected.cosines).array().abs() <= units).all());
  }
}

TEST_CASE("instruction sets: what is not there is refused", "[core]") {
  const SetInUse restore;
  CHECK(has_instruction_set(InstructionSet::AsCompiled));
  const auto none = static_cast<InstructionSet>(99);
  CHECK_FALSE(has_instruction_set(none));
  CHECK_THROWS_AS(set_instruction_set(none), InvalidArgument);
  for (const InstructionSet set : {InstructionSet::Avx2, InstructionSet::Avx512})
    if (!has_instruction_set(set)) CHECK_THROWS_AS(set_instruction_set(set), InvalidArgument);
  // The best is in use from the start.
  CHECK((instruction_set() == InstructionSet::Avx512 ||
         !has_instruction_set(InstructionSet::Avx512)));
  CHECK(to_string(InstructionSet::Avx2) == "AVX2");
}

}  // namespace instruction_sets_test
