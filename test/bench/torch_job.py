#!/usr/bin/env python3
"""Runs one training job in PyTorch. vs_torch.py and start.py compare it with singa, and ask it for
figures.

usage: torch_job.py cnn|mlp|cifar|alexnet|rbm|gru|resnet|gpt|gpt_large FOLDER [--threads N | --gpu N] [--batch N]
           [--channels_last] [--compile default|reduce-overhead] [--autocast bfloat16|float16]
       FOLDER holds MNIST as plain IDX files, cifar.bin, noise.idx; gru and the GPTs train on noise.
       --batch: rows of a step, in place of the example's.
       --channels_last: features and filters in that memory format.
       --compile: the net by torch.compile in that mode; reduce-overhead replays CUDA graphs.
       --autocast: the net under torch.autocast to that type; with float16 gradients are scaled.
reads a line, answers with one JSON object, until its stdin ends. Lines:
       SECONDS    trains so long after a warm-up: step_ms, and the unix times from, to
       epoch      one pass and a test of MNIST's 10,000 images, for its memory
       peak       the gflops of a product of large matrices on a GPU, by precision: float32, tf32
                  and, with --autocast, its type
Each answer also has torch (version), rss and import_rss (MiB, peak, of the process now and when it
had imported torch).
needs: pip install torch numpy

Nets and updaters are those of the examples. On the CPU pixels stay bytes in memory. A step's
images, in the file's order, become floats before the clock starts; singa's clock includes this and
a shuffle. step_ms is the median step. On a GPU all images lie there as floats. step_ms is then the
median over blocks of about 0.1 s of steps. A block begins when the GPU has nothing to do, and ends
when it has nothing left. Products of float32 may use TF32 there; cuDNN times its algorithms
(cudnn.benchmark).
"""
import argparse
import contextlib
import functools
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
WARM_STEPS = 5  # of the process, before that: kernels are compiled and chosen, graphs recorded
BLOCK_SECONDS = 0.1

SGD, ADAM, ADAMW = torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW
GPT_OPTIONS = {"lr": 0.002, "betas": (0.9, 0.99), "weight_decay": 0.1}
# make, updater, its options, shape of a record, mean, standard deviation, batch
NETS = {
    "cnn": (torch_nets.cnn, SGD, {"lr": 0.005, "momentum": 0.9, "weight_decay": 1e-5},
            (1, 28, 28), 0, 255, 64),
    "mlp": (torch_nets.mlp, SGD, {"lr": 0.001}, (784,), 127.5, 127.5, 64),
    "cifar": (torch_nets.convnet, SGD, {"lr": 0.001, "momentum": 0.9, "weight_decay": 0.004},
              (3, 32, 32), 120, 1, 100),
    "resnet": (torch_nets.resnet, SGD,
               {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.0005, "nesterov": True},
               (3, 32, 32), 120, 64, 128),
    "alexnet": (torch_nets.alexnet, SGD, {"lr": 0.01, "momentum": 0.9, "weight_decay": 0.0005},
                (3, 227, 227), 0, 1, 256),
    "rbm": (torch_nets.Rbm, None, None, (784,), 0, 255, 100),
    "gru": (torch_nets.CharRnn, ADAM, {"lr": 0.002}, (50, 65), 0, 1, 50),
    "gpt": (torch_nets.Gpt, ADAMW, GPT_OPTIONS, (64, 65), 0, 1, 12),
    "gpt_large": (functools.partial(torch_nets.Gpt, steps=256, width=160, heads=5, blocks=6,
                                    dropout=0.1), ADAMW, GPT_OPTIONS, (256, 65), 0, 1, 6),
}
CLIP_NORM = {"gru": 5, "gpt": 1, "gpt_large": 1}  # as in their confs
SMOOTHING = {"resnet": 0.1}
TEXTS = ("gru", "gpt", "gpt_large")


def supervised(name, net, compute, half=None):
    """Returns a function that does one step of training on (inputs, labels). `compute` computes the
    net; `half` is autocast's type."""
    _, kind, options, *_ = NETS[name]
    optimizer = kind(net.parameters(), **options)
    scaler = torch.amp.GradScaler(enabled=half is torch.float16)

    def train(x, y):
        optimizer.zero_grad(set_to_none=True)
        with autocast(half):
            loss = F.cross_entropy(compute(x), y, label_smoothing=SMOOTHING.get(name, 0))
        scaler.scale(loss).backward()
        if name in CLIP_NORM:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(net.parameters(), CLIP_NORM[name])
        scaler.step(optimizer)
        scaler.update()
    return train


def autocast(half):
    return torch.autocast("cuda", half) if half else contextlib.nullcontext()


def read_batch(path):
    data = torch.from_numpy(np.fromfile(path, np.uint8)).view(-1, 3073)
    return data[:, 1:], data[:, 0]


def read_idx(path):
    # 2 bytes of zero, type, rank; rank sizes, big-endian
    data = np.fromfile(path, np.uint8)
    rank = data[3]
    dims = data[4:4 + 4 * rank].view(">i4").tolist()
    return torch.from_numpy(data[4 + 4 * rank:].reshape(dims))


def read_data(net, folder):
    if net in TEXTS:
        *_, (steps, characters), _, _, batch = NETS[net]
        ids = torch.randint(characters, (3 * batch, steps + 1))
        return ids[:, :-1], ids[:, 1:]
    if net == "alexnet":
        return read_idx(f"{folder}/noise.idx"), read_idx(f"{folder}/noise-labels.idx")
    if net in ("cifar", "resnet"):
        return read_batch(f"{folder}/cifar.bin")
    return (read_idx(f"{folder}/train-images-idx3-ubyte"),
            read_idx(f"{folder}/train-labels-idx1-ubyte"))


