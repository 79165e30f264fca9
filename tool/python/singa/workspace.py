"""The workspace of a job, while it runs or later: rows of metrics, and checkpoints."""
import json
import pathlib
import re

from singa.checkpoint import Checkpoint, DamagedFile

NUMBERS = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
TEXTS = ("phase", "layer", "host")  # fields of a row that are no numbers
FOLDER = re.compile(r"step(\d+)(\.old\.\w+)?")


class Workspace:
    """The folder `cluster.workspace` of a job.conf."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        if not self.path.is_dir():
            raise FileNotFoundError(f"{path}: no such folder")

    def rows(self, phase=None, layer=None):
        """Returns the rows of metrics.jsonl as dicts, in their order; of one phase (train, test,
        validate, process) and layer, if they are given. A line that is not complete yet, of a job
        that runs, is left out."""
        found = []
        try:
            data = (self.path / "metrics.jsonl").read_bytes()
        except FileNotFoundError:
            return found  # the job has just begun
        for number, line in enumerate(data.split(b"\n")[:-1], 1):
            try:
                row = json.loads(line)
                row = {key: NUMBERS.get(value, value) if key not in TEXTS and isinstance(value, str)
                       else value for key, value in row.items()}
            except (ValueError, AttributeError, RecursionError) as error:
                place = f"{self.path / 'metrics.jsonl'}:{number}"
                raise DamagedFile(f"{place}: no row: {error}") from None
            if phase in (None, row.get("phase")) and layer in (None, row.get("layer")):
                found.append(row)
        return found

    def columns(self, *names, phase=None, layer=None):
        """Returns name -> numpy array of the rows' numbers; NaN where a row has none."""
        import numpy
        rows = self.rows(phase, layer)
        return {name: numpy.array([row.get(name, NUMBERS["nan"]) for row in rows], dtype=float)
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
