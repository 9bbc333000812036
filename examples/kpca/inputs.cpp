// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/inputs.hpp>

namespace kpca {

template <mercer::Real S>
SampleFile<S> read_sample_file(const std::string& path, mercer::Index columns) {
  SampleFile<S> file{path, mercer::io::read_samples<S>(path, columns)};
  require_usable(file);
  return file;
}

template SampleFile<double> read_sample_file(const std::string&, mercer::Index);
template SampleFile<float> read_sample_file(const std::string&, mercer::Index);

}  // namespace kpca
