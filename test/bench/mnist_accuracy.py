#!/usr/bin/env python3
"""Measures the test accuracy of examples/mnist/cnn.conf after its 10 passes, from three seeds.

usage: SINGA_DATA=DIR python3 test/bench/mnist_accuracy.py BINARY [--seeds 1,2,3] [--epochs 10]
           [--gpu N] [--write]
       --write puts the figures into test/bench/results.md. Exit 1 if a target is missed.

The seconds are those of the whole process. They include its start, the reading of MNIST's .gz files
and the test after each pass.
"""
import argparse
import statistics
import sys
import time

import gpu
import results_file
import singa_job

LEAST, LEAST_MEDIAN = 0.987, 0.989
MOST_SECONDS = 5  # the median, on a GPU


def train(args, seed):
    """Returns (last row of a test, seconds)."""
    sets = [f"seed={seed}", f"train_epochs={args.epochs}"]
    if args.gpu is not None:
        sets.append(f"gpu={args.gpu}")
    start = time.perf_counter()
    rows, _ = singa_job.run(args.binary, "cnn", singa_job.mnist_folder(), sets, ".gz")
    seconds = time.perf_counter() - start
    last = [row for row in rows if row["phase"] == "test"][-1]
    print(f"seed {seed}: {last['accuracy']:.4f} after {seconds:.1f} s", file=sys.stderr)
    return last, seconds


def main():
    parser = argparse.ArgumentParser(description="accuracy of the MNIST CNN")
    parser.add_argument("binary")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--gpu", type=int)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    on_gpu = args.gpu is not None
    if on_gpu:
        gpu.check(args.binary, args.gpu)
    conditions = results_file.Conditions()
    found = {seed: train(args, seed) for seed in args.seeds.split(",")}
    rows = [[seed, last["step"], f"{last['accuracy']:.4f}", f"{last['loss']:.4f}", f"{seconds:.1f}"]
            for seed, (last, seconds) in found.items()]
    least = min(last["accuracy"] for last, _ in found.values())
    median = statistics.median(last["accuracy"] for last, _ in found.values())
    middle = statistics.median(seconds for _, seconds in found.values())
    text = (f"{args.epochs} passes, a test of the 10,000 images after each. Median {median:.4f}; "
            f"targets: each >= {LEAST}, median >= {LEAST_MEDIAN}")
    if on_gpu:
        text += f", median time < {MOST_SECONDS} s. {gpu.describe(args.gpu)}"
    heads = ["seed", "steps", "test accuracy", "test loss", "seconds"]
    results_file.report(f"mnist_accuracy{' gpu' if on_gpu else ''}", conditions,
                        [*results_file.table(heads, rows), "", f"{text}."], args.write)
    good = least >= LEAST and median >= LEAST_MEDIAN
    return 0 if good and not (on_gpu and middle >= MOST_SECONDS) else 1


if __name__ == "__main__":
    sys.exit(main())
