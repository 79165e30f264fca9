#!/usr/bin/env python3
"""Measures sums over two processes of this host, against MPI_Allreduce of Open MPI and gloo's allreduce.

usage: all_reduce.py BUILD [--rounds 5] [--write]; BUILD is configured with -DSINGA_BENCH=ON where libgloo-dev is.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys

import results_file

WAYS = ["sums", "threads", "values", "mpi", "gloo", "bound"]
HEADS = ["KiB", "gradients, us", "threads, us", "values, us", "Open MPI, us", "gloo, us", "bound, us", "better peer / gradients",
         "better peer / values", "bound / gradients", "bound / threads"]
TARGET = 2


def run(program, way):
    """Returns {KiB: microseconds}."""
    words = [program, way]
    if way == "mpi":
        words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "core", "-n", "2", *words]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return {int(kib): float(time) for kib, time in (line.split() for line in done.stdout.splitlines())}


def main():
    parser = argparse.ArgumentParser(description="sums over two processes of a host")
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    conditions = results_file.Conditions()
    program = pathlib.Path(args.build).resolve() / "bin/all_reduce_bench"
    times = {way: [] for way in WAYS}
    for _ in range(args.rounds):
        for way in WAYS:
            times[way].append(run(program, way))
    rows, missed = [], False
    for kib in times["sums"][0]:
        medians = {way: statistics.median(one[kib] for one in times[way]) for way in WAYS}
        peer = min(medians["mpi"], medians["gloo"])
        missed |= peer / medians["sums"] < TARGET
        ratios = [peer / medians["sums"], peer / medians["values"],
                  medians["bound"] / medians["sums"], medians["bound"] / medians["threads"]]
        rows.append([kib, *(f"{medians[way]:.1f}" for way in WAYS), *(f"{ratio:.2f}" for ratio in ratios)])
    lines = [*results_file.table(HEADS, rows), "",
             f"Medians of {args.rounds} rounds in turns; each time includes the writing of the array before. "
             "`gradients`: as workers add them up, in memory that both "
             "processes have; `threads`: the same in one process; `values`: a collective's all-reduce of arrays of their own; `bound`: two threads that "
             f"each write an array, add half of both up and wait for nobody. Asked: the better peer / gradients >= {TARGET}."]
    results_file.report("all_reduce", conditions, lines, args.write)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
