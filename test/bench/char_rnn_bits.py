#!/usr/bin/env python3
"""Measures the bits per character of examples/char_rnn/job.conf, and the minutes that the job
takes. The text is Shakespeare's last tenth, on which the job does not train.

usage: SINGA_DATA=DIR python3 test/bench/char_rnn_bits.py BINARY [--workspace DIR] [--write]
       --workspace keeps what the job writes, for tool/plot and sample.conf; --write puts the
       figures into test/bench/results.md. Exit 1 if a target is missed.
"""
import argparse
import sys
import tempfile
import time

import results_file
import singa_job

MOST_BITS, MOST_MINUTES = 2.25, 20


def train(binary, folder, workspace):
    """Returns the rows of metrics.jsonl."""
    singa_job.copy_text(folder)
    return singa_job.train_example(binary, "char_rnn/job.conf", workspace, singa_job.text_sets(folder))


def main():
    parser = argparse.ArgumentParser(description="bits per character of the GRU net")
    parser.add_argument("binary")
    parser.add_argument("--workspace")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    conditions = results_file.Conditions()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="singa-text-") as folder:
        rows = train(args.binary, folder, args.workspace or f"{folder}/workspace")
    minutes = (time.perf_counter() - start) / 60
    passes = [row for row in rows if row["phase"] == "validate"]
    best = min(row["bits"] for row in passes)
    table = [[row["step"], f"{row['bits']:.4f}", f"{row['accuracy']:.4f}"] for row in passes]
    lines = [*results_file.table(["step", "bits per character", "accuracy"], table), "",
             f"Of the last tenth of the text; the least, {best:.4f}, is "
             f"`checkpoint/best`. {minutes:.1f} minutes in all. Targets: <= {MOST_BITS} bits, in "
             f"less than {MOST_MINUTES} minutes."]
    results_file.report("char_rnn_bits", conditions, lines, args.write)
    return 0 if best <= MOST_BITS and minutes < MOST_MINUTES else 1


if __name__ == "__main__":
    sys.exit(main())
