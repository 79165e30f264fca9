#!/usr/bin/env bash
# Prints the share of each room's lines that unit tests run. Fails where it is below the room's floor.
# usage: tool/line_coverage.sh BUILD_DIR  (configured with SINGA_COVERAGE=ON, after its unit tests)
#
# Unit tests write BUILD_DIR/profiles; this removes them. Code that only a GPU or whole jobs run
# counts as not run. The floors are about two points below what the checked build ran.
set -euo pipefail
build=$1
source_dir=$(cd "$(dirname "$0")/.." && pwd)
floors="base=87 tensor=91 math=94 io=95 comm=94 nn=95 train=92 cluster=90 driver=84"

ls "$build"/profiles/*.profraw >/dev/null || {
  echo "no profiles in $build/profiles: run ctest --preset checked first" >&2
  exit 1
}
# A child that a test kills may leave a broken profile.
llvm-profdata-14 merge -sparse -failure-mode=all -o "$build/unit_tests.profdata" "$build"/profiles/*.profraw
rm -r "$build/profiles"
# test_driver has the objects of all rooms.
llvm-cov-14 export "$build/bin/test_driver" -instr-profile="$build/unit_tests.profdata" -summary-only |
  python3 -c '
import collections, json, os, pathlib, sys

# Names may be relative to the build, as ccache makes them.
root, build = pathlib.Path(sys.argv[1]), os.path.realpath(sys.argv[3])
floors = {room: float(floor) for room, floor in (one.split("=") for one in sys.argv[2].split())}
lines, run = collections.Counter(), collections.Counter()
for file in json.load(sys.stdin)["data"][0]["files"]:
    path = pathlib.Path(os.path.normpath(os.path.join(build, file["filename"])))
    if not path.is_relative_to(root / "src") and not path.is_relative_to(root / "include"):
        continue
    path = path.relative_to(root).parts
    room = path[2 if path[0] == "include" else 1]
    lines[room] += file["summary"]["lines"]["count"]
    run[room] += file["summary"]["lines"]["covered"]
low = []
for room, floor in floors.items():
    percent = 100 * run[room] / max(1, lines[room])
    print(f"{room}: {percent:.1f} % of {lines[room]} lines, at least {floor:g} %")
    if percent < floor:
        low.append(room)
if low:
    sys.exit("unit tests run too few lines of " + ", ".join(low))
' "$source_dir" "$floors" "$build"
