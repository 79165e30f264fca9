#!/usr/bin/env python3
"""Lets one call of the system fail in a job, for each call and each error that a user can meet.

usage: injected.py BUILD [--sample N] [--seed S] [--only WORD] [--write]
       --sample  N failures drawn from all, not all of them
       --only    those whose name holds WORD, such as threads/main/open:3:ENOSPC
       --write   puts the counts into test/bench/results.md; wants all failures, or 2000 at least

The job runs with support/fail_call.cc loaded before the C library. After each failure
 - the exit code is one that `singa --help` lists, never 1, 2 or a signal;
 - an error names the failed part, by errno's text or by the limit that was met;
 - no process, no file in /tmp and no file that a quiet run does not leave is left;
 - the job, or else its `-resume`, ends with the bytes of a job in which no call failed.
A file that could not be removed draws a warning, and `-resume` removes it.
"""
import argparse
import concurrent.futures
import errno
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import sys
import tempfile
import time

import case
from case import Failure, equal, same_bytes, true
from job import mlp
from process_checks import APART, processes
from run import Site

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "bench"))
import results_file

# There are two checkpoints, and the first one is removed. There are few records, because each is
# two reads.
SETTINGS = """train_steps: 4 disp_freq: 2 checkpoint_freq: 2 checkpoint_keep: 1 test_freq: 4
test_steps: 1 seed: 3"""
SOON = "cluster.peer_timeout=3"
TOPOLOGIES = {
    "one": (),
    "threads": ("-set", "cluster.nworkers_per_group=2", "-set", "cluster.nworkers_per_procs=2"),
    "memory": processes(2, SOON),
    "tcp": processes(2, APART, SOON),
}
# The functions are in the order of support/fail_call.cc's kNames. The errors of each are named in
# its manual, and a user can meet them: a full table of processes or files, a full or broken disk, a
# quota, a seccomp filter, an old kernel, no memory, a signal. Other errors of mmap concern files,
# locked memory and seals. Libraries and the program map memory without a name, which is not locked,
# or memory of memfd_create. mprotect has EACCES if a policy forbids executable memory, which
# kernels that are written at run time need. It has ENOMEM if the table of mappings is full. Both
# errors last: after a first ENOMEM the program asks again, because malloc ignores that one.
ERRORS = {
    "fork": "EAGAIN ENOMEM ENOSYS EPERM",
    "pthread_create": "EAGAIN EPERM",
    "pidfd_open": "EMFILE ENFILE ENOMEM ENOSYS EPERM",
    "open": "EMFILE ENFILE ENOSPC EDQUOT EIO ENOMEM EPERM EINTR",
    "read": "EIO EINTR",
    "write": "ENOSPC EDQUOT EFBIG EIO EINTR",
    "fsync": "EIO ENOSPC EDQUOT EINTR",
    "rename": "ENOSPC EDQUOT EIO ENOMEM EPERM",
    "mkdir": "ENOSPC EDQUOT EIO ENOMEM EPERM",
    "ftruncate": "EFBIG EIO EPERM EINTR",
    "mmap": "ENOMEM",
    "mprotect": "EACCES ENOMEM",
    "memfd_create": "EMFILE ENFILE ENOMEM ENOSYS",
    "flock": "EINTR ENOLCK ENOSYS",
    "pipe2": "EMFILE ENFILE",
    "eventfd": "EMFILE ENFILE ENOMEM",
    "epoll_create1": "EMFILE ENFILE ENOMEM",
    "socket": "EMFILE ENFILE ENOBUFS ENOMEM EPERM",
    "bind": "EADDRINUSE EPERM ENOMEM",
    "listen": "EADDRINUSE",
    "connect": "EAGAIN EINTR EPERM ENETUNREACH",
    "accept4": "EMFILE ENFILE ENOMEM EPERM EINTR",
}
CODES = {0, 65, 66, 69, 73, 74, 77, 78, 170, 171}
# These words name a cause if errno's own text is missing.
CAUSES = ["in use", "memory", "threads", "processes", "descriptors", "RLIMIT_", "pids.max", "permission"]
JOBS = 12  # at a time; they mostly wait


