#!/usr/bin/env python3
"""Measures how much faster K workers on K cores train than one worker on one core.

usage: SINGA_DATA=DIR [TORCH_PYTHON=PYTHON] python3 test/bench/scaling.py BINARY [--workers 2]
           [--kind threads|memory|tcp|mpi] [--asynchronous] [--pairs 9] [--nets cnn,mlp] [--batch 64] [--seconds 3]
           [--cores 0,1] [--set PATH=VALUE] [--ddp] [--write]
       --kind: the workers are threads of one process, or processes that share memory, or that send
               all by tcp to a server in each, or to each other by Open MPI
       --asynchronous: each worker is a group of its own, and steps when it likes; threads or tcp
       --batch: rows of a worker; K workers train K times as many together
       --cores: one for each worker (the first ones)
       --set: more settings of the job of several workers
       --ddp: the same nets in PyTorch, several processes by DistributedDataParallel over gloo
       --write puts the figures into test/bench/results.md
       TORCH_PYTHON: the python3 of --ddp's PyTorch, if it is not this one
needs: taskset; for mpi Open MPI's mpirun; with --ddp: pip install torch numpy; a quiet machine

Runs alternate: one worker, K workers, PyTorch's one process, its K, one worker, ... All have one
thread a worker, pinned to as many cores as there are workers, and images in memory. A run of singa
is a job of the examples, without tests. Its figure is the median of samples_per_second over the
rows of metrics.jsonl. Each row is the mean of about 0.3 s of steps, and the first two are left out.
A run of PyTorch is torch_ddp.py; its figure is from the median step. Efficiency is the rate of K
workers over K times that of one, the median of the rounds. The least and the most of a round are
beside it.

The bound is the most that joint training can reach on this machine: K independent jobs of one
worker at the same time, over K times one job alone. They share caches and memory. Over tcp the time
of a step grows by the time in which two plain sockets send each other its bytes (loopback.py), and over
MPI by the time of MPI_Allreduce for as many numbers (mpi_sum.py). Both cores compute all the time, so
these bytes are never sent for free.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import statistics
import sys
import tempfile

import loopback
import mpi_sum
import results_file
import singa_job

ROW_SECONDS = 0.3
KINDS = {"threads": "threads", "memory": "processes that share memory",
         "tcp": "processes that send all by tcp", "mpi": "processes that add gradients up by Open MPI"}
NETS = {"cnn": "MNIST CNN", "mlp": "MNIST MLP, 12 M parameters"}
HEADS = ["net", "workers", "system", "one worker", "all workers", "efficiency", "rounds' min..max",
         "jobs apart", "bound", "of the bound"]


def train_rows(args, net, folder, workers, row_steps, rows, cores=None):
    """Returns the rows of each worker group's training after its warm-up."""
    groups = workers if args.asynchronous else 1
    sets = ["train_epochs=0", "test_epochs=0", "test_steps=0", "test_freq=0",
            f"train_steps={row_steps * (rows + 1) + 1}", f"disp_freq={row_steps}",
            "num_openblas_threads=1", f"cluster.nworker_groups={groups}",
            f"cluster.nworkers_per_group={workers // groups}",
            f"cluster.nworkers_per_procs={workers if args.kind == 'threads' else 1}",
            f"neuralnet.layer[data#0].store_conf.batchsize={workers // groups * args.batch}"]
    if workers > 1 and args.kind == "tcp":
        sets += ["cluster.share_memory=false", f"cluster.nservers_per_group={workers}"]
    mpirun = []
    if workers > 1 and args.kind == "mpi":
        sets += ["cluster.share_memory=false", "cluster.all_reduce.backend=kMpi"]
        mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(workers)]
    if workers > 1:
        sets += args.set
    with tempfile.TemporaryDirectory(prefix="singa-bench-") as workspace:
        words = singa_job.command(args.binary, net, folder, workspace, sets)
        on = ["taskset", "-c", cores or args.cores_of(workers)]
        found, _ = singa_job.rows_of([*on, *mpirun, *words], workspace)
    # Rows come at steps 0, row_steps, 2 row_steps, ...; the first two warm up.
    trained = [[row for row in found if row["phase"] == "train" and row["group"] == group][2:]
               for group in range(groups)]
    assert all(len(of_group) == rows for of_group in trained), trained
    return trained


def train_singa(args, net, folder, workers, plan, cores=None):
    """Returns samples a second."""
    return sum(statistics.median(row["samples_per_second"] for row in rows)
               for rows in train_rows(args, net, folder, workers, *plan, cores=cores))


def train_apart(args, net, folder, plan):
    """Returns samples a second of as many jobs of one worker as there are workers, together."""
    cores = args.cores_of(args.workers).split(",")
    with concurrent.futures.ThreadPoolExecutor(len(cores)) as pool:
        return sum(pool.map(
            lambda core: train_singa(args, net, folder, 1, plan, cores=core), cores))


