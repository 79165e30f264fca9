#!/usr/bin/env python3
"""One training job in PyTorch eager, on the CPU: the other side of vs_torch.py and start.py.

usage: torch_job.py cnn|mlp|cifar|alexnet|rbm|gru THREADS FOLDER [--seconds S | --epoch] [--channels_last]
       FOLDER holds MNIST as plain IDX files, cifar.bin; alexnet and gru train on noise.
       --seconds (3): trains so long after a warm-up.
       --epoch: one pass and a test of the 10,000 images, for its memory.
       --channels_last: features and filters in that memory format.
prints one JSON object: step_ms (median), steps, torch (version), import_rss (MiB, of the process
when it has imported torch)
needs: pip install torch numpy

Nets and updaters are those of the examples. Pixels stay bytes in memory; a step's images, in
the file's order, become floats before the clock starts: singa's clock has that and a shuffle in it.
"""
import argparse
import json
import resource
import sys
import time

try:
    import numpy as np
    import torch
    import torch.nn.functional as F
    import torch_nets
except ImportError as error:
    sys.exit(f"torch_job.py: MISSING: {error}. It needs: pip install torch numpy")

WARM_SECONDS = 0.5


# make, updater, shape of a record, mean, standard deviation, batch
NETS = {
    "cnn": (torch_nets.cnn, {"lr": 0.005, "momentum": 0.9, "weight_decay": 1e-5}, (1, 28, 28), 0,
            255, 64),
    "mlp": (torch_nets.mlp, {"lr": 0.001}, (784,), 127.5, 127.5, 64),
    "cifar": (torch_nets.convnet, {"lr": 0.001, "momentum": 0.9, "weight_decay": 0.004},
              (3, 32, 32), 120, 1, 100),
    "alexnet": (torch_nets.alexnet, {"lr": 0.01, "momentum": 0.9, "weight_decay": 0.0005},
                (3, 227, 227), 0, 1, 32),
    "rbm": (torch_nets.Rbm, None, (784,), 0, 255, 100),
    "gru": (torch_nets.CharRnn, {"lr": 0.002}, (50, 65), 0, 1, 50),
}
CLIP_NORM = 5  # of gru, as in its conf


def supervised(net, options):
    """One step of training on (inputs, labels)."""
    recurrent = isinstance(net, torch_nets.CharRnn)
    kind = torch.optim.Adam if recurrent else torch.optim.SGD
    optimizer = kind(net.parameters(), **options)

    def train(x, y):
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(net(x), y).backward()
        if recurrent:
            torch.nn.utils.clip_grad_norm_(net.parameters(), CLIP_NORM)
        optimizer.step()
    return train


def read_batch(path):
    data = torch.from_numpy(np.fromfile(path, np.uint8)).view(-1, 3073)
    return data[:, 1:], data[:, 0]


def read_idx(path):
    # 2 bytes of zero, type, rank; rank sizes, big-endian
    data = np.fromfile(path, np.uint8)
    rank = data[3]
    dims = data[4:4 + 4 * rank].view(">i4").tolist()
    return torch.from_numpy(data[4 + 4 * rank:].reshape(dims))


def read_data(args, batch, shape):
    if args.net == "gru":
        ids = torch.randint(shape[1], (3 * batch, shape[0] + 1))
        return ids[:, :-1], ids[:, 1:]
    if args.net == "alexnet":
        pixels = torch.randint(256, (3 * batch, *shape), dtype=torch.uint8)
        return pixels, torch.randint(1000, (3 * batch,))
    if args.net == "cifar":
        return read_batch(f"{args.folder}/cifar.bin")
    return (read_idx(f"{args.folder}/train-images-idx3-ubyte"),
            read_idx(f"{args.folder}/train-labels-idx1-ubyte"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("net", choices=NETS)
    parser.add_argument("threads", type=int)
    parser.add_argument("folder")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--epoch", action="store_true")
    parser.add_argument("--channels_last", action="store_true")
    args = parser.parse_args()
    import_rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    make, options, shape, mean, std, batch = NETS[args.net]
    layout = torch.channels_last if args.channels_last else torch.contiguous_format
    net = make()
    if options is None:
        def train(x, _):
            net.step(x)
    else:
        train = supervised(net.to(memory_format=layout), options)
    images, labels = read_data(args, batch, shape)

    def inputs(pixels):
        if args.net == "gru":
            return F.one_hot(pixels.t(), shape[1]).float()
        x = ((pixels.float() - mean) / std).view(-1, *shape)
        return x.to(memory_format=layout) if len(shape) == 3 else x

    def timed_step(step):
        first = step % (len(images) // batch) * batch
        x = inputs(images[first:first + batch])
        y = labels[first:first + batch].long()
        y = y.t().flatten() if y.dim() > 1 else y  # of all steps: time-major
        start = time.perf_counter()
        train(x, y)
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
                      "torch": torch.__version__, "import_rss": import_rss}))


if __name__ == "__main__":
    main()
