#!/usr/bin/env python3
"""Measures `singa board` on a workspace of many rows: the first answer, and what following costs.

usage: python3 test/bench/board.py BINARY [--rows 1000000] [--seconds 20]
       Exit 1 if a target is missed: the first rows in 1 s, following in 5 % of a core.
needs: a quiet machine

A run of two layers and four processes writes six rows a step. Following asks for runs and new rows
twice a second, while six rows come each time, as the page does.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

FIRST_S, SHARE = 1.0, 0.05
PER_STEP = 6


def lines_of(step):
    """Returns the rows of one step."""
    place = {"time": 1.7e9 + step, "step": step, "group": 0}
    speed = {"samples_per_second": 3211.5, "step_ms": 19.9253, "data_wait_ms": 0.2114, "bytes_sent": 4096.0,
             "lr": 0.01, "epoch": step // 100}
    rows = [{**place, "phase": "train", "layer": layer, "loss": 2.3 / (1 + step / 1e4),
             "accuracy": 0.5, **speed} for layer in ("loss", "loss2")]
    rows += [{**place, "phase": "process", "layer": "", "host": "node1", "pid": 77, "rank": float(rank),
              "workers": 1.0, "rows": 16.0, "step_ms": 19.9, "compute_ms": 15.2, "sync_wait_ms": 4.4,
              "data_wait_ms": 0.3, "bytes_sent": 4096.0, "bytes_received": 4096.0, "memory_mb": 80.5}
             for rank in range(PER_STEP - 2)]
    return "".join(json.dumps(row) + "\n" for row in rows)


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ask(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)


def main():
    parser = argparse.ArgumentParser(description="the cost of singa board")
    parser.add_argument("binary")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=20)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="singa-board-") as folder:
        path = pathlib.Path(folder) / "metrics.jsonl"
        steps = args.rows // PER_STEP
        with open(path, "w", encoding="utf-8") as file:
            for step in range(steps):
                file.write(lines_of(step))
        size = path.stat().st_size / 1e6
        start = time.monotonic()
        with subprocess.Popen([args.binary, "board", folder], stdout=subprocess.PIPE, text=True) as board:
            url = board.stdout.readline().strip()
            ready = time.monotonic()
            ask(url + "api/runs")
            known = time.monotonic()
            rows = ask(url + "api/rows?run=0&after=0")
            end = time.monotonic()
            first = end - start
            print(f"{steps * PER_STEP} rows, {size:.0f} MB: URL {ready - start:.2f} s, runs "
                  f"{known - ready:.2f} s, {len(rows['rows'])} rows {end - known:.2f} s, all {first:.2f} s")
            before, begin, after = cpu_seconds(board.pid), time.monotonic(), rows["next"]
            while time.monotonic() - begin < args.seconds:
                with open(path, "a", encoding="utf-8") as file:
                    file.write(lines_of(steps))
                steps += 1
                ask(url + "api/runs")
                after = ask(f"{url}api/rows?run=0&after={after}")["next"]
                time.sleep(0.5)
            share = (cpu_seconds(board.pid) - before) / (time.monotonic() - begin)
            memory = pathlib.Path(f"/proc/{board.pid}/status").read_text().split("VmHWM:")[1].split()[0]
            print(f"following: {100 * share:.2f} % of a core; at most {int(memory) / 1024:.0f} MiB of memory")
            board.terminate()
    return 0 if first <= FIRST_S and share <= SHARE else 1


if __name__ == "__main__":
    sys.exit(main())
