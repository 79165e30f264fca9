#!/usr/bin/env python3
"""Builds the wheel, installs it into a virtual environment by pip, trains the digits example by its
command, and reads the workspace by its Python package. Runs bundle_jobs.py by the bundle's own libc.

usage: wheel_check.py BUILD; columns and tensors are checked where this Python has numpy
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import case

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOB = ROOT / "examples/digits/job.conf"
# Runs in the virtual environment; prints what the package reads as JSON.
READER = """
import json, singa
run = singa.Workspace("singa-digits")
rows = run.rows(phase="train")
newest = run.newest()
print(json.dumps({"losses": [row["loss"] for row in rows],
                  "steps": [one.step for one in run.checkpoints()],
                  "params": {name: [newest.params.shape(name), newest.params.raw(name).hex()]
                             for name in newest.params}}))
"""
ARRAYS = """
import numpy, singa
run = singa.Workspace("singa-digits")
columns = run.columns("loss", "accuracy", "none", phase="train")
assert columns["loss"].shape == (20,) and numpy.isfinite(columns["loss"]).all(), columns
assert numpy.isnan(columns["none"]).all(), columns
w1, newest = run.newest().params["w1"], run.newest()
assert w1.dtype == numpy.float32 and w1.shape == (16, 25), (w1.dtype, w1.shape)
assert w1.tobytes() == newest.params.raw("w1") and 0.1 < w1.std() < 0.4, w1.std()
assert newest.state["updater/w1/count"] == 20, newest.state["updater/w1/count"]
loss = singa.Workspace("damaged").columns("loss")["loss"]  # of DAMAGED_ROWS
assert numpy.array_equal(loss, [*[numpy.nan] * 6, 1e30, -numpy.inf], equal_nan=True), loss
"""
# Damaged lines are left out, as the program leaves them out.
DAMAGED_ROWS = r"""
import math, pathlib, singa
place = pathlib.Path("damaged/metrics.jsonl")
place.parent.mkdir()
row = '{"time":1.5,"phase":"train","step":%s,"group":0,"layer":"loss","loss":"nan"}'
bad = (b"", b"{", b"[]", b"7", b"\xff\xfe", b"[" * 100_000, b'{"step":1}',
       (row % 2)[:30].encode(), (row % "NaN").encode(), (row % "2.5").encode(), (row % "true").encode(),
       (row % 2).replace('"group":0', '"group":-1').encode(), (row % 2).encode() + b" " * (1 << 20),
       (row % (1 << 63)).encode(), (row % (1 << 64)).encode(), (row % -(1 << 70)).encode(),
       *[(row % 2).replace('"nan"', value).encode() for value in ("9" * 400, "1e400", r'"\ud800"')])
odd = [(row % 3).replace('"nan"', value).encode()
       for value in ('"x"', "[1]", "true", "null", r'"\ud83d\ude00"', "9" * 30, '"-inf"')]
place.write_bytes(b"\n".join([(row % 1).encode(), *bad, *odd, (row % 4).encode()]))
rows = singa.Workspace("damaged").rows()
assert [one["step"] for one in rows] == [1] + [3] * 7, rows  # the last line has no end
assert math.isnan(rows[0]["loss"]), rows
"""
# A file that lies about its header is an error that names it, not a crash or a large allocation.
DAMAGED = """
import pathlib, singa
for data in (b"", bytes(7), (1 << 62).to_bytes(8, "little"), (2).to_bytes(8, "little") + b"[]",
             (9).to_bytes(8, "little") + b'{"a": {}}',
             (70).to_bytes(8, "little")
             + b'{"a": {"dtype": "U8", "shape": [-2, -2], "data_offsets": [0, 4]}}'.ljust(70) + bytes(4),
             (70).to_bytes(8, "little")
             + b'{"a": {"dtype": "F32", "shape": [9], "data_offsets": [0, 36]}}'.ljust(70)):
    pathlib.Path("damaged.safetensors").write_bytes(data)
    try:
        singa.TensorFile("damaged.safetensors")
    except singa.DamagedFile as error:
        assert "damaged.safetensors: " in str(error), error
    else:
        raise AssertionError(f"{data} was read")
"""


def make_environment(build, folder):
    wheel = subprocess.run([ROOT / "tool/wheel.py", build, folder / "dist"], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.strip()
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    pip = [folder / "venv/bin/pip", "-q", "install", "--no-index", "--no-deps"]
    subprocess.run([*pip, wheel], check=True)
    return folder / "venv/bin"


def run(folder, *words, **more):
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), **more}
    done = subprocess.run(list(map(str, words)), cwd=folder, env=environment, capture_output=True,
                          text=True, timeout=120, check=False)
    case.equal(done.returncode, 0, f"exit code of {words}:\n{done.stderr}")
    return done.stdout


def train(folder, singa):
    case.has(run(folder, singa, "--version"), "singa 0.", "singa --version")
    (folder / "examples/digits").mkdir(parents=True)
    run(folder, singa, "data", "digits", "examples/digits/data")
    run(folder, singa, "-conf", JOB, "-set", "train_epochs=0",
        "-set", "train_steps=20", "-set", "disp_freq=1", "-set", "checkpoint_freq=10")


def check_reader(folder, python):
    seen = json.loads(run(folder, python, "-c", READER))
    lines = (folder / "singa-digits/metrics.jsonl").read_text().splitlines()
    losses = [row["loss"] for row in map(json.loads, lines) if row["phase"] == "train"]
    case.equal(seen["losses"], losses, "losses of metrics.jsonl")
    case.equal(seen["steps"], [10, 20], "steps of the checkpoints")
    expected = case.tensors(folder / "singa-digits/checkpoint/step20/model.safetensors")
    case.equal(seen["params"], {name: [list(shape), data.hex()]
                                for name, (_, shape, data) in expected.items()}, "params")
    run(folder, python, "-c", DAMAGED_ROWS)
    run(folder, python, "-c", DAMAGED)


def check_arrays(folder, python):
    try:
        import numpy
    except ImportError:
        print("LEFT OUT: columns and tensors of the wheel's package: this Python has no numpy",
              file=sys.stderr)
        return
    place = pathlib.Path(numpy.__file__).parents[1]
    run(folder, python, "-c", ARRAYS, PYTHONPATH=str(place))


def check_licenses(bundle):
    for name in ("singa", "libc6", "libstdc++6", "libzmq5", "common-licenses/GPL-3"):
        text = bundle / "licenses" / name
        case.true(text.is_file() and text.stat().st_size > 0, f"the bundle lacks {text}")


def use_own_libc(folder, bundle):
    """Makes the bundle believe that this host's glibc is too old."""
    (bundle / "GLIBC").write_text("999.0\n")
    jobs = pathlib.Path(__file__).with_name("bundle_jobs.py")
    run(folder, sys.executable, jobs, folder / "venv/bin/singa", JOB, "own")


def main(build):
    with tempfile.TemporaryDirectory(prefix="singa-wheel-") as temporary:
        folder = pathlib.Path(temporary)
        programs = make_environment(os.path.abspath(build), folder)
        train(folder, programs / "singa")
        check_reader(folder, programs / "python")
        check_arrays(folder, programs / "python")
        [bundle] = folder.glob("venv/lib/python*/site-packages/singa/bundle")
        check_licenses(bundle)
        use_own_libc(folder, bundle)
    print("the wheel was installed, trained and read")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
