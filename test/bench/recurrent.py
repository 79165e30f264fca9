#!/usr/bin/env python3
"""Measures milliseconds a step of kGRU, kLSTM and kRNN: ours and oneDNN's primitives, forward and
backward.

usage: recurrent.py BUILD [--write] [--repetitions N]; BUILD is configured with -DSINGA_BENCH=ON.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess

import results_file

HEADS = ["cell", "input", "threads", "ours", "oneDNN", "oneDNN / ours", "ours, CPU time",
         "oneDNN, CPU time", "ratio", "ours, GFLOP/s of CPU time"]


def measure(program, repetitions):
    """Returns the runs by (cell, inputs, threads, whose), in random order."""
    words = [program, "--benchmark_min_time=0.05", f"--benchmark_repetitions={repetitions}",
             "--benchmark_enable_random_interleaving=true", "--benchmark_format=json"]
    # src/main.cc sets this value, too: threads that spin for long starve other programs.
    done = subprocess.run(words, capture_output=True, text=True, check=True,
                          env=dict(os.environ, GOMP_SPINCOUNT="2000"))
    found = {}
    for run in json.loads(done.stdout)["benchmarks"]:
        match = re.match(r"Run(Ours/|Theirs<)(\w+)>?/(\d+)/\d/(\d)/", run["run_name"])
        if run["run_type"] == "iteration":
            whose, cell, inputs, threads = match.groups()
            found.setdefault((cell.lower(), inputs, threads, whose[0]), []).append(run)
    return found


def median(runs, field):
    return statistics.median(run[field] for run in runs)


def main():
    parser = argparse.ArgumentParser(description="recurrent layers against oneDNN's primitives")
    parser.add_argument("build")
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    conditions = results_file.Conditions()
    found = measure(pathlib.Path(args.build) / "bin/recurrent_bench", args.repetitions)
    rows = []
    for cell, inputs, threads, whose in sorted(found):
        if whose != "O":
            continue
        ours, theirs = (found[cell, inputs, threads, of] for of in "OT")
        times = []
        for field in ("real_time", "cpu_time"):
            a, b = median(ours, field), median(theirs, field)
            times += [f"{a:.1f}", f"{b:.1f}", f"{b / a:.2f}"]
        speed = f"{median(ours, 'flops') / median(ours, 'cpu_time') / 1e6:.0f}"
        rows.append([cell, inputs, threads, *times, speed if threads == "1" else ""])
    lines = [*results_file.table(HEADS, rows), "",
             "50 steps of 50 rows, 512 units; 101 inputs without the gradient of the input, which "
             "oneDNN computes all the same, 512 with it. Medians of "
             f"{args.repetitions} repetitions, interleaved. CPU time is the first thread's: what "
             "counts where other programs share the machine."]
    results_file.report("recurrent", conditions, lines, args.write)


if __name__ == "__main__":
    main()
