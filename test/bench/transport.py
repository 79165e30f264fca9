#!/usr/bin/env python3
"""Measures messages of a job over tcp, against plain ZeroMQ sockets that send as many bytes.

usage: transport.py BUILD [--write]; BUILD is configured with -DSINGA_BENCH=ON.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import results_file

HEADS = ["kilobytes", "security", "ours, MB/s", "plain, MB/s", "ours, messages/s",
         "plain, messages/s", "ours / plain", "target"]
TARGET = 0.6
PARAMETERS_FROM = 64 << 10  # bytes; smaller messages carry no parameters


def main():
    parser = argparse.ArgumentParser(description="messages over tcp, against plain ZeroMQ")
    parser.add_argument("build")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    conditions = results_file.Conditions()
    done = subprocess.run([pathlib.Path(args.build) / "bin/zmq_bench", "--benchmark_format=json"],
                          capture_output=True, text=True, check=True)
    rows, missed = [], False
    for run in json.loads(done.stdout)["benchmarks"]:
        _, security, size = run["name"].split("/")[:3]
        with_target = int(size) >= PARAMETERS_FROM
        missed |= with_target and run["ours/plain"] < TARGET
        rows.append([int(size) >> 10, security, *(f"{run[key]:.0f}" for key in (
            "ours_MB/s", "plain_MB/s", "ours_msg/s", "plain_msg/s")), f"{run['ours/plain']:.2f}",
                     f">= {TARGET}" if with_target else ""])
    lines = [*results_file.table(HEADS, rows), "",
             "One way between two threads over loopback; ours are numbered, acknowledged and have a "
             "checksum. Medians of 7 rounds in turns. `token`: plain sockets without security; "
             "`curve`: both encrypted."]
    results_file.report("transport", conditions, lines, args.write)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
