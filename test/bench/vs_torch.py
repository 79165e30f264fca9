#!/usr/bin/env python3
"""Measures milliseconds a training step and memory: singa against PyTorch eager, on the CPU or a
GPU.

usage: SINGA_DATA=DIR python3 test/bench/vs_torch.py BINARY [--gpu N | --threads 1,2] [--pairs 9]
           [--precision tf32|bfloat16|float16] [--nets cnn,mlp,...]
           [--seconds 3] [--eager] [--write]
       --precision: of a GPU's products; PyTorch's are autocast to the last two.
       --eager: without torch.compile on a GPU, which takes a minute a net.
       --write puts the figures into test/bench/results.md, a section for each net. Exit 1 if a
       target is missed.
needs: pip install torch numpy; a quiet machine; a C++ compiler for torch.compile; for a GPU nvidia-smi

Rounds alternate: singa, PyTorch, PyTorch with channels_last (nets with convolutions); for resnet and
the GPTs, and on a GPU, torch.compile; on a GPU also with CUDA graphs; then singa again, and so on. A
round of singa is a job of the examples without tests. It reads plain IDX files, noise in CIFAR's or
IDX's form, or a text. Its figure is the median over the rows of metrics.jsonl. Each row is the mean of about 0.3 s
of steps (half of --seconds, if that is less), and the first row is left out. A round of PyTorch
trains the same net with the same updater in a process of torch_job.py, which waits between rounds.
Its data are in memory, on a GPU in the GPU's. Figures are medians over the rounds. Their ratio says
how many times as fast singa is.

Share of peak: the job's multiply-adds, counted twice (`singa bench`), over the time of a step and a
speed of the same minutes. On the CPU this is the speed of a loop of multiply-adds. On a GPU it is
that of PyTorch's product of large matrices in that precision. Memory: on the CPU peak resident set,
less that of `singa version` or of a Python that has imported torch. On a GPU it is the memory in
use, with the libraries' own, less the memory in use before the process began. Busy: the share of
the time in which a kernel runs. nvidia-smi measures both, in a round before the others.
"""
import argparse
import contextlib
import math
import statistics
import sys
import tempfile

import devices
import gpu
import results_file
import singa_job
from torch_process import TorchError, TorchProcess

ROW_SECONDS = 0.3
WATCHED_SECONDS = 4  # of a round whose use of a GPU is watched
HEADS = ["net", "on", "system", "ms a step", "singa times as fast", "rounds' min..max",
         "wait for data, ms", "share of peak", "MiB"]
DATA = {"cnn": singa_job.make_plain_idx, "mlp": singa_job.make_plain_idx,
        "cifar": singa_job.make_cifar_batch, "alexnet": singa_job.make_noise_idx,
        "rbm": singa_job.make_plain_idx, "gru": singa_job.make_text,
        "resnet": singa_job.make_cifar_batch, "gpt": singa_job.make_text,
        "gpt_large": singa_job.make_text}


class Singa:
    """Singa runs jobs of the program, one a round."""

    def __init__(self, binary, net, folder, sets, trial_steps):
        self.binary, self.net, self.folder, self.sets = binary, net, folder, sets
        self.idle_rss = singa_job.idle_rss(binary)
        self.trial_ms = self.train(trial_steps, 3)["step_ms"]

    def round(self, seconds):
        row_seconds = min(ROW_SECONDS, seconds / 2)
        row_steps = max(1, math.ceil(row_seconds * 1e3 / self.trial_ms))
        return self.train(row_steps, max(1, math.ceil(seconds / row_seconds)))

    def train(self, row_steps, rows):
        # Rows come at steps 0, row_steps, 2 row_steps, ...; the first two warm up.
        sets = ["train_epochs=0", "test_epochs=0", "test_steps=0", "test_freq=0",
                f"train_steps={row_steps * (rows + 1) + 1}", f"disp_freq={row_steps}"]
        found, rss = singa_job.run(self.binary, self.net, self.folder, [*self.sets, *sets])
        _, warm, *found = [row for row in found if row["phase"] == "train"]
        assert len(found) == rows, found
        return {"step_ms": statistics.median(row["step_ms"] for row in found),
                "wait_ms": statistics.mean(row["data_wait_ms"] for row in found),
                "from": warm["time"], "to": found[-1]["time"], "mib": rss - self.idle_rss}


class Torch:
    """Torch is one process, which trains when a round wants it."""

    def __init__(self, process):
        self.process = process

    def round(self, seconds):
        answer = self.process.ask(seconds)
        return answer | {"mib": answer["rss"] - answer["import_rss"]}


