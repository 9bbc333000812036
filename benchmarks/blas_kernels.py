# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Which kernels OpenBLAS has chosen for this processor, and how fast numpy multiplies with them.

A processor that is newer than the library may get the kernels of a very old one, and products that are several
times slower than they can be. The environment variable OPENBLAS_CORETYPE chooses other kernels, e.g. SkylakeX.
"""

import ctypes
import time


def blas_kernels():
    """The name of the kernels, in words; says so if the BLAS is not OpenBLAS or is not there."""
    try:
        library = ctypes.CDLL("libopenblas.so.0")
        name = library.openblas_get_corename
    except (OSError, AttributeError):
        return "BLAS: not OpenBLAS"
    name.restype = ctypes.c_char_p
    return f"BLAS: OpenBLAS with kernels for {name().decode()}"


def main():
    import numpy

    size = 1500
    a = numpy.random.default_rng(1).random((size, size))
    seconds = []
    for _ in range(5):
        start = time.process_time()
        a @ a
        seconds.append(time.process_time() - start)
    print(blas_kernels())
    print(f"product of {size} x {size} matrices in double precision: "
          f"{2 * size**3 / min(seconds) / 1e9:.0f} GFlops of one processor")


if __name__ == "__main__":
    main()
