#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Does harm to runs of kpca, and checks that nothing is lost.

    faults.py KPCA [HOURS] [--seed SEED] [--fault NAME]

KPCA is the program. Without HOURS, half a minute: what CI runs. Each round draws a fault: the program
is killed, interrupted or told to end at a random moment; the disk is full; the folder of the results
cannot be written to or vanishes; the input is cut while it is read; memory is short; two runs have
one state. Afterwards files are complete, or as they were before; a run that was not killed leaves no
partial file, has the right exit status, and says why in one line; and the next run has the results
of one without a fault, to the last bit. A round that fails is printed with the options that repeat it,
though not the moment at which the machine was where.
"""

import argparse
import array
import ast
import collections
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PART = ".mercer-part"
NOBODY = 65534


class Broken(Exception):
    """Something is not as promised."""


class Skipped(Exception):
    """This fault cannot be made here."""


def require(holds, text):
    if not holds:
        raise Broken(text)


# --- Files -------------------------------------------------------------------------------------

def write_npy(path, n, d, draw):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({n}, {d}), }}\n".encode()
    values = array.array("d", (draw.gauss(0, 1) for _ in range(n * d)))
    path.write_bytes(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + values.tobytes())


def require_complete(path):
    """The file is whole, by what its format says."""
    data = path.read_bytes()
    if path.suffix == ".npy":
        require(len(data) >= 10 and data.startswith(b"\x93NUMPY"), f"{path} has no header")
        length = int.from_bytes(data[8:10], "little")
        header = ast.literal_eval(data[10:10 + length].decode())
        count = 1
        for size in header["shape"]:
            count *= size
        require(len(data) == 10 + length + 8 * count, f"{path} is cut")
    elif path.suffix == ".json":
        try:
            json.loads(data)
        except ValueError as error:
            raise Broken(f"{path}: {error}") from error


def partial_files(folder):
    return sorted(str(path) for path in folder.rglob("*") if PART in path.name)


def contents(folder):
    """Names and bytes of the results. Reports hold times, which are never the same."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())
            if PART not in path.name and path.suffix != ".json"}


# --- Runs --------------------------------------------------------------------------------------

class Bench:
    """A folder with inputs, and the results of runs without faults."""

    def __init__(self, kpca, folder):
        self.kpca, self.folder = kpca, folder
        self.out = folder / "out"
        draw = random.Random(1)
        self.x = folder / "x.npy"
        write_npy(self.x, 900, 3, draw)
        self.fit = [self.x, "--solver", "block-krylov", "--components", 4, "--seed", 1]
        self.long = [self.x, "--solver", "kernel-hebbian", "--components", 3, "--step", 1e-9,
                     "--epochs", 100000000]
        self.stream = [self.x, "--solver", "doubly-stochastic", "--components", 3, "--features", 512,
                       "--feature-batch", 32, "--data-batch", 64]
        self.archives = "built without" not in self.run(self.stream + ["--state", folder / "s"])[2]
        self.fitted, self.streamed = self.reference(self.fit), self.reference(self.stream)
        self.fit_seconds = self.stream_seconds = 0.0
        for name in ("fit", "stream"):
            begin = time.monotonic()
            self.reference(getattr(self, name))
            setattr(self, name + "_seconds", time.monotonic() - begin)

    def start(self, arguments, out=None, **options):
        words = [str(word) for word in [self.kpca, *arguments, "--out", out or self.out]]
        # No gnuplot: a picture is drawn by another program, which has faults of its own.
        environment = {**os.environ, "PATH": "", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                cwd=self.folder, env=environment, **options)

    @staticmethod
    def end(run, seconds=300):
        try:
            out, err = run.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            raise Broken(f"still running after {seconds} seconds: {run.args}") from error
        finally:
            run.kill()
        return run.returncode, out, err

    def run(self, arguments, **options):
        return self.end(self.start(arguments, **options))

    def reference(self, arguments):
        shutil.rmtree(self.out, ignore_errors=True)
        code, _, err = self.run(arguments)
        require(code == 0, f"a run without faults ended with {code}: {err}")
        return contents(self.out)

    def empty(self):
        shutil.rmtree(self.out, ignore_errors=True)
        for path in self.folder.iterdir():
            if path.is_file() and path != self.x:
                path.unlink()

    def require_refused(self, code, err, *parts):
        """Exit status 2, one line, which has one of these parts."""
        require(code == 2, f"exit status {code}, not 2: {err}")
        last = err.strip().splitlines()[-1] if err.strip() else ""
        require(any(part in last for part in parts), f"the message is: {last!r}")

    def require_results(self, arguments, expected):
        """A run after the fault has all results, and leaves nothing partial behind."""
        code, _, err = self.run(arguments)
        require(code == 0, f"the run after the fault ended with {code}: {err}")
        require(contents(self.out) == expected, "the run after the fault has other results")
        require(not partial_files(self.folder), f"left: {partial_files(self.folder)}")


