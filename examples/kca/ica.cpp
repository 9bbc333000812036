// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kca/ica.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/io/text.hpp>
#include <mercer/models/kernel_ica.hpp>
#include <mercer/version.hpp>

#include <examples/kca/inputs.hpp>
#include <examples/kca/terminal.hpp>
#include <examples/kpca/json.hpp>
#include <examples/kpca/output_parts.hpp>
#include <examples/kpca/progress_bar.hpp>
#include <examples/kpca/report_file.hpp>
#include <examples/kpca/separate_files.hpp>
#include <examples/support/gnuplot.hpp>
#include <examples/support/scatter.hpp>

namespace kca {
namespace {

using kpca::Json;
using mercer::Index;
using Matrix = mercer::Matrix<double>;
using Vector = mercer::Vector<double>;
using Model = mercer::KernelIcaModel<double>;

/// The sources of a file, and what is known of them.
struct Unmixed {
  Model model;
  Matrix sources;
  double columns_contrast;  ///< of the columns as they are, each scaled to unit variance
  Vector shares;            ///< of the sources in the variance of the columns so scaled
};

[[nodiscard]] Unmixed unmix(const Options& o, const Matrix& x) {
  const auto contrast =
      o.contrast == Contrast::Kgv ? mercer::IcaContrast::Kgv : mercer::IcaContrast::Kcca;
  const mercer::KernelIca ica{
      {.contrast = contrast, .sigma = o.sigma, .regularization = o.regularization}};
  Model model = [&] {
    kpca::ProgressBar progress;
    try {
      return ica.fit(x, progress.observer());
    } catch (const mercer::InvalidArgument& error) {
      throw mercer::InvalidArgument(o.x + ": " + error.what());
    }
  }();
  Matrix scaled = x.rowwise() - model.mean().transpose();
  // Squares of columns of very large or small values would not be numbers.
  Vector deviations(x.cols());
  for (Index j = 0; j < x.cols(); ++j)
    deviations(j) = scaled.col(j).stableNorm() / std::sqrt(static_cast<double>(x.rows()));
  scaled *= deviations.cwiseInverse().asDiagonal();
  const double of_columns = mercer::ica_contrast(
      scaled, {.contrast = contrast, .sigma = o.sigma, .regularization = o.regularization});
  Matrix parts = deviations.cwiseInverse().asDiagonal() * model.mixing();
  Vector shares = parts.colwise().squaredNorm().transpose() / static_cast<double>(x.cols());
  Matrix sources = model.transform(x);
  return {std::move(model), std::move(sources), of_columns, std::move(shares)};
}

[[nodiscard]] Json make_report(const Options& o, const Unmixed& found) {
  const mercer::IcaReport& r = found.model.report();
  const auto list = [](const Vector& values) {
    return std::vector<double>(values.begin(), values.end());
  };
  Json json;
  json["mercer_version"] = MERCER_VERSION_STRING;
  json["status"] = std::string(to_string(r.status));
  json["method"] = "kernel-ica";
  json["input"] = mercer::io::printable(o.x);
  json["n"] = r.samples;
  json["components"] = r.dimension;
  json["contrast"] = std::string(to_string(r.contrast));
  json["contrast_of_columns"] = found.columns_contrast;
  json["contrast_of_sources"] = found.model.contrast();
  json["variance_shares"] = list(found.shares);
  json["mean"] = list(found.model.mean());
  json["sigma"] = r.sigma;
  json["regularization"] = r.regularization;
  json["tolerance"] = r.tolerance;
  json["sweeps"] = r.sweeps;
  json["evaluations"] = r.evaluations;
  json["last_angle"] = r.last_angle;
  json["seconds"] = r.fit_seconds;
  kpca::add_machine(json);
  return json;
}

/// The first columns beside the first sources, over the first rows.
[[nodiscard]] std::string draw(const std::string& path, const Options& o, const Matrix& x,
                               const Matrix& sources) {
  constexpr Index most = 6, most_rows = 500;
  const Index shown = (std::min)(most, x.cols()), rows = (std::min)(most_rows, x.rows());
  examples::Picture picture(1100, static_cast<int>(110 + 140 * shown));
  std::string title = std::filesystem::path(o.x).filename().string();
  if (shown < x.cols()) title += ", " + std::to_string(shown) + " of " + std::to_string(x.cols());
  picture << "set multiplot layout " << shown << ",2 columnsfirst title "
          << examples::text_for_gnuplot(title)
          << "\nunset key\nunset ytics\nset xrange [0:" << rows - 1 << "]\n";
  const std::array<std::pair<const char*, const Matrix*>, 2> panels = {
      {{"column", &x}, {"source", &sources}}};
  for (const auto& [name, signals] : panels)
    for (Index j = 0; j < shown; ++j) {
      const std::string data = name + std::to_string(j + 1);
      picture.data(data, signals->col(j).head(rows));
      picture << "set title '" << name << ' ' << j + 1 << "'\nset xlabel '"
              << (j + 1 == shown ? "row (counted from 0)" : "") << "'\nplot $" << data
              << " using 0:1 with lines linecolor rgb '"
              << examples::colours[static_cast<std::size_t>(j)] << "'\n";
    }
  picture << "unset multiplot\n";
  return picture.save(path);
}

void print(const Options& o, const Unmixed& found) {
  const mercer::IcaReport& r = found.model.report();
  std::printf("kernel-ica of %lld samples of %s, %lld columns\n", static_cast<long long>(r.samples),
              mercer::io::printable(o.x).c_str(), static_cast<long long>(r.dimension));
  const std::string contrast(to_string(r.contrast)), status(to_string(r.status));
  std::printf(
      "contrast %s, sigma %.3g, regularization %.3g: of the columns %.4g, of the sources "
      "%.4g\n\nsource   share of variance\n",
      contrast.c_str(), r.sigma, r.regularization, found.columns_contrast, found.model.contrast());
  for (Index j = 0; j < found.shares.size(); ++j)
    std::printf("%6lld %19.4f\n", static_cast<long long>(j + 1), found.shares(j));
  std::printf("\n%s after %lld sweeps in %.3g s\n", status.c_str(),
              static_cast<long long>(r.sweeps), r.fit_seconds);
}

}  // namespace

int run_ica(const Options& o) {
  const kpca::ResultDirectory directory(
      o.out, {"report.json", "sources.npy", "unmixing.npy", "mixing.npy"}, {"sources.svg"});
  kpca::require_separate(files_read(o), directory.named_files());
  const Matrix x = read_dense(o.x, o.columns_x);
  directory.prepare();
  const Unmixed found = unmix(o, x);
  mercer::io::write_npy(directory.path("sources.npy"), found.sources);
  mercer::io::write_npy(directory.path("unmixing.npy"), found.model.unmixing());
  mercer::io::write_npy(directory.path("mixing.npy"), found.model.mixing());
  kpca::write_report(directory, make_report(o, found), files_read(o));
  const std::string no_picture = draw(directory.path("sources.svg"), o, x, found.sources);
  print(o, found);
  return finish(directory, no_picture, found.model.report().status,
                "not converged: the last of " + std::to_string(found.model.report().sweeps) +
                    " sweeps still turned the sources; more rows or fewer columns may help");
}

}  // namespace kca
