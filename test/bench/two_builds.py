#!/usr/bin/env python3
"""Measures how fast one build of singa trains and starts, compared with another build.

usage: SINGA_DATA=DIR python3 test/bench/two_builds.py OLD NEW [--pairs 9] [--seconds 1.5]
           [--write] [WORD of a job's name]...
       OLD, NEW: two programs
       --write puts the figures into test/bench/results.md. Exit 1 if NEW is more than 3 % slower in
       the median of a job.
needs: a quiet machine of two cores

Runs alternate: OLD, NEW, OLD, ... A run is a job of the examples, with its images in memory and
without tests. Its figure is the median of samples_per_second over the rows of metrics.jsonl, each
the mean of about 0.3 s of steps; the first two rows are left out. The job "first step" is timed from
the start of the process to the line "train step 0". A ratio above 1 says that NEW is faster.
"""
import argparse
import math
import os
import statistics
import sys
import tempfile

import results_file
import singa_job
import start

ROW_SECONDS = 0.3
SLOWEST = 0.97
TWO_WORKERS = ["num_openblas_threads=1", "cluster.nworkers_per_group=2"]
APART = [*TWO_WORKERS, "cluster.nworkers_per_procs=1"]
FIRST_STEP = "first step"
JOBS = {  # name: net, settings
    "CNN, 1 thread": ("cnn", ["num_openblas_threads=1"]),
    "CNN, 2 threads": ("cnn", ["num_openblas_threads=2"]),
    "MLP, 1 thread": ("mlp", ["num_openblas_threads=1"]),
    "MLP, 2 threads": ("mlp", ["num_openblas_threads=2"]),
    "CIFAR, 2 threads": ("cifar", ["num_openblas_threads=2"]),
    "GRU, 2 threads": ("gru", ["num_openblas_threads=2"]),
    "CNN, 2 workers": ("cnn", [*TWO_WORKERS, "cluster.nworkers_per_procs=2"]),
    "MLP, 2 workers": ("mlp", [*TWO_WORKERS, "cluster.nworkers_per_procs=2"]),
    "MLP, 2 processes that share memory": ("mlp", APART),
    "CNN, 2 processes by tcp": ("cnn", [*APART, "cluster.share_memory=false",
                                        "cluster.nservers_per_group=2"]),
    "MLP, 2 groups": ("mlp", ["num_openblas_threads=1", "cluster.nworker_groups=2",
                              "cluster.nworkers_per_procs=2"]),
    FIRST_STEP: ("cnn", []),
}
DATA = {"cnn": singa_job.make_plain_idx, "mlp": singa_job.make_plain_idx,
        "cifar": singa_job.make_cifar_batch, "gru": singa_job.make_text}


def train_rows(binary, job, folder, row_steps, rows):
    """Returns the rows of group 0's training after its warm-up."""
    net, sets = JOBS[job]
    sets = [*sets, "train_epochs=0", "test_epochs=0", "test_steps=0", "test_freq=0",
            f"train_steps={row_steps * (rows + 1) + 1}", f"disp_freq={row_steps}"]
    with tempfile.TemporaryDirectory(prefix="singa-bench-") as workspace:
        words = singa_job.command(os.path.abspath(binary), net, folder, workspace, sets)
        found, _ = singa_job.rows_of(words, workspace)
    return [row for row in found if row["phase"] == "train" and row["group"] == 0][2:]


def rate(binary, job, folder, plan):
    """Returns samples a second, or of the first step starts a second."""
    if job == FIRST_STEP:
        return 1e3 / statistics.median(start.measure_start(binary, folder, "", 3))
    return statistics.median(row["samples_per_second"]
                             for row in train_rows(binary, job, folder, *plan))


def measure(args, job, folder):
    """Returns the rates of each round: [(of OLD, of NEW)]."""
    plan = None
    if job != FIRST_STEP:
        trial_ms = statistics.median(row["step_ms"]
                                     for row in train_rows(args.old, job, folder, 2, 3))
        plan = (max(1, math.ceil(ROW_SECONDS * 1e3 / trial_ms)),
                max(1, math.ceil(args.seconds / ROW_SECONDS)))
    rounds = []
    for number in range(args.pairs):
        rounds.append(tuple(rate(binary, job, folder, plan) for binary in (args.old, args.new)))
        print(f"{job}, round {number}: old {rounds[-1][0]:.1f}, new {rounds[-1][1]:.1f} a second",
              file=sys.stderr)
    return rounds


def main():
    parser = argparse.ArgumentParser(description="two builds of singa")
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    conditions = results_file.Conditions()
    rows, good = [], True
    for job, (net, _) in JOBS.items():
        if args.words and not any(word in job for word in args.words):
            continue
        with tempfile.TemporaryDirectory(prefix="singa-data-") as folder:
            DATA[net](folder)
            rounds = measure(args, job, folder)
        ratios = [new / old for old, new in rounds]
        old, new = (statistics.median(rates) for rates in zip(*rounds))
        good = good and statistics.median(ratios) >= SLOWEST
        rows.append([job, f"{old:.1f}", f"{new:.1f}", f"{statistics.median(ratios):.3f}",
                     f"{min(ratios):.3f}..{max(ratios):.3f}"])
    if not rows:
        parser.error(f"no job's name has one of {args.words}")
    lines = [*results_file.table(["job", "old, samples a second", "new", "new / old",
                                  "rounds' min..max"], rows), "",
             f"{args.pairs} interleaved rounds; of the first step, starts a second."]
    results_file.report("two_builds", conditions, lines, args.write)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
