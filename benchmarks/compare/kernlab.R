# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# kernlab's kpca() for solvers.py: Rscript kernlab.R DATA.npy N D SIGMA COMPONENTS
# DATA.npy holds doubles in C order. Prints one line of JSON; only the fit is timed.

suppressMessages(library(kernlab))

arguments <- commandArgs(trailingOnly = TRUE)
n <- as.integer(arguments[2])
d <- as.integer(arguments[3])
sigma <- as.numeric(arguments[4])
k <- as.integer(arguments[5])

npy <- file(arguments[1], "rb")
invisible(readBin(npy, "raw", 8))
invisible(readBin(npy, "raw", readBin(npy, "integer", size = 2, signed = FALSE, endian = "little")))
x <- matrix(readBin(npy, "double", n * d, endian = "little"), nrow = n, byrow = TRUE)
close(npy)

seconds <- system.time(
  model <- kpca(x, kernel = "rbfdot", kpar = list(sigma = 0.5 / sigma^2), features = k)
)[["elapsed"]]
# kernlab's eigenvalues are those of the centred Gram matrix over n.
values <- paste(sprintf("%.17g", n * eig(model)), collapse = ", ")
cat(sprintf("{\"fit_seconds\": %.6f, \"eigenvalues\": [%s]}\n", seconds, values))
