// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The runs behind dual.py: times of solvers at a ladder of tolerances, and paths of losses. Prints
/// lines of JSON.

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/io/npy.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/losses/epsilon_insensitive.hpp>
#include <mercer/losses/huber.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/solvers/block_krylov.hpp>
#include <mercer/solvers/dca.hpp>
#include <mercer/solvers/dual.hpp>
#include <mercer/solvers/exact.hpp>
#include <mercer/solvers/lanczos.hpp>

#include <benchmarks/reproduce/command.hpp>

namespace {

using mercer::Index;
using reproduce::Arguments;
using reproduce::print;
using reproduce::Stopwatch;
using Samples = mercer::Matrix<double>;
using Operator = mercer::OperatorView<double>;
using Solution = mercer::EigenSolution<double>;

constexpr const char* usage =
    "usage: mercer_reproduce_dual COMMAND name=value...\n"
    "  form    data kernel=gaussian|exponential width=W|median out    the Gram matrix\n"
    "  ladder  gram k method=exact|lanczos|block-krylov|dual|dual-sketch tolerances repeat\n"
    "  free    data kernel width k tolerances repeat                  the dual without a matrix\n"
    "  path    data kernel width k loss values clean starts           DCA over kappa or epsilon\n"
    "tolerances, values: t,t,...; clean: the first rows, whose reconstruction error counts by "
    "itself";

[[nodiscard]] std::vector<double> numbers(const Arguments& given, const std::string& name) {
  std::vector<double> out;
  std::istringstream words(given.text(name));
  for (std::string word; std::getline(words, word, ',');) out.push_back(std::stod(word));
  return out;
}

[[nodiscard]] Samples read(const Arguments& given, const std::string& name) {
  return mercer::io::read_npy<double>(given.text(name));
}

/// Calls \p use with the kernel, exp(-|x-y|^2 / (2 W^2)) or exp(-|x-y| / W).
template <class Use>
void with_kernel(const Arguments& given, const Samples& x, const Use& use) {
  const double width =
      given.text("width") == "median" ? mercer::median_distance(x) : given.number("width");
  if (given.text("kernel") == "gaussian")
    use(mercer::Gaussian{width});
  else if (given.text("kernel") == "exponential")
    use(mercer::Matern{{.nu = 0.5, .length = width}});
  else
    throw std::invalid_argument("kernel=" + given.text("kernel") + " is none of those known");
}

void form(const Arguments& given) {
  const Samples x = read(given, "data");
  with_kernel(given, x, [&](const auto& kernel) {
    Stopwatch watch;
    watch.start();
    const Samples gram = mercer::gram(kernel, x);
    watch.stop();
    mercer::io::write_npy(given.text("out"), gram);
    print({{"n", x.rows()}, {"d", x.cols()}, {"seconds", watch.seconds()}});
  });
}

[[nodiscard]] mercer::DualParams dual_params(double tolerance, mercer::DualStart start) {
  return {.stop = mercer::DualStop::Objective, .tolerance = tolerance, .start = start};
}

/// Eigenpairs of an operator by one method with one tolerance.
template <class A>
[[nodiscard]] Solution solve(const std::string& method, double tolerance, const A& a, Index k) {
  const mercer::EigenRequest request{.components = k};
  if (method == "exact") return mercer::Exact{}.solve(a, request);
  if (method == "lanczos") return mercer::Lanczos{{.tolerance = tolerance}}.solve(a, request);
  if (method == "block-krylov")
    return mercer::BlockKrylov{{.tolerance = tolerance}}.solve(a, request);
  if (method == "dual")
    return mercer::Dual{dual_params(tolerance, mercer::DualStart::Random)}.solve(a, request);
  if (method == "dual-sketch")
    return mercer::Dual{dual_params(tolerance, mercer::DualStart::Sketch)}.solve(a, request);
  throw std::invalid_argument("method=" + method + " is none of those known");
}

/// Times \p run at every tolerance, the mean of several runs.
void time_ladder(const Arguments& given, const std::function<Solution(double)>& run) {
  const Index repeat = given.count("repeat");
  for (const double tolerance : numbers(given, "tolerances")) {
    Stopwatch watch;
    Solution found;
    for (Index i = 0; i < repeat; ++i) {
      watch.start();
      found = run(tolerance);
      watch.stop();
    }
    print({{"tolerance", tolerance},
           {"seconds", watch.seconds() / static_cast<double>(repeat)},
           {"sum", found.eigenvalues.sum()},
           {"iterations", found.report.iterations},
           {"products", found.report.kernel_products},
           {"estimate", found.report.objective_error}});
  }
}

void ladder(const Arguments& given) {
  const auto gram = mercer::PrecomputedGram<double>::unchecked(read(given, "gram"));
  time_ladder(given, [&](double tolerance) {
    return solve(given.text("method"), tolerance, gram, given.count("k"));
  });
}

void without_matrix(const Arguments& given) {
  const auto x = std::make_shared<const Samples>(read(given, "data"));
  with_kernel(given, *x, [&](const auto& kernel) {
    time_ladder(given, [&](double tolerance) {
      const mercer::Gram gram(
          kernel, x,
          {.storage = mercer::GramStorage::Recomputed, .precision = mercer::Precision::Single});
      return solve("dual-sketch", tolerance, gram, given.count("k"));
    });
  });
}

/// One line for each value of the parameter.
template <class L>
void print_path(const Arguments& given, const mercer::PrecomputedGram<double>& gram) {
  const std::vector<double> values = numbers(given, "values");
  const Index clean = given.count("clean");
  std::vector<L> losses;
  for (const double value : values) losses.emplace_back(value);
  const mercer::EigenRequest request{.components = given.count("k")};
  Stopwatch watch;
  watch.start();
  const auto path =
      mercer::dca_path(gram, losses, {.tolerance = 1e-7, .starts = given.count("starts")}, request);
  watch.stop();
  for (std::size_t i = 0; i < path.size(); ++i) {
    const mercer::Report& report = path[i].report;
    const mercer::Vector<double> error = gram.diagonal() - path[i].scores.rowwise().squaredNorm();
    print({{"value", values[i]},
           {"converged", report.status == mercer::Status::Converged},
           {"iterations", report.iterations},
           {"objective", report.dual_objective},
           {"gap", report.duality_gap},
           {"zero_rows", report.zero_rows},
           {"zero_entries", report.zero_entries},
           {"clean_error", error.head(clean).mean()},
           {"error", error.mean()},
           {"seconds", watch.seconds()}});
  }
}

void path(const Arguments& given) {
  const Samples x = read(given, "data");
  with_kernel(given, x, [&](const auto& kernel) {
    const auto gram = mercer::PrecomputedGram<double>::unchecked(mercer::gram(kernel, x));
    const auto pca = mercer::Exact{}.solve(gram, {.components = given.count("k")});
    const mercer::Vector<double> error =
        gram.diagonal() - pca.eigenvectors.cwiseAbs2() * pca.eigenvalues;
    print({{"kappa_max", mercer::kappa_max(pca)},
           {"epsilon_max", mercer::epsilon_max<mercer::L2>(gram, given.count("k"))},
           {"clean_error", error.head(given.count("clean")).mean()},
           {"error", error.mean()}});
    const std::string loss = given.text("loss");
    if (loss == "huber-l2")
      print_path<mercer::Huber<mercer::L2>>(given, gram);
    else if (loss == "huber-l1")
      print_path<mercer::Huber<mercer::L1>>(given, gram);
    else if (loss == "eps-l2")
      print_path<mercer::EpsilonInsensitive<mercer::L2>>(given, gram);
    else if (loss == "eps-linf")
      print_path<mercer::EpsilonInsensitive<mercer::LInf>>(given, gram);
    else if (loss == "eps-l1")
      print_path<mercer::EpsilonInsensitive<mercer::L1>>(given, gram);
    else
      throw std::invalid_argument("loss=" + loss + " is none of those known");
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  return reproduce::run(
      argc, argv, {{"form", form}, {"ladder", ladder}, {"free", without_matrix}, {"path", path}},
      usage);
}
