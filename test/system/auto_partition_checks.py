"""Checks jobs with partition: kAuto. A check that needs layers by units writes partition.json
itself, since the choice of a run depends on the machine."""
import json
import os
import shutil
from signal import SIGKILL, SIGTERM

from case import check, equal, has, learned, same_bytes, true
from group_checks import workers
from plan_checks import JOB
from process_checks import APART, PLACES, cores_of, disturbed, processes, start_on

AUTO = ("-set", "neuralnet.partition=kAuto")
UNITS = ["fc1", "relu"]
# A step of this net takes long, so that the choice does, too.
WIDE = ("-set", "neuralnet.layer[fc1].innerproduct_conf.num_output=40000",
        "-set", "neuralnet.layer[data].store_conf.batchsize=2048")
MEASURES = "partition: kAuto looks for the fastest division"


def steps(count):
    return ("-set", f"train_steps={count}")


def divided(layers):
    """Returns settings that divide layers as partition.json does."""
    return [word for layer in layers for part in ("rows", "units")
            for word in ("-set", f"neuralnet.layer[{layer['name']}].partition_grid.{part}={layer[part]}")]


def units_of(names, count):
    return [{"name": name, "rows": 1, "units": count} for name in names]


def chosen(case, workspace):
    return json.loads(case.path(f"{workspace}/partition.json").read_text())


def begin(case):
    """Trains 3 steps by rows with two workers. They are the workspace "base"."""
    case.write("job.conf", JOB)
    case.train("job.conf", *workers(2), *steps(3), workspace="base")


def copy(case, workspace, choice):
    """Makes a workspace of "base" with `choice`, the bytes of partition.json."""
    shutil.copytree(case.path("base"), case.path(workspace))
    case.write(f"{workspace}/partition.json", choice)


def by_units(count=2, names=UNITS, **more):
    return json.dumps({"layers": units_of(names, count), "workers": count, **more})


def resume(case, workspace, *settings, conf="job.conf"):
    return case.train(conf, "-resume", *settings, workspace=workspace)


@check
def threads_and_processes_train_with_the_plan_in_partition_json(case):
    case.write("job.conf", JOB)
    for place, settings in {"threads": workers(2), "three": workers(3),
                            **{name: processes(2, *place) for name, place in PLACES.items()}}.items():
        job = case.train("job.conf", *settings, *AUTO, workspace=place)
        has(job.err, "partition: ", f"what {place} say of their choice")
        choice = chosen(case, place)
        equal(choice["workers"], 3 if place == "three" else 2, f"workers of {place}")
        true(choice["predicted_ms"] > 0 and choice["predicted_bytes"] > 0, f"the choice {choice}")
        true(choice["predicted_ms"] <= choice["predicted_data_ms"], f"the choice {choice}")
        manual = workers(choice["workers"])
        case.train("job.conf", *manual, *divided(choice["layers"]), workspace=f"{place}-manual")
        same_bytes(case.newest(f"{place}-manual"), case.newest(place))
        equal(learned(case.rows(place, "train")), learned(case.rows(f"{place}-manual", "train")), "rows")


@check
def rows_of_hosts_that_compress_gradients_have_no_predicted_step(case):
    case.write("job.conf", JOB)
    for compression, known in (("kNone", True), ("kFp16", False)):
        settings = processes(2, APART, f"cluster.all_reduce.compression={compression}")
        case.train("job.conf", *settings, *AUTO, "-set", "disp_freq=9", workspace=compression)
        row = case.rows(compression, "train")[-1]
        equal("predicted_step_ms" in row, known, f"a prediction with {compression}")


@check
def a_resumed_job_keeps_the_plan_of_its_workspace(case):
    begin(case)
    copy(case, "manual", "")
    resume(case, "manual", *workers(2), *divided(units_of(UNITS, 2)))
    for place, settings in {"threads": workers(2),
                            **{name: processes(2, *place) for name, place in PLACES.items()}}.items():
        copy(case, place, by_units(measured_ms=1.5, measured_data_ms=2.5, why="so"))
        first = resume(case, place, *settings, *AUTO, *steps(6))
        true(MEASURES not in first.err, f"{place} choose again")
        has(first.err, f"by units: fc1, relu; measured 1.5 ms, by rows alone 2.5 ms; so; "
                       f"kept from {place}/partition.json", "stderr")
        equal(case.steps(place)[-1], 6, "the last checkpoint")
        resume(case, place, *settings, *AUTO)
        same_bytes(case.newest("manual"), case.newest(place))
        equal(chosen(case, place)["layers"], units_of(UNITS, 2), "the choice after two resumes")
        equal(chosen(case, place)["measured_ms"], 1.5, "the time of the choice after two resumes")


