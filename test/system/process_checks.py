"""Checks several processes on this host, which `singa` starts and watches."""
import os
import pathlib
import re
import time
from signal import SIGKILL, SIGSTOP, SIGTERM

from case import LIMIT_S, check, equal, has, learned, same_bytes, true
from group_checks import LARGE, OFTEN, furthest, workers
from job import ADAM, MOMENTUM, WIDE, ZERO, csv, dense, mlp


def processes(count, *settings, in_each=1):
    """Returns settings of `count` processes of `in_each` workers, one thread each."""
    return [word for setting in (f"cluster.nworkers_per_group={count * in_each}",
                                 f"cluster.nworkers_per_procs={in_each}",
                                 "num_openblas_threads=1") + settings
            for word in ("-set", setting)]


APART = "cluster.share_memory=false"  # as on several hosts: processes have servers, and send all

# The values live in memory that all share; or at servers of the first process, of all processes, or
# of separate processes.
PLACES = {
    "shared": (),
    "sandblaster": (APART,),
    "spread": (APART, "cluster.nservers_per_group=2"),
    "separate": ("cluster.server_worker_separate=true", "cluster.nservers_per_group=2"),
    "all-reduce": (APART, "cluster.all_reduce.compression=kNone"),
}


def children(job):
    """Returns the running processes by rank, with their process ids."""
    found = {}
    pid = job.popen.pid
    for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        try:
            words = pathlib.Path(f"/proc/{child}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        for word in words:
            if word.startswith(b"SINGA_PROCESS="):
                found[int(word[14:].split(b"/")[0])] = int(child)
    return found


@check
def processes_compute_what_one_worker_does_and_the_same_bytes_each_time(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 20 disp_freq: 1", **LARGE))
    case.train("job.conf")
    for place, settings in PLACES.items():
        args = processes(2, *settings)
        case.train("job.conf", *args, workspace=place)
        case.train("job.conf", *args, workspace="again")
        same_bytes(case.newest(place), case.newest("again"))
        worst = furthest(case.newest(), case.newest(place))
        case.note += f"{place}: {worst:.1e} off; "
        true(worst < 1e-5, f"{place}: ends {worst} off one worker")
        for one, several in zip(case.rows(phase="train"), case.rows(place, "train")):
            true(abs(one["loss"] - several["loss"]) < 1e-5, f"rows {one} and {several}")


@check
def processes_of_several_workers_each_compute_what_one_worker_does(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 20 disp_freq: 1",
                               updater=MOMENTUM + " clip_norm: 0.5", **LARGE))
    case.train("job.conf")
    for place in ("shared", "spread"):
        case.train("job.conf", *processes(2, *PLACES[place], in_each=2), workspace=place)
        worst = furthest(case.newest(), case.newest(place))
        true(worst < 1e-5, f"{place}: ends {worst} off one worker")


@check
def processes_that_share_memory_compute_the_bytes_of_threads(case):
    nets = {"large": {}, "clipped": dict(updater=MOMENTUM + " clip_norm: 0.5"),
            "adam": dict(updater=ADAM)}
    for name, net in nets.items():
        steps = "train_steps: 20 disp_freq: 1"
        case.write("job.conf", mlp(case.site.data, steps, **LARGE, **net))
        case.train("job.conf", *workers(4), "-set", "num_openblas_threads=1", workspace=name)
        for count, each in ((2, 2), (4, 1)):
            case.train("job.conf", *processes(count, in_each=each), workspace="apart")
            same_bytes(case.newest("apart"), case.newest(name))


@check
def a_row_for_each_process_says_what_it_did(case):
    conf = mlp(case.site.data, "train_steps: 20 disp_freq: 10", batch=47)
    weights = 4 * 784 * 16  # bytes; processes apart send as many
    for settings, apart in (((), False), ((APART, "cluster.nservers_per_group=3"), True)):
        case.train(conf, *processes(3, *settings))
        expect_process_rows(case, lambda sent, apart=apart: (sent >= weights) == apart)


def expect_process_rows(case, fits):
    rows = case.rows(phase="process")
    equal([(row["step"], row["rank"]) for row in rows], [(s, r) for s in (0, 10) for r in range(3)],
          "rows of processes")
    for step in (0, 10):
        of_step = [row for row in rows if row["step"] == step]
        equal(sum(row["rows"] for row in of_step), 47, "rows of the batch")
        equal(sum(row["workers"] for row in of_step), 3, "workers")
        for row in of_step:
            true(row["step_ms"] > 0, f"row {row}")
    for row in rows[3:]:  # in step 0 some bytes are still under way
        true(fits(row["bytes_sent"]) and fits(row["bytes_received"]), f"row {row}")
    true(fits(case.rows(phase="train")[1]["bytes_sent"] / 3), "bytes of the train row")


def disturbed(case, workspace, job, rank, number, after):
    """Sends a signal to the process of `rank` once the job has a checkpoint of step `after`."""
    job.wait_until(lambda: max(case.steps(workspace), default=0) >= after, f"step {after}")
    os.kill(children(job)[rank], number)


def cores_of(job):
    """Returns the cores on which the first thread of each process may run."""
    return [os.sched_getaffinity(pid) for _, pid in sorted(children(job).items())]


def start_on(cores, case, *words):
    """Starts job.conf on these cores."""
    return case.start_program(["taskset", "-c", ",".join(map(str, cores)), case.site.binary, "-conf", "job.conf",
                               *words])


@check
def processes_have_their_own_cores_if_their_workers_use_all(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 100000 disp_freq: 10", batch=60))
    two = set(sorted(os.sched_getaffinity(0))[:2])
    if len(two) == 1:
        case.note = "LEFT OUT: the machine has one core"
        return
    for count in (2, 3):
        name = str(count)
        job = start_on(two, case, *processes(count), "-set", f"cluster.workspace={name}")
        job.wait_until(lambda name=name: case.last_step(name) >= 100, "step 100")
        found = cores_of(job)
        if count > 2:
            equal(found, [two] * count, "cores of processes that compete")
        else:
            equal([len(cores) for cores in found], [1] * count, "cores of a process")
            equal(set().union(*found), two, "cores of all")
        job.send(SIGTERM)
        job.end()


@check
def a_lost_process_is_started_again_and_the_job_ends_with_the_same_bytes(case):
    steps = "train_steps: 1500 disp_freq: 5 checkpoint_freq: 50 checkpoint_keep: 2 seed: 3"
    case.write("job.conf", mlp(case.site.data, steps, updater=ADAM, batch=48))
    # The ranks are a leading worker, another one, and a server; then workers that share memory.
    for name, settings, ranks in (("apart", PLACES["separate"], 3), ("shared", (), 2)):
        args = processes(2, *settings)
        case.train("job.conf", *args, workspace=name)
        for rank in range(ranks):
            lost = f"{name}{rank}"
            job = case.start_job("job.conf", *args, workspace=lost)
            disturbed(case, lost, job, rank, SIGKILL, 300)
            job.end(0)
            has(job.err, f"process {rank} was lost", "stderr")
            has(job.err, "resumed from", "stderr")
            same_bytes(case.newest(lost), case.newest(name))
            equal(learned(case.rows(lost, "train")), learned(case.rows(name, "train")),
                  "rows of metrics.jsonl")


@check
def a_process_that_stands_still_is_named_and_the_job_ends(case):
    case.write("job.conf", mlp(case.site.data, OFTEN, updater=ADAM, batch=48))
    for place in ("shared", "spread"):
        for rank in (0, 1):
            still = f"{place}{rank}"
            job = case.start_job("job.conf", *processes(2, *PLACES[place]),
                                 "-set", "cluster.peer_timeout=2",
                                 "-set", "cluster.max_restarts=0", workspace=still)
            job.wait_until(lambda still=still: case.last_step(still) >= 100, "step 100")
            os.kill(children(job)[rank], SIGSTOP)
            job.end(170)
            named = rf"error: process {rank} \(.*\) was lost: (no answer|not heard) for "
            true(re.search(named, job.err), f"stderr does not say who was lost: {job.err}")


@check
def a_job_that_is_stopped_resumes_to_the_same_bytes(case):
    case.write("job.conf", mlp(case.site.data, OFTEN, updater=ADAM, batch=48))
    for place in ("shared", "spread"):
        args, stopped = processes(2, *PLACES[place]), f"{place}-stopped"
        case.train("job.conf", *args, workspace=place)
        for attempt, step in enumerate((100, 333, 700)):
            job = case.start_job("job.conf", *["-resume"] * (attempt > 0), *args, workspace=stopped)
            job.wait_until(lambda step=step: case.last_step(stopped) >= step, f"step {step}")
            job.send(SIGTERM)
            job.end(143)
        case.train("job.conf", "-resume", *args, workspace=stopped)
        same_bytes(case.newest(stopped), case.newest(place))


@check
def any_process_that_is_asked_to_end_ends_the_job(case):
    case.write("job.conf", mlp(case.site.data, OFTEN, updater=ADAM, batch=48))
    args = processes(2, "cluster.server_worker_separate=true")
    case.train("job.conf", *args)
    for rank in range(3):
        ended = f"ended{rank}"
        job = case.start_job("job.conf", *args, workspace=ended)
        job.wait_until(lambda ended=ended: case.last_step(ended) >= 100, "step 100")
        os.kill(children(job)[rank], SIGTERM)
        job.end(143)
        has(job.err, "stopped by a signal", "stderr")
        case.train("job.conf", "-resume", *args, workspace=ended)
        same_bytes(case.newest(ended), case.newest())


def runs(pid):
    try:
        return " Z " not in pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


@check
def nobody_is_left_when_the_job_is_killed(case):
    conf = mlp(case.site.data, "train_steps: 1000000 disp_freq: 1")
    job = case.start_job(conf, *processes(2))
    job.wait_until(lambda: len(children(job)) == 2, "two processes")
    pids = list(children(job).values())
    job.kill()
    end = time.monotonic() + LIMIT_S
    while any(runs(pid) for pid in pids):
        true(time.monotonic() < end, f"one of the processes {pids} still runs")


@check
def a_checkpoint_of_processes_goes_on_as_threads_and_back(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 40 disp_freq: 1"))
    case.train("job.conf")
    for steps, args in ((15, processes(3)), (25, workers(2)), (40, processes(2))):
        case.train("job.conf", "-resume", "-set", f"train_steps={steps}", *args,
                   workspace="moved")
    true(furthest(case.newest(), case.newest("moved")) < 1e-5, "the job went another way")


@check
def processes_that_diverge_say_it_once(case):
    case.write("points.csv", "0,900,1,1,1\n1,1,800,1,1\n2,1,1,700,1\n")
    conf = csv("points.csv", "train_steps: 50 disp_freq: 1", 3, lr=1e37)
    for settings in ((), (APART,)):
        err = case.train(conf, *processes(2, *settings), code=79).err
        equal(err.count(" is not finite"), 1, "errors")
    case.write("points.csv", "0,3e38,3e38,3e38,3e38\n" + "1,1,1,1,1\n2,2,1,1,1\n0,1,2,1,1\n" * 9)
    norm = dense("fc0", "data", 0, 3) + """
      layer { name: "norm" type: kBM srclayers: "fc0" }""" + dense("fc", "norm", 1, 3)
    for layers in (dense("fc", "data", 1, 3), norm):
        conf = csv("points.csv", "train_steps: 20 disp_freq: 20 on_nonfinite: kSkip", 2,
                   layers=layers)
        for settings in ((), (APART,)):
            has(case.train(conf, *processes(2, *settings)).err, "; 1 skipped", "stderr")


def job_that_overflows(case, before=0):
    """Returns a job with a gradient that is not finite at the second of two workers, after `before` steps. The weight of
    the first layer is 0, so the worker's large record has a finite loss. Records before it are 0, and leave the weight."""
    case.write("points.csv", "0,0,0,0,0\n" * (2 * before + 1) + "0,3.4e38,3.4e38,0,0\n")
    layers = dense("hidden", "data", 1, 3, ZERO) + dense("fc", "hidden", 2, 3, WIDE)
    return csv("points.csv", f"train_steps: {before + 2} disp_freq: 1", 2, lr=2e-38, layers=layers)


@check
def each_mode_names_the_worker_whose_gradient_is_not_finite(case):
    conf = job_that_overflows(case)
    says = 'step 0: the gradient of param "w1" of layer "hidden" is not finite, at worker 1'
    modes = {"threads": processes(1, in_each=2), "shared memory": processes(2), "servers": processes(2, APART)}
    for name in ("kTopK", "kPowerSGD", "kPartial"):
        modes[name] = processes(2, APART, f"cluster.all_reduce.compression={name}")
    for mode, settings in modes.items():
        text = says + ("" if mode == "threads" else ", in process 1")
        has(case.train(conf, *settings, code=79).err, text, f"stderr with {mode}")
        err = case.train(conf, *settings, "-set", "on_nonfinite=kSkip").err
        has(err, text + "; the step is skipped", f"stderr with {mode} and kSkip")
        if mode not in ("threads", "shared memory"):
            has(err, "step 0: a loss or gradient is not finite, in process 1; the step is skipped",
                f"stderr of process 0 with {mode}")


@check
def each_mode_names_the_worker_whose_piece_of_a_gradient_is_not_finite(case):
    """The gradient of w2 is large, and is added up in pieces."""
    case.write("points.csv", "0,1,0,0,0\n" * 3 + "0,3.4e38,0,0,0\n")
    layers = (dense("one", "data", 1, 600, "init { type: kConstant value: 1 }") + dense("two", "one", 2, 600, ZERO)
              + dense("fc", "two", 3, 3, WIDE))
    conf = csv("points.csv", "train_steps: 2 disp_freq: 1", 4, layers=layers)
    says = 'step 0: the gradient of param "w2" of layer "two" is not finite, at worker '
    for where, settings in (("1", processes(1, in_each=2)), ("1, in process 1", processes(2)),
                            ("3, in process 1", processes(2, in_each=2)),
                            ("3, in process 1", processes(2, APART, in_each=2))):
        has(case.train(conf, *settings, code=79).err, f"{says}{where}\n", f"stderr with {settings}")
