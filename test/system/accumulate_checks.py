"""Checks steps of several batches (accumulate_steps)."""
import signal

from case import check, equal, has, same_bytes, true
from gpu_group_checks import NORM, two
from gpu_group_checks import train as train_on_gpus
from group_checks import furthest, workers
from job import ADAM, FIVES, MOMENTUM, csv, dense, mlp
from meeting_checks import start
from process_checks import APART, PLACES, processes

BATCHES = "accumulate_steps=4"


def divided_net(case, settings="train_steps: 20 disp_freq: 1", batch=13, **net):
    """Writes a job whose batch is a quarter of a step."""
    return mlp(case.site.data, settings, batch=batch, dropout=0, **net)


def rows_are_close(case, first, second):
    for a, b in zip(case.rows(first, "train"), case.rows(second, "train")):
        true(abs(a["loss"] - b["loss"]) < 1e-5, f"rows {a} and {b}")
        equal(a["epoch"], b["epoch"], "epochs")
        equal(a["lr"], b["lr"], "learning rates")


@check
def several_batches_of_a_step_are_one_batch_so_many_times_as_large(case):
    places = {"alone": [], "threads": workers(2), "shared": processes(2), "servers": processes(2, *PLACES["spread"]),
              "all-reduce": processes(2, *PLACES["all-reduce"])}
    for rule in (MOMENTUM + " clip_norm: 0.5", ADAM):
        case.write("job.conf", divided_net(case, batch=52, updater=rule))
        case.train("job.conf", workspace="large")
        case.write("job.conf", divided_net(case, updater=rule))
        for place, args in places.items():
            case.train("job.conf", *args, "-set", BATCHES, workspace=place)
            worst = furthest(case.newest("large"), case.newest(place))
            true(worst < 1e-5, f"{place}: ends {worst} off one large batch")
            rows_are_close(case, "large", place)


@check
def several_batches_of_a_step_on_gpus_are_one_large_batch(case):
    case.write("job.conf", divided_net(case, batch=52))
    case.train("job.conf", workspace="large")
    case.write("job.conf", divided_net(case))
    for place, args, gpus in (("one", [], "0"), ("two", workers(2), "0,1"), ("processes", two(), "0,1"),
                              ("host", [*workers(2), "-set", "cluster.nworker_groups=1"], "0")):
        train_on_gpus(case, *args, "-set", BATCHES, workspace=place, gpus=gpus)
        worst = furthest(case.newest("large"), case.newest(place))
        true(worst < 1e-5, f"{place}: ends {worst} off one large batch")


@check
def a_job_of_several_batches_a_step_resumes_to_the_same_bytes(case):
    """Each batch has its own dropout, and its own place in the store."""
    net = mlp(case.site.data, "train_steps: 20 disp_freq: 1 accumulate_steps: 3", batch=13, layers=NORM, top="bn")
    case.write("job.conf", net)
    for place, args in (("alone", []), ("threads", workers(2)), ("apart", processes(2, APART))):
        case.train("job.conf", *args, workspace=place)
        case.train("job.conf", *args, "-set", "train_steps=9", workspace="halves")
        case.train("job.conf", *args, "-resume", workspace="halves")
        same_bytes(case.newest(place), case.newest("halves"))


@check
def a_signal_takes_back_the_batches_of_a_step_of_one_process(case):
    """The step that the first signal ends would take days. The second signal ends one of several short steps."""
    for place, args in (("alone", []), ("threads", workers(2))):
        case.write("job.conf", mlp(case.site.data, "train_steps: 20 accumulate_steps: 100000000", batch=13))
        job = start(case, *args, workspace=f"{place}-long")
        job.wait_until(case.path(f"{place}-long/visualization/train_net.dot").exists, "the first batch")
        job.send(signal.SIGTERM)
        has(job.end(143).err, "stopped by a signal before the first step", "stderr")
        settings = "train_steps: 12 disp_freq: 1 accumulate_steps: 300"
        case.write("job.conf", mlp(case.site.data, settings, batch=13, layers=NORM, top="bn"))
        case.train("job.conf", *args, workspace=place)
        halves = f"{place}-halves"
        job = start(case, *args, workspace=halves)
        job.wait_until(lambda: case.last_step(halves) >= 2, "step 2")
        job.send(signal.SIGTERM)
        has(job.end(143).err, "stopped by a signal at step", "stderr")
        case.train("job.conf", *args, "-resume", workspace=halves)
        same_bytes(case.newest(place), case.newest(halves))


@check
def each_batch_of_a_step_has_its_own_dropout_the_same_in_all_topologies(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 20 disp_freq: 1 accumulate_steps: 3", batch=13))
    case.train("job.conf")
    for place, args in (("threads", workers(2)), ("apart", processes(2, APART))):
        case.train("job.conf", *args, workspace=place)
        worst = furthest(case.newest(), case.newest(place))
        true(worst < 1e-5, f"{place} ends {worst} off one worker")


@check
def a_step_that_is_left_out_has_read_all_its_batches(case):
    """The second of the six batches is not finite."""
    good = ["0,1,0,0,0\n", "1,0,1,0,0\n", "2,0,0,1,0\n", "0,2,0,0,0\n", "1,0,2,0,0\n", "2,0,0,2,0\n"]
    bad = [*good[:1], "0,3e38,3e38,3e38,3e38\n", *good[2:]]
    settings = "train_steps: 2 disp_freq: 1 on_nonfinite: kSkip accumulate_steps: 3"
    case.write("points.csv", "".join(bad))
    case.write("job.conf", csv("points.csv", settings, 1, layers=dense("fc", "data", 1, 3, FIVES)))
    has(case.train("job.conf").err, "; 1 skipped", "stderr")
    # A job that has only the other step's records.
    case.write("points.csv", "".join(good[3:]))
    case.train("job.conf", "-set", "train_steps=1", workspace="rest")
    worst = furthest(case.newest(), case.newest("rest"))
    true(worst < 1e-6, f"ends {worst} off a job of the other records")


@check
def epochs_count_the_records_of_all_batches(case):
    case.write("points.csv", "".join(f"{i % 3},{i},1,{i % 5},2\n" for i in range(60)))
    case.write("job.conf", csv("points.csv", "train_epochs: 2 disp_freq: 1 accumulate_steps: 3", 5, lr=1e-4))
    case.train("job.conf")
    rows = case.rows(phase="train")
    equal(len(rows), 8, "steps")
    equal(rows[-1]["epoch"], 2, "epochs")
    has(case.run("check", "job.conf").out, "samples a step    15\n", "singa check")
    has(case.run("check", "-set", "accumulate_steps=0", "job.conf", code=78).err, "must be >= 1, is 0", "stderr")
    has(case.train("job.conf", "-set", "accumulate_steps=13").err,
        "warning: accumulate_steps: a step has 13 batches, a pass over the training data 12; a signal discards the "
        "batches of an unfinished step", "stderr")
