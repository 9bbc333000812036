// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/runtime/solvers.hpp>

#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include <mercer/models/kernel_pca.hpp>
#include <mercer/runtime/kernels.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace solvers_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(KernelSolver<AnyKernelSolver> && FeatureSolver<AnyFeatureSolver>);
static_assert(solves_for<AnyKernelSolver, AnyKernel, SparseMatrix<float>>);

namespace {

const KernelPcaParams params{.components = 2};

Matrix<double> samples() {
  return test::uniform_samples<double>(60, 3, 5);
}

SolverTask task() {
  return {.kernel = AnyKernel(Gaussian{1}),
          .samples = 60,
          .dimension = 3,
          .seed = 3,
          .landmarks = [](Index count) -> Matrix<double> { return samples().topRows(count); }};
}

/// What the solver finds through the types of runtime/.
Vector<double> eigenvalues(const AnyKernel& kernel, const AnySolver& solver,
                           const Matrix<double>& x) {
  return std::visit(
      [&](const auto& one) {
        return KernelPca{kernel, one, params}.fit(x).eigenvalues();
      },
      solver);
}

/// Calls \p use for each solver that this program has, with its default settings.
template <class Use>
void with_solvers(Use&& use) {
  for (const SolverEntry& entry : solver_table()) {
    CAPTURE(entry.name);
#if !defined(MERCER_HAS_LBFGSPP)
    if (entry.name == "dual") continue;
#endif
    use(entry, make_solver(entry.name, {}, task()).solver);
  }
}

std::string refusal(const std::string& name, const Settings& settings,
                    const SolverTask& with = task()) {
  return test::error_of([&] { return make_solver(name, settings, with).settings; });
}

}  // namespace

TEST_CASE("runtime: each solver made by name finds what it finds by type", "[runtime]") {
  with_solvers([](const SolverEntry& entry, const AnySolver& solver) {
    CHECK(std::holds_alternative<AnyFeatureSolver>(solver) == entry.streams);
    const Vector<double> found = eigenvalues(Gaussian{1}, solver, samples());
    CHECK(found.size() == 2);
    if (const auto* any = std::get_if<AnyKernelSolver>(&solver))
      std::visit(
          [&]<class T>(const T& one) {
            if constexpr (detail::compiles_for<T, Gaussian, Matrix<double>> || OperatorSolver<T>)
              CHECK(found == KernelPca{Gaussian{1}, one, params}.fit(samples()).eigenvalues());
          },
          any->choice());
  });
}

TEST_CASE("runtime: fits that are stopped anywhere have a model, and say so", "[runtime]") {
  const Matrix<double> x = samples();
  with_solvers([&](const SolverEntry&, const AnySolver& solver) {
    for (const bool centered : {true, false})
      for (int most = 0; most < 12; ++most) {
        CAPTURE(centered, most);
        int calls = 0;
        const auto stopped = [&](const auto& one) {
          const KernelPcaParams wanted{.components = 2, .centered = centered};
          const auto model = KernelPca{AnyKernel(Gaussian{1}), one, wanted}.fit(
              x, [&](const Progress&) { return calls++ < most; });
          return std::tuple(model.report().status == Status::Cancelled, model.components(),
                            model.transform(x).cols());
        };
        const auto [cancelled, components, columns] = std::visit(stopped, solver);
        CHECK((cancelled || calls <= most));
        CHECK(columns == components);
      }
  });
}

