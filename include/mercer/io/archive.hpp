// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Writes models to files, describes the files, and reads them back with the same bits. Needs
/// cereal.

#ifndef MERCER_IO_ARCHIVE_HPP
#define MERCER_IO_ARCHIVE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/io/archive/archive_features.hpp>
#include <mercer/io/archive/archive_kernels.hpp>
#include <mercer/io/archive/archive_models.hpp>
#include <mercer/io/archive/archive_reader.hpp>
#include <mercer/io/archive/archive_traits.hpp>
#include <mercer/io/archive/archive_writer.hpp>
#include <mercer/io/checksum.hpp>
#include <mercer/io/file.hpp>
#include <mercer/version.hpp>

namespace mercer {
namespace detail {

inline constexpr std::string_view archive_magic = "\x93MERCER\n";

/// Raised when this code can no longer read files of older versions.
inline constexpr std::uint64_t archive_version = 1;

/// What follows the magic: cereal's byte order, then the version, the checksum and the size of the
/// content.
inline constexpr std::size_t archive_preamble = 1 + 3 * sizeof(std::uint64_t);

template <class T>
[[nodiscard]] io::ArchiveHeader archive_header(const T& value) {
  io::ArchiveHeader header;
  if constexpr (requires { io::ArchiveTraits<T>::header(value); })
    header = io::ArchiveTraits<T>::header(value);
  else
    header.type = archive_name(value);
  header.mercer_version = MERCER_VERSION_STRING;
  return header;
}

}  // namespace detail

namespace io {

/// Writes a model to a file. read_archive() reads it back with the same bits, on a machine of
/// either byte order. This function also writes anything else that has ArchiveTraits: a kernel, a
/// feature map, or a type of your own. The file appears complete or not at all.
/// \code
///   mercer::io::write_archive("digits.model", model);
/// \endcode
/// Cost: proportional to the points and coefficients.
/// Memory: the file's content beside the model.
/// Throws FileError if the file cannot be written.
template <class T>
void write_archive(const std::string& path, const T& value) {
  AtomicFile file(path);
  detail::ArchiveWriter writer;
  writer.write(detail::archive_header(value));
  writer.write(value);
  const std::string content = std::move(writer).take();
  detail::ArchiveWriter preamble;
  preamble.write(detail::archive_version);
  preamble.write(std::uint64_t{detail::crc32(content)});
  preamble.write(std::uint64_t{content.size()});
  file.write(detail::archive_magic);
  file.write(std::move(preamble).take());
  file.write(content);
  file.commit();
}

/// An archive in memory with a verified checksum. It says what it holds, and returns it.
class Archive {
 public:
  /// Throws FileError if the file cannot be read, is no archive, is damaged, or was written in a
  ///   later version of the format.
  explicit Archive(std::string path) : path_(std::move(path)), bytes_(read_file(path_)) {
    require_intact();
    header_ = detail::ArchiveReader(path_, content()).read<ArchiveHeader>();
  }

  /// What the first lines of the file say.
  [[nodiscard]] const ArchiveHeader& header() const { return header_; }

  /// The value. It must have been written as a T, with the same kernel, scalar and form of samples.
  /// Cost: O(bytes). For a model over features, also the cost of binding its map, once the shapes
  ///   are checked: m^2 kernel values and O(m^3) for NystromFeatures with m landmarks. Random
  ///   features are drawn when samples come, so their number and dimension cost nothing here.
  /// Throws FileError if the archive is damaged or holds something else; the message says what it
  ///   holds.
  template <class T>
  [[nodiscard]] T get() const {
    detail::ArchiveReader reader(path_, content());
    try {
      static_cast<void>(reader.read<ArchiveHeader>());
      T value = reader.read<T>();
      reader.require_end();
      return value;
    } catch (const FileError&) {
      throw;
    } catch (const InvalidArgument& error) {  // thrown by a constructor
      detail::file_fail(path_, "the archive is damaged: ", error.what());
    }
  }

 private:
  [[nodiscard]] std::string_view content() const {
    return std::string_view(bytes_).substr(detail::archive_magic.size() + detail::archive_preamble);
  }

  void require_intact() const {
    using namespace detail;
    const std::string_view bytes = bytes_;
    const std::string_view magic = bytes.substr(0, archive_magic.size());
    if (bytes.empty() || !archive_magic.starts_with(magic))
      file_fail(path_, "is not an archive of mercer");
    const std::size_t begin = archive_magic.size() + archive_preamble;
    if (bytes.size() <= begin) file_fail(path_, "truncated: the file has ", bytes.size(), " bytes");
    ArchiveReader preamble(path_, bytes.substr(archive_magic.size(), archive_preamble));
    const auto version = preamble.read<std::uint64_t>();
    if (version != archive_version)
      file_fail(path_, "is an archive of version ", version, ", and this program reads version ",
                archive_version);
    const auto checksum = preamble.read<std::uint64_t>();
    const auto size = preamble.read<std::uint64_t>();
    if (size != bytes.size() - begin)
      file_fail(path_, bytes.size() - begin < size ? "truncated" : "too long", ": expected ", size,
                " bytes of content, found ", bytes.size() - begin);
    if (crc32(content()) != checksum)
      file_fail(path_, "the archive is damaged: its checksum does not fit its content");
  }

  std::string path_;
  std::string bytes_;
  ArchiveHeader header_;
};

/// Reads what write_archive() wrote. T is the expected type. A program that does not know the type
/// looks at Archive::header() first.
/// \code
///   using Model = mercer::KernelPcaModel<mercer::Gaussian, Eigen::MatrixXd>;
///   const auto model = mercer::io::read_archive<Model>("digits.model");
/// \endcode
/// Throws FileError in the same cases as Archive and Archive::get().
template <class T>
[[nodiscard]] T read_archive(const std::string& path) {
  return Archive(path).get<T>();
}

}  // namespace io
}  // namespace mercer

#endif  // MERCER_IO_ARCHIVE_HPP
