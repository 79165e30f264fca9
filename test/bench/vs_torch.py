#!/usr/bin/env python3
"""Milliseconds a training step and peak memory: singa against PyTorch eager, on the CPU.

usage: SINGA_DATA=DIR python3 test/bench/vs_torch.py BINARY [--pairs 9] [--threads 1,2]
           [--nets cnn,mlp,cifar] [--seconds 3] [--write]
       --write puts the figures into test/bench/results.md. Exit 1 if a ratio is below 1.3.
needs: pip install torch numpy; a quiet machine

Runs alternate: singa, PyTorch, singa, PyTorch, ... A run of singa is a job of examples/mnist
(cnn.conf or mlp.conf) on plain IDX files, or examples/cifar10/convnet.conf on noise, without tests;
its figure is the median over the rows of metrics.jsonl, each the mean of about 0.3 s of steps, the
first 0.3 s left out. A run of PyTorch is torch_job.py: the same net and updater, data in memory;
its figure is the median step. The ratio is PyTorch's median over its runs to singa's.
"""
import argparse
import math
import statistics
import sys
import tempfile

import results_file
import singa_job

TARGET = 1.3
ROW_SECONDS = 0.3
NETS = {"cnn": "MNIST CNN, batch 64", "mlp": "MNIST MLP, batch 64",
        "cifar": "cuda-convnet on CIFAR, batch 100"}
HEADS = ["net", "threads", "singa ms", "PyTorch ms", "PyTorch / singa", "pairs' min..max",
         "singa peak RSS MiB", "PyTorch peak RSS MiB"]


def train_singa(binary, net, threads, folder, row_steps, rows):
    """(median of the rows' mean ms a step, mean ms a step spent waiting for data, peak RSS)."""
    # Rows come at steps 0, row_steps, 2 row_steps, ...; the first two warm up.
    sets = ["train_epochs=0", "test_epochs=0", "test_steps=0", "test_freq=0",
            f"train_steps={row_steps * (rows + 1) + 1}", f"disp_freq={row_steps}",
            f"num_openblas_threads={threads}"]
    found, rss = singa_job.run(binary, net, folder, sets)
    found = [row for row in found if row["phase"] == "train"][2:]
    assert len(found) == rows, found
    wait = statistics.mean(row["data_wait_ms"] for row in found)
    return statistics.median(row["step_ms"] for row in found), wait, rss


def measure(args, net, threads, folder):
    """One line of the table, as numbers."""
    trial_ms, _, _ = train_singa(args.binary, net, threads, folder, 5, 3)
    row_steps = max(1, math.ceil(ROW_SECONDS * 1e3 / trial_ms))
    rows = max(1, math.ceil(args.seconds / ROW_SECONDS))
    singa, torch, rss, torch_rss = [], [], [], []
    version = ""
    for pair in range(args.pairs):
        ms, wait, peak = train_singa(args.binary, net, threads, folder, row_steps, rows)
        other = singa_job.run_torch(net, threads, folder, f"--seconds={args.seconds}")
        version = other["torch"]
        print(f"{net} {threads} threads, pair {pair}: singa {ms:.3f} ms ({wait:.3f} of it waiting "
              f"for data), PyTorch {other['step_ms']:.3f} ms", file=sys.stderr)
        singa.append(ms)
        torch.append(other["step_ms"])
        rss.append(peak)
        torch_rss.append(other["rss"])
    ratios = [b / a for a, b in zip(singa, torch)]
    return {"net": net, "threads": threads, "torch": version, "singa_ms": statistics.median(singa),
            "torch_ms": statistics.median(torch), "low": min(ratios), "high": max(ratios),
            "ratio": statistics.median(torch) / statistics.median(singa), "rss": max(rss),
            "torch_rss": max(torch_rss)}


def main():
    parser = argparse.ArgumentParser(description="singa against PyTorch: ms a step")
    parser.add_argument("binary")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--nets", default="cnn,mlp,cifar")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    if args.write and args.pairs < 9:
        parser.error("--write wants at least 9 pairs")
    conditions = results_file.Conditions()
    with tempfile.TemporaryDirectory(prefix="singa-idx-") as folder:
        singa_job.make_plain_idx(folder)
        singa_job.make_cifar_batch(folder)
        found = [measure(args, net, int(threads), folder)
                 for net in args.nets.split(",") for threads in args.threads.split(",")]
    rows = [[NETS[f["net"]], f["threads"], f"{f['singa_ms']:.2f}", f"{f['torch_ms']:.2f}",
             f"{f['ratio']:.2f}", f"{f['low']:.2f}..{f['high']:.2f}", f"{f['rss']:.0f}",
             f"{f['torch_rss']:.0f}"] for f in found]
    lines = [*results_file.table(HEADS, rows), "",
             f"{args.pairs} interleaved pairs a line; PyTorch {found[0]['torch']}; target: "
             f"PyTorch / singa >= {TARGET}."]
    results_file.report("vs_torch", conditions, lines, args.write)
    return 1 if min(f["ratio"] for f in found) < TARGET else 0


if __name__ == "__main__":
    sys.exit(main())
