"""Several processes on this host, which `singa` starts and watches."""
import os
import pathlib
import time
from signal import SIGKILL, SIGTERM

from case import LIMIT_S, check, equal, has, learned, same_bytes, tensors, true
from group_checks import LARGE, OFTEN, furthest, workers
from job import ADAM, MOMENTUM, csv, dense, mlp


def processes(count, *settings, in_each=1):
    """`count` processes of `in_each` workers, one thread each."""
    return [word for setting in (f"cluster.nworkers_per_group={count * in_each}",
                                 f"cluster.nworkers_per_procs={in_each}",
                                 "num_openblas_threads=1") + settings
            for word in ("-set", setting)]


# Where the values live: all in the first process, spread over all, in processes of their own.
PLACES = {
    "sandblaster": (),
    "shared": ("cluster.nservers_per_group=2",),
    "separate": ("cluster.server_worker_separate=true", "cluster.nservers_per_group=2"),
    "all-reduce": ("cluster.all_reduce.compression=kNone",),
}


def children(job):
    """Processes by rank that are running, with their process ids."""
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
    case.train("job.conf", *processes(2, "cluster.nservers_per_group=2", in_each=2),
               workspace="four")
    worst = furthest(case.newest(), case.newest("four"))
    true(worst < 1e-5, f"ends {worst} off one worker")


@check
def a_row_for_each_process_says_what_it_did(case):
    conf = mlp(case.site.data, "train_steps: 20 disp_freq: 10", batch=47)
    case.train(conf, *processes(3, "cluster.nservers_per_group=3"))
    rows = case.rows(phase="process")
    equal([(row["step"], row["rank"]) for row in rows], [(s, r) for s in (0, 10) for r in range(3)],
          "rows of processes")
    for step in (0, 10):
        of_step = [row for row in rows if row["step"] == step]
        equal(sum(row["rows"] for row in of_step), 47, "rows of the batch")
        equal(sum(row["workers"] for row in of_step), 3, "workers")
        for row in of_step:
            true(row["step_ms"] > 0 and row["bytes_sent"] > 0 and row["bytes_received"] > 0,
                 f"row {row}")
    for row in case.rows(phase="train"):
        true(row["bytes_sent"] > 0, f"row {row}")


def disturbed(case, workspace, job, rank, number, after):
    """Sends a signal to the process of `rank` once the job has a checkpoint of step `after`."""
    job.wait_until(lambda: max(case.steps(workspace), default=0) >= after, f"step {after}")
    os.kill(children(job)[rank], number)


@check
def a_lost_process_is_started_again_and_the_job_ends_with_the_same_bytes(case):
    steps = "train_steps: 1500 disp_freq: 5 checkpoint_freq: 50 checkpoint_keep: 2 seed: 3"
    case.write("job.conf", mlp(case.site.data, steps, updater=ADAM, batch=48))
    args = processes(2, "cluster.server_worker_separate=true")
    case.train("job.conf", *args)
    for rank in range(3):  # a worker that leads, another, a server
        lost = f"lost{rank}"
        job = case.start_job("job.conf", *args, workspace=lost)
        disturbed(case, lost, job, rank, SIGKILL, 300)
        job.end(0)
        has(job.err, f"process {rank} was lost", "stderr")
        has(job.err, "resumed from", "stderr")
        same_bytes(case.newest(lost), case.newest())
        equal(learned(case.rows(lost, "train")), learned(case.rows(phase="train")),
              "rows of metrics.jsonl")


@check
def a_job_that_is_stopped_resumes_to_the_same_bytes(case):
    case.write("job.conf", mlp(case.site.data, OFTEN, updater=ADAM, batch=48))
    args = processes(2, "cluster.nservers_per_group=2")
    case.train("job.conf", *args)
    for attempt, step in enumerate((100, 333, 700)):
        job = case.start_job("job.conf", *["-resume"] * (attempt > 0), *args, workspace="ws-lost")
        job.wait_until(lambda step=step: case.last_step("ws-lost") >= step, f"step {step}")
        job.send(SIGTERM)
        job.end(143)
    case.train("job.conf", "-resume", *args, workspace="ws-lost")
    same_bytes(case.newest("ws-lost"), case.newest())


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
    err = case.train(conf, *processes(2), code=79).err
    equal(err.count(" is not finite"), 1, "errors")
    case.write("points.csv", "0,3e38,3e38,3e38,3e38\n" + "1,1,1,1,1\n2,2,1,1,1\n0,1,2,1,1\n" * 9)
    norm = dense("fc0", "data", 0, 3) + """
      layer { name: "norm" type: kBM srclayers: "fc0" }""" + dense("fc", "norm", 1, 3)
    for layers in (dense("fc", "data", 1, 3), norm):
        conf = csv("points.csv", "train_steps: 20 disp_freq: 20 on_nonfinite: kSkip", 2,
                   layers=layers)
        has(case.train(conf, *processes(2)).err, "; 1 skipped", "stderr")


SGD = "type: kSGD learning_rate { type: kFixed base_lr: 0.06 }"

