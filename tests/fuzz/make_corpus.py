#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Writes the inputs from which the fuzzers begin: small files of each format, good and bad.

    make_corpus.py FOLDER [KPCA]

makes FOLDER/npy, npz, csv, libsvm, matrix_market, gzip, labels, archive and checkpoint. Contents of archives are those of
models and states that the program KPCA saves; without it, these folders have a byte only.
"""

import gzip
import io
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

PREAMBLE = len(b"\x93MERCER\n") + 1 + 3 * 8  # the magic, the byte order, three numbers


def npy(descr, shape, elements, version=1, order="False"):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    length = struct.pack("<H" if version == 1 else "<I", len(header) + 1)
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + b"\n" + elements


def zipped(method, array):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("b.npy", array)
        archive.writestr("a.npy", array)
    return file.getvalue()


def corpus():
    doubles = struct.pack("<6d", 1, -2, 3.5, 0, 1e300, float("nan"))
    yield "npy", [
        npy("<f8", "(2, 3)", doubles),
        npy("<f8", "(2, 3)", doubles, version=2, order="True"),
        npy(">f4", "(3,)", struct.pack(">3f", 1, 2, 3), version=3),
        npy("|b1", "(4, 1)", b"\0\1\1\0"),
        npy("<i8", "(1, 2)", struct.pack("<2q", -1, 2**62)),
        npy("<f2", "(0, 5)", b""),
        npy("<f8", "(9223372036854775807, 2)", doubles),
    ]
    yield "csv", [
        b"a,b\n1,2\n3,-4e5\n",
        b'"x ""y""";z\r\n 1 ;"2"\r\n\r\n',
        b"\xef\xbb\xbf1\t2\n3\t4",
        b"word\nother\nthird\n",
        b"1e999,nan\n",
    ]
    yield "libsvm", [
        b"1 1:0.5 3:-2 # comment\n-1\n\n0.25 2:1e-300\n",
        b"+1 2147483646:1\n",
        b"1 3:1 2:1\n",
    ]
    yield "matrix_market", [
        b"%%MatrixMarket matrix array real general\n% c\n2 2\n1\n2\n3\n4\n",
        b"%%MatrixMarket matrix coordinate real general\n3 2 2\n1 1 0.5\n3 2 -1e3\n",
        b"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n",
        b"%%MatrixMarket matrix array integer skew-symmetric\n2 2\n5\n",
    ]
    yield "npz", [zipped(method, array) for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
                  for array in (npy("<f8", "(2, 3)", doubles), npy("<f8", "(2, 4)", bytes(64)))]
    yield "gzip", [
        gzip.compress(b"1,2\n3,4\n", mtime=0),
        gzip.compress(bytes(3000), mtime=0) + gzip.compress(b"more", mtime=0) + bytes(5),
        gzip.compress(b"short", mtime=0)[:-3],
    ]


    yield "labels", [
        b"\3species\nsetosa\nvirginica\nsetosa\n",
        b"\2label\n1\n-2.5e3\n",
        b"\1\"a \"\"b\"\"\"\r\n",
        b"\3" + npy("<i8", "(3,)", struct.pack("<3q", -1, 2**62, 0)),
        b"\0" + npy("|b1", "(2, 1)", b"\0\1"),
    ]


def archives(kpca):
    """The contents of archives of a model of each kind that the fuzzer asks for."""
    fits = [
        ["--kernel", "gaussian", "--sigma", "1"],
        ["--kernel", "polynomial", "--precision", "single"],
        ["--kernel", "linear"],
        ["--kernel", "gaussian", "--sigma", "1", "--solver", "features", "--features", "4"],
    ]
    with tempfile.TemporaryDirectory() as folder:
        samples = pathlib.Path(folder, "x.csv")
        samples.write_text("1,2\n3,4\n0,-1\n2,2\n5,1\n")
        for i, options in enumerate(fits):
            model = pathlib.Path(folder, f"{i}.model")
            subprocess.run([kpca, samples, "--components", "2", "--save", model, "--out", folder, *options],
                           check=True, stdout=subprocess.DEVNULL)
            yield model.read_bytes()[PREAMBLE:]


def checkpoints(kpca):
    """The contents of states of streams, after different numbers of steps."""
    with tempfile.TemporaryDirectory() as folder:
        samples = pathlib.Path(folder, "x.csv")
        samples.write_text("".join(f"{i % 7},{i * i % 11}\n" for i in range(64)))
        for every in ("1", "3"):
            state = pathlib.Path(folder, every)
            subprocess.run([kpca, samples, "--components", "2", "--solver", "doubly-stochastic", "--features", "16",
                            "--feature-batch", "4", "--data-batch", "16", "--state", state, "--state-every", every,
                            "--out", folder], check=True, stdout=subprocess.DEVNULL)
            yield state.read_bytes()[PREAMBLE:]


def main():
    folder = pathlib.Path(sys.argv[1])
    groups = [*corpus()]
    for name, contents in (("archive", archives), ("checkpoint", checkpoints)):
        groups.append((name, [*contents(sys.argv[2])] if len(sys.argv) > 2 else [b"\1"]))
    for name, inputs in groups:
        (folder / name).mkdir(parents=True, exist_ok=True)
        for i, data in enumerate(inputs):
            (folder / name / f"seed{i}").write_bytes(data)


if __name__ == "__main__":
    main()