def step_bytes(args, net, folder, plan):
    """Returns the bytes that each of two processes sends in a step if they talk by tcp or MPI; else 0."""
    if args.kind not in COPIES or args.workers != 2:
        return 0
    rows = [of_group[-1] for of_group in train_rows(args, net, folder, args.workers, *plan)]
    return int(sum(row["bytes_sent"] for row in rows) / plan[0] / args.workers)


# By kind: returns the seconds in which two processes, on these cores, exchange `size` bytes at best.
COPIES = {"tcp": loopback.exchange_seconds,
          "mpi": lambda size, cores: mpi_sum.all_reduce_seconds(size // 4, cores)}
COPIES_BY = {"tcp": "two plain sockets do", "mpi": "MPI_Allreduce does"}


def train_torch(args, net, folder, workers, plan):
    steps = max(3, plan[0] * plan[1])
    python = os.environ.get("TORCH_PYTHON", sys.executable)
    words = [python, str(pathlib.Path(__file__).with_name("torch_ddp.py")), net,
             folder, f"--cores={args.cores_of(workers)}", f"--batch={args.batch}",
             f"--steps={steps}"]
    out, _ = singa_job.run_process(words, env=dict(os.environ, OMP_NUM_THREADS="1"))
    return json.loads(out)["samples_per_second"]


SYSTEMS = {"singa": train_singa, "PyTorch": train_torch}


def measure(args, net, folder):
    """Returns {system: [(one worker's, all workers', jobs apart, copies) of each round]}, in
    samples a second and seconds; and the bytes that are copied."""
    trial_ms = statistics.median(row["step_ms"]
                                 for row in train_rows(args, net, folder, 1, 2, 3)[0])
    plan = (max(1, math.ceil(ROW_SECONDS * 1e3 / trial_ms)),
            max(1, math.ceil(args.seconds / ROW_SECONDS)))
    size = step_bytes(args, net, folder, plan)
    cores = [int(core) for core in args.cores_of(args.workers).split(",")]
    found = {system: [] for system in list(SYSTEMS)[:2 if args.ddp else 1]}
    for pair in range(args.pairs):
        for system, rounds in found.items():
            rates = [SYSTEMS[system](args, net, folder, workers, plan)
                     for workers in (1, args.workers)]
            apart = train_apart(args, net, folder, plan) if system == "singa" else math.nan
            copies = COPIES[args.kind](size, cores) if size > 0 else 0
            rounds.append((*rates, apart, copies))
            print(f"{net}, round {pair}: {system} {rates[0]:.0f}, together {rates[1]:.0f}, "
                  f"apart {apart:.0f} samples/s; {copies * 1e3:.1f} ms of copies", file=sys.stderr)
    return found, size


def table_rows(args, net, found):
    step = args.workers * args.batch  # samples
    for system, rounds in found.items():
        one, together, apart, copies = zip(*rounds)
        alone = [args.workers * rate for rate in one]
        shares = [b / a for a, b in zip(alone, together)]
        bounds = [step / (step / rate + copy) for rate, copy in zip(apart, copies)]
        row = [NETS[net], args.workers, system, f"{statistics.median(one):.0f}",
               f"{statistics.median(together):.0f}", f"{statistics.median(shares):.3f}",
               f"{min(shares):.3f}..{max(shares):.3f}"]
        of_bound = [statistics.median(a / b for a, b in zip(*rates))
                    for rates in ((bounds, alone), (together, bounds))]
        yield row + ([f"{statistics.median(apart):.0f}", *(f"{ratio:.3f}" for ratio in of_bound)]
                     if system == "singa" else [""] * 3)


def beside_torch(found):
    """Returns how many times as fast all workers of singa are as PyTorch's: the median, and a range."""
    ratios = [ours[1] / theirs[1] for ours, theirs in zip(found["singa"], found["PyTorch"])]
    return (f"{statistics.median(ratios):.2f} times as fast as PyTorch's DistributedDataParallel "
            f"({min(ratios):.2f}..{max(ratios):.2f} in a round)")


def parse():
    parser = argparse.ArgumentParser(description="K workers on K cores against one on one")
    parser.add_argument("binary")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kind", choices=KINDS, default="threads")
    parser.add_argument("--asynchronous", action="store_true")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--nets", default=",".join(NETS))
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--cores", default="")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--ddp", action="store_true")
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
            found, size = measure(args, net, folder)
            rows += table_rows(args, net, found)
            if size > 0:
                copies = statistics.median(copies for *_, copies in found["singa"])
                notes.append(f"{NETS[net]}: each process sends {size / 1e6:.1f} MB a step, which "
                             f"{COPIES_BY[args.kind]} in {copies * 1e3:.1f} ms.")
            if args.ddp:
                notes.append(f"{NETS[net]}: all workers of singa are {beside_torch(found)}.")
    lines = [*results_file.table(HEADS, rows), "",
             f"Samples/s; {args.batch} rows a worker; workers are {KINDS[args.kind]}; medians of "
             f"{args.pairs} interleaved rounds.", *notes]
    section = f"scaling {args.kind}{' asynchronous' if args.asynchronous else ''}"
    results_file.report(section, conditions, lines, args.write)


if __name__ == "__main__":
    main()
