#!/usr/bin/env python3
"""Runs `heddle gemm --check` for the products of tests/cases/gemm.csv and reports every one that is not exact.

A product that the program refuses with a clear error (exit code 1, one line that starts with "heddle: ") is listed, not counted as wrong.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=pathlib.Path, default=ROOT / "build" / "heddle")
    parser.add_argument("--device", default="verilated")
    parser.add_argument("--config", default="sim")
    parser.add_argument("--max-macs", type=float, default=64 * 2**20, help="leave out larger products (default: 64 Mi)")
    parser.add_argument("--min-macs", type=float, default=0, help="leave out smaller products")
    parser.add_argument("--data", default="adversarial", choices=["random", "adversarial"])
    return parser.parse_args()


def cases(options):
    with open(ROOT / "tests/cases/gemm.csv", newline="") as file:
        for row in csv.DictReader(file):
            macs = int(row["M"]) * int(row["N"]) * int(row["K"])
            if options.min_macs <= macs <= options.max_macs:
                yield row


def run(options, row):
    """Returns "exact", a refusal, or what is wrong; and the cycles, if any."""
    command = [options.heddle, "gemm", "--m", row["M"], "--n", row["N"], "--k", row["K"], "--device", options.device,
               "--config", options.config, "--data", options.data, "--check", "--json"]
    command += ["--ta"] if row["transA"] == "1" else []
    command += ["--tb"] if row["transB"] == "1" else []
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 0:
        answer = json.loads(result.stdout.splitlines()[-1])
        return "exact" if answer["exact"] else "not exact", answer["cycles"] or 0
    lines = result.stderr.splitlines()
    if result.returncode == 1 and len(lines) == 1 and lines[0].startswith("heddle: ") and "differ" not in lines[0]:
        return f"refused: {lines[0]}", 0
    return f"exit code {result.returncode}: {result.stderr}", 0


def main():
    options = arguments()
    count = wrong = refused = cycles = 0
    for row in cases(options):
        verdict, taken = run(options, row)
        count += 1
        cycles += taken
        refused += verdict.startswith("refused")
        if verdict != "exact":
            wrong += not verdict.startswith("refused")
            print(f"{row['id']}: {row['M']} x {row['N']} x {row['K']}: {verdict}", flush=True)
    print(f"{count} products on {options.device}, {options.config}: {count - wrong - refused} exact, {refused} refused, "
          f"{wrong} wrong, {cycles} cycles")
    sys.exit(1 if wrong or count == 0 else 0)


if __name__ == "__main__":
    main()
