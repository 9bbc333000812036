// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The state of a fit in a folder, from which an interrupted fit goes on.

#ifndef MERCER_IO_NPY_RECORD_FOLDER_HPP
#define MERCER_IO_NPY_RECORD_FOLDER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/fit_setting.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/rows/row_checksum.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/checksum.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/file_error.hpp>
#include <mercer/io/file_system.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/io/npy/npy_spread.hpp>
#include <mercer/io/npy/npy_stream.hpp>
#include <mercer/io/text.hpp>
#include <mercer/operators/recorded.hpp>

namespace mercer::io {

/// Blocks of a fit in a folder, one .npy file each, and a text file that says of which Gram matrix
/// they are: its products, the last iterate of Spgd, or the last sums of FeaturePca over processes.
///
/// \code
///   const auto state = std::make_shared<io::RecordFolder>("run.state");
///   KernelPca pca{Gaussian{2.0}, BlockKrylov{}, {.components = 20, .record = state}};
///   auto model = pca.fit(X);  // started again after the machine went down, it goes on
/// \endcode
///
/// The name of a file has a checksum of the text file, one of what the block was computed from (the
/// vectors that were multiplied), and one of the block itself: a file that was damaged is refused.
/// Fits of one matrix may share a folder; those that keep products also at the same time. The fit
/// that goes on comes to the same blocks, and has the same bits as one that was not interrupted;
/// with order-free sums also on another number of processes. Where it comes to other blocks, as
/// with another seed, on a processor with other instructions, or after the last product of a fit
/// with a larger tolerance, it computes them, and keeps them too.
///
/// Files appear complete or not at all. All processes must see the folder under this name, and each
/// has an object of its own. Only iterates and sums that later ones have replaced are removed: the
/// rest is left to the caller, when all is done.
///
/// Memory: on disk 8 n b bytes for each product of n rows with b vectors; 8 n r for the iterate of
///   Spgd of rank r, twice that if draws are not symmetric; 24 m^2 for the sums of m features.
class RecordFolder final : public FitRecord {
 public:
  /// Nothing is read or written before a fit begins.
  /// \param every  see FitRecord::every()
  /// Throws InvalidArgument for every < 1.
  explicit RecordFolder(std::string path, Index every = 10)
      : path_(std::move(path)), every_(every) {
    detail::require_at_least("io::RecordFolder", "every", every, Index{1});
  }

  /// The name of the folder.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Throws FileError, on all processes, if the folder cannot be made or read, holds other files, or
  ///   holds blocks of another matrix. Hidden files are not looked at.
  void begin(const RowSpace& rows, const std::vector<FitSetting>& matrix) override {
    kept_.clear();
    found_ = 0;
    on_files(rows, [&] {
      if (is_first(rows)) matrix_ = claim(matrix);
    });
    if (rows.is_spread()) detail::broadcast_message(rows.processes(), matrix_, 0);
  }

  /// Throws FileError, on all processes, if the file cannot be read, or is damaged.
  [[nodiscard]] std::optional<Matrix<double>> find(const RecordKey& key,
                                                   const RowSpace& rows) override {
    const std::string beginning = beginning_of(key);
    std::string rest;
    on_files(rows, [&] {
      if (is_first(rows)) rest = rest_of(beginning);
    });
    if (rows.is_spread()) detail::broadcast_message(rows.processes(), rest, 0);
    if (rest.empty()) return std::nullopt;
    const std::string file = path_ + "/" + beginning + rest;
    Matrix<double> block;
    on_files(rows, [&] { block = read(file, rows); });
    if (rest != rest_of_block(rows, block))  // the same on all processes
      detail::file_fail(file,
                        "is damaged: its values are not those of the checksum in its name; "
                        "remove it, and they are computed again");
    if (std::find(kept_.begin(), kept_.end(), file) == kept_.end()) ++found_;
    return block;
  }

  /// Throws FileError, on all processes, if the file cannot be written.
  void keep(const RecordKey& key, const RowSpace& rows, const Points<double>& block) override {
    static_cast<void>(write(key, rows, block));
  }

