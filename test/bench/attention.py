#!/usr/bin/env python3
"""Measures attention on the CPU: its kernels as a share of the peak of multiply-adds, the products of
their tiles against oneDNN's, and the memory of a layer at T, 2 T and 4 T time steps.

usage: attention.py BUILD [--write] [--repetitions N]; BUILD is configured with -DSINGA_BENCH=ON.
Exits with 1 if a target is missed.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

import results_file

LEAST_SHARE = 0.6  # of the peak, forward and backward together, in heads of 64 numbers or more
MOST_GROWTH = 2.05  # of memory, for twice the time steps


def measure(program, repetitions):
    """Returns the median rate, share of the peak and MiB by the run's words, in random order."""
    words = [program, "--benchmark_min_time=0.1", f"--benchmark_repetitions={repetitions}",
             "--benchmark_enable_random_interleaving=true", "--benchmark_format=json"]
    # src/main.cc sets this value, too: threads that spin for long starve other programs.
    done = subprocess.run(words, capture_output=True, text=True, check=True,
                          env=dict(os.environ, GOMP_SPINCOUNT="2000"))
    runs = {}
    for run in json.loads(done.stdout)["benchmarks"]:
        if run["run_type"] == "iteration":
            key = tuple(run["run_name"].removesuffix("/real_time").split("/"))
            runs.setdefault(key, []).append(run)
    return {key: [statistics.median(run[field] for run in group)
                  for field in ("GFLOP/s", "share", "MiB")] for key, group in runs.items()}


def kernel_rows(found):
    for _, passes, steps, causal, threads, width in sorted(
            (key for key in found if key[0] == "RunKernels" and key[1] == "both"),
            key=lambda key: [int(word) for word in key[3:]]):
        cells = []
        for part in ("forward", "backward", passes):
            rate, share, _ = found["RunKernels", part, steps, causal, threads, width]
            cells += [f"{rate:.0f}", f"{share:.0%}"]
        yield [steps, "yes" if causal == "1" else "no", threads, width, *cells]


def tile_rows(found):
    for key in sorted(key for key in found if key[:2] == ("RunTile", "ours")):
        (ours, share, _), (gemm, _, _) = found[key], found["RunTile", "gemm", *key[2:]]
        m, n, k, transposed = key[2:]
        yield [f"{m} x {n} x {k}" + (", transposed" if transposed == "1" else ""), f"{ours:.0f}",
               f"{share:.0%}", f"{gemm:.0f}"]


def layer_rows(found):
    for key in sorted((key for key in found if key[0] == "RunLayer"), key=lambda key: int(key[1])):
        rate, share, mib = found[key]
        yield [key[1], f"{rate:.0f}", f"{share:.0%}", f"{mib:.1f}"]


def main():
    parser = argparse.ArgumentParser(description="attention against the peak of multiply-adds")
    parser.add_argument("build")
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    conditions = results_file.Conditions()
    found = measure(pathlib.Path(args.build) / "bin/attention_bench", args.repetitions)
    lines = [
        *results_file.table(["steps", "causal", "threads", "numbers of a head", "forward GFLOP/s",
                             "of the peak", "backward", "of the peak", "both", "of the peak"],
                            kernel_rows(found)),
        "",
        *results_file.table(["product of a tile", "ours GFLOP/s", "of the peak", "Gemm"],
                            tile_rows(found)),
        "",
        *results_file.table(["steps of a layer", "GFLOP/s", "of the peak", "MiB"],
                            layer_rows(found)),
        "",
        "12 heads of one row. Operations: 4 T^2 d forward, 10 T^2 d backward, half of it if causal; "
        "of a layer of 768 units, forward and backward by one thread, all products. MiB: its "
        f"buffers and scratch. Medians of {args.repetitions} repetitions, interleaved."]
    results_file.report("attention", conditions, lines, args.write)
    both = {key: value[1] for key, value in found.items()
            if key[:2] == ("RunKernels", "both") and int(key[5]) >= 64}
    memory = [value[2] for _, value in sorted(
        (int(key[1]), value) for key, value in found.items() if key[0] == "RunLayer")]
    growth = max(after / before for before, after in zip(memory, memory[1:]))
    missed = [f"{'/'.join(key)}: {share:.0%} of the peak" for key, share in both.items()
              if share < LEAST_SHARE]
    if growth > MOST_GROWTH:
        missed.append(f"memory grows by {growth:.2f} for twice the steps")
    if missed:
        sys.exit("missed: " + "; ".join(missed))


if __name__ == "__main__":
    main()
