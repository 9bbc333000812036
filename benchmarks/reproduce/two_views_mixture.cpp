// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The weights and the densities of a mixture of a Gaussian and a Gamma law, from three views of
/// each sample.

#include <stdexcept>
#include <string>

#include <mercer/core/math/gamma_quantile.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/latent/latent_mixture.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>

#include <benchmarks/reproduce/two_views.hpp>

namespace reproduce {
namespace {

using mercer::Index;
using Samples = mercer::Matrix<double>;

/// Three independent draws from N(-2, .6^2) for the first kind of samples, and from the Gamma law
/// of shape 1.2 and scale 1 for the second.
Samples draw(Index count, double share, std::uint64_t seed) {
  const mercer::GammaQuantile gamma(1.2);
  Samples views(count, 3);
  mercer::RandomStream draws(seed, "mixture");
  for (Index i = 0; i < count; ++i) {
    const bool gaussian = draws.uniform() < share;
    for (Index view = 0; view < 3; ++view)
      views(i, view) = gaussian ? -2 + .6 * draws.normal() : gamma(draws.uniform());
  }
  return views;
}

template <class Solver>
void fit_mixture(const Samples& views, const Solver& solver, const Arguments& given) {
  const mercer::LatentMixture mixture{
      mercer::Gaussian{given.number("sigma")},
      solver,
      {.components = 2, .rank = given.count("rank"), .seed = given.seed()}};
  const Samples a = views.col(0), b = views.col(1), c = views.col(2);
  Stopwatch watch;
  watch.start();
  const auto model = mixture.fit(a, b, c);
  watch.stop();
  const Samples means = model.expectation(a, b, c);
  const Index gaussian = means(0, 0) < means(1, 0) ? 0 : 1;
  print({{"seconds", watch.seconds()},
         {"processor_seconds", watch.processor_seconds()},
         {"weight_gaussian", model.weights()(gaussian)},
         {"weight_gamma", model.weights()(1 - gaussian)},
         {"mean_gaussian", means(gaussian, 0)},
         {"mean_gamma", means(1 - gaussian, 0)},
         {"sigma_2", model.singular_values()(1)},
         {"sigma_3", model.singular_values().size() > 2 ? model.singular_values()(2) : 0},
         {"defect", model.defect()},
         {"rank", static_cast<double>(model.report().views[0].rank)},
         {"bytes", static_cast<double>(model.report().bytes)}});
  const Samples grid = mercer::Vector<double>::LinSpaced(321, -6, 10);
  const Samples densities = model.density(grid);
  for (Index i = 0; i < grid.rows(); ++i)
    print({{"x", grid(i, 0)},
           {"gaussian", densities(i, gaussian)},
           {"gamma", densities(i, 1 - gaussian)}});
}

}  // namespace

void mixture(const Arguments& given) {
  const Samples views = draw(given.count("samples"), given.number("share"), given.seed());
  const std::string& method = given.text("method");
  const Index size = given.count("size");
  if (method == "nystrom")
    fit_mixture(views,
                mercer::Nystrom{mercer::RpCholesky{}, {.landmarks = size, .seed = given.seed()}},
                given);
  else if (method == "fourier")
    fit_mixture(views,
                mercer::FeaturePca{mercer::RandomFourier{.features = size}, {.seed = given.seed()}},
                given);
  else
    throw std::invalid_argument("method= must be nystrom or fourier");
}

}  // namespace reproduce