  /// Throws FileError, on all processes, if the file cannot be written, or another one not removed.
  void replace(const RecordKey& key, const RowSpace& rows, const Points<double>& block) override {
    const std::string written = write(key, rows, block);
    on_files(rows, [&] {
      if (is_first(rows)) remove_others(beginning_of(key), written);
    });
  }

  [[nodiscard]] Index found() const override { return found_; }
  [[nodiscard]] Index every() const override { return every_; }

 private:
  static constexpr std::size_t rest_length = 20;  ///< of "0123456789abcdef.npy"
  static constexpr std::string_view title = "mercer fit 1";

  /// On the first process, or on the only one.
  [[nodiscard]] static bool is_first(const RowSpace& rows) {
    return !rows.is_spread() || rows.processes().rank() == 0;
  }

  /// Runs work(); what it throws on any process, all throw as FileError. Collective.
  template <class Work>
  static void on_files(const RowSpace& rows, Work&& work) {
    if (!rows.is_spread()) return work();
    detail::together_on_file(rows.processes(), std::forward<Work>(work));
  }

  /// The file that says of which matrix the blocks are.
  [[nodiscard]] std::string list() const { return path_ + "/matrix.txt"; }

  /// "double-0a1b2c3d-", with the checksum of the matrix.
  [[nodiscard]] static std::string beginning(Precision precision, const std::string& matrix) {
    return std::string(to_string(precision)) + "-" + matrix + "-";
  }

  /// "double-0a1b2c3d-00a1b2c3d4e5f607-", with the checksum of the block, too.
  [[nodiscard]] std::string beginning_of(const RecordKey& key) const {
    return beginning(key.precision, matrix_) + digits_of(key.block) + "-";
  }

  /// What follows that in the name of a file: "0123456789abcdef.npy", with the checksum of the
  /// block. Collective.
  [[nodiscard]] static std::string rest_of_block(const RowSpace& rows,
                                                 const Points<double>& block) {
    return digits_of(detail::checksum_of_rows(rows, block)) + ".npy";
  }

  /// Writes a block. Returns the name of its file in the folder. Collective.
  std::string write(const RecordKey& key, const RowSpace& rows, const Points<double>& block) {
    const std::string name = beginning_of(key) + rest_of_block(rows, block);
    const std::string file = path_ + "/" + name;
    if (rows.is_spread())
      write_npy_spread<double>(rows.processes(), file, block);
    else
      write_npy(file, block);
    kept_.push_back(file);
    return name;
  }

  /// Removes the files with this beginning but one.
  void remove_others(const std::string& beginning, const std::string& name) const {
    std::vector<std::string> others;
    for_each_name([&](const std::string& other) {
      if (is_block(other, beginning) && other != name) others.push_back(other);
    });
    for (const std::string& other : others) {
      std::error_code error;
      std::filesystem::remove(path_ + "/" + other, error);
      if (error) detail::file_fail(path_ + "/" + other, "cannot be removed: ", error.message());
    }
  }

  /// Whether this is the name of a complete block with this beginning.
  [[nodiscard]] static bool is_block(const std::string& name, const std::string& beginning) {
    // A file that is being written has a longer name.
    return name.starts_with(beginning) && name.size() == beginning.size() + rest_length;
  }

