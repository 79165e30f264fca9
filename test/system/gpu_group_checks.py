"""Checks processes whose workers have GPUs of their own, which add the gradients up. The GPUs are
emulated (test/support/emulated_singa.cc), and add up in the order of the workers."""
import os
import re
from signal import SIGKILL, SIGSTOP, SIGTERM

from case import check, equal, has, learned, same_bytes, true
from group_checks import OFTEN, workers
from job import ADAM, MOMENTUM, csv, dense, mlp
from process_checks import APART, children, processes

ALL_REDUCE = "cluster.all_reduce.compression=kNone"
ADD_UP = "the GPUs of the workers of all processes add the gradients up"
BY_HOST = "the GPUs' gradients are added up by the host, which is slower: "
NORM = """
  layer { name: "bn" type: kBM srclayers: "relu"
          param { name: "g" init { type: kConstant value: 1 } } param { name: "o" }
          param { name: "m" } param { name: "v" init { type: kConstant value: 1 } } }"""


def start(case, *args, workspace="ws", gpus="0,1", **variables):
    """Starts job.conf on a machine with four GPUs."""
    names = [f"{name}={value}" for name, value in variables.items()]
    return case.start_program(
        ["env", "GOMP_SPINCOUNT=2000", "SINGA_EMULATED_GPUS=4", *names,
         str(case.site.binary.parent / "emulated_singa"), "-conf", "job.conf", *args,
         "-set", f"cluster.workspace={workspace}", *(["-set", f"gpu={gpus}"] if gpus else [])])


def train(case, *args, code=0, **options):
    return start(case, *args, **options).end(code)


def two(*settings):
    return processes(2, ALL_REDUCE, *settings)


def logs(case, workspace):
    return "".join(path.read_text() for path in case.path(f"{workspace}/log").glob("singa.*.*"))


@check
def gpus_of_processes_train_to_the_bytes_of_those_of_one_process(case):
    nets = {"adam": dict(updater=ADAM), "normalised": dict(layers=NORM, top="bn")}
    for name, net in nets.items():
        case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1 test_freq: 10",
                                   batch=47, **net))
        for count, each in ((2, 1), (4, 2)):
            gpus = ",".join(map(str, range(count)))
            one, several = f"{name}{count}", f"{name}{count}-processes"
            train(case, *workers(count), workspace=one, gpus=gpus)
            for apart in ((), (APART,)):
                train(case, *processes(count // each, ALL_REDUCE, *apart, in_each=each),
                      workspace=several, gpus=gpus)
                has(logs(case, several), ADD_UP, "the log")
                same_bytes(case.newest(several), case.newest(one))
                for a, b in zip(case.rows(several, "train"), case.rows(one, "train")):
                    # Losses are means over the batch. Each process sums up its own part first.
                    true(abs(a["loss"] - b["loss"]) <= (1e-14 if each > 1 else 0),
                         f"rows {a} and {b}")
                # An evaluation uses the threads of its process's workers. Products round
                # differently with them.
                for a, b in zip(case.rows(several, "test"), case.rows(one, "test"), strict=True):
                    true(abs(a["loss"] - b["loss"]) < 1e-7, f"rows {a} and {b}")
                    equal(a["accuracy"], b["accuracy"], "accuracy")
            for row in case.rows(several, "process"):  # values and gradients are 50 kB
                true(row["bytes_sent"] < 20000, f"row {row}")


@check
def gpus_of_processes_scale_losses_for_float16_alike(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1 precision: kFloat16",
                               updater=ADAM))
    # The gradients overflow until the losses' scale is smaller than at first.
    large = ("-set", "neuralnet.layer[loss].softmaxloss_conf.scale=1000")
    train(case, *workers(2), *large, workspace="one")
    train(case, *two(), *large)
    same_bytes(case.newest(), case.newest("one"))
    train(case, *two(), *large, "-set", "train_steps=15", workspace="half")
    scaled = re.findall(r"step (\d+): .* losses are scaled by (\d+) from now on",
                        logs(case, "half"))
    true(scaled and int(scaled[-1][0]) < 14, f"scales {scaled}")
    train(case, "-resume", *two(), *large, workspace="half")
    same_bytes(case.newest("half"), case.newest())


