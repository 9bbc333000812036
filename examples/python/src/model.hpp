// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What the models that Python holds have in common.

#ifndef MERCER_EXAMPLES_PYTHON_SRC_MODEL_HPP
#define MERCER_EXAMPLES_PYTHON_SRC_MODEL_HPP

namespace mercer_python {

/// The base of the abstract classes that Python holds by pointers.
class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;
};

}  // namespace mercer_python

#endif  // MERCER_EXAMPLES_PYTHON_SRC_MODEL_HPP
