// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/fit_setting.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/operators/recorded.hpp>
#include <tests/support/samples.hpp>

namespace recorded_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::FitSetting;
using mercer::Gaussian;
using mercer::GramOut;
using mercer::Index;
using mercer::KernelView;
using mercer::Matrix;
using mercer::Points;
using mercer::Precision;
using mercer::PrecomputedGram;
using mercer::Recorded;
using mercer::RecordKey;
using mercer::RowSpace;

/// Keeps products in memory.
class Memory final : public mercer::FitRecord {
 public:
  void begin(const RowSpace&, const std::vector<FitSetting>& settings) override { fit = settings; }
  std::optional<Matrix<double>> find(const RecordKey& key, const RowSpace&) override {
    for (const auto& [known, product] : products)
      if (known.precision == key.precision && known.block == key.block) {
        ++hits;
        return product;
      }
    return std::nullopt;
  }
  void replace(const RecordKey& key, const RowSpace&, const Points<double>& block) override {
    std::erase_if(products, [&](const Kept& kept) {
      return kept.key.precision == key.precision && kept.key.block == key.block;
    });
    products.push_back({key, block});
  }
  void keep(const RecordKey& key, const RowSpace&, const Points<double>& product) override {
    products.push_back({key, product});
  }
  [[nodiscard]] Index found() const override { return hits; }

  struct Kept {
    RecordKey key;
    Matrix<double> product;
  };
  std::vector<FitSetting> fit;
  std::vector<Kept> products;
  Index hits = 0;
};

Matrix<double> times(const Recorded<PrecomputedGram<double>>& a, const Matrix<double>& v) {
  Matrix<double> product(v.rows(), v.cols());
  a.apply(v, product);
  return product;
}

const Matrix<double> v = mercer::normal_matrix<double>(6, 2, 1, "v");

PrecomputedGram<double> matrix(double scale) {
  return PrecomputedGram<double>(Matrix<double>(scale * Matrix<double>::Identity(6, 6)));
}

}  // namespace

TEST_CASE("recorded: products are kept by block and precision, and taken from there",
          "[operators]") {
  Memory memory;
  const Recorded first(matrix(2), &memory, Precision::Double);
  CHECK(times(first, v) == 2 * v);
  CHECK(times(first, 3 * v) == 6 * v);
  CHECK(memory.products.size() == 2);

  // Of another matrix, so that it shows where a product comes from.
  const Recorded again(matrix(5), &memory, Precision::Double);
  CHECK(times(again, v) == 2 * v);
  CHECK(times(again, 3 * v) == 6 * v);
  CHECK(memory.found() == 2);
  CHECK(times(again, 2 * v) == 10 * v);
  CHECK(memory.products.size() == 3);

  const Recorded single(matrix(7), &memory, Precision::Single);
  CHECK(times(single, v) == 7 * v);
  CHECK(memory.products.size() == 4);

  // A record that holds something else under this key.
  memory.replace({Precision::Single, memory.products.back().key.block}, RowSpace::whole(6),
                 Matrix<double>::Ones(6, 3));
  CHECK_THAT(mercer::test::error_of([&] { return times(single, v); }),
             ContainsSubstring("has a product of 6 x 3 values, expected 6 x 2"));

  const Recorded none(matrix(2), nullptr, Precision::Double);
  CHECK(times(none, v) == 2 * v);
  CHECK(memory.products.size() == 4);
}

TEST_CASE("recorded: has the samples and the diagonal of the operator", "[operators]") {
  const Matrix<double> x = mercer::normal_matrix<double>(9, 2, 1, "x");
  const Gaussian kernel(1.0);
  const mercer::Gram<Matrix<double>> gram(kernel, x);
  const Recorded recorded(gram, nullptr, Precision::Double);
  CHECK(recorded.rows() == 9);
  CHECK(recorded.row_space().local() == 9);
  CHECK(recorded.diagonal() == gram.diagonal());
  const std::vector<Index> some{1, 4, 7};
  CHECK(recorded.sample_block(some) == gram.sample_block(some));
  const Matrix<double> weights = mercer::normal_matrix<double>(3, 2, 1, "w");
  CHECK(recorded.sample_product(some, weights) == gram.sample_product(some, weights));
}

