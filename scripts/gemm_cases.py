#!/usr/bin/env python3
"""Runs `heddle gemm --check` for the products of tests/cases/gemm.csv and reports every one that is not exact.

Products are compared with the reference element by element up to --sample-above MACs, beyond that in a sample (see
`heddle gemm --help`); the summary says how many. A product that the program refuses with a clear error (exit code 1, one
line that starts with "heddle: ") is listed, not counted as wrong.
"""

import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=pathlib.Path, default=ROOT / "build" / "heddle")
    parser.add_argument("--device", default="verilated")
    parser.add_argument("--config", default="sim")
    parser.add_argument("--max-macs", type=float, default=64 * 2**20,
                        help="leave out larger products, and cut larger batches of smaller ones (default: 64 Mi; inf: run all)")
    parser.add_argument("--min-macs", type=float, default=0, help="leave out smaller products")
    parser.add_argument("--sample-above", type=float, default=2e9, help="compare larger ones in a sample (default: 2e9)")
    parser.add_argument("--time-limit", type=float, default=3600, help="seconds for one case")
    parser.add_argument("--data", default="adversarial", choices=["random", "adversarial"])
    parser.add_argument("--verbose", action="store_true", help="a line for each case")
    return parser.parse_args()


class Case:
    """One line of the file, with as much of its batch as the limit allows."""

    def __init__(self, row, max_macs):
        self.id = row["id"]
        self.m, self.n, self.k = int(row["M"]), int(row["N"]), int(row["K"])
        self.transposes = [option for option, key in [("--ta", "transA"), ("--tb", "transB")] if row[key] == "1"]
        whole = math.prod(int(size) for size in row["batch"].split("x"))
        each = self.m * self.n * self.k
        self.batch = whole if whole * each <= max_macs else max(1, int(max_macs // each))
        self.is_cut = self.batch < whole
        self.macs = self.batch * each

    def __str__(self):
        return f"{self.id}: {self.batch} of {self.m} x {self.n} x {self.k} {' '.join(self.transposes)}".rstrip()


def cases(options):
    with open(ROOT / "tests/cases/gemm.csv", newline="") as file:
        all_cases = [Case(row, options.max_macs) for row in csv.DictReader(file)]
    return [case for case in all_cases if options.min_macs <= case.macs <= options.max_macs]


def run(options, case):
    """Returns "exact", a refusal, or what is wrong; and what the program printed, if it was exact."""
    check = "sampled" if case.macs > options.sample_above else "all"
    command = [options.heddle, "gemm", "--m", case.m, "--n", case.n, "--k", case.k, "--batch", case.batch, *case.transposes,
               "--device", options.device, "--config", options.config, "--data", options.data, f"--check={check}", "--json"]
    try:
        result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=options.time_limit)
    except subprocess.TimeoutExpired:
        return f"did not end within {options.time_limit:g} s", {}
    if result.returncode == 0:
        answer = json.loads(result.stdout.splitlines()[-1])
        wanted = {"m": case.m, "n": case.n, "k": case.k, "batch": case.batch, "macs": case.macs, "exact": True}
        if all(answer[key] == value for key, value in wanted.items()):
            return "exact", answer
        return f"unexpected answer {result.stdout}", {}
    lines = result.stderr.splitlines()
    if result.returncode == 1 and len(lines) == 1 and lines[0].startswith("heddle: ") and "differ" not in lines[0]:
        return f"refused: {lines[0]}", {}
    return f"exit code {result.returncode}: {result.stderr}", {}


def main():
    options = arguments()
    selected = cases(options)
    wrong = refused = sampled = products = macs = cycles = 0
    for case in selected:
        start = time.monotonic()
        verdict, answer = run(options, case)
        refused += verdict.startswith("refused")
        wrong += verdict != "exact" and not verdict.startswith("refused")
        if answer:
            sampled += answer["checked"] < case.batch * case.m * case.n
            products += case.batch
            macs += case.macs
            cycles += answer["cycles"] or 0
        if verdict != "exact" or options.verbose:
            print(f"{case}: {verdict} ({time.monotonic() - start:.1f} s)", flush=True)
    cut = sum(case.is_cut for case in selected)
    print(f"{len(selected)} cases on {options.device}, {options.config}: {len(selected) - wrong - refused} exact "
          f"({sampled} by a sample), {refused} refused, {wrong} wrong; {products} products, {macs} MACs, {cycles} cycles; "
          f"{cut} batches cut short")
    sys.exit(1 if wrong or not selected else 0)


if __name__ == "__main__":
    main()
