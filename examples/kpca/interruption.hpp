// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Ctrl-C during a fit.

#ifndef MERCER_EXAMPLES_KPCA_INTERRUPTION_HPP
#define MERCER_EXAMPLES_KPCA_INTERRUPTION_HPP

namespace kpca {

/// While it is there, Ctrl-C and a request to terminate only leave word, and a second one ends the
/// program at once. At most one at a time.
class Interruption {
 public:
  Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

  /// Whether there was one, since the start of the program.
  [[nodiscard]] static bool requested();
};

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_INTERRUPTION_HPP
