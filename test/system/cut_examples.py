#!/usr/bin/env python3
"""Trains the jobs of examples/ whose workers divide their layers in several ways: by rows, by units,
and in random mixtures; by two and three threads, and by two processes. After 20 steps, or FEW_STEPS,
the params must be those of one worker but for rounding, and a second run must end in the same bytes.
It takes six minutes.

Rounding may decide which of two equal pixels a max pooling takes, or whether a ReLU passes a number
near 0. The params then differ by more than rounding. That happens for single seeds, so a cut that
differs is tried with another seed; a mistake differs for each.

SINGA_DATA names the folder with mnist/, cifar10/ and shakespeare/. Without it the jobs train on
generated data of the same form.

usage: [SINGA_DATA=DIR] cut_examples.py BINARY [WORD of an example's name]...
Prints a line an example and exits 1 where one failed.
"""
import gzip
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile

import case
import run
import v03_checks
from group_checks import furthest, workers
from process_checks import processes

STEPS, NEAR, SEEDS = 20, 1e-5, (1, 2, 3)
# With flat pictures, or seven ReLUs over batch norms, later steps meet such a number in each seed.
FEW_STEPS = {"cifar10/convnet": 2, "cifar10/bn": 1}
# No number of workers divides these batches. Large layers would only cost time.
BATCH = 23
RBM = ["encode1=24", "encode2=20", "encode3=16"]
SMALL = {
    "mnist/mlp": [f"fc{i}={40 - 5 * i}" for i in range(1, 6)],
    "mnist/cnn": ["ip1=50"],
    "mnist/lenet": ["ip1=50"],
    "digits/job": [],
    "mnist/lstm": ["lstm.lstm_conf.dim_hidden=24"],
    "char_rnn/job": ["gru.gru_conf.dim_hidden=24"],
    "cifar10/convnet": [],
    "cifar10/bn": [],
    "alexnet/job": ["ip6=48", "ip7=40", "image.rgbimage_conf.cropsize=67"],
    "rbm/rbm1": ["hidden=24", "visible=24"],
    "rbm/rbm2": ["hidden=20", "visible=20", *RBM[:1]],
    "rbm/rbm3": ["hidden=16", "visible=16", *RBM[:2]],
    "rbm/rbm4": ["hidden=12", "visible=12", *RBM],
    "rbm/autoencoder": [*RBM, "encode4=12", "decode4=16", "decode3=20", "decode2=24"],
}
RBMS = [name for name in SMALL if name.startswith("rbm/")]  # each begins with the params of those before
# Layers that share a param are divided alike, and a transposed one only by rows.
BY_ROWS = {"rbm/autoencoder": ["encode1", "encode2", "encode3", "encode4"]}
LEFT_OUT = {
    "custom_layer/job": "needs its plugin",
    "rnnlm/job": "needs its plugin",
    "char_rnn/sample": "trains nothing",
    "digits/features": "trains nothing",
}
# Settings in place of data that is missing.
SYNTHETIC = ["store_conf.backend=synthetic", "store_conf.synthetic_conf.records=100",
             "store_conf.synthetic_conf.classes=10"]


def write_data(one, real):
    """Puts data where the confs look for it."""
    one.run("data", "digits", one.path("examples/digits/data"))
    for kind in ("train", "t10k"):
        for name in (f"{kind}-images-idx3-ubyte", f"{kind}-labels-idx1-ubyte"):
            packed = real / "mnist" / f"{name}.gz"
            digits = one.path(f"examples/digits/data/{name}").read_bytes()
            one.write(f"examples/mnist/data/{name}.gz",
                      packed.read_bytes() if packed.exists() else gzip.compress(digits, 1))
    letters = [chr(32 + i) for i in range(65)]
    text = "".join(random.Random(1).choices(letters, k=20000))
    if (real / "shakespeare/input.txt").exists():
        text = (real / "shakespeare/input.txt").read_text()
        letters = sorted(set(text))
    one.write("examples/char_rnn/data/input.txt", text)
    one.write("examples/char_rnn/data/vocab.txt", "".join(letters))
    for place, side in (("cifar10", 32), ("alexnet/data", 80)):
        v03_checks.kvfile(one.path(f"examples/{place}/image_mean.bin"), [v03_checks.mean((3, side, side))])
    if (real / "cifar10/train.tar").exists():
        one.path("examples/cifar10/data").symlink_to((real / "cifar10").resolve())


def layers(one, name):
    """Returns the names of an example's layers, but those of data."""
    text = (one.site.root / f"examples/{name}.conf").read_text()
    names = re.findall(r'layer \{\s*name: "(\w+)"', text)
    return [layer for layer in names if layer not in ("data", "text")]


