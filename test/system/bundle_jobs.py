#!/usr/bin/env python3
"""Runs jobs by a bundle's program, as a user would type them, and ends with 1 at the first that
does not do what it should. It needs only the library of Python 3.9, as it also runs on old systems.

usage: bundle_jobs.py SINGA JOB host|own; JOB is examples/digits/job.conf. The program must run with
the glibc of the host, or with the bundle's own one.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

SETTINGS = ["train_epochs=0", "train_steps=20", "disp_freq=1", "checkpoint_freq=10"]
PROCESSES = ["nworkers_per_group=2", "nworkers_per_procs=1"]
# Two workers; they compute the same numbers in each way. "servers" also resolves a name.
DIVISIONS = {
    "threads": ["nworkers_per_group=2", "nworkers_per_procs=2"],
    "processes": PROCESSES,
    "servers": [*PROCESSES, "share_memory=false", "coordinator=localhost:0"],
}


def stop(message):
    sys.exit(f"{pathlib.Path(__file__).name}: {message}")


def heed_interrupts():
    """A shell lets commands in the background ignore SIGINT, and so would this script's."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def settings(*words):
    return [word for one in words for word in ("-set", one)]


class Jobs:
    """Jobs in a folder of their own."""

    def __init__(self, singa, job, folder):
        self.singa, self.job, self.folder = singa, job, pathlib.Path(folder)
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": folder}

    def start(self, *words):
        return subprocess.Popen([self.singa, *map(str, words)], cwd=self.folder, text=True,
                                env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, preexec_fn=heed_interrupts)

    def run(self, *words, code=0):
        process = self.start(*words)
        out, err = process.communicate(timeout=120)
        if process.returncode != code:
            stop(f"{words} ended with {process.returncode}, not with {code}:\n{err}")
        return out

    def train(self, workspace, *words):
        """Returns the loss of each step."""
        self.run("-conf", self.job, *settings(*SETTINGS, f"cluster.workspace={workspace}", *words))
        rows = map(json.loads, (self.folder / workspace / "metrics.jsonl").open())
        return [row["loss"] for row in rows if row["phase"] == "train"]

    def train_in_all_ways(self):
        (self.folder / "examples/digits").mkdir(parents=True)
        self.run("data", "digits", "examples/digits/data")
        one = self.train("one")
        if len(one) != 20 or not one[-1] < one[0]:
            stop(f"one worker's losses are {one}")
        losses = {name: self.train(name, *[f"cluster.{word}" for word in words])
                  for name, words in DIVISIONS.items()}
        if any(other != losses["threads"] for other in losses.values()):
            stop(f"two workers' losses differ: {losses}")

    def predict(self):
        out = self.run("predict", "-conf", self.job, *settings("cluster.workspace=one"), "-topk",
                       "1", "examples/digits/data/t10k-images-idx3-ubyte")
        if len(out.splitlines()) < 1000:
            stop(f"singa predict prints\n{out}")

    def end_with_codes(self):
        self.run("nothing", code=2)
        self.run("-conf", self.job, *settings("train_steps=-1"), code=78)
        self.interrupt()
        self.interrupt(*[f"cluster.{word}" for word in PROCESSES])

    def interrupt(self, *words):
        """Sends SIGINT to a job that trains."""
        job = self.start("-conf", self.job, *settings("train_epochs=1000", *words))
        for line in job.stderr:
            if line.startswith("train step"):
                break
        job.send_signal(signal.SIGINT)
        _, err = job.communicate(timeout=60)
        if job.returncode != 130 or "to continue, type the same command" not in err:
            stop(f"a job ended with {job.returncode} after SIGINT:\n{err}")

    def show_board(self, libc):
        """Also finds out which libc a program has."""
        board = self.start("board", "one")
        url = board.stdout.readline().strip()
        with urllib.request.urlopen(url + "metrics", timeout=60) as answer:
            if b"singa_" not in answer.read():
                stop("singa board does not answer")
        with open(f"/proc/{board.pid}/maps") as file:
            own = "/libc/libc.so.6\n" in file.read()
        with open(f"/proc/{board.pid}/comm") as file:
            name = file.read().strip()
        board.send_signal(signal.SIGINT)
        board.communicate(timeout=60)
        if own != (libc == "own") or name != "singa":
            stop(f"the process {name} has {'its own' if own else 'the host'}'s libc, not {libc}")


def main(singa, job, libc):
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="singa-bundle-") as folder:
        jobs = Jobs(os.path.abspath(singa), os.path.abspath(job), folder)
        jobs.run("version")
        jobs.train_in_all_ways()
        jobs.predict()
        jobs.show_board(libc)
        jobs.end_with_codes()
    print(f"all jobs of {singa} by the libc \"{libc}\" did what they should, in "
          f"{time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[3] not in ("host", "own"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
