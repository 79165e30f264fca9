#!/usr/bin/env python3
"""Measures the validation loss of the confs of examples/gpt, in nats per character, and the minutes
that they take. The text is Shakespeare's last tenth, on which the jobs do not train.

usage: SINGA_DATA=DIR python3 test/bench/gpt_nats.py BINARY [--confs job,larger] [--workspace DIR]
           [--write]
       --workspace keeps what the jobs write, in DIR/CONF, for tool/plot and sample.conf; --write
       puts the figures into test/bench/results.md. Exit 1 if a target is missed.
"""
import argparse
import sys
import tempfile
import time

import results_file
import singa_job

MOST = {"job": (1.88, 50), "larger": (1.50, 25)}  # nats, minutes


def train(binary, conf, folder, workspace):
    """Returns the rows of the validations and the minutes that the job takes."""
    start = time.perf_counter()
    rows = singa_job.train_example(binary, f"gpt/{conf}.conf", workspace, singa_job.text_sets(folder))
    return [row for row in rows if row["phase"] == "validate"], (time.perf_counter() - start) / 60


def main():
    parser = argparse.ArgumentParser(description="nats per character of the GPTs")
    parser.add_argument("binary")
    parser.add_argument("--confs", default=",".join(MOST))
    parser.add_argument("--workspace")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    conditions = results_file.Conditions()
    table, missed = [], False
    with tempfile.TemporaryDirectory(prefix="singa-gpt-") as folder:
        singa_job.copy_text(folder)
        for conf in args.confs.split(","):
            rows, minutes = train(args.binary, conf, folder, f"{args.workspace or folder}/{conf}")
            nats = min(row["loss"] for row in rows)
            table.append([f"{conf}.conf", rows[-1]["step"], f"{rows[-1]['loss']:.4f}", f"{nats:.4f}",
                          f"{rows[-1]['accuracy']:.4f}", f"{minutes:.1f}",
                          "{} in {}".format(*MOST[conf])])
            missed = missed or nats > MOST[conf][0] or minutes > MOST[conf][1]
    lines = [*results_file.table(["conf", "steps", "nats at the end", "least", "accuracy at the end",
                                  "minutes", "target"], table), "",
             "Nats per character of the last tenth of the text; the conf of the least is "
             "`checkpoint/best`. Minutes include validations and start."]
    results_file.report("gpt_nats", conditions, lines, args.write)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
