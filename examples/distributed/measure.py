#!/usr/bin/env python3
"""Trains the CNN of examples/mnist by two processes in each way that gradients can be exchanged.

usage: SINGA_DATA=DIR python3 examples/distributed/measure.py SINGA [--epochs 10] [--keep DIR] [--write]
           [WORD of a mode]...
       SINGA       the program
       SINGA_DATA  a folder with the four files of MNIST in mnist/
       --keep      copy metrics.jsonl of each mode into DIR/MODE, for tool/plot
       --write     put the tables into README.md

The processes send each other all bytes over loopback. All modes take the same steps of 64 records in all. Bytes
are of both processes, without tests: the first row of a run is left out. The time of a step is the median over the
rows.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "test/bench"))
import partition  # noqa: E402
import results_file  # noqa: E402

CONF = ROOT / "examples/mnist/cnn.conf"
EPOCH = 938  # steps of 64 records in a pass over 60,000
ROWS = 67  # rows of a pass: one each 14 steps
ONE_GROUP = ["cluster.nworkers_per_group=2", "cluster.share_memory=false"]
GROUPS = ["cluster.nworker_groups=2", "cluster.nserver_groups=2", "neuralnet.layer[data#0].store_conf.batchsize=32"]
FILES = {0: ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"),
         1: ("t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz")}


def compressed(name, *settings):
    return [*ONE_GROUP, f"cluster.all_reduce.compression={name}",
            *(f"cluster.all_reduce.{setting}" for setting in settings)]


def outer(freq, *settings):
    return [*GROUPS, "cluster.group_sync=kOuter", f"cluster.sync_freq={freq}", *settings]


MODES = {
    "kNone": compressed("kNone"),
    "kFp16": compressed("kFp16"),
    "kTopK, 5 %": compressed("kTopK", "sparsity=0.05"),
    "kTopK, 5 %, momentum kept": compressed("kTopK", "sparsity=0.05", "factor_masking=false"),
    "kTopK, 1 %": compressed("kTopK", "sparsity=0.01"),
    "kThreshold, 0.001": compressed("kThreshold", "threshold=0.001"),
    "kPowerSGD, rank 2": compressed("kPowerSGD"),
    "kPowerSGD, rank 4": compressed("kPowerSGD", "rank=4"),
    "kPartial, 4 buckets": compressed("kPartial", "fusion_elements=1000"),
    "kOuter, 10 steps": outer(10),
    "kOuter, 100 steps": outer(100),
    "kOuter, 100 steps, kInt8": outer(100, "cluster.outer_compression=kInt8"),
    "kOuter, 100 steps, kInt8, 4 fragments": outer(100, "cluster.outer_compression=kInt8",
                                                   "cluster.outer_fragments=4"),
}


def run(args, mode):
    """Returns the rows of one run."""
    with tempfile.TemporaryDirectory(prefix="singa-distributed-") as folder:
        words = [os.path.abspath(args.singa), "-conf", str(CONF)]
        sets = [f"cluster.workspace={folder}/ws", "train_epochs=0", f"train_steps={EPOCH * args.epochs}",
                "test_epochs=0", f"test_freq={EPOCH}", f"disp_freq={EPOCH // ROWS}", *MODES[mode]]
        data = pathlib.Path(os.environ["SINGA_DATA"], "mnist").resolve()
        for layer, (images, labels) in FILES.items():
            sets += [f"neuralnet.layer[data#{layer}].store_conf.path={data / images}",
                     f"neuralnet.layer[data#{layer}].store_conf.label_path={data / labels}"]
        for setting in sets:
            words += ["-set", setting]
        partition.run_all([words], folder, mode)
        if args.keep:
            kept = pathlib.Path(args.keep, re.sub(r"[^\w.]+", "-", mode).strip("-"))
            kept.mkdir(parents=True, exist_ok=True)
            shutil.copy(f"{folder}/ws/metrics.jsonl", kept)
        return [json.loads(line) for line in pathlib.Path(folder, "ws/metrics.jsonl").read_text().splitlines()]


def figures(rows):
    """Returns bytes of a step, its milliseconds, and (train loss, train accuracy, test accuracy) by epoch."""
    train = [row for row in rows if row["phase"] == "train" and row["group"] == 0]
    sent = {}
    for row in rows:
        if row["phase"] == "process":
            sent.setdefault(row["step"], []).append(row["bytes_sent"])
    steps = train[-1]["step"] - train[0]["step"]
    total = sum(sum(of) for step, of in sent.items() if step > train[0]["step"])
    epochs = []
    for number, test in enumerate((row for row in rows if row["phase"] == "test" and row["step"] > 0)):
        within = [row for row in train if number * EPOCH <= row["step"] < (number + 1) * EPOCH]
        epochs.append((sum(row["loss"] for row in within) / len(within),
                       sum(row["accuracy"] for row in within) / len(within), test["accuracy"]))
    return total / steps, statistics.median(row["step_ms"] for row in train[1:]), epochs


def tables(results):
    """Returns the lines of two tables in Markdown: of all modes, and of each mode by epoch."""
    dense = next(iter(results.values()))[0]
    lines = results_file.table(
        ["mode", "KB a step", "of the first mode", "ms a step", "test accuracy"],
        [[mode, f"{size / 1e3:.1f}", f"{100 * size / dense:.1f} %", f"{step:.1f}", f"{epochs[-1][2]:.4f}"]
         for mode, (size, step, epochs) in results.items()])
    lines += ["", "By epoch: training loss, training accuracy, test accuracy.", ""]
    count = len(next(iter(results.values()))[2])
    shown = [epoch for epoch in range(count) if epoch in (0, 1, 4) or epoch == count - 1]
    return lines + results_file.table(
        ["mode", *(f"epoch {epoch + 1}" for epoch in shown)],
        [[mode, *("{:.4f}, {:.4f}, {:.4f}".format(*epochs[epoch]) for epoch in shown)]
         for mode, (*_, epochs) in results.items()])


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("singa")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--keep")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_intermixed_args()
    if "SINGA_DATA" not in os.environ:
        sys.exit("SINGA_DATA is not set: the jobs train on MNIST")
    conditions = results_file.Conditions()
    results = {}
    for mode in MODES:
        if args.words and not any(word in mode for word in args.words):
            continue
        results[mode] = figures(run(args, mode))
        print(f"{mode}: {results[mode][0]:.0f} bytes a step, accuracy {results[mode][2][-1][2]:.4f}",
              file=sys.stderr)
    lines = [*conditions.lines(), *tables(results)]
    print("\n".join(lines))
    if args.write:
        results_file.write_table(HERE / "README.md", lines)


if __name__ == "__main__":
    main()
