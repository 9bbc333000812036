#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Kernel PCA by mercer and by other libraries on the same data in one run, as a table.

usage: solvers.py PROGRAM [--data NAME=FILE[:ROWS][:/DIVISOR][:standardise]]... [options]

PROGRAM is mercer_compare_solvers. FILE is .npy, .csv or .svm, each also .gz, or mixture-NxD for
points around 10 centres from a fixed seed. The kernel is the Gaussian whose bandwidth is the 20th
percentile of the pairwise distances; features are centred.

Every fit is a process of its own, so that its peak memory can be measured from outside; that takes
in the program or interpreter with its libraries, and the data. Contestants take turns; medians of
the seconds of the fit alone are printed, with the largest relative error of the k eigenvalues.
"""

import argparse
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from blas_kernels import blas_kernels  # noqa: E402  (the path is set above)

RIVALS = os.path.join(HERE, "rivals.py")
KERNLAB = os.path.join(HERE, "kernlab.R")
RIVAL_NAMES = ["arpack", "arpack-1e-6", "randomized", "randomized-4", "randomized-7", "dense",
               "float32", "nystroem", "rpcholesky", "kernlab"]
OVER_LANDMARKS = ["nystroem", "rpcholesky"]
# For mercer as kpca has it (examples/support/start_settings.hpp), and for the rivals. NumPy asks for huge pages in any case.
HUGE_PAGES = ("glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=33554432:"
              "glibc.malloc.trim_threshold=134217728:glibc.malloc.top_pad=4194304")
KERNLAB_ROWS = 4000  # builds the dense matrix and finds all its eigenvectors
EQUAL_ERRORS = 1e-11  # relative errors up to this are rounding: all count as equal


@dataclass
class Data:
    name: str
    path: str
    n: int
    d: int
    sigma: float


@dataclass
class Contestant:
    label: str
    is_rival: bool
    command: list
    skipped: str = ""


def run(command, args):
    """Runs a process that prints JSON. Returns that with peak_mib, or {"failed": a line}."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(args.threads),
                   "OPENBLAS_NUM_THREADS": str(args.threads)}
    environment.setdefault("GLIBC_TUNABLES", HUGE_PAGES)
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(list(map(str, command)), stdout=out, stderr=err, env=environment)
        timer = threading.Timer(args.timeout, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        late = not timer.is_alive()
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode == 0:
            return {**json.loads(out.read().splitlines()[-1]), "peak_mib": usage.ru_maxrss / 1024}
        lines = err.read().strip().splitlines() or [f"exit status {process.returncode}"]
        return {"failed": f"no result in {args.timeout:g} s" if late else lines[-1]}


def must(result, what):
    if "failed" in result:
        sys.exit(f"{what}: {result['failed']}")
    return result


def say(text):
    print(text, file=sys.stderr, flush=True)


def prepare(spec, folder, args, sigma=None, rows=0):
    """Writes the data of a --data option as .npy."""
    name, equals, rest = spec.partition("=")
    file, *changes = rest.split(":")
    divisor, standardise = 1.0, False
    for change in changes:
        if change.isdigit():
            rows = rows or int(change)
        elif change.startswith("/"):
            divisor = float(change[1:])
        elif change == "standardise":
            standardise = True
        else:
            sys.exit(f"--data {spec}: {change} is none of ROWS, /DIVISOR, standardise")
    if not equals or not name:
        sys.exit(f"--data {spec}: not of the form NAME=FILE")
    path = os.path.join(folder, f"{name}-{rows}.npy")
    about = must(run([sys.executable, RIVALS, "prepare", file, path, rows, divisor, standardise],
                     args), file)
    return Data(name, path, about["n"], about["d"], sigma or about["sigma"])


def mercer_command(args, data, solver, precision="auto", tolerance=None, landmarks=0):
    return [args.program, data.path, repr(data.sigma), args.components, solver,
            tolerance or args.tolerance, precision, landmarks]


def mercer_contestants(args, data):
    for choice in args.solvers:
        solver, _, precision = choice.partition(":")
        too_large = data.n > args.dense_rows and solver == "exact"
        skipped = f"n > {args.dense_rows}" if too_large else ""
        for m in args.landmarks if solver == "nystrom" else [0]:
            label = " ".join(["mercer", solver, *([precision] if precision else []),
                              *([f"m={m}"] if m else [])])
            command = mercer_command(args, data, solver, precision or "auto", landmarks=m)
            yield Contestant(label, False, command, skipped or too_many(m, data))


def too_many(landmarks, data):
    return f"m > n = {data.n}" if landmarks > data.n else ""


def rival_contestants(args, data):
    for rival in args.rivals:
        if rival == "kernlab":
            skipped = f"n > {KERNLAB_ROWS}" if data.n > KERNLAB_ROWS else args.no_kernlab
            command = ["Rscript", KERNLAB, data.path, data.n, data.d, repr(data.sigma),
                       args.components]
            yield Contestant("kernlab kpca", True, command, skipped)
            continue
        name, _, parameter = rival.partition("-")
        too_large = data.n > args.dense_rows and name == "dense"
        skipped = f"n > {args.dense_rows}" if too_large else ""
        defaults = {"arpack": "0", "randomized": "auto", "float32": "1e-6"}
        over_landmarks = name in OVER_LANDMARKS
        for choice in args.landmarks if over_landmarks else [parameter or defaults.get(name, "")]:
            label = {"arpack": f"sklearn arpack tol={choice}",
                     "randomized": f"sklearn randomized q={choice}",
                     "float32": f"numpy float32 + eigsh tol={choice}",
                     "rpcholesky": f"numpy RPCholesky m={choice}",
                     "nystroem": f"sklearn Nystroem m={choice} + PCA"}.get(name, f"sklearn {name}")
            command = [sys.executable, RIVALS, "fit", data.path, repr(data.sigma), args.components,
                       name, choice]
            many = too_many(choice, data) if over_landmarks else ""
            yield Contestant(label, True, command, skipped or many)


def measure(contestants, args):
    """All runs of all contestants, in turns: {label: [result, ...]}."""
    runs = {c.label: [] for c in contestants}
    for turn in range(args.repeat):
        for contestant in contestants:
            results = runs[contestant.label]
            if contestant.skipped or any("failed" in result for result in results):
                continue
            results.append(run(contestant.command, args))
            seconds = results[-1].get("fit_seconds")
            say(f"  {turn + 1}/{args.repeat} {contestant.label}: "
                + (f"{seconds:.3f} s" if seconds is not None else results[-1]["failed"]))
    return runs


def largest_error(eigenvalues, reference):
    if len(eigenvalues) < len(reference):
        return math.inf
    return max(abs(a / b - 1) for a, b in zip(eigenvalues, reference))


def find_reference(args, data):
    """Eigenvalues to measure errors by, and a sentence on where they are from."""
    solver = "block-krylov" if "block-krylov" in args.offered else "exact"
    tight = must(run(mercer_command(args, data, solver, "double", 1e-12), args), "reference")
    ours = tight["eigenvalues"]
    if tight["status"] != "converged":
        say(f"  the reference by mercer {solver} is {tight['status']}")
    sentence = f"mercer {solver}, tolerance 1e-12, double"
    if data.n > args.check_rows:
        return ours, sentence + f" (no independent one: n > {args.check_rows})"
    check = must(run([sys.executable, RIVALS, "reference", data.path, repr(data.sigma),
                      args.components], args), "independent reference")["eigenvalues"]
    return check, (f"scipy eigsh (ARPACK), tolerance 0; {sentence} differs from it by "
                   f"{largest_error(ours, check):.0e}")


def row_of(contestant, results, reference):
    """Figures of one contestant; none where it did not run."""
    if contestant.skipped:
        return {"note": f"skipped: {contestant.skipped}"}
    if failed := [result["failed"] for result in results if "failed" in result]:
        return {"note": f"failed: {failed[0]}"}
    first = results[0]
    notes = [first[key] for key in ("storage",) if first.get(key)]
    if first.get("status", "converged") != "converged":
        notes.insert(0, first["status"])
    if first.get("iterations"):
        notes.append(f"{first['iterations']} iteration" + "s" * (first["iterations"] > 1))
    return {"seconds": statistics.median(result["fit_seconds"] for result in results),
            "error": max(largest_error(result["eigenvalues"], reference) for result in results),
            "peak": max(result["peak_mib"] for result in results),
            "precision": first.get("precision", "double"), "note": ", ".join(notes)}


def best_rival(row, rows):
    """Seconds of the fastest rival with no larger error; None if there is none."""
    allowed = max(row["error"], EQUAL_ERRORS)
    times = [other["seconds"] for contestant, other in rows
             if contestant.is_rival and "error" in other and other["error"] <= allowed]
    return min(times, default=None)


def arithmetic_seconds(data, results, args):
    """Seconds of the products that a fit of mercer's reports, by numpy alone; None where that says nothing."""
    first = results[0] if results else {"failed": ""}
    if "failed" in first or first["solver"].startswith("exact"):
        return None
    over = re.search(r"(\d+) landmarks", first["solver"])
    # A matrix of the products is in memory as a whole, unlike mercer's.
    if not over and data.n > args.check_rows:
        return None
    alone = run([sys.executable, RIVALS, "arithmetic", data.path, over[1] if over else 0,
                 first["kernel_products"]], args)
    if "failed" in alone:
        say(f"  arithmetic: {alone['failed']}")
    return alone.get("seconds")


HEAD = (f"{'data':<12} {'n':>6} {'d':>5} {'k':>4}  {'solver':<30} {'precision':<9} {'fit s':>9} "
        f"{'error':>8} {'peak MiB':>9} {'ratio':>7} {'x BLAS':>7}  notes")


def print_table(data, rows, args):
    for contestant, row in rows:
        front = (f"{data.name:<12} {data.n:>6} {data.d:>5} {args.components:>4}  "
                 f"{contestant.label:<30} ")
        if "seconds" not in row:
            print(front + row["note"])
            continue
        rival = None if contestant.is_rival else best_rival(row, rows)
        ratio = f"{rival / row['seconds']:.2f}" if rival else "-"
        alone = row.get("arithmetic")
        of_products = f"{row['seconds'] / alone:.2f}" if alone else "-"
        print(front + f"{row['precision']:<9} {row['seconds']:>9.3f} {row['error']:>8.1e} "
              f"{row['peak']:>9.0f} {ratio:>7} {of_products:>7}  {row['note']}")


def compare(spec, folder, args, log):
    data = prepare(spec, folder, args)
    say(f"{data.name}: {data.n} x {data.d}, sigma {data.sigma:.4g}")
    reference, sentence = find_reference(args, data)
    contestants = [*mercer_contestants(args, data), *rival_contestants(args, data)]
    runs = measure(contestants, args)
    rows = [(c, row_of(c, runs[c.label], reference)) for c in contestants]
    for contestant, row in rows:
        if not contestant.is_rival:
            row["arithmetic"] = arithmetic_seconds(data, runs[contestant.label], args)
    print(HEAD)
    print_table(data, rows, args)
    print(f"{data.name}: sigma = {data.sigma:.6g}; errors against {sentence}\n", flush=True)
    log.append({"data": data.name, "n": data.n, "d": data.d, "k": args.components,
                "sigma": data.sigma, "reference": reference, "reference_from": sentence,
                "runs": runs, "arithmetic": {c.label: row.get("arithmetic") for c, row in rows}})


def exponent(sizes, times):
    """Slope of log time over log size, by least squares."""
    x, y = [math.log(s) for s in sizes], [math.log(t) for t in times]
    centre = statistics.mean(x)
    return (sum((a - centre) * b for a, b in zip(x, y))
            / sum((a - centre) ** 2 for a in x))


def growth(folder, args, log):
    """Fit times over n, and the exponent that fits them."""
    spec = args.data[0] if args.data else f"mixture=mixture-{max(args.growth)}x20"
    sigma, times = None, {}
    for n in args.growth:
        data = prepare(spec, folder, args, sigma, n)
        if data.n < n:
            sys.exit(f"--growth {n}: {data.name} has only {data.n} rows")
        sigma = data.sigma
        say(f"{data.name}: {n} x {data.d}")
        contestants = [*mercer_contestants(args, data), *rival_contestants(args, data)]
        for label, results in measure(contestants, args).items():
            if results and not any("failed" in result for result in results):
                seconds = statistics.median(result["fit_seconds"] for result in results)
                times.setdefault(label, {})[n] = seconds
        os.remove(data.path)
    print(f"{data.name}, d = {data.d}, k = {args.components}: seconds of a fit, and the exponent of n")
    print(f"{'solver':<30}" + "".join(f" {n:>9}" for n in args.growth) + "  exponent")
    for label, by_n in times.items():
        cells = "".join(f" {by_n[n]:>9.3f}" if n in by_n else f" {'-':>9}" for n in args.growth)
        slope = exponent(by_n.keys(), by_n.values()) if len(by_n) > 1 else math.nan
        verdict = ""
        if label.startswith("mercer nystrom"):
            verdict = "  linear" if slope <= 1.1 else "  NOT linear: above 1.1"
        print(f"{label:<30}{cells}  {slope:8.2f}{verdict}")
    log.append({"growth": times, "sigma": sigma, "k": args.components})


def words(text):
    return text.split(",")


def numbers(text):
    return [int(word) for word in text.split(",")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="mercer_compare_solvers")
    parser.add_argument("--data", action="append", default=[], metavar="NAME=FILE...")
    parser.add_argument("--solvers", type=words,
                        help="of mercer, each with :double or :single if need be; all by default")
    parser.add_argument("--rivals", type=words, default=RIVAL_NAMES,
                        help=f"of {','.join(RIVAL_NAMES)}, or none; all by default")
    parser.add_argument("--components", type=int, default=20)
    parser.add_argument("--tolerance", type=float, default=1e-6, help="of mercer's solvers")
    parser.add_argument("--landmarks", type=numbers, default=[1000], help="for Nystroem methods")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--dense-rows", type=int, default=10000,
                        help="above this n, skip solvers that find all eigenvalues")
    parser.add_argument("--check-rows", type=int, default=20000,
                        help="up to this n, find the reference by scipy as well")
    parser.add_argument("--growth", type=numbers, metavar="N,N,...",
                        help="instead of the table: fit times for these n and their exponents")
    parser.add_argument("--timeout", type=float, default=7200, help="seconds for one fit")
    parser.add_argument("--json", help="file for everything that was measured")
    args = parser.parse_args()
    args.offered = subprocess.run([args.program, "--solvers"], check=True, capture_output=True,
                                  text=True).stdout.split()
    args.solvers = args.solvers or args.offered
    args.rivals = [] if args.rivals == ["none"] else args.rivals
    for name, known in [*((s.partition(":")[0], args.offered) for s in args.solvers),
                        *((r, RIVAL_NAMES) for r in args.rivals)]:
        if name not in known and not name.startswith("randomized-"):
            parser.error(f"{name} is none of {', '.join(known)}")
    args.no_kernlab = missing_kernlab() if "kernlab" in args.rivals else ""
    return args


def missing_kernlab():
    """Why kernlab cannot run; empty if it can."""
    if not shutil.which("Rscript"):
        return "R is not installed (Debian package: r-cran-kernlab)"
    there = subprocess.run(["Rscript", "-e", "library(kernlab)"], capture_output=True, check=False)
    return "" if there.returncode == 0 else "not installed (Debian package: r-cran-kernlab)"


def main():
    args = arguments()
    log = []
    with tempfile.TemporaryDirectory() as folder:
        if args.growth:
            growth(folder, args, log)
        else:
            print(blas_kernels())
            print(f"{args.threads} threads, medians of {args.repeat}; ratio: seconds of the fastest "
                  f"rival with no larger error (up to {EQUAL_ERRORS:g} all are equal) / mercer's; "
                  "x BLAS: mercer's / those of its products alone, by numpy in single precision\n")
            for spec in args.data or ["mixture=mixture-4000x20"]:
                compare(spec, folder, args, log)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as out:
            json.dump(log, out, indent=1)


if __name__ == "__main__":
    main()
