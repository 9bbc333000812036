// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A model of standardised samples that takes samples in their own units.

#ifndef MERCER_MODELS_STANDARDIZED_MODEL_HPP
#define MERCER_MODELS_STANDARDIZED_MODEL_HPP

#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/standardize.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// A model, and what was done to the samples before its fit, which is also done to new samples.
/// Archives of it need `io/archive/archive_standardized.hpp`.
/// \tparam Model  a KernelPcaModel or a FeaturePcaModel
/// Threads: const members may run concurrently.
template <class Model>
class StandardizedModel {
 public:
  using Scalar = typename Model::Scalar;

  /// \param model  fitted to samples from standardize.transform()
  /// Throws InvalidArgument if the model has samples of another dimension.
  StandardizedModel(Standardize standardize, Model model)
      : standardize_(std::move(standardize)), model_(std::move(model)) {
    if (model_.report().dimension != standardize_.dimension())
      detail::fail("mercer::StandardizedModel: the model is of ", model_.report().dimension,
                   " columns, the standardisation of ", standardize_.dimension());
  }

  /// The step before the model.
  [[nodiscard]] const Standardize& standardize() const { return standardize_; }
  /// The model of standardised samples.
  [[nodiscard]] const Model& model() const { return model_; }

  /// Scores of new samples, in the units of the training samples before they were standardised.
  /// Throws InvalidArgument as Standardize::transform() and the model's transform().
  template <class Q>
  [[nodiscard]] Matrix<Scalar> transform(const Q& q) const {
    return model_.transform(standardize_.transform(q));
  }

  /// As the model's, of standardised samples: a squared distance in feature space.
  template <class Q>
  [[nodiscard]] Vector<Scalar> reconstruction_error(const Q& q) const {
    return model_.reconstruction_error(standardize_.transform(q));
  }

  /// As the model's, of standardised samples.
  template <class Q>
  [[nodiscard]] auto novelty(const Q& q) const {
    return model_.novelty(standardize_.transform(q));
  }

  /// Pre-images in the units of the training samples. \p method is optional, as for the model.
  template <class Z, class... Method>
  [[nodiscard]] Matrix<Scalar> inverse_transform(const Z& scores, const Method&... method) const {
    return standardize_.inverse_transform(model_.inverse_transform(scores, method...));
  }

 private:
  Standardize standardize_;
  Model model_;
};

}  // namespace mercer

#endif  // MERCER_MODELS_STANDARDIZED_MODEL_HPP