TEST_CASE("runtime: solvers get their settings", "[runtime]") {
  const auto made = [](const std::string& name, const Settings& settings) {
    return std::get<AnyKernelSolver>(make_solver(name, settings, task()).solver);
  };
  CHECK(made("block-krylov", {{"tolerance", 1e-3}}).tolerance() == 1e-3);
  CHECK_FALSE(made("nystrom", {}).tolerance());
  const AnyKernelSolver nystrom = made("nystrom", {{"landmarks", 30}, {"sampling", "kmeans"}});
  CHECK(std::get<Nystrom<KMeansLandmarks>>(nystrom.choice()).params().landmarks == 30);
  CHECK(std::get<Nystrom<KMeansLandmarks>>(nystrom.choice()).params().seed == 3);
  const AnyKernelSolver spgd =
      made("spgd", {{"estimator", "columns"}, {"iterations", 7}, {"start", "nystrom"}});
  const auto& columns = std::get<Spgd<ColumnSampling>>(spgd.choice());
  CHECK(columns.estimator().columns == 50);
  CHECK(columns.params().iterations == 7);
  CHECK(columns.params().landmarks == 60);
  const AnyKernelSolver hebbian = made("kernel-hebbian", {{"gain", "et"}, {"step", 2}});
  CHECK(std::get<KernelHebbian>(hebbian.choice()).params().gain == Gain::Et);
  CHECK(std::get<KernelHebbian>(hebbian.choice()).params().gain_step == 2);
  const AnyKernelSolver online = made("online-hebbian", {{"criterion", "coherence"},
                                                         {"threshold", 0.5},
                                                         {"gain", "constant"},
                                                         {"step", 0.1},
                                                         {"epochs", 3},
                                                         {"max_points", 9},
                                                         {"tolerance", 0.1}});
  const OnlineHebbianFitParams& updates = std::get<OnlineHebbian>(online.choice()).params();
  CHECK(updates.updates.criterion == DictionaryCriterion::Coherence);
  CHECK(updates.updates.threshold == 0.5);
  CHECK(updates.updates.gain == Gain::Constant);
  CHECK(updates.updates.gain_step == 0.1);
  CHECK(updates.updates.max_points == 9);
  CHECK(updates.epochs == 3);
  CHECK(updates.seed == 3);
  CHECK(online.tolerance() == 0.1);
  CHECK_FALSE(made("online-hebbian", {}).tolerance());
  const AnyKernelSolver oja =
      made("kernel-oja",
           {{"rule", "gha"}, {"data_batch", 20}, {"epochs", 2}, {"step", 0.5}, {"tolerance", 0.1}});
  const KernelOjaParams& steps = std::get<KernelOja>(oja.choice()).params();
  CHECK(steps.rule == StochasticRule::Gha);
  CHECK(steps.data_batch == 20);
  CHECK(steps.epochs == 2);
  CHECK(steps.step == 0.5);
  CHECK(steps.seed == 3);
  CHECK(oja.tolerance() == 0.1);
  CHECK_FALSE(std::get<KernelOja>(made("kernel-oja", {}).choice()).params().step);
  const AnyKernelSolver sparse =
      made("sparse-likelihood",
           {{"noise", 0.2}, {"rule", "em"}, {"tolerance", 0.01}, {"iterations", 8}});
  const SparseLikelihoodParams& model = std::get<SparseLikelihood>(sparse.choice()).params();
  CHECK(model.noise == 0.2);
  CHECK(model.rule == WeightRule::Em);
  CHECK(model.tolerance == 0.01);
  CHECK(model.max_iterations == 8);
  const AnyKernelSolver entries = made("spgd", {{"estimator", "entries"}, {"features", 15}});
  CHECK(std::get<Spgd<EntrySampling>>(entries.choice()).estimator().probability == 0.25);
  const AnyKernelSolver dual = made("dual", {{"loss", "eps-l1"}, {"epsilon", 0.5}, {"starts", 2}});
  CHECK(std::get<Dca<AnyLoss>>(dual.choice()).loss().describe() ==
        EpsilonInsensitive<L1>{0.5}.describe());
  CHECK(std::get<Dca<AnyLoss>>(dual.choice()).params().starts == 2);
}

