// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Columns of samples on a common scale.

#ifndef MERCER_CORE_STANDARDIZE_HPP
#define MERCER_CORE_STANDARDIZE_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/sample_weights.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

namespace detail {

/// For columns with values between \p low and \p high, a power of two near the largest distance; 1
/// if there is none. In this unit, squares of deviations neither overflow nor become 0, and keep
/// their bits.
[[nodiscard]] inline Vector<double> square_units(const Vector<double>& low,
                                                 const Vector<double>& high) {
  Vector<double> units(low.size());
  for (Index j = 0; j < units.size(); ++j) {
    constexpr double largest = (std::numeric_limits<double>::max)();
    const double distance = (std::min)(high(j) - low(j), largest);
    units(j) = distance > 0 ? std::exp2(std::ilogb(distance)) : 1;
  }
  return units;
}

/// Mean, sum of squared deviations, minimum and maximum of each column, over batches of rows.
/// Source: Chan, Golub, LeVeque, Updating formulae and a pairwise algorithm for computing sample
///   variances, 1979.
template <Real S>
class ColumnMoments {
 public:
  explicit ColumnMoments(Index columns)
      : mean_(Vector<double>::Zero(columns)),
        squares_(mean_),
        low_(mean_),
        high_(mean_),
        unit_(Vector<double>::Ones(columns)) {}

  /// \p batch has at least one row.
  void add(const Points<S>& batch) {
    const Matrix<double> rows = batch.template cast<double>();
    const Vector<double> mean = rows.colwise().mean().transpose();
    merge(rows, static_cast<double>(rows.rows()), mean, [&](const Matrix<double>& away) {
      return Vector<double>(away.colwise().squaredNorm().transpose());
    });
  }

  /// The same for rows with weights. Those of weight 0 do not count.
  void add(const Points<S>& batch, const Vector<double>& weights) {
    std::vector<Index> some;
    for (Index i = 0; i < weights.size(); ++i)
      if (weights(i) > 0) some.push_back(i);
    if (some.empty()) return;
    const Matrix<double> rows = take_rows<double>(batch, some);
    const Vector<double> w = take_entries(weights, some);
    const auto weighted_sums = [&w](const Matrix<double>& values) -> Vector<double> {
      return (values.array().colwise() * w.array()).colwise().sum().transpose();
    };
    const Vector<double> mean = weighted_sums(rows) / w.sum();
    merge(rows, w.sum(), mean,
          [&](const Matrix<double>& away) { return weighted_sums(away.cwiseAbs2()); });
  }

  [[nodiscard]] const Vector<double>& mean() const { return mean_; }

  /// The root of the mean square deviation; 1 where all values are the same.
  [[nodiscard]] Vector<double> deviation() const {
    const Vector<double> root = (squares_ / weight_).cwiseSqrt().cwiseProduct(unit_);
    return (low_.array() == high_.array()).select(Vector<double>::Ones(root.size()), root);
  }

 private:
  /// \param added       the weight of the rows
  /// \param square_sums the sums of the squares of columns, with the weights
  template <class Sums>
  void merge(const Matrix<double>& rows, double added, const Vector<double>& mean,
             const Sums& square_sums) {
    const Vector<double> low = rows.colwise().minCoeff().transpose();
    const Vector<double> high = rows.colwise().maxCoeff().transpose();
    low_ = weight_ == 0 ? low : low_.cwiseMin(low);
    high_ = weight_ == 0 ? high : high_.cwiseMax(high);
    const Vector<double> unit = square_units(low_, high_);
    const Vector<double> zero = Vector<double>::Zero(unit.size());
    // Where they are 0, the change of units may be infinite.
    squares_ = (squares_.array() == 0)
                   .select(zero, squares_.array() * (unit_.array() / unit.array()).square());
    unit_ = unit;
    const Matrix<double> away =
        (rows.rowwise() - mean.transpose()).array().rowwise() / unit.transpose().array();
    const Vector<double> difference = mean - mean_;
    squares_ += square_sums(away) +
                difference.cwiseQuotient(unit).cwiseAbs2() * (weight_ * added / (weight_ + added));
    squares_ = (low_.array() == high_.array()).select(zero, squares_);
    mean_ += difference * (added / (weight_ + added));
    weight_ += added;
  }

