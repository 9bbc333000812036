// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Matrices in HDF5 files. Including this header in one source file lets the whole program read
/// samples from ".h5" files. Needs the HDF5 library.

#ifndef MERCER_IO_HDF5_HDF5_HPP
#define MERCER_IO_HDF5_HDF5_HPP

#if !__has_include(<hdf5.h>)
#error "mercer/io/hdf5/hdf5.hpp needs HDF5 (Debian package: libhdf5-dev; CMake: mercer::hdf5)"
#endif

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hdf5.h>

#include <mercer/core/suggestion.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/expansion_limit.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/file_error.hpp>
#include <mercer/io/hdf5/hdf5_hook.hpp>
#include <mercer/io/npy/npy_format.hpp>
#include <mercer/io/text.hpp>

namespace mercer {
namespace detail {

/// An identifier of the HDF5 library; negative if what it should stand for could not be opened.
class Hdf5Id {
 public:
  Hdf5Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Hdf5Id(const Hdf5Id&) = delete;
  Hdf5Id& operator=(const Hdf5Id&) = delete;
  ~Hdf5Id() {
    if (id_ >= 0) close_(id_);
  }

  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool is_open() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// While it lives, the HDF5 library does not print its errors.
class Hdf5Silence {
 public:
  Hdf5Silence() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  Hdf5Silence(const Hdf5Silence&) = delete;
  Hdf5Silence& operator=(const Hdf5Silence&) = delete;
  ~Hdf5Silence() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// The innermost of the library's last errors.
[[nodiscard]] inline std::string hdf5_reason() {
  std::string reason = "unknown error of the HDF5 library";
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* error, void* out) -> herr_t {
        if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(out) = error->desc;
        return 0;
      },
      &reason);
  return reason;
}

/// One open file.
class Hdf5File {
 public:
  explicit Hdf5File(const std::string& path)
      : path_(path), file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), &H5Fclose) {
    if (!file_.is_open()) file_fail(path_, "is not in HDF5 format, or is damaged: ", hdf5_reason());
  }

  /// The matrix in the dataset of this name, or in the only one that can be a matrix.
  template <Real Scalar>
  [[nodiscard]] Matrix<Scalar> read(std::string name) const {
    if (name.empty()) name = only_matrix();
    const Hdf5Id access(H5Pcreate(H5P_DATASET_ACCESS), &H5Pclose);
    H5Pset_elink_cb(access.get(), &refuse_other_file, nullptr);
    const Hdf5Id dataset(H5Dopen2(file_.get(), name.c_str(), access.get()), &H5Dclose);
    if (!dataset.is_open()) {
      const std::vector<std::string> names = matrices();
      file_fail(path_, "holds no dataset ", in_quotes(name), "; ", listed(names),
                did_you_mean(name, names));
    }
    const std::string place = path_ + ":" + name;
    check_source(place, dataset.get());
    const auto [rows, columns] = extents(place, dataset.get());
    check_size(place, dataset.get(), rows, columns);
    Matrix<Scalar> values(rows, columns);
    if (values.size() > 0) read_rows(place, dataset.get(), values);
    return values;
  }

 private:
  static constexpr int most_groups_deep = 16;  // a group inside another takes a call
  static constexpr std::size_t most_names = 1000;
  static constexpr Index buffer_elements = Index{1} << 18U;

  /// Called before a link to another file is followed; a negative number stops that.
  static herr_t refuse_other_file(const char*, const char*, const char*, const char*, unsigned*,
                                  hid_t, void*) {
    return -1;
  }

  [[nodiscard]] static std::string listed(const std::vector<std::string>& names) {
    if (names.empty()) return "it has none of numbers in one or two dimensions";
    constexpr std::size_t most = 20;
    std::string text = "there is ";
    for (std::size_t i = 0; i < (std::min)(names.size(), most); ++i)
      text += (i == 0 ? "" : ", ") + names[i];
    return names.size() > most ? text + " and more" : text;
  }

  [[nodiscard]] std::string only_matrix() const {
    const std::vector<std::string> names = matrices();
    if (names.size() != 1)
      file_fail(path_, "name the dataset to read, as in ", path_, ":NAME; ", listed(names));
    return names.front();
  }

  /// The datasets of numbers in one or two dimensions, by their paths in the file; those of a group
  /// with several paths by one of these.
  [[nodiscard]] std::vector<std::string> matrices() const {
    std::vector<std::string> names;
    std::set<std::string> groups;
    collect(file_.get(), "", 0, groups, names);
    return names;
  }

