"""Gives a check its own folder, processes of the real binary, and readers of their files."""
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

LIMIT_S = 300  # of each process; ample on the busiest machine
CHECKS = []

# `nohup` and a shell's `&` ignore these signals, and so would the jobs.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# No output may have these texts, whatever the job or its files hold.
CRASHES = ["Check failure stack trace", "internal error", "terminate called", "*** SIG",
           "Segmentation fault", "AddressSanitizer", "runtime error:", "    @     0x"]


class Failure(Exception):
    pass


def check(function):
    """Registers a check. Its name is the fact that it proves."""
    CHECKS.append(function)
    return function


def true(condition, what):
    if not condition:
        raise Failure(what)


def equal(found, expected, what):
    if found != expected:
        raise Failure(f"{what}: found {found!r}, expected {expected!r}")


def close(found, expected, tolerance, what):
    """Fails if the numbers differ by more. `tolerance` is relative."""
    if not abs(found - expected) <= tolerance * max(abs(found), abs(expected)):
        raise Failure(f"{what}: found {found!r}, expected {expected!r} within {tolerance:g}")


def has(text, part, what):
    if part not in text:
        raise Failure(f"{what}: no {part!r} in:\n{text}")


class Process:
    """Process is a running program. Its output is read as it comes."""

    def __init__(self, command, folder):
        self.command = command
        self.start = time.monotonic()
        self.first_output_s = None
        self._out, self._err = [], []
        cache = {"XDG_CACHE_HOME": f"{folder}/.cache"}
        self.popen = subprocess.Popen(command, cwd=folder, env=os.environ | cache, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._readers = [threading.Thread(target=self._read, args=args, daemon=True)
                         for args in ((self.popen.stdout, self._out),
                                      (self.popen.stderr, self._err))]
        for reader in self._readers:
            reader.start()

    def _read(self, pipe, parts):
        while part := pipe.read1(1 << 16):
            if self.first_output_s is None:
                self.first_output_s = time.monotonic() - self.start
            parts.append(part)

    @property
    def err(self):
        return b"".join(self._err).decode(errors="replace")

    @property
    def out(self):
        return b"".join(self._out).decode(errors="replace")

    def running(self):
        return self.popen.poll() is None

    def ends_within(self, seconds):
        try:
            self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def takes(self, number):
        """Returns whether a thread waits for the signal, which is blocked then."""
        status = pathlib.Path(f"/proc/{self.popen.pid}/status").read_text()
        blocked = re.search(r"^SigBlk:\s*(\w+)$", status, re.MULTILINE)
        return blocked is not None and int(blocked[1], 16) >> number - 1 & 1 == 1

    def send(self, number):
        self.popen.send_signal(number)

    def end_with_peak(self):
        """Waits for the end, which must be a good one. Returns the kernel's peak resident bytes."""
        ended = []

        def reap():
            pid, status, usage = os.wait4(self.popen.pid, os.WNOHANG)
            if pid:
                self.popen.returncode = os.waitstatus_to_exitcode(status)
                ended.append(usage.ru_maxrss * 1024)
            return ended

        end = self.start + LIMIT_S
        while not reap():
            true(time.monotonic() < end, f"did not end within {LIMIT_S} s")
            time.sleep(0.005)
        self.end(0)
        return ended[0]

    def own_memory(self):
        """Returns the bytes of the job's own memory, counted page by page; 0 if the job is ending.
        The kernel's quick counts (VmRSS) lag by up to 64 pages for each thread."""
        pages = pathlib.Path(f"/proc/{self.popen.pid}/smaps_rollup").read_text()
        lines = [line for line in pages.splitlines() if line.startswith("Anonymous:")]
        return int(lines[0].split()[1]) * 1024 if lines else 0

    def kill(self):
        """Ends it by SIGKILL if it has not ended."""
        if self.running():
            self.popen.kill()
        self.popen.wait()

    def end(self, code=None):
        """Waits for the end. `code`: the exit code it must have; None: any code but a crash's."""
        shown = " ".join(map(str, self.command))
        try:
            self.popen.wait(max(0.1, LIMIT_S - (time.monotonic() - self.start)))
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failure(f"{shown}: did not end within {LIMIT_S} s\n{self.err[-2000:]}") from None
        for reader in self._readers:
            reader.join()
        found = self.popen.returncode
        true(found >= 0, f"{shown}: ended by signal {-found}\n{self.err[-2000:]}")
        for crash in CRASHES:
            true(crash not in self.err, f"{shown}: shows a crash\n{self.err[-4000:]}")
        true(code is None or found == code,
             f"{shown}: exit code {found}, expected {code}\n{self.err[-2000:]}")
        return self

    def wait_until(self, fact, what):
        """Polls until fact() holds. Fails if the process ends first."""
        while not fact():
            true(self.running(), f"the job ended before {what}\n{self.err[-2000:]}")
            if time.monotonic() - self.start > LIMIT_S:
                raise Failure(f"{what}: not within {LIMIT_S} s\n{self.err[-2000:]}")
            time.sleep(0.001)


class Case:
    """Case is one run of one check. `site`: paths of binary, root of the sources, data (the
    digits)."""

    def __init__(self, site, folder):
        self.site = site
        self.folder = pathlib.Path(folder)
        self.note = ""  # a check's figures, shown below its line
        self._processes = []

    def path(self, name):
        return self.folder / name

    def write(self, name, content):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def start_program(self, command):
        process = Process(command, self.folder)
        self._processes.append(process)
        return process

    def start_users_program(self, *command):
        """Starts a program with a main() of its own as conf/guide/own_code.md says."""
        return self.start_program(["env", "GOMP_SPINCOUNT=2000", *map(str, command)])

    def start(self, *args):
        return self.start_program([str(self.site.binary), *map(str, args)])

    def run(self, *args, code=0):
        return self.start(*args).end(code)

    def train(self, conf, *args, code=0, workspace=None):
        """Runs a job to its end. Trainings print nothing on stdout."""
        process = self.start_job(conf, *args, workspace=workspace).end(code)
        equal(process.out, "", "stdout of a training")
        return process

    def start_job(self, conf, *args, workspace=None):
        """`conf`: the text of a job, or the name of a file that was written."""
        if "\n" in conf:
            self.write("job.conf", conf)
            conf = "job.conf"
        if workspace:
            args += ("-set", f"cluster.workspace={workspace}")
        return self.start("-conf", conf, *args)

    def end(self):
        for process in self._processes:
            process.kill()

    # The functions below read files that a job left in its workspace.

    def rows(self, workspace="ws", phase=None):
        """Returns the rows of metrics.jsonl, each checked to be strict JSON."""
        def refuse(word):
            raise Failure(f"metrics.jsonl holds the bare word {word}")
        text = self.path(f"{workspace}/metrics.jsonl").read_text()
        true(text.endswith("\n"), "metrics.jsonl ends within a line")
        rows = [json.loads(line, parse_constant=refuse) for line in text.splitlines()]
        return [row for row in rows if phase in (None, row["phase"])]

    def last_step(self, workspace="ws"):
        """Returns the last step in a job's rows; -1: there is none. The job may be writing a
        row."""
        path = self.path(f"{workspace}/metrics.jsonl")
        whole = path.read_text().split("\n")[:-1] if path.exists() else []
        return json.loads(whole[-1])["step"] if whole else -1

    def has_rows(self, workspace="ws"):
        path = self.path(f"{workspace}/metrics.jsonl")
        return path.exists() and path.stat().st_size > 0

    def steps(self, workspace="ws"):
        """Returns the steps of the committed checkpoints, ascending."""
        folder = self.path(f"{workspace}/checkpoint")
        names = [entry.name for entry in folder.iterdir()] if folder.exists() else []
        return sorted(int(name[4:]) for name in names
                      if name.startswith("step") and name[4:].isdigit())

    def growth(self, job, first, last):
        """Returns the bytes by which the job's own memory grows from `first` to `last`, two
        steps."""
        seen = []

        def sample(step):
            if self.last_step() < step:
                return False
            seen.append(job.own_memory())
            return seen[-1] > 0

        for step in (first, last):
            job.wait_until(lambda step=step: sample(step), f"step {step}")
        before, after = seen[0], seen[-1]
        self.note = (f"{before / 2**20:.1f} MiB after {first} steps, "
                     f"{(after - before) / 2**20:+.2f} later")
        return after - before

    def best(self, workspace="ws"):
        """Returns the name in the link checkpoint/best; None: there is no link."""
        link = self.path(f"{workspace}/checkpoint/best")
        return link.readlink().name if link.is_symlink() else None

    def newest(self, workspace="ws"):
        steps = self.steps(workspace)
        true(steps, f"{workspace} has no checkpoint")
        return self.path(f"{workspace}/checkpoint/step{steps[-1]}")


def same_bytes(a, b):
    """Fails if two checkpoint folders hold different values."""
    for name in ("model.safetensors", "state.safetensors"):
        true((a / name).read_bytes() == (b / name).read_bytes(),
             f"{name} of {a} and {b} differ in {differing_tensors(a / name, b / name)}")


def differing_tensors(a, b):
    first, second = tensors(a), tensors(b)
    return sorted(name for name in first.keys() | second.keys()
                  if first.get(name) != second.get(name))


def tensors(path):
    """Returns name -> (type, shape, bytes) of a safetensors file."""
    data = path.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    header.pop("__metadata__", None)
    return {name: (entry["dtype"], tuple(entry["shape"]),
                   data[begin + entry["data_offsets"][0]:begin + entry["data_offsets"][1]])
            for name, entry in header.items()}


def learned(rows):
    """Returns the results of training, without times."""
    return [tuple(row.get(key) for key in ("phase", "step", "layer", "loss", "accuracy"))
            for row in rows]