  double weight_ = 0;  // of the rows so far
  Vector<double> mean_;
  Vector<double> squares_;  // sums of squared deviations, in squares of unit_
  Vector<double> low_, high_, unit_;
};

}  // namespace detail

struct StandardizeParams {
  bool centered = true;  ///< subtract the means; false keeps zeros, as sparse samples need it
};

/// Brings columns to mean 0 and standard deviation 1: \f$ z_j = (x_j - m_j) / s_j \f$, with the
/// means and deviations of the samples it was made from. New samples are changed by the same
/// numbers.
///
/// \code
///   const mercer::Standardize standardize(X);
///   const Eigen::MatrixXd Z = standardize.transform(X);
///   mercer::KernelPca pca{mercer::Gaussian{mercer::median_distance(Z)}};
///   const mercer::StandardizedModel model(standardize, pca.fit(Z));
///   model.transform(Q);                                        // Q in the units of X
/// \endcode
/// The deviation is the root of the mean square (divided by n, as in scikit-learn's
/// StandardScaler). A column whose values are all the same is not divided by anything.
/// Accuracy: computed in double for samples of either precision.
class Standardize {
 public:
  using Params = StandardizeParams;

  /// From samples in the rows of \p x: dense in either storage order, or sparse.
  /// Cost: O(n d), or the stored entries.
  /// Throws InvalidArgument for samples without rows or columns, for values that are not finite or
  ///   whose sums overflow, and for sparse samples with params.centered: without their zeros,
  ///   they would take n d values.
  template <class X>
    requires(DenseSamples<X> || SparseSamples<X>)
  explicit Standardize(const X& x, StandardizeParams params = {}) : centered_(params.centered) {
    take_samples(x, {});
  }

  /// From samples with weights, of which only the ratios matter: for \f$ p_i \f$, the weights
  /// divided by their sum, \f$ m_j = \sum_i p_i x_{ij} \f$ and \f$ s_j^2 = \sum_i p_i (x_{ij} -
  /// m_j)^2 \f$. So a sample of weight 2 counts as two, and one of weight 0 does not.
  /// Throws InvalidArgument as above, and for another number of weights than samples, weights that
  ///   are negative or not finite, and if all are 0.
  template <class X, class W>
    requires(DenseSamples<X> || SparseSamples<X>)
  Standardize(const X& x, const Eigen::MatrixBase<W>& weights, StandardizeParams params = {})
      : centered_(params.centered) {
    detail::require_as_many_weights(who, x.rows(), weights.size());
    take_samples(x, usable(weights));
  }

  /// From the samples of a stream, in one pass, which is not rewound.
  /// Throws InvalidArgument as above, and for a stream that is known to have no end.
  template <SampleStream T>
    requires(!DenseSamples<T> && !SparseSamples<T>)
  explicit Standardize(T& stream, StandardizeParams params = {}) : centered_(params.centered) {
    take<typename T::Scalar>(stream, {});
  }
  /// The same with weights of the samples.
  template <SampleStream T, class W>
    requires(!DenseSamples<T> && !SparseSamples<T>)
  Standardize(T& stream, const Eigen::MatrixBase<W>& weights, StandardizeParams params = {})
      : centered_(params.centered) {
    take<typename T::Scalar>(stream, usable(weights));
  }

  /// From means and deviations, d each. Without \p centered, the means are kept but not
  /// subtracted.
  /// Throws InvalidArgument for values that are not finite, deviations that are not positive, and
  ///   different numbers of them.
  Standardize(Vector<double> mean, Vector<double> deviation, bool centered)
      : mean_(std::move(mean)), deviation_(std::move(deviation)), centered_(centered) {
    require_usable();
  }