  /// \param groups  the places of those that were looked into: links can lead in circles, and to one
  ///   group by very many paths
  static void collect(hid_t group, const std::string& prefix, int depth,
                      std::set<std::string>& groups, std::vector<std::string>& names) {
    H5G_info_t info{};
    if (H5Gget_info(group, &info) < 0) return;
    for (hsize_t i = 0; i < info.nlinks && names.size() < most_names; ++i) {
      const std::string name = link_name(group, i);
      H5L_info_t link{};
      // Other kinds of links may lead to other files.
      if (H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
        continue;
      const Hdf5Id object(H5Oopen(group, name.c_str(), H5P_DEFAULT), &H5Oclose);
      if (!object.is_open()) continue;
      const H5I_type_t type = H5Iget_type(object.get());
      if (type == H5I_DATASET && is_matrix(object.get())) names.push_back(prefix + name);
      if (type == H5I_GROUP && depth < most_groups_deep && groups.insert(place_of(link)).second)
        collect(object.get(), prefix + name + "/", depth + 1, groups, names);
    }
  }

  /// The bytes that tell where in the file the object of a hard link is. Since version 1.12 of the
  /// library they are called a token.
  template <class Link>
  [[nodiscard]] static std::string place_of(const Link& link) {
    const auto bytes = [](const auto& place) {
      return std::string(reinterpret_cast<const char*>(&place), sizeof place);
    };
    if constexpr (requires { link.u.token; })
      return bytes(link.u.token);
    else
      return bytes(link.u.address);
  }

  [[nodiscard]] static std::string link_name(hid_t group, hsize_t i) {
    const auto by_index = [&](char* out, std::size_t size) {
      return H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, out, size, H5P_DEFAULT);
    };
    std::string name(static_cast<std::size_t>((std::max)(by_index(nullptr, 0), ssize_t{0})), '\0');
    by_index(name.data(), name.size() + 1);
    return name;
  }

  [[nodiscard]] static bool is_matrix(hid_t dataset) {
    const auto dimensions = shape(dataset).size();
    return has_numbers(dataset) && (dimensions == 1 || dimensions == 2);
  }

  /// Whether the values are of a usual type. A file may describe others, of any number of bits; the
  /// library has written beyond its buffers for those.
  [[nodiscard]] static bool has_numbers(hid_t dataset) {
    const Hdf5Id type(H5Dget_type(dataset), &H5Tclose);
    const std::initializer_list<hid_t> usual = {
        H5T_STD_I8LE,  H5T_STD_I16LE,  H5T_STD_I32LE,  H5T_STD_I64LE,  H5T_STD_U8LE,
        H5T_STD_U16LE, H5T_STD_U32LE,  H5T_STD_U64LE,  H5T_STD_I8BE,   H5T_STD_I16BE,
        H5T_STD_I32BE, H5T_STD_I64BE,  H5T_STD_U8BE,   H5T_STD_U16BE,  H5T_STD_U32BE,
        H5T_STD_U64BE, H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_IEEE_F64BE};
    return std::any_of(usual.begin(), usual.end(),
                       [&](hid_t one) { return H5Tequal(type.get(), one) > 0; });
  }

  [[nodiscard]] static std::vector<hsize_t> shape(hid_t dataset) {
    const Hdf5Id space(H5Dget_space(dataset), &H5Sclose);
    const int dimensions = H5Sget_simple_extent_ndims(space.get());
    std::vector<hsize_t> extents(static_cast<std::size_t>((std::max)(dimensions, 0)));
    if (!extents.empty()) H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
    return extents;
  }

  /// Refuses what is not numbers, and what would be read from other files than this one.
  static void check_source(const std::string& place, hid_t dataset) {
    if (!has_numbers(dataset)) file_fail(place, "holds no integers or floats of a usual type");
    const Hdf5Id properties(H5Dget_create_plist(dataset), &H5Pclose);
    if (H5Pget_external_count(properties.get()) > 0 ||
        H5Pget_layout(properties.get()) == H5D_VIRTUAL)
      file_fail(place, "has its values in other files, which are not read");
  }

  [[nodiscard]] static std::pair<Index, Index> extents(const std::string& place, hid_t dataset) {
    std::vector<Index> extents;
    for (const hsize_t extent : shape(dataset)) {
      if (extent > static_cast<hsize_t>((std::numeric_limits<Index>::max)()))
        file_fail(place, "has an extent of ", extent, ", which is too large");
      extents.push_back(static_cast<Index>(extent));
    }
    return matrix_extents(place, extents);
  }

  /// Refuses what a small file makes large: values behind a filter, which may compress them, and
  /// values that were never written.
  static void check_size(const std::string& place, hid_t dataset, Index rows, Index columns) {
    const double values = static_cast<double>(rows) * static_cast<double>(columns);
    const Hdf5Id properties(H5Dget_create_plist(dataset), &H5Pclose);
    const Hdf5Id type(H5Dget_type(dataset), &H5Tclose);
    const std::size_t most = io::expansion_limit();
    const auto exceeds = [&](std::size_t bytes_each) {
      return values * static_cast<double>(bytes_each) > static_cast<double>(most);
    };
    if (H5Pget_nfilters(properties.get()) != 0 && exceeds(H5Tget_size(type.get())))
      refuse_expansion(place, most);
    // A stored value has at least one byte.
    if (values > static_cast<double>(H5Dget_storage_size(dataset)) && exceeds(sizeof(double)))
      refuse_expansion(place, most);
  }

