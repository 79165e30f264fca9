"""Checks jobs with few descriptors, and strangers who use them up by connections."""
import os
import pathlib
import socket

from case import check, has, same_bytes, true
from job import mlp
from process_checks import APART, children, processes

SETTINGS = "train_steps: 600 disp_freq: 5 checkpoint_freq: 20 checkpoint_keep: 2 seed: 3"
TWO = processes(2, APART)
FEW = 256
STRANGERS = 1000
HALF_A_GREETING = b"\xff" + b"\0" * 8 + b"\x7f\x03"


def limited(case, files, *args, workspace):
    return case.start_program(["prlimit", f"--nofile={files}:{files}", case.site.binary, "-conf",
                               "job.conf", *TWO, "-set", f"cluster.workspace={workspace}", *args])


def port_of(pid):
    """Returns the port that a process of the job listens on; 0: none yet."""
    try:
        table = pathlib.Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
        own = {os.readlink(link) for link in pathlib.Path(f"/proc/{pid}/fd").iterdir()}
    except OSError:  # it has ended
        return 0
    for line in table:
        words = line.split()
        if words[3] == "0A" and f"socket:[{words[9]}]" in own:
            return int(words[1].split(":")[1], 16)
    return 0


class Flood:
    """Flood is connections that stay open and send only `words`."""

    def __init__(self, words):
        self._words = words
        self._open = []

    def come(self, port, count):
        for _ in range(count):
            peer = socket.socket()
            peer.settimeout(0.2)
            try:
                peer.connect(("127.0.0.1", port))
                peer.send(self._words)
            except OSError:  # it was cut off
                pass
            self._open.append(peer)

    def go(self):
        for peer in self._open:
            peer.close()
        self._open = []


@check
def strangers_who_connect_take_no_descriptors_that_a_job_needs(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    case.train("job.conf", *TWO, workspace="quiet")
    for name, words in (("silent", b""), ("begun", HALF_A_GREETING)):
        job = limited(case, FEW, workspace=name)
        job.wait_until(lambda job=job: port_of(children(job).get(0, 0)), "the port of process 0")
        flood = Flood(words)
        flood.come(port_of(children(job)[0]), STRANGERS // 2)  # before all have met
        job.wait_until(lambda name=name: case.last_step(name) >= 50, "step 50")
        flood.come(port_of(children(job)[0]), STRANGERS)
        job.end(0)
        flood.go()
        true("lost" not in job.err and "Too many open files" not in job.err, job.err)
        same_bytes(case.newest(name), case.newest("quiet"))


@check
def too_few_descriptors_are_an_error_that_names_the_limit(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    for files in (24, 30, 60):
        err = limited(case, files, workspace="few").end(73).err
        has(err, "RLIMIT_NOFILE", "stderr")
        has(err, f" is {files}; raise it: ulimit -n ", "stderr")


@check
def the_soft_limit_of_descriptors_is_raised(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    job = case.start_program(["prlimit", "--nofile=40:4096", case.site.binary, "-conf", "job.conf",
                              *TWO])
    job.end(0)


@check
def a_picture_that_too_few_descriptors_prevent_says_so(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    job = case.start_program(["prlimit", "--nofile=4:4", case.site.binary, "graph", "-svg",
                              "job.conf"])
    has(job.end(73).err, "cannot start `dot`: Too many open files; limits: ", "stderr")
