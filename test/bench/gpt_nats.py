#!/usr/bin/env python3
"""Measures the validation loss of the confs of examples/gpt, in nats per character, the minutes that
they take, and how many characters a second the trained net then writes on one thread. The text is
Shakespeare's last tenth, on which the jobs do not train.

usage: SINGA_DATA=DIR python3 test/bench/gpt_nats.py BINARY [--confs job,large] [--workspace DIR]
           [--write]
       --workspace keeps what the jobs write, in DIR/CONF, for tool/plot and sample.conf. A job of
       DIR that was interrupted goes on. --write puts the figures into test/bench/results.md. Exit 1
       if a target is missed.
needs: a quiet machine for half an hour
"""
import argparse
import math
import sys
import tempfile
import time

import results_file
import singa_job

MOST = {"job": (1.88, 25), "large": (1.50, 25)}  # nats, minutes
LEAST_SPEED = {"job": 2000}  # characters a second
SHORT, LONG = 500, 8500  # characters written


def train(binary, conf, folder, workspace):
    """Trains, or goes on with a job that was interrupted. Returns the rows of the validations, with
    the minutes since the first row of the training, and the minutes of all its rows."""
    words = singa_job.example_command(binary, f"gpt/{conf}.conf", workspace,
                                      singa_job.text_sets(folder))
    rows, _ = singa_job.rows_of([*words, "-resume"], workspace)
    rows = [{**row, "minutes": (row["time"] - rows[0]["time"]) / 60} for row in rows]
    # A job that goes on where it had ended validates once more, so the last validation may be late.
    minutes = max(row["minutes"] for row in rows if row["phase"] == "train")
    return [row for row in rows if row["phase"] == "validate"], minutes


def writing_speed(binary, conf, folder, workspace):
    """Returns the characters that the best checkpoint writes in a second, without the start."""
    taken = []
    for count in (SHORT, LONG):
        words = [binary, "predict", "-conf", str(singa_job.REPOSITORY / f"examples/gpt/{conf}.conf"),
                 "-checkpoint", f"{workspace}/checkpoint/best", "-generate", str(count)]
        for option in ["num_openblas_threads=1", *singa_job.text_sets(folder)]:
            words += ["-set", option]
        start = time.perf_counter()
        text, _ = singa_job.run_process(words)
        taken.append(time.perf_counter() - start)
        assert len(text) == count, len(text)
    return (LONG - SHORT) / (taken[1] - taken[0])


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
            workspace = f"{args.workspace or folder}/{conf}"
            rows, minutes = train(args.binary, conf, folder, workspace)
            speed = writing_speed(args.binary, conf, folder, workspace)
            nats, most = MOST[conf]
            reached = next((row["minutes"] for row in rows if row["loss"] <= nats), math.inf)
            table.append([f"{conf}.conf", rows[-1]["step"], f"{rows[-1]['loss']:.4f}",
                          f"{min(row['loss'] for row in rows):.4f}", f"{rows[-1]['accuracy']:.4f}",
                          f"{minutes:.1f}", f"{nats} in {most}", f"{reached:.1f}",
                          f"{speed:.0f}"])
            missed = missed or reached > most or speed < LEAST_SPEED.get(conf, 0)
    lines = [*results_file.table(["conf", "steps", "nats at the end", "least", "accuracy at the end",
                                  "minutes", "target", "reached after minutes", "characters/s"],
                                 table), "",
             "Nats per character of the last tenth of the text; `checkpoint/best` has the least. "
             "Minutes are those of the training, with its validations. The target is nats in minutes. "
             "Characters are written by "
             f"`singa predict -generate` on one thread; job.conf's target is {LEAST_SPEED['job']}."]
    results_file.report("gpt_nats", conditions, lines, args.write)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
