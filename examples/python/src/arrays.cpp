// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/python/src/arrays.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <mercer/core/errors.hpp>

namespace mercer_python {

using mercer::Index;

template <mercer::Real S>
ArrayView<S> view_of_array(const py::array_t<S>& array) {
  constexpr auto bytes = static_cast<py::ssize_t>(sizeof(S));
  if (array.ndim() != 2)
    throw py::value_error("mercer: samples must have two dimensions, got " +
                          std::to_string(array.ndim()));
  Index steps[2];
  for (int i = 0; i < 2; ++i) {
    // Of one row or column alone, NumPy leaves the stride open.
    const bool is_followed = array.shape(i) > 1;
    if (is_followed && (array.strides(i) < 0 || array.strides(i) % bytes != 0))
      throw py::value_error("mercer: samples with such strides must be copied first");
    steps[i] = is_followed ? array.strides(i) / bytes : 1;
  }
  return {array.data(), array.shape(0), array.shape(1), {steps[1], steps[0]}};
}

template ArrayView<double> view_of_array(const py::array_t<double>&);
template ArrayView<float> view_of_array(const py::array_t<float>&);

namespace {

using Indices = py::array_t<std::int32_t, py::array::c_style>;

[[nodiscard]] Indices indices_of(const py::object& matrix, const char* name) {
  py::object found = matrix.attr(name);
  if (!py::isinstance<Indices>(found))
    throw py::value_error(std::string("mercer: ") + name +
                          " of a CSR matrix must be a contiguous array of int32");
  return py::reinterpret_borrow<Indices>(found);
}

/// Throws unless the rows follow one another and the columns ascend within each row.
void require_structure(const Indices& starts, const Indices& columns, Index rows, Index cols,
                       Index entries) {
  const std::int32_t *const first = starts.data(), *const column = columns.data();
  bool good = starts.size() == rows + 1 && columns.size() >= entries && first[0] == 0 &&
              first[rows] == entries;
  for (Index i = 0; good && i < rows; ++i) {
    good = first[i] <= first[i + 1] && first[i + 1] <= entries;
    for (Index at = first[i]; good && at < first[i + 1]; ++at)
      good =
          column[at] >= 0 && column[at] < cols && (at == first[i] || column[at - 1] < column[at]);
  }
  if (!good)
    throw py::value_error("mercer: the indices of a CSR matrix are out of range or of order");
}

}  // namespace

template <mercer::Real S>
CsrView<S> view_of_csr(const py::object& matrix) {
  using Values = py::array_t<S, py::array::c_style>;
  const auto shape = matrix.attr("shape").cast<std::pair<Index, Index>>();
  const Indices starts = indices_of(matrix, "indptr"), columns = indices_of(matrix, "indices");
  const py::object data = matrix.attr("data");
  if (!py::isinstance<Values>(data))
    throw py::value_error("mercer: data of a CSR matrix must be a contiguous array");
  const auto values = py::reinterpret_borrow<Values>(data);
  const Index entries = starts.size() > 0 ? starts.data()[starts.size() - 1] : -1;
  if (values.size() < entries)
    throw py::value_error("mercer: a CSR matrix has fewer values than it says");
  require_structure(starts, columns, shape.first, shape.second, entries);
  return {shape.first, shape.second, entries, starts.data(), columns.data(), values.data()};
}

template CsrView<double> view_of_csr(const py::object&);
template CsrView<float> view_of_csr(const py::object&);

namespace {

template <class T>
[[nodiscard]] py::array_t<T> read_only(const std::vector<Index>& shape,
                                       const std::vector<Index>& steps, const T* values,
                                       const py::object& owner) {
  std::vector<Index> strides;
  for (const Index step : steps) strides.push_back(step * static_cast<Index>(sizeof(T)));
  py::array_t<T> array(shape, strides, values, owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

}  // namespace

template <mercer::OwnedSamples X>
py::object view_for_python(const X& samples, const py::object& owner) {
  const Index rows = samples.rows(), cols = samples.cols();
  if constexpr (mercer::SparseSamples<X>) {
    const Index entries = samples.nonZeros();
    return py::make_tuple(
        py::make_tuple(read_only({entries}, {1}, samples.valuePtr(), owner),
                       read_only({entries}, {1}, samples.innerIndexPtr(), owner),
                       read_only({rows + 1}, {1}, samples.outerIndexPtr(), owner)),
        py::make_tuple(rows, cols));
  } else {
    return read_only({rows, cols}, {1, rows}, samples.data(), owner);
  }
}

template py::object view_for_python(const mercer::Matrix<double>&, const py::object&);
template py::object view_for_python(const mercer::Matrix<float>&, const py::object&);
template py::object view_for_python(const mercer::SparseMatrix<double>&, const py::object&);
template py::object view_for_python(const mercer::SparseMatrix<float>&, const py::object&);

}  // namespace mercer_python
