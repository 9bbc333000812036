// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel PCA of two views from the moments of their features, in one pass over the pairs.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_FEATURE_BASES_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_FEATURE_BASES_HPP

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/moment_sum.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_blocks.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/detail/covariance_pairs.hpp>
#include <mercer/solvers/doubly_stochastic/detail/batch_reader.hpp>
#include <mercer/solvers/doubly_stochastic/detail/feature_components.hpp>
#include <mercer/solvers/feature_solver.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer::detail {

/// The domains of two kernels, for rows [x_i y_i].
/// Lifetime: refers to the kernels.
template <Real S>
[[nodiscard]] std::function<void(const Matrix<S>&)> check_domains(KernelView<Matrix<S>> kernel_x,
                                                                  KernelView<Matrix<S>> kernel_y,
                                                                  Index columns_x) {
  return [=](const Matrix<S>& samples) {
    const Matrix<S> x = samples.leftCols(columns_x),
                    y = samples.rightCols(samples.cols() - columns_x);
    naming_view("x", [&] { kernel_x.check_domain(x); });
    naming_view("y", [&] { kernel_y.check_domain(y); });
  };
}

/// The components of the features z_x and z_y of two views, from the moments of [z_x z_y].
template <Real S>
class FeatureBasesFit {
 public:
  /// The first blocks of a map.
  struct View {
    FeatureBlocks<S>* map;
    Index blocks;
    Components components;

    [[nodiscard]] Index features() const { return map->columns() * blocks; }
  };

  FeatureBasesFit(View x, View y, Index batch, const KernelRequest& request,
                  const Observer& observer)
      : x_(x),
        y_(y),
        batch_(batch),
        request_(request),
        observer_(observer),
        moments_(x.features() + y.features(), request.centered) {}

  /// \p rows is the first batch; reads the rest of the stream.
  [[nodiscard]] FeatureBases<S> solve(Matrix<S> rows, Index columns_x, BatchReader<S>& reader) {
    const Index columns_y = reader.dimension() - columns_x;
    bool cancelled = false;
    for (const View& view : {x_, y_}) view.map->prepare(1, view.blocks);
    for (; rows.rows() > 0; reader.read(batch_, rows)) {
      cancelled = !go_on(
          observer_, {"features", moments_.count(), reader.rows() == endless ? 0 : reader.rows()});
      if (cancelled) break;
      features_.resize(rows.rows(), x_.features() + y_.features());
      evaluate_blocks<S>(*x_.map, x_.blocks, rows.leftCols(columns_x),
                         features_.leftCols(x_.features()));
      evaluate_blocks<S>(*y_.map, y_.blocks, rows.rightCols(columns_y),
                         features_.rightCols(y_.features()));
      moments_.add(features_);
    }
    FeatureBases<S> found;
    for (auto* view : {&found.x, &found.y}) {
      view->report.reason = request_.choice;
      if (cancelled) view->report.status = Status::Cancelled;
    }
    found.x.report.dimension = columns_x;
    found.y.report.dimension = columns_y;
    set_components(found);
    return found;
  }

 private:
  void set_components(FeatureBases<S>& found) {
    const Matrix<double> scatter = moments_.scatter();
    const Index m = x_.features();
    const Matrix<double> x = components_of(x_, scatter, 0, found.x);
    const Matrix<double> y = components_of(y_, scatter, m, found.y);
    const Matrix<double> cross = scatter.topRightCorner(m, y_.features());
    found.cross = multiply(Matrix<double>(x.transpose()), multiply(cross, y));
    found.mean_x = Vector<double>::Zero(x.cols());
    found.mean_y = Vector<double>::Zero(y.cols());
    if (request_.centered) return;
    found.mean_x = x.transpose() * moments_.mean().head(m);
    found.mean_y = y.transpose() * moments_.mean().tail(y_.features());
  }

  /// The components of the features that begin at \p first. Returns their coefficients.
  [[nodiscard]] Matrix<double> components_of(const View& view, const Matrix<double>& scatter,
                                             Index first, FeatureSolution<S>& solution) const {
    const Index m = view.features();
    FeatureMoments moments{.scatter = scatter.block(first, first, m, m),
                           .squares = 0,
                           .mean = moments_.mean().segment(first, m),
                           .samples = moments_.count(),
                           .blocks = view.blocks};
    moments.squares = moments.scatter.trace();
    if (request_.centered)
      moments.squares += static_cast<double>(moments.samples) * moments.mean.squaredNorm();
    KernelRequest request = request_;
    request.pairs.components = view.components;
    Matrix<double> vectors = feature_components(moments, request, solution);
    Report& report = solution.report;
    report.solver_form =
        to_text(view.blocks) + " blocks of " + to_text(view.map->columns()) + " features";
    report.storage = "covariance of the features of both views";
    report.bytes = moments_.bytes() + view.map->bytes() +
                   static_cast<std::size_t>(features_.size()) * sizeof(S) +
                   static_cast<std::size_t>(scatter.size()) * sizeof(double) +
                   covariance_pairs_bytes(m, report.components);
    return vectors;
  }

  View x_, y_;
  Index batch_;
  const KernelRequest& request_;
  const Observer& observer_;
  MomentSum<S> moments_;
  Matrix<S> features_;
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_FEATURE_BASES_HPP