TEST_CASE("runtime: with a trace tolerance, as few landmarks as suffice, or up to 4096",
          "[runtime]") {
  const auto landmarks = [](const std::string& sampling) {
    const AnySolver solver =
        make_solver("nystrom", {{"sampling", sampling}, {"trace_tolerance", 0.9}}, task()).solver;
    const auto& one = std::get<AnyKernelSolver>(solver);
    return KernelPca{Gaussian{1}, one, params}.fit(samples()).report().expansion_points;
  };
  // 200 by default, which is more than the samples.
  CHECK(landmarks("uniform") == samples().rows());
  for (const char* const sampling : {"rp-cholesky", "greedy", "sequential"})
    CHECK(landmarks(sampling) < samples().rows());
  const SolverEntry& entry = require_entry("solver", solver_table(), "nystrom");
  for (const Parameter& parameter : entry.parameters) {
    if (parameter.name == "landmarks")
      CHECK_THAT(parameter.otherwise, ContainsSubstring("with trace_tolerance, k + 1 or more"));
    if (parameter.name == "trace_tolerance")
      CHECK_THAT(parameter.description, ContainsSubstring("up to 4096"));
  }
}

TEST_CASE("runtime: each sampling of landmarks is its selector", "[runtime]") {
  const auto landmarks = [](const auto& selector) {
    return KernelPca{Gaussian{1}, Nystrom{selector, {.landmarks = 20, .seed = 3}}, params}
        .fit(samples())
        .eigenvalues();
  };
  const auto named = [](const std::string& sampling) {
    return eigenvalues(
        Gaussian{1},
        make_solver("nystrom", {{"landmarks", 20}, {"sampling", sampling}}, task()).solver,
        samples());
  };
  CHECK(named("uniform") == landmarks(Uniform{}));
  CHECK(named("kmeans") == landmarks(KMeansLandmarks{}));
  CHECK(named("rp-cholesky") == landmarks(RpCholesky{}));
  CHECK(named("greedy") == landmarks(GreedyCholesky{}));
  CHECK(named("sequential") == landmarks(SequentialGreedy{}));
  CHECK(named("diagonal") == landmarks(DiagonalSampling{}));
  CHECK(named("column-norms") == landmarks(ColumnNormSampling{}));
  CHECK(named("sequential") != named("column-norms"));
}

TEST_CASE("runtime: any loss in the dual is the loss that it holds", "[runtime]") {
  const auto scores = [](const auto& loss) {
    return KernelPca{Gaussian{1}, Dca{loss, {.max_iterations = 50}}, params}
        .fit(samples())
        .training_scores();
  };
  CHECK(scores(AnyLoss(Huber<L2>{0.3})) == scores(Huber<L2>{0.3}));
  CHECK(scores(AnyLoss(Huber<L1>{0.3})) == scores(Huber<L1>{0.3}));
}

TEST_CASE("runtime: estimators and maps fit the kernel", "[runtime]") {
  const auto first = [](const std::string& name, const AnyKernel& kernel) {
    SolverTask with = task();
    with.kernel = kernel;
    return to_text(make_solver(name, {}, with).settings.front().second);
  };
  CHECK(first("spgd", Gaussian{1}) == "random-fourier");
  CHECK(first("spgd", Linear{}) == "random-maclaurin");
  CHECK(first("spgd", Cosine{}) == "symmetric-columns");
  CHECK(first("features", Polynomial{}) == "tensor-sketch");
  CHECK(refusal("spgd", {{"estimator", "random-maclaurin"}}) ==
        "spgd: estimator random-maclaurin: the kernel gaussian has no such features; take "
        "random-fourier, symmetric-columns or columns");
  CHECK_THAT(refusal("features", {{"map", "exact"}}),
             ContainsSubstring("features: map exact: has no features of the kernel gaussian; take "
                               "random-fourier") &&
                 ContainsSubstring("fastfood or nystrom"));
  CHECK(refusal("features", {}, {}) == "features: map is needed where the kernel is not known");
}

