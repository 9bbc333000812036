// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Doubly stochastic kernel PCA of normal samples with known eigenfunctions, as they are approached
/// step by step; prints one line of JSON for every mark.

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <mercer/core/generated_stream.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/solvers/doubly_stochastic_fit.hpp>
#include <mercer/solvers/doubly_stochastic_run.hpp>
#include <mercer/testing/hermite_system.hpp>

namespace {

using mercer::Index;

struct Settings {
  mercer::StochasticRule rule = mercer::StochasticRule::Oja;
  Index samples = 0, columns = 0, blocks = 0, batch = 0, steps = 0, components = 0;
  double step = 0, decay = 0;
  std::uint64_t seed = 0;
  std::size_t kept_bytes = 0;
};

/// What the functions of a run are worth, at the nodes of a quadrature.
template <mercer::Real S>
class Judge {
 public:
  explicit Judge(Index components)
      : rule_(mercer::testing::normal_quadrature(120)),
        truth_(system_.eigenfunctions(rule_.nodes, components)) {}

  void print(mercer::DoublyStochasticRun<S>& run, double seconds) const {
    const mercer::Matrix<S> nodes = rule_.nodes.template cast<S>();
    const mercer::Matrix<double> h = run.evaluate(nodes).template cast<double>();
    const mercer::Matrix<double> weighted = rule_.weights.asDiagonal() * h;
    const mercer::Matrix<double> moments = h.transpose() * weighted;
    const mercer::Vector<double> ell = mercer::symmetric_eigensystem(moments).values;
    std::printf("{\"t\": %td, \"blocks\": %td, \"seconds\": %.6g, \"potential\": %.9g", run.steps(),
                run.blocks(), seconds, mercer::testing::potential(h, truth_, rule_));
    print_list("eigenvalues", ell);
    print_list("cosines", (weighted.transpose() * truth_)
                              .diagonal()
                              .cwiseAbs()
                              .cwiseQuotient(moments.diagonal().cwiseSqrt()));
    std::printf("}\n");
    std::fflush(stdout);
  }

 private:
  static void print_list(const char* name, const mercer::Vector<double>& values) {
    std::printf(", \"%s\": [", name);
    for (Index i = 0; i < values.size(); ++i) std::printf(i > 0 ? ", %.9g" : "%.9g", values(i));
    std::printf("]");
  }

  mercer::testing::HermiteSystem system_;
  mercer::testing::Quadrature rule_;
  mercer::Matrix<double> truth_;
};

/// Steps at which the functions are looked at, evenly spaced in logarithms.
[[nodiscard]] std::vector<Index> marks_to(Index last) {
  std::vector<Index> marks;
  for (double mark = 1; mark < static_cast<double>(last); mark *= std::pow(10, 0.125))
    if (marks.empty() || marks.back() < std::lround(mark)) marks.push_back(std::lround(mark));
  marks.push_back(last);
  return marks;
}

template <mercer::Real S>
void run(const Settings& settings) {
  mercer::GeneratedStream<S> samples(1, settings.samples, [&](Index first, mercer::GramOut<S> out) {
    for (Index i = 0; i < out.rows(); ++i) {
      mercer::RandomStream draws(settings.seed, "samples", static_cast<std::uint64_t>(first + i));
      out(i, 0) = static_cast<S>(draws.normal());
    }
  });
  mercer::Matrix<S> batch(settings.batch, 1);
  // The last samples of a pass, which do not fill a batch, are left out.
  const auto read_batch = [&] {
    if (samples.read(batch) == settings.batch) return;
    static_cast<void>(samples.rewind());
    static_cast<void>(samples.read(batch));
  };
  read_batch();
  const auto map = mercer::RandomFourier{.features = settings.columns / 2}.template bind<S>(
      mercer::testing::HermiteSystem().kernel(), mercer::sample_bounds(batch), settings.seed);

  const Judge<S> judge(settings.components);
  const auto begin = std::chrono::steady_clock::now();
  double judged = 0;
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const auto start =
      mercer::doubly_stochastic_start(map, batch, settings.components, false, settings.seed);
  mercer::DoublyStochasticRun<S> run(map,
                                     {{.rule = settings.rule,
                                       .blocks = settings.blocks,
                                       .step = settings.step,
                                       .decay = settings.decay,
                                       .centered = false},
                                      start.coefficients,
                                      1,
                                      0},
                                     settings.kept_bytes);
  for (const Index mark : marks_to(settings.steps)) {
    while (run.steps() < mark) {
      read_batch();
      if (!run.partial_fit(batch)) return;
    }
    const double now = seconds();
    judge.print(run, now - judged);
    judged += seconds() - now;
  }
}

[[nodiscard]] double number(std::string_view argument) {
  char* end = nullptr;
  const std::string text(argument);
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0') mercer::detail::fail("'", argument, "' is not a number");
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 11) {
    std::fprintf(stderr,
                 "usage: hermite oja|gha double|single SAMPLES FEATURES FEATURE_BATCH DATA_BATCH "
                 "STEPS STEP DECAY SEED\n");
    return 2;
  }
  try {
    const auto whole = [&](int i) { return static_cast<Index>(number(argv[i])); };
    const Settings settings{.rule = std::string_view(argv[1]) == "gha"
                                        ? mercer::StochasticRule::Gha
                                        : mercer::StochasticRule::Oja,
                            .samples = whole(3),
                            .columns = whole(5),
                            .blocks = whole(4) / whole(5),
                            .batch = whole(6),
                            .steps = whole(7),
                            .components = 3,
                            .step = number(argv[8]),
                            .decay = number(argv[9]),
                            .seed = static_cast<std::uint64_t>(whole(10)),
                            .kept_bytes = std::size_t{64} << 20U};
    if (std::string_view(argv[2]) == "single")
      run<float>(settings);
    else
      run<double>(settings);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hermite: %s\n", error.what());
    return 2;
  }
}
