// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The runs behind spgd.py: one run with one method on one set of data; prints what came of it as
/// lines of JSON. Times are those of the method alone, without the evaluation of its errors.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/random.hpp>
#include <mercer/estimators/estimator.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/approximation_errors.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/metrics/gram_error.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/hebbian/detail/hebbian_run.hpp>
#include <mercer/solvers/hebbian/detail/whitening.hpp>
#include <mercer/solvers/hebbian/kernel_hebbian.hpp>
#include <mercer/solvers/hebbian/online_hebbian.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <mercer/solvers/nystrom/sequential_greedy.hpp>
#include <mercer/solvers/nystrom/weighted_landmarks.hpp>
#include <mercer/solvers/online_pca/incremental_svd.hpp>
#include <mercer/solvers/online_pca/matrix_exponentiated_gradient.hpp>
#include <mercer/solvers/online_pca/matrix_stochastic_gradient.hpp>
#include <mercer/solvers/spgd/detail/spgd_start.hpp>
#include <mercer/solvers/spgd/spgd_run.hpp>

#include <benchmarks/reproduce/command.hpp>

namespace {

using mercer::Index;
using mercer::LowRank;
using reproduce::Arguments;
using reproduce::contains;
using reproduce::print;
using reproduce::Stopwatch;
using Samples = mercer::Matrix<double>;
using Pairs = mercer::EigenSystem<double>;

constexpr const char* usage =
    "usage: mercer_reproduce_spgd COMMAND name=value...\n"
    "  reference  data out lambda            sigma, v, |K|_F, and eigenpairs down to lambda\n"
    "  spgd       data sigma out lambda features iterations marks seed top\n"
    "             [landmarks offset_factor variance] [save save_at] [precision=single]\n"
    "  solver     data sigma top solver=exact|block-krylov|nystrom|online-hebbian\n"
    "             [landmarks seed sampling=uniform|column-norms|sequential] [epochs seed]\n"
    "  hebbian    data sigma top gain=constant|et-star seconds seed\n"
    "  online     data sigma top method=incremental-svd|msg|exponentiated seconds seed [step]\n"
    "out: beginning of the names of the files of reference; marks: iterations t,t,... to evaluate\n"
    "at; save: beginning of the names of files for Z_t at save_at\n"
    "top: pairs of |K^(top) - K|_F / n, 0 for |Z - K^|_F^2 / n^2 alone";

/// All eigenpairs of K above lambda, and some below, to rounding.
[[nodiscard]] mercer::EigenSolution<double> pairs_above(const mercer::Gram<Samples>& gram,
                                                        double lambda, Index guess) {
  for (Index k = std::min(guess, gram.rows());; k = std::min(2 * k, gram.rows())) {
    auto solution = mercer::BlockKrylov{{.tolerance = 1e-12}}.solve(gram, {.components = k}, {});
    const Index found = solution.eigenvalues.size();
    if (found < k || found == gram.rows() || solution.eigenvalues(found - 1) <= lambda)
      return solution;
  }
}

/// E|xi - K|_F^2 / n^2 of one paired Fourier draw: the mean of (1 + k(2 (x - y))) / 2 - k(x - y)^2.
[[nodiscard]] double draw_variance(const std::shared_ptr<const Samples>& x, double sigma,
                                   double gram_norm) {
  const auto n = static_cast<double>(x->rows());
  const mercer::Gram doubled(mercer::Gaussian{sigma / 2}, x);
  mercer::Matrix<double> sums(x->rows(), 1);
  doubled.apply(mercer::Matrix<double>::Ones(x->rows(), 1), sums);
  return (1 + sums.sum() / (n * n)) / 2 - (gram_norm / n) * (gram_norm / n);
}

void reference(const Arguments& given) {
  const auto x = std::make_shared<const Samples>(mercer::io::read_npy<double>(given.text("data")));
  const Index n = x->rows();
  constexpr Index all_pairs = 20000, rows = 1000, top = 50;
  const double lambda = given.number("lambda");
  const double sigma = mercer::percentile_distance(*x, 20, {.max_samples = all_pairs});
  const mercer::Gaussian kernel{sigma};
  const mercer::ApproximationErrors errors(kernel, *x, {.centered = false});
  const auto sample = mercer::detail::subsampled_eigenvalues(mercer::KernelView<Samples>(kernel),
                                                             mercer::RowSpace::whole(n), *x,
                                                             std::min(n, rows), false, 1);
  const Index guess = std::max(top + 10, 5 * (sample.array() > lambda).count() / 4 + 10);
  Stopwatch watch;
  watch.start();
  const mercer::Gram gram(kernel, x, {.storage = mercer::GramStorage::Stored});
  const auto pairs = pairs_above(gram, lambda, guess);
  watch.stop();
  mercer::io::write_npy(given.text("out") + "-values.npy", pairs.eigenvalues);
  mercer::io::write_npy(given.text("out") + "-vectors.npy", pairs.eigenvectors);
  const auto residuals = pairs.report.residuals;
  print({{"n", n},
         {"d", x->cols()},
         {"sigma", sigma},
         {"gram_norm", errors.norm()},
         {"variance", draw_variance(x, sigma, errors.norm())},
         {"lower_bound", errors.lower_bound(pairs.eigenvalues.head(top))},
         {"converged", pairs.report.status == mercer::Status::Converged},
         {"residual", *std::max_element(residuals.begin(), residuals.end())},
         {"seconds", watch.seconds()}});
}

/// D_lambda[K] from the files of reference().
[[nodiscard]] LowRank<double> read_target(const std::string& out, double lambda) {
  const mercer::Vector<double> values = mercer::io::read_npy<double>(out + "-values.npy").col(0);
  auto target =
      LowRank<double>::from_eigenpairs(values, mercer::io::read_npy<double>(out + "-vectors.npy"));
  target.shrink({.threshold = lambda, .positive_only = true});
  return target;
}

/// What is said of an iterate, in double whatever its own precision.
class Evaluation {
 public:
  Evaluation(const Arguments& given, const mercer::Gaussian& kernel, const Samples& x)
      : given_(given),
        lambda_(given.number("lambda")),
        top_(given.count("top")),
        target_(read_target(given.text("out"), lambda_)) {
    if (top_ > 0) errors_.emplace(kernel, x, mercer::GramErrorParams{.centered = false});
  }

