#!/usr/bin/env python3
"""Measures what shorter gradients and outer steps gain where two hosts have a slow link between them.

usage: SINGA_DATA=DIR python3 test/bench/slow_link.py SINGA [--rounds 5] [--steps 1500] [--keep DIR] [--write]
           [gradients] [outer] [overlap]
       SINGA       the program
       SINGA_DATA  the folder above mnist/ and shakespeare/
       gradients   only the ways to send gradients; outer: only the outer steps; overlap: only their overlap
       --rounds    how often each way to send gradients is measured
       --steps     of a job with outer steps; a multiple of 100
       --keep      copy metrics.jsonl of each job with outer steps into DIR/kOuter-..., for tool/plot
       --write     put the tables into test/bench/results.md and examples/distributed/README.md
needs: root, with ip and tc of iproute2; taskset; two cores. Exit 1 if a target is missed.

Network namespaces stand for hosts, and a token bucket bounds the link between them in each direction.
Each host has one process with one thread, on a core of its own. Bytes are those that both send.

Gradients: the MLP of examples/mnist, 12 million parameters, batch 64 of both, 1 Gbit/s. Ways alternate.
A figure is the median of step_ms over the rows but the first two, then over rounds.

Outer steps: the net of examples/char_rnn with 256 units, 25 segments of the text in each of two groups,
group_sync: kOuter, 100 Mbit/s. Jobs differ in sync_freq and outer_compression only. At the end the values
of the last outer step are validated on the last tenth of the text. The seconds are those from the first row
to the last, without the validation.

Overlap: the same jobs with other values of outer_overlap. The wait is the mean of sync_wait_ms of both
processes over the rows but the first.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile

import partition
import results_file
import singa_job

README = singa_job.REPOSITORY / "examples/distributed/README.md"
GRADIENT_MBIT, GRADIENT_STEPS, GRADIENT_ROW = 1000, 33, 3
WAYS = {
    "kNone": ["compression=kNone"],
    "kFp16": ["compression=kFp16"],
    "kTopK, 1 %": ["compression=kTopK", "sparsity=0.01"],
    "kThreshold, 0.001": ["compression=kThreshold", "threshold=0.001"],
    "kPowerSGD, rank 2": ["compression=kPowerSGD"],
    "kPartial, 3 buckets": ["compression=kPartial"],
}
TEXT_MBIT, TEXT_ROW, HIDDEN, SEGMENTS, LONGEST = 100, 20, 256, 25, 100
OUTER = ["group_sync=kOuter", "outer_lr=1", "outer_momentum=0"]
JOBS = {
    "1": ["sync_freq=1"],
    "10": ["sync_freq=10"],
    "100": ["sync_freq=100"],
    "100, kInt8": ["sync_freq=100", "outer_compression=kInt8"],
}
OVERLAPS = [(10, 0), (10, 2), (10, 5), (100, 0), (100, 5)]  # sync_freq, outer_overlap
LIMIT_S = 3600  # for a job
FASTEST, MOST_BYTES, MOST_LOSS, MOST_WAIT = 5, 0.015, 0.02, 0.5  # targets


def train(command_in, mbit, what, keep=None):
    """Trains a job on two hosts. Returns the rows of metrics.jsonl.

    command_in: returns the job's command in a workspace; keep: a folder for a copy of the rows.
    """
    cores = sorted(os.sched_getaffinity(0))
    hosts = partition.Hosts(mbit)
    try:
        with tempfile.TemporaryDirectory(prefix="singa-link-") as folder:
            commands = hosts.commands(command_in(f"{folder}/ws"))
            partition.run_all([["taskset", "-c", str(core), *command]
                               for core, command in zip(cores, commands)], folder, what, LIMIT_S)
            metrics = pathlib.Path(folder, "ws/metrics.jsonl")
            if keep:
                keep.mkdir(parents=True, exist_ok=True)
                shutil.copy(metrics, keep)
            return [json.loads(line) for line in metrics.read_text().splitlines()]
    finally:
        hosts.stop()


def send_gradients(args, way):
    """Returns (bytes, ms) of a step."""
    sets = ["num_openblas_threads=1", "cluster.nworkers_per_group=2", f"train_steps={GRADIENT_STEPS}",
            f"disp_freq={GRADIENT_ROW}", "test_freq=0", "test_steps=0",
            *(f"cluster.all_reduce.{setting}" for setting in WAYS[way])]
    rows = train(lambda workspace: singa_job.command(args.singa, "mlp", singa_job.mnist_folder(), workspace,
                                                     sets, ".gz"), GRADIENT_MBIT, way)
    times = [row["step_ms"] for row in rows if row["phase"] == "train"]
    last = max(row["step"] for row in rows if row["phase"] == "process")
    return singa_job.bytes_a_step(rows, last), statistics.median(times[2:])


def gradients(args):
    """Returns the lines of a table, and whether the target is met."""
    found = {way: [] for way in WAYS}
    for number in range(args.rounds):
        for way, rounds in found.items():
            rounds.append(send_gradients(args, way))
            print(f"round {number}, {way}: {rounds[-1][0]:.0f} bytes, {rounds[-1][1]:.1f} ms a step",
                  file=sys.stderr)
    dense, table, gains = found["kNone"], [], {}
    for way, rounds in found.items():
        size = rounds[-1][0]
        ratios = [whole[1] / each[1] for whole, each in zip(dense, rounds)]
        gains[way] = statistics.median(ratios)
        table.append([way, f"{size / 1e6:.2f}", f"{100 * size / dense[-1][0]:.1f} %",
                      f"{statistics.median(ms for _, ms in rounds):.0f}", f"{gains[way]:.2f}",
                      f"{min(ratios):.2f}..{max(ratios):.2f}"])
    return [*results_file.table(["compression", "MB a step", "of kNone", "ms a step", "times as fast",
                                 "rounds' min..max"], table), "",
            f"The MLP of 12 million parameters, batch 64, {GRADIENT_MBIT} Mbit/s; {args.rounds} interleaved "
            f"rounds. Asked: kTopK, 1 % at least {FASTEST} times as fast."], gains["kTopK, 1 %"] >= FASTEST


def wait_ms(rows):
    """Returns how long a process waits for others in a step, after those of the first row."""
    waits = [(row["step"], row["sync_wait_ms"]) for row in rows if row["phase"] == "process"]
    first = min(step for step, _ in waits)
    return statistics.mean(wait for step, wait in waits if step > first)


def take_outer_steps(args, name, settings, folder):
    """Returns (bytes of a step, ms of waiting in a step, seconds, validation loss)."""
    sets = [*singa_job.text_sets(folder), "num_openblas_threads=1", "train_epochs=0",
            f"train_steps={args.steps}", f"disp_freq={TEXT_ROW}", f"validate_freq={args.steps}",
            "checkpoint_freq=0", "checkpoint_best=",
            f"updater.learning_rate.linear_conf.change_freq={args.steps}",
            f"neuralnet.layer[text#0].char_rnn_conf.batchsize={SEGMENTS}",
            f"neuralnet.layer[gru].gru_conf.dim_hidden={HIDDEN}", "cluster.nworker_groups=2",
            "cluster.nserver_groups=2", *(f"cluster.{setting}" for setting in [*OUTER, *settings])]
    keep = pathlib.Path(args.keep, f"kOuter-{name.replace(', ', '-').replace(' ', '-')}") if args.keep else None
    rows = train(lambda workspace: singa_job.example_command(args.singa, "char_rnn/job.conf", workspace, sets),
                 TEXT_MBIT, name, keep)
    times = [row["time"] for row in rows if row["phase"] == "train" and row["group"] == 0]
    loss = [row["loss"] for row in rows if row["phase"] == "validate"][-1]
    # Whole rounds of each length: up to the row at the last multiple of the longest.
    return (singa_job.bytes_a_step(rows, args.steps - LONGEST), wait_ms(rows), times[-1] - times[0], loss)


def train_groups(args, jobs):
    """Returns what take_outer_steps finds in each of the jobs, by name."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="singa-text-") as folder:
        singa_job.copy_text(folder)
        for name, settings in jobs.items():
            found[name] = size, wait, seconds, loss = take_outer_steps(args, name, settings, folder)
            print(f"{name}: {size:.0f} bytes and {wait:.1f} ms of waiting a step, {seconds:.0f} s, "
                  f"loss {loss:.4f}", file=sys.stderr)
    return found


