#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Starts program.cpp on several numbers of processes.

    check.py MPIRUN PROGRAM [--few] [KPCA_MPI KPCA]

Messages arrive; fits have the same bits on any number of processes; errors and killed processes end all
of them, with one sentence and no half-written file; and kpca-mpi finds what kpca finds. Exit status 1 after a fault.
"""

import json
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

COUNTS = [1, 2, 3, 4, 7]
FEW_COUNTS = [1, 3]  # with --few: for another MPI, whose messages are under test, and not the fits again
METHODS = {"block-krylov", "weighted", "nystrom", "exact", "features", "stochastic", "streamed-features",
           "streamed-stochastic"}
LIMIT = 120  # seconds for one start; they take a few
faults = []


def check(holds, what):
    if not holds:
        faults.append(what)
        print("FAULT:", what)


ENVIRONMENT = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                   OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_btl_vader_single_copy_mechanism="none")


def command(mpirun, program, count, words):
    return [mpirun, "-np", str(count), program, *map(str, words)]


def start(mpirun, program, count, *words):
    begin = time.monotonic()
    result = subprocess.run(command(mpirun, program, count, words), capture_output=True, text=True, timeout=LIMIT,
                            env=ENVIRONMENT)
    return result, time.monotonic() - begin


def write_npy(path, rows, columns):
    draw = random.Random(1)
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for i in range(rows):
            file.write(struct.pack(f"<{columns}d", *(draw.gauss(3 if i % 3 == j else 0, 1) for j in range(columns))))


def check_options_differ(mpirun, kpca_mpi, samples, folder):
    """Processes that were started with different options: a sentence, and no waiting for one another."""
    short, same = folder / "short.npy", ["--solver", "block-krylov", "--sigma", "2", "--out", folder / "bad"]
    write_npy(short, 1000, 5)
    for mine, theirs, sentence in (([samples, *same], [samples, *same, "--plain-sums"], "different options"),
                                   ([samples, *same], [samples, *same, "-p", samples], "different options"),
                                   ([samples, *same], [samples, *same, "--float"], "different options"),
                                   ([samples, *same], [samples, "--solver", "exact"], "different options"),
                                   ([samples, *same], [samples, "--help"], "different options"),
                                   ([samples, *same], [samples, "--nonsense"], "--nonsense")):
        result = subprocess.run([mpirun, "-np", "1", kpca_mpi, *map(str, mine), ":", "-np", "2", kpca_mpi,
                                 *map(str, theirs)], capture_output=True, text=True, timeout=LIMIT, env=ENVIRONMENT)
        check(result.returncode == 2, f"{mine} and {theirs}: status {result.returncode}")
        check(result.stderr.count("kpca-mpi: ") == 1 and sentence in result.stderr, f"{theirs}: {result.stderr}")
    # The same name, and another file on one machine.
    for rank in (1, 2):
        place = folder / f"machine{rank}"
        place.mkdir()
        (place / "x.npy").symlink_to(samples if rank == 1 else short)
    parts = [[str(part) for part in ("-np", 1, "-wdir", folder / f"machine{rank}", kpca_mpi, "x.npy", *same)]
             for rank in (1, 2)]
    result = subprocess.run([mpirun, *parts[0], ":", *parts[1]], capture_output=True, text=True, timeout=LIMIT,
                            env=ENVIRONMENT)
    check(result.returncode == 2, f"files that differ: status {result.returncode}")
    check("different files x.npy" in result.stderr, f"files that differ: {result.stderr}")


def read_npy(path):
    content = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<H", content[8:10])
    return struct.unpack(f"<{(len(content) - 10 - length) // 8}d", content[10 + length:])


def check_kpca(mpirun, kpca_mpi, kpca, samples, folder):
    for solver, parameters in (("block-krylov", ["--tolerance", "1e-9"]), ("auto", ["--tolerance", "1e-9"]),
                               ("exact", []), ("dual", ["--tolerance", "1e-9"]),
                               ("nystrom", ["--landmarks", "150", "--sampling", "uniform"]),
                               ("spgd", ["--iterations", "20"]), ("features", ["--features", "60"]),
                               ("doubly-stochastic", ["--features", "64", "--feature-batch", "32",
                                                      "--data-batch", "600", "--epochs", "10"])):
        options = ["--components", "3", "--sigma", "2", "--solver", solver, *parameters]
        subprocess.run([kpca, samples, *options, "--project", samples, "--out", folder / "one"], check=True,
                       capture_output=True)
        for count in (1, 3):
            out = folder / f"{solver}{count}"
            result, _ = start(mpirun, kpca_mpi, count, samples, *options, "-p", samples, "-v", "--out", out,
                              "--save", folder / f"model{count}")
            check(result.returncode == 0, f"kpca-mpi {solver} on {count}: {result.stderr}")
            check(result.stdout.count("component ") == 1, "kpca-mpi prints one table")
            # Scores of the residuals of 1e-9 mu_1, or of rounding, over gaps of about a tenth of it.
            for name, tolerance in (("eigenvalues", 1e-10), ("scores", 1e-6), ("projected", 1e-6)):
                ours, theirs = read_npy(out / f"{name}.npy"), read_npy(folder / "one" / f"{name}.npy")
                check(len(ours) == len(theirs), f"shape of {name}")
                worst = max(abs(a - b) for a, b in zip(ours, theirs))
                check(worst <= tolerance * max(map(abs, theirs)), f"{solver}, {name} on {count}: off by {worst}")
                check((out / f"{name}.npy").read_bytes() == (folder / f"{solver}1" / f"{name}.npy").read_bytes(),
                      f"{solver}, bits of {name} on {count}")
            ours, theirs = (json.loads((path / "report.json").read_text()) for path in (out, folder / "one"))
            for name in ("solver", "n", "d", "components", "kernel", "parameters", "centered", "status"):
                check(ours[name] == theirs[name], f"{solver}, {name} of report.json: {ours[name]}, {theirs[name]}")
            check(len(ours["processes"]) == count, f"{solver}, processes of report.json")
            if count > 1:
                check(min(p["bytes_sent"] for p in ours["processes"]) > 0, "bytes of report.json")
            subprocess.run([kpca, "--load", folder / f"model{count}", "--project", samples, "--out", folder / "loaded"],
                           check=True, capture_output=True)
            ours, theirs = read_npy(folder / "loaded" / "projected.npy"), read_npy(out / "projected.npy")
            worst = max(abs(a - b) for a, b in zip(ours, theirs))
            check(worst <= 1e-12 * max(map(abs, theirs)), f"{solver}, the model of {count} in kpca: off by {worst}")
    check_options_differ(mpirun, kpca_mpi, samples, folder)
    check_text(mpirun, kpca_mpi, samples, folder)
    check_state(mpirun, kpca_mpi, samples, folder)
    check_fresh(mpirun, kpca_mpi, kpca, folder)
    check_no_components(mpirun, kpca_mpi, kpca, samples, folder)
    check_values(mpirun, kpca_mpi, kpca, samples, folder)
    check_weights(mpirun, kpca_mpi, kpca, samples, folder)
    check_stream(mpirun, kpca_mpi, samples, folder)
    for words, sentence in ((["--components", "2000"], "2000 is more than the 1100 rows"), (["--kernel", "none"], "none"),
                            (["--landmarks", "50"], "--landmarks"), (["--solver", "spgd", "--estimator", "entries"], "spgd"),
                            (["--kernel", "precomputed"], "precomputed"),
                            (["--solver", "exact", "--memory-budget", "1M"], "n = 1100"),
                            (["--solver", "block-krylov", "--memory-budget", "1k"], "--memory-budget: 1K is too small"),
                            (["--solver", "doubly-stochastic", "--components", "0.9"], "fraction"),
                            (["--solver", "features", "--features", "1", "--components", "9"], "features"),
                            (["--solver", "features", "--kernel", "sigmoid"], "--map"),
                            (["--project", folder / "absent.npy"], "absent.npy"),
                            (["--solver", "exact", "--state", folder / "state"], "--state"),
                            (["--save", samples], "would overwrite INPUT"),
                            (["--save", folder / "bad" / "scores.npy"], "--save"),
                            (["--solver", "doubly-stochastic", "--state", folder], "--state"),
                            (["--solver", "doubly-stochastic", "--state", folder / "no" / "where"], "--state: "),
                            (["--solver", "doubly-stochastic", "--state-every", "5"], "--state-every"),
                            (["--stream"], "--stream: the solver auto needs all samples in memory"),
                            (["--stream", "--solver", "doubly-stochastic", "--weights", folder / "weights.csv"],
                             "the solver doubly-stochastic takes none"),
                            (["--stream", "--solver", "features", "--drop", "1"], "all columns of a .npy file")):
        result, _ = start(mpirun, kpca_mpi, 3, samples, *words, "--out", folder / "bad")
        check(result.returncode == 2, f"kpca-mpi {words}: status {result.returncode}")
        check(result.stderr.count("kpca-mpi: ") == 1 and sentence in result.stderr, f"kpca-mpi {words}: {result.stderr}")


def kill_all(word):
    """Kills all processes that were started with word, until there are none. They are not in the group of
    mpirun: killed alone, it would leave them at work, and they would replace the state while others read it."""
    begin = time.monotonic()
    while time.monotonic() - begin < LIMIT:
        killed = False
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if str(word).encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                    os.kill(int(entry.name), signal.SIGKILL)
                    killed = True
            except OSError:  # ended since
                pass
        if not killed:
            return
        time.sleep(0.01)
    check(False, "processes that cannot be killed")


def check_goes_on(solver, whole, resumed):
    """The reports of a fit and of one that has gone on: the second one has not done all of the work."""
    if solver != "doubly-stochastic":
        words = {"spgd": r"the iterate of step [1-9]\d* was", "features": r"the sums of [1-9]\d* rows were"}
        check(re.search(f"; {words.get(solver, '[1-9][0-9]* products were')} there already", resumed["reason"]),
              f"{solver} goes on from its state: {resumed['reason']}")
        return
    check(resumed["resumed_from_step"] >= 5, f"{solver} goes on from step {resumed['resumed_from_step']}")
    # The features that steps have evaluated on process 0.
    evaluated = [sum(phase["bytes"] for phase in report["phases"] if phase["phase"] == "features")
                 for report in (whole, resumed)]
    check(0 < evaluated[1] < evaluated[0], f"{solver} evaluates {evaluated[1]} of {evaluated[0]} bytes of features")


def check_state(mpirun, kpca_mpi, samples, folder):
    """A fit that is killed goes on from its state, on another number of processes, to the same bits."""
    for solver, parameters in (
            ("doubly-stochastic", ["--features", "128", "--feature-batch", "32", "--data-batch", "600",
                                   "--epochs", "300"]),
            ("auto", ["--tolerance", "1e-10"]), ("spgd", ["--iterations", "200", "--features", "20"]),
            ("features", ["--features", "60"])):
        state = folder / f"{solver}.state"
        options = [samples, "--components", "2", "--sigma", "2", "--solver", solver, *parameters]
        kept = [*options, "--state", state, "--out", folder / f"{solver}-resumed"]
        if solver in ("doubly-stochastic", "spgd", "features"):
            kept += ["--state-every", "1" if solver == "features" else "5"]
        start(mpirun, kpca_mpi, 2, *options, "--out", folder / f"{solver}-at-once")
        run = subprocess.Popen(command(mpirun, kpca_mpi, 3, kept), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        begin = time.monotonic()

        def exists():  # a file, or a folder that has blocks
            return state.is_file() or any(state.glob("*.npy"))

        while run.poll() is None and not exists() and time.monotonic() - begin < LIMIT:
            time.sleep(0.001)
        kill_all(state)
        run.wait()
        check(exists(), f"kpca-mpi writes the state of {solver}")
        if run.returncode != 0:  # it may have been faster
            check(not (folder / f"{solver}-resumed" / "scores.npy").exists(),
                  "a killed kpca-mpi has written no scores")
        result, _ = start(mpirun, kpca_mpi, 2, *kept)
        check(result.returncode == 0, f"kpca-mpi goes on: {result.stderr}")
        check_goes_on(solver, *(json.loads((folder / f"{solver}-{out}" / "report.json").read_text())
                                for out in ("at-once", "resumed")))
        for name in ("eigenvalues", "scores"):
            whole, resumed = ((folder / f"{solver}-{out}" / f"{name}.npy").read_bytes()
                              for out in ("at-once", "resumed"))
            check(whole == resumed, f"{solver}, bits of {name} after a resumption")
        if solver not in ("doubly-stochastic", "auto"):
            continue  # others keep theirs in such a folder, too
        other = ["3" if word == "2" and before == "--sigma" else word for before, word in zip([None, *kept], kept)]
        result, _ = start(mpirun, kpca_mpi, 2, *other)
        check(result.returncode == 2 and "of another fit" in result.stderr and result.stderr.count("kpca-mpi: ") == 1,
              f"a state of another fit: {result.stderr}")


def check_text(mpirun, kpca_mpi, samples, folder):
    """Tables and LIBSVM files give what the .npy file gives."""
    values = read_npy(samples)
    rows = [values[i:i + 5] for i in range(0, len(values), 5)]
    table, sparse = folder / "x.csv", folder / "x.svm"
    table.write_text("name,a,b,c,d,e\n" + "".join(
        f"row {i}," + ",".join(map(repr, row)) + "\n" for i, row in enumerate(rows)))
    sparse.write_text("".join("1 " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row)) + "\n" for row in rows))
    options = ["--components", "3", "--sigma", "2", "--tolerance", "1e-9"]
    start(mpirun, kpca_mpi, 2, samples, *options, "--out", folder / "whole")
    for path, words in ((table, ["--drop", "name"]), (sparse, [])):
        result, _ = start(mpirun, kpca_mpi, 3, path, *options, *words, "--project", path, "--out", folder / "text")
        check(result.returncode == 0, f"kpca-mpi {path.name}: {result.stderr}")
        for name in ("scores", "projected"):
            ours, theirs = read_npy(folder / "text" / f"{name}.npy"), read_npy(folder / "whole" / "scores.npy")
            worst = max(abs(a - b) for a, b in zip(ours, theirs))
            # Residuals of 1e-9 mu_1 over gaps of about a tenth of it.
            check(len(ours) == len(theirs) and worst <= 1e-6 * max(map(abs, theirs)), f"{path.name}: off by {worst}")
    result, _ = start(mpirun, kpca_mpi, 3, table, "--out", folder / "bad")
    check(result.returncode == 2, f"a table of words: status {result.returncode}")
    check(result.stderr.count("kpca-mpi: ") == 1 and "line 2 (row 1)" in result.stderr, f"a table of words: {result.stderr}")


def check_weights(mpirun, kpca_mpi, kpca, samples, folder):
    """Weights from a file or a column give what they give kpca, with the same bits on any number."""
    values = read_npy(samples)
    rows = [values[i:i + 5] for i in range(0, len(values), 5)]
    weights = [0.0 if i % 4 == 0 else float(i % 9) for i in range(len(rows))]
    column, table = folder / "weights.csv", folder / "weighted.csv"
    column.write_text("weight\n" + "".join(f"{weight}\n" for weight in weights))
    table.write_text("a,b,c,d,e,w\n" + "".join(
        ",".join(map(repr, [*row, weight])) + "\n" for row, weight in zip(rows, weights)))
    of_file, of_column = [samples, "--weights", column], [table, "--weight-column", "w"]
    for solver, parameters in (("block-krylov", ["--tolerance", "1e-9"]), ("exact", []),
                               ("nystrom", ["--landmarks", "150"]), ("features", ["--features", "60"])):
        options = ["--components", "3", "--sigma", "2", "--solver", solver, *parameters]
        subprocess.run([kpca, *map(str, of_file), *options, "--project", samples, "--out", folder / "one"], check=True,
                       capture_output=True)
        for count, words in ((1, of_file), (3, of_file), (3, of_column)):
            out = folder / f"weighted-{solver}{count}"
            result, _ = start(mpirun, kpca_mpi, count, *words, *options, "-p", words[0], "--out", out, "--save",
                              folder / "weighted.model")
            check(result.returncode == 0, f"weights, {solver} on {count}: {result.stderr}")
            for name in ("eigenvalues", "scores", "projected"):
                ours, theirs = read_npy(out / f"{name}.npy"), read_npy(folder / "one" / f"{name}.npy")
                worst = max(abs(a - b) for a, b in zip(ours, theirs))
                check(len(ours) == len(theirs) and worst <= 1e-6 * max(map(abs, theirs)),
                      f"weights, {solver}, {name} on {count}: off by {worst}")
                check((out / f"{name}.npy").read_bytes() == (folder / f"weighted-{solver}1" / f"{name}.npy").read_bytes(),
                      f"weights, {solver}, bits of {name} on {count}")
            report = json.loads((out / "report.json").read_text())
            check(report["weights"] == str(words[-1]), f"weights of report.json: {report['weights']}")
    options = ["--components", "3", "--sigma", "2", "--out", folder / "bad"]
    short = folder / "short.csv"
    short.write_text("1\n2\n")
    negative = folder / "negative.csv"
    negative.write_text("".join(f"{-weight if i == 901 else weight}\n" for i, weight in enumerate(weights)))
    for path, part in ((short, "has 2 weights for 1100 samples"), (negative, "at sample 902")):
        _, theirs, ours = check_as_kpca(mpirun, kpca_mpi, kpca, [samples, "--weights", path, *options], 2, part)
        check(ours == theirs, f"{path.name}: {ours}, {theirs}")
    check_as_kpca(mpirun, kpca_mpi, kpca, [samples, "--weights", column, "--solver", "spgd", *options], 2,
                  "the solver spgd takes none")


def check_stream(mpirun, kpca_mpi, samples, folder):
    """Samples that are read in pieces give the same bits as in memory, on any number of processes."""
    for solver, parameters in (("features", ["--features", "60"]),
                               ("doubly-stochastic", ["--features", "64", "--feature-batch", "32", "--data-batch", "600",
                                                      "--epochs", "10"])):
        options = [samples, "--components", "3", "--sigma", "2", "--solver", solver, *parameters, "-p", samples]
        results = []
        if solver == "features":
            options += ["--weights", folder / "weights.csv"]  # of check_weights()
        for count, words in ((2, []), (1, ["--stream"]), (3, ["--stream"])):
            out = folder / f"stream-{count}"
            result, _ = start(mpirun, kpca_mpi, count, *options, *words, "--out", out)
            check(result.returncode == 0, f"{solver} {words} on {count}: {result.stderr}")
            results.append([(out / f"{name}.npy").read_bytes() for name in ("eigenvalues", "scores", "projected")])
        check(results[0] == results[1] == results[2], f"{solver}: the same bits of a stream")


def check_as_kpca(mpirun, kpca_mpi, kpca, words, status, part):
    """Both programs end with this status, and with one sentence, the same."""
    one = subprocess.run([kpca, *map(str, words)], capture_output=True, text=True)
    result, _ = start(mpirun, kpca_mpi, 3, *words)
    told = [line[len("kpca-mpi: "):] for line in result.stderr.splitlines() if line.startswith("kpca-mpi: ")]
    check(one.returncode == status and part in one.stderr, f"kpca {words}: status {one.returncode}, {one.stderr}")
    check(result.returncode == status, f"kpca-mpi {words}: status {result.returncode}, {result.stderr}")
    check(len(told) == 1 and part in told[0], f"kpca-mpi {words}: {result.stderr}")
    return result, one.stderr.splitlines()[-1][len("kpca: "):], "".join(told)


def check_fresh(mpirun, kpca_mpi, kpca, folder):
    """Samples of --project whose columns have other names are refused, before the fit."""
    rows = [[f"{3 * i % 7}", f"{i % 5}"] for i in range(600)]
    known, swapped, broken = folder / "ab.csv", folder / "ba.csv", folder / "broken.csv"
    known.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
    swapped.write_text("b,a\n" + "".join(f"{b},{a}\n" for a, b in rows))
    broken.write_text("a,b\n1,2\n3\n")
    for project, part in ((swapped, "in another order: 'b', 'a'; there: 'a', 'b'"), (broken, "line 3 (row 2)")):
        out = folder / f"no-{project.stem}"
        _, theirs, ours = check_as_kpca(mpirun, kpca_mpi, kpca, [known, "--project", project, "--out", out], 2, part)
        check(ours == theirs, f"{project.name}: {ours}, {theirs}")
        check(not out.exists(), f"{project.name} is refused before the fit")
    # Names in a file alone say nothing of columns that have none.
    plain = folder / "plain.csv"
    plain.write_text("".join(f"{a},{b}\n" for a, b in rows))
    for project in (known, plain):
        result, _ = start(mpirun, kpca_mpi, 2, known, "--project", project, "--out", folder / project.stem)
        check(result.returncode == 0, f"kpca-mpi --project {project.name}: {result.stderr}")
    check((folder / "ab" / "projected.npy").read_bytes() == (folder / "plain" / "projected.npy").read_bytes(),
          "projected samples with and without names of columns")
    # What is wrong with the scores of new samples alone leaves the other results.
    far, out = folder / "far.csv", folder / "far"
    far.write_text("a,b\n" + "".join(f"{a}000,{b}000\n" for a, b in rows))
    check_as_kpca(mpirun, kpca_mpi, kpca, [known, "--kernel", "exponential-dot", "--gamma", "1", "--solver",
                                           "nystrom", "--landmarks", 20, "--project", far, "--out", out], 2,
                  "values overflow")
    check((out / "scores.npy").exists() and (out / "report.json").exists(), "results beside far samples")
    check(not (out / "projected.npy").exists(), "no scores of far samples")


def check_values(mpirun, kpca_mpi, kpca, samples, folder):
    """What is said of the values and names in a file is what kpca says, whichever process has them."""
    bad = bytearray(samples.read_bytes())
    at = len(bad) - 8 * (5 * 300 - 2)  # row 801, column 3
    bad[at:at + 8] = struct.pack("<d", float("nan"))
    hole = folder / "hole.npy"
    hole.write_bytes(bad)
    words = ["--components", "1", "--sigma", "2", "--out", folder / "values"]
    _, theirs, ours = check_as_kpca(mpirun, kpca_mpi, kpca, [hole, *words], 2, "got nan at row 801, column 3")
    check(ours == theirs, f"a value that is not finite: {ours}, {theirs}")
    names = folder / "names.csv"
    names.write_text("1,2,c\n" + "".join(f"{3 * i % 7},{i % 5},{i % 11}\n" for i in range(600)))
    _, theirs, ours = check_as_kpca(mpirun, kpca_mpi, kpca, [names, *words], 0, "first line taken as names: '1', '2', 'c'")
    check(ours == theirs, f"names that are numbers: {ours}, {theirs}")


def check_no_components(mpirun, kpca_mpi, kpca, samples, folder):
    """A fit without components says why, as kpca does."""
    same = folder / "same.csv"
    same.write_text("1,2,3\n" * 600)
    words = ["--components", "1", "--sigma", "2", "--out", folder / "nothing"]
    _, theirs, ours = check_as_kpca(mpirun, kpca_mpi, kpca, [same, *words], 2, "the samples are all the same to this")
    check(ours == theirs, f"equal samples: {ours}, {theirs}")
    one = folder / "one.csv"
    one.write_text("1,2,3\n")
    check_as_kpca(mpirun, kpca_mpi, kpca, [one, "--sigma", "2", "--out", folder / "nothing"], 2, "one sample only")
    # None is above lambda: the samples are not to blame.
    result, _, _ = check_as_kpca(
        mpirun, kpca_mpi, kpca, [samples, *words, "--solver", "spgd", "--iterations", "1", "--lambda", "1e6",
                                 "--project", samples, "--save", folder / "nothing.model"], 3,
        "no eigenvalue exceeds lambda")
    check("not converged" in result.stdout, f"kpca-mpi without components: {result.stdout}")
    for name in ("eigenvalues", "scores", "projected"):
        check(read_npy(folder / "nothing" / f"{name}.npy") == (), f"no component in {name}")
    check(not (folder / "nothing.model").exists(), "no model without components")


def main():
    mpirun, program, *kpca = sys.argv[1:]
    few = kpca[:1] == ["--few"]
    kpca = kpca[few:]
    counts = FEW_COUNTS if few else COUNTS
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        samples = folder / "x.npy"
        write_npy(samples, 1100, 5)

        for count in (1, 3):
            result, _ = start(mpirun, program, count, "messages")
            check(result.returncode == 0, f"messages on {count}: {result.stderr}")

        fits = {}
        for count, *plain in *((count,) for count in counts), (3, "plain"):
            out = folder / "-".join(map(str, ["fits", count, *plain]))
            out.mkdir()
            result, _ = start(mpirun, program, count, "fits", samples, out, *plain)
            check(result.returncode == 0, f"fits on {count} {plain}: {result.stderr}")
            fits[(count, *plain)] = {method: (values, (out / f"{method}.npy").read_bytes())
                                     for method, *values in map(str.split, result.stdout.splitlines())}
        one = fits[(1,)]
        check(one.keys() == METHODS, f"methods {one.keys()}")
        for method, (eigenvalues, scores) in one.items():
            check(len(eigenvalues) == 4, f"{method}: four eigenvalues")
            check(all(fits[(count,)].get(method) == (eigenvalues, scores) for count in counts),
                  f"{method}: the same bits on any number")
            plain = fits[(3, "plain")].get(method, ([], b""))[0]
            check(len(plain) == 4, f"{method}, plain sums: four eigenvalues")
            for a, b in zip(map(float.fromhex, plain), map(float.fromhex, eigenvalues)):
                # Rounding of sums over 1100 rows, and what block Krylov's tolerance of 1e-6 leaves, squared.
                check(abs(a - b) <= 1e-10 * b, f"{method}, plain sums: {a} for {b}")
        for method in ("features", "stochastic"):
            check(one[f"streamed-{method}"] == one[method], f"{method}: the same bits of a stream")

        result, _ = start(mpirun, program, 3, "together")
        check(result.returncode == 2, f"an error on all: status {result.returncode}")
        check(result.stderr.count("wrong on all") == 1, "an error on all is told once")
        result, seconds = start(mpirun, program, 3, "alone")
        check(result.returncode != 0, "an error on one ends all")
        check("wrong on one (process 2)" in result.stderr, "an error on one is told")
        check(seconds < 60, f"an error on one ends all soon, took {seconds:.0f} s")
        result, _ = start(mpirun, program, 3, "fits", folder / "none.npy", folder)
        check(result.returncode == 2, f"a file that is not there: status {result.returncode}")
        check(result.stderr.count("none.npy") == 1, "a file that is not there is named once")

        before = set(folder.iterdir())
        result, seconds = start(mpirun, program, 3, "kill", samples, folder / "killed.npy")
        check(result.returncode != 0, "a killed process ends all")
        check(seconds < 60, f"a killed process ends all soon, took {seconds:.0f} s")
        check(not (folder / "killed.npy").exists(), "no half-written file has the name of the result")
        check(set(folder.iterdir()) - before <= {p for p in folder.iterdir() if ".npy." in p.name},
              "nothing but a temporary file is left")
        if kpca:
            check_kpca(mpirun, *kpca, samples, folder)
    print(f"{len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
