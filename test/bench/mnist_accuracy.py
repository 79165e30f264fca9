#!/usr/bin/env python3
"""Test accuracy of examples/mnist/cnn.conf after its 10 passes, from three seeds.

usage: SINGA_DATA=DIR python3 test/bench/mnist_accuracy.py BINARY [--seeds 1,2,3] [--epochs 10]
           [--write]
       --write puts the figures into test/bench/results.md. Exit 1 if a target is missed.
"""
import argparse
import statistics
import sys
import tempfile
import time

import results_file
import singa_job

LEAST, LEAST_MEDIAN = 0.987, 0.989


def main():
    parser = argparse.ArgumentParser(description="accuracy of the MNIST CNN")
    parser.add_argument("binary")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    conditions = results_file.Conditions()
    rows, accuracies = [], []
    with tempfile.TemporaryDirectory(prefix="singa-idx-") as folder:
        singa_job.make_plain_idx(folder)
        for seed in args.seeds.split(","):
            start = time.perf_counter()
            found, _ = singa_job.run(args.binary, "cnn", folder,
                                     [f"seed={seed}", f"train_epochs={args.epochs}"])
            minutes = (time.perf_counter() - start) / 60
            last = [row for row in found if row["phase"] == "test"][-1]
            accuracies.append(last["accuracy"])
            rows.append([seed, last["step"], f"{last['accuracy']:.4f}", f"{last['loss']:.4f}",
                         f"{minutes:.1f}"])
            print(f"seed {seed}: {last['accuracy']:.4f} after {minutes:.1f} minutes",
                  file=sys.stderr)
    median = statistics.median(accuracies)
    lines = [*results_file.table(["seed", "steps", "test accuracy", "test loss", "minutes"], rows),
             "", f"{args.epochs} passes, a test of the 10,000 images after each. Median "
             f"{median:.4f}; targets: each >= {LEAST}, median >= {LEAST_MEDIAN}."]
    results_file.report("mnist_accuracy", conditions, lines, args.write)
    return 0 if min(accuracies) >= LEAST and median >= LEAST_MEDIAN else 1


if __name__ == "__main__":
    sys.exit(main())