def start_sides(args, net, device, folder, stack):
    """Returns the sides by name, known figures of each, and sides that torch.compile could not
    make."""
    def start_singa():
        return Singa(args.binary, net, folder, device.sets(net), device.trial_steps)

    def start_torch(options):
        return Torch(stack.enter_context(TorchProcess(net, folder, *options)))

    sides, known, left_out = {}, {}, []
    sides["singa"], known["singa"] = device.started(start_singa, WATCHED_SECONDS)
    for name, options in device.torch_sides(net).items():
        try:
            sides[name], known[name] = device.started(lambda: start_torch(options), WATCHED_SECONDS)
        except TorchError as error:
            if "compiled" not in name:
                sys.exit(str(error))
            print(f"LEFT OUT: {name}: {error}", file=sys.stderr)
            left_out.append(name)
    return sides, known, left_out


def measure(args, net, device, folder):
    """Returns the lines of the table, as numbers, by side; and the note below it."""
    with contextlib.ExitStack() as stack:
        sides, known, left_out = start_sides(args, net, device, folder, stack)
        rounds = {name: [] for name in sides}
        for number in range(args.pairs):
            for name, side in sides.items():
                rounds[name].append(side.round(args.seconds))
            print(f"{net} on {device.name}, round {number}: " + ", ".join(
                f"{name} {found[-1]['step_ms']:.3f} ms" for name, found in rounds.items()),
                file=sys.stderr)
        gflop, peak = device.gflops(args.binary, net, folder, sides[devices.EAGER].process)
    ours = [answer["step_ms"] for answer in rounds["singa"]]
    lines = {}
    for name, found in rounds.items():
        ms = [answer["step_ms"] for answer in found]
        ratios = [b / a for a, b in zip(ours, ms)]
        lines[name] = {
            "ms": statistics.median(ms), "low": min(ratios), "high": max(ratios),
            "ratio": statistics.median(ms) / statistics.median(ours),
            "share": gflop / (statistics.median(ms) / 1e3) / peak,
            "wait_ms": statistics.median(answer.get("wait_ms", 0) for answer in found),
            "mib": max(answer["mib"] for answer in found)} | known[name]
    note = f"{args.pairs} interleaved rounds; PyTorch {rounds[devices.EAGER][0]['torch']}."
    return lines, note + device.note() + "".join(f" {name} failed." for name in left_out)


def table_row(net, device, name, line):
    ours = name == "singa"
    return [f"{devices.NETS[net].name}, batch {device.batch(net)}", device.name, name,
            f"{line['ms']:.3f}", "" if ours else f"{line['ratio']:.2f}",
            "" if ours else f"{line['low']:.2f}..{line['high']:.2f}",
            f"{line['wait_ms']:.3f}" if ours else "", f"{line['share']:.1%}",
            f"{line['mib']:.0f}", *device.cells(line)]


def section_of(places, net):
    return f"{places[0].section} {net}"


def report(args, net, places, folder):
    """Measures a net on each of `places`. Returns whether a target was missed."""
    conditions = results_file.Conditions()
    rows, note, missed = [], "", False
    for device in places:
        lines, note = measure(args, net, device, folder)
        rows += [table_row(net, device, name, line) for name, line in lines.items()]
        missed = missed or device.missed(net, lines)
    table = results_file.table([*HEADS, *places[0].heads], rows)
    results_file.report(section_of(places, net), conditions, [*table, "", note], args.write)
    return missed


def main():
    parser = argparse.ArgumentParser(description="singa against PyTorch: ms a step")
    parser.add_argument("binary")
    parser.add_argument("--gpu", type=int)
    parser.add_argument("--precision", choices=devices.OnGpu.precisions, default="tf32")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--nets", default=",".join(devices.NETS))
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--eager", action="store_true")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    if args.write and args.pairs < 9:
        parser.error("--write wants at least 9 pairs")
    if args.gpu is None and args.precision != "tf32":
        parser.error("--precision wants --gpu")
    if args.gpu is None:
        places = [devices.OnCpu(int(threads)) for threads in args.threads.split(",")]
    else:
        gpu.check(args.binary, args.gpu)
        places = [devices.OnGpu(args.gpu, args.precision, args.eager)]
    nets = args.nets.split(",")
    if args.write:
        for net in nets:
            results_file.cut(section_of(places, net))
    with tempfile.TemporaryDirectory(prefix="singa-idx-") as folder:
        for make in {DATA[net] for net in nets}:
            make(folder)
        missed = [net for net in nets if report(args, net, places, folder)]
    if missed:
        print(f"missed the target: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
