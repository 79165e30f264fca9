#!/usr/bin/env python3
"""Measures kernels that memory bounds: GB/s of the plain one, of the one that jobs run, and of a
copy.

usage: memory_kernels.py BUILD [--write] [--seconds S]; BUILD is configured with -DSINGA_BENCH=ON.
"""
import argparse
import json
import os
import pathlib
import subprocess

import results_file

PROGRAMS = ["lrn", "batch_norm", "layer_norm", "softmax_loss", "updater", "image_cut"]
COLUMNS = [("plain", 1), ("best", 1), ("copy", 1), ("best", 2), ("copy", 2)]
HEADS = ["kernel", "plain", "best", "copy", "best, 2 threads", "copy, 2 threads",
         "best / copy", "2 threads"]


def measure(program, seconds):
    """Returns GB/s by kernel and (which, threads): medians of 5 repetitions, in random order."""
    words = [program, f"--benchmark_min_time={seconds}", "--benchmark_repetitions=5",
             "--benchmark_enable_random_interleaving=true",
             "--benchmark_report_aggregates_only=true", "--benchmark_format=json"]
    # src/main.cc sets this value, too: threads that spin for long starve other programs.
    done = subprocess.run(words, capture_output=True, text=True, check=True,
                          env=dict(os.environ, GOMP_SPINCOUNT="2000"))
    found = {}
    for run in json.loads(done.stdout)["benchmarks"]:
        if run["aggregate_name"] != "median":
            continue
        name, which, threads = run["run_name"].removesuffix("/real_time").rsplit("/", 2)
        found.setdefault(name, {})[which, int(threads)] = run["bytes_per_second"] / 1e9
    return found


def main():
    parser = argparse.ArgumentParser(description="kernels that memory bounds, in GB/s")
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=0.1, help="of one repetition")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    conditions = results_file.Conditions()
    rows = []
    for name in PROGRAMS:
        found = measure(pathlib.Path(args.build) / f"bin/{name}_bench", args.seconds)
        for kernel, speed in sorted(found.items()):
            shares = [f"{speed['best', n] / speed['copy', n]:.2f}" for n in (1, 2)]
            rows.append([kernel, *(f"{speed[column]:.1f}" for column in COLUMNS), *shares])
    lines = [*results_file.table(HEADS, rows), "",
             "GB/s, each tensor that must be read or written counted once; `copy` reads and writes "
             "as many bytes. Median of 5 repetitions, interleaved."]
    results_file.report("memory_kernels", conditions, lines, args.write)


if __name__ == "__main__":
    main()
