#!/usr/bin/env python3
"""One training job in PyTorch eager, on the CPU: the other side of vs_torch.py and start.py.

usage: torch_job.py cnn|mlp|cifar THREADS FOLDER [--seconds S | --epoch]
       FOLDER holds MNIST as plain IDX files. --seconds (3): trains so long after a warm-up.
       --epoch: one pass and a test of the 10,000 images, for its memory.
prints one JSON object: step_ms (median), steps, torch (version)
needs: pip install torch numpy

Nets and updaters are those of examples/mnist. Pixels stay bytes in memory; a step's images, in
the file's order, become floats before the clock starts: singa's clock has that and a shuffle in it.
"""
import argparse
import json
import sys
import time

try:
    import numpy as np
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
except ImportError as error:
    sys.exit(f"torch_job.py: MISSING: {error}. It needs: pip install torch numpy")

WARM_SECONDS = 0.5


class STanh(nn.Module):
    def forward(self, x):
        return 1.7159047 * torch.tanh(0.66666667 * x)


def cnn():
    net = nn.Sequential(nn.Conv2d(1, 20, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(20, 50, 5),
                        nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(800, 500), nn.ReLU(),
                        nn.Linear(500, 10))
    return net, {"lr": 0.005, "momentum": 0.9, "weight_decay": 1e-5}, (1, 28, 28), 0, 255


def mlp():
    widths = [784, 2500, 2000, 1500, 1000, 500, 10]
    parts = []
    for v, h in zip(widths, widths[1:]):
        parts += [nn.Linear(v, h), STanh()]
    return nn.Sequential(*parts[:-1]), {"lr": 0.001}, (784,), 127.5, 127.5


def cifar():  # cuda-convnet, as examples/cifar10/convnet.conf
    net = nn.Sequential(
        nn.Conv2d(3, 32, 5, padding=2), nn.MaxPool2d(3, 2), nn.ReLU(),
        nn.LocalResponseNorm(3, 5e-5),
        nn.Conv2d(32, 32, 5, padding=2), nn.ReLU(), nn.AvgPool2d(3, 2),
        nn.LocalResponseNorm(3, 5e-5),
        nn.Conv2d(32, 64, 5, padding=2), nn.ReLU(), nn.AvgPool2d(3, 2),
        nn.Flatten(), nn.Linear(576, 10))
    return net, {"lr": 0.001, "momentum": 0.9, "weight_decay": 0.004}, (3, 32, 32), 120, 1


def read_batch(path):
    data = torch.from_numpy(np.fromfile(path, np.uint8)).view(-1, 3073)
    return data[:, 1:], data[:, 0]


def read_idx(path):
    # 2 bytes of zero, type, rank; rank sizes, big-endian
    data = np.fromfile(path, np.uint8)
    rank = data[3]
    dims = data[4:4 + 4 * rank].view(">i4").tolist()
    return torch.from_numpy(data[4 + 4 * rank:].reshape(dims))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("net", choices=["cnn", "mlp", "cifar"])
    parser.add_argument("threads", type=int)
    parser.add_argument("folder")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--epoch", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    net, options, shape, mean, std = {"cnn": cnn, "mlp": mlp, "cifar": cifar}[args.net]()
    batch = 100 if args.net == "cifar" else 64
    optimizer = torch.optim.SGD(net.parameters(), **options)
    if args.net == "cifar":
        images, labels = read_batch(f"{args.folder}/cifar.bin")
    else:
        images = read_idx(f"{args.folder}/train-images-idx3-ubyte")
        labels = read_idx(f"{args.folder}/train-labels-idx1-ubyte")

    def inputs(pixels):
        return ((pixels.float() - mean) / std).view(-1, *shape)

    def timed_step(step):
        first = step % (len(images) // batch) * batch
        x = inputs(images[first:first + batch])
        y = labels[first:first + batch].long()
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
        return time.perf_counter() - start

    times = []
    if args.epoch:
        times = [timed_step(step) for step in range(len(images) // batch)]
        tests = read_idx(f"{args.folder}/t10k-images-idx3-ubyte")
        with torch.no_grad():
            for first in range(0, len(tests), 100):
                net(inputs(tests[first:first + 100]))
    else:
        step, start = 0, time.perf_counter()
        while time.perf_counter() < start + WARM_SECONDS + args.seconds or len(times) < 3:
            seconds = timed_step(step)
            step += 1
            if time.perf_counter() > start + WARM_SECONDS:
                times.append(seconds)
    print(json.dumps({"step_ms": float(np.median(times)) * 1e3, "steps": len(times),
                      "torch": torch.__version__}))


if __name__ == "__main__":
    main()
