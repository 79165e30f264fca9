"""Checks rows of metrics.jsonl about the norm of the gradient, and about the host of a process."""
import json
import math
import socket
from signal import SIGKILL, SIGTERM

from case import check, close, equal, tensors, true
from group_checks import floats, workers
from job import mlp
from process_checks import PLACES, children, disturbed, processes
from process_group_checks import ASYNCHRONOUS, SGD, groups
from replacement_checks import DOWNPOUR

CLIPPED = SGD + " clip_norm: 0.1"
RATE = 0.06


def norms(case, workspace="ws", group=0):
    return [row["grad_norm"] for row in case.rows(workspace, "train") if row["group"] == group]


def moved(before, after):
    """Returns the distance of two checkpoints' params."""
    first, second = (tensors(path / "model.safetensors") for path in (before, after))
    return math.sqrt(sum((a - b) ** 2 for name, (_, _, data) in first.items()
                         for a, b in zip(floats(data), floats(second[name][2]))))


@check
def a_training_row_has_the_norm_of_the_gradient_where_it_is_bounded(case):
    every = "train_steps: 4 disp_freq: 1 checkpoint_freq: 1"
    case.write("job.conf", mlp(case.site.data, every, updater=CLIPPED))
    case.train("job.conf", "-set", "updater.clip_norm=1e9")
    steps = case.path("ws/checkpoint")
    for row in case.rows(phase="train")[1:]:
        step = row["step"]
        length = moved(steps / f"step{step}", steps / f"step{step + 1}") / RATE
        close(row["grad_norm"], length, 1e-4, f"norm of step {step}")
    true(norms(case)[0] > 0.1, f"the norm of step 0, {norms(case)[0]}, is not bounded")
    case.train("job.conf", workspace="bounded")
    close(moved(*(case.path(f"bounded/checkpoint/step{n}") for n in (1, 2))), 0.1 * RATE, 1e-3,
          "a bounded step")
    equal(norms(case, "bounded")[0], norms(case)[0], "norm of the same gradient")
    case.train("job.conf", "-set", "updater.clip_norm=0", workspace="free")
    true(all("grad_norm" not in row for row in case.rows("free")), "a norm without clip_norm")


@check
def the_norm_is_the_same_wherever_workers_and_servers_are(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 20 disp_freq: 3", updater=CLIPPED,
                               batch=48))
    case.train("job.conf", *workers(4), workspace="threads")
    expected = norms(case, "threads")
    equal(len(expected), 7, "rows")
    for place, settings in PLACES.items():
        for count, each in ((4, 1), (2, 2)):
            case.train("job.conf", *processes(count, *settings, in_each=each), workspace=place)
            found = norms(case, place)
            equal(len(found), 7, f"rows of {place}")
            for ours, theirs in zip(found, expected):
                close(ours, theirs, 1e-6, f"{place}, {count} processes: norm")


@check
def each_asynchronous_group_tells_its_own_norm(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 40 disp_freq: 10", updater=CLIPPED))
    kinds = {name: groups(settings) for name, settings in ASYNCHRONOUS.items()}
    for name, args in {"hogwild": workers(1, 3), **kinds}.items():
        case.train("job.conf", *args, workspace=name)
        for group in range(3):
            found = norms(case, name, group)
            equal(len(found), 4, f"{name}: rows of group {group}")
            true(all(0 < norm < 100 for norm in found), f"{name}: norms {found} of group {group}")


@check
def a_skipped_step_has_no_norm(case):
    diverges = CLIPPED.replace("base_lr: 0.06", "base_lr: 1e38").replace("0.1", "1e30")
    case.write("job.conf", mlp(case.site.data, "train_steps: 3 disp_freq: 1 on_nonfinite: kSkip",
                               updater=diverges))
    for args in ((), processes(2), processes(2, *PLACES["sandblaster"])):
        case.train("job.conf", *args)
        found = norms(case)
        true(found[0] > 0, f"norms {found}")
        equal(found[1:], ["nan", "nan"], "norms of skipped steps")


def process_rows(case, workspace="ws"):
    """Reads rows of a running job, whose last line may not be whole."""
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
