// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Two sounds, heard by two microphones as two mixtures, and taken apart again: kernel ICA knows
/// neither the sounds nor how they were mixed, only that they are independent. Draws unmix.svg.

#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include <mercer/mercer.hpp>

#include <examples/support/gnuplot.hpp>
#include <examples/support/made_samples.hpp>
#include <examples/support/scatter.hpp>

int main() {
  const Eigen::MatrixXd sources = examples::reed_and_bell(2000), mixing{{0.6, 1.0}, {1.0, 0.5}};
  const Eigen::MatrixXd heard = sources * mixing.transpose();
  const auto model = mercer::KernelIca{{.contrast = mercer::IcaContrast::Kgv}}.fit(heard);
  const Eigen::MatrixXd found = model.transform(heard);

  std::printf("Amari error as heard: %.3f, unmixed: %.3f\ndependence left: %.4f\n",
              mercer::amari_error(Eigen::Matrix2d::Identity(), mixing),
              mercer::amari_error(model.unmixing(), mixing), model.contrast());

  examples::Picture picture(1200, 700);
  picture << "set multiplot layout 2,3 columnsfirst\nunset key\nset xrange [0:700]\nunset ytics\n";
  const std::array<std::pair<const char*, Eigen::MatrixXd>, 3> panels = {
      {{"sound", sources}, {"microphone", heard}, {"found", found}}};
  for (const auto& [name, signals] : panels)
    for (Eigen::Index j = 0; j < 2; ++j) {
      const std::string data = name + std::to_string(j + 1);
      picture.data(data, signals.col(j));
      picture << "set title '" << name << ' ' << j + 1 << "'\nplot $" << data
              << " with lines linecolor rgb '" << examples::colours[static_cast<std::size_t>(j)]
              << "'\n";
    }
  picture << "unset multiplot\n";
  picture.draw("unmix.svg");
}
