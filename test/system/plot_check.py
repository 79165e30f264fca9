#!/usr/bin/env python3
"""Draws curves of made-up rows by tool/plot: the same bytes twice, mistakes named.

usage: plot_check.py, under a Python that has matplotlib
"""
import json
import pathlib
import subprocess
import sys
import tempfile

PLOT = pathlib.Path(__file__).resolve().parents[2] / "tool/plot"


def rows():
    for step in range(5):
        yield {"phase": "train", "step": step, "layer": "loss", "loss": 2 / (step + 1)}
    yield {"phase": "train", "step": 5, "layer": "loss", "loss": "nan"}
    yield {"phase": "test", "step": 5, "layer": "loss", "loss": 0.5, "accuracy": 0.75}


def plot(*words):
    return subprocess.run([sys.executable, PLOT, *words], stderr=subprocess.PIPE, text=True,
                          check=False)


def main():
    with tempfile.TemporaryDirectory(prefix="singa-plot-") as folder:
        run = pathlib.Path(folder) / "run"
        run.mkdir()
        (run / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()))
        for name in ("a.svg", "b.svg", "c.png"):
            done = plot("-l", "-o", f"{folder}/{name}", str(run))
            assert done.returncode == 0, done.stderr
            assert done.stderr.endswith(f"wrote {folder}/{name}\n"), done.stderr
        first, second = (pathlib.Path(f"{folder}/{name}").read_bytes() for name in
                         ("a.svg", "b.svg"))
        assert first == second and b"</svg>" in first, "two drawings of one run differ"
        for words, text in ((["-m", "speed", str(run)], "no row has a speed"),
                            (["-o", "x.gif", str(run)], "must end in"),
                            ([f"{folder}/nowhere"], "No such file")):
            done = plot(*words)
            assert done.returncode != 0 and text in done.stderr, (words, done.stderr)
    print("curves are drawn, the same ones twice")


if __name__ == "__main__":
    main()
