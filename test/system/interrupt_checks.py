"""Checks signals to a job that trains, and a second Ctrl-C."""
import os
import signal
import time

from case import LIMIT_S, check, equal, has, true
from job import mlp
from process_checks import children, processes

SETTINGS = "train_steps: 100000000 disp_freq: 1 seed: 3"
STOPS = "singa: the job stops after this step, with a checkpoint; Ctrl-C again ends it at once\n"
AT_ONCE = ("singa: ending at once, without a checkpoint; -resume goes on from the last one, if there "
           "is one\n")
TOPOLOGIES = {"one": (), "memory": processes(2)}


def start(case, workspace, words, failpoints=""):
    env = ["env", f"SINGA_FAILPOINTS={failpoints}"]
    job = case.start_program([*env, case.site.binary, "-conf", "job.conf", "-set",
                              f"cluster.workspace={workspace}", *words])
    job.wait_until(lambda: case.has_rows(workspace), "the first row")
    return job


@check
def a_ctrl_c_that_is_delivered_twice_stops_the_job_with_a_checkpoint(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    for workspace, words in TOPOLOGIES.items():
        job = start(case, workspace, words)
        for _ in range(2):
            job.send(signal.SIGINT)
        job.end(130)
        equal(len(case.steps(workspace)), 1, "checkpoints")
        equal((job.err.count(STOPS), job.err.count(AT_ONCE)), (1, 0), f"answers in\n{job.err}")


@check
def a_second_ctrl_c_ends_the_job_without_a_checkpoint(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    point = "checkpoint_before_rename"  # of the checkpoint that the first one asks for
    for workspace, words in TOPOLOGIES.items():
        job = start(case, workspace, words, f"{point}=delay:1000000000")
        pids = list(children(job).values())
        job.send(signal.SIGINT)
        job.wait_until(lambda job=job: point in job.err, "the checkpoint")
        while not job.ends_within(0.1):
            job.send(signal.SIGINT)
        job.end(130)
        equal(case.steps(workspace), [], "checkpoints")
        equal((job.err.count(STOPS), job.err.count(AT_ONCE)), (1, 1), f"answers in\n{job.err}")
        true(not [pid for pid in pids if os.path.exists(f"/proc/{pid}")], "processes are left")


def fill(pipe):
    writer = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    try:
        while True:
            os.write(writer, b"x")
    except BlockingIOError:
        os.close(writer)


@check
def a_second_ctrl_c_ends_a_job_whose_output_nobody_reads(case):
    """The output goes to a pipe, as in `singa ... 2>&1 | less` while less shows its first page."""
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    os.mkfifo(case.path("pipe"))
    for workspace, words in TOPOLOGIES.items():
        reader = os.open(case.path("pipe"), os.O_RDONLY | os.O_NONBLOCK)
        job = case.start_program(["sh", "-c", 'exec "$@" 2>pipe', "sh", case.site.binary, "-conf",
                                  "job.conf", "-set", f"cluster.workspace={workspace}", *words])
        job.wait_until(lambda workspace=workspace: case.has_rows(workspace), "the first row")
        fill(case.path("pipe"))
        while not job.ends_within(0.1):
            true(time.monotonic() - job.start < LIMIT_S, "Ctrl-C does not end the job")
            job.send(signal.SIGINT)
        job.end(130)
        os.close(reader)


@check
def a_ctrl_c_before_the_first_step_promises_no_checkpoint(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    for words in TOPOLOGIES.values():
        job = case.start_program(["env", "SINGA_FAILPOINTS=leader_loads/0=delay:1000000000",
                                  case.site.binary, "-conf", "job.conf", *words])
        job.wait_until(lambda job=job: "leader_loads" in job.err, "the load")
        job.send(signal.SIGINT)
        has(job.end(130).err, "stopped by a signal before the first step", "stderr")
        equal(job.err.count(STOPS), 0, "promises")


@check
def a_job_whose_output_nobody_reads_for_long_is_not_stalled(case):
    """The output is read again after several times the job's stall_timeout."""
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    os.mkfifo(case.path("pipe"))
    reader = os.open(case.path("pipe"), os.O_RDONLY | os.O_NONBLOCK)
    job = case.start_program(["sh", "-c", 'exec "$@" 2>pipe', "sh", case.site.binary, "-conf",
                              "job.conf", "-set", "cluster.stall_timeout=1"])
    job.wait_until(lambda: case.has_rows("ws"), "the first row")
    fill(case.path("pipe"))
    true(not job.ends_within(4), "the job ended while nobody read its output")
    job.send(signal.SIGTERM)
    while not job.ends_within(0.01):
        true(time.monotonic() - job.start < LIMIT_S, "the job goes on")
        try:
            os.read(reader, 1 << 16)
        except BlockingIOError:
            pass
    job.end(143)
    os.close(reader)
    equal(len(case.steps()), 1, "checkpoints")
