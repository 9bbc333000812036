// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The Gram matrix of a kernel on samples as an operator: stored, or evaluated tile by tile.

#ifndef MERCER_OPERATORS_GRAM_HPP
#define MERCER_OPERATORS_GRAM_HPP

#include <concepts>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/operators/gram_tiles.hpp>

namespace mercer {

/// Where the tiles of a Gram matrix are between two products.
enum class GramStorage {
  Stored,     ///< evaluated once and kept: about n^2 / 2 values
  Recomputed  ///< nowhere: every product evaluates all of them anew
};

/// How a Gram operator holds its matrix.
struct GramForm {
  GramStorage storage = GramStorage::Recomputed;
  /// Of kernel values, and of the samples that they are evaluated on. Samples of float always make
  /// single tiles.
  Precision precision = Precision::Double;
};

namespace detail {

/// K has values for samples X in single precision too, and they are not single already.
template <class K, class X>
concept has_single_tiles =
    std::same_as<typename X::Scalar, double> && evaluates_on<K, SamplesIn<float, X>>;

/// Samples in single precision. For a kernel of x - y, a common offset is taken away first, and
/// coordinates that are the same for all samples are left out.
template <class K, OwnedSamples X>
[[nodiscard]] SamplesIn<float, X> to_single(const X& x) {
  if constexpr (IsTranslationInvariant<K> && DenseSamples<X>) {
    const std::vector<Index> varying = varying_columns(x);
    const Vector<double> means = coarse_means(x);
    Matrix<float> out(x.rows(), static_cast<Index>(varying.size()));
    for (Index j = 0; j < out.cols(); ++j) {
      const Index source = varying[static_cast<std::size_t>(j)];
      out.col(j) = (x.col(source).array() - means(source)).template cast<float>();
    }
    return out;
  } else {
    return x.template cast<float>();
  }
}

/// What single tiles are evaluated on: samples in single precision. A matrix of given values is not
/// copied, as they can be rounded when they are read.
template <class K, OwnedSamples X>
[[nodiscard]] auto single_tile_samples(const std::shared_ptr<const X>& x) {
  if constexpr (std::same_as<K, Precomputed>)
    return x;
  else
    return std::make_shared<const SamplesIn<float, X>>(to_single<K>(*x));
}

/// All of K in the scalar of the samples; throws for a value that is not finite.
template <KernelOrPrecomputed K, OwnedSamples X, Real S = typename X::Scalar>
[[nodiscard]] Matrix<S> evaluate_gram(const K& kernel, const X& x) {
  Matrix<S> gram(x.rows(), x.rows());
  fill_gram(kernel, x, gram);
  require_finite_values(kernel, gram, {0, x.rows()}, {0, x.rows()});
  return gram;
}

}  // namespace detail

/// K(i, j) = k(x_i, x_j) for the samples in the rows of X, by products with blocks of vectors.
///
/// A product evaluates (or reads) each tile of one triangle once and uses it for both. Vectors and
/// sums are in double; tiles are in double, or in single precision, which is more than twice as
/// fast: a value then has an error of about 1e-7, and so has a product, relative to |K| |v|; the
/// matrix is still symmetric to the last bit. Cost: 2 n^2 b operations, and n^2 / 2 kernel values
/// if tiles are recomputed. Memory: n^2 / 2 values if they are stored; a copy of the samples if
/// theirs is another precision, but of the matrix of Precomputed there is none: its values are
/// rounded when they are stored, or in each product.
/// Lifetime: shares ownership of the samples, so it may outlive the caller's variable.
/// Threads: const members may run concurrently and give the same bits on any number of threads.
template <KernelOrPrecomputed K, OwnedSamples X>
  requires evaluates_on<K, X>
class Gram {
 public:
  using Scalar = double;

  /// Throws InvalidArgument for samples outside the kernel's domain or not finite, and for single
  /// tiles of a kernel that has values in double only. A kernel value that is not finite is found
  /// when it is evaluated (names the pair): in stored form here, else in a product.
  Gram(K kernel, std::shared_ptr<const X> samples, GramForm form = {})
      : Gram(Unchecked{}, std::move(kernel), std::move(samples), form) {
    detail::require_finite_samples("Gram", *samples_);
    detail::check_domain(kernel_, *samples_);
    if constexpr (std::same_as<K, Precomputed>) Precomputed::check_gram(*samples_);
    store();
  }

  Gram(K kernel, X samples, GramForm form = {})
      : Gram(std::move(kernel), std::make_shared<const X>(std::move(samples)), form) {}

