// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Pre-images from distances to neighbouring training samples.

#ifndef MERCER_MODELS_PREIMAGE_PREIMAGE_KWOK_TSANG_HPP
#define MERCER_MODELS_PREIMAGE_PREIMAGE_KWOK_TSANG_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <numeric>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/models/preimage/preimage.hpp>

namespace mercer {

/// Radial kernels k = f(|x - y|^2 / l^2) with f(0) = 1 and a known inverse of f.
template <class K>
concept HasInverseProfile = requires(const K& kernel, double value) {
  { kernel.inverse_length() } -> std::convertible_to<double>;
  { kernel.squared_distance_from_value(value) } -> std::convertible_to<double>;
};

struct KwokTsangParams {
  Index neighbors = 10;  ///< >= 1; if there are fewer samples, all are used
};

/// The pre-image from distance constraints. The squared distances in feature space between P phi
/// and the images of the samples give distances in input space:
/// \f$ d_i^2 = f^{-1}((2 - |P \phi - \phi(x_i)|^2) / 2) \f$. Then least squares places the point at
/// these distances from the samples nearest to P phi, within the affine space through these
/// samples. There is no starting point and no iteration.
/// Status: `converged` if the point is finite and all neighbours have such a distance. A projection
///   far outside the data can be at |P phi - phi(x_i)|^2 >= 2, where no point of the input space
///   is; it then stands at the largest distance.
/// Accuracy: exact if P phi = phi(z) and the neighbours span the space. In a direction in which the
///   neighbours coincide, the point stays at their mean.
/// Cost: one pass over the Gram matrix, O(n^2 (d + k)), then O(n k + d neighbors^2) per point.
/// Memory: O(n k), and 32 n values per thread.
/// Source: Kwok, Tsang, The pre-image problem in kernel methods, 2003.
class KwokTsang {
 public:
  using Params = KwokTsangParams;

  KwokTsang() = default;

  /// Throws InvalidArgument unless neighbors is at least 1.
  explicit KwokTsang(KwokTsangParams params) : params_(params) {
    if (params.neighbors < 1)
      detail::fail("mercer::KwokTsang: neighbors must be at least 1, got ", params.neighbors);
  }

  [[nodiscard]] const KwokTsangParams& params() const { return params_; }

  template <Kernel K, OwnedSamples X, Real S = typename X::Scalar>
    requires HasInverseProfile<K>
  [[nodiscard]] Preimages<S> find(const PreimageProblem<K, X>& problem) const {
    const Index q = problem.coordinates.rows();
    Preimages<S> result{Matrix<S>(q, problem.samples.cols()),
                        {static_cast<std::size_t>(q), PreimageDetail{}}};
    const detail::FeatureDistances<K, X> distances(problem);
    detail::for_preimage_blocks(q, [&](detail::Range rows) {
      const Matrix<S> columns =
          distances.columns(problem.coordinates.middleRows(rows.begin, rows.size));
      for (Index j = 0; j < rows.size; ++j) {
        const Index point = rows.begin + j;
        if (!columns.col(j).allFinite()) {  // the scores are near the end of the range of S
          result.points.row(point).setConstant(std::numeric_limits<S>::quiet_NaN());
          continue;
        }
        const Placed found = place(problem, columns.col(j).template cast<double>());
        result.points.row(point) = found.point.transpose().template cast<S>();
        result.details[static_cast<std::size_t>(point)].converged =
            found.reached && found.point.allFinite();
      }
    });
    return result;
  }

 private:
  struct Placed {
    Vector<double> point;
    bool reached;  // whether each neighbour has a distance in input space
  };

  /// The point that belongs to these squared distances in feature space.
  template <class Problem>
  [[nodiscard]] Placed place(const Problem& problem, const Vector<double>& feature) const {
    constexpr double least = 1e-300;  // the inverse of a profile has no value at 0
    bool reached = true;
    const std::vector<Index> nearest = neighbors_of(feature);
    const auto count = static_cast<Index>(nearest.size());
    Matrix<double> x(problem.samples.cols(), count);
    Vector<double> distances(count);
    const double inverse_length = problem.kernel.inverse_length();
    for (Index j = 0; j < count; ++j) {
      const Index i = nearest[static_cast<std::size_t>(j)];
      const Matrix<typename Problem::Scalar> row = problem.samples.middleRows(i, 1);
      x.col(j) = row.row(0).transpose().template cast<double>();
      // Rounding can make this value larger than 1. Far outside the data it can be 0 or negative.
      const double exact = 1 - feature(i) / 2;
      reached = reached && exact >= least;
      const double value = std::clamp(exact, least, 1.0);
      distances(j) =
          problem.kernel.squared_distance_from_value(value) / inverse_length / inverse_length;
    }
    constexpr double rank_tolerance = sizeof(typename Problem::Scalar) == 4 ? 1e-4 : 1e-10;
    return {trilaterate(std::move(x), distances, rank_tolerance), reached};
  }

  /// The nearest samples in feature space. Among equal distances, earlier samples come first.
  [[nodiscard]] std::vector<Index> neighbors_of(const Vector<double>& feature) const {
    std::vector<Index> order(static_cast<std::size_t>(feature.size()));
    std::iota(order.begin(), order.end(), Index{0});
    const auto count = (std::min)(params_.neighbors, feature.size());
    std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](Index a, Index b) {
      return feature(a) < feature(b) || (feature(a) == feature(b) && a < b);
    });
    order.resize(static_cast<std::size_t>(count));
    return order;
  }

  /// The point with the given squared distances from the columns of x. Let xb be the mean of the
  /// columns and E diag(L) V^T the singular value decomposition of the centred columns. The point
  /// is xb + E diag(1/(2L)) V^T (|x_j - xb|^2 - d_j^2).
  template <Real R>  // a template, so that only programs that use it compile the decomposition
  [[nodiscard]] static Vector<R> trilaterate(Matrix<R> x, const Vector<R>& distances,
                                             R rank_tolerance) {
    constexpr R eps = std::numeric_limits<R>::epsilon();
    const R rounding = 16 * eps * x.norm();  // left over when equal columns far from 0 are centred
    const Vector<R> mean = x.rowwise().mean();
    x.colwise() -= mean;
    const SingularSystem<R> svd = singular_system(x);
    const R cut = (std::max)(rank_tolerance * svd.values(0), rounding);
    const Vector<R> excess = x.colwise().squaredNorm().transpose() - distances;
    Vector<R> shift = svd.right.transpose() * excess;
    for (Index i = 0; i < shift.size(); ++i)
      shift(i) = svd.values(i) > cut ? shift(i) / (2 * svd.values(i)) : 0;
    return mean + svd.left * shift;
  }

  KwokTsangParams params_;
};

}  // namespace mercer

#endif  // MERCER_MODELS_PREIMAGE_PREIMAGE_KWOK_TSANG_HPP
