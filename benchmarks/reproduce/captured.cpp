// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The runs behind captured.py: one fit to training samples with one method, and the share of the
/// variance of test samples that its functions capture. Prints lines of JSON.

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <mercer/core/tall_skinny.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>

#include <benchmarks/reproduce/command.hpp>

namespace {

using mercer::Index;
using reproduce::Arguments;
using reproduce::print;
using reproduce::Stopwatch;
using Samples = mercer::Matrix<float>;

constexpr const char* usage =
    "usage: mercer_reproduce_captured COMMAND name=value...\n"
    "  reference          train test components                      sigma, most variance of all\n"
    "  features           train test components sigma features seed  one pass, all features\n"
    "  nystrom            train test components sigma landmarks seed\n"
    "  doubly-stochastic  train test components sigma features blocks batch steps marks seed\n"
    "                     [step decay]    features: of a block; marks: steps t,t,... to evaluate "
    "at";

/// tr(Q^T K_c Q) / n of the test samples, Q an orthonormal basis of the functions' values at them:
/// the variance along the functions, whatever their lengths and rotation.
class Captured {
 public:
  Captured(double sigma, const Arguments& given)
      : test_(std::make_shared<const Samples>(mercer::io::read_npy<float>(given.text("test")))),
        gram_(mercer::Gram(mercer::Gaussian{sigma}, test_)) {}

  [[nodiscard]] const Samples& test() const { return *test_; }
  [[nodiscard]] const auto& gram() const { return gram_; }

  [[nodiscard]] double of(const mercer::Matrix<float>& values) const {
    mercer::Matrix<double> functions = values.cast<double>();
    mercer::centre_columns(functions);
    const mercer::Matrix<double> q = mercer::orthonormalize(functions).Q;
    mercer::Matrix<double> kq(q.rows(), q.cols());
    gram_.apply(q, kq);
    return q.cwiseProduct(kq).sum() / static_cast<double>(q.rows());
  }

 private:
  std::shared_ptr<const Samples> test_;
  mercer::Centered<mercer::Gram<Samples>> gram_;
};

void reference(const Arguments& given) {
  const Samples train = mercer::io::read_npy<float>(given.text("train"));
  const double sigma = mercer::median_distance(train);
  const Captured captured(sigma, given);
  const auto pairs = mercer::BlockKrylov{{.tolerance = 1e-6}}.solve(
      captured.gram(), {.components = given.count("components")});
  const auto n = static_cast<double>(captured.test().rows());
  print({{"n", train.rows()},
         {"d", train.cols()},
         {"sigma", sigma},
         {"most", pairs.eigenvalues.sum() / n},
         {"all", captured.gram().diagonal().sum() / n}});
}

/// One fit by a solver, and what its functions capture.
template <class Solver>
void fit(const Arguments& given, const Solver& solver) {
  const Samples train = mercer::io::read_npy<float>(given.text("train"));
  const mercer::Gaussian kernel{given.number("sigma")};
  const Captured captured(given.number("sigma"), given);
  Stopwatch watch;
  watch.start();
  const auto model =
      mercer::KernelPca{kernel, solver, {.components = given.count("components")}}.fit(train);
  watch.stop();
  print({{"seconds", watch.seconds()},
         {"bytes", model.report().bytes},
         {"captured", captured.of(model.transform(captured.test()))}});
}

void features(const Arguments& given) {
  fit(given, mercer::FeaturePca{mercer::RandomFourier{.features = given.count("features") / 2},
                                {.seed = given.seed()}});
}

void nystrom(const Arguments& given) {
  fit(given,
      mercer::Nystrom{
          mercer::Uniform{},
          {.landmarks = given.count("landmarks"), .certificate_rows = 2, .seed = given.seed()}});
}

void doubly_stochastic(const Arguments& given) {
  const Samples train = mercer::io::read_npy<float>(given.text("train"));
  const double sigma = given.number("sigma");
  const Captured captured(sigma, given);
  const Index components = given.count("components"), batch_rows = given.count("batch"),
              steps = given.count("steps"), start_rows = std::min(train.rows(), 2 * batch_rows);
  const auto marks = given.counts("marks");
  Stopwatch watch;
  watch.start();
  mercer::MatrixStream source(train);
  mercer::SampleStreamView<float> view(source);
  mercer::ShuffledStream<float> stream(view, {.seed = given.seed()});
  Samples batch(start_rows, train.cols());
  static_cast<void>(stream.read(batch));
  const auto map = mercer::RandomFourier{.features = given.count("features") / 2}.bind<float>(
      mercer::Gaussian{sigma}, mercer::sample_bounds(batch), given.seed());
  const auto start = mercer::doubly_stochastic_start(map, batch, components, true, given.seed());
  const double first = start.eigenvalues(0);
  mercer::DoublyStochasticRun<float> run(
      map,
      {.schedule = {.blocks = given.count("blocks"),
                    .step = given.has("step") ? given.number("step") : 1 / first,
                    .decay = given.has("decay") ? given.number("decay") : 0.01},
       .coefficients = start.coefficients},
      std::size_t{1} << 30U);
  batch.resize(batch_rows, train.cols());
  while (run.steps() < steps && !run.diverged()) {
    if (stream.read(batch) < batch_rows) {
      static_cast<void>(stream.rewind());
      continue;
    }
    static_cast<void>(run.partial_fit(batch));
    watch.stop();
    if (reproduce::contains(marks, run.steps()))
      print({{"step", run.steps()},
             {"seconds", watch.seconds()},
             {"bytes", run.bytes()},
             {"captured", captured.of(run.evaluate(captured.test()))}});
    watch.start();
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return reproduce::run(argc, argv,
                        {{"reference", reference},
                         {"features", features},
                         {"nystrom", nystrom},
                         {"doubly-stochastic", doubly_stochastic}},
                        usage);
}
