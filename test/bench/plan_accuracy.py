#!/usr/bin/env python3
"""Compares the step times and the memory that `singa plan` predicts with those of real trainings.

usage: python3 test/bench/plan_accuracy.py SINGA [--write] [WORD of a case]...
       SINGA: the program; --write puts the figures into test/bench/results.md
needs: a quiet machine of two cores or more

Each case is one net, a number of workers, and one way to divide the layers. `singa plan -verify`
measures the layers of the net, predicts the time of a step, and trains in the same way. A round of
all nets is repeated, and the figures are the medians. The plans that `singa plan` finds may differ
from round to round; only those of all rounds count. The memory of a training is that of its
process as the system counts it (memory_mb in metrics.jsonl), without that of a training of a tiny
net by as many workers.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

import partition
import results_file

WORKERS = (2, 3, 4)
MEMORY_RUNS = 3
TINY = """name: "tiny" seed: 1 num_openblas_threads: 1 train_one_batch { alg: kBP } train_steps: 3
updater { type: kSGD learning_rate { type: kFixed base_lr: 0.001 } }
neuralnet { layer { name: "data" type: kRecordInput store_conf { backend: "synthetic" batchsize: 8 shape: 4
  synthetic_conf { records: 16 classes: 10 } } }
layer { name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 10 }
  param { name: "w" init { type: kGaussian std: 0.01 } } param { name: "b" init { type: kConstant } } }
layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" } }
"""
# Batch, shape of a record, filters of convolutions, units of inner products.
NETS = {
    "wide MLP": (64, "shape: 1024", [], [2048, 2048, 2048, 10]),
    "narrow MLP": (256, "shape: 784", [], [512, 512, 256, 10]),
    "deep MLP": (128, "shape: 512", [], [1024, 1024, 1024, 1024, 1024, 1024, 10]),
    "CNN": (64, "shape: 3 shape: 32 shape: 32", [32, 64], [2048, 2048, 10]),
    "deep CNN": (64, "shape: 3 shape: 32 shape: 32", [32, 32, 64], [64, 10]),
    "small CNN": (32, "shape: 1 shape: 28 shape: 28", [20, 50], [500, 10]),
}


def conf_of(net, seed):
    """Returns the job.conf of a net whose own division is drawn at random."""
    draw = random.Random(seed)
    partition.NETS["case"] = NETS[net]
    text = "train_steps: 100 " + partition.job("case", "rows")
    return text if seed is None else "\n".join(
        line.replace("partition_dim: 0", f"partition_dim: {draw.randint(0, 1)}")
        for line in text.split("\n"))


def plans_of(singa, net, workers, seed, folder):
    """Returns the plans of a net, each with its predicted and measured time of a step."""
    conf = pathlib.Path(folder, "job.conf")
    conf.write_text(conf_of(net, seed), encoding="utf-8")
    out = subprocess.run([singa, "plan", "-json", "-verify", "-fresh", "-workers", str(workers), str(conf)],
                         capture_output=True, text=True, check=False)
    if out.returncode:
        sys.exit(f"{net}, {workers} workers: exit code {out.returncode}\n{out.stderr}")
    return json.loads(out.stdout)["plans"]


def cut_of(plan):
    """Returns a letter for each layer: r by rows, u by units, w whole, g a grid."""
    def letter(layer):
        if layer["units"] == 1:
            return "w" if layer["rows"] == 1 else "r"
        return "u" if layer["rows"] == 1 else "g"
    return "".join(map(letter, plan["layers"]))


def memory_of(singa, net, workers, plan, folder):
    """Returns the MB of a worker, the mean of the group: predicted by the training's rows, and used,
    without those of a tiny training."""
    def used(text, sets):
        conf = pathlib.Path(folder, "job.conf")
        conf.write_text(text, encoding="utf-8")
        command = [singa, "-conf", str(conf)]
        for setting in (f"cluster.workspace={folder}/ws", f"cluster.nworkers_per_group={workers}",
                        f"cluster.nworkers_per_procs={workers}", "train_steps=31", "disp_freq=10", *sets):
            command += ["-set", setting]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(f"{' '.join(command)}: exit code {run.returncode}\n{run.stderr}")
        rows = pathlib.Path(folder, "ws", "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(rows[-1])[name] for name in ("predicted_memory_mb", "memory_mb")]
    sets = []
    for layer in plan["layers"]:
        path = f"neuralnet.layer[{layer['name']}]"
        sets += [f"{path}.partition_dim=-1", f"{path}.partition_grid.rows={layer['rows']}",
                 f"{path}.partition_grid.units={layer['units']}"]
    differences = []
    for _ in range(MEMORY_RUNS):
        (predicted, memory), (of_tiny, tiny) = used(conf_of(net, None), sets), used(TINY, [])
        differences.append(memory - (tiny - of_tiny))
    return predicted / workers, statistics.median(differences) / workers


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    places = [0] * len(values)
    for place, i in enumerate(order):
        places[i] = place
    return places


def rank_correlation(a, b):
    """Returns Spearman's coefficient."""
    n = len(a)
    differences = sum((x - y) ** 2 for x, y in zip(ranks(a), ranks(b)))
    return 1 - 6 * differences / (n * (n * n - 1))


