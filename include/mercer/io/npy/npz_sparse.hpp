// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Samples in NumPy's .npz files: a matrix, or a sparse matrix that SciPy has written.
///
/// Source: SciPy, scipy/sparse/_matrix_io.py, save_npz().

#ifndef MERCER_IO_NPY_NPZ_SPARSE_HPP
#define MERCER_IO_NPY_NPZ_SPARSE_HPP

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <Eigen/SparseCore>

#include <mercer/core/types.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/io/npy/npy_format.hpp>
#include <mercer/io/npy/npz.hpp>
#include <mercer/io/sparse_rows.hpp>
#include <mercer/io/text.hpp>

namespace mercer::detail {

/// Reads the arrays of a sparse matrix as scipy.sparse.save_npz() writes it, in the forms csr, csc
/// and coo. Entries that are given twice are added, as SciPy does.
/// Lifetime: refers to the archive and the path.
template <Real Scalar>
class SparseNpzReader {
 public:
  SparseNpzReader(const std::string& path, const ZipReader& zip) : path_(path), zip_(zip) {}

  /// Whether the archive holds such a matrix.
  [[nodiscard]] static bool accepts(const ZipReader& zip) {
    return zip.find("format") != nullptr && zip.find("shape") != nullptr &&
           zip.find("data") != nullptr;
  }

  /// \param bytes  of the archive
  /// Throws io::FileError for another form, and for arrays that do not fit each other.
  [[nodiscard]] SparseMatrix<Scalar> read(std::size_t bytes) {
    const std::vector<Index> shape = integers("shape");
    if (shape.size() != 2) fail("needs two extents, found " + to_text(shape.size()));
    rows_ = shape[0];
    columns_ = shape[1];
    for (const Index extent : shape)
      if (extent < 0 || extent >= most) fail("has the impossible extent " + to_text(extent));
    require_sparse_rows(path_, rows_, bytes);
    const NpyArray data = array("data");
    visit_elements(data, [&](const auto& elements) {
      values_.reserve(data.count);
      for (std::size_t i = 0; i < data.count; ++i)
        values_.push_back(static_cast<Scalar>(elements[i]));
    });
    const std::string form = this->form();
    if (form == "coo") {
      add(integers("row"), integers("col"));
    } else {
      const bool by_rows = form == "csr";
      const std::vector<Index> inner = integers("indices");
      const std::vector<Index> outer = expanded(integers("indptr"), by_rows ? rows_ : columns_);
      add(by_rows ? outer : inner, by_rows ? inner : outer);
    }
    return sparse_of_entries(path_, rows_, columns_, Repeated::Sum, std::move(entries_));
  }

 private:
  static constexpr Index most = (std::numeric_limits<int>::max)();

  [[noreturn]] void fail(const std::string& what) const {
    file_fail(path_, "the sparse matrix of SciPy ", what);
  }

  [[nodiscard]] NpyArray array(const std::string& name) const {
    const ZipEntry* const entry = zip_.find(name);
    if (entry == nullptr) fail("has no array '" + name + "'");
    return npy_array(path_ + ":" + name, zip_.content(*entry));
  }

  /// The last letters of its array of one string.
  [[nodiscard]] std::string form() const {
    const std::string content = zip_.content(*zip_.find("format"));
    for (const std::string_view known : {"csr", "csc", "coo"})
      if (content.ends_with(known)) return std::string(known);
    fail("has a form that is not read; csr, csc and coo are");
  }

  [[nodiscard]] std::vector<Index> integers(const std::string& name) const {
    const NpyArray stored = array(name);
    std::vector<Index> numbers(stored.count);
    visit_elements(stored, [&](const auto& elements) {
      if constexpr (std::is_integral_v<std::decay_t<decltype(elements[0])>>) {
        for (std::size_t i = 0; i < stored.count; ++i) {
          // What is out of range is out of the matrix, too.
          const bool fits = std::in_range<Index>(elements[i]);
          numbers[i] = fits ? static_cast<Index>(elements[i]) : Index{-1};
        }
      } else {
        fail("has no whole numbers in '" + name + "'");
      }
    });
    return numbers;
  }

  /// The row of each entry of compressed rows, from where each row begins.
  [[nodiscard]] std::vector<Index> expanded(const std::vector<Index>& begins, Index count) const {
    if (std::cmp_not_equal(begins.size(), count + 1) || begins.front() != 0 ||
        std::cmp_not_equal(begins.back(), values_.size()) ||
        !std::is_sorted(begins.begin(), begins.end()))
      fail("has an 'indptr' that does not fit");
    std::vector<Index> of_entries;
    of_entries.reserve(values_.size());
    for (std::size_t i = 0; i + 1 < begins.size(); ++i)
      of_entries.insert(of_entries.end(), static_cast<std::size_t>(begins[i + 1] - begins[i]),
                        static_cast<Index>(i));
    return of_entries;
  }

  void add(const std::vector<Index>& rows, const std::vector<Index>& columns) {
    if (rows.size() != values_.size() || columns.size() != values_.size())
      fail("has " + to_text(values_.size()) + " values at " + to_text(rows.size()) + " rows and " +
           to_text(columns.size()) + " columns");
    entries_.reserve(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (rows[i] < 0 || rows[i] >= rows_ || columns[i] < 0 || columns[i] >= columns_)
        fail("has an entry outside of " + to_text(rows_) + " x " + to_text(columns_));
      entries_.emplace_back(static_cast<int>(rows[i]), static_cast<int>(columns[i]), values_[i]);
    }
  }

  const std::string& path_;
  const ZipReader& zip_;
  Index rows_ = 0, columns_ = 0;
  std::vector<Scalar> values_;
  std::vector<Eigen::Triplet<Scalar>> entries_;
};

/// The array of this name; without a name, the only one, or the sparse matrix that they are.
template <Real Scalar>
[[nodiscard]] std::variant<Matrix<Scalar>, SparseMatrix<Scalar>> npz_samples(
    const std::string& path, std::string_view bytes, const std::string& name) {
  const ZipReader zip(path, bytes);
  if (name.empty() && SparseNpzReader<Scalar>::accepts(zip))
    return SparseNpzReader<Scalar>(path, zip).read(bytes.size());
  return to_matrix<Scalar>(path, npz_array(path, zip, name));
}

}  // namespace mercer::detail

#endif  // MERCER_IO_NPY_NPZ_SPARSE_HPP
