// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Known answers, laws and statistics of the random streams. Statistical bounds have fixed seeds
/// and a failure probability below 1e-6 for a fresh seed.

#include <tests/support/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <mercer/core/random.hpp>

namespace random_test {

namespace {

using mercer::Index;
using mercer::RandomStream;

static_assert(std::uniform_random_bit_generator<RandomStream>);

constexpr std::uint64_t seed = 11;
constexpr int draws = 100000;
// A standard normal exceeds this with probability 6e-7.
constexpr double five_sigma = 5.0;
// Kolmogorov: P(sqrt(n) D_n > x) is about 2 exp(-2 x^2), here 7e-8.
constexpr double kolmogorov_bound = 2.93;

double kolmogorov_distance(std::vector<double> uniforms) {
  std::sort(uniforms.begin(), uniforms.end());
  const auto n = static_cast<double>(uniforms.size());
  double worst = 0;
  for (std::size_t i = 0; i < uniforms.size(); ++i) {
    const auto rank = static_cast<double>(i);
    worst = std::max({worst, uniforms[i] - rank / n, (rank + 1) / n - uniforms[i]});
  }
  return worst;
}

}  // namespace

TEST_CASE("random: a stream is Philox keyed by seed and purpose, counted by position and block",
          "[random]") {
  // FNV-1a of "" and "a", from its authors' table of test values.
  static_assert(mercer::detail::hash_name("") == 0xcbf29ce484222325U);
  static_assert(mercer::detail::hash_name("a") == 0xaf63dc4c8601ec8cU);
  RandomStream stream(5, "a", 7);
  for (std::uint64_t counter = 0; counter < 3; ++counter) {
    const auto expected = mercer::detail::philox4x64({counter, 7, 0, 0}, {5, 0xaf63dc4c8601ec8cU});
    for (std::size_t i = 0; i < 4; ++i) CHECK(stream() == expected[i]);
  }
}

// Fitted models and reports depend on these numbers, so they must never change. They come from
// mercer with Philox of the library Random123.
TEST_CASE("random: streams have the numbers that they always had", "[random]") {
  RandomStream stream(7, "frequencies", 3);
  for (const std::uint64_t word : {0xf9dfe4c517c120edU, 0x4e52138416cc458aU, 0x943808747e022df2U,
                                   0x0769aaba413e6cf8U, 0x8329854da679eaf5U, 0xb98c94106647269cU,
                                   0x382b5e326839e8fbU, 0x363cef0ff532b7cbU, 0x4349c096ae608cf3U})
    CHECK(stream() == word);
  CHECK(stream.uniform() == 0x1.11779448d14fep-2);
  CHECK(stream.normal() == Approx(0x1.6727f4cb73b27p-6).epsilon(0x1p-50));
  CHECK(stream.below(1000) == 722);
  CHECK(mercer::random_permutation(8, stream) == std::vector<Index>{0, 5, 7, 6, 4, 1, 2, 3});
  CHECK(mercer::sample_without_replacement(100, 5, stream) ==
        std::vector<Index>{9, 37, 48, 65, 83});

  RandomStream other(~std::uint64_t{0}, "", std::uint64_t{1} << 63U);
  CHECK(other() == 0xc24e521da02e4549U);
  CHECK(other() == 0xb9cfe1838129021eU);
}

TEST_CASE("random: streams do not depend on each other or on the order of use", "[random]") {
  RandomStream first(seed, "order", 0);
  RandomStream second(seed, "order", 1);
  std::vector<std::uint64_t> interleaved;
  for (int i = 0; i < 10; ++i) {
    interleaved.push_back(first());
    interleaved.push_back(second());
  }
  RandomStream second_alone(seed, "order", 1);
  RandomStream first_alone(seed, "order", 0);
  for (std::size_t i = 0; i < 10; ++i) CHECK(second_alone() == interleaved[2 * i + 1]);
  for (std::size_t i = 0; i < 10; ++i) CHECK(first_alone() == interleaved[2 * i]);

  const std::set<std::uint64_t> starts{RandomStream(1, "a", 0)(), RandomStream(2, "a", 0)(),
                                       RandomStream(1, "b", 0)(), RandomStream(1, "a", 1)()};
  CHECK(starts.size() == 4);
}

TEST_CASE("random: uniforms lie strictly inside (0, 1) and are uniform", "[random]") {
  RandomStream stream(seed, "uniform");
  std::vector<double> values(draws);
  double sum = 0;
  for (double& value : values) {
    value = stream.uniform();
    sum += value;
  }
  CHECK(*std::min_element(values.begin(), values.end()) > 0);
  CHECK(*std::max_element(values.begin(), values.end()) < 1);
  CHECK(std::abs(sum / draws - 0.5) <= five_sigma / std::sqrt(12.0 * draws));
  CHECK(kolmogorov_distance(values) * std::sqrt(double(draws)) <= kolmogorov_bound);
}

TEST_CASE("random: normals have the moments and the distribution of N(0, 1)", "[random]") {
  RandomStream stream(seed, "normal");
  std::vector<double> uniforms(draws);
  std::array<double, 5> moment{};
  for (double& uniform : uniforms) {
    const double z = stream.normal();
    for (std::size_t k = 1; k < 5; ++k) moment[k] += std::pow(z, double(k)) / draws;
    uniform = std::erfc(-z / std::sqrt(2.0)) / 2;
  }
  const double unit = five_sigma / std::sqrt(double(draws));
  // Variances of z, z^2, z^3, z^4: 1, 2, 15, 96.
  CHECK(std::abs(moment[1]) <= unit);
  CHECK(std::abs(moment[2] - 1) <= unit * std::sqrt(2.0));
  CHECK(std::abs(moment[3]) <= unit * std::sqrt(15.0));
  CHECK(std::abs(moment[4] - 3) <= unit * std::sqrt(96.0));
  CHECK(kolmogorov_distance(uniforms) * std::sqrt(double(draws)) <= kolmogorov_bound);
}

TEST_CASE("random: integers below a bound are uniform", "[random]") {
  RandomStream stream(seed, "below");
  CHECK(stream.below(1) == 0);
  std::array<double, 7> counts{};
  for (int i = 0; i < draws; ++i) counts.at(stream.below(7)) += 1;
  double chi_square = 0;
  for (const double count : counts) chi_square += std::pow(count - draws / 7.0, 2) / (draws / 7.0);
  CHECK(chi_square <= 40);  // 6 degrees of freedom: exceeded with probability 5e-7

  // A bound of 3 2^62 rejects a quarter of the words; without rejection the multiples of 3 would
  // have probability 1/2.
  constexpr std::uint64_t bound = std::uint64_t{3} << 62U;
  int multiples = 0;
  for (int i = 0; i < draws; ++i) {
    const std::uint64_t value = stream.below(bound);
    REQUIRE(value < bound);
    multiples += value % 3 == 0 ? 1 : 0;
  }
  CHECK(std::abs(multiples / double(draws) - 1.0 / 3) <= five_sigma * std::sqrt(2.0 / 9 / draws));
}

TEST_CASE("random: a matrix is the same bits for any number of threads and extends a smaller one",
          "[random]") {
  const int threads = mercer::thread_count();
  mercer::set_thread_count(1);
  const mercer::Matrix<double> one = mercer::normal_matrix<double>(3000, 5, seed, "matrix");
  mercer::set_thread_count(2);
  const mercer::Matrix<double> two = mercer::normal_matrix<double>(3000, 5, seed, "matrix");
  mercer::set_thread_count(threads);
  CHECK(one == two);
  CHECK(mercer::normal_matrix<double>(1500, 2, seed, "matrix") == one.topLeftCorner(1500, 2));
  CHECK(mercer::normal_block<double>({1000, 1500}, {2, 3}, seed, "matrix") ==
        one.block(1000, 2, 1500, 3));
  CHECK(mercer::normal_matrix<float>(3000, 5, seed, "matrix") == one.cast<float>());
  CHECK_FALSE(mercer::normal_matrix<double>(3000, 5, seed, "other") == one);
  CHECK(mercer::normal_matrix<double>(0, 5, seed, "matrix").cols() == 5);
  CHECK_THROWS_AS(mercer::normal_matrix<double>(-1, 5, seed, "matrix"), mercer::InvalidArgument);
}

TEST_CASE("random: entries of a matrix are independent across rows, blocks and columns",
          "[random]") {
  const mercer::Matrix<double> z = mercer::normal_matrix<double>(4096, 2, seed, "independent");
  const double bound = five_sigma / std::sqrt(1024.0);
  CHECK(std::abs(z.col(0).dot(z.col(1)) / 4096) <= bound / 2);
  CHECK(std::abs(z.col(0).head(1024).dot(z.col(0).segment(1024, 1024)) / 1024) <= bound);
  CHECK(std::abs(z.col(0).head(1023).dot(z.col(0).segment(1, 1023)) / 1023) <= 1.01 * bound);
}

TEST_CASE("random: every order of a permutation is equally likely", "[random]") {
  RandomStream stream(seed, "permutation");
  std::map<std::vector<Index>, double> counts;
  constexpr int repetitions = 24000;
  for (int i = 0; i < repetitions; ++i) counts[mercer::random_permutation(4, stream)] += 1;
  CHECK(counts.size() == 24);
  double chi_square = 0;
  for (const auto& [order, count] : counts) chi_square += std::pow(count - 1000.0, 2) / 1000.0;
  CHECK(chi_square <= 72);  // 23 degrees of freedom: exceeded with probability 6e-7
  CHECK(mercer::random_permutation(0, stream).empty());
  CHECK_THROWS_AS(mercer::random_permutation(-1, stream), mercer::InvalidArgument);
}

TEST_CASE("random: every subset is equally likely to be sampled, in ascending order", "[random]") {
  RandomStream stream(seed, "sample");
  std::map<std::vector<Index>, double> counts;
  constexpr int repetitions = 20000;
  for (int i = 0; i < repetitions; ++i) {
    const std::vector<Index> sample = mercer::sample_without_replacement(6, 3, stream);
    REQUIRE(std::is_sorted(sample.begin(), sample.end()));
    REQUIRE(std::adjacent_find(sample.begin(), sample.end()) == sample.end());
    counts[sample] += 1;
  }
  CHECK(counts.size() == 20);
  double chi_square = 0;
  for (const auto& [sample, count] : counts) chi_square += std::pow(count - 1000.0, 2) / 1000.0;
  CHECK(chi_square <= 65);  // 19 degrees of freedom: exceeded with probability 7e-7
  CHECK(mercer::sample_without_replacement(4, 4, stream) == std::vector<Index>{0, 1, 2, 3});
  CHECK(mercer::sample_without_replacement(4, 0, stream).empty());
  CHECK_THROWS_AS(mercer::sample_without_replacement(4, 5, stream), mercer::InvalidArgument);
  CHECK_THROWS_AS(mercer::sample_without_replacement(4, -1, stream), mercer::InvalidArgument);
}

TEST_CASE("random: numbers drawn in proportion to shares", "[core][law]") {
  mercer::Vector<double> shares(5);
  shares << 0, 1, 0, 3, 0;
  RandomStream stream(7, "shares");
  const Index count = 20000;
  std::vector<Index> seen(5, 0);
  for (const Index i : draw_in_proportion(shares, count, stream))
    ++seen[static_cast<std::size_t>(i)];
  CHECK(seen[0] + seen[2] + seen[4] == 0);
  // The number of ones has the standard deviation sqrt(20000 * 3/16) = 61; four of them.
  CHECK(std::abs(static_cast<double>(seen[1]) - 5000) <= 4 * 61.3);
  CHECK(draw_in_proportion(shares, 0, stream).empty());
  for (const double scale : {1e-300, 1e300}) {
    const std::vector<Index> scaled = draw_in_proportion(scale * shares, 50, stream);
    CHECK(std::all_of(scaled.begin(), scaled.end(), [](Index i) { return i == 1 || i == 3; }));
  }
}

}  // namespace random_test
