// expect: a value of this type cannot be archived
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#if defined(MERCER_MUST_NOT_COMPILE) && !__has_include(<cereal/cereal.hpp>)
#error "a value of this type cannot be archived: there is no cereal to do it"
#elif __has_include(<cereal/cereal.hpp>)

#include <mercer/io/archive.hpp>
#include <mercer/kernels/callable.hpp>

namespace archive_callable {

#ifdef MERCER_MUST_NOT_COMPILE
const mercer::Callable kernel{[](const auto& x, const auto& y) { return x.dot(y); }};
#else
const mercer::Linear kernel;
#endif

void write(const std::string& path) {
  mercer::io::write_archive(path, kernel);
}

}  // namespace archive_callable

#endif
