// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The runs behind two_views.py: kernel CCA of the halves of images, kernel sliced inverse
/// regression and mixtures (Xie et al., 2015). Prints lines of JSON.

#include <benchmarks/reproduce/two_views.hpp>

namespace {

constexpr const char* usage =
    "usage: mercer_reproduce_two_views COMMAND name=value...\n"
    "  halves   images train test n method size eps components seed [block batch steps]\n"
    "           images: rows of 28 x 28 pixels, of which the first train are the originals of n\n"
    "           images to fit to (above train: deformed ones), and the next test those to judge\n"
    "           by; method: linear, fourier, nystrom or stochastic; size: frequencies, landmarks\n"
    "           or features; block, batch, steps: of the stochastic method\n"
    "  cost     images train n size eps components seed precision repeat budget\n"
    "           kernel CCA by landmarks beside kernel PCA of the left halves alone: their times;\n"
    "           budget: MiB for each fit beside the samples, 0: half of the free memory\n"
    "  torques  states torques share together method size eps seed [batch steps]\n"
    "           share: of the rows to fit to; together: rows that are divided as one\n"
    "  mixture  samples method size rank sigma share seed\n"
    "           method: nystrom or fourier; share: of the Gaussian";

}  // namespace

int main(int argc, char* argv[]) {
  return reproduce::run(argc, argv,
                        {{"halves", reproduce::halves},
                         {"cost", reproduce::cost},
                         {"torques", reproduce::torques},
                         {"mixture", reproduce::mixture}},
                        usage);
}