  [[nodiscard]] Index dimension() const { return mean_.size(); }
  /// The mean of each column of the samples.
  [[nodiscard]] const Vector<double>& mean() const { return mean_; }
  /// The standard deviation of each column, by which it is divided.
  [[nodiscard]] const Vector<double>& deviation() const { return deviation_; }
  /// Whether the means are subtracted.
  [[nodiscard]] bool centered() const { return centered_; }

  /// The samples in the rows of \p x, in standard units. Sparse samples stay sparse.
  /// Throws InvalidArgument for another number of columns, and for sparse samples if the means are
  ///   to be subtracted.
  template <class X>
    requires(DenseSamples<X> || SparseSamples<X>)
  [[nodiscard]] OwnedSamplesOf<X> transform(const X& x) const {
    require_columns("transform", x.cols());
    OwnedSamplesOf<X> z = x;
    if constexpr (SparseSamples<X>) {
      require_not_centered();
      scale(z, deviation_.cwiseInverse());
    } else {
      for (Index j = 0; j < z.cols(); ++j)
        z.col(j) = ((z.col(j).template cast<double>().array() - shift(j)) / deviation_(j))
                       .template cast<typename X::Scalar>();
    }
    return z;
  }

  /// Back to the units of the samples: x = m + s z.
  /// Throws InvalidArgument as transform().
  template <class X>
    requires(DenseSamples<X> || SparseSamples<X>)
  [[nodiscard]] OwnedSamplesOf<X> inverse_transform(const X& z) const {
    require_columns("inverse_transform", z.cols());
    OwnedSamplesOf<X> x = z;
    if constexpr (SparseSamples<X>) {
      require_not_centered();
      scale(x, deviation_);
    } else {
      for (Index j = 0; j < x.cols(); ++j)
        x.col(j) = (x.col(j).template cast<double>().array() * deviation_(j) + shift(j))
                       .template cast<typename X::Scalar>();
    }
    return x;
  }

 private:
  static constexpr std::string_view who = "mercer::Standardize: ";  // for messages

  [[nodiscard]] double shift(Index j) const { return centered_ ? mean_(j) : 0.0; }

  /// Weights whose sums do not overflow.
  [[nodiscard]] static Vector<double> usable(const Vector<double>& weights) {
    return weights / detail::largest_weight(who, weights);
  }

  /// \param weights  empty: all equal
  template <class X>
  void take_samples(const X& x, const Vector<double>& weights) {
    const OwnedSamplesOf<X>& samples = x;
    if (samples.rows() == 0 || samples.cols() == 0)
      detail::fail(who, "needs at least one row and one column, got ", samples.rows(), " x ",
                   samples.cols());
    if constexpr (SparseSamples<X>) {
      require_not_centered();
      take(samples, weights);
    } else {
      MatrixStream stream(samples);
      take<typename X::Scalar>(stream, weights);
    }
  }

  template <Real S>
  void take(SampleStreamView<S> stream, const Vector<double>& weights) {
    constexpr Index batch = 4096;
    if (stream.dimension() == 0) detail::fail(who, stream.name(), " has no columns");
    if (stream.seekable() && stream.rows() == endless)
      detail::fail(who, stream.name(), " has no end");
    detail::ColumnMoments<S> moments(stream.dimension());
    Matrix<S> rows(batch, stream.dimension());
    Index done = 0;
    while (const Index count = stream.read(rows)) {
      if (weights.size() == 0)
        moments.add(rows.topRows(count));
      else if (done + count <= weights.size())
        moments.add(rows.topRows(count), weights.segment(done, count));
      done += count;
    }
    if (done == 0) detail::fail(who, stream.name(), " has no samples");
    if (weights.size() > 0) detail::require_as_many_weights(who, done, weights.size());
    mean_ = moments.mean();
    deviation_ = moments.deviation();
    require_usable();
  }

