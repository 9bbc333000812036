// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The fits behind the pictures of usps.py: images projected on the components of others, and
/// mapped back by the fixed-point pre-image. Writes the points, and prints a line of JSON for every
/// number of components.

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include <mercer/core/types.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/preimage/preimage_fixed_point.hpp>
#include <mercer/solvers/dense/exact.hpp>

#include <benchmarks/reproduce/command.hpp>

namespace {

using mercer::Index;
using Samples = mercer::Matrix<double>;

constexpr const char* usage =
    "usage: mercer_reproduce_usps linear|polynomial|gaussian train= images= components= out=\n"
    "         [degree=|sigma=]\n"
    "train, images: .npy, one sample a row. components: numbers of them, k1,k2,...; for each,\n"
    "out.npy has the pre-images of all images below those for the number before";

/// Fits once for each number of components and writes the pre-images of the projected images.
template <class K>
void reconstruct(const reproduce::Arguments& given, const K& kernel) {
  const Samples train = mercer::io::read_npy<double>(given.text("train")),
                images = mercer::io::read_npy<double>(given.text("images"));
  const auto counts = given.counts("components");
  Samples points(images.rows() * static_cast<Index>(counts.size()), images.cols());
  Index first = 0;
  for (const Index count : counts) {
    reproduce::Stopwatch watch;
    watch.start();
    const auto model = mercer::KernelPca{kernel, mercer::Exact{}, {.components = count}}.fit(train);
    const auto found = model.preimages(model.transform(images), mercer::FixedPoint{}, images);
    watch.stop();
    points.middleRows(first, images.rows()) = found.points;
    first += images.rows();
    reproduce::print(
        {{"components", count},
         {"found", model.components()},
         {"converged", std::count_if(found.details.begin(), found.details.end(),
                                     [](const auto& detail) { return detail.converged; })},
         {"seconds", watch.seconds()}});
  }
  mercer::io::write_npy(given.text("out"), points);
}

}  // namespace

int main(int argc, char* argv[]) {
  using reproduce::Arguments;
  return reproduce::run(
      argc, argv,
      {{"linear", [](const Arguments& given) { reconstruct(given, mercer::Linear{}); }},
       {"polynomial",
        [](const Arguments& given) {
          reconstruct(given,
                      mercer::Polynomial{{.gamma = 1 / 256.0,
                                          .coef0 = 0,
                                          .degree = static_cast<int>(given.count("degree"))}});
        }},
       {"gaussian",
        [](const Arguments& given) {
          reconstruct(given, mercer::Gaussian{given.number("sigma")});
        }}},
      usage);
}
