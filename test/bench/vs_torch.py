#!/usr/bin/env python3
"""Milliseconds a training step and memory: singa against PyTorch eager, on the CPU.

usage: SINGA_DATA=DIR python3 test/bench/vs_torch.py BINARY [--pairs 9] [--threads 1,2]
           [--nets cnn,mlp,cifar,alexnet,rbm,gru] [--seconds 3] [--write]
       --write puts the figures into test/bench/results.md, a section for each net. Exit 1 if a
       target is missed.
needs: pip install torch numpy; a quiet machine

Runs alternate: singa, PyTorch, PyTorch with channels_last (nets with convolutions), singa, ...
A run of singa is a job of the examples: on plain IDX files, on noise in CIFAR's form or in a
text, or on synthetic records (alexnet, batch 32); without tests. Its figure is the median over
the rows of metrics.jsonl, each the mean of about 0.3 s of steps, the first 0.3 s left out. A run
of PyTorch is torch_job.py: the same net and updater, data in memory; its figure is the median
step. The ratio is PyTorch's median over its runs to singa's. Peak: the job's multiply-adds,
counted twice, over the time of a step and the speed of a loop of them (`singa bench`, in the same
minutes). Memory: peak resident set, less that of `singa version` or of a Python that has imported
torch.
"""
import argparse
import math
import statistics
import sys
import tempfile

import results_file
import singa_job

ROW_SECONDS = 0.3
# name, least ratio
NETS = {"cnn": ("MNIST CNN, batch 64", 1.5), "mlp": ("MNIST MLP, batch 64", 1.5),
        "cifar": ("cuda-convnet on CIFAR, batch 100", 1.5), "alexnet": ("AlexNet, batch 32", 1.2),
        "rbm": ("RBM 784-1000, batch 100", 1.0),
        "gru": ("GRU-512 on characters, batch 50, 50 steps", 1.0)}
MOST_MEMORY = 0.8  # of PyTorch's
HEADS = ["net", "threads", "singa ms", "PyTorch ms", "PyTorch / singa", "pairs' min..max",
         "channels_last ms", "channels_last / singa", "share of FMA peak", "singa MiB",
         "PyTorch MiB", "memory"]


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
    trial_ms, _, _ = train_singa(args.binary, net, threads, folder, 2, 3)
    row_steps = max(1, math.ceil(ROW_SECONDS * 1e3 / trial_ms))
    rows = max(1, math.ceil(args.seconds / ROW_SECONDS))
    sides = {"torch": []}
    if net not in ("mlp", "rbm", "gru"):
        sides["channels_last"] = ["--channels_last"]
    found = {side: [] for side in ("singa", *sides)}
    rss = {side: 0 for side in found}
    for pair in range(args.pairs):
        ms, wait, peak = train_singa(args.binary, net, threads, folder, row_steps, rows)
        found["singa"].append(ms)
        rss["singa"] = max(rss["singa"], peak)
        for side, options in sides.items():
            other = singa_job.run_torch(net, threads, folder, f"--seconds={args.seconds}", *options)
            found[side].append(other["step_ms"])
            rss[side] = max(rss[side], other["rss"] - other["import_rss"])
        print(f"{net} {threads} threads, pair {pair}: singa {ms:.3f} ms ({wait:.3f} of it waiting "
              "for data), " + ", ".join(f"{side} {found[side][-1]:.3f} ms" for side in sides),
              file=sys.stderr)
    bench = singa_job.bench(args.binary, net, folder, threads)
    median = {side: statistics.median(values) for side, values in found.items()}
    ratios = [b / a for a, b in zip(found["singa"], found["torch"])]
    return {"net": net, "threads": threads, "torch": other["torch"], "ms": median,
            "low": min(ratios), "high": max(ratios), "ratio": median["torch"] / median["singa"],
            "peak": bench["flops"] / median["singa"] / 1e6 / bench["peak_gflops"],
            "rss": rss["singa"] - singa_job.idle_rss(args.binary), "torch_rss": rss["torch"]}


def table_row(found):
    ms = found["ms"]
    last = ms.get("channels_last")
    return [NETS[found["net"]][0], found["threads"], f"{ms['singa']:.2f}", f"{ms['torch']:.2f}",
            f"{found['ratio']:.2f}", f"{found['low']:.2f}..{found['high']:.2f}",
            f"{last:.2f}" if last else "", f"{last / ms['singa']:.2f}" if last else "",
            f"{found['peak']:.0%}", f"{found['rss']:.0f}", f"{found['torch_rss']:.0f}",
            f"{found['rss'] / found['torch_rss']:.2f}"]


def missed(found):
    return found["ratio"] < NETS[found["net"]][1] or \
        found["rss"] > MOST_MEMORY * found["torch_rss"]


def main():
    parser = argparse.ArgumentParser(description="singa against PyTorch: ms a step")
    parser.add_argument("binary")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--nets", default=",".join(NETS))
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    if args.write and args.pairs < 9:
        parser.error("--write wants at least 9 pairs")
    misses = 0
    with tempfile.TemporaryDirectory(prefix="singa-idx-") as folder:
        singa_job.make_plain_idx(folder)
        singa_job.make_cifar_batch(folder)
        singa_job.make_text(folder)
        for net in args.nets.split(","):
            conditions = results_file.Conditions()
            found = [measure(args, net, int(threads), folder) for threads in args.threads.split(",")]
            lines = [*results_file.table(HEADS, [table_row(f) for f in found]), "",
                     f"{args.pairs} interleaved rounds a line; PyTorch {found[0]['torch']}."]
            results_file.report(f"vs_torch {net}", conditions, lines, args.write)
            misses += sum(missed(f) for f in found)
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