  [[nodiscard]] double lambda() const { return lambda_; }

  template <mercer::Real S>
  [[nodiscard]] double recovery(const LowRank<S>& z) const {
    return mercer::recovery_error(
        LowRank<double>::from_eigenpairs(z.values().template cast<double>(),
                                         z.left().template cast<double>()),
        target_);
  }

  /// Of the leading pairs of \p z with \p shift added to their values.
  template <mercer::Real S>
  [[nodiscard]] double top_error(const LowRank<S>& z, double shift) const {
    if (!errors_) return 0;
    const Index k = std::min(top_, (z.values().array() > 0).count());
    return errors_->of(z.left().leftCols(k),
                       (z.values().head(k).template cast<double>().array() + shift).matrix());
  }

  template <mercer::Real S>
  void save(Index t, const LowRank<S>& z) const {
    if (!given_.has("save") || !contains(given_.counts("save_at"), t)) return;
    const std::string name = given_.text("save") + "-t" + std::to_string(t);
    mercer::io::write_npy(name + "-values.npy", z.values());
    mercer::io::write_npy(name + "-vectors.npy", z.left());
  }

 private:
  const Arguments& given_;
  double lambda_;
  Index top_;
  LowRank<double> target_;
  std::optional<mercer::ApproximationErrors> errors_;
};

/// Z_1 and t0: zero, or the shrunk Nystroem factor with t0 = offset_factor v / e_1, where e_1 is
/// |Z_1 - K^|_F^2 / n^2.
template <mercer::Real S>
struct Start {
  LowRank<S> iterate;
  double step_offset = 0;
};

template <mercer::Real S>
[[nodiscard]] Start<S> find_start(const Arguments& given, const mercer::Gaussian& kernel,
                                  const mercer::Matrix<S>& x, const Evaluation& evaluation,
                                  Stopwatch& watch) {
  if (!given.has("landmarks")) return {LowRank<S>(x.rows(), x.rows()), 0};
  watch.start();
  auto start = mercer::detail::nystrom_start(mercer::KernelView<mercer::Matrix<S>>(kernel),
                                             mercer::RowSpace::whole(x.rows()), x,
                                             given.count("landmarks"), 0, false, given.seed(), 0);
  watch.stop();
  LowRank<S>& z = start.iterate;
  const double top_error = evaluation.top_error(z, 0);
  const Index rank = z.rank();
  z.shrink({.threshold = static_cast<S>(evaluation.lambda()), .positive_only = true});
  const double error = evaluation.recovery(z), v = given.number("variance");
  const double offset = std::max(1.0, given.number("offset_factor") * v / error);
  print({{"nystrom_rank", rank},
         {"nystrom_top_error", top_error},
         {"error_bound", start.error},
         {"error", error},
         {"step_offset", offset},
         {"seconds", watch.seconds()}});
  return {std::move(z), offset};
}

template <mercer::Real S>
void spgd(const Arguments& given) {
  const Samples samples = mercer::io::read_npy<double>(given.text("data"));
  const mercer::Matrix<S> x = samples.cast<S>();
  const mercer::Gaussian kernel{given.number("sigma")};
  const Index features = given.count("features"), iterations = given.count("iterations");
  const std::vector<Index> marks = given.counts("marks");
  const Evaluation evaluation(given, kernel, samples);
  Stopwatch watch;
  Start<S> start = find_start<S>(given, kernel, x, evaluation, watch);
  mercer::SpgdRun run(
      mercer::bind_estimator(mercer::RandomFourier{.features = features}, kernel, x, given.seed()),
      std::move(start.iterate),
      {.lambda = evaluation.lambda(), .step_offset = start.step_offset, .centered = false});
  Index largest = 0;
  while (run.iterations() < iterations) {
    watch.start();
    run.step();
    watch.stop();
    const Index t = run.iterations();
    const LowRank<S>& z = run.iterate();
    largest = std::max(largest, z.rank());
    if (!contains(marks, t)) continue;
    print({{"t", t},
           {"rank", z.rank()},
           {"columns", largest + 4 * features},  // of n values: the factor, and 2 k twice
           {"error", evaluation.recovery(z)},
           {"top_error", evaluation.top_error(z, evaluation.lambda())},
           {"seconds", watch.seconds()}});
    evaluation.save(t, z);
  }
}

void spgd_in_precision(const Arguments& given) {
  if (given.has("precision") && given.text("precision") == "single")
    spgd<float>(given);
  else
    spgd<double>(given);
}

/// Eigenpairs by a solver that takes samples.
template <mercer::KernelSolver Solver>
[[nodiscard]] Pairs solve_samples(const Arguments& given, const mercer::Gaussian& kernel,
                                  const Samples& x, const Solver& solver) {
  auto solution =
      solver.solve(kernel, x, {.pairs = {.components = given.count("top")}, .centered = false});
  const mercer::Vector<double> roots = solution.eigenvalues.cwiseSqrt().cwiseInverse();
  return {solution.eigenvalues, solution.training_scores * roots.asDiagonal()};
}

constexpr Index fewest_rows = 2;  // for residuals, which nobody looks at

/// Eigenpairs over landmarks that the selector chooses.
template <mercer::LandmarkSelector Selector>
[[nodiscard]] Pairs solve_nystrom(const Arguments& given, const mercer::Gaussian& kernel,
                                  const Samples& x, const Selector& selector) {
  return solve_samples(given, kernel, x,
                       mercer::Nystrom{selector,
                                       {.landmarks = given.count("landmarks"),
                                        .certificate_rows = fewest_rows,
                                        .seed = given.seed()}});
}

/// Eigenpairs by one of the direct solvers.
[[nodiscard]] Pairs solve(const Arguments& given, const mercer::Gaussian& kernel,
                          const std::shared_ptr<const Samples>& x) {
  const Index top = given.count("top");
  const std::string& solver = given.text("solver");
  if (solver == "nystrom") {
    const std::string sampling = given.has("sampling") ? given.text("sampling") : "uniform";
    if (sampling == "uniform") return solve_nystrom(given, kernel, *x, mercer::Uniform{});
    if (sampling == "column-norms")
      return solve_nystrom(given, kernel, *x, mercer::ColumnNormSampling{});
    if (sampling == "sequential")
      return solve_nystrom(given, kernel, *x, mercer::SequentialGreedy{});
    throw std::invalid_argument("no sampling " + sampling);
  }
  if (solver == "online-hebbian")
    return solve_samples(given, kernel, *x,
                         mercer::OnlineHebbian{{.epochs = given.count("epochs"),
                                                .certificate_rows = fewest_rows,
                                                .seed = given.seed()}});
  mercer::EigenSolution<double> solution;
  if (solver == "exact")
    solution = mercer::Exact{}.solve(mercer::Gram(kernel, x), {.components = top});
  else if (solver == "block-krylov")
    solution = mercer::BlockKrylov{}.solve(
        mercer::Gram(kernel, x, {.storage = mercer::GramStorage::Stored}), {.components = top});
  else
    throw std::invalid_argument("no solver " + solver);
  return {solution.eigenvalues, solution.eigenvectors};
}

void solver(const Arguments& given) {
  const auto x = std::make_shared<const Samples>(mercer::io::read_npy<double>(given.text("data")));
  const mercer::Gaussian kernel{given.number("sigma")};
  Stopwatch watch;
  watch.start();
  const Pairs pairs = solve(given, kernel, x);
  watch.stop();
  const mercer::ApproximationErrors errors(kernel, *x, {.centered = false});
  print({{"top_error", errors.of(pairs.vectors, pairs.values)}, {"seconds", watch.seconds()}});
}

/// Orthonormal eigenvectors from coefficients A and A K, both transposed: Rayleigh-Ritz in feature
/// space.
[[nodiscard]] Pairs hebbian_pairs(const mercer::detail::HebbianRun<double>& run) {
  const Index r = run.coefficients().cols();
  const mercer::Matrix<double> ak = mercer::multiply(
      run.products(),
      mercer::detail::whitening_of_functions(run.coefficients(), run.products(),
                                             mercer::detail::rounding_level<double>(r),
                                             mercer::detail::rounding_level<double>(r)));
  const Pairs small = mercer::symmetric_eigensystem<double>(mercer::inner(ak, ak));
  const mercer::Vector<double> roots = small.values.cwiseSqrt().cwiseInverse();
  return {small.values,
          mercer::multiply(ak, mercer::Matrix<double>(small.vectors * roots.asDiagonal()))};
}

/// Batches of columns of K in random order for some seconds: \p step takes their numbers and
/// values. \p report is called after each doubling of the time, whose own time does not count.
template <class Step, class Report>
void visit_columns(const mercer::Gram<Samples>& gram, std::uint64_t seed, double limit,
                   Stopwatch& watch, Step&& step, Report&& report) {
  constexpr Index batch = 64;
  const Index n = gram.rows();
  double next = limit / 64;
  for (std::uint64_t pass = 0; watch.seconds() < limit; ++pass) {
    mercer::RandomStream stream(seed, "hebbian order", pass);
    const std::vector<Index> order = mercer::random_permutation(n, stream);
    for (Index first = 0; first < n && watch.seconds() < limit; first += batch) {
      const std::vector<Index> chosen(order.begin() + first,
                                      order.begin() + std::min(n, first + batch));
      step(chosen, gram.columns(chosen));
      watch.stop();
      if (watch.seconds() >= next || watch.seconds() >= limit) {
        report();
        next *= 2;
      }
      watch.start();
    }
  }
}

/// The kernel Hebbian algorithm for some seconds.
void hebbian(const Arguments& given) {
  const Samples x = mercer::io::read_npy<double>(given.text("data"));
  const mercer::Gaussian kernel{given.number("sigma")};
  const mercer::ApproximationErrors errors(kernel, x, {.centered = false});
  const Index n = x.rows(), r = given.count("top");
  const auto gain =
      given.text("gain") == "constant" ? mercer::Gain::Constant : mercer::Gain::EtStar;
  Stopwatch watch;
  watch.start();
  const mercer::Gram<Samples> gram(kernel, x);
  mercer::Matrix<double> a = mercer::normal_matrix<double>(n, r, given.seed(), "hebbian start") /
                             std::sqrt(static_cast<double>(n * r));
  mercer::Matrix<double> ak(n, r);
  gram.apply(a, ak);
  mercer::detail::HebbianRun<double> run(std::move(a), std::move(ak),
                                         mercer::detail::gain_schedule({.gain = gain}, n));
  visit_columns(
      gram, given.seed(), given.number("seconds"), watch,
      [&](const std::vector<Index>& chosen, const Samples& columns) {
        for (Index at = 0; at < columns.cols(); ++at)
          run.update(chosen[static_cast<std::size_t>(at)], columns.col(at));
      },
      [&] {
        const Pairs pairs = hebbian_pairs(run);
        print({{"updates", run.updates()},
               {"diverged", run.diverged()},
               {"top_error", errors.of(pairs.vectors, pairs.values)},
               {"seconds", watch.seconds()}});
      });
}

/// Linear online PCA of the columns of K for some seconds. The pairs of a subspace are those of
/// Rayleigh-Ritz, whose product with K is not timed.
template <class Method, class Basis>
void run_online(const Arguments& given, Method method, Basis&& basis) {
  const Samples x = mercer::io::read_npy<double>(given.text("data"));
  const mercer::Gaussian kernel{given.number("sigma")};
  const mercer::ApproximationErrors errors(kernel, x, {.centered = false});
  Stopwatch watch;
  watch.start();
  const mercer::Gram<Samples> gram(kernel, x);
  Index updates = 0;
  visit_columns(
      gram, given.seed(), given.number("seconds"), watch,
      [&](const std::vector<Index>&, const Samples& columns) {
        method.step(columns);
        updates += columns.cols();
      },
      [&] {
        const mercer::Matrix<double> q = basis(method);
        mercer::Matrix<double> kq(q.rows(), q.cols());
        gram.apply(q, kq);
        const Pairs small = mercer::rayleigh_ritz(q, kq);
        print({{"updates", updates},
               {"top_error", errors.of(mercer::multiply(q, small.vectors), small.values)},
               {"seconds", watch.seconds()}});
      });
}

void online(const Arguments& given) {
  const Index n = mercer::io::read_npy<double>(given.text("data")).rows();
  const Index k = given.count("top");
  const std::string& method = given.text("method");
  const double step = given.has("step") ? given.number("step") : 1;
  const auto basis = [](const auto& one) { return one.basis(); };
  if (method == "incremental-svd")
    run_online(given, mercer::IncrementalSvd<double>(n, k),
               [](const auto& one) { return one.components().vectors; });
  else if (method == "msg")
    run_online(given, mercer::MatrixStochasticGradient<double>(n, k, {.step = step}), basis);
  else if (method == "exponentiated")
    run_online(given, mercer::MatrixExponentiatedGradient<double>(n, k, {.step = step}), basis);
  else
    throw std::invalid_argument("no method " + method);
}

}  // namespace

int main(int argc, char* argv[]) {
  return reproduce::run(argc, argv,
                        {{"reference", reference},
                         {"spgd", spgd_in_precision},
                         {"solver", solver},
                         {"hebbian", hebbian},
                         {"online", online}},
                        usage);
}
