// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/operators/gram.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <mercer/core/threads.hpp>
#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/kernel_archetypes.hpp>
#include <tests/support/samples.hpp>

namespace gram_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(HasDiagonalEntries<Gram<Matrix<double>>>);
static_assert(HasDenseForm<Gram<SparseMatrix<float>>>);

namespace {

const Precomputed given_values;  // outlives the operators that refer to it

/// Forms of the operator: both storages, in each precision that there is.
template <class K, class X>
std::vector<GramForm> forms() {
  std::vector<GramForm> all;
  for (const GramStorage storage : {GramStorage::Stored, GramStorage::Recomputed}) {
    if constexpr (std::same_as<typename X::Scalar, double>)
      all.push_back({storage, Precision::Double});
    if constexpr (std::same_as<typename X::Scalar, float> ||
                  (std::same_as<typename X::Scalar, double> &&
                   evaluates_on<K, SamplesIn<float, X>>))
      all.push_back({storage, Precision::Single});
  }
  return all;
}

template <class Operator>
Matrix<double> product(const Operator& op, const Matrix<double>& v) {
  Matrix<double> out(op.rows(), v.cols());
  op.apply(v, out);
  return out;
}

/// Every form against the dense product in double precision.
template <class K, class X>
void check_against_dense(const K& kernel, const X& x) {
  const Index n = x.rows();
  const SamplesIn<double, X> in_double = x.template cast<double>();
  const Matrix<double> dense = gram(kernel, in_double);
  const Matrix<double> v = test::uniform_samples<double>(n, 2, 5);
  for (const GramForm form : forms<K, X>()) {
    // n products of size at most |K|, with the error of a kernel value: some units in the last
    // place for each of the few coordinates.
    const double eps = form.precision == Precision::Single
                           ? double{std::numeric_limits<float>::epsilon()}
                           : std::numeric_limits<double>::epsilon();
    const double tolerance = 20 * static_cast<double>(n) * eps * dense.cwiseAbs().maxCoeff();
    const Gram<X> op(kernel, x, form);
    CHECK(op.form().storage == form.storage);
    CHECK(op.form().precision == form.precision);
    CHECK(op.rows() == n);
    CHECK((product(op, v) - dense * v).cwiseAbs().maxCoeff() <= tolerance);
    CHECK((op.diagonal() - dense.diagonal()).cwiseAbs().maxCoeff() <= tolerance);
    CHECK((op.dense() - dense).cwiseAbs().maxCoeff() <= tolerance);
    const std::vector<Index> some = {n - 1, 0, n / 2};
    const Matrix<double> weights = test::uniform_samples<double>(3, 2, 6);
    CHECK((op.sample_block(some) - test::block_at(dense, some, some)).cwiseAbs().maxCoeff() <=
          tolerance);
    CHECK((op.sample_product(some, weights) - test::columns_at(dense, some) * weights)
              .cwiseAbs()
              .maxCoeff() <= tolerance);
    CHECK((op.columns(some) - test::columns_at(dense, some)).cwiseAbs().maxCoeff() <= tolerance);
  }
}

}  // namespace

SCALAR_TEST_CASE("gram: every form agrees with the dense matrix", "[operators]") {
  using S = TestType;
  const Index n = GENERATE(1, 255, 257, 520);
  const Matrix<S> x = test::uniform_samples<S>(n, 4, 6);
  check_against_dense(Gaussian(1.0), x);
  check_against_dense(Laplacian(0.5), x);
  const SparseMatrix<S> sparse = test::sparse_looking_samples<S>(n, 9, 7).sparseView();
  check_against_dense(Gaussian(1.0), sparse);
}

TEST_CASE("gram: the operator is symmetric to the last bit in every form", "[operators][law]") {
  const Matrix<double> x = test::uniform_samples<double>(300, 4, 14);
  const Matrix<double> identity = Matrix<double>::Identity(300, 300);
  for (const GramForm form : forms<Gaussian, Matrix<double>>()) {
    const Matrix<double> k = product(Gram(Gaussian(0.7), x, form), identity);
    CHECK((k == k.transpose()));
  }
}