# --- Faults ------------------------------------------------------------------------------------

def killed(bench, draw):
    """Killed at any moment: old results or new ones, each file complete."""
    old = bench.reference([*bench.fit, "--sigma", 2])
    run = bench.start(bench.fit)
    time.sleep(draw.uniform(0, 1.3 * bench.fit_seconds))
    run.kill()
    bench.end(run)
    for path in bench.out.iterdir():
        if PART not in path.name:
            require_complete(path)
    for name, data in contents(bench.out).items():
        require(data in (old.get(name), bench.fitted.get(name)), f"{name} is neither old nor new")
    bench.require_results(bench.fit, bench.fitted)


def killed_with_state(bench, draw):
    """Killed some times and resumed: the results of one run."""
    if not bench.archives:
        raise Skipped("kpca was built without cereal")
    arguments = [*bench.stream, "--state", bench.folder / "run.state", "--state-every", 2]
    for _ in range(draw.randint(1, 4)):
        run = bench.start(arguments)
        time.sleep(draw.uniform(0, bench.stream_seconds))
        run.kill()
        bench.end(run)
    bench.require_results(arguments, bench.streamed)


def stopped(bench, draw):
    """SIGINT and SIGTERM: what there is is written, and the status is 130."""
    run = bench.start(bench.long)
    # Before the folder is made, the signal has its default effect.
    while not bench.out.exists() and run.poll() is None:
        time.sleep(0.005)
    time.sleep(draw.uniform(0, 1))
    run.send_signal(draw.choice([signal.SIGINT, signal.SIGTERM]))
    code, _, err = bench.end(run)
    require(code == 130, f"exit status {code}, not 130: {err}")
    require("kpca: interrupted" in err, f"the message is: {err!r}")
    for path in bench.out.iterdir():
        require_complete(path)
    if "are written" in err:
        require((bench.out / "scores.npy").exists(), "the scores are not written")
    require(not partial_files(bench.folder), f"left: {partial_files(bench.folder)}")
    bench.require_results(bench.fit, bench.fitted)


def limited_files(bench, draw):
    """No file may grow beyond a size: what a full disk does, also where nothing can be mounted."""
    limit = draw.randint(0, 28000)

    def limit_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    old = bench.reference([*bench.fit, "--sigma", 2])
    code, _, err = bench.run(bench.fit, preexec_fn=limit_files)
    bench.require_refused(code, err, "File too large")
    for name, data in contents(bench.out).items():
        require(data in (old.get(name), bench.fitted.get(name)), f"{name} is neither old nor new")
    require(not partial_files(bench.folder), f"left: {partial_files(bench.folder)}")
    bench.require_results(bench.fit, bench.fitted)


def full_disk(bench, draw):
    """A file system of a few pages."""
    disk = bench.folder / "disk"
    disk.mkdir(exist_ok=True)
    size = draw.randint(1, 8) * 4096
    if shutil.which("mount") is None or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", disk], check=False,
            stderr=subprocess.DEVNULL).returncode != 0:
        raise Skipped("no file system can be mounted")
    try:
        code, _, err = bench.run(bench.fit, out=disk / "out")
        bench.require_refused(code, err, "No space left on device")
        for path in (disk / "out").iterdir():
            require_complete(path)
        require(not partial_files(disk), f"left: {partial_files(disk)}")
    finally:
        subprocess.run(["umount", disk], check=True)
    bench.require_results(bench.fit, bench.fitted)


def read_only(bench, draw):
    """A folder that must not be written to."""
    del draw
    bench.out.mkdir()
    options = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    bench.folder.chmod(0o755)
    bench.out.chmod(0o555)
    try:
        if bench.end(bench.start(["--version"], **options))[0] != 0:
            raise Skipped("the program cannot be started as another user")
        code, _, err = bench.run(bench.fit, **options)
        bench.require_refused(code, err, "Permission denied")
        require(not list(bench.out.iterdir()), "something was written")
    except PermissionError as error:
        raise Skipped("the program cannot be started as another user") from error
    finally:
        bench.out.chmod(0o755)
    bench.require_results(bench.fit, bench.fitted)


