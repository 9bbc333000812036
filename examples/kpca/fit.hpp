// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A fit whose kernel and solver are known at run time only: what goes in and what comes out.

#ifndef MERCER_EXAMPLES_KPCA_FIT_HPP
#define MERCER_EXAMPLES_KPCA_FIT_HPP

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <mercer/core/machine/memory.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/standardize.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/recorded.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/runtime/any_solver.hpp>
#include <mercer/solvers/eigenpairs.hpp>

#include <examples/kpca/inputs.hpp>

namespace mercer::io {
class Archive;
}

namespace kpca {

struct FitSettings {
  mercer::AnySolver solver;
  mercer::Components components;
  bool centered = true;
  std::optional<std::size_t> memory_budget;  ///< bytes; else mercer::default_memory_budget()
  mercer::Observer observer;
  /// What was done to the samples in memory, and is to be done to those of streams; saved with the
  /// model.
  std::optional<mercer::Standardize> standardize = {};
  std::string save;   ///< the file for the model, if it has components; empty for none
  std::string state;  ///< the file that the solver may resume the fit from; empty for none
  /// Products that the solver may resume the fit from; or null.
  std::shared_ptr<mercer::FitRecord> record = {};
  bool variables = false;  ///< wants the gradients
};

/// What is left of a fitted model when the types of its kernel and samples are forgotten.
template <mercer::Real S>
struct Results {
  mercer::Vector<S> eigenvalues;
  mercer::Vector<S> explained_variance_ratio;
  mercer::Matrix<S> scores;     ///< of the training samples, n x k; of a stream, of the first ones
  mercer::Matrix<S> projected;  ///< of the new samples, q x k; empty without them
  mercer::Matrix<S> gradients;  ///< mean absolute ones at the samples, d x k, if they are wanted
  bool centered = true;
  std::optional<mercer::Standardize> standardize;  ///< before the model
  mercer::Report report;
  std::optional<double> tolerance;        ///< of the residuals, if there is one
  std::optional<mercer::Index> features;  ///< that components are expanded over, if they are
  std::size_t memory_budget = 0;          ///< bytes
  std::string saved_to;                   ///< the file of the model; empty for none
  /// Why the new samples have no scores; empty if they have, or if there are none.
  std::string projection_problem;
  /// Of a stream: hands out the scores of all samples, in order and in parts.
  std::function<void(const std::function<void(const mercer::Matrix<S>&)>&)> score_parts;
};

/// Fits, and projects the new samples, if there are any. What is wrong with their scores does not
/// spoil the fit: Results::projection_problem says it. \p fresh must have the columns of
/// \p training, whose samples are moved into the model. Throws mercer::InvalidArgument before the
/// fit if the kernel does not take samples of this form, or if samples of either file are outside
/// its domain.
template <mercer::Real S>
[[nodiscard]] Results<S> fit(const mercer::AnyKernel& kernel, SampleFile<S> training,
                             const std::optional<SampleFile<S>>& fresh,
                             const FitSettings& settings);

#if defined(MERCER_HAS_CEREAL)  // by the CMake target mercer::archive
/// Takes the model from an archive and projects the samples in a file. Throws
/// mercer::InvalidArgument for samples of another dimension or outside of the domain.
template <mercer::Real S>
[[nodiscard]] Results<S> project(const mercer::io::Archive& archive, const std::string& fresh,
                                 const mercer::io::ColumnChoice& columns);
#endif

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_FIT_HPP
