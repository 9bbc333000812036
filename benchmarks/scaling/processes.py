#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Fits with rows over processes beside the same fit in one process.

    processes.py PROGRAM [--solver NAME] [--size M] [--n N] [--columns D] [--components K] [--repeats R]
                 [--mpirun MPIRUN]

PROGRAM is mercer_scaling_processes, NAME is block-krylov, nystrom or features, and M the number of
landmarks or features. Each row is the median of R runs, which take turns with the others,
in seconds of wall time of the fit. The ratio is to the fit in one process with as many threads in all.
What the machine cannot show (more processes than cores) is marked.
"""

import argparse
import json
import os
import statistics
import subprocess


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--solver", choices=("block-krylov", "nystrom", "features"), default="block-krylov")
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--n", type=int, default=20000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--components", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--mpirun", default="mpirun")
    arguments = parser.parse_args()
    cores = os.cpu_count()

    cases = [("serial", 1, 1), ("plain", 1, 1), ("order-free", 1, 1)]
    for total in (2, 4, 8):
        if total <= 2 * cores:
            cases += [("serial", 1, total), ("plain", total, 1), ("order-free", total, 1)]
    environment = dict(os.environ, OMP_WAIT_POLICY="passive", OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    results = {case: [] for case in cases}
    for _ in range(arguments.repeats):
        for form, processes, threads in cases:
            command = [arguments.mpirun, "-np", str(processes), "--oversubscribe", "--bind-to", "none",
                       arguments.program, form, arguments.solver, arguments.n, arguments.columns, arguments.components, threads, arguments.size]
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment,
                                  check=True)
            results[form, processes, threads].append(json.loads(done.stdout))

    size = "" if arguments.solver == "block-krylov" else f" of {arguments.size}"
    print(f"{arguments.solver}{size}, n = {arguments.n}, {arguments.columns} columns, {arguments.components} "
          f"components, kernel values in double precision; {cores} cores")
    print("| sums | processes | threads of each | s | ratio to one process | products | sent [MB] | waiting [s] | "
          "peak of a process [MB] |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (form, processes, threads), runs in results.items():
        seconds = statistics.median(run["seconds"] for run in runs)
        serial = statistics.median(run["seconds"] for run in results["serial", 1, processes * threads])
        note = "" if processes * threads <= cores else " (more than cores)"
        print(f"| {'one process, no MPI' if form == 'serial' else form} | {processes} | {threads}{note} | "
              f"{seconds:.3f} | {seconds / serial:.2f} | {runs[0]['products']} | {runs[0]['sent'] / 1e6:.1f} | "
              f"{statistics.median(run['waiting'] for run in runs):.3f} | {runs[0]['peak'] / 1e6:.0f} |")
    firsts = {run["first"] for (form, _, _), runs in results.items() if form == "order-free" for run in runs}
    print(f"first eigenvalue with order-free sums: {'the same bits in all runs' if len(firsts) == 1 else firsts}")


if __name__ == "__main__":
    main()
