// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/interruption.hpp>

#include <csignal>

namespace kpca {
namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void take_note(int signal) {
  // Some systems have put the default back. The second time it shall be there.
  std::signal(signal, interrupted == 0 ? &take_note : SIG_DFL);
  if (interrupted != 0) std::raise(signal);
  interrupted = 1;
}

}  // namespace

Interruption::Interruption() {
  std::signal(SIGINT, &take_note);
  std::signal(SIGTERM, &take_note);
}

Interruption::~Interruption() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Interruption::requested() {
  return interrupted != 0;
}

}  // namespace kpca
