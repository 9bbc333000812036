// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/machine/instruction_sets.hpp>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

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
      cancelled(j) = !detail::distances_to_one<S>(norms.data(), b.row(j).squaredNorm(), S(2),
                                                  {distances.col(j).data(), n});
    // A sample with itself, whose distance is 0.
    Vector<S> near = x * x.row(3).transpose();
    near_cancelled = !detail::distances_to_one<S>(norms.data(), norms(3), S(2), {near.data(), n});

    exponentials = test::uniform_samples<S>(n, 1, 3, -20, 20);
    detail::exponentials<S>(S(-0.5), {exponentials.data(), n});
    Vector<S> angles = test::uniform_samples<S>(n, 1, 4, -50, 50);
    angles(7) = S(3e5);  // by the standard library
    cosines.resize(n);
    sines = angles;  // in place
    detail::sine_cosine<S>(sines, sines, cosines);
    detail::sine_cosine<S>(Vector<S>(0), sines.head(0), cosines.head(0));

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
  Vector<S> cancelled = Vector<S>::Zero(29);
  bool near_cancelled = false;
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
    return a.allFinite() && b.allFinite() && (a - b).cwiseAbs().maxCoeff() <= scale * rounding;
  };
  CHECK(near(expected.tile_product, expected.tile_of_columns, 53));
  CHECK(near(expected.sum, expected.of_transposed, 53));
  CHECK(near(expected.sum, expected.transposed, 53));
  CHECK(near(expected.differences, expected.distances, 4 * 53));
  CHECK(expected.cancelled.isZero(0));
  CHECK(expected.near_cancelled);
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
    CHECK(found.cancelled == expected.cancelled);
    CHECK(found.near_cancelled);
    // Two units in the last place each, for values of any size.
    const S units = 4 * std::numeric_limits<S>::epsilon();
    CHECK(((found.exponentials - expected.exponentials).array().abs() <=
           units * expected.exponentials.array())
              .all());
    CHECK(((found.sines - expected.sines).array().abs() <= units).all());
    CHECK(((found.cosines - expected.cosines).array().abs() <= units).all());
  }
}

namespace {

/// A matrix that begins some values after an address of the strictest alignment.
template <Real S>
class Shifted {
 public:
  Shifted(const Matrix<S>& values, Index shift) : stride_(values.rows() + 3) {
    storage_.setZero(stride_ * values.cols() + 2 * widest);
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
    const auto over = static_cast<Index>(address % (widest * sizeof(S)) / sizeof(S));
    begin_ = storage_.data() + (widest - over) + shift;
    rows_ = values.rows();
    cols_ = values.cols();
    all() = values;
  }
  Shifted(const Shifted&) = delete;
  Shifted& operator=(const Shifted&) = delete;

  [[nodiscard]] Eigen::Map<Matrix<S>, 0, Eigen::OuterStride<>> all() {
    return {begin_, rows_, cols_, Eigen::OuterStride<>(stride_)};
  }

 private:
  static constexpr Index widest = 64 / Index{sizeof(S)};

  Vector<S> storage_;
  S* begin_;
  Index rows_ = 0, cols_ = 0, stride_;
};

/// Results of loops whose operands begin at a multiple of 64 bytes plus this shift.
template <Real S>
Vector<S> results_at(Index shift) {
  std::vector<Matrix<S>> results;
  struct Sizes {
    Index n, m, d;
  };
  for (const Sizes& sizes : {Sizes{37, 29, 53}, {5, 3, 2}, {1, 1, 53}, {1, 40, 53}, {40, 1, 53}}) {
    Shifted<S> x(test::uniform_samples<S>(sizes.n, sizes.d, 1), shift);
    Shifted<S> y(test::uniform_samples<S>(sizes.m, sizes.d, 2), shift);
    Shifted<S> x_columns(x.all().transpose(), shift), y_columns(y.all().transpose(), shift);
    Shifted<S> out(Matrix<S>::Zero(sizes.n, sizes.m), shift);
    detail::multiply_add<S>(x.all(), y_columns.all(), out.all());
    results.emplace_back(out.all());
    detail::multiply_transposed<S>(x.all(), y.all(), out.all());
    results.emplace_back(out.all());
    detail::sum_squared_differences<S>(x.all(), y.all(), out.all());
    results.emplace_back(out.all());
  }
  const Matrix<S> numbers = test::uniform_samples<S>(75, 1, 3, -20, 20);
  Shifted<S> values(numbers, shift), cosines(numbers, shift);
  detail::exponentials<S>(S(-0.5), {values.all().data(), numbers.size()});
  results.emplace_back(values.all());
  values.all() = numbers;
  detail::sine_cosine<S>(values.all().col(0), values.all().col(0), cosines.all().col(0));
  results.emplace_back(values.all());
  results.emplace_back(cosines.all());
  Shifted<S> norms(numbers.cwiseAbs2(), shift), products(numbers, shift);
  static_cast<void>(detail::distances_to_one<S>(norms.all().data(), S(1.7), S(2),
                                                {products.all().data(), numbers.size()}));
  results.emplace_back(products.all());

  Index size = 0;
  for (const Matrix<S>& result : results) size += result.size();
  Vector<S> all(size);
  for (Index at = 0; const Matrix<S>& result : results) {
    all.segment(at, result.size()) = result.reshaped();
    at += result.size();
  }
  return all;
}

}  // namespace

// Memory is aligned to 16 bytes where a program is compiled for all processors, and registers have
// up to 64. So operands begin anywhere in a register, from one run to the next.
SCALAR_TEST_CASE("instruction sets: the same bits wherever the operands begin", "[core]") {
  using S = TestType;
  const SetInUse restore;
  for (const InstructionSet set : {InstructionSet::Avx2, InstructionSet::Avx512}) {
    if (!has_instruction_set(set)) continue;
    CAPTURE(std::string(to_string(set)));
    set_instruction_set(set);
    const Vector<S> expected = results_at<S>(0);
    CHECK(expected.allFinite());
    // Steps of 16 bytes.
    for (Index shift = 16 / Index{sizeof(S)}; shift < 64 / Index{sizeof(S)};
         shift += 16 / Index{sizeof(S)})
      CHECK((results_at<S>(shift) == expected));
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
  // The best is in use from the start, if support/instruction_set.cpp has not taken another one.
  InstructionSet best = InstructionSet::AsCompiled;
  for (const InstructionSet set : {InstructionSet::Avx2, InstructionSet::Avx512})
    if (has_instruction_set(set)) best = set;
  if (std::getenv("MERCER_TEST_INSTRUCTIONS") == nullptr) CHECK(instruction_set() == best);
  CHECK(to_string(InstructionSet::Avx2) == "AVX2");
}

}  // namespace instruction_sets_test