TEST_CASE("runtime: settings that do not fit a solver are refused", "[runtime]") {
  CHECK(refusal("auto", {{"tolerance", 0}}) ==
        "auto: tolerance must be a number greater than 0, got 0");
  CHECK(refusal("exact", {{"tolerance", 1}}) ==
        "exact: tolerance is not known; there are no parameters");
  CHECK_THAT(refusal("nystrom", {{"landmarks", 61}}), ContainsSubstring("60, got 61"));
  CHECK_THAT(refusal("spgd", {{"lambda", 2.0}, {"lambda_rule", "elbow"}}),
             ContainsSubstring("is for a lambda that is not given"));
  CHECK_THAT(refusal("spgd", {{"landmarks", 10}}), ContainsSubstring("is for start nystrom"));
  CHECK_THAT(refusal("spgd", {{"estimator", "columns"}, {"features", 61}}),
             ContainsSubstring("features must be at most the 60 columns"));
  CHECK_THAT(refusal("spgd", {{"estimator", "entries"}, {"features", 61}}),
             ContainsSubstring("features must be at most the 60 columns"));
  CHECK_THAT(refusal("spgd", {{"estimator", "entries"}}, {.kernel = AnyKernel(Gaussian{1})}),
             ContainsSubstring("estimator entries: needs the number of samples"));
  CHECK_THAT(refusal("online-hebbian", {{"threshold", 2}}), ContainsSubstring("threshold must be"));
  CHECK_THAT(refusal("online-hebbian", {{"gain", "smd"}}), ContainsSubstring("gain must be"));
  CHECK_THAT(refusal("sparse-likelihood", {{"noise", 1}}), ContainsSubstring("noise must be"));
  CHECK_THAT(refusal("doubly-stochastic", {{"map", "nystrom"}, {"feature_batch", 4}}),
             ContainsSubstring("map nystrom are not drawn"));
  CHECK_THAT(refusal("dual", {{"loss", "huber-l2"}}), ContainsSubstring("kappa is missing"));
  CHECK_THAT(refusal("dual", {{"loss", "huber-l2"}, {"epsilon", 1}}),
             ContainsSubstring("epsilon is no parameter of the loss huber-l2, which has kappa"));
  CHECK_THAT(refusal("dual", {{"starts", 2}}), ContainsSubstring("for another loss than square"));
  CHECK_THAT(refusal("newton", {}),
             ContainsSubstring("unknown solver 'newton'; known: auto, exact"));
}

TEST_CASE("runtime: what a kernel chosen at run time cannot do is an error", "[runtime]") {
  const Matrix<double> x = samples();
  const AnyKernel precomputed = Precomputed{};
  CHECK_THROWS_AS((KernelPca{precomputed, Exact{}, params}.fit(x)), InvalidArgument);  // not square
  const Matrix<double> k = gram(Gaussian{1}, x);
  const auto model = KernelPca{precomputed, Exact{}, params}.fit(k);
  CHECK(model.eigenvalues() == KernelPca{Precomputed{}, Exact{}, params}.fit(k).eigenvalues());
  CHECK(model.transform(k) == KernelPca{Precomputed{}, Exact{}, params}.fit(k).transform(k));
  CHECK_THROWS_AS(model.novelty(k), InvalidArgument);
  CHECK_THROWS_AS(model.inverse_transform(model.training_scores()), InvalidArgument);
  Matrix<double> skew = k;
  skew(0, 1) += 1;
  CHECK_THROWS_AS((KernelPca{precomputed, Exact{}, params}.fit(skew)), InvalidArgument);
  // Neither can a kernel that is known to the compiler, where it is the solver that is not.
  const AnySolver maclaurin =
      make_solver("spgd", {{"estimator", "random-maclaurin"}}, {.kernel = AnyKernel(Linear{})})
          .solver;
  CHECK_THAT(test::error_of([&] {
               return KernelPca{Gaussian{1}, std::get<AnyKernelSolver>(maclaurin), params}.fit(x);
             }),
             ContainsSubstring("asks more of a kernel than gaussian"));
  for (const char* name :
       {"nystrom", "spgd", "kernel-hebbian", "online-hebbian", "sparse-likelihood", "kernel-oja"})
    CHECK_THROWS_AS(
        eigenvalues(precomputed, make_solver(name, {}, {.kernel = precomputed}).solver, k),
        InvalidArgument);
}

}  // namespace solvers_test
