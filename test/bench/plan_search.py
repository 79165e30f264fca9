#!/usr/bin/env python3
"""Measures how long `singa plan` takes for known nets and numbers of workers.

usage: python3 test/bench/plan_search.py SINGA [--rounds 5] [--write]
       SINGA: the program; --write puts the figures into test/bench/results.md

The machine is a file of 8 GPUs a host, so nothing is measured by the program. Figures are medians: of
the search for the fastest plan alone, which must be exact, and of the whole command. The command
also checks the job, builds some ten nets for the work of their layers and their memory, and
searches for the time-memory front, which need not be exact.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import results_file

WORKERS = (2, 8, 64, 1024)
BATCH = 8192
MACHINE = "gpus: 8 gflops: 15000 gb_per_s: 700 exchange_gb_per_s: 50 link_gbit: 100 link_us: 10\n"
JOB = """name: "{name}" train_steps: 1 train_one_batch {{ alg: kBP }}
updater {{ type: kSGD momentum: 0.9 learning_rate {{ type: kFixed base_lr: 0.01 }} }}
neuralnet {{ layer {{ name: "data" type: kRecordInput store_conf {{ backend: "synthetic" batchsize: {batch}
  shape: 3 shape: {side} shape: {side} synthetic_conf {{ records: 8192 classes: 1000 }} }} }}
{layers}layer {{ name: "loss" type: kSoftmaxLoss srclayers: "{last}" srclayers: "data" }} }}
"""
PARAMS = """param {{ name: "w_{name}" init {{ type: kGaussian std: 0.01 }} }} param {{ name: "b_{name}" init {{ type: kConstant }} }}"""


class Net:
    """The layers of a net of pictures, in text."""

    def __init__(self):
        self.text, self.count = "", 0

    def add(self, kind, sources, more):
        self.count += 1
        name = f"l{self.count}"
        reads = " ".join(f'srclayers: "{source}"' for source in sources)
        self.text += f'layer {{ name: "{name}" type: {kind} {reads} {more.format(params=PARAMS.format(name=name))} }}\n'
        return name

    def conv(self, source, filters, kernel=3, stride=1, pad=None, kernel_x=None):
        """A convolution and its ReLU. kernel_x: its width, if it is not square."""
        pad = kernel // 2 if pad is None else pad
        shape = f"kernel: {kernel} pad: {pad}"
        if kernel_x:
            shape = f"kernel_y: {kernel} kernel_x: {kernel_x} pad_y: {kernel // 2} pad_x: {kernel_x // 2}"
        last = self.add("kConvolution", [source], f"convolution_conf {{{{ num_filters: {filters} {shape} "
                        f"stride: {stride} }}}} {{params}}".replace("{{{{", "{{").replace("}}}}", "}}"))
        return self.add("kReLU", [last], "")

    def pool(self, source, kernel, stride, pad=0, kind="MAX"):
        return self.add("kPooling", [source], f"pooling_conf {{{{ pool: {kind} kernel: {kernel} stride: {stride} "
                        f"pad: {pad} }}}}")

    def dense(self, source, units):
        return self.add("kInnerProduct", [source], f"innerproduct_conf {{{{ num_output: {units} }}}} {{params}}")

    def join(self, sources):
        return self.add("kConcate", sources, "concate_conf {{ concate_dim: 1 num_concates: %d }}" % len(sources))


def vgg16():
    net, last = Net(), "data"
    for filters, convolutions in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(convolutions):
            last = net.conv(last, filters)
        last = net.pool(last, 2, 2)
    for units in (4096, 4096):
        last = net.add("kReLU", [net.dense(last, units)], "")
    return net, net.dense(last, 1000), 224


def alexnet():
    net = Net()
    last = net.pool(net.conv("data", 96, 11, 4, 2), 3, 2)
    last = net.pool(net.conv(last, 256, 5), 3, 2)
    last = net.pool(net.conv(net.conv(net.conv(last, 384), 384), 256), 3, 2)
    for units in (4096, 4096):
        last = net.add("kReLU", [net.dense(last, units)], "")
    return net, net.dense(last, 1000), 227


def inception():
    """Like Inception-v3: a stem and 11 modules of four branches, with convolutions of 1 x 7 and 7 x 1."""
    net = Net()
    last = net.pool(net.conv(net.conv(net.conv("data", 32, 3, 2, 0), 32, 3, 1, 0), 64), 3, 2)
    last = net.pool(net.conv(net.conv(last, 80, 1), 192, 3, 1, 0), 3, 2)
    for width, modules in ((64, 3), (192, 5), (320, 3)):
        for _ in range(modules):
            tall = net.conv(net.conv(last, width, 1), width, 7, 1, None, 1)
            twice = net.conv(net.conv(net.conv(last, width, 1), width), width)
            ends = [net.conv(last, width, 1), net.conv(tall, width, 1, 1, None, 7), twice,
                    net.conv(net.pool(last, 3, 1, 1, "AVG"), width, 1)]
            last = net.join(ends)
        last = net.pool(last, 3, 2)
    return net, net.dense(last, 1000), 299


NETS = {"AlexNet": alexnet, "VGG-16": vgg16, "Inception-v3-like": inception}
CHAR_RNN = pathlib.Path(__file__).parents[2] / "examples/char_rnn/job.conf"


def confs(folder):
    """Yields the name of each net, the number of its layers in training, and its job.conf."""
    conf = pathlib.Path(folder, "job.conf")
    for name, make in NETS.items():
        net, last, side = make()
        conf.write_text(JOB.format(name=name, batch=BATCH, side=side, layers=net.text, last=last),
                        encoding="utf-8")
        yield name, net.count + 2, [str(conf)]
    letters = [chr(32 + i) for i in range(65)]
    vocabulary, text = pathlib.Path(folder, "vocab.txt"), pathlib.Path(folder, "text.txt")
    vocabulary.write_text("".join(letters), encoding="utf-8")
    text.write_text("".join(letters) * 20000, encoding="utf-8")
    sets = [f"neuralnet.layer[text@kTrain].char_rnn_conf.batchsize={BATCH}"]
    for phase in ("kTrain", "kVal"):
        sets += [f"neuralnet.layer[text@{phase}].char_rnn_conf.path={text}",
                 f"neuralnet.layer[text@{phase}].char_rnn_conf.vocab_path={vocabulary}"]
    layers = len(set(re.findall(r'layer \{\s*name: "(\w+)"', CHAR_RNN.read_text(encoding="utf-8"))))
    yield "char-rnn", layers, [word for setting in sets for word in ("-set", setting)] + [str(CHAR_RNN)]


def seconds(command):
    """Returns the time of the search for the fastest plan, and of the command."""
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    plans = json.loads(done.stdout)
    if not plans["exact"]:
        sys.exit(f"{' '.join(command)}: the search was not exact")
    return plans["search_ms"] / 1e3, time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description="times of singa plan")
    parser.add_argument("singa")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    conditions = results_file.Conditions()
    rows = []
    with tempfile.TemporaryDirectory(prefix="singa-bench-") as folder:
        machine = pathlib.Path(folder, "machine.conf")
        machine.write_text(MACHINE, encoding="utf-8")
        for name, layers, conf in confs(folder):
            rows.append([name, layers])
            for count in WORKERS:
                command = [os.path.abspath(args.singa), "plan", "-json", "-machine", str(machine), "-workers",
                           str(count), "-hosts", str(max(1, count // 8)), *conf]
                search, whole = map(statistics.median, zip(*(seconds(command) for _ in range(args.rounds))))
                rows[-1].append(f"{search:.3f} of {whole:.2f}")
            print(*rows[-1], file=sys.stderr)
    heads = ["net", "layers", *(f"{count} workers, s" for count in WORKERS)]
    results_file.report("plan search", conditions, results_file.table(heads, rows), args.write)


if __name__ == "__main__":
    main()
