// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The runs behind dual.py: times of solvers along a ladder of tolerances or of line searches, and
/// paths of losses. Prints lines of JSON.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/report.hpp>
#if __has_include(<Spectra/SymEigsSolver.h>)
#include <Spectra/SymEigsSolver.h>
#endif

#include <mercer/core/types.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/io/samples.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/losses/epsilon_insensitive.hpp>
#include <mercer/losses/huber.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/gram_plan.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/dual/dca.hpp>
#include <mercer/solvers/dual/dual.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/krylov/lanczos.hpp>

#include <benchmarks/reproduce/command.hpp>

namespace {

using mercer::Index;
using reproduce::Arguments;
using reproduce::print;
using reproduce::Stopwatch;
using Dense = mercer::Matrix<double>;
using Solution = mercer::EigenSolution<double>;

constexpr const char* usage =
    "usage: mercer_reproduce_dual COMMAND name=value...\n"
    "  form    data kernel width=W|median out                         the Gram matrix\n"
    "  ladder  gram k method=METHOD tolerances|lines repeat           the matrix given\n"
    "  free    data kernel width k method tolerances|lines repeat     without a matrix\n"
    "  path    data kernel width k loss parts clean starts            DCA over kappa or epsilon\n"
    "METHOD: exact, lanczos, block-krylov, dual, dual-sketch or spectra (if it was there when "
    "this\n"
    "was built); lines: of the dual, its line searches, instead of tolerances; both are lists, "
    "a,b,...; kernel: gaussian, exponential or\n"
    "linear, which has no width; parts: of kappa_max or epsilon_max; clean: the first rows, whose\n"
    "reconstruction error counts by itself";

/// Calls \p use with the kernel, exp(-|x-y|^2 / (2 W^2)), exp(-|x-y| / W) or <x, y>, and the
/// samples, dense or sparse as their file has them, in a std::shared_ptr.
template <class Use>
void with_kernel(const Arguments& given, const Use& use) {
  std::visit(
      [&](auto&& samples) {
        const auto x = std::make_shared<const std::decay_t<decltype(samples)>>(std::move(samples));
        const std::string name = given.text("kernel");
        if (name == "linear") return use(mercer::Linear{}, x);
        const double width =
            given.text("width") == "median" ? mercer::median_distance(*x) : given.number("width");
        if (name == "gaussian")
          use(mercer::Gaussian{width}, x);
        else if (name == "exponential")
          use(mercer::Matern{{.nu = 0.5, .length = width}}, x);
        else
          throw std::invalid_argument("kernel=" + name + " is none of those known");
      },
      mercer::io::read_samples<double>(given.text("data")));
}

void form(const Arguments& given) {
  with_kernel(given, [&](const auto& kernel, const auto& x) {
    Stopwatch watch;
    watch.start();
    const Dense gram = mercer::gram(kernel, *x);
    watch.stop();
    mercer::io::write_npy(given.text("out"), gram);
    print({{"n", x->rows()}, {"d", x->cols()}, {"seconds", watch.seconds()}});
  });
}

/// Where a method is to stop: at a tolerance, or after a number of line searches.
struct Rung {
  double tolerance = 0;
  Index lines = 0;  ///< none: at the tolerance

