#!/usr/bin/env python3
"""Kills processes of jobs at random steps. Each job must end as an undisturbed one does.

usage: kill_trials.py BINARY [--trials N] [--seed S] [--write]
       --trials  of each role (10)
       --write   puts the figures into test/bench/results.md; wants 60 trials of each role

A trial counts if the signal found a process that trained: at least 5 steps were done before, and at
least 5 were left. Jobs of synchronous workers must end with the same bytes and rows as an
undisturbed job. Groups that share a server must each have taken every step once.
"""
import argparse
import os
import pathlib
import random
import signal
import sys
import tempfile
import time

from case import Case, Failure, equal, has, learned, same_bytes, tensors, true
from job import ADAM, mlp
from process_checks import children, processes
from process_group_checks import ASYNCHRONOUS, SGD, groups
from run import Site
from replacement_checks import expect_every_step_once

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "bench"))
import results_file

STEPS, MARGIN = 300, 5
SETTINGS = f"train_steps: {STEPS} disp_freq: 1 checkpoint_freq: 40 checkpoint_keep: 2 seed: 3"
SYNCHRONOUS = processes(2, "cluster.server_worker_separate=true")
SHARING = processes(2)
GROUPS = groups(ASYNCHRONOUS["master"])
ALONE = groups(ASYNCHRONOUS["downpour"])  # groups without servers: another takes the place

# Role: the job's arguments, rank of the process.
ROLES = {
    "first worker": (SYNCHRONOUS, 0),
    "another worker": (SYNCHRONOUS, 1),
    "server": (SYNCHRONOUS, 2),
    "first that shares memory": (SHARING, 0),
    "another that shares memory": (SHARING, 1),
    "first group": (GROUPS, 0),
    "another group": (GROUPS, 2),
    "group without servers": (ALONE, 1),
}


def disturb(case, job, workspace, rank, step):
    """Kills process `rank` after `step`. Returns False if the job may have been at its end."""
    job.wait_until(lambda: case.last_step(workspace) >= step, f"step {step}")
    pid = children(job).get(rank)
    if pid is None:
        return False
    os.kill(pid, signal.SIGKILL)
    return case.last_step(workspace) < STEPS - MARGIN


def judge_groups(case, workspace):
    for group in range(3):
        rows = [row["step"] for row in case.rows(workspace, "train") if row["group"] == group]
        equal(rows, list(range(STEPS)), f"rows of group {group}")
    for name, (_, _, data) in tensors(case.newest(workspace) / "state.safetensors").items():
        if name.endswith("/count"):
            equal(int.from_bytes(data, "little"), STEPS, f"updates that {name} counts")


def judge(case, workspace, args):
    if args is GROUPS:
        return judge_groups(case, workspace)
    if args is ALONE:
        return expect_every_step_once(case, workspace, {1: 1}, STEPS)
    same_bytes(case.newest(workspace), case.newest("quiet"))
    equal(learned(case.rows(workspace, "train")), learned(case.rows("quiet", "train")), "rows")


def trial(case, role, number, step):
    """Returns the seconds from the signal to the job's end; None: the signal came too late."""
    args, rank = ROLES[role]
    workspace = f"{role.replace(' ', '-')}{number}"
    conf = "groups.conf" if args in (GROUPS, ALONE) else "workers.conf"
    job = case.start_job(conf, *args, workspace=workspace)
    counts = disturb(case, job, workspace, rank, step)
    start = time.monotonic()
    job.end(0)
    if not counts:
        return None
    has(job.err, f"process {rank} was lost (signal 9)", "stderr")
    judge(case, workspace, args)
    return time.monotonic() - start


def trials(case, role, wanted, draw):
    counted, late, seconds = 0, 0, []
    while counted < wanted:
        true(late < 10 + wanted, f"{late} of {late + counted} signals came too late")
        step = draw.randrange(MARGIN, STEPS - 10 * MARGIN)
        try:
            took = trial(case, role, counted + late, step)
        except Failure as failure:
            raise Failure(f"{role}, killed after step {step}: {failure}") from None
        late += took is None
        counted += took is not None
        seconds += [took] if took is not None else []
    middle = sorted(seconds)[len(seconds) // 2]
    print(f"{role}: {counted} jobs ended right, {middle:.1f} s after the signal (median); "
          f"{late} signals came too late", flush=True)
    return [role, counted, late, f"{middle:.1f}"]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    if args.write and args.trials < 60:
        parser.error("--write wants at least 60 trials")
    draw, conditions = random.Random(args.seed), results_file.Conditions()
    with tempfile.TemporaryDirectory(prefix="singa-kills-") as folder:
        site = Site(args.binary, folder)
        case = Case(site, folder)
        case.run("data", "digits", site.data)
        case.write("workers.conf", mlp(site.data, SETTINGS, updater=ADAM, batch=48))
        case.write("groups.conf", mlp(site.data, SETTINGS, updater=SGD, batch=48, dropout=0))
        case.train("workers.conf", *SYNCHRONOUS, workspace="quiet")
        try:
            rows = [trials(case, role, args.trials, draw) for role in ROLES]
        except Failure as failure:
            sys.exit(f"FAIL {failure}")
        finally:
            case.end()
    if args.write:
        heads = ["killed", "jobs, all of which ended right", "signals too late to count",
                 "seconds from signal to end"]
        results_file.report("kills", conditions, results_file.table(heads, rows), True)


if __name__ == "__main__":
    main()
