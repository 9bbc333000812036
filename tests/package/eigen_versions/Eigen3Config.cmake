# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

add_library(Eigen3::Eigen INTERFACE IMPORTED)
