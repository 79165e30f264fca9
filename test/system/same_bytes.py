#!/usr/bin/env python3
"""Checks that two builds of singa train the same bytes: both run one job of each kind for a few
steps. Use it for changes that must not change a number. It takes some five minutes.

usage: same_bytes.py OLD NEW [WORD of a job's name]...
Prints a line a job and exits 1 where checkpoints differ.
"""
import pathlib
import sys
import tempfile

import case
import run
import sum_checks
import v03_checks

STEPS = 4
# These layers' sizes cost much time and show no more.
SMALL = {
    "alexnet_job": ["batchsize=2", "ip6=64", "ip7=64"],
    "cifar10_job": ["batchsize=10"],
    "cifar10_cudnn": ["batchsize=10"],
    "cifar10_cudnn_bm": ["batchsize=10"],
    "cifar10_hybrid": ["batchsize=10"],
}
OLD_JOBS = ["mnist_mlp", "mnist_conv", "cifar10_job", "cifar10_cudnn_bm", "alexnet_job", "rbm1", "rbm2",
            "rbm3", "rbm4", "autoencoder", "char_rnn_job"]
# Several groups are asynchronous and may end in other bytes each time. One group that talks to its
# servers in their way must not.
DOWNPOUR = ["nworker_groups=1", "share_memory=false", "sync_freq=2"]
EXAMPLES = ["mnist/mlp", "mnist/cnn", "mnist/lenet", "mnist/lstm"]


def settings(paths):
    return [word for path in paths for word in ("-set", path)]


def newest(one, workspace):
    """Returns the newest checkpoint's files, without the manifest, which names times and builds."""
    return {path.name: path.read_bytes() for path in one.newest(workspace).glob("*.safetensors")}


def old_jobs(one):
    """Yields jobs of SINGA 0.3, on data of their formats."""
    for folder, shape in {"mnist": (28, 28), "cifar10": (3, 32, 32), "rbm": (28, 28)}.items():
        v03_checks.images(one, folder, shape)
    v03_checks.images(one, "alexnet", (3, 256, 256), ("train_record", "val_record"), records=3)
    one.write("examples/char-rnn/vocab.txt", bytes(range(101)))
    one.write("examples/char-rnn/linux_input.txt", bytes(range(101)) * 60)
    for name in OLD_JOBS:
        paths = [f"neuralnet.layer[data#{i}].store_conf.{small}" if small.startswith("batch") else
                 f"neuralnet.layer[{small.split('=')[0]}].innerproduct_conf.num_output="
                 + small.split("=")[1]
                 for small in SMALL.get(name, []) for i in (0, 1)]
        workspace = f"bytes-{name}"
        yield f"0.3 {name}", workspace, [
            "-conf", v03_checks.CONFS / f"{name}.conf",
            *settings([f"cluster.workspace={workspace}", f"train_steps={STEPS}", "test_steps=1", *paths])]
        if name.startswith("rbm"):
            v03_checks.export(one, workspace, "step6000-worker0")
            (one.path(workspace)).rename(one.path(f"examples/rbm/{name}"))


def topologies(one):
    """Yields each topology of one group."""
    for name in sum_checks.write_nets(one):
        for way, each in [("threads", 4), *((way, 2) for way in list(sum_checks.WAYS)[1:])]:
            yield f"{name}, {way}", "ws", ["-conf", f"{name}.conf", *sum_checks.cluster(way, 4, each)]
    yield "downpour", "ws", ["-conf", "pieces.conf",
                             *settings(f"cluster.{path}" for path in DOWNPOUR)]


def examples(one):
    """Yields today's examples on the digits."""
    for name in EXAMPLES:
        paths = [f"neuralnet.layer[data#{i}].store_conf.{field}={one.site.data}/{store}-{kind}-ubyte"
                 for i, store in enumerate(("train", "t10k"))
                 for field, kind in (("path", "images-idx3"), ("label_path", "labels-idx1"))]
        yield name, "ws", ["-conf", one.site.root / f"examples/{name}.conf",
                           *settings(["cluster.workspace=ws", f"train_steps={STEPS}", "train_epochs=0",
                                      "checkpoint_freq=0", *paths])]


def main(old, new, words):
    failures = 0
    with tempfile.TemporaryDirectory(prefix="singa-bytes-") as folder:
        ones = []
        for i, binary in enumerate((old, new)):
            site = run.Site(binary, folder)
            path = pathlib.Path(folder) / str(i)
            path.mkdir()
            ones.append(case.Case(site, path))
        ones[0].run("data", "digits", ones[0].site.data)
        for kind in (topologies, examples, old_jobs):
            for (name, workspace, args), _ in zip(kind(ones[0]), kind(ones[1]), strict=True):
                if words and not any(word in name for word in words):
                    continue
                for one in ones:
                    one.run(*args)
                same = newest(ones[0], workspace) == newest(ones[1], workspace)
                failures += not same
                print(f"{'ok  ' if same else 'DIFFERENT'} {name}", flush=True)
    return failures > 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
