// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// By the CMake target mercer::archive.
#if defined(MERCER_HAS_CEREAL)

#include <mercer/io/archive.hpp>

#include <mercer/features/random_fourier.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/runtime/any_features.hpp>
#include <mercer/runtime/kernels.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace archive_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("runtime: each kernel chosen at run time is read back as it was", "[runtime][archive]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("kernel");
  for (const KernelEntry& entry : kernel_table()) {
    const AnyKernel kernel = make_kernel(entry.name);
    io::write_archive(path, kernel);
    CHECK(io::Archive(path).header().type == entry.name);
    CHECK(io::read_archive<AnyKernel>(path).describe() == kernel.describe());
  }
  io::write_archive(path, RandomFourier{});
  CHECK_THAT(test::file_error([&] { return io::read_archive<AnyKernel>(path); }),
             ContainsSubstring("random-fourier"));
}

TEST_CASE("runtime: files of models do not tell that types were chosen at run time",
          "[runtime][archive]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("model");
  const Matrix<double> x = test::uniform_samples<double>(30, 3, 5);
  using Any = KernelPcaModel<AnyKernel, Matrix<double>>;
  using Known = KernelPcaModel<Gaussian, Matrix<double>>;
  const auto known = KernelPca{Gaussian{1}, Exact{}, {.components = 2}}.fit(x);
  io::write_archive(path, known);
  const auto any = io::read_archive<Any>(path);
  CHECK(any.transform(x) == known.transform(x));
  io::write_archive(path, any);
  CHECK(io::Archive(path).header().kernel == "gaussian");
  CHECK(io::read_archive<Known>(path).transform(x) == known.transform(x));

  const AnyKernel kernel = Gaussian{1};
  const AnyFeatures map = RandomFourier{.features = 20};
  const auto features = KernelPca{kernel, FeaturePca{map}, {.components = 2}}.fit(x);
  io::write_archive(path, features);
  CHECK(io::read_archive<FeaturePcaModel<Gaussian, RandomFourier, double>>(path).transform(x) ==
        features.transform(x));
}

}  // namespace archive_test

#endif  // MERCER_HAS_CEREAL
