// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Columns of samples on a common scale.

#ifndef MERCER_CORE_STANDARDIZE_HPP
#define MERCER_CORE_STANDARDIZE_HPP

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

namespace detail {

/// Mean, sum of squared deviations, minimum and maximum of each column, over batches of rows.
/// Source: Chan, Golub, LeVeque, Updating formulae and a pairwise algorithm for computing sample
///   variances, 1979.
template <Real S>
class ColumnMoments {
 public:
  explicit ColumnMoments(Index columns)
      : mean_(Vector<double>::Zero(columns)), squares_(mean_), low_(mean_), high_(mean_) {}

  /// \p batch has at least one row.
  void add(const Points<S>& batch) {
    const Matrix<double> rows = batch.template cast<double>();
    const auto before = static_cast<double>(rows_), added = static_cast<double>(rows.rows());
    const Vector<double> mean = rows.colwise().mean().transpose();
    const Vector<double> difference = mean - mean_;
    const Vector<double> low = rows.colwise().minCoeff().transpose();
    const Vector<double> high = rows.colwise().maxCoeff().transpose();
    squares_ += (rows.rowwise() - mean.transpose()).colwise().squaredNorm().transpose() +
                difference.cwiseAbs2() * (before * added / (before + added));
    mean_ += difference * (added / (before + added));
    low_ = rows_ == 0 ? low : low_.cwiseMin(low);
    high_ = rows_ == 0 ? high : high_.cwiseMax(high);
    rows_ += rows.rows();
  }

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] const Vector<double>& mean() const { return mean_; }

  /// The root of the mean square deviation; 1 where all values are the same.
  [[nodiscard]] Vector<double> deviation() const {
    const Vector<double> root = (squares_ / static_cast<double>(rows_)).cwiseSqrt();
    return (low_.array() == high_.array()).select(Vector<double>::Ones(root.size()), root);
  }

 private:
  Index rows_ = 0;
  Vector<double> mean_, squares_, low_, high_;
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
  ///   whose squares overflow, and for sparse samples with params.centered: without their zeros,
  ///   they would take n d values.
  template <class X>
    requires DenseSamples<X> || SparseSamples<X>
  explicit Standardize(const X& x, StandardizeParams params = {}) : centered_(params.centered) {
    const OwnedSamplesOf<X>& samples = x;
    if (samples.rows() == 0 || samples.cols() == 0)
      detail::fail("mercer::Standardize: needs at least one row and one column, got ",
                   samples.rows(), " x ", samples.cols());
    if constexpr (SparseSamples<X>) {
      require_not_centered();
      take(samples);
    } else {
      MatrixStream stream(samples);
      take(stream);
    }
  }

  /// From the samples of a stream, in one pass, which is not rewound.
  /// Throws InvalidArgument as above.
  template <SampleStream T>
    requires(!DenseSamples<T> && !SparseSamples<T>)
  explicit Standardize(T& stream, StandardizeParams params = {}) : centered_(params.centered) {
    take(stream);
  }

  /// From means and deviations, d each. Without \p centered, the means are kept but not subtracted.
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
    requires DenseSamples<X> || SparseSamples<X>
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
    requires DenseSamples<X> || SparseSamples<X>
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
  [[nodiscard]] double shift(Index j) const { return centered_ ? mean_(j) : 0.0; }

  template <SampleStream T>
  void take(T& stream) {
    using S = typename T::Scalar;
    constexpr Index batch = 4096;
    detail::ColumnMoments<S> moments(stream.dimension());
    Matrix<S> rows(batch, stream.dimension());
    while (const Index count = stream.read(rows)) {
      detail::require_finite_rows<S>("Standardize", detail::stream_name(stream),
                                     rows.topRows(count), moments.rows());
      moments.add(rows.topRows(count));
    }
    if (moments.rows() == 0)
      detail::fail("mercer::Standardize: ", detail::stream_name(stream), " has no samples");
    mean_ = moments.mean();
    deviation_ = moments.deviation();
    require_usable();
  }

  template <Real S>
  void take(const SparseMatrix<S>& x) {
    const auto n = static_cast<double>(x.rows());
    Vector<double> count = Vector<double>::Zero(x.cols()), low = count, high = count;
    mean_ = count;
    for_entries(x, [&](Index i, Index j, double value) {
      if (!std::isfinite(value))
        detail::fail("mercer::Standardize: samples must be finite, got ", value, " at row ", i,
                     ", column ", j, " (counted from 0)");
      low(j) = count(j) == 0 ? value : (std::min)(low(j), value);
      high(j) = count(j) == 0 ? value : (std::max)(high(j), value);
      mean_(j) += value / n;
      ++count(j);
    });
    deviation_ = (n - count.array()) * mean_.array().square();
    for_entries(x, [&](Index, Index j, double value) {
      deviation_(j) += (value - mean_(j)) * (value - mean_(j));
    });
    deviation_ = (deviation_ / n).cwiseSqrt();
    for (Index j = 0; j < x.cols(); ++j)
      if (count(j) == 0 || (low(j) == high(j) && (count(j) == n || low(j) == 0))) deviation_(j) = 1;
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
  void require_columns(std::string_view who, Index columns) const {
    if (columns != dimension())
      detail::fail("mercer::Standardize::", who, ": samples have ", columns, " columns, expected ",
                   dimension());
  }
  void require_usable() const {
    constexpr std::string_view who = "Standardize";
    detail::require_matrix(who, "mean", mean_, mean_.size(), 1);
    detail::require_matrix(who, "deviation", deviation_, mean_.size(), 1);
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
