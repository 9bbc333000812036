// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/kernel_choice.hpp>

#include <charconv>
#include <optional>
#include <sstream>

#include <mercer/core/errors.hpp>
#include <mercer/io/file.hpp>
#include <mercer/metrics/bandwidth.hpp>

namespace kpca {

std::string describe(const KernelChoice& choice, const std::string& name) {
  std::ostringstream text;
  text << name;
  const char* before = " (";
  for (const auto& [parameter, value] : choice.parameters) {
    text << before << parameter << ' ';
    std::visit([&](auto number) { text << number; }, value);
    before = ", ";
  }
  if (!choice.parameters.empty()) text << ')';
  return text.str();
}

namespace {

/// Builds one kernel, and writes down the parameters that it takes.
template <mercer::Real S>
class KernelMaker {
 public:
  KernelMaker(const KernelOptions& options, const SampleFile<S>& file, std::uint64_t seed)
      : options_(options), file_(file), seed_(seed) {}

  [[nodiscard]] KernelChoice make() {
    AnyKernel kernel = make_kernel(options_.name);
    return {kernel, parameters_};
  }

 private:
  [[nodiscard]] AnyKernel make_kernel(std::string_view name) {
    using namespace mercer;
    const KernelOptions& o = options_;
    if (name == "linear") return other(Linear{});
    if (name == "polynomial")
      return other(Polynomial{{.gamma = gamma(),
                               .coef0 = note("coef0", o.coef0.value_or(1)),
                               .degree = note("degree", o.degree.value_or(3))}});
    if (name == "sigmoid")
      return other(Sigmoid{{.gamma = gamma(), .coef0 = note("coef0", o.coef0.value_or(1))}});
    if (name == "exponential-dot") return other(ExponentialDot{gamma()});
    if (name == "inverse-dot") return other(InverseDot{gamma()});
    if (name == "cosine") return other(Cosine{});
    if (name == "arc-cosine") return other(ArcCosine{note("order", o.order.value_or(1))});
    if (name == "gaussian" && o.gamma) return difference(Gaussian::from_gamma(gamma()));
    if (name == "gaussian") return difference(Gaussian{bandwidth("sigma", o.sigma)});
    if (name == "rational-quadratic")
      return difference(RationalQuadratic{
          {.alpha = note("alpha", o.alpha.value_or(1)), .length = bandwidth("length", o.length)}});
    if (name == "matern")
      return difference(
          Matern{{.nu = note("nu", o.nu.value_or(1.5)), .length = bandwidth("length", o.length)}});
    if (name == "laplacian") return difference(Laplacian{gamma()});
    if (name == "cauchy") return difference(Cauchy{gamma()});
    if (name == "exponential-semigroup")
      return other(ExponentialSemigroup{note("beta", o.beta.value_or(1 / dimension()))});
    if (name == "reciprocal-semigroup")
      return other(ReciprocalSemigroup{note("scale", o.scale.value_or(1))});
    if (name == "additive-chi-square") return other(AdditiveChiSquare{});
    if (name == "chi-square") return other(ChiSquare{gamma()});
    if (name == "intersection") return other(Intersection{});
    return Precomputed{};
  }

  [[nodiscard]] static AnyKernel difference(DifferenceKernel kernel) { return kernel; }
  [[nodiscard]] static AnyKernel other(OtherKernel kernel) { return kernel; }

  template <class T>
  [[nodiscard]] T note(const char* name, T value) {
    parameters_.emplace_back(name, value);
    return value;
  }

  [[nodiscard]] double dimension() const { return static_cast<double>(file_.columns()); }

  [[nodiscard]] double gamma() { return note("gamma", options_.gamma.value_or(1 / dimension())); }

  /// A number as it is; a percentile or the median from the distances between the samples.
  [[nodiscard]] double bandwidth(const char* name, const std::optional<std::string>& given) {
    const std::string text = given.value_or("median");
    const char* const end = text.data() + text.size();
    double value = 0;
    if (std::from_chars(text.data(), end, value).ptr == end) return note(name, value);
    double percent = 50;
    if (text != "median") std::from_chars(text.data() + 1, end, percent);
    try {
      return note(name, std::visit(
                            [&](const auto& x) {
                              return mercer::percentile_distance(x, percent, {.seed = seed_});
                            },
                            file_.samples));
    } catch (const mercer::InvalidArgument& error) {
      throw mercer::io::FileError(file_.path + ": --" + name + " " + text + ": " + error.what());
    }
  }

  const KernelOptions& options_;
  const SampleFile<S>& file_;
  std::uint64_t seed_;
  std::vector<std::pair<std::string, std::variant<double, int>>> parameters_;
};

}  // namespace

template <mercer::Real S>
KernelChoice make_kernel(const KernelOptions& options, const SampleFile<S>& file,
                         std::uint64_t seed) {
  return KernelMaker<S>(options, file, seed).make();
}

template KernelChoice make_kernel<double>(const KernelOptions&, const SampleFile<double>&,
                                          std::uint64_t);
template KernelChoice make_kernel<float>(const KernelOptions&, const SampleFile<float>&,
                                         std::uint64_t);

}  // namespace kpca