class Batches:
    """Batches holds the data that a net trains on: batch i is self[i], on the device."""

    def __init__(self, args, device, layout):
        *_, self.shape, self.mean, self.std, batch = NETS[args.net]
        self.net = args.net
        self.device, self.layout, self.rows = device, layout, args.batch or batch
        self.images, self.labels = read_data(args.net, args.folder)
        self.count = len(self.images) // self.rows
        self.kept = None
        if args.gpu is not None:
            self.kept = [self.make(i) for i in range(self.count)]

    def __getitem__(self, i):
        return self.kept[i % self.count] if self.kept else self.make(i % self.count)

    def make(self, i):
        rows = slice(i * self.rows, (i + 1) * self.rows)
        y = self.labels[rows].to(self.device).long()
        if self.net == "gru":  # of all steps: time-major
            y = y.t()
        return self.inputs(self.images[rows]), y.flatten()

    def inputs(self, pixels):
        pixels = pixels.to(self.device)
        if self.net in ("gpt", "gpt_large"):
            return pixels
        if self.net == "gru":  # of all steps: time-major
            return F.one_hot(pixels.t(), self.shape[1]).float()
        x = ((pixels.float() - self.mean) / self.std).view(-1, *self.shape)
        return x.to(memory_format=self.layout) if len(self.shape) == 3 else x


class Job:
    def __init__(self, args, device):
        self.folder, self.on_gpu = args.folder, args.gpu is not None
        layout = torch.channels_last if args.channels_last else torch.contiguous_format
        make, kind = NETS[args.net][:2]
        with device:
            self.net = make()
        self.half = getattr(torch, args.autocast) if args.autocast else None
        if kind is None:
            compute = self.compiled(self.net.step, args.compile)

            def train(x, _):
                with autocast(self.half):
                    compute(x)
            self.train = train
        else:
            self.net.to(memory_format=layout)
            compute = self.compiled(self.net, args.compile)
            self.train = supervised(args.net, self.net, compute, self.half)
        self.batches = Batches(args, device, layout)
        self.step = 0

    @staticmethod
    def compiled(function, mode):
        return torch.compile(function, mode=mode) if mode else function

    def block(self, steps):
        """Returns the seconds of `steps` steps."""
        batches = [self.batches[self.step + i] for i in range(steps)]
        self.step += steps
        self.wait()
        start = time.perf_counter()
        for x, y in batches:
            self.train(x, y)
        self.wait()
        return time.perf_counter() - start

    def wait(self):
        if self.on_gpu:
            torch.cuda.synchronize()

    def train_for(self, seconds):
        if self.step == 0:
            self.block(WARM_STEPS)
        begin = time.perf_counter() + WARM_SECONDS
        times, steps, since = [], 1, None
        while time.perf_counter() < begin + seconds or len(times) < 3:
            counts = time.perf_counter() >= begin
            if counts and since is None:
                since = time.time()
            taken = self.block(steps)
            if counts:
                times.append(taken / steps)
            if self.on_gpu:
                steps = max(1, round(steps * BLOCK_SECONDS / taken))
        return {"step_ms": float(np.median(times)) * 1e3, "from": since, "to": time.time()}

    def epoch(self):
        for _ in range(self.batches.count):
            self.block(1)
        tests = read_idx(f"{self.folder}/t10k-images-idx3-ubyte")
        with torch.no_grad():
            for first in range(0, len(tests), 100):
                self.net(self.batches.inputs(tests[first:first + 100]))
        return {}


def product_gflops(device, precision, n=8192):
    """Returns gflops: the fastest of five runs of ten products of random n x n matrices."""
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    dtype = torch.float32 if precision == "tf32" else getattr(torch, precision)
    a, b = torch.randn(2, n, n, device=device).to(dtype)
    product = torch.empty_like(a)
    taken = []
    for _ in range(6):  # the first warms up
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(10):
            torch.mm(a, b, out=product)
        torch.cuda.synchronize()
        taken.append(time.perf_counter() - start)
    torch.backends.cuda.matmul.allow_tf32 = True
    return 10 * 2e-9 * n ** 3 / min(taken[1:])


def set_device(args):
    if args.threads:
        torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    if args.gpu is None:
        return torch.device("cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    torch.cuda.set_device(args.gpu)
    return torch.device("cuda", args.gpu)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("net", choices=NETS)
    parser.add_argument("folder")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--gpu", type=int)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--channels_last", action="store_true")
    parser.add_argument("--autocast", choices=("bfloat16", "float16"))
    parser.add_argument("--compile", choices=("default", "reduce-overhead"))
    args = parser.parse_args()
    import_rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    device = set_device(args)
    job = Job(args, device)
    for line in sys.stdin:
        if line == "epoch\n":
            answer = job.epoch()
        elif line == "peak\n":
            precisions = ["float32", "tf32", *([args.autocast] if args.autocast else [])]
            answer = {"gflops": {name: product_gflops(device, name) for name in precisions}}
        else:
            answer = job.train_for(float(line))
        rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(answer | {"torch": torch.__version__, "rss": rss,
                                   "import_rss": import_rss}), flush=True)


if __name__ == "__main__":
    main()