  template <Real S>
  void take(const SparseMatrix<S>& x, const Vector<double>& weights) {
    const auto weight = [&](Index i) { return weights.size() > 0 ? weights(i) : 1.0; };
    const Index rows = weights.size() > 0 ? (weights.array() > 0).count() : x.rows();
    const double total = weights.size() > 0 ? weights.sum() : static_cast<double>(x.rows());
    // Of the stored entries in rows that count: their number, weight, and range.
    Eigen::Matrix<Index, Eigen::Dynamic, 1> count(x.cols());
    count.setZero();
    Vector<double> stored = Vector<double>::Zero(x.cols()), low = stored, high = stored;
    mean_ = stored;
    for_entries(x, [&](Index i, Index j, double value) {
      if (!std::isfinite(value))
        detail::fail(who, "samples must be finite, got ", value, " at row ", i, ", column ", j,
                     " (counted from 0)");
      if (weight(i) == 0) return;
      low(j) = count(j) == 0 ? value : (std::min)(low(j), value);
      high(j) = count(j) == 0 ? value : (std::max)(high(j), value);
      mean_(j) += weight(i) * (value / total);
      stored(j) += weight(i);
      ++count(j);
    });
    // Zeros that are not stored count, too.
    const Vector<double> unit = detail::square_units(low.cwiseMin(0.0), high.cwiseMax(0.0));
    deviation_ = (total - stored.array()) * (mean_.array() / unit.array()).square();
    for (Index j = 0; j < x.cols(); ++j)
      if (count(j) == rows) deviation_(j) = 0;  // the difference may be rounding error
    for_entries(x, [&](Index i, Index j, double value) {
      const double away = (value - mean_(j)) / unit(j);
      deviation_(j) += weight(i) * away * away;
    });
    deviation_ = (deviation_ / total).cwiseSqrt().cwiseProduct(unit);
    for (Index j = 0; j < x.cols(); ++j)
      if (count(j) == 0 || (low(j) == high(j) && (count(j) == rows || low(j) == 0)))
        deviation_(j) = 1;
    require_usable();
  }

  /// Calls use(row, column, value) for each stored entry.
  template <Real S, class Use>
  static void for_entries(const SparseMatrix<S>& x, const Use& use) {
    for (Index i = 0; i < x.outerSize(); ++i)
      for (typename SparseMatrix<S>::InnerIterator entry(x, i); entry; ++entry)
        use(entry.row(), entry.col(), static_cast<double>(entry.value()));
  }

  template <Real S>
  static void scale(SparseMatrix<S>& x, const Vector<double>& factors) {
    for (Index i = 0; i < x.outerSize(); ++i)
      for (typename SparseMatrix<S>::InnerIterator entry(x, i); entry; ++entry)
        entry.valueRef() =
            static_cast<S>(static_cast<double>(entry.value()) * factors(entry.col()));
  }

  void require_not_centered() const {
    if (centered_)
      detail::fail(
          "mercer::Standardize: sparse samples lose their zeros if means are subtracted; "
          "scale them only, with {.centered = false}, or make them dense");
  }
  void require_columns(std::string_view function, Index columns) const {
    if (columns != dimension())
      detail::fail("mercer::Standardize::", function, ": samples have ", columns,
                   " columns, expected ", dimension());
  }
  void require_usable() const {
    detail::require_matrix("Standardize", "mean", mean_, mean_.size(), 1);
    detail::require_matrix("Standardize", "deviation", deviation_, mean_.size(), 1);
    for (Index j = 0; j < deviation_.size(); ++j)
      if (!(deviation_(j) > 0))
        detail::fail("mercer::Standardize: deviation must be positive, got ", deviation_(j),
                     " at column ", j, " (counted from 0)");
  }

  Vector<double> mean_, deviation_;
  bool centered_;
};

}  // namespace mercer

#endif  // MERCER_CORE_STANDARDIZE_HPP
