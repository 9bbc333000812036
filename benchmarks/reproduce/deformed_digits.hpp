// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Any number of images of digits, made from some thousands by random deformations when they are
/// read, and never stored.

#ifndef MERCER_BENCHMARKS_REPRODUCE_DEFORMED_DIGITS_HPP
#define MERCER_BENCHMARKS_REPRODUCE_DEFORMED_DIGITS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/npy/npy_stream.hpp>

namespace reproduce {

/// An endless sequence of images of 28 x 28 pixels in [0, 1]: first the n originals, then a
/// deformed version of each, then another, and so on. Image i is a function of the originals, the
/// seed and i. In the order of its values, the left half of an image (14 columns of pixels, row by
/// row) comes before the right half.
///
/// A deformation is an affine map about the centre, uniform in the angle (10 degrees to each side),
/// the logarithms of the two scales (.1), the shear (.1) and the shifts (1 pixel), and on top a
/// displacement by a smooth normal field whose root mean square is 1 pixel. The field is white
/// noise smoothed by a Gaussian of 4 pixels, in the cosine modes that are left of it. Pixels
/// between others are interpolated.
/// Source: Simard, Steinkraus, Platt, Best practices for convolutional neural networks applied to
///   visual document analysis, 2003, section 2.
/// Memory: the originals as bytes.
/// Threads: const members may run concurrently.
class DeformedDigits {
 public:
  static constexpr mercer::Index size = 28, pixels = size * size, half = pixels / 2;

  /// Rows first, ..., first + count - 1 of a file of images with values 0 to 255.
  DeformedDigits(const std::string& path, mercer::Index first, mercer::Index count,
                 std::uint64_t seed)
      : seed_(seed), originals_(static_cast<std::size_t>(count * pixels)) {
    mercer::io::NpyStream<float> file(path);
    if (file.dimension() != pixels || count < 1 || first + count > file.rows())
      throw std::invalid_argument(path + ": needs rows " + std::to_string(first) + " to " +
                                  std::to_string(first + count) + " of 784 pixels");
    file.seek({0, first});
    mercer::Matrix<float> rows(block, pixels);
    auto out = originals_.begin();
    for (mercer::Index read = 0; read < count; read += block) {
      const mercer::Index here = std::min(block, count - read);
      static_cast<void>(file.read(rows.topRows(here)));
      for (mercer::Index i = 0; i < here; ++i)
        for (mercer::Index pixel = 0; pixel < pixels; ++pixel)
          *out++ = static_cast<std::uint8_t>(rows(i, pixel));
    }
  }

  [[nodiscard]] mercer::Index originals() const {
    return static_cast<mercer::Index>(originals_.size()) / pixels;
  }

  /// Images first, first + 1, ... to the rows of \p out.
  template <mercer::Real S>
  void fill(mercer::Index first, mercer::GramOut<S> out) const {
    const mercer::Index blocks = (out.rows() + block - 1) / block;
    mercer::parallel_for(blocks, [&](mercer::Index task) {
      const mercer::Index begin = task * block, count = std::min(block, out.rows() - begin);
      mercer::Matrix<S> images(pixels, count);
      for (mercer::Index i = 0; i < count; ++i) {
        const Image image = this->image(first + begin + i);
        for (mercer::Index r = 0; r < size; ++r)
          for (mercer::Index c = 0; c < size; ++c)
            images(c < size / 2 ? 14 * r + c : half + 14 * r + c - 14, i) =
                static_cast<S>(image[static_cast<std::size_t>(size * r + c)]);
      }
      out.middleRows(begin, count) = images.transpose();
    });
  }

  /// The images in the given places of the sequence.
  template <mercer::Real S>
  [[nodiscard]] mercer::Matrix<S> images(const std::vector<mercer::Index>& places) const {
    mercer::Matrix<S> out(static_cast<mercer::Index>(places.size()), pixels);
    for (std::size_t i = 0; i < places.size(); ++i)
      fill<S>(places[i], out.middleRows(static_cast<mercer::Index>(i), 1));
    return out;
  }

  /// The first \p count images as a stream.
  /// Lifetime: refers to this object.
  template <mercer::Real S>
  [[nodiscard]] mercer::GeneratedStream<S> stream(mercer::Index count) const {
    return {pixels, count,
            [this](mercer::Index first, mercer::GramOut<S> out) { fill<S>(first, out); }};
  }

