// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Symmetric tensors of order three, and their components by the tensor power method.

#ifndef MERCER_MODELS_DETAIL_TENSOR_POWER_HPP
#define MERCER_MODELS_DETAIL_TENSOR_POWER_HPP

#include <cstdint>
#include <utility>

#include <mercer/core/compiled.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// A symmetric k x k x k tensor, stored in full: entry (i, j, l) is in row i and column j + k l.
template <Real S>
class SymmetricTensor {
 public:
  explicit SymmetricTensor(Index k) : entries_(Matrix<S>::Zero(k, k * k)) {}

  /// The mean of a_i (x) b_i (x) c_i over the rows i of three n x k matrices, symmetrised over the
  /// six orders.
  /// Cost: O(n k^3).
  /// Memory: n k values.
  static SymmetricTensor moment(const Matrix<S>& a, const Matrix<S>& b, const Matrix<S>& c);

  [[nodiscard]] Index dimension() const { return entries_.rows(); }
  [[nodiscard]] S operator()(Index i, Index j, Index l) const {
    return entries_(i, j + dimension() * l);
  }

  /// T(I, v, v), whose entry i is sum_jl T_ijl v_j v_l.
  [[nodiscard]] Vector<S> contract(const Vector<S>& v) const;

  /// T += factor v (x) v (x) v.
  void add(S factor, const Vector<S>& v);

 private:
  Matrix<S> entries_;
};

struct TensorPowerParams {
  Index starts = 10;       ///< random starts for each component
  Index iterations = 100;  ///< most iterations from one start
  /// Stop once an iteration changes the unit vector by at most this.
  double tolerance = 1e-14;
  std::uint64_t seed = 1;
};

/// The decomposition T = sum_h lambda_h v_h (x) v_h (x) v_h with orthonormal v_h. Components are
/// found one after the other: of some random starts of v <- T(I, v, v) / |.|, the one with the
/// largest lambda = T(v, v, v) is kept, and its component is subtracted from T.
///
/// Convergence is quadratic. If T has such a decomposition up to an error E, each component has an
/// error of order |E|. The signs are determined, as lambda > 0.
/// Cost: O(k^3) an iteration.
/// Random: purpose "tensor power" of the seed.
/// Source: Anandkumar, Ge, Hsu, Kakade, Telgarsky, Tensor decompositions for learning latent
///   variable models, 2014, algorithm 1.
template <Real S>
struct TensorComponents {
  Vector<S> values;       ///< lambda, in the order found; 0 where nothing of T was left
  Matrix<S> vectors;      ///< v, one per column
  bool converged = true;  ///< whether the kept starts of all components did

  static TensorComponents find(SymmetricTensor<S> tensor, Index count,
                               const TensorPowerParams& params);

 private:
  struct Iterate {
    Vector<S> vector;
    S value = 0;
    bool converged = false;
  };
  static Iterate iterate(const SymmetricTensor<S>& tensor, Vector<S> v,
                         const TensorPowerParams& params);
};

template <Real S>
SymmetricTensor<S> SymmetricTensor<S>::moment(const Matrix<S>& a, const Matrix<S>& b,
                                              const Matrix<S>& c) {
  const Index k = a.cols();
  SymmetricTensor plain(k), out(k);
  for (Index l = 0; l < k; ++l) {
    const Matrix<S> weighted = b.array().colwise() * c.col(l).array();
    plain.entries_.middleCols(k * l, k) = inner(a, weighted) / static_cast<S>(a.rows());
  }
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < k; ++j)
      for (Index l = 0; l < k; ++l)
        out.entries_(i, j + k * l) = (plain(i, j, l) + plain(i, l, j) + plain(j, i, l) +
                                      plain(j, l, i) + plain(l, i, j) + plain(l, j, i)) /
                                     6;
  return out;
}

template <Real S>
Vector<S> SymmetricTensor<S>::contract(const Vector<S>& v) const {
  const Index k = dimension();
  Vector<S> out = Vector<S>::Zero(k);
  for (Index l = 0; l < k; ++l)
    for (Index j = 0; j < k; ++j) out += entries_.col(j + k * l) * (v(j) * v(l));
  return out;
}

template <Real S>
void SymmetricTensor<S>::add(S factor, const Vector<S>& v) {
  const Index k = dimension();
  for (Index l = 0; l < k; ++l)
    for (Index j = 0; j < k; ++j) entries_.col(j + k * l) += v * (factor * v(j) * v(l));
}

template <Real S>
typename TensorComponents<S>::Iterate TensorComponents<S>::iterate(
    const SymmetricTensor<S>& tensor, Vector<S> v, const TensorPowerParams& params) {
  Iterate out;
  Vector<S> image = tensor.contract(v);
  for (Index step = 0; step < params.iterations && !out.converged; ++step) {
    const S norm = image.norm();
    if (!(norm > 0)) break;
    const Vector<S> next = image / norm;
    out.converged = (next - v).norm() <= static_cast<S>(params.tolerance);
    v = next;
    image = tensor.contract(v);
  }
  out.value = image.dot(v);
  out.vector = std::move(v);
  return out;
}

template <Real S>
TensorComponents<S> TensorComponents<S>::find(SymmetricTensor<S> tensor, Index count,
                                              const TensorPowerParams& params) {
  const Index k = tensor.dimension();
  TensorComponents out{Vector<S>(count), Matrix<S>(k, count)};
  for (Index h = 0; h < count; ++h) {
    RandomStream stream(params.seed, "tensor power", static_cast<std::uint64_t>(h));
    Iterate best;
    for (Index start = 0; start < params.starts; ++start) {
      Vector<S> v(k);
      for (Index i = 0; i < k; ++i) v(i) = static_cast<S>(stream.normal());
      Iterate found = iterate(tensor, v.normalized(), params);
      if (start == 0 || found.value > best.value) best = std::move(found);
    }
    tensor.add(-best.value, best.vector);
    out.values(h) = best.value;
    out.vectors.col(h) = best.vector;
    out.converged = out.converged && best.converged;
  }
  return out;
}

#define MERCER_TENSOR_POWER(S)                       \
  MERCER_INSTANTIATE_VIEWS(class SymmetricTensor<S>) \
  MERCER_INSTANTIATE_VIEWS(struct TensorComponents<S>)
MERCER_TENSOR_POWER(double)
#undef MERCER_TENSOR_POWER

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_TENSOR_POWER_HPP
