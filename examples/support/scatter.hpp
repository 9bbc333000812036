// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Points of the plane in a picture, coloured by their labels.

#ifndef MERCER_EXAMPLES_SUPPORT_SCATTER_HPP
#define MERCER_EXAMPLES_SUPPORT_SCATTER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <Eigen/Core>

#include <examples/support/gnuplot.hpp>
#include <mercer/io/from_chars.hpp>

namespace examples {

/// Colours that stay apart for colour-blind readers: those of Okabe and Ito, without yellow, which
/// is too pale on white, and three more for up to ten classes.
inline constexpr std::array<const char*, 10> colours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                        "#56B4E9", "#E69F00", "#000000", "#882255",
                                                        "#999933", "#332288"};
/// Filled circle, square, triangle, diamond, inverted triangle: shapes tell the classes apart too.
inline constexpr std::array<int, 5> shapes = {7, 5, 9, 13, 11};
inline constexpr const char* grey = "#AAAAAA";

/// The label as a number if it is one.
inline std::optional<double> as_number(std::string_view label) {
  double value = 0;
  const auto [end, error] =
      mercer::io::from_chars(label.data(), label.data() + label.size(), value);
  if (error != std::errc{} || end != label.data() + label.size()) return std::nullopt;
  return value;
}

/// Labels sorted into at most ten classes: numbers ascending, words in the order they come in. Of
/// more words than that the nine most frequent are kept and the rest is "other".
struct Classes {
  std::vector<std::string> names;
  std::vector<std::size_t> members;  ///< class of each sample
  bool has_other = false;            ///< the last class collects the rest
  bool too_many_numbers = false;     ///< numbers with more than ten values: better a colour scale
};

inline Classes classes_of(const std::vector<std::string>& labels) {
  Classes classes;
  std::map<std::string, std::size_t> count;
  for (const std::string& label : labels)
    if (++count[label] == 1) classes.names.push_back(label);
  const bool numbers = std::all_of(classes.names.begin(), classes.names.end(),
                                   [](const auto& name) { return as_number(name).has_value(); });
  if (numbers)
    std::sort(classes.names.begin(), classes.names.end(),
              [](const auto& a, const auto& b) { return *as_number(a) < *as_number(b); });
  if (classes.names.size() > colours.size()) {
    classes.too_many_numbers = numbers;
    classes.has_other = true;
    std::stable_sort(classes.names.begin(), classes.names.end(),
                     [&](const auto& a, const auto& b) { return count[a] > count[b]; });
    classes.names.resize(colours.size() - 1);
    classes.names.emplace_back("other");
  }
  for (const std::string& label : labels) {
    const auto found = std::find(classes.names.begin(), classes.names.end(), label);
    const std::size_t last = classes.names.size() - 1;
    classes.members.push_back(
        (std::min)(last, static_cast<std::size_t>(found - classes.names.begin())));
  }
  return classes;
}

/// How labels are shown: as classes, as numbers on a scale of colours, or by their number.
enum class LabelKind { Automatic, Classes, Scale };

/// Whether these labels are shown as numbers on a scale.
inline bool on_scale(LabelKind kind, const Classes& classes) {
  return kind == LabelKind::Scale || (kind == LabelKind::Automatic && classes.too_many_numbers);
}

/// Plots the rows (x, y) of \p points into the current panel: with a legend for classes, with a
/// colour scale for many numbers, in one colour without labels (\p labels is empty). \p name is
/// the prefix of the data's names and must differ from panel to panel. The rows of \p more are
/// black crosses. Labels on a scale must be numbers.
inline void scatter(Picture& picture, const std::string& name, const Eigen::MatrixX2d& points,
                    const std::vector<std::string>& labels, LabelKind kind = LabelKind::Automatic,
                    const Eigen::MatrixX2d& more = Eigen::MatrixX2d(0, 2)) {
  const double size = points.rows() <= 300 ? 0.7 : points.rows() <= 3000 ? 0.45 : 0.3;
  std::string crosses;
  if (more.rows() > 0) {
    picture.data(name + "more", more);
    crosses = ", $" + name + "more with points pointtype 1 pointsize " + std::to_string(size) +
              " linecolor rgb 'black' title 'projected'";
  }
  if (labels.empty()) {
    picture.data(name, points);
    picture << "plot $" << name << " with points pointtype 7 pointsize " << size
            << " linecolor rgb '" << colours[0] << "' notitle" << crosses << '\n';
    return;
  }
  const Classes classes = classes_of(labels);
  if (on_scale(kind, classes)) {
    Eigen::MatrixX3d table(points.rows(), 3);
    table.leftCols(2) = points;
    for (Eigen::Index i = 0; i < points.rows(); ++i)
      table(i, 2) = *as_number(labels[static_cast<std::size_t>(i)]);
    picture.data(name, table);
    // The colours of matplotlib's viridis, which grow lighter evenly.
    picture << "set palette defined (0 '#440154', 1 '#472d7b', 2 '#3b528b', 3 '#2c728e', "
               "4 '#21918c', 5 '#28ae80', 6 '#5ec962', 7 '#addc30', 8 '#fde725')\n"
               "set cblabel 'label'\n"
               "plot $"
            << name << " with points pointtype 7 pointsize " << size << " palette notitle"
            << crosses << '\n';
    return;
  }
  std::string plot = "plot ";
  for (std::size_t c = classes.names.size(); c-- > 0;) {
    const auto count = std::count(classes.members.begin(), classes.members.end(), c);
    Eigen::MatrixX2d members(count, 2);
    for (Eigen::Index i = 0, row = 0; i < points.rows(); ++i)
      if (classes.members[static_cast<std::size_t>(i)] == c) members.row(row++) = points.row(i);
    picture.data(name + std::to_string(c), members);
  }
  const auto style = [&](std::size_t c) {
    const bool other = classes.has_other && c + 1 == classes.names.size();
    return " with points pointtype " + std::to_string(shapes[c % shapes.size()]) + " pointsize " +
           std::to_string(size) + " linecolor rgb '" + (other ? grey : colours[c]) + "' ";
  };
  // "other" lies below all others but comes last in the legend.
  const std::size_t last = classes.names.size() - 1;
  if (classes.has_other) plot += "$" + name + std::to_string(last) + style(last) + "notitle, ";
  for (std::size_t c = 0; c <= last; ++c) {
    const bool drawn = classes.has_other && c == last;
    plot += (c > 0 ? ", " : "") + (drawn ? "NaN" : "$" + name + std::to_string(c)) + style(c) +
            "title " + text_for_gnuplot(classes.names[c]);
  }
  picture << plot << crosses << '\n';
}

}  // namespace examples

#endif  // MERCER_EXAMPLES_SUPPORT_SCATTER_HPP
