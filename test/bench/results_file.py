"""Writes a section of test/bench/results.md: the part that the benchmark scripts share.

This is no script of its own. A section stands between "<!-- begin NAME -->" and "<!-- end NAME
-->".
"""
import datetime
import os
import pathlib
import re
import shlex
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
RESULTS = pathlib.Path(__file__).with_name("results.md")


def git(*words):
    """Returns git's output; "" if git is missing, or this is no repository."""
    try:
        return subprocess.run(["git", "-C", str(REPOSITORY), *words], capture_output=True,
                              text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def commit():
    """Returns the commit's short name. It ends with + if files other than results.md have changed
    since.

    If the programs were built elsewhere, SINGA_COMMIT names the commit.
    """
    changed = git("status", "--porcelain", "--", ".", ":!test/bench/results.md")
    here = git("rev-parse", "--short", "HEAD") or "unknown"
    return os.environ.get("SINGA_COMMIT") or here + ("+" if changed else "")


def cpu():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    return f"{model.group(1) if model else 'unknown CPU'}, {os.cpu_count()} cores"


class Conditions:
    """Conditions are those of a measurement. Made before the first measurement."""

    def __init__(self):
        self.load = os.getloadavg()[0]

    def lines(self):
        words = [os.path.relpath(sys.argv[0], REPOSITORY), *sys.argv[1:]]
        now = datetime.datetime.now().strftime("%Y-%m-%d %H:%M")
        return [f"Commit {commit()}, {now}; {cpu()}; load average {self.load:.2f} before, "
                f"{os.getloadavg()[0]:.2f} after.", "", f"    python3 {shlex.join(words)}", ""]


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return ["| " + " | ".join(map(str, line)) + " |" for line in lines]


def cut(section, file=RESULTS):
    """Returns a file up to a section's first mark, and from its last one on.

    Exits if the section has no marks. Call it before the section's figures are measured.
    """
    begin, end = f"<!-- begin {section} -->", f"<!-- end {section} -->"
    head, found, rest = file.read_text(encoding="utf-8").partition(begin)
    _, found_end, tail = rest.partition(end)
    if not found or not found_end:
        sys.exit(f"{file} has no {begin} ... {end}")
    return head + begin, end + tail


def report(section, conditions, lines, write):
    """Prints the section; with `write`, also puts it into results.md."""
    lines = [*conditions.lines(), *lines]
    print("\n".join(lines))
    if write:
        write_table(RESULTS, lines, section)


def write_table(file, lines, section="table"):
    """Puts the lines between the section's marks of a text."""
    head, tail = cut(section, file)
    file.write_text("\n".join([head, *lines, tail]), encoding="utf-8")
