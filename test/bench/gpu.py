"""Reads the properties, memory and use of a GPU while a program runs. Benchmark scripts share this
part.

This is no script of its own. It needs nvidia-smi.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time

import singa_job


def check(binary, number):
    """Exits if `binary` would train on the CPU, or if no program can watch the GPU."""
    if not shutil.which("nvidia-smi"):
        sys.exit("MISSING: nvidia-smi, which tells a GPU's memory and use")
    out, _ = singa_job.run_process([os.path.abspath(binary), "doctor", "-json"])
    if f"GPU {number}" not in [found["name"] for found in json.loads(out)["checks"]]:
        sys.exit(f"{binary} finds no GPU {number}: `singa doctor` says why")


def query(number, *fields):
    """Returns nvidia-smi's value of each field, as text without units."""
    words = ["nvidia-smi", f"--id={number}", f"--query-gpu={','.join(fields)}",
             "--format=csv,noheader,nounits"]
    out = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return [field.strip() for field in out.strip().split(",")]


def number_of(text):
    try:
        return float(text)
    except ValueError:
        return float("nan")  # "[N/A]"


def describe(number):
    name, driver = query(number, "name", "driver_version")
    return f"{name}, driver {driver}"


class Watch:
    """Watch samples the GPU's memory and use in a `with`, some five times a second."""

    PERIOD_SECONDS = 0.1  # plus the time of nvidia-smi
    LAG_SECONDS = 1  # greatest age of the use that nvidia-smi reports

    def __init__(self, number):
        self.number = number
        self.samples = []  # (unix time, MiB in use, percent of the time that kernels ran)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.sample()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def run(self):
        while not self.ended.wait(self.PERIOD_SECONDS):
            self.sample()

    def sample(self):
        used, busy = query(self.number, "memory.used", "utilization.gpu")
        self.samples.append((time.time(), number_of(used), number_of(busy)))

    def mib(self):
        """Returns the most memory in use, less that before the `with`: tensors, libraries and
        all."""
        return max(used for _, used, _ in self.samples) - self.samples[0][1]

    def busy(self, since, until):
        """Returns the median share of the time between two unix times in which a kernel ran."""
        shares = [busy / 100 for when, _, busy in self.samples
                  if since + self.LAG_SECONDS <= when <= until]
        return statistics.median(shares) if shares else float("nan")
