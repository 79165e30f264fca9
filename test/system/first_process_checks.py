"""Checks that all processes start from the values that the first reads from checkpoint_path."""
import shutil
from signal import SIGKILL

from case import check, differing_tensors, equal, has, same_bytes
from job import MOMENTUM, mlp
from meeting_checks import start
from process_checks import APART, processes

SETTINGS = "train_steps: 20 disp_freq: 5 checkpoint_freq: 10 seed: 3"
PLACES = {"shared": processes(2), "apart": processes(2, APART)}


def trained(case, workspace):
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    case.train("job.conf", workspace=workspace)


def begun(case, *words, workspace):
    """Starts rank 0 of two, and waits until it has read its first values."""
    job = start(case, *words, rank=0, workspace=workspace)
    job.wait_until(case.path(f"{workspace}/metrics.jsonl").exists, "its rows' file")
    return job


def lost(case, failpoint, *words):
    return case.start_program(["env", f"SINGA_FAILPOINTS={failpoint}", case.site.binary, *words])


def source(path):
    return ["-set", f"checkpoint_path={path}"]


@check
def processes_start_from_a_checkpoint_of_their_own_workspace(case):
    for place, words in PLACES.items():
        trained(case, "ws")
        shutil.copytree(case.path("ws/checkpoint/step20"), case.path(f"{place}-copy/step20"))
        case.train("job.conf", *words, *source(f"{place}-copy/step20"), workspace=place)
        for path in ("ws", "ws/checkpoint/step20"):
            trained(case, "ws")
            case.train("job.conf", *words, *source(path), workspace="ws")
            same_bytes(case.newest("ws"), case.newest(place))


@check
def a_start_that_was_lost_before_its_first_checkpoint_begins_from_the_same_again(case):
    trained(case, "ws")
    shutil.copytree(case.path("ws/checkpoint"), case.path("copy"))
    case.train("job.conf", *processes(2), *source("copy/step20"), workspace="quiet")
    for path in ("ws", "ws/checkpoint", "ws/checkpoint/step20", "ws/checkpoint/step20-worker0"):
        trained(case, "ws")
        words = ["-conf", "job.conf", *source(path), "-set", "cluster.workspace=ws"]
        for point in ("group_begins/1", "follower_told/1"):
            job = lost(case, f"{point}=kill", *words, *processes(2)).end(0)
            has(job.err, "process 1 was lost (signal 9)", f"{path}, {point}")
            same_bytes(case.newest("ws"), case.newest("quiet"))
            trained(case, "ws")
        for point in ("group_begins", "checkpoint_before_rename"):
            equal(lost(case, f"{point}=kill", *words).popen.wait(), -SIGKILL, "how it ended")
            case.run(*words, *processes(2), "-resume")
            same_bytes(case.newest("ws"), case.newest("quiet"))
            trained(case, "ws")


@check
def processes_do_not_start_from_what_the_start_removes(case):
    for _ in range(2):
        trained(case, "ws")
    kept = case.path("ws/previous/checkpoint/step20")
    for place, words in PLACES.items():
        for path in (kept, "ws/previous"):
            err = case.train("job.conf", *words, *source(path), workspace="ws", code=78).err
            has(err, "-set checkpoint_path: error: is in ws/previous, ", place)
            equal((case.steps(), kept.exists()), ([10, 20], True), "checkpoints that are left")
    case.train("job.conf", *source(kept), workspace="ws")  # one process has read it by then


@check
def a_checkpoint_that_comes_while_processes_gather_is_not_for_some_of_them(case):
    """Each of two server groups has the values that its process has read, and nothing is
    learned."""
    trained(case, "other")
    words = processes(1, APART, "cluster.nworker_groups=2", "cluster.nserver_groups=2")
    still = [*words, *source("other"), "-set", "train_steps=1"]
    case.path("job.conf").rename(case.path("learns.conf"))
    case.write("job.conf", mlp(case.site.data, SETTINGS, updater=MOMENTUM.replace("0.05", "1e-30")))
    first = begun(case, *still, workspace="still")
    case.train("learns.conf", "-resume", "-set", "train_steps=30", workspace="other")
    start(case, *still, rank=1, workspace="still").end(0)
    first.end(0)
    names = [case.path(f"{folder}/model.safetensors")
             for folder in ("still/checkpoint/step1", "other/checkpoint/step20")]
    equal(differing_tensors(*names), [], "params that differ from those read")


@check
def a_file_that_is_replaced_while_processes_gather_is_named(case):
    trained(case, "other")
    for step in (10, 20):
        case.run("ckpt", "export", f"other/checkpoint/step{step}", f"step{step}.safetensors")
    for place, words in PLACES.items():
        shutil.copy(case.path("step10.safetensors"), case.path("net.safetensors"))
        first = begun(case, *words, *source("net.safetensors"), workspace=place)
        shutil.copy(case.path("step20.safetensors"), case.path("net.safetensors"))
        second = start(case, *words, *source("net.safetensors"), rank=1, workspace=place)
        codes = [job.end().popen.returncode for job in (first, second)]
        equal(codes, [65, 65], "exit codes")
        has(first.err, "net.safetensors: process 1 reads other values in it than process 0", "stderr")
