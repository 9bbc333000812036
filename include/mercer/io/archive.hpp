// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Writes models to files, to streams and to bytes in memory, says what they hold, and reads them
/// back with the same bits. Needs cereal.

#ifndef MERCER_IO_ARCHIVE_HPP
#define MERCER_IO_ARCHIVE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <istream>
#include <ostream>
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

/// An archive in two parts, so that the larger one is not copied.
struct ArchiveText {
  std::string preamble;  ///< the magic, and archive_preamble bytes
  std::string content;
};

template <class T>
[[nodiscard]] ArchiveText archive_text(const T& value) {
  ArchiveWriter writer;
  writer.write(archive_header(value));
  writer.write(value);
  ArchiveText text{.preamble = std::string(archive_magic), .content = std::move(writer).take()};
  ArchiveWriter preamble;
  preamble.write(archive_version);
  preamble.write(std::uint64_t{crc32(text.content)});
  preamble.write(std::uint64_t{text.content.size()});
  text.preamble += std::move(preamble).take();
  return text;
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
  const detail::ArchiveText text = detail::archive_text(value);
  file.write(text.preamble);
  file.write(text.content);
  file.commit();
}

/// Writes the same bytes to a stream, which must be binary. More archives may follow.
/// \code
///   mercer::io::write_archive(socket_stream, model);
/// \endcode
/// Throws FileError if the stream does not take them. It may then hold a part of them.
template <class T>
void write_archive(std::ostream& stream, const T& value) {
  const detail::ArchiveText text = detail::archive_text(value);
  const auto write = [&](const std::string& bytes) {
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  write(text.preamble);
  write(text.content);
  if (!stream.flush()) detail::file_fail("stream", "cannot write an archive to it");
}

/// The same bytes in memory. read_archive_bytes() reads them back.
/// \code
///   const std::string bytes = mercer::io::archive_bytes(model);
/// \endcode
template <class T>
[[nodiscard]] std::string archive_bytes(const T& value) {
  detail::ArchiveText text = detail::archive_text(value);
  return std::move(text.content.insert(0, text.preamble));
}

/// An archive in memory with a verified checksum. It says what it holds, and returns it.
class Archive {
 public:
  /// Throws FileError if the file cannot be read, is no archive, is damaged, or was written in a
  ///   later version of the format.
  explicit Archive(std::string path) : path_(std::move(path)), bytes_(read_file(path_)) { open(); }

  /// Reads one archive from a binary stream, and leaves what follows it there.
  /// \param name  of the stream, for messages
  /// Memory: in proportion to the bytes that are there, whatever size they claim.
  /// Throws FileError as above.
  explicit Archive(std::istream& stream, std::string name = "stream")
      : path_(std::move(name)), bytes_(read_one(stream)) {
    open();
  }

  /// The archive that archive_bytes() or write_archive() made.
  /// \param name  of the bytes, for messages
  /// Throws FileError as above.
  [[nodiscard]] static Archive from_bytes(std::string bytes, std::string name = "bytes") {
    return Archive(std::move(name), std::move(bytes));
  }

  /// What the first lines of the file say.
  [[nodiscard]] const ArchiveHeader& header() const { return header_; }
  /// The CRC-32 of the content, which includes the header.
  [[nodiscard]] std::uint64_t checksum() const { return checksum_; }
  /// All of the archive.
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

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
  /// Where the content begins.
  static constexpr std::size_t begin = detail::archive_magic.size() + detail::archive_preamble;

  struct Preamble {
    std::uint64_t checksum, size;  ///< of the content
  };

  Archive(std::string name, std::string bytes) : path_(std::move(name)), bytes_(std::move(bytes)) {
    open();
  }

  void open() {
    const Preamble preamble = read_preamble(bytes_);
    const std::size_t found = bytes_.size() - begin;
    if (preamble.size != found)
      detail::file_fail(path_, found < preamble.size ? "truncated" : "too long", ": expected ",
                        preamble.size, " bytes of content, found ", found);
    if (detail::crc32(content()) != preamble.checksum)
      detail::file_fail(path_, "the archive is damaged: its checksum does not fit its content");
    checksum_ = preamble.checksum;
    header_ = detail::ArchiveReader(path_, content()).read<ArchiveHeader>();
  }

  [[nodiscard]] std::string_view content() const { return std::string_view(bytes_).substr(begin); }

  /// Throws FileError unless \p bytes begin as an archive of this version.
  [[nodiscard]] Preamble read_preamble(std::string_view bytes) const {
    using namespace detail;
    if (bytes.empty() || !archive_magic.starts_with(bytes.substr(0, archive_magic.size())))
      file_fail(path_, "is not an archive of mercer");
    if (bytes.size() < begin) file_fail(path_, "truncated: it has ", bytes.size(), " bytes");
    ArchiveReader preamble(path_, bytes.substr(archive_magic.size(), archive_preamble));
    const auto version = preamble.read<std::uint64_t>();
    if (version != archive_version)
      file_fail(path_, "is an archive of version ", version, ", and this program reads version ",
                archive_version);
    const auto checksum = preamble.read<std::uint64_t>();
    const auto size = preamble.read<std::uint64_t>();
    if (size == 0) file_fail(path_, "truncated: it has no content");
    return {checksum, size};
  }

  [[nodiscard]] std::string read_one(std::istream& stream) const {
    std::string bytes;
    append(stream, begin, bytes);
    append(stream, read_preamble(bytes).size, bytes);
    return bytes;
  }

  /// Appends so many bytes, or those that there are. A size that nobody has checked takes no
  /// memory.
  static void append(std::istream& stream, std::uint64_t size, std::string& bytes) {
    constexpr std::uint64_t piece = std::uint64_t{1} << 20;
    while (size > 0 && stream) {
      const auto asked = static_cast<std::size_t>((std::min)(size, piece));
      const std::size_t had = bytes.size();
      bytes.resize(had + asked);
      stream.read(bytes.data() + had, static_cast<std::streamsize>(asked));
      const auto got = static_cast<std::size_t>(stream.gcount());
      bytes.resize(had + got);
      size -= got;
    }
  }

  std::string path_;
  std::string bytes_;
  std::uint64_t checksum_ = 0;
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

/// The same of the next archive in a binary stream.
template <class T>
[[nodiscard]] T read_archive(std::istream& stream) {
  return Archive(stream).get<T>();
}

/// The same of what archive_bytes() returned.
template <class T>
[[nodiscard]] T read_archive_bytes(std::string bytes) {
  return Archive::from_bytes(std::move(bytes)).get<T>();
}

}  // namespace io
}  // namespace mercer

#endif  // MERCER_IO_ARCHIVE_HPP
