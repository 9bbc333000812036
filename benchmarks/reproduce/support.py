# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""What the scripts of the experiments share: a program run and measured, curves drawn."""

import csv
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(args, command, threads, **values):
    """Lines of JSON that args.program prints on a command with arguments name=value."""
    words = [f"{name}={value!r}" if isinstance(value, float) else f"{name}={value}"
             for name, value in values.items() if value is not None]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads),
                   "OPENBLAS_NUM_THREADS": str(threads)}
    done = subprocess.run([args.program, command, *words], capture_output=True, text=True,
                          env=environment, check=False)
    if done.returncode != 0:
        sys.exit(f"{command} {' '.join(words)}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def slope(points):
    """Of log y over log x, by least squares."""
    x, y = [math.log(p[0]) for p in points], [math.log(p[1]) for p in points]
    centre = statistics.mean(x)
    return sum((a - centre) * b for a, b in zip(x, y)) / sum((a - centre) ** 2 for a in x)


def write_csv(folder, name, rows):
    """Rows, dictionaries of the same keys, as a table with a header."""
    with open(os.path.join(folder, name + ".csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def measured(command, threads):
    """What a program prints, its peak memory in MiB, and the seconds of processors that it took."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads),
                   "OPENBLAS_NUM_THREADS": str(threads)}
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(list(map(str, command)), stdout=out, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{command[0]}: exit status {process.returncode}")
        out.seek(0)
        return out.read(), usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def run_measured(command, threads):
    """Lines of JSON that a program prints, and its peak memory in MiB."""
    text, peak, _ = measured(command, threads)
    return [json.loads(line) for line in text.splitlines()], peak


def plot(folder, name, title, labels, curves, log="xy"):
    """Curves {label: ([(x, y), ...], gnuplot style)} as an SVG."""
    lines = ["set terminal svg noenhanced size 960,480 font 'sans,13' background '#ffffff'",
             f"set output '{os.path.join(folder, name)}.svg'", f"set title '{title}'",
             f"set xlabel '{labels[0]}'", f"set ylabel '{labels[1]}'",
             "set grid lc rgb '#dddddd'", "set key outside right center vertical samplen 2"]
    if log:
        lines.append(f"set logscale {log}")
        lines += [f"set format {axis} '%g'" for axis in log]
    for i, (points, _) in enumerate(curves.values()):
        lines += [f"$d{i} << EOD", *(f"{x:.6g} {y:.6g}" for x, y in points), "EOD"]
    lines.append("plot " + ", ".join(f"$d{i} with {style} title '{label}'"
                                     for i, (label, (_, style)) in enumerate(curves.items())))
    subprocess.run(["gnuplot"], input="\n".join(lines), text=True, check=True)
