#!/usr/bin/env python3
"""Trains examples/digits/job.conf on two workers in each of the five topologies. The workers are
threads, processes that singa starts, or processes that mpirun starts. Each job must reach 0.96 in
its test, and its rows must say that two workers computed.

usage: topologies.py BINARY [WORD of a topology or a kind]...
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

LEAST, LIMIT_S, EPOCHS, WORKERS = 0.96, 300, 4, 2
ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPOLOGIES = {
    # One group has its values on servers.
    "sandblaster": ["nworkers_per_group=2", "nservers_per_group=2", "share_memory=false"],
    # One group shares memory between its processes.
    "one host": ["nworkers_per_group=2"],
    # One group has no servers.
    "all-reduce": ["nworkers_per_group=2", "all_reduce.compression=kNone"],
    # Groups of one worker share one group of servers.
    "downpour": ["nworker_groups=2", "nservers_per_group=2", "share_memory=false"],
    # Groups of one worker have values of their own, which a ring keeps in sync.
    "hogwild": ["nworker_groups=2", "nserver_groups=2", "sync_freq=4", "group_sync=kRing",
                "share_memory=false"],
}
KINDS = ["threads", "processes", "mpirun"]


def command(binary, topology, kind):
    each = WORKERS if kind == "threads" else 1
    sets = [*TOPOLOGIES[topology], f"nworkers_per_procs={each}", f"nservers_per_procs={each}"]
    if topology == "all-reduce" and kind != "threads":
        sets.append("share_memory=false")  # as on several hosts
    words = [binary, "-conf", ROOT / "examples/digits/job.conf", "-set",
             f"train_epochs={EPOCHS}", "-set", "num_openblas_threads=1"]
    for setting in sets:
        words += ["-set", f"cluster.{setting}"]
    if kind != "mpirun":
        return words
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(WORKERS), *words]


def check(binary, folder, topology, kind):
    """Returns a line about a failure; None: there is none."""
    shutil.rmtree(folder / "singa-digits", ignore_errors=True)
    start = time.monotonic()
    run = subprocess.run(command(binary, topology, kind), cwd=folder, timeout=LIMIT_S,
                         capture_output=True, text=True)
    if run.returncode != 0:
        return f"exit code {run.returncode}\n{run.stderr[-3000:]}"
    rows = [json.loads(line) for line in
            (folder / "singa-digits/metrics.jsonl").read_text().splitlines()]
    accuracy = [row["accuracy"] for row in rows if row["phase"] == "test"][-1]
    sent = sum(row["bytes_sent"] for row in rows if row["phase"] == "train")
    print(f"{topology:12} {kind:10} accuracy {accuracy:.4f}, {sent / 2**20:.0f} MiB sent, "
          f"{time.monotonic() - start:.0f} s", flush=True)
    if accuracy < LEAST:
        return f"its test reaches {accuracy}, not {LEAST}"
    who = "2 groups" if "nworker_groups=2" in TOPOLOGIES[topology] else "2 workers"
    if who not in run.stderr:
        return "it does not say that two train"
    if kind == "threads":
        return "threads send bytes" if sent > 0 else None
    shares = [row for row in rows if row["phase"] == "process"]
    if {row["rank"] for row in shares} != {0, 1} or min(row["workers"] for row in shares) < 1:
        return f"rows of processes: {shares[:4]}"
    least = 1 if topology == "one host" else 1 << 20
    return None if sent >= least else f"processes send {sent} bytes"


def main(binary, words):
    binary = pathlib.Path(binary).resolve()
    failures = 0
    if not shutil.which("mpirun"):
        print("LEFT OUT: no mpirun", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="singa-topologies-") as name:
        folder = pathlib.Path(name)
        home = folder / "examples/digits"  # the conf's paths are relative to the repository's root
        home.mkdir(parents=True)
        subprocess.run([binary, "data", "digits", home / "data"], check=True)
        for kind in KINDS:
            for topology in TOPOLOGIES:
                asked = not words or any(word in (topology, kind) for word in words)
                if not asked or (kind == "mpirun" and not shutil.which("mpirun")):
                    continue
                wrong = check(binary, folder, topology, kind)
                failures += wrong is not None
                if wrong:
                    print(f"FAIL {topology} {kind}: {wrong}", flush=True)
    return failures > 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
