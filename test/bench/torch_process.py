"""A torch_job.py that runs and is asked for figures: the part that vs_torch.py and start.py share.

No script of its own.
"""
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile


LIMIT_SECONDS = 30  # for the end of a process


class TorchError(Exception):
    """What a torch_job.py said before it ended."""


class TorchProcess:
    """For a `with`. `options`: torch_job.py's."""

    def __init__(self, net, folder, *options):
        words = [sys.executable, str(pathlib.Path(__file__).with_name("torch_job.py")), net,
                 str(folder), *options]
        self.words = words
        self.said = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.said, text=True)

    def ask(self, line):
        """The answer as a dictionary. Throws TorchError where the process has ended."""
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
            self.process.stdin.close()  # which ends it
        try:
            self.process.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.said.close()
