#!/usr/bin/env python3
"""Trains the CNN of examples/mnist by two processes in each way that gradients can be exchanged.

usage: SINGA_DATA=DIR python3 examples/distributed/measure.py SINGA [--epochs 10] [--keep DIR] [--write]
           [WORD of a mode]...
       SINGA       the program
       SINGA_DATA  a folder with the four files of MNIST in mnist/
       --keep      where each mode leaves its metrics.jsonl, DIR/MODE; singa-modes if not given
       --write     put the tables of all modes in DIR into README.md, and draw curves.svg

Modes run one after the other, four to five minutes each. A mode that DIR has already, with as many epochs, is not run
again. So the script may be ended at any time: type the same command to go on with the modes that are left.

The processes send each other all bytes over loopback. All modes take the same steps of 64 records in all. Bytes
are of both processes, without tests: the first row of a run is left out. The time of a step is the median over the
rows. The seconds are those from the first row to the last, with the tests between.
needs: matplotlib for the curves
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

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


def folder_of(args, mode):
    return pathlib.Path(args.keep, re.sub(r"[^\w.]+", "-", mode).strip("-"))


def kept(args, mode):
    """Returns the rows of a mode that has run; None: it has not, or with another number of epochs."""
    file = folder_of(args, mode) / "metrics.jsonl"
    if not file.exists():
        return None
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    ended = max(row["step"] for row in rows if row["phase"] == "test") == EPOCH * args.epochs
    return rows if ended else None


def run(args, mode):
    """Runs a mode, and keeps its rows and the conditions under which they came."""
    load, start = os.getloadavg()[0], time.monotonic()
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
        partition.run_all([words], folder, mode, limit_s=3600)
        to = folder_of(args, mode)
        to.mkdir(parents=True, exist_ok=True)
        (to / "conditions.json").write_text(json.dumps({
            "commit": results_file.commit(), "day": time.strftime("%Y-%m-%d"), "cpu": results_file.cpu(),
            "load": [load, os.getloadavg()[0]]}))
        shutil.copy(f"{folder}/ws/metrics.jsonl", to)
    print(f"{mode}: {(time.monotonic() - start) / 60:.1f} minutes", file=sys.stderr)


def figures(rows):
    """Returns bytes of a step, its milliseconds, the seconds of the run, and (training loss, training accuracy, test
    accuracy) by epoch."""
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
    return (total / steps, statistics.median(row["step_ms"] for row in train[1:]),
            rows[-1]["time"] - rows[0]["time"], epochs)


def conditions(args, modes):
    """Returns a line that says where and when the modes ran, and the load averages by mode."""
    files = {mode: json.loads((folder_of(args, mode) / "conditions.json").read_text()) for mode in modes}
    different = {key: ", ".join(sorted({of[key] for of in files.values()})) for key in ("commit", "day", "cpu")}
    loads = {mode: "{:.1f}, {:.1f}".format(*of["load"]) for mode, of in files.items()}
    return "Commit {commit}; {day}; {cpu}.".format(**different), loads


def tables(results, loads):
    """Returns the lines of the tables in Markdown: of all modes, and of what each mode has learned by epoch."""
    dense = next(iter(results.values()))[0]
    lines = results_file.table(
        ["mode", "KB a step", "of the first mode", "ms a step", "seconds", "load before, after", "test accuracy"],
        [[mode, f"{size / 1e3:.1f}", f"{100 * size / dense:.1f} %", f"{step:.1f}", f"{seconds:.0f}", loads[mode],
          f"{epochs[-1][2]:.4f}"] for mode, (size, step, seconds, epochs) in results.items()])
    count = len(next(iter(results.values()))[-1])
    for place, name in enumerate(("Training loss", "Training accuracy", "Test accuracy")):
        lines += ["", f"{name} by epoch:", ""]
        lines += results_file.table(
            ["mode", *range(1, count + 1)],
            [[mode, *(f"{epoch[place]:.4f}" for epoch in epochs)] for mode, (*_, epochs) in results.items()])
    return lines


def draw(args, modes):
    """Draws the test accuracy of the modes over seconds and over megabytes. Returns the text about the curves."""
    words = ["tool/plot", "-l", "-m", "accuracy", "-p", "test", "-x", "seconds,megabytes", "-y", "0.96,0.995",
             "-o", "examples/distributed/curves.svg"]
    folders = sorted(os.path.relpath(folder_of(args, mode), ROOT) for mode in modes)
    if subprocess.run([sys.executable, *words, *folders], cwd=ROOT, check=False).returncode:
        sys.exit("curves.svg is as before")
    return ["![Test accuracy of all modes over seconds and over megabytes](curves.svg)", "",
            "The horizontal axes show seconds since the first row, and the megabytes that both processes sent, with "
            "tests.", "This command drew the curves:", "", f"    {shlex.join(words)} \\",
            f"        {os.path.relpath(args.keep, ROOT)}/*"]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("singa")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--keep", default="singa-modes")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_intermixed_args()
    if "SINGA_DATA" not in os.environ:
        sys.exit("SINGA_DATA is not set: the jobs train on MNIST")
    for mode in MODES:
        asked = not args.words or any(word in mode for word in args.words)
        if asked and not kept(args, mode):
            run(args, mode)
    results = {mode: figures(rows) for mode in MODES if (rows := kept(args, mode))}
    if not results:
        sys.exit(f"no mode has one of these words; the modes are {'; '.join(MODES)}")
    where, loads = conditions(args, results)
    lines = [where, "", *tables(results, loads)]
    print("\n".join(lines))
    if args.write:
        results_file.write_table(HERE / "README.md", lines)
        results_file.write_table(HERE / "README.md", draw(args, results), "curves")


if __name__ == "__main__":
    main()