def main():
    parser = argparse.ArgumentParser(description="predicted and measured step times")
    parser.add_argument("singa")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_intermixed_args()
    singa = os.path.abspath(args.singa)
    conditions = results_file.Conditions()
    times, plans = {}, {}  # by net, workers and cut
    with tempfile.TemporaryDirectory(prefix="singa-bench-") as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        for number in range(args.rounds):
            for seed, (net, workers) in enumerate((n, w) for n in NETS for w in WORKERS):
                if args.words and not any(word in f"{net}, {workers}" for word in args.words):
                    continue
                for plan in plans_of(singa, net, workers, seed, folder):
                    case = (net, workers, cut_of(plan))
                    plans[case] = plan
                    times.setdefault(case, {})[number] = (plan["step_ms"], plan["measured_ms"])
                print(f"round {number + 1}: {net}, {workers} workers", file=sys.stderr)
        for case in [case for case, rounds in times.items() if len(rounds) < args.rounds]:
            del times[case], plans[case]
        memory = {case: memory_of(singa, *case[:2], plans[case], folder) for case in plans}
    rows, errors, predicted, measured, memory_errors = [], [], [], [], []
    for case, rounds in times.items():
        net, workers, cut = case
        of_model, of_training = (statistics.median(column) for column in zip(*rounds.values()))
        error = statistics.median(p / m - 1 for p, m in rounds.values())
        memory_error = memory[case][0] / memory[case][1] - 1
        rows.append([net, workers, cut, f"{of_model:.2f}", f"{of_training:.2f}",
                     f"{100 * error:+.1f} %", f"{memory[case][0]:.1f}", f"{memory[case][1]:.1f}",
                     f"{100 * memory_error:+.1f} %"])
        errors.append(abs(error))
        memory_errors.append(abs(memory_error))
        predicted.append(of_model)
        measured.append(of_training)
    summary = (f"{len(rows)} cases: median error {100 * statistics.median(errors):.1f} %, worst "
               f"{100 * max(errors):.1f} %, rank correlation {rank_correlation(predicted, measured):.3f}; "
               f"memory: median error {100 * statistics.median(memory_errors):.1f} %, worst "
               f"{100 * max(memory_errors):.1f} %.")
    heads = ["net", "workers", "layers", "predicted ms", "measured ms", "error", "predicted MB",
             "measured MB", "error"]
    results_file.report("plan accuracy", conditions, [summary, "", *results_file.table(heads, rows)],
                        args.write)


if __name__ == "__main__":
    main()
