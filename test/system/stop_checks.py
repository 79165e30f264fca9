"""Checks a signal to a job that is busy for long: it loads, reads a batch of millions of rows, or
tests. No check measures time: the work would last longer than a check may."""
import os
import shutil
import signal

from case import check, equal, has, true
from group_checks import workers
from job import csv, mlp
from meeting_checks import endpoint_file, start
from process_checks import APART, processes

FOR_EVER = "delay:1000000000"
MANY_ROWS = 6_000_000
SETTINGS = "train_steps: 20 disp_freq: 1 seed: 3"
TOPOLOGIES = {"one": (), "threads": workers(2), "memory": processes(2),
              "tcp": processes(2, APART)}


def at_failpoint(job, name):
    job.wait_until(lambda: name in job.err, name)
    return job


@check
def a_signal_ends_a_job_while_it_loads(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        for words in TOPOLOGIES.values():
            job = at_failpoint(start(case, *words, failpoints=f"leader_loads/0={FOR_EVER}"),
                               "leader_loads")
            job.send(number)
            has(job.end(code).err, "stopped by a signal before the first step", "stderr")
    job = at_failpoint(start(case, *processes(2), rank=0,
                             failpoints=f"leader_loads/0={FOR_EVER}"), "leader_loads")
    job.send(signal.SIGTERM)
    job.end(143)
    true(not endpoint_file(case).exists(), "the files of the start are left")
    case.train("job.conf", "-resume")


def long_batches(case, train, test):
    """Returns a job whose batches have so many rows, the same three again and again."""
    case.write("points.csv", "0,1,2,3,4\n1,2,3,4,1\n2,4,1,2,3\n")
    conf = csv("points.csv", f"{SETTINGS} test_freq: 10 test_steps: 1", train)
    of_train = 'name: "data" type: kCSVInput'
    of_test = f"""{of_train} include: kTest
    store_conf {{ path: "points.csv" batchsize: {test} shape: 4 }}
  }}
  layer {{
    """
    return conf.replace(of_train, f"{of_test}{of_train} include: kTrain")


@check
def a_signal_does_not_wait_for_a_batch_that_is_read_for_long(case):
    for train, test in ((MANY_ROWS, 10), (10, MANY_ROWS)):
        case.write("job.conf", long_batches(case, train, test))
        for name, words in TOPOLOGIES.items():
            workspace = f"{name}{train}"
            job = start(case, *words, workspace=workspace)
            graph = case.path(f"{workspace}/visualization/train_net.dot")
            job.wait_until(graph.exists, "the first batch")
            job.send(signal.SIGTERM)
            has(job.end(143).err, "stopped by a signal", "stderr")
            rows = case.rows(workspace) if case.has_rows(workspace) else []
            phase = "train" if train == MANY_ROWS else "test"
            equal([row for row in rows if row["phase"] == phase], [], f"rows of {name}")


@check
def a_signal_ends_a_command_that_is_process_1(case):
    """In a container the system passes on only the signals that a program handles."""
    if not shutil.which("unshare") or os.geteuid() != 0:
        case.note = "LEFT OUT: needs root and unshare"
        return
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    case.train("job.conf")
    os.mkfifo(case.path("pipe"))
    for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        job = case.start_program(
            ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
             'exec "$@" <>pipe', "sh", case.site.binary, "predict", "-conf", "job.conf", "-batch",
             "1", "-"])
        with open(case.path("pipe"), "r+b", buffering=0) as pipe:
            pipe.write(b"0," * 783 + b"0\n")
            job.wait_until(lambda job=job: job.out.count("\n") == 2, "the first line")
        children = case.path("/proc") / f"{job.popen.pid}/task/{job.popen.pid}/children"
        os.kill(int(children.read_text().split()[0]), number)
        job.end(code)
