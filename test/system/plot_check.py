#!/usr/bin/env python3
"""Draws curves of made-up rows and a report by tool/plot: the same bytes twice, over each axis, mistakes named.

usage: plot_check.py, under a Python that has matplotlib
"""
import json
import pathlib
import runpy
import shutil
import subprocess
import sys
import tempfile

PLOT = pathlib.Path(__file__).resolve().parents[2] / "tool/plot"


def rows():
    for step in range(5):
        yield {"time": 100 + 0.5 * step, "phase": "train", "step": step, "layer": "loss", "loss": 2 / (step + 1)}
        if step % 2 == 0:
            for rank in range(2):
                yield {"time": 100 + 0.5 * step, "phase": "process", "step": step, "rank": rank, "bytes_sent": 2e6}
    yield {"time": 103, "phase": "train", "step": 5, "layer": "loss", "loss": "nan"}
    yield {"time": 103, "phase": "test", "step": 5, "layer": "loss", "loss": 0.5, "accuracy": 0.75}


def check_axes():
    """Each axis gives a row its place."""
    axes = runpy.run_path(str(PLOT))["AXES"]
    made = list(rows())
    trained = [row for row in made if row["phase"] != "process"]
    for axis, places in (("step", [0, 1, 2, 3, 4, 5, 5]), ("seconds", [0, 0.5, 1, 1.5, 2, 3, 3]),
                         ("megabytes", [4, 4, 8, 8, 12, 12, 12])):
        place = axes[axis](made)
        found = [place(row) for row in trained]
        assert found == places, (axis, found)


def plot(*words):
    return subprocess.run([sys.executable, PLOT, *words], stderr=subprocess.PIPE, text=True,
                          check=False)


def check_many(folder, run):
    """Two axes of many runs have one legend, with the runs' names below their folder."""
    runs = []
    for number in range(12):
        runs.append(f"{folder}/many/run{number}")
        shutil.copytree(run, runs[-1])
    many = pathlib.Path(folder, "many.svg")
    done = plot("-p", "test", "-m", "accuracy", "-x", "seconds,megabytes", "-y", "0.5,1", "-o", str(many), *runs)
    assert done.returncode == 0, done.stderr
    text = many.read_text()
    for words in ("seconds", "megabytes", *(f"run{number}" for number in range(12))):
        assert text.count(f"<!-- {words} -->") == 1, words


def check_report(folder):
    """A report has a matrix with names, if it is not too large, and a reliability diagram."""
    bins = [{"low": i / 15, "high": (i + 1) / 15, "records": 0, "probability": None, "accuracy": None}
            for i in range(15)]
    bins[10].update(records=3, probability=0.7, accuracy=2 / 3)
    report = {"kind": "classes", "records": 3, "calibration_error": 0.0333, "calibration_bins": bins,
              "classes": [{"name": "cat"}, {"name": "dog"}], "confusion": [[1, 1], [0, 1]]}
    path = pathlib.Path(folder, "report.json")
    drawings = [pathlib.Path(folder, name) for name in ("report1.svg", "report2.svg")]
    for drawing in drawings:
        path.write_text(json.dumps(report))
        done = plot("-o", str(drawing), "-t", "cats", str(path))
        assert done.returncode == 0, done.stderr
    first, second = (drawing.read_text() for drawing in drawings)
    assert first == second, "two drawings of one report differ"
    for words in ("cats", "cat", "dog", "predicted class", "expected calibration error 0.0333"):
        assert f"<!-- {words} -->" in first, words
    path.write_text(json.dumps(report | {"confusion": None}))
    done = plot("-o", str(drawings[0]), str(path))
    assert done.returncode == 0, done.stderr
    assert "<!-- predicted class -->" not in drawings[0].read_text(), "a matrix without counts"
    formula = report | {"classes": [{"name": "$\\x$"}, {"name": "dog"}]}  # no formula of matplotlib
    path.write_text(json.dumps(formula))
    done = plot("-o", str(drawings[0]), str(path))
    assert done.returncode == 0, done.stderr
    for content, text in (("{}", "is no report of classes"), ('{"kind": "classes"}', "is no report of classes"),
                          ("text", "is no report: ")):
        path.write_text(content)
        done = plot(str(path))
        assert done.returncode != 0 and text in done.stderr, done.stderr


def main():
    check_axes()
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
        drawings = {axis: pathlib.Path(folder, f"{axis}.svg") for axis in ("step", "seconds", "megabytes")}
        for axis, drawing in drawings.items():
            done = plot("-x", axis, "-m", "loss,bytes_sent", "-o", str(drawing), str(run))
            assert done.returncode == 0, done.stderr
        assert len({drawing.read_bytes() for drawing in drawings.values()}) == len(drawings), "axes look alike"
        check_many(folder, run)
        check_report(folder)
        for words, text in ((["-m", "speed", str(run)], "no row has a speed"),
                            (["-o", "x.gif", str(run)], "must end in"),
                            (["-x", "seconds,miles", str(run)], "must be of step, seconds, megabytes, is miles"),
                            (["-p", "testing", str(run)], "must be of train, test, validate, process, is testing"),
                            (["-y", "0.9", str(run)], "must be LOW,HIGH, is 0.9"),
                            ([f"{folder}/nowhere"], "No such file")):
            done = plot(*words)
            assert done.returncode != 0 and text in done.stderr, (words, done.stderr)
    print("curves and a report are drawn, the same ones twice")


if __name__ == "__main__":
    main()
