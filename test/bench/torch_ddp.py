#!/usr/bin/env python3
"""Runs one training job in PyTorch on the CPU, a process a core. scaling.py compares it with singa.

usage: torch_ddp.py cnn|mlp FOLDER --cores 0,1 [--batch 64] [--steps 100]
       FOLDER holds MNIST as plain IDX files.
       --cores: a process on each; several train together by DistributedDataParallel over gloo
       --batch: rows of a process
prints one JSON object: samples_per_second (of all processes, by the median step), torch (version)
needs: pip install torch numpy

Each process has one thread. Nets and updaters are torch_job.py's. As there, a step's images become
floats before the clock starts. A tenth of the steps, and 3, come before those that count.
"""
import argparse
import json
import os
import statistics
import tempfile
import time

import torch_job
import torch
import torch.distributed
import torch.multiprocessing


def train(rank, cores, args, meeting, result):
    os.sched_setaffinity(0, {cores[rank]})
    torch.set_num_threads(1)
    torch.manual_seed(0)
    make, _, _, shape, mean, std, _ = torch_job.NETS[args.net]
    net = make()
    if len(cores) > 1:
        torch.distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank,
                                             world_size=len(cores))
        net = torch.nn.parallel.DistributedDataParallel(net)
    step_of = torch_job.supervised(args.net, net, net)
    images = torch_job.read_idx(f"{args.folder}/train-images-idx3-ubyte")
    labels = torch_job.read_idx(f"{args.folder}/train-labels-idx1-ubyte")
    batches = len(images) // args.batch
    warm = args.steps // 10 + 3
    times = []
    for step in range(warm + args.steps):
        first = (step * len(cores) + rank) % batches * args.batch
        x = ((images[first:first + args.batch].float() - mean) / std).view(-1, *shape)
        y = labels[first:first + args.batch].long()
        start = time.perf_counter()
        step_of(x, y)
        times.append(time.perf_counter() - start)
    if rank == 0:
        result["rate"] = args.batch * len(cores) / statistics.median(times[warm:])
    if len(cores) > 1:
        torch.distributed.barrier()
        os._exit(0)  # an orderly end sometimes aborts, as threads of gloo still run


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("net", choices=("cnn", "mlp"))
    parser.add_argument("folder")
    parser.add_argument("--cores", required=True)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=100)
    args = parser.parse_args()
    cores = [int(core) for core in args.cores.split(",")]
    with tempfile.TemporaryDirectory() as folder, torch.multiprocessing.Manager() as manager:
        result = manager.dict()
        torch.multiprocessing.spawn(train, (cores, args, f"{folder}/meeting", result), len(cores))
        rate = result["rate"]
    print(json.dumps({"samples_per_second": rate, "torch": torch.__version__}))


if __name__ == "__main__":
    main()
