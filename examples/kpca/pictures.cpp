// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/pictures.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/samples.hpp>

namespace kpca {
namespace {

using examples::Picture;
using examples::text_for_gnuplot;
using mercer::Index;

[[nodiscard]] std::string axis_title(Index component, double ratio) {
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.1f", 100 * ratio);
  return text_for_gnuplot("component " + std::to_string(component) + " (" + percent +
                          " % of variance)");
}

/// Two columns of scores.
[[nodiscard]] Eigen::MatrixX2d two_columns(const mercer::Matrix<double>& scores, Index i, Index j) {
  Eigen::MatrixX2d points(scores.rows(), 2);
  if (scores.rows() > 0) points << scores.col(i), scores.col(j);
  return points;
}

/// So many of the rows, evenly spaced, and their labels.
[[nodiscard]] PicturedScores thinned(PicturedScores scores, Index limit) {
  const Index n = scores.scores.rows();
  if (n <= limit) return scores;
  std::vector<Index> rows;
  for (Index i = 0; i < limit; ++i) rows.push_back(i * n / limit);
  scores.scores = mercer::detail::take_rows(scores.scores, rows);
  if (scores.labels.empty()) return scores;
  std::vector<std::string> labels;
  for (const Index row : rows) labels.push_back(scores.labels[static_cast<std::size_t>(row)]);
  scores.labels = std::move(labels);
  return scores;
}

/// Of a stream, only the first samples are in the picture.
[[nodiscard]] std::vector<std::string> labels_shown(const PicturedScores& scores) {
  const auto shown =
      (std::min)(scores.labels.size(), static_cast<std::size_t>(scores.scores.rows()));
  return {scores.labels.begin(), scores.labels.begin() + static_cast<std::ptrdiff_t>(shown)};
}

}  // namespace

examples::LabelKind label_kind(const Options& options, const std::vector<std::string>& labels) {
  const std::string& kind = options.pictures.label_kind;
  if (kind != "scale")
    return kind == "classes" ? examples::LabelKind::Classes : examples::LabelKind::Automatic;
  for (const std::string& label : labels)
    if (!examples::as_number(label))
      throw mercer::InvalidArgument("--label-kind scale: the label '" + label + "' is no number");
  return examples::LabelKind::Scale;
}

std::optional<mercer::Matrix<double>> numbers_on_scale(const Options& options,
                                                       const std::vector<std::string>& labels) {
  if (!examples::on_scale(label_kind(options, labels), examples::classes_of(labels)))
    return std::nullopt;
  mercer::Matrix<double> numbers(static_cast<Index>(labels.size()), 1);
  std::transform(labels.begin(), labels.end(), numbers.data(),
                 [](const std::string& label) { return *examples::as_number(label); });
  return numbers;
}

std::string picture_title(const Options& options, const std::string& kernel) {
  return std::filesystem::path(options.input).filename().string() + ", " + kernel;
}

Picture draw_scores(const PicturedScores& scores) {
  const Index n = scores.scores.rows();
  Picture picture(900, 650);
  picture << "set key outside right top\nset title " << text_for_gnuplot(scores.title) << '\n';
  if (scores.scores.cols() >= 2) {
    picture << "set xlabel " << axis_title(1, scores.ratio(0)) << "\nset ylabel "
            << axis_title(2, scores.ratio(1)) << '\n';
    examples::scatter(
        picture, "scores", two_columns(scores.scores, 0, 1), labels_shown(scores), scores.kind,
        scores.projected.rows() > 0 ? two_columns(scores.projected, 0, 1) : Eigen::MatrixX2d(0, 2));
    return picture;
  }
  Eigen::MatrixX2d points(n, 2);
  points << Eigen::VectorXd::LinSpaced(n, 0, static_cast<double>(n - 1)), scores.scores;
  picture << "set xlabel 'row (counted from 0)'\nset ylabel " << axis_title(1, scores.ratio(0))
          << '\n';
  examples::scatter(picture, "scores", points, labels_shown(scores), scores.kind);
  return picture;
}

Picture draw_scree(const PicturedScores& scores) {
  Eigen::MatrixX3d table(scores.ratio.size(), 3);
  double sum = 0;
  for (Index i = 0; i < table.rows(); ++i) {
    sum += scores.ratio(i);
    table.row(i) << static_cast<double>(i + 1), 100 * scores.ratio(i), 100 * sum;
  }
  Picture picture(900, 500);
  picture << "set key right center\nset title " << text_for_gnuplot(scores.title)
          << "\nset xlabel 'component'\nset ylabel '% of variance'\nset yrange [0:*<100]\n"
             "set xrange [0.4:"
          << static_cast<double>(table.rows()) + 0.6 << "]\nset xtics 1," << 1 + table.rows() / 20
          << "\nset style fill solid 0.7 noborder\nset boxwidth 0.7\n";
  picture.data("scree", table);
  picture << "plot $scree using 1:2 with boxes linecolor rgb '" << examples::colours[0]
          << "' title 'explained', $scree using 1:3 with linespoints pointtype 7 pointsize 0.6 "
             "linecolor rgb '"
          << examples::colours[1] << "' title 'with those before'\n";
  return picture;
}

Picture draw_pairs(const PicturedScores& all) {
  constexpr Index most_components = 5, most_rows = 2000;
  const Index k = (std::min)(all.scores.cols(), most_components);
  if (k < 3) return draw_scores(all);  // there is one pair at most
  const PicturedScores scores = thinned(all, most_rows);
  const auto side = static_cast<int>(280 * (k - 1));
  Picture picture(side + 120, side + 60);
  picture << "set multiplot layout " << k - 1 << "," << k - 1 << " rowsfirst title "
          << text_for_gnuplot(scores.title) << "\nunset colorbox\nset tics font 'Helvetica,9'\n";
  for (Index i = 1; i < k; ++i)
    for (Index j = 0; j + 1 < k; ++j) {
      if (j >= i) {
        picture << "set multiplot next\n";
        continue;
      }
      // One legend is enough; there is room for it where no panel is.
      picture << (i == 1 ? "set key at screen 0.98,0.93 right top\n" : "unset key\n")
              << "set xlabel '" << (i + 1 == k ? "component " + std::to_string(j + 1) : "")
              << "'\nset ylabel '" << (j == 0 ? "component " + std::to_string(i + 1) : "") << "'\n";
      examples::scatter(picture, "pair" + std::to_string(i) + std::to_string(j),
                        two_columns(scores.scores, j, i), labels_shown(scores), scores.kind,
                        scores.projected.rows() > 0 ? two_columns(scores.projected, j, i)
                                                    : Eigen::MatrixX2d(0, 2));
    }
  picture << "unset multiplot\n";
  return picture;
}

std::vector<Index> most_important(const mercer::Matrix<double>& gradients,
                                  const std::vector<Variable>& variables, Index limit) {
  std::vector<Index> order(static_cast<std::size_t>(gradients.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto importance = [&](Index v) {
    return gradients(v, 0) * variables[static_cast<std::size_t>(v)].deviation;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return importance(a) > importance(b); });
  order.resize((std::min)(order.size(), static_cast<std::size_t>(limit)));
  return order;
}

Picture draw_variables(const mercer::Matrix<double>& gradients,
                       const std::vector<Variable>& variables, const std::string& title) {
  constexpr Index most_variables = 20, most_components = 3;
  const std::vector<Index> shown = most_important(gradients, variables, most_variables);
  const Index k = (std::min)(gradients.cols(), most_components);
  const auto count = static_cast<Index>(shown.size());
  Picture picture(900, 550);
  picture << "set title " << text_for_gnuplot(title)
          << "\nset ylabel 'mean |gradient| x deviation'\nset yrange [0:*]\n"
             "set style fill solid 0.7 noborder\nset key outside right top\nset xrange [-0.6:"
          << static_cast<double>(count) - 0.4 << "]\nset xtics rotate by -45 (";
  for (Index v = 0; v < count; ++v)
    picture << (v > 0 ? ", " : "")
            << text_for_gnuplot(
                   variables[static_cast<std::size_t>(shown[static_cast<std::size_t>(v)])].name)
            << ' ' << v;
  picture << ")\n";
  const double width = 0.8 / static_cast<double>(k);
  picture << "set boxwidth " << width << '\n';
  for (Index i = 0; i < k; ++i) {
    Eigen::MatrixX2d bars(count, 2);
    for (Index v = 0; v < count; ++v) {
      const Index row = shown[static_cast<std::size_t>(v)];
      bars.row(v) << static_cast<double>(v) +
                         width * (static_cast<double>(i) - static_cast<double>(k - 1) / 2),
          gradients(row, i) * variables[static_cast<std::size_t>(row)].deviation;
    }
    picture.data("bars" + std::to_string(i), bars);
  }
  picture << "plot ";
  for (Index i = 0; i < k; ++i)
    picture << (i > 0 ? ", " : "") << "$bars" << i << " with boxes linecolor rgb '"
            << examples::colours[static_cast<std::size_t>(i)] << "' title 'component " << i + 1
            << "'";
  picture << '\n';
  return picture;
}

Picture draw_errors(const CrossValidation& validation, const Options& options) {
  // Over the widths, with a line for each number of components; over these numbers for one width.
  const bool over_counts = validation.grid.size() == 1 && validation.components;
  const Eigen::MatrixXd errors = over_counts ? validation.errors.transpose() : validation.errors;
  Eigen::VectorXd axis(errors.rows());
  for (Eigen::Index i = 0; i < axis.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    axis(i) = over_counts ? static_cast<double>(validation.counts[at]) : validation.grid[at];
  }
  const auto place_of = [](const auto& values, const auto& value) {
    return std::find(values.begin(), values.end(), value) - values.begin();
  };
  const Eigen::Index width = place_of(validation.grid, validation.best);
  const Eigen::Index count =
      validation.components ? place_of(validation.counts, *validation.components) : 0;
  const Eigen::Index row = over_counts ? count : width, column = over_counts ? 0 : count;

  Picture picture(900, 500);
  picture << "set key outside right top\nset title "
          << examples::text_for_gnuplot(std::filesystem::path(options.input).filename().string() +
                                        ", " + options.kernel.name + ": cross-validation, " +
                                        validation.criterion)
          << (over_counts ? "\n" : "\nset logscale x\n") << "set xlabel "
          << examples::text_for_gnuplot(over_counts ? "components" : validation.parameter)
          << "\nset ylabel 'share missed of held-out samples'\nset yrange [0:*<1.05]\n";
  std::string plot = "plot ";
  for (Eigen::Index j = 0; j < errors.cols(); ++j) {
    Eigen::MatrixX2d curve(errors.rows(), 2);
    curve << axis, errors.col(j);
    const std::string name = "errors" + std::to_string(j);
    picture.data(name, curve);
    if (j == column) picture.data("best", curve.row(row));
    const auto style = static_cast<std::size_t>(j);
    const Index components = validation.counts[style];
    const std::string title =
        errors.cols() == 1
            ? "error"
            : std::to_string(components) + (components == 1 ? " component" : " components");
    plot += "$" + name + " with linespoints pointtype " +
            std::to_string(examples::shapes[style % examples::shapes.size()]) +
            " pointsize 0.8 linecolor rgb '" + examples::colours[style % examples::colours.size()] +
            "' title '" + title + "', ";
  }
  picture << plot << "$best with points pointtype 6 pointsize 2 linewidth 2 linecolor rgb '"
          << examples::colours[1] << "' title 'chosen'\n";
  return picture;
}

}  // namespace kpca
