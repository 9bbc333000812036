// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Samples between Python and mercer: arrays of NumPy and sparse matrices of SciPy, read where they
/// are, and matrices of mercer as arrays.

#ifndef MERCER_EXAMPLES_PYTHON_SRC_ARRAYS_HPP
#define MERCER_EXAMPLES_PYTHON_SRC_ARRAYS_HPP

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <mercer/core/types.hpp>

namespace mercer_python {

namespace py = pybind11;

/// A dense array of Python, by row or by column, or a part of one.
template <mercer::Real S>
using ArrayView = Eigen::Map<const mercer::Matrix<S>, Eigen::Unaligned,
                             Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;

/// A CSR matrix of Python.
template <mercer::Real S>
using CsrView = Eigen::Map<const mercer::SparseMatrix<S>>;

/// Lifetime: refers to the memory of \p array.
/// Throws InvalidArgument unless the array has two dimensions and strides that can be followed.
template <mercer::Real S>
[[nodiscard]] ArrayView<S> view_of_array(const py::array_t<S>& array);

/// Lifetime: refers to the memory of \p matrix, a scipy.sparse.csr_matrix.
/// Throws InvalidArgument unless its indices are int32, in range and ascending in each row.
template <mercer::Real S>
[[nodiscard]] CsrView<S> view_of_csr(const py::object& matrix);

/// Calls \p use with a view of the samples.
/// \param samples  an array or a CSR matrix, of float64 or float32
/// Throws InvalidArgument for anything else.
template <class Use>
auto with_samples(const py::object& samples, const Use& use) {
  const auto is_of = [](const py::object& array, auto scalar) {
    return py::isinstance<py::array_t<decltype(scalar)>>(array);
  };
  if (py::hasattr(samples, "indptr")) {
    const py::object values = samples.attr("data");
    if (is_of(values, double{})) return use(view_of_csr<double>(samples));
    if (is_of(values, float{})) return use(view_of_csr<float>(samples));
  }
  if (is_of(samples, double{}))
    return use(view_of_array<double>(py::reinterpret_borrow<py::array_t<double>>(samples)));
  if (is_of(samples, float{}))
    return use(view_of_array<float>(py::reinterpret_borrow<py::array_t<float>>(samples)));
  throw py::value_error("mercer: samples must be an array or a CSR matrix of float64 or float32");
}

/// The same with samples of the scalar S, as a model has it.
/// Throws TypeError for samples of the other one.
template <mercer::Real S, class Use>
auto with_samples_of(const py::object& samples, const Use& use) {
  using Result = std::invoke_result_t<const Use&, const ArrayView<S>&>;
  return with_samples(samples, [&]<class View>(const View& view) -> Result {
    if constexpr (std::same_as<S, typename View::Scalar>)
      return use(view);
    else
      throw py::type_error("mercer: samples must have the scalar of the training samples");
  });
}

/// The matrix as an array that owns it, without a copy.
template <class M, mercer::Real S = typename M::Scalar>
[[nodiscard]] py::array_t<S> to_array(M matrix) {
  auto held = std::make_unique<M>(std::move(matrix));
  const M& m = *held;
  const py::capsule owner(held.get(), [](void* pointer) { delete static_cast<M*>(pointer); });
  static_cast<void>(held.release());
  if constexpr (M::ColsAtCompileTime == 1)
    return py::array_t<S>({m.size()}, m.data(), owner);
  else
    return py::array_t<S>(
        {m.rows(), m.cols()},
        {static_cast<mercer::Index>(sizeof(S)), m.rows() * static_cast<mercer::Index>(sizeof(S))},
        m.data(), owner);
}

/// The samples of a model as Python has them, which keep their owner alive: an array, or data,
/// indices, indptr and shape of a CSR matrix. They cannot be written to.
template <mercer::OwnedSamples X>
[[nodiscard]] py::object view_for_python(const X& samples, const py::object& owner);

}  // namespace mercer_python

#endif  // MERCER_EXAMPLES_PYTHON_SRC_ARRAYS_HPP
