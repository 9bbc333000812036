#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""The table of gram_benchmark's medians, each Gram matrix beside the Eigen product of its precision.

usage: gram_summary.py RESULT.json
"""

import json
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        result = json.load(file)
    medians = {run["run_name"]: run for run in result["benchmarks"]
               if run.get("aggregate_name") == "median"}
    cpus = result["context"]["num_cpus"]
    print(f"{'benchmark':<46} {'ms':>8} {'rate':>8}   {'error':>8}   compared")
    for name, run in medians.items():
        note = ""
        if "Gaussian" in name:
            product = medians[name.replace("BM_Gaussian_gram", "BM_Eigen_product")]
            note = f"{100 * run['rate'] / product['rate']:.0f} % of the product's GFLOP/s"
        if "Gram_product" in name:
            scalar = "float" if "Single" in name else "double"
            product = next(r for n, r in medians.items() if f"BM_Eigen_product<{scalar}>" in n)
            note = f"{100 * run['rate'] / product['rate']:.0f} % of the product's GFLOP/s"
        if "Laplacian" in name:
            note = f"{run['rate'] / run['threads']:.1f} G differences/s per core"
        print(f"{name.replace('/real_time', ''):<46} {run['real_time']:8.1f} {run['rate']:8.1f}   "
              f"{run.get('error', 0):8.1e}   {note}")
    print(f"({cpus} cores; rate: GFLOP/s, or G differences/s for Laplacian; medians)")


if __name__ == "__main__":
    main()
