#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Time and memory of an iteration of stochastic proximal gradient descent over n, at a fixed rank.

usage: spgd_scaling.py PROGRAM [--rows N,N,...] [--rank R] [--features K] [--steps T]

PROGRAM is mercer_reproduce_spgd_scaling. Samples are standard normal. Each n is a process of its
own, so that its peak memory can be measured from outside; that takes in the program and the data.
"""

import argparse
import os

from support import run_measured


def run(program, n, args):
    command = [program, n, args.dimension, args.rank, args.features, args.steps]
    (line,), peak = run_measured(command, args.threads)
    return {**line, "peak": peak}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="mercer_reproduce_spgd_scaling")
    parser.add_argument("--rows", type=lambda text: [int(word) for word in text.split(",")],
                        default=[30000, 60000, 120000], help="n, each twice the one before")
    parser.add_argument("--dimension", type=int, default=10)
    parser.add_argument("--rank", type=int, default=100, help="max_rank of the iterate")
    parser.add_argument("--features", type=int, default=50, help="Fourier draws of an iteration")
    parser.add_argument("--steps", type=int, default=20,
                        help="iterations timed, after 20 others; the median counts")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    return parser.parse_args()


def main():
    args = arguments()
    results = [run(args.program, n, args) for n in args.rows]
    print(f"d = {args.dimension}, {args.features} Fourier draws of 2 columns, max_rank {args.rank}, "
          f"{args.threads} threads\n"
          "products: U^T B, B - U G, B^T B and [U Q] W, each once, on the same shapes\n")
    print(f"{'n':>7} {'rank':>5} {'s/step':>8} {'ratio':>6} {'peak MiB':>9} {'ratio':>6} "
          f"{'products':>9} {'Gflop/s':>8} {'(square)':>8} {'step/products':>13}")
    before = None
    for row in results:
        ratios = [f"{row[key] / before[key]:.2f}" if before else "-" for key in ("step", "peak")]
        print(f"{row['n']:>7} {row['rank']:>5} {row['step']:>8.4f} {ratios[0]:>6} "
              f"{row['peak']:>9.0f} {ratios[1]:>6} {row['products']:>9.4f} "
              f"{row['flops'] / row['products'] / 1e9:>8.1f} {row['gemm'] / 1e9:>8.1f} "
              f"{row['step'] / row['products']:>13.2f}")
        before = row
    print("\nof a step, in percent (other: norms, copies, memory)")
    parts = ("draw", "extend", "decompose", "rotate")
    print(f"{'n':>7} " + " ".join(f"{name:>12}" for name in
                                  ("draw", "orthogonalise", "eigenvalues", "rotate", "other")))
    for row in results:
        shares = [100 * row[part] / row["step"] for part in parts]
        print(f"{row['n']:>7} " + " ".join(f"{s:>12.1f}" for s in [*shares, 100 - sum(shares)]))


if __name__ == "__main__":
    main()
