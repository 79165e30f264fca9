#!/usr/bin/env python3
"""Compares steps that `singa plan` predicts for each way to exchange gradients with real ones.

usage: SINGA_DATA=DIR python3 test/bench/plan_modes.py SINGA [--rounds 3] [--write] [WORD of a case]...
       SINGA       the program
       SINGA_DATA  the folder above mnist/
       WORD        measure the nets and links whose names have one of these words
       --write     put the table into test/bench/results.md
needs: root, with ip and tc of iproute2; taskset; two cores

Network namespaces stand for hosts, and a token bucket bounds the link between them in each direction.
Each host has one process with one thread, on a core of its own. `singa plan -hosts 2` runs on one of these
cores, with -fresh in each round. Another such plan runs on the other core meanwhile, since cores share memory. A measured time is the median of step_ms over the rows but the first two; a row of
kOuter has a whole round.
Figures are medians over rounds, in which the ways take turns. Bytes are those of one host.
kThreshold is predicted with the share that it has in the measured run. In each round, the plan of its row
has as sparsity the measured bytes of kThreshold over those of kNone, divided by 1.3.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import results_file
import singa_job
import slow_link

NETS = {"cnn": (83, 10), "mlp": (36, 3)}  # steps, of which so many have a row
MBITS = {"cnn": (100, 1000), "mlp": (1000,)}  # a faster link of this kind takes processor time itself
PER_FLOAT = 1.3  # bytes that kThreshold sends of a number, over those of a float
SPARSITY, THRESHOLD = "cluster.all_reduce.sparsity=0.01", "cluster.all_reduce.threshold=0.001"
STEPS_OF_ROUND = 10
ROUND = f"cluster.sync_freq={STEPS_OF_ROUND}"
OUTER = ["cluster.nworker_groups=2", "cluster.nserver_groups=2", "cluster.group_sync=kOuter",
         ROUND, "neuralnet.layer[data#0].store_conf.batchsize=32"]
GROUP = ["cluster.nworkers_per_group=2"]
# The settings of each way, by the beginning of its name in a plan.
WAYS = {
    "kNone": GROUP + ["cluster.all_reduce.compression=kNone"],
    "kFp16": GROUP + ["cluster.all_reduce.compression=kFp16"],
    "kTopK": GROUP + ["cluster.all_reduce.compression=kTopK", SPARSITY],
    "kThreshold": GROUP + ["cluster.all_reduce.compression=kThreshold", THRESHOLD],
    "kPowerSGD": GROUP + ["cluster.all_reduce.compression=kPowerSGD"],
    "kPartial": GROUP + ["cluster.all_reduce.compression=kPartial"],
    "kOuter": OUTER,
}


def measured(args, net, mbit, way):
    """Returns (ms, bytes of a host) of a step."""
    steps, row = NETS[net]
    if way == "kOuter":
        steps, row = 5 * STEPS_OF_ROUND + 1, STEPS_OF_ROUND
    sets = ["num_openblas_threads=1", "train_epochs=0", f"train_steps={steps}", f"disp_freq={row}", "test_epochs=0",
            "test_freq=0", "test_steps=0", *WAYS[way]]
    rows = slow_link.train(lambda workspace: singa_job.command(args.singa, net, singa_job.mnist_folder(), workspace,
                                                               sets, ".gz"), mbit, f"{net}, {way}")
    times = [row["step_ms"] for row in rows if row["phase"] == "train"]
    last = max(row["step"] for row in rows if row["phase"] == "process")
    return statistics.median(times[2:]), singa_job.bytes_a_step(rows, last) / 2


def predicted(args, net, mbit, *settings, fresh=False):
    """Returns the modes of a plan, by the first words of their names."""
    core, other_core = sorted(os.sched_getaffinity(0))[:2]
    path, *sets = singa_job.conf_and_sets(net, singa_job.mnist_folder(), "/nowhere",
                                          ["num_openblas_threads=1", SPARSITY, ROUND, *settings], ".gz")
    words = [os.path.abspath(args.singa), "plan", "-json", "-workers", "2", "-hosts", "2",
             "-link", f"{mbit / 1000},50", *(["-fresh"] if fresh else []), path, *sets]
    with tempfile.TemporaryDirectory() as cache:
        other = subprocess.Popen(["taskset", "-c", str(other_core), *words], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, env={**os.environ, "XDG_CACHE_HOME": cache})
        modes = json.loads(singa_job.run_process(["taskset", "-c", str(core), *words])[0])["gradients"]
        other.terminate()
        other.wait()
    return {mode["name"].partition(",")[0]: mode for mode in modes}


def round_of(args, net, mbit):
    """Returns, by way, (mode of the plan, measured ms, measured bytes)."""
    plan = predicted(args, net, mbit, fresh=True)
    found = {way: measured(args, net, mbit, way) for way in WAYS}
    share = min(1, max(1e-4, found["kThreshold"][1] / found["kNone"][1] / PER_FLOAT))
    plan["kThreshold"] = predicted(args, net, mbit, f"cluster.all_reduce.sparsity={share}")["kThreshold"]
    return {way: (plan[way], *found[way]) for way in WAYS}


def lines_of(net, mbit, rounds):
    """Returns the rows of one net and link, and their errors."""
    def median(number, way):
        return statistics.median(number(each[way]) for each in rounds)
    rows, errors = [], []
    whole = {kind: median(number, "kNone") for kind, number in
             (("predicted", lambda one: one[0]["step_ms"]), ("measured", lambda one: one[1]))}
    for way in WAYS:
        mode = rounds[-1][way][0]
        predicted_ms, measured_ms = median(lambda one: one[0]["step_ms"], way), median(lambda one: one[1], way)
        error = median(lambda one: one[0]["step_ms"] / one[1] - 1, way)
        errors.append(abs(error))
        rows.append([net, mbit, way, mode["by"], f"{predicted_ms:.1f}", f"{measured_ms:.1f}", f"{100 * error:+.0f} %",
                     f"{whole['predicted'] / predicted_ms:.2f}", f"{whole['measured'] / measured_ms:.2f}",
                     f"{median(lambda one: one[0]['exposed_ms'], way):.1f}",
                     f"{1e-3 * mode['link_bytes']:.1f}", f"{1e-3 * rounds[-1][way][2]:.1f}"])
    return rows, errors


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("singa")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_intermixed_args()
    if args.write:
        results_file.cut("plan modes")
    conditions = results_file.Conditions()
    table, errors = [], []
    for net in NETS:
        for mbit in MBITS[net]:
            if args.words and not any(word in f"{net} {mbit}" for word in args.words):
                continue
            rounds = [round_of(args, net, mbit) for _ in range(args.rounds)]
            rows, found = lines_of(net, mbit, rounds)
            print(*rows, sep="\n", file=sys.stderr)
            table += rows
            errors += found
    results_file.report("plan modes", conditions, [
        f"{len(errors)} cases: median error {100 * statistics.median(errors):.1f} %, worst {100 * max(errors):.1f} %.",
        "", *results_file.table(
            ["net", "Mbit/s", "way", "by", "predicted ms", "measured ms", "error", "predicted gain", "measured gain",
             "exposed ms", "predicted KB", "measured KB"], table)], args.write)


if __name__ == "__main__":
    sys.exit(main())
