#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Strong and weak scaling over processes: measured here, and computed for a cluster.

    prediction.py [--program PROGRAM] [--mpirun MPIRUN] [--repeats R] [--out DIR]
                  [--flops F] [--latency S] [--bandwidth B]

With PROGRAM, mercer_scaling_processes, it measures messages and fits on this machine: strong.svg (the
same samples on more processes) and weak.svg (the same work for each process), with the model beside.
The model is

    seconds = operations / F + steps * latency + bytes / B,

with the operations, steps and bytes of docs/how-to-processes.md, per process. F comes from the fits in one
process, latency and bandwidth from exchanges between two.

Without PROGRAM, and after it, the same model is computed for nodes of F operations a second (1.2e12), a
latency S (5e-6 s) and B bytes a second (12.5e9): cluster.svg. Block Krylov goes round a ring, where a slow
process delays the others: each step of each process takes a normal factor, and the ring is played through.
Nothing of cluster.svg is measured.
"""

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reproduce"))
from support import plot, say  # noqa: E402  (the path is set above)

KERNEL = 20  # operations of a kernel value beside the inner product, as an exponential
PRODUCTS = 6  # of block Krylov
DOUBLE = 8


class Work:
    """What one process does: operations, messages one after the other, and bytes received."""

    def __init__(self, operations, steps, received):
        self.operations, self.steps, self.received = operations, steps, received

    def seconds(self, flops, latency, bandwidth):
        return self.operations / flops + self.steps * latency + self.received / bandwidth


def reduction(numbers, processes):
    """Steps and bytes of a sum over all processes, where each number is two integers."""
    return 2 * math.ceil(math.log2(processes)), 0 if processes == 1 else 2 * 16 * numbers


def block_krylov(n, d, k, processes, products=PRODUCTS):
    block = k + 8
    operations = products * n * n / processes * (d + KERNEL / 2 + 2 * block)
    steps, received = reduction(6 * block * block, processes)
    ring = 0 if processes == 1 else n / 2 * DOUBLE * (d + 2 * block)
    return Work(operations, products * (5 * steps + processes // 2), products * (5 * received + ring))


def nystrom(n, d, m, processes):
    steps, received = reduction(m * m, processes)
    rows = n / processes
    return Work(rows * m * (2 * d + KERNEL + m) + 4 * m**3, 5 * steps, received + m * d * DOUBLE)


def features(n, d, m, processes):
    steps, received = reduction(m * m, processes)
    return Work(n / processes * m * (2 * d + KERNEL + m) + 9 * m**3, 3 * steps, received)


def ring_efficiency(processes, jitter, slow=0.0, seed=1):
    """The share of the ring's time that processes compute, if each step takes a normal factor.

    A process passes the samples of a step on before it evaluates them, and the sums when it has done. So it
    can begin step s when its step s - 1 is done and its neighbour has begun its own; and end it when the
    neighbour has done its step s - 1. A slow process takes 1 + slow times as long.
    """
    draw = random.Random(seed)
    steps = max(1, processes // 2)
    begun, done = [0.0] * processes, [0.0] * processes
    factor = [1.0] * processes
    factor[0] += slow
    for step in range(steps):
        begun_before, done_before = begun, done
        right = [(p + 1) % processes for p in range(processes)]
        begun = [max(done_before[p], begun_before[right[p]] if step > 0 else 0) for p in range(processes)]
        done = [max(begun[p] + factor[p] * max(0.1, draw.gauss(1, jitter)), done_before[right[p]])
                for p in range(processes)]
    return steps / max(done)


def measure(arguments):
    environment = dict(os.environ, OMP_WAIT_POLICY="passive", OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def start(processes, *words):
        command = [arguments.mpirun, "-np", processes, "--oversubscribe", "--bind-to", "none", arguments.program]
        done = subprocess.run([str(w) for w in [*command, *words]], capture_output=True, text=True, check=True,
                              env=environment)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def fit(processes, solver, n, d=20, k=10, size=500):
        return statistics.median(start(processes, "order-free", solver, n, d, k, 1, size)[0]["seconds"]
                                 for _ in range(arguments.repeats))

    messages = start(2, "messages", "ring", 0, 0, 0, 1, 0)
    latency = messages[0]["seconds"]
    bandwidth = messages[-1]["bytes"] / (messages[-1]["seconds"] - latency)
    cores = os.cpu_count()
    print(f"measured: latency {latency * 1e6:.1f} us, bandwidth {bandwidth / 1e9:.2f} GB/s, {cores} cores")
    counts = [p for p in (1, 2, 4, 8) if p <= 2 * cores]
    cases = {"block-krylov": (8000, 0.5, lambda n, p: block_krylov(n, 20, 10, p, products=4)),
             "nystrom": (40000, 1, lambda n, p: nystrom(n, 20, 500, p)),
             "features": (40000, 1, lambda n, p: features(n, 20, 500, p))}
    print("| solver | scaling | processes | n | s | model [s] | efficiency |\n|---|---|---|---|---|---|---|")
    for picture in ("strong", "weak"):
        curves = {}
        for solver, (n, power, work) in cases.items():
            seconds, model = [], []
            for p in counts:
                rows = n if picture == "strong" else round(n * p**power)
                seconds.append((p, fit(p, solver, rows)))
                if p == 1:
                    flops = work(n, 1).operations / seconds[0][1]
                model.append((p, work(rows, p).seconds(flops, latency, bandwidth)))
                ideal = seconds[0][1] / (p if picture == "strong" else 1)
                note = "" if p <= cores else " (more than cores)"
                print(f"| {solver} | {picture} | {p}{note} | {rows} | {seconds[-1][1]:.3f} | {model[-1][1]:.3f} | "
                      f"{ideal / seconds[-1][1]:.2f} |")
            curves[f"{solver}, measured"] = (seconds, "linespoints")
            curves[f"{solver}, model"] = (model, "lines dt 2")
        plot(arguments.out, picture, f"{picture} scaling, {cores} cores", ("processes", "seconds"), curves)
        say(f"{picture}.svg written")


def compute(arguments):
    machine = (arguments.flops, arguments.latency, arguments.bandwidth)
    print(f"computed: nodes of {arguments.flops:.3g} operations a second, latency {arguments.latency * 1e6:.3g} us, "
          f"{arguments.bandwidth / 1e9:.3g} GB/s")
    print("| solver | nodes | time [s] | of it messages | efficiency |\n|---|---|---|---|---|")
    cases = {"block Krylov, n = 1e8, d = 100, k = 20": lambda p: block_krylov(1e8, 100, 20, p),
             "Nystroem, n = 1e9, d = 100, m = 4096": lambda p: nystrom(1e9, 100, 4096, p),
             "FeaturePca, n = 1e9, d = 100, m = 4096": lambda p: features(1e9, 100, 4096, p)}
    curves = {}
    for name, work in cases.items():
        one = work(1).seconds(*machine)
        points = []
        for p in (1, 10, 30, 100, 300, 1000):
            seconds = work(p).seconds(*machine)
            points.append((p, one / p / seconds))
            if p in (100, 1000):
                messages = seconds - work(p).operations / arguments.flops
                print(f"| {name} | {p} | {seconds:.4g} | {messages / seconds:.1%} | {points[-1][1]:.2f} |")
        curves[name] = (points, "linespoints")
    for jitter, slow in ((0.05, 0), (0.2, 0), (0.05, 1)):
        points = [(p, ring_efficiency(p, jitter, slow)) for p in (2, 10, 30, 100, 300, 1000)]
        name = f"ring, jitter {jitter:.0%}" + (", one node half as fast" if slow else "")
        curves[name] = (points, "lines dt 2")
        for p, efficiency in points[-3::2]:
            print(f"| block Krylov's {name} | {p} | | | {efficiency:.2f} |")
    plot(arguments.out, "cluster", "efficiency on a cluster (computed, not measured)", ("nodes", "efficiency"), curves,
         log="x")
    say("cluster.svg written")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", default=".")
    parser.add_argument("--flops", type=float, default=1.2e12)
    parser.add_argument("--latency", type=float, default=5e-6)
    parser.add_argument("--bandwidth", type=float, default=12.5e9)
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    if arguments.program:
        measure(arguments)
    compute(arguments)


if __name__ == "__main__":
    main()
