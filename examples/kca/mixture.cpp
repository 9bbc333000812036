// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kca/mixture.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/io/text.hpp>
#include <mercer/version.hpp>

#include <examples/kca/inputs.hpp>
#include <examples/kca/mixture_fit.hpp>
#include <examples/kca/outputs.hpp>
#include <examples/kca/terminal.hpp>
#include <examples/kpca/json.hpp>
#include <examples/kpca/memory_sizes.hpp>
#include <examples/kpca/output_parts.hpp>
#include <examples/kpca/report_file.hpp>
#include <examples/kpca/separate_files.hpp>
#include <examples/support/gnuplot.hpp>
#include <examples/support/phase_table.hpp>
#include <examples/support/scatter.hpp>

namespace kca {
namespace {

using kpca::Json;
using mercer::Index;
using Matrix = mercer::Matrix<double>;

/// The first of the values, or all if there are not that many.
[[nodiscard]] std::vector<double> leading(const mercer::Vector<double>& values, Index count) {
  return {values.begin(), values.begin() + (std::min)(count, values.size())};
}

/// sigma_k / sigma_(k+1) for k components; nothing if there is no value after the k-th.
[[nodiscard]] std::optional<double> gap(const Mixture& mixture) {
  const Index k = mixture.weights.size();
  if (k >= mixture.singular_values.size() || !(mixture.singular_values(k) > 0)) return std::nullopt;
  return mixture.singular_values(k - 1) / mixture.singular_values(k);
}

[[nodiscard]] Json make_report(const Options& o, const Triples& triples, const Mixture& mixture) {
  const mercer::PairReport& r = mixture.report;
  Json json;
  json["mercer_version"] = MERCER_VERSION_STRING;
  json["status"] = std::string(to_string(r.status));
  json["method"] = r.method;
  json["n"] = r.samples;
  json["exchangeable"] = o.exchangeable;
  json["components"] = r.components;
  json["components_requested"] = kpca::or_null(o.components);
  json["weights"] = leading(mixture.weights, mixture.weights.size());
  json["weight_sum"] = mixture.weights.sum();
  json["singular_values"] = leading(mixture.singular_values, mixture.weights.size() + 20);
  json["gap"] = kpca::or_null(gap(mixture));
  json["defect"] = mixture.defect;
  json["smoothing"] = Json::array();
  for (const Components& one : mixture.components) json["smoothing"].push_back(one.width);
  json["views"] = Json::array();
  for (std::size_t v = 0; v < 3; ++v) {
    const std::size_t chosen = o.exchangeable ? 0 : v;
    json["views"].push_back(
        view_json(triples.names[v], o.kernels[chosen], mixture.choices[chosen], r.views[v]));
  }
  json["seconds"] = r.fit_seconds;
  json["phases"] = kpca::phases_json(r.phases);
  json["bytes"] = r.bytes;
  kpca::add_machine(json);
  json["seed"] = o.seed;
  return json;
}

/// "expectations_1.npy".
[[nodiscard]] std::string expectations_name(const Components& one) {
  return one.of.empty() ? "expectations.npy"
                        : std::string("expectations_") + one.of.back() + ".npy";
}

[[nodiscard]] std::string make_csv(const Mixture& mixture) {
  const bool views = mixture.components.size() > 1;
  std::string text = views ? "view,x" : "x";
  for (Index h = 0; h < mixture.weights.size(); ++h) text += ",component_" + std::to_string(h + 1);
  text += '\n';
  const auto add = [&](double value) {
    std::array<char, 32> digits{};
    text.append(digits.data(), std::to_chars(digits.data(), digits.data() + 32, value).ptr);
  };
  for (const Components& one : mixture.components)
    for (Index i = 0; i < one.grid.size(); ++i) {
      if (views) text.append(1, one.of.back()).append(1, ',');
      add(one.grid(i));
      for (Index h = 0; h < one.densities.cols(); ++h) {
        text += ',';
        add(one.densities(i, h));
      }
      text += '\n';
    }
  return text;
}

/// The densities of the first coordinate, in a panel for each view.
[[nodiscard]] std::string draw(const std::string& path, const Options& o, const Triples& triples,
                               const Mixture& mixture) {
  const std::size_t panels = mixture.components.size();
  examples::Picture picture(panels == 1 ? 800 : 1400, panels == 1 ? 500 : 440);
  picture << "set multiplot layout 1," << panels << "\nset ylabel 'density'\nset key below\n";
  for (std::size_t v = 0; v < panels; ++v) {
    const Components& one = mixture.components[v];
    Matrix table(one.grid.size(), one.densities.cols() + 1);
    table << one.grid, one.densities;
    const std::string data = "view" + std::to_string(v);
    picture.data(data, table);
    const bool one_coordinate = one.expectations.cols() == 1;
    const bool whole = one.of.empty() && o.views.size() == 1;
    const std::string title = whole            ? o.views[0]
                              : one.of.empty() ? triples.name()
                                               : triples.names[v];
    picture << "set title " << examples::text_for_gnuplot(title) << "\nset xlabel '"
            << (one_coordinate ? "x" : "first coordinate") << "'\n";
    std::string plot = "plot ";
    for (Index h = 0; h < one.densities.cols(); ++h) {
      std::array<char, 32> weight{};
      std::snprintf(weight.data(), weight.size(), " (%.3f)", mixture.weights(h));
      const std::size_t colour = static_cast<std::size_t>(h) % examples::colours.size();
      plot += std::string(h > 0 ? ", $" : "$") + data + " using 1:" + std::to_string(h + 2) +
              " with lines linewidth 2 linecolor rgb '" + examples::colours[colour] + "' title '" +
              "component " + std::to_string(h + 1) + weight.data() + "'";
    }
    picture << plot << '\n';
  }
  picture << "unset multiplot\n";
  return picture.save(path);
}

void print(const Options& o, const Triples& triples, const Mixture& mixture) {
  const mercer::PairReport& r = mixture.report;
  std::printf("latent-mixture of %lld samples, %s views\n", static_cast<long long>(r.samples),
              o.exchangeable ? "three exchangeable" : "three different");
  for (std::size_t v = 0; v < 3; ++v)
    print_view("X" + std::to_string(v + 1), triples.names[v],
               mixture.choices[o.exchangeable ? 0 : v], r.views[v]);
  std::printf("\nsingular values ");
  const std::vector<double> values = leading(mixture.singular_values, mixture.weights.size() + 4);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::printf("%s %.4g", static_cast<Index>(i) == mixture.weights.size() ? " |" : "", values[i]);
  std::printf("\n%lld components%s\n\ncomponent     weight   mean of the first coordinate\n",
              static_cast<long long>(mixture.weights.size()),
              o.components ? "" : ", before the largest gap");
  for (Index h = 0; h < mixture.weights.size(); ++h) {
    std::printf("%9lld %10.4f  ", static_cast<long long>(h + 1), mixture.weights(h));
    for (const Components& one : mixture.components) std::printf(" %10.4g", one.expectations(h, 0));
    std::printf("\n");
  }
  const std::string status(to_string(r.status));
  std::printf(
      "\nthe weights sum to %.4f, which should be near 1; defect %.3g, near 0\n%s in %.3g "
      "s\n",
      mixture.weights.sum(), mixture.defect, status.c_str(), r.fit_seconds);
  if (o.verbose) examples::print_phases(r.phases, r.fit_seconds);
}

[[nodiscard]] std::string shortfall(const Triples& triples, const Mixture& mixture) {
  for (std::size_t v = 0; v < 3; ++v) {
    const mercer::Report& basis = mixture.report.views[v].basis;
    if (basis.status == mercer::Status::NotConverged)
      return basis_shortfall(triples.names[v], basis);
  }
  return "not converged: the tensor power method did not settle; take fewer --components";
}

[[nodiscard]] kpca::ResultDirectory directory_of(const Options& o) {
  std::vector<std::string> names = {"report.json", "weights.npy"};
  if (o.exchangeable)
    names.emplace_back("expectations.npy");
  else
    for (const char* const name :
         {"expectations_1.npy", "expectations_2.npy", "expectations_3.npy"})
      names.emplace_back(name);
  names.emplace_back("densities.csv");
  return {o.out, names, {"densities.svg"}};
}

void write(const kpca::ResultDirectory& directory, const Options& o, const Triples& triples,
           const Mixture& mixture) {
  mercer::io::write_npy(directory.path("weights.npy"), mixture.weights);
  for (const Components& one : mixture.components)
    mercer::io::write_npy(directory.path(expectations_name(one)), one.expectations);
  mercer::io::write_file(directory.path("densities.csv"), make_csv(mixture));
  kpca::write_report(directory, make_report(o, triples, mixture), files_read(o));
}

void require_components_fit(const Options& o, const Triples& triples) {
  if (o.components && *o.components > triples.rows())
    throw mercer::InvalidArgument("--components: " + std::to_string(*o.components) +
                                  " is more than the " + std::to_string(triples.rows()) +
                                  " rows of " + triples.names[0]);
}

}  // namespace

int run_mixture(const Options& o) {
  const kpca::ResultDirectory directory = directory_of(o);
  kpca::require_separate(files_read(o), directory.named_files());
  const Triples triples = read_triples(o);
  require_components_fit(o, triples);
  kpca::require_exact_fits(o.solver.name, o.memory_budget,
                           o.exchangeable ? 3 * triples.rows() : triples.rows(), o.rank,
                           sizeof(double));
  try {
    const Mixture mixture = fit_mixture(o, triples, [&] { directory.prepare(); });
    write(directory, o, triples, mixture);
    const std::string no_picture = draw(directory.path("densities.svg"), o, triples, mixture);
    print(o, triples, mixture);
    return finish(directory, no_picture, mixture.report.status, shortfall(triples, mixture));
  } catch (const std::bad_alloc&) {
    throw mercer::InvalidArgument(triples.name() +
                                  ": not enough memory for n = " + std::to_string(triples.rows()) +
                                  " with --solver " + o.solver.name + "; take --solver nystrom");
  }
}

}  // namespace kca
