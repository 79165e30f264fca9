#!/usr/bin/env python3
"""How hard the embedded digits are (src/io/picture/digits.cc), measured by other people's programs.

usage: digits_difficulty.py SINGA [SEED...]        SINGA: build/bin/singa; seeds 1 2 3 if none given
needs: pip install numpy scikit-learn torch

For each seed: draws the set, then trains on its 10000 pictures and tests on its 2000:
  logistic   multinomial logistic regression on pixels       must stay below 93 %
  nearest    1-nearest-neighbour on pixels                   must stay below 95 %
  cnn        conv16-pool-conv32-pool-fc128, 6 epochs of Adam must pass 98 %
Exits 1 where one does not hold.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier


def read_idx(path):
    raw = pathlib.Path(path).read_bytes()
    dims = np.frombuffer(raw, ">u4", raw[3], 4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(dims)


def load(folder, stream):
    images = read_idx(f"{folder}/{stream}-images-idx3-ubyte").astype(np.float32) / 255
    return images, read_idx(f"{folder}/{stream}-labels-idx1-ubyte").astype(np.int64)


def logistic(x, y, tx, ty):
    """The best of two penalties, so that it is not by a bad choice that it stays below."""
    x, tx = x.reshape(len(x), -1), tx.reshape(len(tx), -1)
    return max(
        LogisticRegression(C=c, max_iter=300).fit(x, y).score(tx, ty) for c in (0.003, 0.03)
    )


def nearest(x, y, tx, ty):
    x, tx = x.reshape(len(x), -1), tx.reshape(len(tx), -1)
    return KNeighborsClassifier(1, algorithm="brute").fit(x, y).score(tx, ty)


def cnn(x, y, tx, ty, epochs=6, batch=64):
    torch.manual_seed(0)
    nn = torch.nn
    net = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 49, 128), nn.ReLU(), nn.Linear(128, 10),
    )
    x, y, tx, ty = (torch.from_numpy(a) for a in (x[:, None], y, tx[:, None], ty))
    steps = epochs * len(x) // batch
    adam = torch.optim.Adam(net.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(adam, steps)
    order = torch.empty(0, dtype=torch.long)
    for _ in range(steps):
        if len(order) < batch:
            order = torch.randperm(len(x))
        rows, order = order[:batch], order[batch:]
        adam.zero_grad()
        nn.functional.cross_entropy(net(x[rows]), y[rows]).backward()
        adam.step()
        schedule.step()
    with torch.no_grad():
        return (net(tx).argmax(1) == ty).float().mean().item()


def main():
    singa, seeds = sys.argv[1], [int(s) for s in sys.argv[2:]] or [1, 2, 3]
    holds = True
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([singa, "data", "digits", "-seed", str(seed), folder], check=True)
            data = (*load(folder, "train"), *load(folder, "t10k"))
        line = [f"seed {seed}"]
        for learner, limit, sign in ((logistic, 0.93, 1), (nearest, 0.95, 1), (cnn, 0.98, -1)):
            start = time.time()
            accuracy = learner(*data)
            holds = holds and sign * (limit - accuracy) > 0
            line.append(f"{learner.__name__} {100 * accuracy:.2f} % ({time.time() - start:.0f} s)")
        print("  ".join(line), flush=True)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
