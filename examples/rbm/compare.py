#!/usr/bin/env python3
"""What examples/rbm/train.sh has learned: prints the reconstruction error of the autoencoder beside
that of the 30 principal components, and draws the filters of the first RBM.

usage: examples/rbm/compare.py [-o filters.png]        from the repository's root
needs: numpy, matplotlib, safetensors
"""
import argparse
import gzip
import json
import pathlib

import matplotlib
import numpy
from safetensors.numpy import load_file

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

COMPONENTS = 30
SIDE, TILES = 28, 10


def images(name):
    with gzip.open(pathlib.Path("examples/mnist/data") / name) as file:
        pixels = numpy.frombuffer(file.read(), numpy.uint8, offset=16)
    return pixels.reshape(-1, SIDE * SIDE).astype(numpy.float64) / 255


def pca_error(train, test):
    """Mean over the test images of |x - its projection|^2, by the components of the training's."""
    mean = train.mean(axis=0)
    _, vectors = numpy.linalg.eigh(numpy.cov(train - mean, rowvar=False))
    basis = vectors[:, -COMPONENTS:]
    rest = (test - mean) - (test - mean) @ basis @ basis.T
    return (rest ** 2).sum(axis=1).mean()


def last_test_loss(workspace):
    with open(pathlib.Path(workspace) / "metrics.jsonl", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [row["loss"] for row in rows if row["phase"] == "test"][-1]


def draw_filters(weights, path):
    """A tile for each of the hidden units whose weights are largest, from its least to its largest."""
    strongest = sorted(numpy.argsort(-(weights ** 2).sum(axis=1))[: TILES * TILES])
    picture = numpy.ones((TILES * (SIDE + 1) + 1, TILES * (SIDE + 1) + 1))
    for place, unit in enumerate(strongest):
        row, column = (1 + (SIDE + 1) * i for i in divmod(place, TILES))
        tile = weights[unit].reshape(SIDE, SIDE)
        picture[row:row + SIDE, column:column + SIDE] = (tile - tile.min()) / numpy.ptp(tile)
    pyplot.imsave(path, picture, cmap="gray")


def main():
    parser = argparse.ArgumentParser(description="what the RBMs and the autoencoder have learned")
    parser.add_argument("-o", default="filters.png")
    args = parser.parse_args()
    model = load_file("singa-rbm1/checkpoint/step6000/model.safetensors")
    draw_filters(model["w1"], args.o)
    pca = pca_error(images("train-images-idx3-ubyte.gz"), images("t10k-images-idx3-ubyte.gz"))
    print(f"squared error of a test image, mean: {COMPONENTS} principal components {pca:.2f}, "
          f"autoencoder {last_test_loss('singa-autoencoder'):.2f}")


if __name__ == "__main__":
    main()
