// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/standardize.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/standardized_model.hpp>
#include <mercer/solvers/dense/exact.hpp>
#if defined(MERCER_HAS_CEREAL)
#include <mercer/io/archive.hpp>
#include <mercer/io/archive/archive_standardized.hpp>
#include <tests/io/temporary_directory.hpp>
#endif
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace standardized_model_test {

using Catch::Matchers::ContainsSubstring;
using mercer::Matrix;
using mercer::Standardize;
using mercer::test::error_of;
using mercer::test::uniform_samples;

namespace {

template <class S>
Matrix<S> stretched(mercer::Index n) {
  Matrix<S> x = uniform_samples<S>(n, 3, 21);
  x.col(0) *= S(1000);
  x.col(2).array() += S(50);
  return x;
}

template <class S>
auto fitted(const Standardize& standardize, const Matrix<S>& x) {
  const mercer::KernelPca pca{mercer::Gaussian{1.5}, mercer::Exact{}, {.components = 3}};
  return mercer::StandardizedModel(standardize, pca.fit(standardize.transform(x)));
}

}  // namespace

SCALAR_TEST_CASE("StandardizedModel: takes samples in their own units", "[models][standardize]") {
  const Matrix<TestType> x = stretched<TestType>(30), q = stretched<TestType>(35).bottomRows(5);
  const Standardize standardize(x);
  const auto model = fitted(standardize, x);
  const Matrix<TestType> z = standardize.transform(q);
  CHECK(model.transform(q) == model.model().transform(z));
  CHECK(model.reconstruction_error(q) == model.model().reconstruction_error(z));
  CHECK(model.novelty(q).t_squared == model.model().novelty(z).t_squared);
  // Pre-images are in the units of the samples, and those of training samples near them.
  const Matrix<TestType> scores = model.transform(x);
  const Matrix<TestType> images = model.inverse_transform(scores);
  CHECK(images == standardize.inverse_transform(model.model().inverse_transform(scores)));
  CHECK((images - x).col(0).norm() < TestType(.5) * x.col(0).norm());
  CHECK(model.inverse_transform(scores, mercer::KernelRidge{}).rows() == 30);
}

TEST_CASE("StandardizedModel: does not depend on the units", "[models][standardize]") {
  const Matrix<double> x = stretched<double>(30);
  Matrix<double> y = x;
  y.col(1) *= 1024;  // a power of two changes no digit
  const auto a = fitted(Standardize(x), x), b = fitted(Standardize(y), y);
  CHECK(a.transform(x) == b.transform(y));
}

TEST_CASE("StandardizedModel: refuses a model of another dimension", "[models][standardize]") {
  const Matrix<double> x = uniform_samples<double>(10, 2, 22);
  const mercer::KernelPca pca{mercer::Gaussian{1}, mercer::Exact{}, {.components = 1}};
  CHECK_THAT(error_of([&] {
               return mercer::StandardizedModel(Standardize(stretched<double>(5)), pca.fit(x));
             }),
             ContainsSubstring("the model is of 2 columns, the standardisation of 3"));
}

#if defined(MERCER_HAS_CEREAL)

SCALAR_TEST_CASE("StandardizedModel: in files", "[models][standardize][io]") {
  using Inner = mercer::KernelPcaModel<mercer::Gaussian, Matrix<TestType>>;
  const Matrix<TestType> x = stretched<TestType>(20);
  const auto model = fitted(Standardize(x), x);
  const mercer::test::TemporaryDirectory directory;
  const std::string path = directory.path("a.model");
  mercer::io::write_archive(path, model);
  const mercer::io::Archive archive(path);
  CHECK(archive.header().type == "standardized-kernel-pca");
  CHECK(archive.header().kernel == "gaussian");
  const auto again = archive.get<mercer::StandardizedModel<Inner>>();
  CHECK(again.transform(x) == model.transform(x));
  CHECK(again.standardize().mean() == model.standardize().mean());
  // Not as a model of samples in other units.
  CHECK_THROWS_AS(archive.get<Inner>(), mercer::io::FileError);
  mercer::io::write_archive(path, model.model());
  CHECK(mercer::io::Archive(path).header().type == "kernel-pca");
}

#endif

}  // namespace standardized_model_test
