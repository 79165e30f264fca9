"""Shares parts among checks of launchers: a job of two processes, and its undisturbed run."""
import os
import pathlib
import socket

import case
from job import ADAM, mlp
from process_checks import processes

STEPS = 3000  # long enough to be disturbed in the middle
JOB = f"train_steps: {STEPS} disp_freq: 50 checkpoint_freq: 50 checkpoint_keep: 2 seed: 3"
TWO = processes(2)


class LeftOut(Exception):
    """LeftOut says what this machine lacks for a check."""


def write_job(one):
    """Writes job.conf. The `expected` result is that of `singa` when it starts both processes."""
    one.write("job.conf", mlp(one.site.data, JOB, updater=ADAM, batch=48, hidden=512))


def expect_the_same(one, workspace="ws"):
    """Expects that `workspace` equals an undisturbed run, which is made once for all checks."""
    if not one.site.expected.exists():
        one.train("job.conf", *TWO, workspace=one.site.expected)
    case.equal(one.steps(workspace)[-1], STEPS, "last step")
    case.same_bytes(one.newest(workspace), one.newest(one.site.expected))


def reach(one, job, step, workspace="ws"):
    job.wait_until(lambda: max(one.steps(workspace), default=0) >= step, f"step {step}")


def launched(folder, variable="PMIX_NAMESPACE"):
    """Returns {value of `variable`: ids} of the processes of singa that work in `folder`."""
    found = {}
    for process in pathlib.Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            if (not (process / "cwd").resolve().is_relative_to(folder)
                    or (process / "exe").resolve().name != "singa"):
                continue
            words = (process / "environ").read_bytes().split(b"\0")
        except OSError:  # it has ended
            continue
        values = dict(word.decode(errors="replace").split("=", 1) for word in words if b"=" in word)
        found.setdefault(values.get(variable), []).append(int(process.name))
    return found


def process_of(one, variable, rank):
    ids = launched(one.folder.resolve(), variable).get(str(rank), [])
    case.equal(len(ids), 1, f"processes of rank {rank}")
    return ids[0]


def kill_all(folder, number):
    for ids in launched(folder).values():
        for process in ids:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass


RESERVED = []  # sockets that are bound and do not listen


def free_ports(count):
    """Returns ports that nobody listens on. Until this process ends, the system gives them to nobody
    else, and a socket with SO_REUSEADDR can listen there."""
    ports = []
    for _ in range(count):
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind(("127.0.0.1", 0))
        RESERVED.append(one)
        ports.append(one.getsockname()[1])
    return ports