  [[nodiscard]] static std::string digits_of(std::uint64_t checksum) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(checksum));
    return digits;
  }

  /// What follows this beginning in the name of a file of the folder. Empty if there is none. Of
  /// several, as another processor may have other last digits, it is the first in the alphabet.
  [[nodiscard]] std::string rest_of(const std::string& beginning) const {
    std::string rest;
    for_each_name([&](const std::string& name) {
      if (!is_block(name, beginning)) return;
      if (rest.empty() || name.compare(beginning.size(), rest_length, rest) < 0)
        rest = name.substr(beginning.size());
    });
    return rest;
  }

  /// Calls visit(name) for each entry of the folder.
  template <class Visit>
  void for_each_name(Visit&& visit) const {
    std::error_code error;
    for (std::filesystem::directory_iterator at(path_, error), end; !error && at != end;
         at.increment(error))
      visit(at->path().filename().string());
    if (error) detail::file_fail(path_, "cannot be read: ", error.message());
  }

  /// Makes the folder one of this matrix, if it is not yet. Returns the checksum of its list: of
  /// what is there, as the kernel values of another processor may differ in their last digits.
  [[nodiscard]] std::string claim(const std::vector<FitSetting>& matrix) const {
    std::vector<FitSetting> here = matrix;
    for (FitSetting& setting : here) setting.value = printable(setting.value);
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    if (detail::file_kind(path_) != detail::FileKind::Directory)
      detail::file_fail(
          path_, "cannot make this folder: ", error ? error.message() : "a file has its name");
    if (!is_claimed()) {
      // The list of another fit, with blocks, may have come in between.
      if (const std::string other = foreign_file(""); !other.empty() && !is_claimed())
        detail::file_fail(path_, "is not the folder of a fit: it has the file ", other,
                          ", but no matrix.txt");
      std::string lines = std::string(title) + "\n";
      for (const FitSetting& setting : here) lines += setting.name + "\t" + setting.value + "\n";
      if (write_new_file(list(), lines)) return checksum_of(lines);
    }
    const std::string lines = read_file(list());
    const auto differences = detail::setting_differences(parse(lines), here);
    if (!differences.empty())
      detail::file_fail(path_, "is of another fit: ", detail::in_words(differences),
                        "; name another folder to start anew");
    std::string checksum = checksum_of(lines);
    if (const std::string other = foreign_file(checksum); !other.empty())
      detail::file_fail(path_, "holds the file ", other,
                        ", which is not of its matrix; name another folder to start "
                        "anew");
    return checksum;
  }

  [[nodiscard]] bool is_claimed() const {
    return detail::file_kind(list()) != detail::FileKind::Missing;
  }

  [[nodiscard]] static std::string checksum_of(std::string_view lines) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08lx", static_cast<unsigned long>(detail::crc32(lines)));
    return digits;
  }

  /// A file that is no block of the matrix with this checksum, or of any if it is empty. Empty if
  /// there is none.
  [[nodiscard]] std::string foreign_file(const std::string& matrix) const {
    std::string foreign;
    for_each_name([&](const std::string& name) {
      // Also what is left of a file that was being written when the program ended.
      const bool known =
          name.starts_with('.') || name.starts_with("matrix.txt") ||
          (!matrix.empty() && (name.starts_with(beginning(Precision::Double, matrix)) ||
                               name.starts_with(beginning(Precision::Single, matrix))));
      if (!known && foreign.empty()) foreign = printable(name);
    });
    return foreign;
  }

  /// The settings of a list.
  [[nodiscard]] std::vector<FitSetting> parse(std::string_view text) const {
    std::vector<FitSetting> settings;
    if (text.empty()) detail::file_fail(list(), "is empty");
    bool first = true;
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix((std::min)(text.size(), line.size() + 1));
      const std::size_t tab = line.find('\t');
      if (first ? line != title : tab == std::string_view::npos)
        detail::file_fail(list(), "does not tell a matrix: ", detail::whole_characters(line, 80));
      if (!first)
        settings.push_back({std::string(line.substr(0, tab)), std::string(line.substr(tab + 1))});
      first = false;
    }
    return settings;
  }

  /// Reads the rows of this process.
  [[nodiscard]] static Matrix<double> read(const std::string& file, const RowSpace& rows) {
    NpyStream<double> stream(file);
    if (stream.rows() != rows.total())
      detail::file_fail(file, "has ", stream.rows(), " rows, expected ", rows.total());
    Matrix<double> block(rows.local(), stream.dimension());
    if (rows.local() == 0) return block;
    stream.seek({0, rows.first()});
    if (stream.read(block) != rows.local()) detail::file_fail(file, "ends too early");
    return block;
  }

  std::string path_;
  Index every_;
  std::string matrix_;             ///< checksum of the list
  std::vector<std::string> kept_;  ///< by this fit
  Index found_ = 0;
};

}  // namespace mercer::io

#endif  // MERCER_IO_NPY_RECORD_FOLDER_HPP
