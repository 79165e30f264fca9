#!/usr/bin/env python3
"""Trains examples/digits/job.conf as it stands, on digits drawn afresh; its test must reach 0.97.
Then features.conf writes the net's features of each test digit. Nine digits of ten must lie nearest
to the mean of their own class.

usage: digits_accuracy.py BINARY
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

LEAST, LEAST_NEAREST, LIMIT_S = 0.97, 0.9, 300
DIGITS, FEATURES = 2000, 128
ROOT = pathlib.Path(__file__).resolve().parents[2]


def share_nearest(path):
    """Returns the share of lines label,f1,f2,... that are nearest to the mean of their label."""
    rows = [[float(x) for x in line.split(",")] for line in path.read_text().splitlines()]
    assert len(rows) == DIGITS and {len(row) for row in rows} == {1 + FEATURES}, path
    members = {}
    for label, *features in rows:
        members.setdefault(label, []).append(features)
    means = {label: [sum(column) / len(group) for column in zip(*group)]
             for label, group in members.items()}

    def distance(features, label):
        return sum((x - y) ** 2 for x, y in zip(features, means[label]))
    hits = sum(min(means, key=lambda label: distance(features, label)) == own
               for own, *features in rows)
    return hits / len(rows)


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
        subprocess.run([binary, "-conf", ROOT / "examples/digits/features.conf", "-test"],
                       cwd=folder, timeout=LIMIT_S, check=True)
        nearest = share_nearest(pathlib.Path(folder) / "singa-digits/features.csv")
    accuracy = [json.loads(row) for row in rows if '"test"' in row][-1]["accuracy"]
    print(f"test accuracy {accuracy} after {seconds:.0f} s; at least {LEAST} is asked for; nearest "
          f"to their class's mean feature: {nearest}, at least {LEAST_NEAREST}")
    return accuracy < LEAST or nearest < LEAST_NEAREST


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