  /// Rows and columns of the file's blocks ("chunks"), which are decompressed as a whole; 1 and 1
  /// if it has none.
  [[nodiscard]] static std::pair<Index, Index> block_extents(hid_t dataset) {
    const Hdf5Id properties(H5Dget_create_plist(dataset), &H5Pclose);
    hsize_t extents[2] = {1, 1};
    if (H5Pget_layout(properties.get()) != H5D_CHUNKED ||
        H5Pget_chunk(properties.get(), 2, extents) < 0)
      return {1, 1};
    return {static_cast<Index>(extents[0]), static_cast<Index>(extents[1])};
  }

  /// How many columns, and then how many rows, are read at a time: whole blocks of the file, so
  /// that each is decompressed once. They are at most buffer_elements, or one block.
  [[nodiscard]] static std::pair<Index, Index> piece_extents(hid_t dataset, Index rows,
                                                             Index columns) {
    const auto [block_rows, block_columns] = block_extents(dataset);
    const Index height = (std::min)(block_rows, rows), width = (std::min)(block_columns, columns);
    const auto blocks = [](Index elements) {
      return (std::max)(Index{1}, buffer_elements / elements);
    };
    const Index wide = (std::min)(columns, width * blocks(height * width));
    return {(std::min)(rows, height * blocks(height * wide)), wide};
  }

  template <Real Scalar>
  static void read_rows(const std::string& place, hid_t dataset, Matrix<Scalar>& values) {
    const auto [tall, wide] = piece_extents(dataset, values.rows(), values.cols());
    const hid_t type = std::same_as<Scalar, float> ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    const Hdf5Id all(H5Dget_space(dataset), &H5Sclose);
    const bool is_vector = H5Sget_simple_extent_ndims(all.get()) == 1;
    RowMajorMatrix<Scalar> buffer;
    const Index across = (values.cols() + wide - 1) / wide;
    for (Index piece = 0; piece / across * tall < values.rows(); ++piece) {
      const Index first = piece / across * tall, left = piece % across * wide;
      buffer.resize((std::min)(tall, values.rows() - first),
                    (std::min)(wide, values.cols() - left));
      const hsize_t start[2] = {static_cast<hsize_t>(first), static_cast<hsize_t>(left)};
      const hsize_t count[2] = {static_cast<hsize_t>(buffer.rows()),
                                static_cast<hsize_t>(buffer.cols())};
      const Hdf5Id part(H5Screate_simple(is_vector ? 1 : 2, count, nullptr), &H5Sclose);
      H5Sselect_hyperslab(all.get(), H5S_SELECT_SET, start, nullptr, count, nullptr);
      if (H5Dread(dataset, type, part.get(), all.get(), H5P_DEFAULT, buffer.data()) < 0)
        file_fail(place, "cannot be read: ", hdf5_reason());
      values.block(first, left, buffer.rows(), buffer.cols()) = buffer;
    }
  }

  const std::string& path_;
  Hdf5Id file_;
};

}  // namespace detail

namespace io {

/// Reads a matrix from an HDF5 file: the dataset of this name, a path such as "group/samples", or
/// the only dataset of numbers in one or two dimensions. One dimension makes one column.
///
/// Integers of 1 to 8 bytes and floats of 4 and 8, in any byte order, become Scalar. Filters of the
/// library, such as gzip, are undone block by block.
/// Memory: the matrix, and a part of it: 2^18 values, or a block of the file if that has more.
/// The HDF5 library itself reads the file. It is not made for files that want to do harm.
/// Throws FileError if the file cannot be read or is not in HDF5 format; if it has no such dataset,
///   or several and none is named; if that has other than one or two dimensions, holds no numbers,
///   has its values in other files; and if it has filters, or values that were never written, and
///   would become larger than expansion_limit().
template <Real Scalar>
[[nodiscard]] Matrix<Scalar> read_hdf5(const std::string& path, const std::string& dataset = "") {
  static_cast<void>(detail::open_to_read(path));  // says why it cannot be read
  const detail::Hdf5Silence silence;
  return detail::Hdf5File(path).read<Scalar>(dataset);
}

}  // namespace io

namespace detail {

[[maybe_unused]] inline const bool hdf5_registered =
    (hdf5_reader<float>.store([](const std::string& path, const std::string& dataset) {
      return io::read_hdf5<float>(path, dataset);
    }),
     hdf5_reader<double>.store([](const std::string& path, const std::string& dataset) {
       return io::read_hdf5<double>(path, dataset);
     }),
     true);

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_IO_HDF5_HDF5_HPP
