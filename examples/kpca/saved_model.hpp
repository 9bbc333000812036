// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// kpca --load: a model that an earlier run has saved.

#ifndef MERCER_EXAMPLES_KPCA_SAVED_MODEL_HPP
#define MERCER_EXAMPLES_KPCA_SAVED_MODEL_HPP

#include <examples/kpca/options.hpp>

namespace kpca {

/// Projects the samples of --project with the model of --load, writes the results and says where
/// they are. Throws mercer::InvalidArgument if the file holds no model that kpca can use, and for
/// samples that do not fit it.
void project_with_saved_model(const Options& options);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_SAVED_MODEL_HPP
