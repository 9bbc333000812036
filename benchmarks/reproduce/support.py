# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""What the scripts of the experiments share: a program run and measured, curves drawn."""

import json
import os
import subprocess
import sys
import tempfile


def run_measured(command, threads):
    """Lines of JSON that a program prints, and its peak memory in MiB."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads),
                   "OPENBLAS_NUM_THREADS": str(threads)}
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(list(map(str, command)), stdout=out, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{command[0]}: exit status {process.returncode}")
        out.seek(0)
        return [json.loads(line) for line in out], usage.ru_maxrss / 1024


def plot(folder, name, title, labels, curves, log="xy"):
    """Curves {label: ([(x, y), ...], gnuplot style)} as an SVG."""
    lines = ["set terminal svg size 960,480 font 'sans,13' background '#ffffff'",
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
