// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Matrices in NumPy's .npy files.

#ifndef MERCER_IO_NPY_NPY_HPP
#define MERCER_IO_NPY_NPY_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/npy/npy_format.hpp>

namespace mercer {
namespace detail {

/// Fills \p out with the rows from \p begin on of an array in row-major order. It works on blocks
/// of rows, so that source and target stay in the cache.
/// Threads: over groups of blocks.
template <Real Scalar, class Elements>
void fill_from_rows(const Elements& elements, Index begin, GramOut<Scalar> out) {
  constexpr Index block = 64;
  constexpr Index least = Index{1} << 16;  // elements that are worth a task
  const Index n = out.rows(), d = out.cols();
  const Index group = block * (std::max)(Index{1}, least / (block * (std::max)(Index{1}, d)));
  parallel_for((n + group - 1) / group, [&](Index task) {
    const Index end = (std::min)((task + 1) * group, n);
    for (Index first = task * group; first < end; first += block) {
      const Index last = (std::min)(first + block, end);
      for (Index j = 0; j < d; ++j)
        for (Index i = first; i < last; ++i)
          out(i, j) = static_cast<Scalar>(elements[static_cast<std::size_t>((begin + i) * d + j)]);
    }
  });
}

/// Fills \p out with the rows from \p begin on of an array that has \p rows rows and as many
/// columns as \p out.
template <Real Scalar>
void copy_elements(const NpyArray& array, Index rows, Index begin, GramOut<Scalar> out) {
  visit_elements(array, [&](const auto& elements) {
    if (!array.header.fortran_order) return fill_from_rows<Scalar>(elements, begin, out);
    parallel_for(out.cols(), [&](Index j) {
      for (Index i = 0; i < out.rows(); ++i)
        out(i, j) = static_cast<Scalar>(elements[static_cast<std::size_t>(j * rows + begin + i)]);
    });
  });
}

/// Throws io::FileError for an array of other than one or two dimensions.
template <Real Scalar>
[[nodiscard]] Matrix<Scalar> to_matrix(const std::string& path, const NpyArray& array) {
  const auto [rows, columns] = matrix_extents(path, array.header.shape);
  Matrix<Scalar> values = in_huge_pages(Matrix<Scalar>(rows, columns));
  if (values.size() > 0) copy_elements<Scalar>(array, rows, 0, values);
  return values;
}

/// Preamble and header, padded so that the elements begin at a multiple of 64 bytes.
template <Real Scalar>
[[nodiscard]] std::string npy_header_text(const std::vector<Index>& shape) {
  constexpr std::size_t alignment = 64;
  constexpr std::size_t preamble = npy_magic.size() + 4;  // magic, version, header length
  std::string header = "{'descr': '";
  header += std::endian::native == std::endian::little ? '<' : '>';
  header += "f" + to_text(sizeof(Scalar)) +
            "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  const std::size_t unpadded = preamble + header.size() + 1;
  header.append((alignment - unpadded % alignment) % alignment, ' ');
  header += '\n';
  std::string text(npy_magic);
  text +=
      {'\1', '\0', static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
  return text += header;
}

/// Writes the rows one after the other.
template <Real Scalar>
void write_rows(const Points<Scalar>& values, io::AtomicFile& file) {
  constexpr Index buffer_elements = Index{1} << 18;
  const Index rows = (std::max)(Index{1}, buffer_elements / (std::max)(Index{1}, values.cols()));
  RowMajorMatrix<Scalar> buffer;
  for (Index first = 0; first < values.rows(); first += rows) {
    buffer = values.middleRows(first, (std::min)(rows, values.rows() - first));
    file.write({reinterpret_cast<const char*>(buffer.data()),
                static_cast<std::size_t>(buffer.size()) * sizeof(Scalar)});
  }
}

}  // namespace detail

namespace io {

/// Reads a matrix from a .npy file (format versions 1 to 3). The elements may be truth values,
/// signed and unsigned integers, and floats of 2, 4 and 8 bytes, in either byte order and either
/// storage order. They are converted to Scalar, and rounded if they have more digits. NaN and
/// infinity are accepted.
/// Shapes: a 2-D array keeps its shape; a 1-D array of n elements becomes n x 1.
/// Cost: O(n d) time.
/// Memory: the file's content, beside the matrix.
/// Throws FileError if the file cannot be read, is damaged, or holds something else.
template <Real Scalar>
[[nodiscard]] Matrix<Scalar> read_npy(const std::string& path) {
  return detail::to_matrix<Scalar>(path, detail::read_npy_array(path));
}

/// Writes a float or double matrix as a 2-D array in row-major order (C order), and a vector as a
/// 1-D array. The byte order is that of this machine. The file appears complete or not at all.
/// Throws FileError if the file cannot be written.
template <class Derived>
  requires Real<typename Derived::Scalar>
void write_npy(const std::string& path, const Eigen::MatrixBase<Derived>& matrix) {
  using Scalar = typename Derived::Scalar;
  const Eigen::Ref<const Matrix<Scalar>> values(matrix.derived());
  AtomicFile file(path);
  file.write(detail::npy_header_text<Scalar>(
      Derived::IsVectorAtCompileTime ? std::vector<Index>{values.size()}
                                     : std::vector<Index>{values.rows(), values.cols()}));
  detail::write_rows<Scalar>(values, file);
  file.commit();
}

/// Writes the same file as write_npy(), for a matrix whose rows come in parts.
template <Real Scalar>
class NpyWriter {
 public:
  /// Throws FileError if the file cannot be created.
  NpyWriter(const std::string& path, Index rows, Index columns)
      : file_(path), left_(rows), columns_(columns) {
    file_.write(detail::npy_header_text<Scalar>({rows, columns}));
  }

  /// Throws InvalidArgument if there are more rows than announced, or if they have another number
  ///   of columns.
  /// Throws FileError if the rows cannot be written.
  void append(const Points<Scalar>& rows) {
    if (rows.rows() > left_ || rows.cols() != columns_)
      detail::fail("mercer::io::NpyWriter: ", left_, " rows of ", columns_,
                   " are left to write, got ", rows.rows(), " of ", rows.cols());
    left_ -= rows.rows();
    detail::write_rows<Scalar>(rows, file_);
  }

  /// Gives the file its name.
  /// Throws InvalidArgument if rows are missing.
  void commit() {
    if (left_ > 0) detail::fail("mercer::io::NpyWriter: ", left_, " rows are missing");
    file_.commit();
  }

 private:
  AtomicFile file_;
  Index left_;
  Index columns_;
};

}  // namespace io
}  // namespace mercer

#endif  // MERCER_IO_NPY_NPY_HPP