  [[nodiscard]] mercer::DualParams dual(mercer::DualStart start) const {
    mercer::DualParams params{.stop = mercer::DualStop::Objective, .start = start};
    params.tolerance = lines > 0 ? std::numeric_limits<double>::min() : tolerance;
    if (lines > 0) params.max_iterations = lines;
    return params;
  }
};

#if __has_include(<Spectra/SymEigsSolver.h>)
/// An operator as Spectra takes it.
template <class A>
struct SpectraOperator {
  using Scalar = double;
  const A& matrix;
  mutable Index products = 0;
  [[nodiscard]] Index rows() const { return matrix.rows(); }
  [[nodiscard]] Index cols() const { return matrix.rows(); }
  void perform_op(const double* x, double* y) const {
    ++products;
    matrix.apply(Eigen::Map<const Dense>(x, rows(), 1), Eigen::Map<Dense>(y, rows(), 1));
  }
};

/// The Lanczos iteration of Spectra, a rival, with its defaults.
template <class A>
[[nodiscard]] Solution solve_by_spectra(double tolerance, const A& a, Index k) {
  SpectraOperator<A> op{a};
  Spectra::SymEigsSolver<SpectraOperator<A>> solver(
      op, k, std::min(a.rows(), std::max(2 * k + 1, Index{20})));
  solver.init();
  solver.compute(Spectra::SortRule::LargestAlge, 1000, tolerance);
  Solution found;
  found.eigenvalues = solver.eigenvalues();
  found.eigenvectors = solver.eigenvectors();
  found.report.solver_form = "spectra";
  found.report.kernel_products = op.products;
  found.report.status = solver.info() == Spectra::CompInfo::Successful
                            ? mercer::Status::Converged
                            : mercer::Status::NotConverged;
  return found;
}
#endif

/// Eigenpairs of an operator by one method.
template <class A>
[[nodiscard]] Solution solve(const std::string& method, const Rung& rung, const A& a, Index k) {
  const mercer::EigenRequest request{.components = k};
  if (method == "exact") return mercer::Exact{}.solve(a, request);
  if (method == "lanczos") return mercer::Lanczos{{.tolerance = rung.tolerance}}.solve(a, request);
  if (method == "block-krylov")
    return mercer::BlockKrylov{{.tolerance = rung.tolerance}}.solve(a, request);
  if (method == "dual") return mercer::Dual{rung.dual(mercer::DualStart::Random)}.solve(a, request);
  if (method == "dual-sketch")
    return mercer::Dual{rung.dual(mercer::DualStart::Sketch)}.solve(a, request);
#if __has_include(<Spectra/SymEigsSolver.h>)
  if (method == "spectra") return solve_by_spectra(rung.tolerance, a, k);
#endif
  throw std::invalid_argument("method=" + method + " is none of those known");
}

[[nodiscard]] std::vector<Rung> rungs(const Arguments& given) {
  std::vector<Rung> out;
  if (given.has("lines"))
    for (const Index lines : given.counts("lines")) out.push_back({.lines = lines});
  else
    for (const double tolerance : given.numbers("tolerances"))
      out.push_back({.tolerance = tolerance});
  return out;
}

/// Times \p run on every rung, the median of several runs.
void time_ladder(const Arguments& given, const std::function<Solution(const Rung&)>& run) {
  const auto repeat = static_cast<std::size_t>(given.count("repeat"));
  for (const Rung& rung : rungs(given)) {
    std::vector<double> seconds(repeat);
    Solution found;
    for (double& s : seconds) {
      Stopwatch watch;
      watch.start();
      found = run(rung);
      watch.stop();
      s = watch.seconds();
    }
    std::nth_element(seconds.begin(), seconds.begin() + static_cast<Index>(repeat / 2),
                     seconds.end());
    print({{"tolerance", rung.tolerance},
           {"seconds", seconds[repeat / 2]},
           {"sum", found.eigenvalues.sum()},
           {"lines", found.report.iterations},
           {"products", found.report.kernel_products}});
  }
}

/// Tiles in single precision, made anew in every run, unless the tolerance asks for more digits:
/// the rule of KernelPca.
void ladder(const Arguments& given) {
  const auto gram = std::make_shared<const Dense>(mercer::io::read_npy<double>(given.text("gram")));
  const std::string method = given.text("method");
  const mercer::Precomputed values;
  time_ladder(given, [&](const Rung& rung) {
    mercer::GramForm form;
    if (rung.lines > 0 || rung.tolerance >= mercer::detail::single_tolerance)
      form = {mercer::GramStorage::Stored, mercer::Precision::Single};
    const auto a = mercer::Gram<Dense>::unchecked(values, gram, form);
    return solve(method, rung, a, given.count("k"));
  });
}

void without_matrix(const Arguments& given) {
  with_kernel(given, [&](const auto& kernel, const auto& x) {
    time_ladder(given, [&](const Rung& rung) {
      const mercer::Gram gram(
          kernel, x,
          {.storage = mercer::GramStorage::Recomputed, .precision = mercer::Precision::Single});
      return solve(given.text("method"), rung, gram, given.count("k"));
    });
  });
}

/// The mean squared distance, in feature space, of the first \p count samples to the directions.
[[nodiscard]] double reconstruction_error(const mercer::PrecomputedGram<double>& gram,
                                          const Dense& scores, Index count) {
  return (gram.diagonal() - scores.rowwise().squaredNorm()).head(count).mean();
}

/// That of k principal components of the first \p count samples alone.
[[nodiscard]] double error_without_others(const mercer::PrecomputedGram<double>& gram, Index k,
                                          Index count) {
  const Dense clean = gram.dense().topLeftCorner(count, count);
  const auto pca =
      mercer::Exact{}.solve(mercer::PrecomputedGram<double>::unchecked(clean), {.components = k});
  return (clean.trace() - pca.eigenvalues.sum()) / static_cast<double>(count);
}

/// One line for each value of the parameter, a part of \p largest.
template <class L>
void print_path(const Arguments& given, const mercer::PrecomputedGram<double>& gram,
                double largest) {
  const std::vector<double> parts = given.numbers("parts");
  std::vector<L> losses;
  for (const double part : parts) losses.emplace_back(part * largest);
  const mercer::EigenRequest request{.components = given.count("k")};
  Stopwatch watch;
  watch.start();
  const auto path =
      mercer::dca_path(gram, losses, {.tolerance = 1e-7, .starts = given.count("starts")}, request);
  watch.stop();
  for (std::size_t i = 0; i < path.size(); ++i) {
    const mercer::Report& report = path[i].report;
    const auto& dual = std::get<mercer::DcaDetails>(report.details);
    print({{"part", parts[i]},
           {"value", parts[i] * largest},
           {"converged", report.status == mercer::Status::Converged},
           {"iterations", report.iterations},
           {"objective", dual.dual_objective},
           {"gap", dual.duality_gap},
           {"zero_rows", dual.zero_rows},
           {"zero_entries", dual.zero_entries},
           {"clean_error", reconstruction_error(gram, path[i].scores, given.count("clean"))},
           {"error", reconstruction_error(gram, path[i].scores, gram.rows())},
           {"seconds", watch.seconds()}});
  }
}

void path(const Arguments& given) {
  const Index k = given.count("k"), clean = given.count("clean");
  with_kernel(given, [&](const auto& kernel, const auto& x) {
    const auto gram = mercer::PrecomputedGram<double>::unchecked(mercer::gram(kernel, *x));
    const auto pca = mercer::Exact{}.solve(gram, {.components = k});
    const Dense scores = pca.eigenvectors * pca.eigenvalues.cwiseSqrt().asDiagonal();
    print({{"uncontaminated", error_without_others(gram, k, clean)},
           {"clean_error", reconstruction_error(gram, scores, clean)},
           {"error", reconstruction_error(gram, scores, gram.rows())}});
    const std::string loss = given.text("loss");
    if (loss == "huber-l2")
      print_path<mercer::Huber<mercer::L2>>(given, gram, mercer::kappa_max(pca));
    else if (loss == "huber-l1")
      print_path<mercer::Huber<mercer::L1>>(given, gram, mercer::kappa_max(pca));
    else if (loss == "huber-linf")
      print_path<mercer::Huber<mercer::LInf>>(given, gram, mercer::kappa_max<mercer::LInf>(pca));
    else if (loss == "eps-l2")
      print_path<mercer::EpsilonInsensitive<mercer::L2>>(given, gram,
                                                         mercer::epsilon_max<mercer::L2>(gram, k));
    else if (loss == "eps-linf")
      print_path<mercer::EpsilonInsensitive<mercer::LInf>>(
          given, gram, mercer::epsilon_max<mercer::LInf>(gram, k));
    else if (loss == "eps-l1")
      print_path<mercer::EpsilonInsensitive<mercer::L1>>(given, gram,
                                                         mercer::epsilon_max<mercer::L1>(gram, k));
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