@check
def a_resumed_job_chooses_again_if_partition_json_does_not_fit(case):
    begin(case)
    grid = {"name": "fc1", "rows": 2, "units": 2}
    damaged = ["", "{", "[]", "null", "\xff\0", '{"layers": 3, "workers": 2}',
               '{"layers": [3], "workers": 2}', '{"layers": []}', by_units(3), by_units(0),
               json.dumps({"layers": [grid], "workers": 2}),
               by_units(2 ** 32 + 2), by_units(-1), by_units(names=["nowhere"]),
               by_units(names=["fc1", "loss"]), " " * (1 << 23)]
    for number, text in enumerate(damaged):
        copy(case, f"ws{number}", text)
        job = resume(case, f"ws{number}", *workers(2), *AUTO)
        has(job.err, MEASURES, f"stderr with {text[:99]!r}")
        has(job.err, "partition.json is not used: it is damaged", f"stderr with {text[:99]!r}")
        equal(case.steps(f"ws{number}")[-1], 10, "the last checkpoint")
        equal(chosen(case, f"ws{number}")["workers"], 2, "the new choice")
    # A file of numbers that cannot be still has a choice.
    copy(case, "numbers", by_units(predicted_ms=-1, predicted_bytes=1e300))
    true(MEASURES not in resume(case, "numbers", *workers(2), *AUTO).err, "the choice is good")
    # fc2 has 6 units, too few for 7 workers.
    copy(case, "seven", by_units(7, ["fc2"]))
    has(resume(case, "seven", *workers(7), *AUTO).err, MEASURES, "stderr of seven workers")
    copy(case, "folder", "")
    case.path("folder/partition.json").unlink()
    case.path("folder/partition.json").mkdir()
    has(resume(case, "folder", *workers(2), *AUTO).err, MEASURES, "stderr with a folder")


@check
def kAuto_tells_what_has_no_effect(case):
    case.write("job.conf", JOB)
    alone = case.train("job.conf", *AUTO, workspace="one")
    has(alone.err, "neuralnet.partition: warning: has no effect: the worker group has one worker", "stderr")
    equal(case.steps("one"), [10], "checkpoints")
    text = "has no effect: partition: kAuto chooses the dimension"
    both = case.train("job.conf", *AUTO, *workers(2), "-set", "neuralnet.layer[fc1].partition_dim=1",
                      "-set", "neuralnet.partition_dim=1", workspace="two")
    has(both.err, f"neuralnet.layer[fc1].partition_dim: warning: {text}", "stderr")
    has(both.err, f"neuralnet.partition_dim: warning: {text}", "stderr")
    equal(case.steps("two"), [10], "checkpoints")


@check
def a_signal_ends_a_job_that_chooses_its_plan(case):
    case.write("job.conf", JOB)
    case.train("job.conf", *workers(2), workspace="ws")  # a run before, which nobody asks to resume
    before = case.steps("ws")
    for settings in (workers(2), processes(2)):
        job = case.start_job("job.conf", *settings, *AUTO, *WIDE, *steps(10 ** 6), workspace="ws")
        job.wait_until(lambda job=job: MEASURES in job.err, "the choice begins")
        job.send(SIGTERM)
        job.end(143)
        has(job.err, "stopped by a signal before the first step", "stderr")
        true("partition: all" not in job.err and "partition: by" not in job.err, "the job has chosen")
        true("-resume" not in job.err, f"it offers another run's checkpoint:\n{job.err}")
        equal(case.steps("ws"), before, "checkpoints")


@check
def the_process_that_chooses_uses_all_cores(case):
    case.write("job.conf", JOB)
    two = set(sorted(os.sched_getaffinity(0))[:2])
    if len(two) == 1:
        case.note = "LEFT OUT: the machine has one core"
        return
    job = start_on(two, case, *processes(2), *AUTO, *WIDE, *steps(10 ** 6), "-set", "cluster.workspace=ws")
    job.wait_until(lambda: MEASURES in job.err, "the choice begins")
    # The line comes first, and a processor under load may take a while from there to the trial.
    job.wait_until(lambda: cores_of(job)[0] == two, "process 0 has both cores")
    job.send(SIGTERM)
    job.end(143)


@check
def a_lost_process_goes_on_with_the_chosen_plan(case):
    begin(case)
    long = (*steps(800), "-set", "checkpoint_freq=50")
    copy(case, "manual", "")
    resume(case, "manual", *workers(2), *divided(units_of(UNITS, 2)), *long)
    for place in ("shared", "spread"):
        for rank in (0, 1):
            lost = f"{place}{rank}"
            copy(case, lost, by_units())
            job = case.start_job("job.conf", "-resume", *processes(2, *PLACES[place]), *AUTO, *long,
                                 workspace=lost)
            disturbed(case, lost, job, rank, SIGKILL, 300)
            job.end(0)
            true(MEASURES not in job.err, "the job chooses again after the loss")
            same_bytes(case.newest("manual"), case.newest(lost))
            equal(chosen(case, lost)["layers"], units_of(UNITS, 2), "the choice")
    # A job that begins, loses a process before its first checkpoint, or after it, has one plan.
    job = case.start_job("job.conf", *processes(2), *AUTO, *long, workspace="new")
    disturbed(case, "new", job, 1, SIGKILL, 100)
    job.end(0)
    case.train("job.conf", *workers(2), *divided(chosen(case, "new")["layers"]), *long, workspace="same")
    same_bytes(case.newest("same"), case.newest("new"))
