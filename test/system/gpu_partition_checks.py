"""Checks workers on GPUs of their own that divide layers by rows, by units and by grids. The GPUs are
emulated (test/support/emulated_singa.cc), and add up in the order of the workers."""
import re

from case import check, equal, has, learned, same_bytes, true
from gpu_group_checks import ALL_REDUCE, BY_HOST, logs, train
from group_checks import workers
from job import ADAM, MOMENTUM
from partition_checks import near, write
from process_checks import APART, processes

NOT_CAPTURED = "a step cannot be captured"
LARGE = ("-set", "neuralnet.layer[loss].softmaxloss_conf.scale=1000")


NORM = """  layer { name: "bn" type: kBM srclayers: "pool1"
          param { name: "g" init { type: kConstant value: 1 } } param { name: "o" }
          param { name: "m" } param { name: "v" init { type: kConstant value: 1 } } }
"""


def normalised(case, dims, count):
    """Writes the job with a batch normalisation behind pool1."""
    write(case, dims, MOMENTUM, count)
    conf = case.path("job.conf").read_text().replace('type: kLRN srclayers: "pool1"', 'type: kLRN srclayers: "bn"')
    case.write("job.conf", conf.replace('  layer { name: "norm1"', NORM + '  layer { name: "norm1"'))


def names(count):
    return ",".join(map(str, range(count)))


def compare_with_cpus(case, dims, updater, count, *settings):
    """Trains by as many threads of the CPU, and on GPUs of one process to the same bytes."""
    write(case, dims, updater, count)
    return compare(case, dims, count, *settings)


def compare(case, dims, count, *settings):
    host, gpus = f"{dims}-cpus", f"{dims}-gpus"
    train(case, *workers(count), *settings, workspace=host, gpus="")
    said = train(case, *workers(count), *settings, workspace=gpus, gpus=names(count)).err
    same_bytes(case.newest(gpus), case.newest(host))
    for kind in ("train", "test"):
        equal(learned(case.rows(gpus, kind)), learned(case.rows(host, kind)), f"{kind} of {dims}")
    return said


@check
def gpus_that_divide_layers_train_to_the_bytes_of_cpus(case):
    for dims, updater, count in (("110111", ADAM, 3), ("001100", MOMENTUM + " clip_norm: 0.5", 2),
                                 ("g1wg0g", ADAM, 4), ("wwwwww", MOMENTUM + " clip_norm: 0.5", 2),
                                 ("wg1wgw", MOMENTUM + " clip_norm: 0.5", 4)):
        said = compare_with_cpus(case, dims, updater, count)
        true(BY_HOST not in said and NOT_CAPTURED not in said, said)


@check
def gpus_that_divide_slices_of_rows_train_to_the_bytes_of_cpus(case):
    for dims in ("0110", "gwgw"):
        has(compare_with_cpus(case, dims, MOMENTUM, 4), BY_HOST + "the host checks labels", "stderr")


# Tests use the running statistics, which each worker's GPU changes itself.
@check
def gpus_that_divide_layers_normalise_batches_as_cpus_do(case):
    for dims, count in (("000101", 2), ("g1wg0g", 4)):
        normalised(case, dims, count)
        compare(case, dims, count)
        for place in ((), (APART,)):
            train(case, *processes(2, *place, in_each=count // 2), workspace="apart", gpus=names(count))
            same_bytes(case.newest("apart"), case.newest(f"{dims}-cpus"))
            for a, b in zip(case.rows("apart", "test"), case.rows(f"{dims}-cpus", "test"), strict=True):
                true(abs(a["loss"] - b["loss"]) < 1e-6, f"rows {a} and {b}")


@check
def gpus_of_processes_that_divide_layers_leave_the_updates_to_the_host(case):
    for number, settings in enumerate(((ALL_REDUCE,), (), (APART,))):
        write(case, "g1wg0g", MOMENTUM)
        train(case, *workers(4), workspace="cpus", gpus="")
        place = f"place{number}"
        train(case, *processes(2, *settings, in_each=2), workspace=place, gpus=names(4))
        same_bytes(case.newest(place), case.newest("cpus"))
        for a, b in zip(case.rows(place, "test"), case.rows("cpus", "test"), strict=True):
            true(abs(a["loss"] - b["loss"]) < 1e-6, f"rows {a} and {b}")
        if APART not in settings:
            has(logs(case, place), "the workers of several processes divide params", "the log")


@check
def gpus_resume_with_another_division(case):
    write(case, "000101", ADAM, 2)
    train(case, *workers(2), workspace="whole")
    train(case, *workers(2), "-set", "train_steps=10", workspace="parts")
    write(case, "110w1g", ADAM, 2)
    train(case, *workers(2), "-resume", workspace="parts")
    near(case.newest("whole"), case.newest("parts"), "resumed")


@check
def gpus_that_divide_layers_scale_losses_for_float16_alike(case):
    dropped = {}
    for dims in ("000000", "000101", "1w01w1"):
        write(case, dims, MOMENTUM + " clip_norm: 1", 2)
        train(case, *workers(2), *LARGE, "-set", "precision=kFloat16", workspace=dims)
        dropped[dims] = re.findall(r"step (\d+): .* losses are scaled by (\d+) from now on", logs(case, dims))
        near(case.newest("000000"), case.newest(dims), dims, most=1e-2)
    true(dropped["000000"], "no step was dropped")
    for dims, steps in dropped.items():
        equal(steps, dropped["000000"], dims)
