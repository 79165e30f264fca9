#!/usr/bin/env python3
"""Reads a job's event files by TensorBoard's own reader: scalars, histograms and the graph, against
metrics.jsonl and the checkpoint.

usage: tensorboard_reader.py BINARY, under a Python that has tensorboard
"""
import collections
import pathlib
import sys
import tempfile

import case
from job import mlp
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard_checks import SETTINGS, scalars

ROOT = pathlib.Path(__file__).resolve().parents[2]
Site = collections.namedtuple("Site", "binary root data")


def read(folder):
    """Returns all that TensorBoard finds in the event files of a folder."""
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0, "histograms": 0})
    events.Reload()
    return events


def check_scalars(events, rows):
    """Each number of a row is there once, at its step."""
    found = [((tag, event.step), event.value)
             for tag in events.Tags()["scalars"] for event in events.Scalars(tag)]
    case.equal(len(found), len(dict(found)), "scalars, each step once")
    case.equal(dict(found), scalars(rows), "scalars")


def check_histograms(events, checkpoint):
    """A histogram for each 10 steps counts all numbers of a param."""
    sizes = {name: len(data) // 4 for name, (_, _, data) in
             case.tensors(checkpoint / "model.safetensors").items()}
    tags = events.Tags()["histograms"]
    case.equal(sorted(tags), sorted(f"{kind}/{name}" for kind in ("values", "gradients") for name in sizes),
               "tags of histograms")
    for tag in tags:
        histograms = events.Histograms(tag)
        case.equal([event.step for event in histograms], [0, 10, 20, 30], f"steps of {tag}")
        for value in (event.histogram_value for event in histograms):
            size = sizes[tag.split("/")[1]]
            case.equal((value.num, sum(value.bucket)), (size, size), f"numbers in {tag}")
            case.true(value.min <= value.max, f"least and largest of {tag}")


def check_graph(events):
    """The graph has the layers with their types."""
    types = {node.name: node.op for node in events.Graph().node}
    case.equal((types.get("data"), types.get("fc1")), ("kRecordInput", "kInnerProduct"), "types of layers")


def main(binary):
    with tempfile.TemporaryDirectory(prefix="singa-tensorboard-") as folder:
        site = Site(pathlib.Path(binary).resolve(), ROOT, pathlib.Path(folder) / "digits")
        one = case.Case(site, folder)
        one.run("data", "digits", site.data)
        one.train(mlp(site.data, SETTINGS), "-set", "train_steps=16")
        one.train("job.conf", "-resume")
        case.equal(len(list(one.path("ws").glob("events.out.tfevents.*"))), 2, "files, one for each start")
        events = read(one.path("ws"))
        check_scalars(events, one.rows())
        check_histograms(events, one.newest())
        check_graph(events)
        one.run("export", "tensorboard", "ws", "exported")
        check_scalars(read(one.path("exported")), one.rows())
    print("ok: TensorBoard reads the scalars, histograms and graph of a job, and of an export")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
