#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Writes the inputs from which the fuzzers begin: small files of each format, good and bad.

    make_corpus.py FOLDER

makes FOLDER/npy and so on, one folder for each fuzzer. Models and states of fits are not among them: the tests of
archives write those that they put together by hand, if MERCER_FUZZ_SEEDS names a folder.
"""

import gzip
import io
import pathlib
import struct
import sys
import zipfile


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
        b"sep=;\n\n# c\na;b\n1;2\n",
        b'"a" "b c"\n"no. 1" 1 2\n"no. 2" 3 4\n',
    ]
    yield "libsvm", [
        b"1 1:0.5 3:-2 # comment\n-1\n\n0.25 2:1e-300\n",
        b"+1 2147483646:1\n",
        b"1 3:1 2:1\n",
        b"1 qid:3 0:1 2:0.5\n-1 qid:4\n1,2 1:1\n",
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
    gaussian = ("gaussian", 0.5)
    yield "archive", [
        archived("gaussian", *gaussian),
        archived("sum", "scaled", 0.25, *gaussian, "polynomial", 2.0, 1.0, 3),
        archived("random-fourier", "random-fourier", 2, 1, 0),
    ]
    yield "checkpoint", [b"\1"]
    yield "options", ["\n".join(line.split()).encode() for line in (
        "x.npy",
        "x.csv -k polynomial --degree 3 --coef0 1 -n 5 --labels y.csv --out there",
        "x.svm.gz --kernel matern --nu 2.5 --length p20 --solver nystrom --landmarks 50 --sampling kmeans",
        "x.npy -s doubly-stochastic --features 64 --state s --state-every 3 --epochs 2 --step 0.5",
        "x.npz:a --sigma cv --criterion pre-image --grid 1,2,4 --columns a,b --drop 3",
        "x.csv --solver spgd --estimator columns --lambda 3 --checkpoints 1,2 --memory-budget 4G -j 2",
        "- --standardize --precision single --seed 7 --format csv --pictures scores,pairs --variables",
        "--load m --project y.npy", "merge a b --save m -n 0.9", "x --partial-out p --solver features",
        "--help-all", "--help nystrom", "--print man", "x.csv --no-such 1", "--version",
    )]
    yield "solvers", [bytes((i * j * 37 + j) % 256 for j in range(120)) for i in range(24)]


def archived(name, *parts):
    """The content of an archive of a kernel or a feature map. Numbers are of 8 bytes."""
    def text(word):
        return struct.pack("<q", len(word)) + word.encode()

    def number(value):
        return struct.pack("<d" if isinstance(value, float) else "<q", value)

    body = b"".join(text(part) if isinstance(part, str) else number(part) for part in parts)
    return b"\1" + text(name) + 4 * text("") + text("0.1.0") + body


def main():
    folder = pathlib.Path(sys.argv[1])
    (folder / "golden").mkdir(parents=True, exist_ok=True)  # for those of the tests
    for name, inputs in corpus():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for i, data in enumerate(inputs):
            (folder / name / f"seed{i}").write_bytes(data)


if __name__ == "__main__":
    main()
