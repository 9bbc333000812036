// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/memory_sizes.hpp>

#include <cmath>
#include <cstdio>

#include <mercer/core/errors.hpp>
#include <mercer/core/suggestion.hpp>

#include <examples/kpca/table_options.hpp>

namespace kpca {

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

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g GB", bytes / 1e9);
  return text;
}

void require_exact_fits(const std::string& solver, const std::optional<std::size_t>& budget,
                        mercer::Index samples, std::size_t value_size) {
  const int matrices = solver == "exact" ? 2 : solver == "ridge-cholesky" ? 1 : 0;
  if (!budget) return;
  const auto n = static_cast<double>(samples);
  const double bytes = matrices * n * n * static_cast<double>(value_size);
  if (bytes > static_cast<double>(*budget))
    throw mercer::InvalidArgument("--memory-budget: the solver " + solver + " takes up to " +
                                  (matrices == 1 ? "n^2" : std::to_string(matrices) + " n^2") +
                                  " values, for n = " + std::to_string(samples) + " " +
                                  gigabytes(bytes) +
                                  "; take --solver block-krylov, or more memory");
}

}  // namespace kpca
