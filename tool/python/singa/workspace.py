"""The workspace of a job, while it runs or later: rows of metrics, and checkpoints."""
import json
import math
import pathlib
import re

from singa.checkpoint import Checkpoint

NUMBERS = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
TEXTS = ("phase", "layer", "host")  # fields of a row that are no numbers
FOLDER = re.compile(r"step(\d+)(\.old\.\w+)?")
# Every row has these fields.
HEAD = {"time": (int, float), "phase": (str,), "step": (int,), "group": (int,), "layer": (str,)}
MOST_ROW_BYTES = 1 << 20
MOST_GROUPS = 1 << 20


def _refuse(constant):
    raise ValueError(f"{constant} is no JSON")


def _float(text):
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is too large")
    return number


def _integer(text):
    """Returns an int if it has at most 64 bits, else a float."""
    if len(text) > 20:
        return _float(text)
    number = int(text)
    return number if -1 << 63 <= number < 1 << 64 else float(number)


def _number(value):
    return float(value) if type(value) in (int, float) else NUMBERS["nan"]


def _row(line):
    """Returns the row of a line; None: the line is no row. The program has the same rules, in
    src/io/metrics/read_rows.cc."""
    if len(line) > MOST_ROW_BYTES:
        return None
    try:
        row = json.loads(line.decode("utf-8"), parse_constant=_refuse, parse_float=_float,
                         parse_int=_integer)
        if b"\\u" in line:  # the escape of half a character is no text
            json.dumps(row, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None
    if any(type(row.get(name)) not in types for name, types in HEAD.items()):
        return None
    if not 0 <= row["group"] <= MOST_GROUPS or row["step"] >= 1 << 63:
        return None
    return {key: NUMBERS.get(value, value) if key not in TEXTS and isinstance(value, str) else value
            for key, value in row.items()}


class Workspace:
    """The folder `cluster.workspace` of a job.conf."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        if not self.path.is_dir():
            raise FileNotFoundError(f"{path}: no such folder")

    def rows(self, phase=None, layer=None):
        """Returns the rows of metrics.jsonl as dicts, in their order; of one phase (train, test,
        validate, process) and layer, if they are given. Lines that are no rows are left out, and
        a last line that has no end yet, of a job that runs."""
        try:
            data = (self.path / "metrics.jsonl").read_bytes()
        except FileNotFoundError:
            return []  # the job has just begun
        rows = filter(None, map(_row, data.split(b"\n")[:-1]))
        return [row for row in rows
                if phase in (None, row["phase"]) and layer in (None, row["layer"])]

    def columns(self, *names, phase=None, layer=None):
        """Returns name -> numpy array of the rows' numbers; NaN where a row has none, or another
        value."""
        import numpy
        rows = self.rows(phase, layer)
        return {name: numpy.array([_number(row.get(name)) for row in rows], dtype=float)
                for name in names}

    def _folders(self):
        """Returns the folders of checkpoints by rising step. The former checkpoint of a step (.old)
        counts as long as its successor is not there."""
        steps = {}
        for folder in sorted((self.path / "checkpoint").glob("step*"), reverse=True):
            match = FOLDER.fullmatch(folder.name)
            if match:
                steps[int(match[1])] = folder  # step8 comes after step8.old.x
        return [steps[step] for step in sorted(steps)]

    def checkpoints(self):
        """Returns the checkpoints by rising step."""
        return [Checkpoint(folder) for folder in self._folders()]

    def newest(self):
        """Returns the newest checkpoint; None: there is none."""
        folders = self._folders()
        return Checkpoint(folders[-1]) if folders else None

    def best(self):
        """Returns the checkpoint that checkpoint_best chose; None: there is none."""
        link = self.path / "checkpoint" / "best"
        return Checkpoint(link.resolve()) if link.exists() else None

    def __repr__(self):
        return f"Workspace({str(self.path)!r})"
