#!/usr/bin/env python3
"""Measures the test accuracy of examples/cifar10/bn.conf after its last pass, and the minutes
taken.

usage: SINGA_DATA=DIR python3 test/bench/cifar_accuracy.py BINARY [--workspace DIR] [--write]
       --workspace keeps what the job writes, for tool/plot; --write puts the figures into
       test/bench/results.md. Exit 1 if a target is missed.
needs: a quiet machine for half an hour
"""
import argparse
import sys
import tempfile
import time

import results_file
import singa_job

LEAST, MOST_MINUTES = 0.88, 30


def train(binary, workspace):
    """Returns the rows of metrics.jsonl."""
    pictures = singa_job.cifar_folder()
    return singa_job.train_example(binary, "cifar10/bn.conf", workspace, [
        f"neuralnet.layer[data#0].store_conf.path={pictures / 'train.tar'}",
        f"neuralnet.layer[data#1].store_conf.path={pictures / 'test.tar'}"])


def main():
    parser = argparse.ArgumentParser(description="accuracy of the CIFAR-10 net")
    parser.add_argument("binary")
    parser.add_argument("--workspace")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    conditions = results_file.Conditions()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="singa-cifar-") as folder:
        rows = train(args.binary, args.workspace or folder)
    minutes = (time.perf_counter() - start) / 60
    tests = [row for row in rows if row["phase"] == "test"]
    table = [[row["step"], f"{row['accuracy']:.4f}", f"{row['loss']:.4f}"] for row in tests]
    lines = [*results_file.table(["step", "test accuracy", "test loss"], table), "",
             f"Tests of the 10,000 pictures. {minutes:.1f} minutes in all, tests and start "
             f"included. Targets: >= {LEAST} at the end, in less than {MOST_MINUTES} minutes."]
    results_file.report("cifar_accuracy", conditions, lines, args.write)
    return 0 if tests[-1]["accuracy"] >= LEAST and minutes < MOST_MINUTES else 1


if __name__ == "__main__":
    sys.exit(main())