 private:
  using Image = std::array<float, pixels>;
  using Field = std::array<float, pixels>;
  static constexpr mercer::Index block = 64;
  static constexpr std::size_t n = size, modes = 7;

  /// cos(pi p (c + 1/2) / 28), times the share of mode p that is left of the noise.
  struct Modes {
    std::array<std::array<float, n>, modes> values;
    float scale;  // of normal coefficients, for a field with mean square 1

    Modes() : values{}, scale(0) {
      constexpr double pi = 3.14159265358979323846, width = 4;
      double squares = 0;
      for (std::size_t p = 0; p < modes; ++p) {
        const double frequency = pi * static_cast<double>(p) / size;
        const double left = std::exp(-width * width * frequency * frequency / 2);
        for (std::size_t c = 0; c < n; ++c)
          values[p][c] =
              static_cast<float>(left * std::cos(frequency * (static_cast<double>(c) + .5)));
        squares += left * left * (p == 0 ? 1 : .5);
      }
      scale = static_cast<float>(1 / squares);  // the squares of both directions, and a root
    }
  };

  [[nodiscard]] float original(mercer::Index image, mercer::Index r, mercer::Index c) const {
    if (r < 0 || r >= size || c < 0 || c >= size) return 0;
    return static_cast<float>(originals_[static_cast<std::size_t>(image * pixels + r * size + c)]);
  }

  [[nodiscard]] Image image(mercer::Index i) const {
    const mercer::Index from = i % originals();
    Image out;
    if (i < originals()) {
      for (std::size_t pixel = 0; pixel < out.size(); ++pixel)
        out[pixel] =
            static_cast<float>(originals_[static_cast<std::size_t>(from * pixels) + pixel]) / 255;
      return out;
    }
    mercer::RandomStream draws(seed_, "deformed digits", static_cast<std::uint64_t>(i));
    const auto within = [&](double most) {
      return static_cast<float>(most * (2 * draws.uniform() - 1));
    };
    const float angle = within(3.14159265 / 18), scale_r = std::exp(within(.1)),
                scale_c = std::exp(within(.1)), shear = within(.1), shift_r = within(1),
                shift_c = within(1);
    const float cosine = std::cos(angle), sine = std::sin(angle);
    const Field move_r = field(draws), move_c = field(draws);
    constexpr float centre = (size - 1) / 2.f;
    for (mercer::Index r = 0; r < size; ++r)
      for (mercer::Index c = 0; c < size; ++c) {
        const auto pixel = static_cast<std::size_t>(size * r + c);
        const float y = scale_r * (static_cast<float>(r) - centre),
                    x = scale_c * (static_cast<float>(c) - centre) + shear * y;
        out[pixel] = between(from, cosine * y - sine * x + centre + shift_r + move_r[pixel],
                             sine * y + cosine * x + centre + shift_c + move_c[pixel]) /
                     255;
      }
    return out;
  }

  /// The original at any point, from the four pixels around it.
  [[nodiscard]] float between(mercer::Index image, float r, float c) const {
    const float floor_r = std::floor(r), floor_c = std::floor(c), a = r - floor_r, b = c - floor_c;
    const auto i = static_cast<mercer::Index>(floor_r), j = static_cast<mercer::Index>(floor_c);
    return (1 - a) * ((1 - b) * original(image, i, j) + b * original(image, i, j + 1)) +
           a * ((1 - b) * original(image, i + 1, j) + b * original(image, i + 1, j + 1));
  }

  [[nodiscard]] static Field field(mercer::RandomStream& draws) {
    static const Modes basis;
    std::array<std::array<float, n>, modes> rows{};  // a mode of the rows, over the columns
    for (std::size_t p = 0; p < modes; ++p)
      for (std::size_t q = 0; q < modes; ++q) {
        const float coefficient = basis.scale * static_cast<float>(draws.normal());
        for (std::size_t c = 0; c < n; ++c) rows[p][c] += coefficient * basis.values[q][c];
      }
    Field out{};
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t p = 0; p < modes; ++p)
        for (std::size_t c = 0; c < n; ++c) out[n * r + c] += basis.values[p][r] * rows[p][c];
    return out;
  }

  std::uint64_t seed_;
  std::vector<std::uint8_t> originals_;
};

}  // namespace reproduce

#endif  // MERCER_BENCHMARKS_REPRODUCE_DEFORMED_DIGITS_HPP
