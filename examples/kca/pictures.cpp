// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <examples/kca/outputs.hpp>
#include <examples/support/gnuplot.hpp>
#include <examples/support/scatter.hpp>

namespace kca {
namespace {

using examples::Picture;
using examples::text_for_gnuplot;
using mercer::Index;

[[nodiscard]] std::string title(const Task& task) {
  const auto name = [](const std::string& path) {
    return std::filesystem::path(path).filename().string();
  };
  return "kernel " + method_name(task.options.method) + ": " + name(task.options.x) + ", " +
         name(task.options.y);
}

/// The first pair of functions at all pairs, those to fit to first.
void draw_pairs(Picture& picture, const Task& task, const Results& results) {
  const Pairs& pairs = task.pairs;
  Eigen::MatrixX2d points(pairs.rows(), 2);
  std::vector<std::string> labels;
  const auto add = [&](const std::vector<Index>& rows, const std::string& label) {
    for (const Index row : rows) {
      points.row(static_cast<Index>(labels.size())) << results.scores_x(row, 0),
          results.scores_y(row, 0);
      labels.push_back(label);
    }
  };
  add(pairs.fitted, "fitted");
  add(pairs.held, "held out");
  picture << "set xlabel 'f_1 (x)'\nset ylabel 'g_1 (y)'\n";
  examples::scatter(picture, "scores", points,
                    pairs.held.empty() ? std::vector<std::string>{} : labels);
}

/// The first two functions of x, coloured by the response.
void draw_functions(Picture& picture, const Task& task, const Results& results) {
  const Index n = results.scores_x.rows();
  const bool two = results.scores_x.cols() > 1;
  Eigen::MatrixX2d points(n, 2);
  points.col(0) = results.scores_x.col(0);
  picture << "set xlabel 'f_1 (x)'\n";
  if (two) {
    points.col(1) = results.scores_x.col(1);
    picture << "set ylabel 'f_2 (x)'\n";
  } else if (task.responses.target == Target::Classes) {
    points.col(1) = Eigen::VectorXd::LinSpaced(n, 0, static_cast<double>(n - 1));
    picture << "set ylabel 'row (counted from 0)'\n";
  } else {
    points.col(1) = task.responses.values.col(0);
    picture << "set ylabel 'response'\n";
  }
  examples::scatter(picture, "scores", points, task.responses.labels);
}

/// A row (component, value) for each component.
[[nodiscard]] Eigen::MatrixX2d table(const std::vector<double>& values) {
  Eigen::MatrixX2d rows(static_cast<Index>(values.size()), 2);
  for (Index i = 0; i < rows.rows(); ++i)
    rows.row(i) << static_cast<double>(i + 1), values[static_cast<std::size_t>(i)];
  return rows;
}

/// Curves over the components that share a pair of axes.
class Panel {
 public:
  explicit Panel(Picture& picture) : picture_(&picture) {}

  /// \param curve  as gnuplot takes it
  void add(const std::string& curve) { curves_ += (curves_.empty() ? "" : ", ") + curve; }

  /// A value for each component, if there are values.
  void add(const std::string& name, const std::vector<double>& values, std::size_t colour,
           const std::string& legend) {
    if (values.empty()) return;
    picture_->data(name, table(values));
    add("$" + name + " with linespoints pointtype " + std::to_string(examples::shapes[colour]) +
        " pointsize 0.8 linecolor rgb '" + examples::colours[colour] + "' title " +
        text_for_gnuplot(legend));
  }

  /// Draws the curves. The axis has 0 on it, and the upper end that gnuplot reads from \p end.
  void draw(const std::string& label, const std::string& end) {
    *picture_ << "set ylabel " << text_for_gnuplot(label) << "\nset yrange [*<0:" << end
              << "]\nplot " << curves_ << '\n';
  }

 private:
  Picture* picture_;
  std::string curves_;
};

/// Numbers of each component, with a band for what random pairings have. Singular values are in the
/// units of the kernels, and so apart from the correlations.
void draw_components(Picture& picture, const Task& task, const Results& results) {
  const mercer::PairReport& r = results.report;
  const Method method = task.options.method;
  const auto count = static_cast<double>(results.values.size());
  picture << "set xlabel 'component'\nset xrange [0.5:" << count + 0.5 << "]\nset xtics "
          << (results.values.size() <= 20 ? "1" : "autofreq") << '\n';
  Panel values(picture), below(picture);
  Panel& correlations = method == Method::Svd ? below : values;
  if (!results.null.empty()) {
    const auto [low, high] = std::minmax_element(results.null.begin(), results.null.end());
    Eigen::MatrixX3d band(2, 3);
    band << 0.5, *low, *high, count + 0.5, *low, *high;
    picture.data("band", band);
    values.add(
        "$band using 1:2:3 with filledcurves fillcolor rgb '#dddddd' title "
        "'largest of random pairings'");
  }
  const std::string name = value_name(method);
  values.add("values", results.values, 2, method == Method::Cca ? name + " with the ridge" : name);
  correlations.add("training", r.training_correlations, 0, "correlation, fitted");
  correlations.add("holdout", r.holdout_correlations, 1, "correlation, held out");
  if (method != Method::Svd) return values.draw(name, "*<1.02");
  // Fixed margins, so that one component stands below the other.
  picture << "set multiplot layout 2,1\nset lmargin 10\nset rmargin 28\n";
  values.draw(name, "*");
  picture << "unset title\n";
  correlations.draw("correlation", "*<1.02");
  picture << "unset multiplot\n";
}

}  // namespace

std::string Outputs::draw(const Task& task, const Results& results) const {
  Picture scores(900, 650), components(900, task.options.method == Method::Svd ? 800 : 500);
  for (Picture* const picture : {&scores, &components})
    *picture << "set key outside right top\nset title " << text_for_gnuplot(title(task)) << '\n';
  if (task.options.two_kernels())
    draw_pairs(scores, task, results);
  else
    draw_functions(scores, task, results);
  draw_components(components, task, results);
  const std::string problem = scores.save(directory_.path("scores.svg"));
  return problem.empty() ? components.save(directory_.path("correlations.svg")) : problem;
}

}  // namespace kca