def outer(args):
    """Returns the lines of a table, and whether the targets are met."""
    found = train_groups(args, JOBS)
    size, _, _, loss = found["1"]
    table = [[name, f"{each[0] / 1e3:.1f}", f"{100 * each[0] / size:.2f} %", f"{each[2]:.0f}", f"{each[3]:.4f}",
              f"{100 * (each[3] / loss - 1):+.1f} %"] for name, each in found.items()]
    met = found["100"][0] <= MOST_BYTES * size and found["100"][3] <= (1 + MOST_LOSS) * loss
    return [*results_file.table(["sync_freq", "KB a step", "of 1", "seconds", "validation loss", "against 1"],
                                table), "",
            f"A GRU net of {HIDDEN} units on Shakespeare, two groups with {SEGMENTS} segments each, {args.steps} "
            f"steps, {', '.join(setting.replace('=', ': ') for setting in OUTER)}, {TEXT_MBIT} Mbit/s. "
            f"Asked of 100: at most {100 * MOST_BYTES:.1f} % of the bytes, a loss at most "
            f"{100 * MOST_LOSS:.0f} % higher."], met


def overlap(args):
    """Returns the lines of a table, and whether the target is met."""
    found = train_groups(args, {f"{freq}, overlap {steps}": [f"sync_freq={freq}", f"outer_overlap={steps}"]
                                for freq, steps in OVERLAPS})
    table, waits = [], {}
    for (freq, steps), (_, wait, seconds, loss) in zip(OVERLAPS, found.values()):
        alone = found[f"{freq}, overlap 0"][3]
        table.append([freq, steps, f"{wait:.1f}", f"{seconds:.0f}", f"{loss:.4f}",
                      f"{100 * (loss / alone - 1):+.1f} %"])
        waits[freq, steps] = wait
    heads = ["sync_freq", "outer_overlap", "ms of waiting a step", "seconds", "validation loss", "against 0"]
    lines = [*results_file.table(heads, table), "",
             f"Net and groups as above, {args.steps} steps, {TEXT_MBIT} Mbit/s. At sync_freq 10,",
             f"an overlap of 5 must leave at most {100 * MOST_WAIT:.0f} % of the waiting."]
    return lines, waits[10, 5] <= MOST_WAIT * waits[10, 0]


PARTS = {"gradients": gradients, "outer": outer, "overlap": overlap}


def run(args, part):
    """Measures and reports a part. Returns the lines of its table, and whether its targets are met."""
    conditions = results_file.Conditions()
    lines, met = PARTS[part](args)
    results_file.report(f"slow link {part}", conditions, lines, args.write)
    return lines, met


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("singa")
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--keep")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_intermixed_args()
    if args.steps % LONGEST:
        parser.error(f"--steps wants a multiple of {LONGEST}")
    for part in args.parts:
        if part not in PARTS:
            parser.error(f"no part {part}; there are: {', '.join(PARTS)}")
    parts = args.parts or list(PARTS)
    if args.write:
        for part in parts:
            results_file.cut(f"slow link {part}")
            results_file.cut(f"slow link {part}", README)
    found = {part: run(args, part) for part in parts}
    if args.write:
        for part, (lines, _) in found.items():
            results_file.write_table(README, lines, f"slow link {part}")
    return 0 if all(met for _, met in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
