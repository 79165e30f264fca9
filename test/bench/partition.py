#!/usr/bin/env python3
"""Measures nets that two workers divide by rows, by units, and by rows with inner products by units.

usage: python3 test/bench/partition.py SINGA [--rounds 5] [--mbit 1000] [--write] [WORD of a case]...
       SINGA: the program; --mbit: speed of the link; --write puts the figures into test/bench/results.md
needs: root, with ip and tc of iproute2; a quiet machine of two cores

The workers are threads, processes of one host, or processes of two hosts. Network namespaces stand
for hosts, and a token bucket bounds the link between them in each direction. Cases of one net and
place alternate. A figure is the median of samples_per_second over the rows of metrics.jsonl but the
first, then over rounds.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import results_file

STEPS, ROW = {"MLP": 60, "CNN": 40}, 5
ADDRESS = "10.213.80.1"
JOB = """name: "partition" seed: 1 num_openblas_threads: 1 train_one_batch {{ alg: kBP }}
updater {{ type: kSGD learning_rate {{ type: kFixed base_lr: 0.001 }} }}
neuralnet {{ layer {{ name: "data" type: kRecordInput store_conf {{ backend: "synthetic" batchsize: {batch} {shape}
  synthetic_conf {{ records: 512 classes: 10 }} }} }}
{layers} layer {{ name: "loss" type: kSoftmaxLoss srclayers: "{last}" srclayers: "data" }} }}
"""
DENSE = """layer {{ name: "{name}" type: kInnerProduct srclayers: "{source}" partition_dim: {dim}
  innerproduct_conf {{ num_output: {units} }} param {{ name: "{name}w" init {{ type: kGaussian std: 0.01 }} }}
  param {{ name: "{name}b" init {{ type: kConstant }} }} }}
"""
RELU = """layer {{ name: "{name}" type: kReLU srclayers: "{source}" partition_dim: {dim} }}
"""
CONV = """layer {{ name: "{name}" type: kConvolution srclayers: "{source}" partition_dim: {dim}
  convolution_conf {{ num_filters: {units} kernel: 3 pad: 1 }}
  param {{ name: "{name}w" init {{ type: kGaussian std: 0.05 }} }} param {{ name: "{name}b" init {{ type: kConstant }} }} }}
"""
POOL = """layer {{ name: "{name}" type: kPooling srclayers: "{source}" partition_dim: {dim}
  pooling_conf {{ pool: MAX kernel: 2 stride: 2 }} }}