@check
def gpus_of_processes_that_share_memory_add_up_too(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 10 disp_freq: 1"))
    train(case, *processes(2))
    has(logs(case, "ws"), ADD_UP, "the log")
    train(case, *two(), workspace="asked")
    same_bytes(case.newest("asked"), case.newest())


@check
def gpus_of_processes_that_are_stopped_go_on_to_the_same_bytes(case):
    case.write("job.conf", mlp(case.site.data, OFTEN, updater=ADAM, batch=48))
    train(case, *two())
    for attempt, step in enumerate((100, 700)):
        job = start(case, *["-resume"] * attempt, *two(), workspace="stopped")
        job.wait_until(lambda step=step: case.last_step("stopped") >= step, f"step {step}")
        if attempt == 0:
            job.send(SIGTERM)
        else:
            os.kill(children(job)[1], SIGTERM)
        job.end(143)
    train(case, "-resume", *two(), workspace="stopped")
    same_bytes(case.newest("stopped"), case.newest())
    equal(learned(case.rows("stopped", "train")), learned(case.rows(phase="train")), "rows")
    # A job of one process, and a job on CPUs, continue from a checkpoint of several processes.
    train(case, "-resume", *workers(2), "-set", "train_steps=1210", workspace="stopped")
    train(case, "-resume", *two(), "-set", "train_steps=1220", workspace="stopped", gpus="")


@check
def gpus_of_a_process_that_is_lost_are_not_waited_for(case):
    case.write("job.conf", mlp(case.site.data, OFTEN, updater=ADAM, batch=48))
    train(case, *two())
    for rank in (0, 1):
        lost = f"lost{rank}"
        job = start(case, *two(), workspace=lost)
        job.wait_until(lambda lost=lost: max(case.steps(lost), default=0) >= 300, "step 300")
        os.kill(children(job)[rank], SIGKILL)
        job.end(0)
        has(job.err, f"process {rank} was lost", "stderr")
        has(job.err, "resumed from", "stderr")
        same_bytes(case.newest(lost), case.newest())
        equal(learned(case.rows(lost, "train")), learned(case.rows(phase="train")), "rows")


@check
def gpus_of_a_process_that_stands_still_are_given_up(case):
    case.write("job.conf", mlp(case.site.data, OFTEN, updater=ADAM, batch=48))
    for rank in (0, 1):
        still = f"still{rank}"
        job = start(case, *two("cluster.peer_timeout=2", "cluster.max_restarts=0"),
                    workspace=still)
        job.wait_until(lambda still=still: case.last_step(still) >= 100, "step 100")
        os.kill(children(job)[rank], SIGSTOP)
        job.end(170)
        has(job.err, f"error: process {rank} (", "stderr")


@check
def jobs_on_a_gpu_that_is_too_small_say_what_takes_most_of_it(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 20 disp_freq: 1", batch=1000))
    for args, layer, size in (((), "data", 3), (workers(2), "data@[01]", 2), (two(), "data@[01]", 2)):
        err = train(case, *args, gpus="0,1" if args else "0", SINGA_GPU_BYTES=1 << 20, code=69).err
        what = (rf'error: features and gradients, most of them for layer "{layer}" \({size} MiB\): '
                r"\d+ bytes are wanted, \d+ are free\n")
        true(re.search(what, err), f"no {what!r} in {err}")
    true(not case.steps(), "a checkpoint of a job that has not begun")
    train(case, gpus="0", SINGA_GPU_BYTES=16 << 20)


@check
def processes_whose_gpus_cannot_all_add_up_leave_it_to_the_host(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 20 disp_freq: 1", updater=MOMENTUM))
    for name, settings in (("served", (ALL_REDUCE, APART)), ("shared", ())):
        args = processes(2, *settings)
        train(case, *args, workspace=name, gpus="")
        for variable, why in (("SINGA_WITHOUT_GROUPS", "the emulated machine has no library"),
                              ("SINGA_WITHOUT_GPUS", "a worker has no GPU")):
            for rank, says in ((0, why), (1, f"process 1: {why}")):
                if rank == 0 and variable == "SINGA_WITHOUT_GPUS":
                    continue  # a job on the CPU, as far as it knows
                err = train(case, *args, workspace="host", **{variable: rank}).err
                equal(err.count(BY_HOST + says), 1, f"warnings of {variable} {rank} in {err}")
                same_bytes(case.newest("host"), case.newest(name))


@check
def two_processes_on_one_gpu_are_refused_where_nccl_is_asked_for(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 20 disp_freq: 1"))
    shared = "workers 0 and 1 share GPU 1, and NCCL needs one for each"
    err = train(case, *two(), gpus="1", code=78).err
    has(err, f"error: {shared}", "stderr")
    equal(err.count(shared), 1, "errors")
    has(train(case, *two(), gpus="1,1", code=78).err,
        "gpu[1]: workers 0 and 1 share GPU 1, and with cluster.all_reduce NCCL", "stderr")
    has(train(case, *processes(2), gpus="1").err, BY_HOST + shared, "stderr")
    true(case.steps()[-1] == 20, "the job has not ended")


@check
def gpus_of_processes_diverge_or_skip_together(case):
    case.write("points.csv", "0,900,1,1,1\n1,1,800,1,1\n2,1,1,700,1\n")
    case.write("job.conf", csv("points.csv", "train_steps: 50 disp_freq: 1", 3, lr=1e37))
    equal(train(case, *two(), code=79).err.count(" is not finite"), 1, "errors")
    case.write("points.csv", "0,3e38,3e38,3e38,3e38\n" + "1,1,1,1,1\n2,2,1,1,1\n0,1,2,1,1\n" * 9)
    norm = dense("fc0", "data", 0, 3) + """
      layer { name: "norm" type: kBM srclayers: "fc0" }""" + dense("fc", "norm", 1, 3)
    for layers in (dense("fc", "data", 1, 3), norm):
        case.write("job.conf",
                   csv("points.csv", "train_steps: 20 disp_freq: 1 on_nonfinite: kSkip", 2,
                       layers=layers))
        train(case, *workers(2), workspace="one")
        has(train(case, *two()).err, "; 1 skipped", "stderr")
        same_bytes(case.newest(), case.newest("one"))
        equal(learned(case.rows(phase="train")), learned(case.rows("one", "train")), "rows")


def launched(case, *args, **options):
    """Starts two processes as mpirun does."""
    return [start(case, *args, OMPI_COMM_WORLD_RANK=rank, OMPI_COMM_WORLD_SIZE=2,
                  OMPI_COMM_WORLD_LOCAL_SIZE=2, OMPI_COMM_WORLD_LOCAL_RANK=rank,
                  PMIX_NAMESPACE="launched", **options) for rank in (0, 1)]


@check
def gpus_of_processes_that_a_launcher_starts_add_up(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 20 disp_freq: 1"))
    train(case, *workers(2), workspace="one")
    for job in launched(case, *two()):
        job.end(0)
    has(logs(case, "ws"), ADD_UP, "the log")
    same_bytes(case.newest(), case.newest("one"))


@check
def gpus_of_a_lost_process_that_nobody_starts_again_are_given_up(case):
    case.write("job.conf", mlp(case.site.data, OFTEN, batch=48))
    args = two("cluster.peer_timeout=2")
    for rank in (0, 1):
        lost = f"lost{rank}"
        jobs = launched(case, *args, workspace=lost)
        jobs[0].wait_until(lambda lost=lost: case.last_step(lost) >= 100, "step 100")
        jobs[rank].send(SIGKILL)
        jobs[1 - rank].end(170)
    # The process dies before it has joined the other's GPU.
    jobs = launched(case, *args, SINGA_FAILPOINTS="group_begins/1=kill")
    jobs[0].end(170)
    true(not case.steps(), "a checkpoint of a job that has not begun")