# Worker groups of one worker each, in a process each: how they are kept together.
ASYNCHRONOUS = {
    "downpour": ("cluster.nservers_per_group=2", "cluster.server_worker_separate=true"),
    "bounded": ("cluster.max_staleness=2", "warmup_steps=10"),
    "master": ("cluster.nserver_groups=3", "cluster.sync_freq=5"),
    "ring": ("cluster.nserver_groups=3", "cluster.sync_freq=5", "cluster.group_sync=kRing"),
    "elastic": ("cluster.nserver_groups=3", "cluster.sync_freq=2",
                "cluster.group_sync=kElastic", "cluster.elastic_alpha=0.3"),
}


def groups(settings):
    return processes(1, "cluster.nworker_groups=3", *settings)


@check
def groups_in_processes_learn_and_go_on(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 900 disp_freq: 50 test_freq: 900",
                               updater=SGD, hidden=64, dropout=0))
    for name, settings in ASYNCHRONOUS.items():
        args = groups(settings)
        case.train("job.conf", "-set", "train_steps=420", *args, workspace=name)
        case.train("job.conf", "-resume", *args, workspace=name)
        accuracy = case.rows(name, phase="test")[-1]["accuracy"]
        case.note += f"{name} {accuracy:.4f} "
        # With a centre each group takes its own steps alone, a third as many as together.
        true(accuracy > (0.6 if name == "elastic" else 0.85), f"{name} learned {accuracy}")
        if name in ("master", "ring"):  # each group of servers counts its own updates
            for counted, (_, _, data) in tensors(case.newest(name) / "state.safetensors").items():
                if counted.endswith("/count"):
                    equal(int.from_bytes(data, "little"), 900, f"{name}: {counted}")
        for phase in ("train", "process"):
            for group in range(3):
                steps = [row["step"] for row in case.rows(name, phase) if row["group"] == group]
                equal(steps, list(range(0, 900, 50)), f"{name}: {phase} rows of group {group}")


@check
def the_best_checkpoint_of_groups_is_of_the_values_that_were_tested(case):
    best = "train_steps: 400 disp_freq: 100 test_freq: 40 checkpoint_best: 'accuracy'"
    case.write("job.conf", mlp(case.site.data, best, updater=SGD, hidden=64, dropout=0))
    kinds = {name: groups(ASYNCHRONOUS[name]) for name in ("downpour", "master", "elastic")}
    for name, args in {"hogwild": workers(1, 3), **kinds}.items():
        case.train("job.conf", *args, workspace=name)
        step = int(case.best(name)[4:])
        tested = [row for row in case.rows(name, "test") if row["step"] == step]
        case.run("-conf", "job.conf", "-test", "-set", f"cluster.workspace={name}-best",
                 "-set", f"checkpoint_path={name}/checkpoint/best")
        again = case.rows(f"{name}-best", "test")
        for key in ("accuracy", "loss"):
            equal(again[0][key], tested[0][key], f"{name}: {key} of the best checkpoint")


@check
def a_lost_group_goes_on_with_the_others(case):
    steps = "train_steps: 900 disp_freq: 10 test_freq: 900 checkpoint_freq: 50 checkpoint_keep: 2"
    case.write("job.conf", mlp(case.site.data, steps, updater=SGD, hidden=64, dropout=0))
    for rank in range(3):
        lost = f"lost{rank}"
        job = case.start_job("job.conf", *groups(ASYNCHRONOUS["master"]), workspace=lost)
        disturbed(case, lost, job, rank, SIGKILL, 150)
        job.end(0)
        has(job.err, f"process {rank} was lost", "stderr")
        for group in range(3):
            steps = [row["step"] for row in case.rows(lost, "train") if row["group"] == group]
            equal(steps, list(range(0, 900, 10)), f"rows of group {group}")
        true(case.rows(lost, "test")[-1]["accuracy"] > 0.85, "accuracy")


@check
def groups_in_processes_stop_for_a_signal_and_go_on_from_their_own_steps(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 2000 disp_freq: 20", batch=20))
    for name in ("downpour", "bounded", "ring"):
        job = case.start_job("job.conf", *groups(ASYNCHRONOUS[name]), workspace=name)
        job.wait_until(lambda name=name: case.last_step(name) > 100, "step 100")
        job.send(SIGTERM)
        job.end(143)
        case.train("job.conf", "-resume", *groups(ASYNCHRONOUS[name]), workspace=name)
        for group in range(3):
            steps = [row["step"] for row in case.rows(name, "train") if row["group"] == group]
            equal(sorted(set(steps)), steps, f"{name}: rows of group {group}")
            equal(steps[-1], 1980, f"{name}: last row of group {group}")


@check
def groups_in_processes_that_diverge_end_the_job(case):
    case.write("points.csv", "0,900,1,1,1\n1,1,800,1,1\n2,1,1,700,1\n")
    conf = csv("points.csv", "train_steps: 50 disp_freq: 1", 1, lr=1e37)
    has(case.train(conf, *groups(ASYNCHRONOUS["downpour"]), code=79).err, " is not finite", "stderr")