TEST_CASE("recorded: settings tell kernels, also those without words, and samples apart",
          "[operators]") {
  const Matrix<double> x = mercer::normal_matrix<double>(9, 2, 1, "x");
  const auto settings = [](const auto& kernel, const Matrix<double>& samples) {
    Memory memory;
    mercer::detail::begin_record(memory, KernelView<Matrix<double>>(kernel),
                                 RowSpace::whole(samples.rows()), samples);
    return memory.fit;
  };
  CHECK(settings(Gaussian(1.0), x) == settings(Gaussian(1.0), x));
  CHECK(settings(Gaussian(1.0), x) != settings(Gaussian(2.0), x));
  CHECK(settings(Gaussian(1.0), x) != settings(Gaussian(1.0), Matrix<double>(2 * x)));
  CHECK(settings(Gaussian(1.0), x) != settings(Gaussian(1.0), Matrix<double>(x.topRows(8))));
  const mercer::Callable twice([](const auto& a, const auto& b) { return 2 * a.dot(b); });
  const mercer::Callable thrice([](const auto& a, const auto& b) { return 3 * a.dot(b); });
  CHECK(settings(twice, x) != settings(thrice, x));
  // Also if the first samples are equal.
  Matrix<double> equal = x;
  equal.row(1) = equal.row(0);
  const auto radial = [](double sigma) {
    return mercer::Callable([sigma](const auto& a, const auto& b) {
      return std::exp(-(a - b).squaredNorm() / (2 * sigma * sigma));
    });
  };
  CHECK(settings(radial(1.0), equal) != settings(radial(1.0001), equal));
  CHECK(settings(Gaussian(1.0), Matrix<double>(x.topRows(1))).size() == 6);
  CHECK_THAT(mercer::test::error_of([&] {
               return settings(mercer::Precomputed(),
                               Matrix<double>(Matrix<double>::Identity(3, 3)));
             }),
             ContainsSubstring("given Gram matrix"));
}

TEST_CASE("recorded: settings of processors whose kernel values differ in their last bits",
          "[operators]") {
  const auto differences = [](const auto& samples, const auto& there, const auto& here) {
    using X = std::remove_cvref_t<decltype(samples)>;
    const auto settings = [&](const auto& kernel) {
      Memory memory;
      mercer::detail::begin_record(memory, KernelView<X>(kernel), RowSpace::whole(samples.rows()),
                                   samples);
      return memory.fit;
    };
    return mercer::detail::setting_differences(settings(there), settings(here));
  };
  // Values of the product, times a number; and what rounding may leave of a 0.
  const auto product = [](double factor, double rest) {
    return mercer::Callable([factor, rest](const auto& a, const auto& b) {
      using S = typename std::remove_cvref_t<decltype(a)>::Scalar;
      return static_cast<S>(factor) * a.dot(b) + static_cast<S>(rest);
    });
  };
  const auto check = [&](const auto& samples, double step) {
    // Numbers around which a text of 3 or of 8 digits would change.
    for (const double tie : {1.005, 1.00000005}) {
      CAPTURE(tie, step);
      CHECK(differences(samples, product(tie - step, 0), product(tie + step, 0)).empty());
      CHECK(differences(samples, product(tie, step), product(tie, -step)).empty());
      CHECK(differences(samples, product(tie, 0), product(1.01 * tie, 0)).size() == 1);
      CHECK(differences(samples, product(tie, 0), product(tie, 0.01)).size() == 1);
    }
  };
  check(Matrix<double>(Matrix<double>::Identity(20, 20)), 4e-16);
  check(Matrix<float>(Matrix<float>::Identity(20, 20)), 2e-7);
  const auto found = differences(Matrix<double>(Matrix<double>::Identity(2, 2)), product(1, 0.5),
                                 product(1, 0.25));
  REQUIRE(found.size() == 1);
  CHECK(mercer::detail::in_words(found) == "kernel values: 1.5 there, 1.25 here");
}

}  // namespace recorded_test
