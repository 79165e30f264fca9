#!/usr/bin/env python3
"""Measures the test accuracy of examples/resnet/job.conf after its last pass, and the minutes taken.

usage: SINGA_DATA=DIR python3 test/bench/resnet_accuracy.py BINARY [--seeds 1,2,3] [--workspace DIR]
           [--write]
       --workspace keeps what the jobs write, in DIR/SEED; --write puts the figures into
       test/bench/results.md. A job of DIR that was interrupted goes on. Exit 1 if a target is missed.
needs: a quiet machine for 32 minutes a seed
"""
import argparse
import statistics
import sys
import tempfile

import results_file
import singa_job

LEAST, MEDIAN, MOST_MINUTES = 0.90, 0.905, 50


def train(binary, workspace, seed):
    """Trains, or goes on with a job that was interrupted. Returns the rows of metrics.jsonl."""
    pictures = singa_job.cifar_folder()
    words = singa_job.example_command(binary, "resnet/job.conf", workspace, [
        f"seed={seed}", f"neuralnet.layer[data#0].store_conf.path={pictures / 'train.tar'}",
        f"neuralnet.layer[data#1].store_conf.path={pictures / 'test.tar'}"])
    return singa_job.rows_of([*words, "-resume"], workspace)[0]


def main():
    parser = argparse.ArgumentParser(description="accuracy of ResNet-20")
    parser.add_argument("binary")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--workspace")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    conditions = results_file.Conditions()
    table = []
    with tempfile.TemporaryDirectory(prefix="singa-resnet-") as folder:
        for seed in args.seeds.split(","):
            rows = train(args.binary, f"{args.workspace or folder}/{seed}", seed)
            tests = [row for row in rows if row["phase"] == "test"]
            trained = [row["time"] for row in rows if row["phase"] == "train"]
            minutes = (trained[-1] - trained[0]) / 60
            table.append([seed, tests[-1]["step"], tests[-1]["accuracy"], tests[-1]["loss"], minutes])
    median = statistics.median(row[2] for row in table)
    lines = [*results_file.table(
        ["seed", "steps", "test accuracy", "test loss", "minutes"],
        [[seed, steps, f"{accuracy:.4f}", f"{loss:.4f}", f"{minutes:.1f}"]
         for seed, steps, accuracy, loss, minutes in table]), "",
             f"Tests of the 10,000 pictures; the median is {median:.4f}. Minutes are those from the "
             f"first row of the training to the last, tests included. Targets: each >= {LEAST}, the "
             f"median >= {MEDIAN}, in less than {MOST_MINUTES} minutes."]
    results_file.report("resnet_accuracy", conditions, lines, args.write)
    good = all(row[2] >= LEAST and row[4] < MOST_MINUTES for row in table) and median >= MEDIAN
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