def settings(one, name):
    """Returns the command's words for a short and small job."""
    field = "hdim" if re.search("rbm.$", name) else ""
    sets = [f"train_steps={FEW_STEPS.get(name, STEPS)}", "train_epochs=0", "test_freq=0", "test_epochs=0", "test_steps=0",
            "validate_freq=0", "checkpoint_freq=0", "num_openblas_threads=1"]
    for small in SMALL[name]:
        if "." not in small:
            layer, size = small.split("=")
            inside = f"rbm_conf.{field}" if layer in ("hidden", "visible") else \
                "innerproduct_conf.num_output"
            small = f"{layer}.{inside}={size}"
        layer, rest = small.split(".", 1)
        sets.append(f"neuralnet.layer[{layer}].{rest}")
    data = ["store_conf.batchsize=%d" % (7 if name == "alexnet/job" else BATCH)]
    if name == "alexnet/job":
        data.append("store_conf.shape=3,80,80")
    if name == "alexnet/job" or name.startswith("cifar10") and not one.path("examples/cifar10/data").exists():
        data += SYNTHETIC
    if name == "char_rnn/job":
        sets += ["neuralnet.unroll_len=10", "neuralnet.layer[text].char_rnn_conf.unroll_len=10",
                 f"neuralnet.layer[text@kTrain].char_rnn_conf.batchsize={BATCH}"]
        data = []
    sets += [f"neuralnet.layer[data].{setting}" for setting in data]
    begins_with = RBMS[:RBMS.index(name)] if name in RBMS else []
    if begins_with:
        sets.append("checkpoint_path=" + ",".join(f"{before}/step{STEPS}" for before in begins_with))
    return ["-conf", one.site.root / f"examples/{name}.conf",
            *(word for setting in sets for word in ("-set", setting))]


def cuts(one, name):
    """Yields the name of each cut and its settings."""
    numbers = random.Random(name)
    for count in (2, 3):
        for kind in ("rows", "units", "mixed"):
            dims = {layer: {"rows": 0, "units": 1, "mixed": numbers.randrange(2)}[kind]
                    for layer in layers(one, name) if layer not in BY_ROWS.get(name, [])}
            words = [word for layer, dim in dims.items()
                     for word in ("-set", f"neuralnet.layer[{layer}].partition_dim={dim}")]
            yield f"{count} threads by {kind}", [*workers(count), *words]
    yield "2 processes, mixed", [*processes(2), *words]


def train(one, words, workspace, seed):
    shutil.rmtree(one.path(workspace), ignore_errors=True)
    one.run(*words, "-set", f"cluster.workspace={workspace}", "-set", f"seed={seed}")
    return one.newest(workspace)


def distance(one, words, division, seed):
    """Returns how far a divided job ends off one worker. Its second run must end in the same bytes."""
    alone = one.path(f"one-{seed}")
    if not alone.exists():
        train(one, words, alone.name, seed)
    runs = [train(one, [*words, *division], f"cut-{i}", seed) for i in (0, 1)]
    case.same_bytes(*runs)
    return furthest(one.newest(alone.name), runs[0])


def compare(one, name):
    """Returns a line, and whether the example is right under all cuts."""
    words = settings(one, name)
    for seed in SEEDS:
        shutil.rmtree(one.path(f"one-{seed}"), ignore_errors=True)
    train(one, words, "one-1", SEEDS[0])
    worst, again, wrong = 0, 0, []
    for cut, division in cuts(one, name):
        try:
            for seed in SEEDS:
                off = distance(one, words, division, seed)
                if off <= NEAR:
                    break
                again += 1
            worst = max(worst, off)
            case.true(off <= NEAR, f"{off:.1e} off one worker")
        except case.Failure as error:
            wrong.append(f"{cut}: {error}")
    if name in RBMS:
        shutil.copytree(one.newest("one-1"), one.path(f"{name}/step{STEPS}"))
    line = f"{'FAIL' if wrong else 'ok  '} {name}: at most {worst:.1e} off one worker"
    if again:
        line += f", {again} with another seed"
    return line + "".join(f"\n     {text}" for text in wrong), not wrong


def main(binary, words):
    real = pathlib.Path(os.environ.get("SINGA_DATA", "/nowhere")).resolve()
    for folder in ("mnist", "cifar10", "shakespeare"):
        if not (real / folder).exists():
            print(f"LEFT OUT: the real {folder}, as SINGA_DATA has none; generated data instead")
    failures = 0
    with tempfile.TemporaryDirectory(prefix="singa-cuts-") as folder:
        site = run.Site(binary, folder)
        one = case.Case(site, folder)
        write_data(one, real)
        confs = sorted(f"{path.parent.name}/{path.stem}" for path in site.root.glob("examples/*/*.conf"))
        for name in confs:
            if name not in SMALL:
                print(f"LEFT OUT: {name}: {LEFT_OUT[name]}")
        for name in SMALL:
            if words and not any(word in name for word in words):
                continue
            try:
                line, right = compare(one, name)
            except case.Failure as error:
                line, right = f"FAIL {name}: {error}", False
            failures += not right
            print(line, flush=True)
    return failures > 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