class Trials:
    """Trials are failures of one topology: a folder with its job, the bytes of a quiet run, and the
    counts of calls that such a run makes."""

    def __init__(self, site, folder, library, topology):
        self.site, self.folder, self.library = site, pathlib.Path(folder), library
        self.topology, self.args = topology, TOPOLOGIES[topology]
        self.folder.mkdir()
        (self.folder / "counts").mkdir()
        (self.folder / "job.conf").write_text(mlp(site.data, SETTINGS, batch=4, test_batch=2, hidden=8))
        quiet = self.run(self.folder / "quiet", FAIL_CALL_COUNTS=self.folder / "counts")
        quiet.end(0)
        self.quiet = self.folder / "quiet" / "ws"

    def run(self, folder, *args, **environment):
        """Starts a process of the job in a folder of its own, which has its own /tmp."""
        (folder / "tmp").mkdir(parents=True, exist_ok=True)
        words = [f"{name}={value}" for name, value in environment.items()]
        if environment:
            words.append(f"LD_PRELOAD={self.library}")
        command = ["env", f"TMPDIR={folder / 'tmp'}", f"FAIL_CALL_FOLDER={folder}", *words,
                   str(self.site.binary), "-conf", "../job.conf", *self.args, *args,
                   "-set", "cluster.workspace=ws"]
        return case.Process(command, folder)

    def failures(self):
        """Returns topology/role/call:N:ERROR of each call of the quiet run and each error."""
        found = []
        for counts in sorted((self.folder / "counts").iterdir()):
            numbers = struct.unpack(f"{len(ERRORS)}q", counts.read_bytes())
            for (call, errors), number in zip(ERRORS.items(), numbers):
                found += [f"{self.topology}/{counts.name}/{call}:{n}:{error}"
                          for n in range(1, number + 1) for error in errors.split()]
        return found

    def trial(self, name):
        """Runs a trial. Returns whether the call was made, and the exit code. Throws Failure."""
        _, role, rest = name.split("/")
        call, number, error = rest.split(":")
        folder = self.folder / re.sub("[/:]", "-", name)
        fired = folder / "fired"
        job = self.run(folder, FAIL_CALL=f"{role}/{call}:{number}:{getattr(errno, error)}",
                       FAIL_CALL_FIRED=fired)
        try:
            job.end()
        finally:
            left = processes_of(folder)
        equal(left, [], "processes left")
        if fired.exists():
            fired.unlink()
            self.judge(job, getattr(errno, error))
            code = job.popen.returncode
        else:
            code = None
        if job.popen.returncode == 0:
            self.judge_checkpoint(folder, job)
        if job.popen.returncode != 0 or "warning: " in job.err:
            job = self.run(folder, "-resume").end(0)
            self.judge_checkpoint(folder, job)
        self.judge_left(folder)
        shutil.rmtree(folder)
        return code

    def judge(self, job, error):
        code, text = job.popen.returncode, job.err
        # A restart must not hide a crash.
        true(not re.search(r"signal (4|6|7|8|11)\b", text), f"a process crashed\n{text[-1500:]}")
        true(code in CODES, f"exit code {code}\n{text[-1500:]}")
        if code == 0:
            return
        true("error: " in text, f"exit code {code} without an error\n{text[-1500:]}")
        causes = CAUSES + [os.strerror(error)]
        errors = "".join(line for line in text.lower().splitlines() if "error: " in line)
        true(any(cause.lower() in errors for cause in causes),
             f"exit code {code}, but no error names the cause\n{text[-1500:]}")

    def judge_checkpoint(self, folder, job):
        newest, quiet = folder / "ws/checkpoint/step4", self.quiet / "checkpoint/step4"
        true(newest.is_dir(), f"no last checkpoint\n{job.err[-1500:]}")
        same_bytes(newest, quiet)

    def judge_left(self, folder):
        equal(sorted(os.listdir(folder / "tmp")), [], "files in /tmp")
        # -resume sets a workspace without a checkpoint aside.
        found = {entry.name for entry in (folder / "ws").iterdir()}
        found -= {"previous", "metrics.jsonl.old"}
        equal(found, {entry.name for entry in self.quiet.iterdir()}, "workspace")
        equal(os.listdir(folder / "ws/checkpoint"), ["step4"], "checkpoints")


def processes_of(folder):
    """Returns and kills processes of a trial that still run a moment after its job has ended."""
    mark = f"FAIL_CALL_FOLDER={folder}".encode()

    def running():
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                pass
        return found

    deadline = time.monotonic() + 5
    while (left := running()) and time.monotonic() < deadline:
        time.sleep(0.01)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left


def try_all(groups, names):
    """Shows each trial that ends wrongly. Returns the number of failed calls by topology and name,
    and the number of trials that ended wrongly by topology."""
    fired, failed = {}, dict.fromkeys(TOPOLOGIES, 0)

    def one(name):
        return groups[name.split("/")[0]].trial(name)

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        runs = {pool.submit(one, name): name for name in names}
        for number, done in enumerate(concurrent.futures.as_completed(runs), 1):
            topology, _, rest = runs[done].split("/")
            try:
                code = done.result()
            except Failure as failure:
                failed[topology] += 1
                code = "failed"
                print(f"FAIL {runs[done]}: {failure}", flush=True)
            if code is not None:
                key = topology, rest.split(":")[0]
                fired[key] = fired.get(key, 0) + 1
            if number % 200 == 0:
                print(f"{number} of {len(names)} tried, {sum(failed.values())} failed", flush=True)
    return fired, failed


def write(conditions, fired, failed, tried, of):
    calls = [call for call in ERRORS if any(call == key[1] for key in fired)]
    rows = [[call, *(fired.get((topology, call), 0) for topology in TOPOLOGIES)] for call in calls]
    rows.append(["all", *(sum(count for key, count in fired.items() if key[0] == topology)
                          for topology in TOPOLOGIES)])
    rows.append(["ended wrongly", *failed.values()])
    heads = ["call", *(f"failures, {topology}" for topology in TOPOLOGIES)]
    lines = [f"{tried} of all {of} failures of these jobs.", "", *results_file.table(heads, rows)]
    results_file.report("injected", conditions, lines, True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    if args.write and (0 < args.sample < 2000 or args.only):
        parser.error("--write wants 2000 failures at least")
    conditions = results_file.Conditions()
    library = next((args.build / "lib").resolve().glob("libfail_call.so"))
    with tempfile.TemporaryDirectory(prefix="singa-injected-") as folder:
        site = Site(args.build / "bin/singa", folder)
        case.Case(site, folder).run("data", "digits", site.data)
        groups = {topology: Trials(site, f"{folder}/{topology}", library, topology)
                  for topology in TOPOLOGIES}
        names = [name for group in groups.values() for name in group.failures()
                 if args.only in name]
        # The order is random, so that an error in one topology shows early.
        every = len(names)
        names = random.Random(args.seed).sample(names, min(args.sample or every, every))
        fired, failed = try_all(groups, names)
    wrong = sum(failed.values())
    print(f"{sum(fired.values())} calls failed in {len(names)} jobs; {wrong} ended wrongly")
    if args.write:
        write(conditions, fired, failed, len(names), every)
    sys.exit(wrong > 0 or not fired)


if __name__ == "__main__":
    main()
