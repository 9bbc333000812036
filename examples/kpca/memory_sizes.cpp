// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/memory_sizes.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/memory.hpp>
#include <mercer/core/suggestion.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/sparse/sparse_likelihood.hpp>

#include <examples/kpca/table_options.hpp>

namespace kpca {
namespace {

/// The values that a fit by Exact holds beside the samples: the matrix, and what finds the
/// eigenpairs, or then the eigenvectors, their products, residuals, coefficients and scores.
[[nodiscard]] double exact_values(mercer::Index n, const mercer::Components& components) {
  const mercer::Index k = !components.is_fraction()    ? components.count()
                          : components.fraction() == 1 ? n
                                                       : 0;
  const auto values = [](std::size_t bytes) { return static_cast<double>(bytes / sizeof(double)); };
  const auto vectors = static_cast<double>(n * k);
  const double all = values(mercer::Exact{}.bytes(n, k)) + vectors;
  return (std::max)(all, static_cast<double>(n * n) + 5 * vectors);
}

}  // namespace

std::optional<std::size_t> parse_bytes(std::string_view text) {
  constexpr std::string_view suffixes = "kmgt";
  const std::string small = mercer::detail::folded(text);
  text = small;
  // 4GiB and 4GB are 4G.
  for (const std::string_view end : {"ib", "b"})
    if (text.size() > end.size() && text.ends_with(end)) {
      text.remove_suffix(end.size());
      break;
    }
  double unit = 1;
  const auto suffix = text.empty() ? std::string_view::npos : suffixes.find(text.back());
  if (suffix != std::string_view::npos) {
    unit = std::ldexp(1.0, 10 * static_cast<int>(suffix + 1));
    text.remove_suffix(1);
  } else if (text.size() + 1 < small.size()) {
    return std::nullopt;  // an "i" of nothing
  }
  const double bytes = parse_number<double>(text).value_or(0) * unit;
  if (!(bytes >= 1 && bytes < 0x1p63)) return std::nullopt;
  return static_cast<std::size_t>(bytes);
}

std::string gibibytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g GiB", std::ldexp(bytes, -30));
  return text;
}

void require_exact_fits(const std::string& solver, const std::optional<std::size_t>& budget,
                        mercer::Index samples, const mercer::Components& components,
                        std::size_t value_size) {
  if (!budget) return;
  const auto n = static_cast<double>(samples), size = static_cast<double>(value_size);
  double bytes = 0;
  if (solver == "exact")
    bytes = size * exact_values(samples, components);
  else if (solver == "ridge-cholesky")
    bytes = size * n * n;
  else if (solver == "sparse-likelihood")
    bytes = static_cast<double>(mercer::SparseLikelihood{}.bytes(samples));
  else
    return;
  if (bytes <= static_cast<double>(*budget)) return;
  constexpr double largest = 0x1p63;  // more has no size
  const mercer::detail::BudgetInWords words(*budget,
                                            static_cast<std::size_t>((std::min)(bytes, largest)));
  throw mercer::InvalidArgument("--memory-budget: the solver " + solver + " takes " + words.needed +
                                " for n = " + std::to_string(samples) +
                                "; take --solver block-krylov, or more memory");
}

std::string beyond_budget(const mercer::Report& report, const std::optional<std::size_t>& budget) {
  if (!budget || report.bytes <= *budget) return {};
  const std::string fewer = report.solver == mercer::SolverId::FeaturePca ? "--features"
                            : report.solver == mercer::SolverId::Nystrom  ? "--landmarks"
                                                                          : "--components";
  const mercer::detail::BudgetInWords words(*budget, report.bytes);
  return "the fit took " + words.needed + ", more than --memory-budget; fewer " + fewer +
         " take less";
}

}  // namespace kpca
