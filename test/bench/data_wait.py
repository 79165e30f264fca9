#!/usr/bin/env python3
"""Measures the time that a training step waits for its batch while pictures are decoded.

usage: SINGA_DATA=DIR python3 test/bench/data_wait.py BINARY [--runs 5] [--steps 100] [--write]
       --write puts the figures into test/bench/results.md. Exit 1 if the target is missed.
needs: a quiet machine

The job is examples/cifar10/convnet.conf on the JPEG files of cifar10/train.tar, 100 pictures a
batch. One thread decodes, and 1 or 2 threads compute. The share is data_wait_ms / step_ms of the
training row over --steps steps. An earlier row over as many steps is left out, because the store is
opened in it. A second job reads the same pictures as numbers from a kvfile, and decodes nothing.
"""
import argparse
import json
import pathlib
import statistics
import sys
import tempfile

import results_file
import singa_job

TARGET = 0.02  # share of the step
THREADS = (1, 2)


def measure(binary, store, folder, threads, steps):
    """Returns step_ms and data_wait_ms of one run's second row."""
    backend, path = store
    fields = {"backend": backend, "path": path, "mean_file": f"{folder}/mean.bin"}
    sets = [f"num_openblas_threads={threads}", f"train_steps={2 * steps}", f"disp_freq={steps}",
            f"disp_after={steps - 1}", "test_freq=0"]
    for layer in ("data#0", "data#1"):  # of training, and of the test, which does not run
        sets += [f"neuralnet.layer[{layer}].store_conf.{name}={fields[name]}" for name in fields]
    with tempfile.TemporaryDirectory(prefix="singa-wait-") as workspace:
        words = [str(pathlib.Path(binary).resolve()), "-conf",
                 str(singa_job.REPOSITORY / "examples/cifar10/convnet.conf")]
        for field in [f"cluster.workspace={workspace}", *sets]:
            words += ["-set", field]
        singa_job.run_process(words)
        with open(f"{workspace}/metrics.jsonl", encoding="utf-8") as file:
            rows = [row for row in map(json.loads, file) if row["phase"] == "train"]
    return rows[-1]["step_ms"], rows[-1]["data_wait_ms"]


def median(values):
    return statistics.median(values)


def main():
    parser = argparse.ArgumentParser(description="what a step waits for its batch")
    parser.add_argument("binary")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    pictures = singa_job.cifar_folder() / "train.tar"
    conditions = results_file.Conditions()
    rows, good = [], True
    with tempfile.TemporaryDirectory(prefix="singa-pictures-") as folder:
        numbers = pathlib.Path(folder, "train.bin")
        singa_job.run_process([args.binary, "data", "convert", "-mean", f"{folder}/mean.bin",
                               str(pictures), str(numbers)])
        stores = {"JPEG in a tar": ("imagefolder", pictures), "kvfile": ("kvfile", numbers)}
        runs = {(name, threads): [] for threads in THREADS for name in stores}
        for _ in range(args.runs):  # interleaved: the machine changes from minute to minute
            for (name, threads), found in runs.items():
                found.append(measure(args.binary, stores[name], folder, threads, args.steps))
    for (name, threads), found in runs.items():
        shares = [wait / step for step, wait in found]
        share = median(shares)
        wanted = name == "JPEG in a tar"
        good = good and (not wanted or share < TARGET)
        rows.append([name, threads, f"{median([step for step, _ in found]):.2f}",
                     f"{median([wait for _, wait in found]):.3f}",
                     f"{100 * share:.2f} % ({100 * min(shares):.2f}..{100 * max(shares):.2f})",
                     f"< {100 * TARGET:.0f} %" if wanted else ""])
    heads = ["pictures", "computing threads", "step, ms", "wait, ms", "share of the step", "target"]
    lines = [*results_file.table(heads, rows), "",
             f"Medians (min..max) of {args.runs} runs of {args.steps} steps, after as many."]
    results_file.report("data_wait", conditions, lines, args.write)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
