// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The runs behind hermite.py: doubly stochastic kernel PCA of normal samples with known
/// eigenfunctions. Prints a line of JSON for every mark, then one for every point of the curves.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/solvers/doubly_stochastic/detail/doubly_stochastic_start.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_run.hpp>
#include <mercer/solvers/doubly_stochastic/kernel_oja.hpp>
#include <mercer/testing/hermite_system.hpp>

#include <benchmarks/reproduce/command.hpp>

namespace {

using mercer::Index;
using reproduce::Arguments;
using reproduce::print;

constexpr const char* usage =
    "usage: mercer_reproduce_hermite oja|gha samples= features= feature_batch= data_batch=\n"
    "         steps= step= decay= seed= [precision=single]\n"
    "       mercer_reproduce_hermite kernel-oja|kernel-gha samples= data_batch= steps= step= "
    "decay=\n"
    "         seed= [precision=single]    without features: all samples are kept\n"
    "features, feature_batch: columns, two for each frequency";

constexpr Index components = 3;

using Fields = std::vector<std::pair<std::string, double>>;

/// One field for each component.
void add(Fields& fields, const std::string& name, const mercer::Vector<double>& values) {
  for (Index i = 0; i < values.size(); ++i)
    fields.emplace_back(name + "_" + std::to_string(i), values(i));
}

/// What the functions of a run are worth, at the nodes of a quadrature.
template <mercer::Real S>
class Judge {
 public:
  Judge()
      : rule_(mercer::testing::normal_quadrature(120)),
        truth_(system_.eigenfunctions(rule_.nodes, components)) {}

  /// \param blocks  of features, or batches of samples, that the functions are made of
  template <class Run>
  void print_mark(Run& run, Index blocks, double seconds) const {
    const mercer::Matrix<double> h = values(run, rule_.nodes);
    const mercer::Matrix<double> weighted = rule_.weights.asDiagonal() * h;
    const mercer::Matrix<double> moments = h.transpose() * weighted;
    Fields fields{{"t", run.steps()},
                  {"blocks", blocks},
                  {"seconds", seconds},
                  {"potential", mercer::testing::potential(h, truth_, rule_)}};
    add(fields, "eigenvalue", mercer::symmetric_eigensystem(moments).values);
    add(fields, "cosine",
        (weighted.transpose() * truth_)
            .diagonal()
            .cwiseAbs()
            .cwiseQuotient(moments.diagonal().cwiseSqrt()));
    print(fields);
  }

  /// Estimated beside exact eigenfunctions of length 1 in L2. The estimates are the functions,
  /// rotated to the eigenvectors of their second moments, with the signs of the exact ones.
  template <class Run>
  void print_curves(Run& run) const {
    const mercer::Matrix<double> h = values(run, rule_.nodes);
    const mercer::Matrix<double> weighted = rule_.weights.asDiagonal() * h;
    const auto [ell, axes] = mercer::symmetric_eigensystem<double>(h.transpose() * weighted);
    const mercer::Vector<double> correlations =
        (axes.transpose() * (weighted.transpose() * truth_)).diagonal();
    const mercer::Vector<double> scales =
        ell.cwiseSqrt().cwiseInverse().cwiseProduct(correlations.cwiseSign());
    const mercer::Vector<double> x = mercer::Vector<double>::LinSpaced(161, -4, 4);
    const mercer::Matrix<double> estimated = values(run, x) * axes * scales.asDiagonal();
    const mercer::Matrix<double> exact = system_.eigenfunctions(x, components);
    for (Index i = 0; i < x.size(); ++i) {
      Fields fields{{"x", x(i)}};
      add(fields, "estimated", estimated.row(i));
      add(fields, "exact", exact.row(i));
      print(fields);
    }
  }

