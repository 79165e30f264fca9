#!/usr/bin/env python3
"""Makes a wheel of a build: the program with the libraries that it needs, the command `singa`, and
the Python package in tool/python, which reads workspaces.

usage: tool/wheel.py BUILD DIST; the wheel lies in the folder DIST and is named on stdout.

tool/bundle.sh collects the program and its libraries, with a glibc for hosts where it is older. The
wheel's tag is the oldest version of glibc where a test has run it (test/system/bundle_hosts.sh), and pip
refuses the wheel on older systems. Needs what tool/bundle.sh needs.
"""
import base64
import hashlib
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "tool/python/singa"
TAG = f"py3-none-manylinux_2_31_{platform.machine()}"
WHEEL = """Wheel-Version: 1.0
Generator: singa-wheel
Root-Is-Purelib: false
Tag: {tag}
"""
METADATA = """Metadata-Version: 2.1
Name: singa
Version: {version}
Summary: The training system SINGA: its program, and a reader of its workspaces
License: Apache-2.0
Requires-Python: >=3.8
Provides-Extra: numpy
Requires-Dist: numpy; extra == 'numpy'
Description-Content-Type: text/plain

This package has the program `singa` with all libraries that it needs, and the Python package
`singa`, which reads metrics and checkpoints. Training needs no Python: `singa --help`.
"""
ENTRY_POINTS = "[console_scripts]\nsinga = singa.program:main\n"


class Wheel:
    """A zip file whose files are listed, with their hashes, in its RECORD."""

    def __init__(self, path, info):
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._info = info
        self._record = []

    def add(self, name, data, mode=0o644):
        data = data.encode() if isinstance(data, str) else data
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # same files, same wheel
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100000 | mode) << 16
        self._zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(data)}\n")

    def add_info(self, name, data):
        self.add(f"{self._info}/{name}", data)

    def close(self):
        name = f"{self._info}/RECORD"
        self._zip.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)),
                           "".join(self._record) + f"{name},,\n")
        self._zip.close()


def make_wheel(bundle, dist):
    project = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    version = re.search(r"project\(singa VERSION ([\d.]+)", project)[1]
    path = dist / f"singa-{version}-{TAG}.whl"
    wheel = Wheel(path, f"singa-{version}.dist-info")
    for file in sorted(PACKAGE.glob("*.py")):
        wheel.add(f"singa/{file.name}", file.read_bytes())
    for file in sorted(bundle.rglob("*")):
        if file.is_file():
            mode = file.stat().st_mode & 0o777
            wheel.add(f"singa/bundle/{file.relative_to(bundle)}", file.read_bytes(), mode)
    wheel.add_info("METADATA", METADATA.format(version=version))
    wheel.add_info("WHEEL", WHEEL.format(tag=TAG))
    wheel.add_info("entry_points.txt", ENTRY_POINTS)
    wheel.add_info("LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.add_info("COPYRIGHT", (ROOT / "tool/package/copyright").read_bytes())
    wheel.close()
    return path


def main(build, dist):
    dist = pathlib.Path(dist)
    dist.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="singa-wheel-") as temporary:
        bundle = pathlib.Path(temporary) / "bundle"
        subprocess.run([ROOT / "tool/bundle.sh", build, bundle], check=True)
        print(make_wheel(bundle, dist))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except subprocess.CalledProcessError:
        sys.exit("tool/wheel.py: tool/bundle.sh failed; its message is above")
