// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The products of a fit in a folder, from which an interrupted fit goes on.

#ifndef MERCER_IO_NPY_PRODUCT_FOLDER_HPP
#define MERCER_IO_NPY_PRODUCT_FOLDER_HPP

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/fit_setting.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/file_error.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/io/npy/npy_spread.hpp>
#include <mercer/io/npy/npy_stream.hpp>
#include <mercer/io/text.hpp>
#include <mercer/operators/recorded.hpp>

namespace mercer::io {

/// Products of a Gram matrix in a folder, one .npy file each, and a text file that says of which
/// fit they are.
///
/// \code
///   const auto products = std::make_shared<io::ProductFolder>("run.products");
///   KernelPca pca{Gaussian{2.0}, BlockKrylov{}, {.components = 20, .products = products}};
///   auto model = pca.fit(X);  // started again after the machine went down, it goes on
/// \endcode
///
/// The fit that goes on has the same bits as one that was not interrupted. It may run on another
/// number of processes, with order-free sums. Settings that change no product may be others: a
/// smaller tolerance goes on where a larger one has ended, if kernel values have the same
/// precision. On a processor with other instructions blocks of vectors differ in the last bits, and
/// the fit is refused.
///
/// Files are replaced atomically, and a product counts once it is complete. All processes must see
/// the folder under this name. Nothing is removed: that is left to the caller, when all is done.
/// Memory on disk: 8 n b bytes for each product of n rows with b vectors.
class ProductFolder final : public ProductRecord {
 public:
  explicit ProductFolder(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Throws FileError, on all processes, if the folder cannot be made or read, holds other files, or
  ///   holds products of another fit.
  void begin(const RowSpace& rows, const std::vector<FitSetting>& fit) override {
    std::string text;
    on_files(rows, [&] {
      if (is_first(rows)) text = prepare();
    });
    if (rows.is_spread()) detail::broadcast_message(rows.processes(), text, 0);
    std::vector<FitSetting> settings;
    on_files(rows, [&] { settings = parse(text); });
    fit_ = fit;
    for (FitSetting& setting : fit_) setting.value = printable(setting.value);
    products_.clear();
    found_ = 0;
    std::vector<FitSetting> there;
    for (FitSetting& setting : settings)
      (setting.name.starts_with(product) ? products_ : there).push_back(std::move(setting));
    const auto differences = detail::setting_differences(there, fit_);
    on_files(rows, [&] {
      if (!there.empty() && !differences.empty())
        detail::file_fail(path_, "holds products of another fit: ", detail::in_words(differences),
                          "; name another folder to start anew");
    });
  }

  /// Throws FileError, on all processes, if the file cannot be read, or is the product of another
  ///   block.
  [[nodiscard]] bool find(const ProductKey& key, const RowSpace& rows,
                          GramOut<double> out) override {
    const FitSetting mine = setting_of(key);
    for (const FitSetting& known : products_) {
      if (known.name != mine.name) continue;
      on_files(rows, [&] {
        if (known != mine)
          detail::file_fail(file_of(key),
                            "is the product of another block of vectors: the fit had another seed, "
                            "another number of components or another start, or ran on a processor "
                            "with other instructions; name another folder to start anew");
        read(file_of(key), rows, out);
      });
      ++found_;
      return true;
    }
    return false;
  }

  /// Throws FileError, on all processes, if a file cannot be written.
  void keep(const ProductKey& key, const RowSpace& rows, const Points<double>& values) override {
    if (rows.is_spread())
      write_npy_spread<double>(rows.processes(), file_of(key), values);
    else
      write_npy(file_of(key), values);
    products_.push_back(setting_of(key));
    on_files(rows, [&] {
      if (is_first(rows)) write_file(list(), to_lines());
    });
  }

  [[nodiscard]] Index found() const override { return found_; }

 private:
  static constexpr std::string_view title = "mercer products 1", product = "product ";

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

  [[nodiscard]] std::string list() const { return path_ + "/products.txt"; }

  /// "double-3".
  [[nodiscard]] static std::string name_of(const ProductKey& key) {
    return std::string(to_string(key.precision)) + "-" + detail::to_text(key.number);
  }
  [[nodiscard]] std::string file_of(const ProductKey& key) const {
    return path_ + "/" + name_of(key) + ".npy";
  }
  [[nodiscard]] static FitSetting setting_of(const ProductKey& key) {
    return {std::string(product) + name_of(key), detail::to_text(key.block)};
  }

  /// Makes the folder if it is not there; the text of its list, or nothing.
  [[nodiscard]] std::string prepare() const {
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    if (error || !std::filesystem::is_directory(path_))
      detail::file_fail(
          path_, "cannot make this folder: ", error ? error.message() : "a file has its name");
    if (std::filesystem::exists(list())) return read_file(list());
    if (!std::filesystem::is_empty(path_, error))
      detail::file_fail(path_, "is not a folder of products: it has files, but no products.txt");
    return {};
  }

  /// The settings and the products of a list.
  [[nodiscard]] std::vector<FitSetting> parse(std::string_view text) const {
    std::vector<FitSetting> settings;
    bool first = true;
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix((std::min)(text.size(), line.size() + 1));
      const std::size_t tab = line.find('\t');
      if (first ? line != title : tab == std::string_view::npos)
        detail::file_fail(list(), "is not a list of products: ", line.substr(0, 80));
      if (!first)
        settings.push_back({std::string(line.substr(0, tab)), std::string(line.substr(tab + 1))});
      first = false;
    }
    return settings;
  }

  [[nodiscard]] std::string to_lines() const {
    std::string lines = std::string(title) + "\n";
    for (const auto& settings : {fit_, products_})
      for (const FitSetting& setting : settings)
        lines += setting.name + "\t" + setting.value + "\n";
    return lines;
  }

  /// Reads the rows of this process.
  static void read(const std::string& file, const RowSpace& rows, GramOut<double> out) {
    NpyStream<double> stream(file);
    if (stream.rows() != rows.total() || stream.dimension() != out.cols())
      detail::file_fail(file, "has ", stream.rows(), " x ", stream.dimension(),
                        " values, expected ", rows.total(), " x ", out.cols());
    if (rows.local() == 0) return;
    stream.seek({0, rows.first()});
    Matrix<double> values(rows.local(), out.cols());
    if (stream.read(values) != rows.local()) detail::file_fail(file, "ends too early");
    out = values;
  }

  std::string path_;
  std::vector<FitSetting> fit_, products_;
  Index found_ = 0;
};

}  // namespace mercer::io

#endif  // MERCER_IO_NPY_PRODUCT_FOLDER_HPP