TEST_CASE("gram: single tiles of samples far from the origin", "[operators]") {
  // In single precision the offset alone would cost the samples all but 3 of their bits.
  const Matrix<double> near = test::uniform_samples<double>(300, 20, 15);
  const Matrix<double> far = near.array() + 1048576.0 * 2;
  const Matrix<double> v = test::uniform_samples<double>(300, 1, 16);
  const Gaussian kernel(2.0);
  Matrix<double> single(300, 1), exact(300, 1);
  Gram(kernel, far, {.precision = Precision::Single}).apply(v, single);
  exact = gram(kernel, far) * v;
  // Entries good to about 1e-6, of 300 products.
  CHECK((single - exact).cwiseAbs().maxCoeff() <= 300 * 1e-6);
}

TEST_CASE("gram: single tiles of samples with constant coordinates", "[operators]") {
  Matrix<double> x = test::uniform_samples<double>(40, 3, 21);
  x.col(1).setConstant(0.3);
  for (const Matrix<double>& samples : {x, Matrix<double>(Matrix<double>::Constant(40, 3, 0.1))}) {
    const Gram op(Gaussian(1.0), samples, {.precision = Precision::Single});
    const Matrix<double> sums = product(op, Matrix<double>::Ones(40, 1));
    // 40 values of up to 1, good to some units in the last place of float.
    CHECK((sums - gram(Gaussian(1.0), samples).rowwise().sum()).cwiseAbs().maxCoeff() <= 40 * 1e-6);
  }
}

TEST_CASE("gram: a vector of any scale in single tiles", "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(40, 3, 17);
  const Gram op(Gaussian(1.0), x, {.precision = Precision::Single});
  const Matrix<double> v = test::uniform_samples<double>(40, 1, 18);
  Matrix<double> plain(40, 1), scaled(40, 1);
  op.apply(v, plain);
  for (const double scale : {0x1p-900, 0x1p900}) {
    op.apply(scale * v, scaled);
    CHECK((scaled == scale * plain));
  }
}

TEST_CASE("gram: a kernel in double only has no single tiles", "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(10, 2, 19);
  CHECK_THAT(test::error_of(
                 [&] { return Gram(test::MinimalKernel(1), x, {.precision = Precision::Single}); }),
             ContainsSubstring("double precision only"));
}

TEST_CASE("gram: precomputed values", "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(300, 3, 8);
  const Matrix<double> k = gram(Gaussian(1.0), x);
  const Matrix<double> v = test::uniform_samples<double>(300, 2, 9);
  const std::vector<Index> some = {299, 0, 150};
  const Matrix<double> weights = test::uniform_samples<double>(3, 2, 6);
  for (const GramForm form : forms<Precomputed, Matrix<double>>()) {
    CAPTURE(to_string(form.precision));
    const bool single = form.precision == Precision::Single;
    const Matrix<double> held = single ? Matrix<double>(k.cast<float>().cast<double>()) : k;
    const Gram<Matrix<double>> op(Precomputed{}, k, form);
    CHECK(op.form().storage == form.storage);
    CHECK(op.form().precision == form.precision);
    // Values times 1 and 0 are exact: these are the entries of the tiles.
    CHECK((product(op, Matrix<double>::Identity(300, 300)) == held));
    CHECK((op.sample_block(some) == test::block_at(held, some, some)));
    CHECK((op.columns(some) == test::columns_at(held, some)));
    // 300 products of size 1 in the precision of the tiles.
    const double tolerance = single ? 300 * 2e-7 : 1e-12;
    CHECK((product(op, v) - held * v).cwiseAbs().maxCoeff() <= tolerance);
    CHECK((op.sample_product(some, weights) - test::columns_at(held, some) * weights)
              .cwiseAbs()
              .maxCoeff() <= tolerance);
    CHECK(op.sample_product(some, Matrix<double>(3, 0)).cols() == 0);
    // The matrix itself remains what was given.
    CHECK((op.dense() == k));
    CHECK((op.diagonal() == k.diagonal()));
  }
}

TEST_CASE("gram: precomputed values in float", "[operators]") {
  const Matrix<float> k = gram(Gaussian(1.0), test::uniform_samples<float>(300, 3, 22));
  for (const GramForm form : forms<Precomputed, Matrix<float>>()) {
    const Gram<Matrix<float>> op(Precomputed{}, k, form);
    CHECK((product(op, Matrix<double>::Identity(300, 300)) == k.cast<double>()));
  }
}