 private:
  template <class Run>
  [[nodiscard]] static mercer::Matrix<double> values(Run& run, const mercer::Vector<double>& x) {
    return run.evaluate(mercer::Matrix<S>(x.cast<S>())).template cast<double>();
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
[[nodiscard]] auto normal_samples(const Arguments& given) {
  return mercer::GeneratedStream<S>(
      1, given.count("samples"), [seed = given.seed()](Index first, mercer::GramOut<S> out) {
        for (Index i = 0; i < out.rows(); ++i) {
          mercer::RandomStream draws(seed, "samples", static_cast<std::uint64_t>(first + i));
          out(i, 0) = static_cast<S>(draws.normal());
        }
      });
}

/// Does the steps of a run, with a line for each mark. Ends if step() returns false.
/// \param watch  runs
template <mercer::Real S, class Run, class Step, class Blocks>
void follow(const Arguments& given, reproduce::Stopwatch& watch, Run& run, const Step& step,
            const Blocks& blocks) {
  watch.stop();
  const Judge<S> judge;
  watch.start();
  for (const Index mark : marks_to(given.count("steps"))) {
    while (run.steps() < mark)
      if (!step()) return;
    watch.stop();
    judge.print_mark(run, blocks(), watch.seconds());
    watch.start();
  }
  judge.print_curves(run);
}

template <mercer::Real S>
void fit(const Arguments& given, mercer::StochasticRule rule) {
  auto samples = normal_samples<S>(given);
  mercer::Matrix<S> batch(given.count("data_batch"), 1);
  // The last samples of a pass, which do not fill a batch, are left out.
  const auto read_batch = [&] {
    if (samples.read(batch) == batch.rows()) return;
    static_cast<void>(samples.rewind());
    static_cast<void>(samples.read(batch));
  };
  reproduce::Stopwatch watch;
  watch.start();
  read_batch();
  const Index columns = given.count("feature_batch");
  const auto map = mercer::RandomFourier{.features = columns / 2}.template bind<S>(
      mercer::testing::HermiteSystem().kernel(), mercer::sample_bounds(batch), given.seed());
  const auto start = mercer::doubly_stochastic_start(map, batch, components, false, given.seed());
  mercer::DoublyStochasticRun<S> run(map,
                                     {.schedule = {.rule = rule,
                                                   .blocks = given.count("features") / columns,
                                                   .step = given.number("step"),
                                                   .decay = given.number("decay"),
                                                   .centered = false},
                                      .coefficients = start.coefficients},
                                     std::size_t{64} << 20U);
  follow<S>(
      given, watch, run,
      [&] {
        read_batch();
        return run.partial_fit(batch);
      },
      [&] { return run.blocks(); });
}

/// The same samples in the same batches, and the kernel itself in place of features.
template <mercer::Real S>
void fit_kernel(const Arguments& given, mercer::StochasticRule rule) {
  auto stream = normal_samples<S>(given);
  const Index size = given.count("data_batch");
  const Index batches = (std::min)(given.count("samples") / size, given.count("steps"));
  mercer::Matrix<S> samples(batches * size, 1);
  reproduce::Stopwatch watch;
  watch.start();
  static_cast<void>(stream.read(samples));
  const mercer::Gaussian kernel = mercer::testing::HermiteSystem().kernel();
  const auto start =
      mercer::kernel_oja_start(kernel, mercer::Matrix<S>(samples.topRows(size)), components, false);
  mercer::KernelOjaRun<mercer::Matrix<S>> run(kernel, samples,
                                              {.rule = rule,
                                               .blocks = batches,
                                               .step = given.number("step"),
                                               .decay = given.number("decay"),
                                               .centered = false},
                                              start.coefficients);
  follow<S>(
      given, watch, run, [&] { return run.step(); }, [&] { return run.visited() / size; });
}

template <mercer::StochasticRule rule, bool features>
void fit_in_precision(const Arguments& given) {
  const bool single = given.has("precision") && given.text("precision") == "single";
  if constexpr (features)
    single ? fit<float>(given, rule) : fit<double>(given, rule);
  else
    single ? fit_kernel<float>(given, rule) : fit_kernel<double>(given, rule);
}

}  // namespace

int main(int argc, char* argv[]) {
  return reproduce::run(argc, argv,
                        {{"oja", fit_in_precision<mercer::StochasticRule::Oja, true>},
                         {"gha", fit_in_precision<mercer::StochasticRule::Gha, true>},
                         {"kernel-oja", fit_in_precision<mercer::StochasticRule::Oja, false>},
                         {"kernel-gha", fit_in_precision<mercer::StochasticRule::Gha, false>}},
                        usage);
}
