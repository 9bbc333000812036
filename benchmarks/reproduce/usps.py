#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Digits of the US postal service by kernel PCA: the table of Schölkopf, Smola, Müller, Nonlinear component
analysis as a kernel eigenvalue problem, 1998, run anew, and pictures.

usage: usps.py KPCA PROGRAM --train X.npy,Y.npy --test X.npy,Y.npy [options]

KPCA is the program kpca, PROGRAM is mercer_reproduce_usps. X.npy has an image of 16 x 16 pixels in each
row, from -1 (paper) to 1 (ink), Y.npy its digit. All components come from the first --rows training images.

1. table: errors of a linear support vector machine (scikit-learn's LinearSVC, which is liblinear) on the
   test images, from 32 to 2048 components, for the kernels (x.y)^p and a Gaussian.
2. scores: the images in the first two components.
3. digits: test images, as they are and with noise, projected on 1 to 256 components and mapped back.

The folder of --out receives usps-errors.csv, usps-digits.csv, usps-scores-KERNEL.svg and
usps-digits-KIND.svg.
"""

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.svm import LinearSVC

from support import write_csv

PIXELS = 256
COUNTS = [32, 64, 128, 256, 512, 1024, 2048]
# Percent, by degree; a linear support vector machine on the pixels has 8.9.
PUBLISHED = {1: [9.6, 8.8, 8.6, 8.7, None, None, None],
             2: [8.8, 7.3, 5.8, 5.5, 4.9, 4.9, 4.9],
             3: [8.1, 6.8, 5.9, 5.3, 4.6, 4.3, 4.2],
             4: [8.5, 6.7, 6.1, 5.2, 4.4, 4.4, 4.1],
             5: [9.1, 6.7, 5.8, 5.2, 5.1, 4.6, 4.0],
             6: [9.3, 7.2, 6.0, 5.4, 4.6, 4.8, 4.3],
             7: [10.8, 7.5, 6.8, 5.4, 4.9, 4.6, 4.4]}
PENALTIES = [1, 10, 100]
RECONSTRUCTED = [1, 2, 4, 8, 16, 32, 64, 128, 256]
NOISES = ["none", "gaussian", "speckle"]


def polynomial(degree):
    """Options of kpca. The factor changes no component; it keeps values near 1."""
    return ["--kernel", "polynomial", "--degree", str(degree), "--coef0", "0", "--gamma", str(1 / PIXELS)]


def gaussian(args):
    return ["--kernel", "gaussian", "--sigma", str(args.sigma)]


def run_kpca(args, *words):
    command = [args.kpca, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")


def percent_wrong(machine, scores, digits):
    return 100 * float(np.mean(machine.predict(scores) != digits))


def fitted(scores, digits, penalty):
    # The primal problem, which Newton's method solves: the dual one may stop before it is solved.
    return LinearSVC(C=penalty, dual=False, max_iter=10000).fit(scores, digits)


def chosen_penalty(scores, digits):
    """The one with the fewest errors on a fifth of the training images, of the others' machine."""
    fifth = np.arange(len(digits)) % 5 == 0
    return min(PENALTIES, key=lambda penalty: percent_wrong(
        fitted(scores[~fifth], digits[~fifth], penalty), scores[fifth], digits[fifth]))


def errors(args, scores, counts):
    """Errors on the test images in percent by numbers of components, and the penalty for all of them."""
    (_, digits), (_, test_digits) = args.train, args.test
    scores = scores / np.sqrt(np.mean(np.sum(scores[:len(digits)] ** 2, axis=1)))
    train, test = scores[:len(digits)], scores[len(digits):]
    penalty = chosen_penalty(train[:, :PIXELS], digits)
    return {count: percent_wrong(fitted(train[:, :count], digits, penalty), test[:, :count], test_digits)
            for count in counts if count <= scores.shape[1]}, penalty


def table(args, folder):
    kernels = {**{f"degree {p}": (polynomial(p), PUBLISHED[p]) for p in args.degrees},
               "gaussian": (gaussian(args), [None] * len(COUNTS))}
    images = np.concatenate([args.train[0], args.test[0]])
    np.save(os.path.join(folder, "images.npy"), images)
    found, penalty = errors(args, images, [PIXELS])
    print(f"\nerrors of a linear support vector machine on {len(args.test[0])} test images, percent; "
          f"on the pixels: {found[PIXELS]:.1f} (published: 8.9)")
    print(f"{'components':<12}" + "".join(f"{count:>14}" for count in COUNTS) + f"{'penalty':>10}")
    rows = [{"kernel": "pixels", "components": PIXELS, "error": found[PIXELS], "published": 8.9,
             "penalty": penalty}]
    for name, (options, published) in kernels.items():
        run_kpca(args, os.path.join(folder, "fit.npy"), *options, "--solver", "exact",
                 "--components", PIXELS if name == "degree 1" else max(COUNTS),
                 "--project", os.path.join(folder, "images.npy"), "--pictures", "none", "--out", folder)
        found, penalty = errors(args, np.load(os.path.join(folder, "projected.npy")), COUNTS)
        paper = dict(zip(COUNTS, published))
        rows += [{"kernel": name, "components": count, "error": error, "published": paper[count],
                  "penalty": penalty} for count, error in found.items()]
        cells = [f"{found[count]:.1f}" + (f" ({paper[count]})" if paper[count] else "") if count in found
                 else "-" for count in COUNTS]
        print(f"{name:<12}" + "".join(f"{cell:>14}" for cell in cells) + f"{penalty:>10}", flush=True)
    write_csv(args.out, "usps-errors", rows)


def scores_pictures(args, folder):
    labels = os.path.join(folder, "labels.npy")
    np.save(labels, args.train[1][:args.rows])
    for name, options in {"linear": ["--kernel", "linear"], "polynomial": polynomial(args.degree),
                          "gaussian": gaussian(args)}.items():
        run_kpca(args, os.path.join(folder, "fit.npy"), *options, "--components", 2, "--labels", labels,
                 "--out", folder)
        shutil.copy(os.path.join(folder, "scores.svg"), os.path.join(args.out, f"usps-scores-{name}.svg"))


def noisy(images, kind, rng):
    """Gaussian: N(0, 0.5^2) on each pixel; speckle: with probability 0.4 a pixel is -1 or 1."""
    if kind == "gaussian":
        return images + 0.5 * rng.standard_normal(images.shape)
    if kind == "speckle":
        return np.where(rng.random(images.shape) < 0.4, rng.choice([-1.0, 1.0], images.shape), images)
    return images


def draw(args, kind, rows):
    """Rows {label: ten images} as one picture."""
    image = np.vstack([np.hstack([digit.reshape(16, 16) for digit in digits]) for digits in rows.values()])
    tics = ", ".join(f"'{label}' {16 * i + 7.5}" for i, label in enumerate(rows))
    lines = [f"set terminal svg noenhanced size 620,{60 + 32 * len(rows)} font 'sans,12' background '#ffffff'",
             f"set output '{os.path.join(args.out, f'usps-digits-{kind}.svg')}'", "unset key", "unset colorbox",
             "unset border", "unset xtics", f"set ytics ({tics}) scale 0", "set palette gray negative",
             "set cbrange [-1:1]", "set yrange [*:*] reverse", "set size ratio -1", "$image << EOD",
             *(" ".join(f"{value:.2f}" for value in np.clip(line, -1, 1)) for line in image), "EOD",
             "plot $image matrix with image"]
    subprocess.run(["gnuplot"], input="\n".join(lines), text=True, check=True)


def squared_distance(images, others):
    return float(np.mean(np.sum((images - others) ** 2, axis=1)))


def digits_pictures(args, folder):
    rng = np.random.default_rng(args.seed)
    kernels = {"linear": ["linear"], "polynomial": ["polynomial", f"degree={args.degree}"],
               "gaussian": ["gaussian", f"sigma={args.sigma}"]}
    clean, digits = args.test[0][:args.images].astype(float), args.test[1][:args.images]
    missing = sorted(set(range(10)) - set(digits))
    if missing:
        sys.exit(f"--images {args.images}: the first {len(digits)} test images have no {missing[0]}")
    shown = [int(np.flatnonzero(digits == digit)[0]) for digit in range(10)]
    print(f"\nmean squared distance of {len(clean)} test images, projected on k components and mapped back, from "
          "the images without noise, and the share of pre-images that converged")
    print(f"{'noise':<10}{'kernel':<12}{'before':>8}" + "".join(f"{count:>8}" for count in RECONSTRUCTED))
    noises = {kind: noisy(clean, kind, rng) for kind in NOISES}
    np.save(os.path.join(folder, "noisy.npy"), np.concatenate(list(noises.values())))
    panels = {kind: {"images": clean[shown], **({} if kind == "none" else {"with noise": images[shown]})}
              for kind, images in noises.items()}
    rows = []
    for name, words in kernels.items():
        out = os.path.join(folder, "preimages.npy")
        done = subprocess.run(
            [args.program, *words, f"train={folder}/fit.npy", f"images={folder}/noisy.npy", f"out={out}",
             "components=" + ",".join(map(str, RECONSTRUCTED))], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{args.program} {name}: {done.stderr.strip()}")
        converged = [json.loads(line)["converged"] / (len(NOISES) * len(clean))
                     for line in done.stdout.splitlines()]
        found = np.load(out).reshape(len(RECONSTRUCTED), len(NOISES), *clean.shape)
        for i, (kind, images) in enumerate(noises.items()):
            before, cells = squared_distance(images, clean), []
            for count, points, share in zip(RECONSTRUCTED, found[:, i], converged):
                error = squared_distance(points, clean)
                rows.append({"noise": kind, "kernel": name, "components": count, "before": before, "error": error,
                             "converged": share})
                cells.append(f"{error:.1f}")
                panels[kind][f"{name}, {count}"] = points[shown]
            print(f"{kind:<10}{name:<12}{before:>8.1f}" + "".join(f"{cell:>8}" for cell in cells), flush=True)
        print(f"{'':10}{'converged':<20}" + "".join(f"{share:>8.2f}" for share in converged), flush=True)
    for kind in NOISES:
        draw(args, kind, panels[kind])
    write_csv(args.out, "usps-digits", rows)


EXPERIMENTS = {"table": table, "scores": scores_pictures, "digits": digits_pictures}


def pair(text):
    """Images and their digits from a pair of files."""
    names = text.split(",")
    if len(names) != 2:
        raise argparse.ArgumentTypeError(f"{text} is not X.npy,Y.npy")
    images, digits = (np.load(name) for name in names)
    if images.ndim != 2 or images.shape[1] != PIXELS or len(images) != len(digits):
        raise argparse.ArgumentTypeError(f"{text}: shapes {images.shape} and {digits.shape}; "
                                         f"n x {PIXELS} images and n digits are needed")
    return images, digits


def numbers(text):
    """1-3,5 as [1, 2, 3, 5]."""
    spans = [list(map(int, part.split("-"))) for part in text.split(",")]
    degrees = list(itertools.chain.from_iterable(range(span[0], span[-1] + 1) for span in spans))
    if not set(degrees) <= set(PUBLISHED):
        raise argparse.ArgumentTypeError(f"{text}: degrees are from 1 to 7")
    return degrees


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kpca", help="the program kpca")
    parser.add_argument("program", help="mercer_reproduce_usps")
    parser.add_argument("--train", type=pair, required=True, metavar="X,Y", help="7291 images and digits")
    parser.add_argument("--test", type=pair, required=True, metavar="X,Y", help="2007 images and digits")
    parser.add_argument("--rows", type=int, default=3000, help="training images for components, as in the paper")
    parser.add_argument("--degrees", type=numbers, default=sorted(PUBLISHED), help="for the table, e.g. 1-3,7")
    parser.add_argument("--degree", type=int, default=3, help="of the polynomial kernel, for the pictures")
    parser.add_argument("--sigma", type=float, default=8, help="of the Gaussian kernel: 2 sigma^2 = 0.5 * 256")
    parser.add_argument("--images", type=int, default=200, help="test images to map back")
    parser.add_argument("--experiments", type=lambda text: text.split(","), default=list(EXPERIMENTS))
    parser.add_argument("--seed", type=int, default=1, help="of the noise")
    parser.add_argument("--out", default="usps", help="folder for tables and pictures")
    args = parser.parse_args()
    args.kpca, args.program = os.path.abspath(args.kpca), os.path.abspath(args.program)
    if not set(args.experiments) <= set(EXPERIMENTS):
        parser.error(f"--experiments: choose from {', '.join(EXPERIMENTS)}")
    os.makedirs(args.out, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "fit.npy"), args.train[0][:args.rows])
        for experiment in args.experiments:
            EXPERIMENTS[experiment](args, folder)


if __name__ == "__main__":
    main()
