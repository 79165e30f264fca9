#!/usr/bin/env python3
"""Compares the numbers of `singa predict -report` with those that numpy computes in double from the
net's predictions: MNIST's 10,000 test pictures, after a short training of the CNN.

usage: SINGA_DATA=DIR python3 test/bench/report_numbers.py BINARY [--steps 60] [--write]
       --write puts the differences into test/bench/results.md. Exit 1 if one is above its bound.
needs: numpy
"""
import argparse
import io
import json
import sys
import tempfile

import numpy

import results_file
import singa_job

CLASSES, BINS, TOP = 10, 15, 3
BOUND = 1e-6  # of a difference; the report prints 6 or more digits


def ratio(part, whole):
    """Returns part / whole for each class, nan where whole is 0."""
    return numpy.divide(part, whole, out=numpy.full(len(whole), numpy.nan), where=whole > 0)


def calibration_error(scores, right):
    """Returns the expected calibration error (Guo et al., arXiv:1706.04599) of 15 bins."""
    best = scores.max(axis=1)
    bins = numpy.clip(numpy.ceil(best * BINS) - 1, 0, BINS - 1).astype(int)
    gaps = numpy.bincount(bins, best - right, BINS)
    return numpy.abs(gaps).sum() / len(best)


def expected_numbers(labels, scores):
    """Returns {name of a number: its value, or values a class}."""
    predicted = scores.argmax(axis=1)
    confusion = numpy.zeros((CLASSES, CLASSES), int)
    numpy.add.at(confusion, (labels, predicted), 1)
    hits, said, support = confusion.diagonal(), confusion.sum(axis=0), confusion.sum(axis=1)
    classes = {"precision": ratio(hits, said), "recall": ratio(hits, support),
               "f1": ratio(2 * hits, said + support)}
    best = numpy.argsort(-scores, axis=1, kind="stable")[:, :TOP]
    own = scores[numpy.arange(len(labels)), labels]
    return confusion, {
        "accuracy": (predicted == labels).mean(),
        "accuracy of the 3 best": (best == labels[:, None]).any(axis=1).mean(),
        "loss": -numpy.log(own).mean(),
        "calibration error": calibration_error(scores, predicted == labels),
        **{f"{name} of each class": values for name, values in classes.items()},
        **{f"mean {name} of classes": numpy.nanmean(values) for name, values in classes.items()},
    }


def found_numbers(report):
    rates = ("precision", "recall", "f1")
    return report["confusion"], {
        "accuracy": report["accuracy"],
        "accuracy of the 3 best": report["top_k_accuracy"],
        "loss": report["loss"],
        "calibration error": report["calibration_error"],
        **{f"{name} of each class": [entry[name] for entry in report["classes"]] for name in rates},
        **{f"mean {name} of classes": report["macro"][name] for name in rates},
    }


def largest_gap(found, expected):
    """Returns the largest difference; nan if one has a number where the other has none."""
    found = numpy.asarray(found, float)  # null becomes nan
    if not numpy.array_equal(numpy.isnan(found), numpy.isnan(expected)):
        return numpy.nan
    return float(numpy.nanmax(numpy.abs(found - expected)))


def predict(binary, job, *words):
    images = str(singa_job.mnist_folder() / "t10k-images-idx3-ubyte.gz")
    return singa_job.run_process([binary, "predict", "-conf", *job, *words, images])[0]


def main():
    parser = argparse.ArgumentParser(description="the report of predictions, against numpy")
    parser.add_argument("binary")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    conditions = results_file.Conditions()
    with tempfile.TemporaryDirectory(prefix="singa-report-") as workspace:
        # With few steps the net is wrong often enough to fill the matrix.
        job = singa_job.conf_and_sets("cnn", singa_job.mnist_folder(), workspace,
                                      [f"train_steps={args.steps}", "train_epochs=0", "test_epochs=0"],
                                      ".gz")
        singa_job.run_process([args.binary, "-conf", *job])
        table = numpy.genfromtxt(io.StringIO(predict(args.binary, job)), delimiter=",", skip_header=1)
        report = json.loads(predict(args.binary, job, "-report", "-format", "json", "-topk", str(TOP)))
    confusion, expected = expected_numbers(table[:, 1].astype(int), table[:, 2:])
    shown, found = found_numbers(report)
    different = int((numpy.array(shown) != confusion).sum())
    gaps = {name: largest_gap(found[name], value) for name, value in expected.items()}
    rows = [["confusion matrix", f"{different} of {confusion.size} counts differ"],
            *([name, f"{gap:.1e}"] for name, gap in gaps.items())]
    lines = [*results_file.table(["number", "largest difference"], rows), "",
             f"{len(table)} records, accuracy {report['accuracy']:.4f} after {args.steps} steps. Bound: "
             f"{BOUND:.0e}."]
    results_file.report("report_numbers", conditions, lines, args.write)
    return different > 0 or not numpy.max(list(gaps.values())) <= BOUND  # nan is above it


if __name__ == "__main__":
    sys.exit(main())