def vanished(bench, draw):
    """The folder of the results is removed during the fit."""
    run = bench.start(bench.long)
    while not bench.out.exists() and run.poll() is None:
        time.sleep(0.005)
    time.sleep(draw.uniform(0.2, 1))
    shutil.rmtree(bench.out)
    run.send_signal(signal.SIGINT)
    code, _, err = bench.end(run)
    if "before there was a component" in err:  # it had nothing to write
        require(code == 130, f"exit status {code}, not 130: {err}")
    else:
        bench.require_refused(code, err, "No such file or directory")
    bench.require_results(bench.fit, bench.fitted)


def cut_input(bench, draw):
    """The input becomes shorter while it is read: refused, or all of it was read before."""
    big = bench.folder / ("big.npy" if draw.random() < 0.5 else "big.csv")
    n = 40000
    if big.suffix == ".npy":
        write_npy(big, n, 3, draw)
    else:
        big.write_text("".join(f"{draw.random()},{draw.random()},{i}\n" for i in range(n)))
    size = big.stat().st_size
    solver = draw.choice(["features", "nystrom"])
    run = bench.start([big, "--solver", solver, "--components", 2])
    time.sleep(draw.uniform(0, 0.3))
    os.truncate(big, draw.randint(0, size - 1))
    code, _, err = bench.end(run)
    require(code in (0, 2, 3), f"exit status {code}: {err}")
    if code == 2:
        require("big." in err, f"the message does not name the file: {err!r}")
    require(not partial_files(bench.folder), f"left: {partial_files(bench.folder)}")
    bench.require_results(bench.fit, bench.fitted)


def little_memory(bench, draw):
    """A small address space: small samples are fitted, many are refused with a sentence."""
    # Enough for the libraries, and for small samples, but not for the Gram matrix of many.
    limit = draw.randint(600, 900) << 20
    seconds = 20

    def limit_memory():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    big = bench.folder / "big.npy"
    many = draw.random() < 0.5
    write_npy(big, draw.randint(12000, 15000) if many else draw.randint(200, 600), 3, draw)
    code, _, err = bench.run([big, "--solver", "exact", "--components", 3],
                             preexec_fn=limit_memory)
    require(not partial_files(bench.folder), f"left: {partial_files(bench.folder)}")
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        raise Skipped("OpenBLAS waits for memory, see SECURITY.md")
    if many:
        bench.require_refused(code, err, "memory")
    else:
        require(code == 0, f"exit status {code}: {err}")
    bench.require_results(bench.fit, bench.fitted)


def two_runs(bench, draw):
    """Two runs on one state: both have the results, and the state can be resumed from."""
    if not bench.archives:
        raise Skipped("kpca was built without cereal")
    arguments = [*bench.stream, "--state", bench.folder / "run.state", "--state-every", 1]
    first = bench.start(arguments)
    time.sleep(draw.uniform(0, bench.stream_seconds))
    other = bench.folder / "other"
    second = bench.start(arguments, out=other)
    for run, out in ((first, bench.out), (second, other)):
        code, _, err = bench.end(run)
        require(code == 0, f"exit status {code}: {err}")
        require(contents(out) == bench.streamed, "the results are others")
    shutil.rmtree(other)
    bench.require_results(arguments, bench.streamed)


FAULTS = [killed, killed_with_state, stopped, limited_files, full_disk, read_only, vanished,
          cut_input, little_memory, two_runs]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kpca", type=pathlib.Path)
    parser.add_argument("hours", type=float, nargs="?", default=1 / 120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fault", choices=[fault.__name__ for fault in FAULTS])
    arguments = parser.parse_args()
    faults = [fault for fault in FAULTS if arguments.fault in (None, fault.__name__)]
    end = time.monotonic() + 3600 * arguments.hours
    rounds, skipped, broken = collections.Counter(), {}, 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments.kpca.resolve(), pathlib.Path(folder))
        number = 0
        while number < len(faults) or time.monotonic() < end:
            fault = faults[number % len(faults)]
            seed = arguments.seed + number
            number += 1
            bench.empty()
            try:
                fault(bench, random.Random(seed))
                rounds[fault.__name__] += 1
            except Skipped as reason:
                skipped[fault.__name__] = reason
            except Broken as reason:
                broken += 1
                print(f"--fault {fault.__name__} --seed {seed}: {reason}", flush=True)
    for name, count in sorted(rounds.items()):
        print(f"{name}: {count} rounds")
    for name, reason in sorted(skipped.items()):
        print(f"{name}: skipped, {reason}")
    print(f"{sum(rounds.values())} rounds kept all promises, {broken} did not")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
