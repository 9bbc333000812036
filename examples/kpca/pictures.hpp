// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The pictures that kpca draws.

#ifndef MERCER_EXAMPLES_KPCA_PICTURES_HPP
#define MERCER_EXAMPLES_KPCA_PICTURES_HPP

#include <optional>
#include <string>
#include <vector>

#include <mercer/core/types.hpp>

#include <examples/kpca/cross_validation.hpp>
#include <examples/kpca/options.hpp>
#include <examples/kpca/outputs.hpp>
#include <examples/support/gnuplot.hpp>
#include <examples/support/scatter.hpp>

namespace kpca {

/// Scores as they are in pictures, and what is said of them there.
struct PicturedScores {
  mercer::Matrix<double> scores;     ///< n x k; of a stream, the first ones
  mercer::Matrix<double> projected;  ///< of new samples, q x k; empty without them
  mercer::Vector<double> ratio;      ///< explained by each component
  std::vector<std::string> labels;   ///< empty without labels
  examples::LabelKind kind;
  std::string title;
};

/// Throws mercer::InvalidArgument for labels on a scale that are no numbers.
[[nodiscard]] examples::LabelKind label_kind(const Options& options,
                                             const std::vector<std::string>& labels);

/// The labels, n x 1, if pictures show them as numbers on a scale. Throws as label_kind().
[[nodiscard]] std::optional<mercer::Matrix<double>> numbers_on_scale(
    const Options& options, const std::vector<std::string>& labels);

/// The file, and what was done with it.
[[nodiscard]] std::string picture_title(const Options& options, const std::string& kernel);

[[nodiscard]] examples::Picture draw_scores(const PicturedScores& scores);
[[nodiscard]] examples::Picture draw_scree(const PicturedScores& scores);
[[nodiscard]] examples::Picture draw_pairs(const PicturedScores& scores);

/// The mean absolute gradients times the deviations, of the variables with the largest ones.
[[nodiscard]] examples::Picture draw_variables(const mercer::Matrix<double>& gradients,
                                               const std::vector<Variable>& variables,
                                               const std::string& title);

/// The error of each width and number of components that was tried, and the best of them.
[[nodiscard]] examples::Picture draw_errors(const CrossValidation& validation,
                                            const Options& options);

/// The rows of the variables that matter most to the first component, in this order.
[[nodiscard]] std::vector<mercer::Index> most_important(const mercer::Matrix<double>& gradients,
                                                        const std::vector<Variable>& variables,
                                                        mercer::Index limit);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_PICTURES_HPP
