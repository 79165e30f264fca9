"""Runs a torch_job.py and asks it for figures. vs_torch.py and start.py share this part.

This is no script of its own.
"""
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile


LIMIT_SECONDS = 30  # for the end of a process


class TorchError(Exception):
    """TorchError has the last output of a torch_job.py that ended."""


class TorchProcess:
    """TorchProcess runs a torch_job.py in a `with`. `options`: torch_job.py's."""

    def __init__(self, net, folder, *options):
        words = [sys.executable, str(pathlib.Path(__file__).with_name("torch_job.py")), net,
                 str(folder), *options]
        self.words = words
        self.said = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.said, text=True)

    def ask(self, line):
        """Returns the answer as a dictionary. Throws TorchError if the process has ended."""
        try:
            self.process.stdin.write(f"{line}\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if answer:
            return json.loads(answer)
        status = self.process.wait()
        self.said.seek(0)
        raise TorchError(f"{' '.join(self.words)}\nended with {status}:\n{self.said.read()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()  # this ends it
        try:
            self.process.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.said.close()