  /// Takes samples that are known to be finite and in the kernel's domain; for Precomputed, a
  /// matrix that is known to be symmetric.
  [[nodiscard]] static Gram unchecked(K kernel, std::shared_ptr<const X> samples,
                                      GramForm form = {}) {
    Gram out(Unchecked{}, std::move(kernel), std::move(samples), form);
    out.store();
    return out;
  }

  [[nodiscard]] Index rows() const { return samples_->rows(); }

  /// out = K v, n x b.
  void apply(const Points<double>& v, GramOut<double> out) const {
    std::visit([&](const auto& tiles) { tiles.template multiply<double>(v, out); }, tiles_);
  }

  /// k(x_i, x_i), in the precision of the samples.
  [[nodiscard]] Vector<double> diagonal() const {
    return mercer::diagonal(kernel_, *samples_).template cast<double>();
  }

  /// The whole matrix, in the precision of the samples.
  [[nodiscard]] Matrix<double> dense() const {
    return detail::evaluate_gram(kernel_, *samples_).template cast<double>();
  }

  /// The principal submatrix of these rows.
  [[nodiscard]] Matrix<double> sample_block(const std::vector<Index>& indices) const {
    return std::visit(
        [&](const auto& tiles) -> Matrix<double> {
          return tiles.block(indices).template cast<double>();
        },
        tiles_);
  }

  /// K(:, indices) weights, n x b. Cost: a kernel evaluation for each of n m entries.
  [[nodiscard]] Matrix<double> sample_product(const std::vector<Index>& indices,
                                              const Matrix<double>& weights) const {
    return std::visit(
        [&](const auto& tiles) -> Matrix<double> {
          using T = typename std::decay_t<decltype(tiles)>::Scalar;
          return tiles.columns_times(indices, weights.template cast<T>()).template cast<double>();
        },
        tiles_);
  }

  /// (K - K') v in these rows, m x b, where K' is the matrix of the tiles: what single tiles do to
  /// a product. Zero for tiles in the precision of the samples. Cost: m n kernel values, twice.
  [[nodiscard]] Matrix<double> rounding_error(const std::vector<Index>& indices,
                                              const Matrix<double>& v) const {
    Matrix<double> sum = Matrix<double>::Zero(static_cast<Index>(indices.size()), v.cols());
    if constexpr (detail::has_single_tiles<K, X>)
      if (const auto* tiles = std::get_if<SingleTiles>(&tiles_)) {
        const OwnTiles exact(kernel_, samples_);
        detail::add_row_blocks(
            rows(),
            [&](Index first, Index size) -> Matrix<double> {
              const detail::Range cols{first, size};
              return (exact.rows_block(indices, cols) -
                      tiles->rows_block(indices, cols).template cast<double>()) *
                     v.middleRows(first, size);
            },
            sum);
      }
    return sum;
  }

  /// As asked for; for samples of float the precision is single.
  [[nodiscard]] const GramForm& form() const { return form_; }

 private:
  using OwnTiles = detail::GramTiles<K, X>;
  using SingleTiles =
      detail::GramTiles<K, std::conditional_t<std::same_as<K, Precomputed>, X, SamplesIn<float, X>>,
                        float>;
  using Tiles = std::conditional_t<detail::has_single_tiles<K, X>,
                                   std::variant<OwnTiles, SingleTiles>, std::variant<OwnTiles>>;

  struct Unchecked {};

  Gram(Unchecked, K kernel, std::shared_ptr<const X> samples, GramForm form)
      : kernel_(std::move(kernel)),
        samples_(std::move(samples)),
        form_(form),
        tiles_(unstored_tiles()) {}

  [[nodiscard]] Tiles unstored_tiles() {
    constexpr Precision own = precision_of<typename X::Scalar>;
    if (own == Precision::Single) form_.precision = own;
    if (form_.precision == own) return OwnTiles(kernel_, samples_);
    if constexpr (detail::has_single_tiles<K, X>)
      return SingleTiles(kernel_, detail::single_tile_samples<K>(samples_));
    else
      detail::fail("mercer::Gram: the kernel ", detail::describe(kernel_),
                   " has values in double precision only");
  }

  void store() {
    if (form_.storage == GramStorage::Stored)
      std::visit([](auto& tiles) { tiles.store(); }, tiles_);
  }

  K kernel_;
  std::shared_ptr<const X> samples_;
  GramForm form_;
  Tiles tiles_;
};

}  // namespace mercer

#endif  // MERCER_OPERATORS_GRAM_HPP
