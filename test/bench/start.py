#!/usr/bin/env python3
"""Measures the time to a job's first training step, and the memory that the job needs.

usage: SINGA_DATA=DIR python3 test/bench/start.py BINARY [--runs 9] [--write]
       --write puts the figures into test/bench/results.md. Exit 1 if a target is missed.
needs: pip install torch numpy (for PyTorch's memory); a quiet machine

The time is from before the process is made to the arrival of its line "train step 0" (disp_freq 1),
on examples/mnist/cnn.conf, with files in the page cache. The test at step 0 is off, because it
would come first. The memory is the peak RSS of one pass over the training images and a test, in
both programs.
"""
import argparse
import statistics
import subprocess
import sys
import tempfile
import time

import results_file
import singa_job
from torch_process import TorchProcess

TARGET_MS = {"plain IDX": 150, "IDX in .gz": 350}
TARGET_MEMORY = 0.5  # of PyTorch's
LIMIT_S = 60


def time_first_row(words):
    start = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = []
    try:
        for line in process.stderr:
            said.append(line)
            if line.startswith("train step 0:"):
                return time.perf_counter() - start
            if time.perf_counter() > start + LIMIT_S:
                break
    finally:
        process.kill()
        process.wait()
    sys.exit(f"{' '.join(words)}\nshowed no training row:\n{''.join(said)}")


def measure_start(binary, folder, suffix, runs):
    """Returns the milliseconds of each run. One more run before them fills the page cache."""
    sets = ["train_epochs=0", "train_steps=1000000", "test_epochs=0", "disp_freq=1"]
    times = []
    for _ in range(runs + 1):
        with tempfile.TemporaryDirectory(prefix="singa-start-") as workspace:
            words = singa_job.command(binary, "cnn", folder, workspace, sets, suffix)
            times.append(1e3 * time_first_row(words))
    return times[1:]


def main():
    parser = argparse.ArgumentParser(description="singa's first step and memory")
    parser.add_argument("binary")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    if args.write and args.runs < 9:
        parser.error("--write wants at least 9 runs")
    conditions = results_file.Conditions()
    rows, good = [], True
    with tempfile.TemporaryDirectory(prefix="singa-idx-") as plain:
        singa_job.make_plain_idx(plain)
        for name, folder, suffix in (("plain IDX", plain, ""),
                                     ("IDX in .gz", singa_job.mnist_folder(), ".gz")):
            times = measure_start(args.binary, folder, suffix, args.runs)
            median = statistics.median(times)
            rows.append([f"first training row, {name}, ms",
                         f"{median:.0f} ({min(times):.0f}..{max(times):.0f})",
                         f"<= {TARGET_MS[name]}"])
            good = good and median <= TARGET_MS[name]
        _, rss = singa_job.run(args.binary, "cnn", plain, ["train_epochs=1"])
        with TorchProcess("cnn", plain, "--threads=2") as process:
            torch = process.ask("epoch")
    rows.append(["peak RSS of a pass and a test, plain IDX, MiB",
                 f"{rss:.0f}, PyTorch {torch['rss']:.0f}: {rss / torch['rss']:.2f}",
                 f"< {TARGET_MEMORY} of PyTorch's"])
    good = good and rss < TARGET_MEMORY * torch["rss"]
    lines = [*results_file.table(["MNIST CNN", "figure", "target"], rows), "",
             f"Times: median (min..max) of {args.runs} starts. PyTorch {torch['torch']}."]
    results_file.report("start", conditions, lines, args.write)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