"""
NETS = {  # batch, shape, layers of images, units of inner products
    "MLP": (64, "shape: 1024", [], [2048, 2048, 2048, 10]),
    "CNN": (64, "shape: 3 shape: 32 shape: 32", [32, 64], [2048, 2048, 10]),
}
CUTS = {"rows": (0, 0), "units": (1, 1), "hybrid": (0, 1)}  # of convolutions, of inner products
PLACES = {
    "threads": ["cluster.nworkers_per_procs=2"],
    "shared memory": [],
    "two hosts": ["cluster.nservers_per_group=2"],
}


def job(net, cut):
    """Returns the job.conf of a net whose layers are divided as `cut` says."""
    batch, shape, filters, units = NETS[net]
    of_images, of_rows = CUTS[cut]
    layers, last = "", "data"

    def add(text, name, dim, **more):
        nonlocal layers, last
        layers += text.format(name=name, source=last, dim=dim, **more)
        last = name

    for i, count in enumerate(filters):
        add(CONV, f"conv{i}", of_images, units=count)
        add(RELU, f"relu{i}", of_images)
        add(POOL, f"pool{i}", of_images)
    for i, count in enumerate(units):
        add(DENSE, f"fc{i}", of_rows, units=count)
        if i + 1 < len(units):
            add(RELU, f"sigma{i}", of_rows)
    return JOB.format(batch=batch, shape=shape, layers=layers, last=last)


class Hosts:
    """Two network namespaces with a link of `mbit` Mbit/s in each direction."""

    def __init__(self, mbit):
        self.names = [f"singa-bench-{os.getpid()}-{i}" for i in range(2)]
        try:
            self.connect(mbit)
        except subprocess.CalledProcessError:
            self.stop()
            raise

    def connect(self, mbit):
        for name in self.names:
            self.run("ip", "netns", "add", name)
            self.run("ip", "-n", name, "link", "set", "lo", "up")
        self.run("ip", "-n", self.names[0], "link", "add", "eth0", "type", "veth", "peer", "name",
                 "eth0", "netns", self.names[1])
        for name, address in zip(self.names, (ADDRESS, "10.213.80.2")):
            self.run("ip", "-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
            self.run("ip", "-n", name, "link", "set", "eth0", "up")
            self.run("tc", "-n", name, "qdisc", "add", "dev", "eth0", "root", "tbf", "rate",
                     f"{mbit}mbit", "burst", "256kb", "latency", "50ms")

    @staticmethod
    def run(*words):
        subprocess.run(words, check=True)

    def stop(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)

    def commands(self, words):
        """Returns the commands of both processes."""
        with_job = ["PMI_SIZE=2", "PMI_JOBID=bench"]
        return [["ip", "netns", "exec", name, "env", *with_job, f"PMI_RANK={rank}", *words,
                 "-set", f"cluster.coordinator={ADDRESS}:0"] for rank, name in enumerate(self.names)]


def run_all(commands, folder, what, limit_s=600):
    """Runs commands at a time, to their ends. Exits if one fails. limit_s: for each end."""
    running = []
    try:
        for number, command in enumerate(commands):
            with open(f"{folder}/err{number}", "w", encoding="utf-8") as err:
                running.append(subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=err))
        for number, process in enumerate(running):
            if process.wait(timeout=limit_s):
                sys.exit(f"{what}: exit code {process.returncode}\n"
                         f"{pathlib.Path(folder, f'err{number}').read_text()}")
    finally:
        for process in running:
            process.kill()
            process.wait()


def samples_per_second(binary, net, cut, place, hosts):
    """Returns the speed of one run."""
    with tempfile.TemporaryDirectory(prefix="singa-bench-") as folder:
        conf = pathlib.Path(folder, "job.conf")
        conf.write_text(job(net, cut))
        words = [os.path.abspath(binary), "-conf", str(conf)]
        for setting in (f"cluster.workspace={folder}/ws", "cluster.nworkers_per_group=2",
                        f"train_steps={STEPS[net]}", f"disp_freq={ROW}", *PLACES[place]):
            words += ["-set", setting]
        commands = hosts.commands(words) if place == "two hosts" else [words]
        run_all(commands, folder, f"{net}, {cut}, {place}")
        rows = [json.loads(line)
                for line in pathlib.Path(folder, "ws/metrics.jsonl").read_text().splitlines()]
    return statistics.median(row["samples_per_second"] for row in rows
                             if row.get("phase") == "train" and row["step"] >= 2 * ROW)


def main():
    parser = argparse.ArgumentParser(description="nets that two workers divide")
    parser.add_argument("singa")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mbit", type=int, default=1000)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_intermixed_args()
    conditions = results_file.Conditions()
    table = []
    hosts = Hosts(args.mbit)
    try:
        for net in NETS:
            for place in PLACES:
                if args.words and not any(word in f"{net}, {place}" for word in args.words):
                    continue
                rounds = []
                for _ in range(args.rounds):
                    rounds.append([samples_per_second(args.singa, net, cut, place, hosts)
                                   for cut in CUTS])
                    print(f"{net}, {place}: {rounds[-1]} samples a second", file=sys.stderr)
                rates = [statistics.median(rates) for rates in zip(*rounds)]
                ratios = [statistics.median(of / each[0] for of, each in zip(column, rounds))
                          for column in zip(*rounds)]
                table.append([net, place, *(f"{rate:.0f}" for rate in rates),
                              *(f"{ratio:.2f}" for ratio in ratios[1:])])
    finally:
        hosts.stop()
    heads = ["net", "workers", *CUTS, "units / rows", "hybrid / rows"]
    lines = [*results_file.table(heads, table), "",
             f"Samples a second; {args.rounds} interleaved rounds; two hosts: a link of "
             f"{args.mbit} Mbit/s."]
    results_file.report("partition", conditions, lines, args.write)


if __name__ == "__main__":
    main()
