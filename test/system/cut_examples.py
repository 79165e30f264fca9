#!/usr/bin/env python3
"""Trains the jobs of examples/ whose workers divide their layers in several ways: by rows, by units,
and in random mixtures, also of grids; by two, three and four threads, and by two processes. After 20 steps each param must
have changed as with one worker, and a second run must end in the same bytes. It takes four minutes.

The difference to one worker's param is compared with the param's largest value, and with its change
since step 0: all by their largest element, and the change beyond ROUNDING of the largest value, with
which float32 stores it. A fixed rate for each example makes the changes large beside this rounding, but
so small that differences do not grow. As a control, one worker trains on a batch that lacks a row; each
param must then be far off.

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
from group_checks import floats, workers
from process_checks import processes

STEPS = 20
NEAR = 2e-4  # of the change
NEAR_VALUE = 1e-5  # of the largest value
FAR = 2  # the control must be as many times further off
ROUNDING = 2 ** -22  # of the largest value: some units in its last place
# A max pooling of two equal pixels, and a ReLU of a number near 0, pass a gradient or not as rounding
# decides. These nets have millions of such numbers in 20 steps, so some do, and each changes the gradients
# of the layers below by up to a tenth. The nets therefore train with smooth layers in their place first,
# and then as they are, to be within WITH_FLIPS.
FLIPS = ["cifar10/convnet", "cifar10/bn", "alexnet/job"]
WITH_FLIPS = 0.1
# The learning rate, as a multiple of the example's own.
RATES = {"mnist/mlp": 100, "cifar10/bn": 1e-3}
RATE = 0.1  # of the others
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
    **dict.fromkeys(["custom_layer/job", "rnnlm/job"], "needs its plugin"),
    **dict.fromkeys(["char_rnn/sample", "digits/features", "gpt/sample"], "trains nothing"),
    **dict.fromkeys(["finetune/pretrain", "finetune/finetune", "resnet/job"], "is like cifar10/bn"),
    **dict.fromkeys(["gpt/job", "gpt/large"], "is divided by heads_checks.py"),
    **dict.fromkeys(["tabular/houses", "tabular/machines"], "is small; target_checks.py has its kind"),
    "partition/mlp": "is large", "partition/alexnet": "is alexnet/job on noise",
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


def rate_of(one, name):
    """Returns the first learning rate of an example."""
    text = (one.site.root / f"examples/{name}.conf").read_text()
    return float(re.search(r"(?:base_lr|step_lr): ([\d.e-]+)", text)[1])


def settings(one, name):
    """Returns the command's words for a short and small job."""
    field = "hdim" if re.search("rbm.$", name) else ""
    rate = rate_of(one, name) * RATES.get(name, RATE)
    sets = [f"train_steps={STEPS}", "seed=1", "updater.learning_rate.type=kFixed",
            "updater.learning_rate.warmup_steps=0", f"updater.learning_rate.base_lr={rate}",
            "train_epochs=0", "test_freq=0", "test_epochs=0", "test_steps=0", "validate_freq=0",
            "checkpoint_freq=0", "num_openblas_threads=1"]
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


GRIDS = [(4, 1), (1, 4), (2, 2), (1, 1)]  # rows and units


def with_units(one, name, words):
    """Returns the layers of an example that workers can divide by units."""
    names = [layer for layer in layers(one, name) if layer not in BY_ROWS.get(name, [])]
    dims = [word for layer in names for word in ("-set", f"neuralnet.layer[{layer}].partition_dim=1")]
    told = one.run("check", *words[1:], *workers(2), *dims).err
    by_rows = re.findall(r"layer\[(\w+)\]\.partition_dim: warning: has no effect", told)
    return [layer for layer in names if layer not in by_rows]


def cuts(one, name, words):
    """Yields the name of each cut and its settings. `words`: of the example's command."""
    numbers = random.Random(name)
    grids = []
    for layer in with_units(one, name, words):
        for field, count in zip(("rows", "units"), numbers.choice(GRIDS)):
            grids += ["-set", f"neuralnet.layer[{layer}].partition_grid.{field}={count}"]
    yield "4 threads in grids", [*workers(4), *grids]
    for count in (2, 3):
        for kind in ("rows", "units", "mixed"):
            dims = {layer: {"rows": 0, "units": 1, "mixed": numbers.randrange(2)}[kind]
                    for layer in layers(one, name) if layer not in BY_ROWS.get(name, [])}
            words = [word for layer, dim in dims.items()
                     for word in ("-set", f"neuralnet.layer[{layer}].partition_dim={dim}")]
            yield f"{count} threads by {kind}", [*workers(count), *words]
    yield "2 processes, mixed", [*processes(2), *words]


