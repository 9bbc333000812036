# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Kernel PCA and its relatives at any scale, with the interface of scikit-learn.

    from mercer import KernelPCA
    scores = KernelPCA(n_components=10, kernel="rbf").fit_transform(X)
"""

from ._choices import kernels, solvers
from ._kernel_cca import KernelCCA
from ._kernel_pca import KernelPCA
from ._kernel_sir import KernelSIR
from ._mercer import __version__

__all__ = ["KernelCCA", "KernelPCA", "KernelSIR", "__version__", "kernels", "solvers"]
