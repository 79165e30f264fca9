#!/usr/bin/env python3
"""Stops jobs by a signal at random moments, from their first millisecond on. Each job must end soon
and as documented, leave nothing over, and continue with -resume.

usage: signal_trials.py BINARY [--trials N] [--seed S] [--seconds L] [--write]
       --trials   of each topology (8)
       --seconds  a job may take to end after SIGTERM or SIGINT (3)
       --write    puts the figures into test/bench/results.md; wants 100 trials of each topology

SIGTERM, SIGINT and SIGKILL go to the command alone, as by a user or a batch system, or to all
processes of the job at once. SIGTERM goes to one of its processes, too.
"""
import argparse
import os
import pathlib
import random
import signal
import sys
import tempfile
import time

from case import Case, Failure, true
from group_checks import workers
from job import ADAM, mlp
from process_checks import APART, children, processes
from run import Site

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "bench"))
import results_file

SETTINGS = "train_steps: 10000000 disp_freq: 10 checkpoint_freq: 50 checkpoint_keep: 2 seed: 3"
MORE_STEPS = 20  # steps of the resumed job
LATEST_S = 1.5   # of the signal, after the start
GONE_S = 30      # after which killed processes must be gone

TOPOLOGIES = {
    "one process": (),
    "two threads": workers(2),
    "two processes, shared memory": processes(2),
    "two processes, tcp": processes(2, APART),
    "two processes of two workers, and one of servers":
        processes(2, "cluster.server_worker_separate=true", in_each=2),
}
# A stop is a signal, its receivers, and exit codes. A process that is too young to handle a signal
# dies of it.
STOPS = [(signal.SIGTERM, "command", (143, -15)), (signal.SIGTERM, "all", (143, -15)),
         (signal.SIGTERM, "one", (143, -15)), (signal.SIGINT, "command", (130, -2)),
         (signal.SIGINT, "all", (130, -2)), (signal.SIGKILL, "command", (-9,)),
         (signal.SIGKILL, "all", (-9,))]


def members(folder):
    """Returns the ids of the processes of singa that work in `folder`."""
    found = []
    for process in pathlib.Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            if (process / "cwd").readlink() == folder and " Z " not in (
                    process / "stat").read_text().rsplit(")", 1)[1][:3]:
                found.append(int(process.name))
        except OSError:  # it has ended
            pass
    return found


def send(number, pids):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def stop(job, folder, number, whom, draw):
    if whom == "command" or not members(folder):
        return send(number, [job.popen.pid])
    if whom == "all":
        return send(number, members(folder))
    return send(number, [draw.choice(sorted(children(job).values()) or [job.popen.pid])])


def left_over(case):
    """Returns processes and temporary files that remain. Their shared memory ends with them."""
    folder = case.folder.resolve()
    end = time.monotonic() + GONE_S
    while members(folder) and time.monotonic() < end:
        time.sleep(0.01)
    found = [f"process {pid}" for pid in members(folder)]
    found += [str(path) for path in case.path("tmp").iterdir()]
    return found


def scraps(case, workspace):
    """Returns files of a run that ended well and that are none of its results."""
    return [str(path) for path in case.path(workspace).rglob("*")
            if "tmp" in path.name or path.name.startswith("launch-")]


def trial(case, args, choice, seconds, draw, limit_s):
    """Runs a trial. Returns the seconds from the signal to the end."""
    number, whom, codes = choice
    workspace = f"ws{draw.getrandbits(48):x}"
    job = case.start_program(["env", f"TMPDIR={case.path('tmp')}", case.site.binary, "-conf",
                              "job.conf", *args, "-set", f"cluster.workspace={workspace}"])
    time.sleep(seconds)  # the moment of the signal is any
    start = time.monotonic()
    stop(job, case.folder.resolve(), number, whom, draw)
    true(job.ends_within(30), f"it still runs 30 s after the signal\n{job.err[-2000:]}")
    took = time.monotonic() - start
    code = job.popen.returncode
    true(code in codes, f"exit code {code}, expected one of {codes}\n{job.err[-2000:]}")
    true(number == signal.SIGKILL or took < limit_s, f"it took {took:.1f} s to end")
    found = left_over(case)
    true(not found, f"left over: {found}")
    last = max(case.steps(workspace), default=0)
    case.train("job.conf", "-resume", *args, "-set", f"train_steps={last + MORE_STEPS}",
               workspace=workspace)
    true(case.steps(workspace)[-1] == last + MORE_STEPS, "the resumed job did not go on")
    true(not scraps(case, workspace), f"left over: {scraps(case, workspace)}")
    return took


def trials(case, topology, count, draw, limit_s):
    took = []
    for i in range(count):
        choice, seconds = STOPS[i % len(STOPS)], draw.uniform(0, LATEST_S)
        if choice[1] == "one" and topology.startswith(("one", "two threads")):
            choice = STOPS[0]
        try:
            seconds_to_end = trial(case, TOPOLOGIES[topology], choice, seconds, draw, limit_s)
        except Failure as failure:
            raise Failure(f"{topology}, {choice[0].name} to {choice[1]} after {seconds:.3f} s: "
                          f"{failure}") from None
        if choice[0] != signal.SIGKILL:
            took.append(seconds_to_end)
    middle, slowest = sorted(took)[len(took) // 2], max(took)
    print(f"{topology}: {count} jobs ended right and went on; after SIGTERM or SIGINT in "
          f"{middle:.2f} s (median), {slowest:.2f} s at most", flush=True)
    return [topology, count, f"{middle:.2f}", f"{slowest:.2f}"]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--trials", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    if args.write and args.trials < 100:
        parser.error("--write wants at least 100 trials")
    draw, conditions = random.Random(args.seed), results_file.Conditions()
    rows, failed = [], 0
    with tempfile.TemporaryDirectory(prefix="singa-signals-") as folder:
        site = Site(args.binary, folder)
        case = Case(site, folder)
        case.run("data", "digits", site.data)
        case.path("tmp").mkdir()
        case.write("job.conf", mlp(site.data, SETTINGS, updater=ADAM, batch=48))
        for topology in TOPOLOGIES:
            try:
                rows.append(trials(case, topology, args.trials, draw, args.seconds))
            except Failure as failure:
                print(f"FAIL {failure}", flush=True)
                failed += 1
            finally:
                case.end()
    if args.write and not failed:
        heads = ["job", "stopped, all of which ended right and went on", "median seconds to end",
                 "slowest"]
        results_file.report("signals", conditions, results_file.table(heads, rows), True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