TEST_CASE("gram: precomputed values without checks", "[operators]") {
  using Given = Gram<Matrix<double>>;
  Matrix<double> k = gram(Gaussian(1.0), test::uniform_samples<double>(300, 3, 23));
  const auto share = [](const Matrix<double>& m) {
    return std::make_shared<const Matrix<double>>(m);
  };
  Matrix<double> other = k;
  other(0, 299) = other(2, 5) = 7;
  CHECK_THAT(test::error_of([&] { return Given(Precomputed{}, other); }),
             ContainsSubstring("must be symmetric"));
  for (const GramForm form : forms<Precomputed, Matrix<double>>()) {
    const Matrix<double> identity = Matrix<double>::Identity(300, 300);
    const Matrix<double> held = product(Given(Precomputed{}, k, form), identity);
    CHECK((product(Given::unchecked(given_values, share(k), form), identity) == held));
    // Only the lower triangle is read.
    CHECK((product(Given::unchecked(given_values, share(other), form), identity) == held));
  }
  k(299, 7) = std::nan("");
  for (const Precision precision : {Precision::Single, Precision::Double})
    CHECK_THAT(test::error_of([&] {
                 return Given::unchecked(given_values, share(k), {GramStorage::Stored, precision});
               }),
               ContainsSubstring("nan for samples 299 and 7"));
}

TEST_CASE("gram: a precomputed value beyond the range of float", "[operators]") {
  using Given = Gram<Matrix<double>>;
  Matrix<double> k = gram(Gaussian(1.0), test::uniform_samples<double>(300, 3, 24));
  k(299, 7) = k(7, 299) = 1e200;
  const Matrix<double> ones = Matrix<double>::Ones(300, 1);
  const auto check = [](const std::string& error) {
    CHECK_THAT(error, ContainsSubstring("precomputed has the value inf for samples 299 and 7") &&
                          ContainsSubstring("in single precision"));
  };
  const GramForm stored{GramStorage::Stored, Precision::Single};
  check(test::error_of([&] { return Given(Precomputed{}, k, stored); }));
  const Given read(Precomputed{}, k, {GramStorage::Recomputed, Precision::Single});
  check(test::error_of([&] { return product(read, ones); }));
  CHECK(product(Given(Precomputed{}, k), ones)(7) == Approx(1e200));
}

TEST_CASE("gram: the same bits in both storages and on 1 and 2 threads", "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(700, 5, 10);
  const Matrix<double> v = test::uniform_samples<double>(700, 3, 11);
  const int before = thread_count();
  const auto check = [&](const auto& kernel, const Matrix<double>& samples) {
    for (const Precision precision : {Precision::Single, Precision::Double}) {
      set_thread_count(1);
      const Matrix<double> one =
          product(Gram(kernel, samples, {GramStorage::Stored, precision}), v);
      set_thread_count(2);
      for (const GramStorage storage : {GramStorage::Stored, GramStorage::Recomputed})
        CHECK((product(Gram(kernel, samples, {storage, precision}), v) == one));
    }
  };
  check(Gaussian(1.0), x);
  check(Precomputed{}, gram(Gaussian(1.0), x));
  set_thread_count(before);
}

/// Counts the tiles that begin at an address which vector instructions need not be told about.
struct CountsUnalignedTiles {
  int* unaligned;
  void gram(Points<double> x, Points<double> y, GramOut<double> out) const {
    out.noalias() = x * y.transpose();
    if (reinterpret_cast<std::uintptr_t>(out.data()) % EIGEN_MAX_ALIGN_BYTES != 0) ++*unaligned;
  }
};

TEST_CASE("gram: tiles are aligned, so that rounding does not depend on addresses", "[operators]") {
  for (const GramStorage storage : {GramStorage::Stored, GramStorage::Recomputed}) {
    int unaligned = 0;
    const int before = thread_count();
    set_thread_count(1);
    const Gram gram(CountsUnalignedTiles{&unaligned}, test::uniform_samples<double>(600, 2, 14),
                    {.storage = storage});
    static_cast<void>(product(gram, test::uniform_samples<double>(600, 1, 15)));
    set_thread_count(before);
    CHECK(unaligned == 0);
  }
}

