"""Reads what the program singa writes: the metrics and the checkpoints of a workspace.

    import singa
    run = singa.Workspace("singa-digits")
    print(run.rows(phase="test")[-1]["accuracy"])
    w1 = run.newest().params["w1"]      # a numpy array

Training, and all else, is the program's: `singa -conf job.conf`. Rows need only Python; columns and
tensors need numpy (`pip install 'singa[numpy]'`).
"""
from singa.checkpoint import Checkpoint, DamagedFile, TensorFile
from singa.workspace import Workspace

__all__ = ["Checkpoint", "DamagedFile", "TensorFile", "Workspace"]
