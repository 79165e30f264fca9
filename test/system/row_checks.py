"""Rows of metrics.jsonl that say where a process runs."""
import json
import socket
from signal import SIGKILL, SIGTERM

from case import check, equal, true
from job import mlp
from process_checks import children, disturbed, processes
from process_group_checks import ASYNCHRONOUS, SGD, groups
from successor_checks import DOWNPOUR


def process_rows(case, workspace="ws"):
    """Of a job that is running, whose last line may not be whole."""
    path = case.path(f"{workspace}/metrics.jsonl")
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    return [row for row in map(json.loads, lines) if row["phase"] == "process"]


@check
def a_process_row_says_where_the_process_runs(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 200000 disp_freq: 10", updater=SGD))
    for name, args in (("one", processes(3)), ("groups", groups(ASYNCHRONOUS["master"]))):
        job = case.start_job("job.conf", *args, workspace=name)
        def ranks(name=name):
            return {row["rank"] for row in process_rows(case, name)}
        job.wait_until(lambda: len(ranks()) == 3, "a row of each process")
        running = children(job)
        job.send(SIGTERM)
        job.end(143)
        for row in case.rows(name, "process"):
            equal((row["host"], row["pid"]), (socket.gethostname(), running[row["rank"]]),
                  f"host and pid in {row}")
            true(isinstance(row["pid"], int), f"pid in {row}")
        for row in case.rows(name, "train"):
            true("host" not in row and "pid" not in row, f"row {row}")


@check
def the_rows_of_a_process_that_was_replaced_say_where_the_new_one_runs(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 200000 disp_freq: 10 seed: 3",
                               updater=SGD))

    def pids():
        return [row["pid"] for row in process_rows(case) if row["rank"] == 1]

    job = case.start_job("job.conf", *DOWNPOUR)
    job.wait_until(lambda: pids() and children(job).get(1), "a row of process 1")
    before = children(job)[1]
    disturbed(case, "ws", job, 1, SIGKILL, 0)
    job.wait_until(lambda: children(job).get(1, before) != before, "another process 1")
    job.wait_until(lambda: pids()[-1] != before, "a row of the new process 1")
    equal(pids()[-1], children(job)[1], "pid of the new process 1")
    job.send(SIGTERM)
    job.end(143)