TEST_CASE("gram: an observer watches how tiles are stored, and may stop it", "[operators]") {
  using X = Matrix<double>;
  const auto x = std::make_shared<const X>(test::uniform_samples<double>(1500, 3, 16));
  const Gaussian kernel(1);
  const Matrix<double> v = test::uniform_samples<double>(1500, 2, 17);
  const Index tiles = detail::tile_count(1500), total = tiles * (tiles + 1) / 2;
  const auto store = [&](const Observer& observer) {
    return Gram<X>::unchecked(kernel, x, {.storage = GramStorage::Stored}, observer);
  };
  const Matrix<double> expected = product(store({}), v);
  Index last = 0, calls = 0;
  // Of few tiles, other threads may take all, and are not watched.
  const int before = thread_count();
  set_thread_count(1);
  const Gram<X> watched = store([&](const Progress& now) {
    CHECK(now.phase == "gram matrix");
    CHECK(now.total == total);
    CHECK(now.step > last);
    last = now.step;
    return true;
  });
  CHECK(last == total);
  CHECK(watched.form().storage == GramStorage::Stored);
  CHECK(product(watched, v) == expected);
  // What is left of it has the same values.
  const Gram<X> stopped = store([&](const Progress&) { return ++calls != 3; });
  CHECK(calls == 3);
  set_thread_count(before);
  CHECK(stopped.form().storage == GramStorage::Recomputed);
  CHECK(product(stopped, v) == expected);
}

TEST_CASE("gram: a kernel value that is not finite is named", "[operators]") {
  Matrix<double> x = test::uniform_samples<double>(300, 2, 12);
  x(299, 0) = 1e200;
  CHECK_THAT(
      test::error_of(
          [&] { return Gram(Polynomial{{.degree = 2}}, x, {.storage = GramStorage::Stored}); }),
      ContainsSubstring("inf") && ContainsSubstring("299") && ContainsSubstring("polynomial"));
  const Callable bad{[](const auto&, const auto&) { return std::nan(""); }};
  CHECK_THAT(test::error_of([&] { return Gram(bad, x, {.storage = GramStorage::Stored}); }),
             ContainsSubstring("nan for samples "));
}

TEST_CASE("gram: a value of samples that is not finite is named", "[operators]") {
  // One pair of samples has no value.
  Matrix<double> x = Vector<double>::LinSpaced(300, 0, 299);
  const auto bad = [](double a, double b) { return (a == 7 && b == 270) || (a == 270 && b == 7); };
  const Callable kernel{[bad](const auto& a, const auto& b) {
    return bad(a(0), b(0)) ? std::nan("") : a(0) == b(0) ? 2.0 : 1.0;
  }};
  Matrix<double> given = Matrix<double>::Ones(300, 300);
  given(7, 270) = given(270, 7) = std::nan("");
  const auto check = [](const Gram<Matrix<double>>& op) {
    const auto names_pair = [](const std::string& message) {
      CHECK_THAT(message, ContainsSubstring("mercer::Gram: the kernel ") &&
                              ContainsSubstring(" has the value nan for samples 270 and 7"));
    };
    names_pair(test::error_of([&] { return op.columns({3, 7}); }));
    names_pair(test::error_of([&] {
      return op.sample_product({3, 7}, Matrix<double>::Ones(2, 1));
    }));
    names_pair(test::error_of([&] { return op.sample_block({7, 3, 270}); }));
    CHECK(test::error_of([&] { return op.columns({3, 8}); }) == "no error");
    CHECK(test::error_of([&] { return op.sample_block({7, 3}); }) == "no error");
  };
  check(Gram(kernel, x));
  for (const Precision precision : {Precision::Double, Precision::Single})
    check(Gram<Matrix<double>>::unchecked(given_values,
                                          std::make_shared<const Matrix<double>>(given),
                                          {GramStorage::Recomputed, precision}));
}

TEST_CASE("gram: samples are checked", "[operators]") {
  Matrix<double> x = test::uniform_samples<double>(10, 2, 13);
  x(3, 1) = std::numeric_limits<double>::infinity();
  CHECK_THAT(test::error_of([&] { return Gram(Linear{}, x); }),
             ContainsSubstring("row 3, column 1") && ContainsSubstring("inf"));
  // Finite, but the sum is not.
  CHECK_NOTHROW(Gram(Linear{}, Matrix<double>(Matrix<double>::Constant(3, 1, 1e308))));
}

}  // namespace gram_test
