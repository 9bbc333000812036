# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Kernel PCA and its relatives at any scale, with the interface of scikit-learn.

    from mercer import KernelPCA
    scores = KernelPCA(n_components=10, kernel="rbf").fit_transform(X)
"""

from ._choices import feature_maps, kernels, solvers
from ._incremental import IncrementalKernelPCA
from ._kernel_cca import KernelCCA
from ._kernel_features import KernelFeatures
from ._kernel_ica import KernelICA
from ._kernel_pca import KernelPCA, load
from ._kernel_sir import KernelSIR
from ._kernel_svd import KernelSVD
from ._mercer import __version__

__all__ = ["IncrementalKernelPCA", "KernelCCA", "KernelFeatures", "KernelICA", "KernelPCA",
           "KernelSIR", "KernelSVD", "__version__", "feature_maps", "kernels", "load", "solvers"]
