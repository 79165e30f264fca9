#!/usr/bin/env python3
"""How much faster K workers on K cores train than one worker on one core.

usage: SINGA_DATA=DIR python3 test/bench/scaling.py BINARY [--workers 2] [--kind threads|memory|tcp]
           [--pairs 9] [--nets cnn,mlp] [--batch 64] [--seconds 3] [--cores 0,1] [--set PATH=VALUE]
           [--ddp] [--torch-python PYTHON] [--write]
       --kind: the workers are threads of one process, or processes that share memory, or that send
               all by tcp to a server in each
       --batch: rows of a worker; K workers train K times as many together
       --cores: one for each worker (the first ones)
       --set: more settings of the job of several workers
       --ddp: the same nets in PyTorch, several processes by DistributedDataParallel over gloo
       --write puts the figures into test/bench/results.md
needs: taskset; with --ddp a PYTHON (this one) with: pip install torch numpy; a quiet machine

Runs alternate: one worker, K workers, PyTorch's one process, its K, one worker, ... All have one
thread a worker, pinned to as many cores as there are workers, and images in memory. A run of singa
is a job of the examples, without tests; its figure is the median of samples_per_second over the
rows of metrics.jsonl, each the mean of about 0.3 s of steps, the first two left out. A run of
PyTorch is torch_ddp.py; its figure is of the median step. Efficiency is the rate of K workers over
K times that of one, of the medians over the runs; beside it the least and most of a round. The copy
bound of tcp is what the efficiency would be if a step of one worker took longer by nothing but the
time in which two plain sockets send each other the step's bytes (loopback.py): both cores compute
all the time, so nothing of it is for free.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import sys
import tempfile

import loopback
import results_file
import singa_job

ROW_SECONDS = 0.3
KINDS = {"threads": "threads", "memory": "processes that share memory",
         "tcp": "processes that send all by tcp"}
NETS = {"cnn": "MNIST CNN", "mlp": "MNIST MLP, 12 M parameters"}
HEADS = ["net", "workers", "system", "one worker", "all workers", "efficiency", "rounds' min..max"]


def train_rows(args, net, folder, workers, row_steps, rows):
    """The rows of a job's training after its warm-up."""
    sets = ["train_epochs=0", "test_epochs=0", "test_steps=0", "test_freq=0",
            f"train_steps={row_steps * (rows + 1) + 1}", f"disp_freq={row_steps}",
            "num_openblas_threads=1", f"cluster.nworkers_per_group={workers}",
            f"cluster.nworkers_per_procs={workers if args.kind == 'threads' else 1}",
            f"neuralnet.layer[data#0].store_conf.batchsize={workers * args.batch}"]
    if workers > 1 and args.kind == "tcp":
        sets += ["cluster.share_memory=false", f"cluster.nservers_per_group={workers}"]
    if workers > 1:
        sets += args.set
    with tempfile.TemporaryDirectory(prefix="singa-bench-") as workspace:
        words = singa_job.command(args.binary, net, folder, workspace, sets)
        found, _ = singa_job.rows_of(["taskset", "-c", args.cores_of(workers), *words], workspace)
    # Rows come at steps 0, row_steps, 2 row_steps, ...; the first two warm up.
    trained = [row for row in found if row["phase"] == "train"][2:]
    assert len(trained) == rows, trained
    return trained


def train_singa(args, net, folder, workers, plan):
    """Samples a second."""
    return statistics.median(row["samples_per_second"]
                             for row in train_rows(args, net, folder, workers, *plan))


def copy_bound(args, net, folder, one, plan):
    """See above; two workers. `one`: samples a second of one worker."""
    row = train_rows(args, net, folder, args.workers, *plan)[-1]
    size = int(row["bytes_sent"] / plan[0] / args.workers)
    cores = [int(core) for core in args.cores_of(args.workers).split(",")]
    copies, step = loopback.exchange_seconds(size, cores), args.batch / one
    return (f"{NETS[net]}: each process sends {size / 1e6:.1f} MB a step, which two plain sockets "
            f"do in {copies * 1e3:.1f} ms: copy bound {step / (step + copies):.3f}.")


def train_torch(args, net, folder, workers, plan):
    steps = max(3, plan[0] * plan[1])
    words = [args.torch_python, str(pathlib.Path(__file__).with_name("torch_ddp.py")), net,
             folder, f"--cores={args.cores_of(workers)}", f"--batch={args.batch}",
             f"--steps={steps}"]
    out, _ = singa_job.run_process(words, env=dict(os.environ, OMP_NUM_THREADS="1"))
    return json.loads(out)["samples_per_second"]


SYSTEMS = {"singa": train_singa, "PyTorch": train_torch}


def measure(args, net, folder):
    """{system: samples a second of each run, ([one worker's], [all workers'])}, and notes."""
    trial_ms = statistics.median(row["step_ms"] for row in train_rows(args, net, folder, 1, 2, 3))
    plan = (max(1, math.ceil(ROW_SECONDS * 1e3 / trial_ms)),
            max(1, math.ceil(args.seconds / ROW_SECONDS)))
    found = {system: ([], []) for system in list(SYSTEMS)[:2 if args.ddp else 1]}
    for pair in range(args.pairs):
        for system, rates in found.items():
            for side, workers in enumerate((1, args.workers)):
                rates[side].append(SYSTEMS[system](args, net, folder, workers, plan))
        print(f"{net}, round {pair}: " + "; ".join(
            f"{system} {one[-1]:.0f} and {all_[-1]:.0f} samples/s"
            for system, (one, all_) in found.items()), file=sys.stderr)
    notes = []
    if args.kind == "tcp" and args.workers == 2:
        notes.append(copy_bound(args, net, folder, statistics.median(found["singa"][0]), plan))
    return found, notes


def table_rows(args, net, found):
    for system, (one, several) in found.items():
        shares = [b / a / args.workers for a, b in zip(one, several)]
        first, all_ = statistics.median(one), statistics.median(several)
        yield [NETS[net], args.workers, system, f"{first:.0f}", f"{all_:.0f}",
               f"{all_ / first / args.workers:.3f}", f"{min(shares):.3f}..{max(shares):.3f}"]


def parse():
    parser = argparse.ArgumentParser(description="K workers on K cores against one on one")
    parser.add_argument("binary")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kind", choices=KINDS, default="threads")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--nets", default=",".join(NETS))
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--cores", default="")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--ddp", action="store_true")
    parser.add_argument("--torch-python", default=sys.executable)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    cores = args.cores.split(",") if args.cores else sorted(os.sched_getaffinity(0))
    if len(cores) < args.workers:
        parser.error(f"{args.workers} workers want as many cores, there are {len(cores)}")
    args.cores_of = lambda workers: ",".join(map(str, cores[:workers]))
    if args.write and args.pairs < 9:
        parser.error("--write wants at least 9 pairs")
    return args


def main():
    args = parse()
    conditions = results_file.Conditions()
    rows, notes = [], []
    with tempfile.TemporaryDirectory(prefix="singa-idx-") as folder:
        singa_job.make_plain_idx(folder)
        for net in args.nets.split(","):
            found, of_net = measure(args, net, folder)
            rows += table_rows(args, net, found)
            notes += of_net
    lines = [*results_file.table(HEADS, rows), "",
             f"Samples/s; {args.batch} rows a worker; workers are {KINDS[args.kind]}; medians of "
             f"{args.pairs} interleaved rounds.", *notes]
    results_file.report(f"scaling {args.kind}", conditions, lines, args.write)


if __name__ == "__main__":
    main()