def train(one, words, workspace):
    shutil.rmtree(one.path(workspace), ignore_errors=True)
    one.run(*words, "-set", f"cluster.workspace={workspace}")
    return one.newest(workspace)


def values(checkpoint):
    return {name: floats(data) for name, (_, _, data) in case.tensors(checkpoint / "model.safetensors").items()}


def far(a, b):
    return max(abs(p - q) for p, q in zip(a, b))


class Judge:
    """Judge compares params with those of one worker, `alone`, which began at `first`."""

    def __init__(self, first, alone):
        self._alone = values(alone)
        start = values(first)
        self._rounding = {name: ROUNDING * max(map(abs, of)) for name, of in self._alone.items()}
        self._change = {name: far(of, start[name]) for name, of in self._alone.items()}

    def distances(self, checkpoint):
        """Returns by how much of its change each trained param is off one worker's."""
        found = values(checkpoint)
        for name, change in self._change.items():
            case.true(change > 0 or found[name] == self._alone[name], f"{name} is not trained, and differs")
        return {name: max(0, far(of, self._alone[name]) - self._rounding[name]) / self._change[name]
                for name, of in found.items() if self._change[name] > 0}

    def of_values(self, checkpoint):
        """Returns by how much of its largest value a param is off at most."""
        return max(far(of, self._alone[name]) * ROUNDING / self._rounding[name]
                   for name, of in values(checkpoint).items() if self._rounding[name] > 0)


def lacking_a_row(words):
    """Returns the settings with a batch that lacks a row."""
    return [re.sub(r"batchsize=(\d+)$", lambda found: f"batchsize={int(found[1]) - 1}", str(word)) for word in words]


def smooth(one, name):
    """Returns settings that replace an example's ReLUs and max poolings by layers without jumps."""
    text = (one.site.root / f"examples/{name}.conf").read_text()
    sets = [f"{layer}.type=kSTanh" for layer in re.findall(r'name: "(\w+)"\s+type: kReLU', text)]
    sets += [f"{layer}.pooling_conf.pool=AVG" for layer in re.findall(r'name: "(\w+)"\s+type: kPooling', text)]
    return [word for setting in sets for word in ("-set", f"neuralnet.layer[{setting.replace('.', '].', 1)}")]


def compare(one, name, words, near):
    """Returns what a line shows, and whether the example is right under all cuts."""
    alone = train(one, words, "one")
    judge = Judge(train(one, [*words, "-set", "train_steps=0"], "zero"), alone)
    control = judge.distances(train(one, lacking_a_row(words), "control"))
    # With flips a single param shows too little: the control must be off in some param.
    control = min(control.values()) if near == NEAR else max(control.values())
    worst, worst_value, wrong = 0, 0, []
    if control < FAR * near:
        wrong.append("the control is not far off")
    for cut, division in cuts(one, name, words):
        try:
            runs = [train(one, [*words, *division], f"cut-{i}") for i in (0, 1)]
            case.same_bytes(*runs)
            off = judge.distances(runs[0])
            furthest = max(off, key=off.get)
            worst, of_value = max(worst, off[furthest]), judge.of_values(runs[0])
            worst_value = max(worst_value, of_value)
            case.true(near > NEAR or of_value <= NEAR_VALUE, f"{of_value:.1e} of a value off one worker")
            case.true(off[furthest] <= near, f"{furthest} is {off[furthest]:.1e} of its change off one worker")
        except case.Failure as error:
            wrong.append(f"{cut}: {error}")
    if name in RBMS:
        shutil.copytree(alone, one.path(f"{name}/step{STEPS}"))
    text = (f"at most {worst_value:.1e} of a value and {worst:.1e} of a change off one worker, "
            f"the control {control:.1e}")
    return text + "".join(f"\n     {mistake}" for mistake in wrong), not wrong


def check(one, name):
    """Prints the lines of an example. Returns whether it is right."""
    words = settings(one, name)
    variants = [("", words, NEAR)]
    if name in FLIPS:
        variants = [(", smooth", [*words, *smooth(one, name)], NEAR), ("", words, WITH_FLIPS)]
    all_right = True
    for variant, sets, near in variants:
        try:
            text, right = compare(one, name, sets, near)
        except case.Failure as error:
            text, right = str(error), False
        print(f"{'ok  ' if right else 'FAIL'} {name}{variant}: {text}", flush=True)
        all_right = all_right and right
    return all_right


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
            failures += not check(one, name)
    return failures > 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
