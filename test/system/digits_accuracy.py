#!/usr/bin/env python3
"""Trains examples/digits/job.conf as it stands, on digits drawn afresh; its test must reach 0.97.

usage: digits_accuracy.py BINARY
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

LEAST, LIMIT_S = 0.97, 300
ROOT = pathlib.Path(__file__).resolve().parents[2]


def main(binary):
    binary = pathlib.Path(binary).resolve()
    with tempfile.TemporaryDirectory(prefix="singa-digits-") as folder:
        # The conf's paths are relative to the repository's root.
        home = pathlib.Path(folder) / "examples/digits"
        home.mkdir(parents=True)
        subprocess.run([binary, "data", "digits", home / "data"], check=True)
        start = time.monotonic()
        subprocess.run([binary, "-conf", ROOT / "examples/digits/job.conf"], cwd=folder,
                       timeout=LIMIT_S, check=True)
        seconds = time.monotonic() - start
        rows = (pathlib.Path(folder) / "singa-digits/metrics.jsonl").read_text().splitlines()
    accuracy = [json.loads(row) for row in rows if '"test"' in row][-1]["accuracy"]
    print(f"test accuracy {accuracy} after {seconds:.0f} s; at least {LEAST} is asked for")
    return accuracy < LEAST


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
