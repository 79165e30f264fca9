"""Checks that a run without -resume sets the earlier run aside, or puts it back."""
import shutil
import signal

from case import check, equal, has, true
from checkpoint_checks import TEN, trained
from job import mlp
from process_checks import processes
from stop_checks import MANY_ROWS, long_batches


@check
def metrics_of_a_run_without_a_checkpoint_are_kept(case):
    conf = trained(case)
    shutil.rmtree(case.path("ws/checkpoint"))
    rows = case.path("ws/metrics.jsonl").read_bytes()
    for words in ([], ["-resume"]):
        job = case.train(conf, *words)
        has(job.err, "moved the metrics of an earlier run to ws/metrics.jsonl.old", "stderr")
        true(case.path("ws/metrics.jsonl.old").read_bytes() == rows, "the old rows are others")
        shutil.rmtree(case.path("ws/checkpoint"))
        case.path("ws/metrics.jsonl").write_bytes(rows)
    case.path("ws/metrics.jsonl").unlink()
    case.write("ws/metrics.jsonl/precious", "a folder")
    has(case.train(conf, code=73).err, "ws/metrics.jsonl: is no file", "stderr")
    true(case.path("ws/metrics.jsonl/precious").exists(), "the folder is gone")


@check
def running_again_without_resume_sets_the_previous_run_aside(case):
    conf = trained(case)
    before = (case.newest() / "model.safetensors").read_bytes()
    rows = case.path("ws/metrics.jsonl").read_bytes()
    job = case.train(conf, "-set", "seed=5")
    has(job.err, "ws/previous", "stderr")
    equal(case.steps("ws/previous"), [5, 10], "checkpoints in previous/")
    true((case.newest("ws/previous") / "model.safetensors").read_bytes() == before,
         "previous/ has other values")
    true(case.path("ws/previous/metrics.jsonl").read_bytes() == rows, "previous/ has other rows")
    true((case.newest() / "model.safetensors").read_bytes() != before, "the run did not start anew")
    equal([row["step"] for row in case.rows(phase="test")], [0, 10], "tests of the new run")


@check
def runs_that_are_stopped_before_their_first_step_keep_the_last_one(case):
    """The batches of the stopped runs are read for longer than a check may last."""
    case.write("job.conf", long_batches(case, 10, 10))
    case.train("job.conf")
    steps = case.steps()
    case.write("job.conf", long_batches(case, MANY_ROWS, 10))
    graph = case.path("ws/visualization/train_net.dot")
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        graph.unlink()
        job = case.start("-conf", "job.conf")
        job.wait_until(graph.exists, "the first batch")
        job.send(number)
        has(job.end(code).err, "stopped by a signal before the first step", "stderr")
        equal((case.steps("ws/previous"), case.steps()), (steps, []), "checkpoints")


@check
def a_run_that_cannot_read_its_data_leaves_the_last_one_in_place(case):
    trained(case)
    case.path("broken").write_bytes(b"no idx file")
    case.train("job.conf", "-set", "neuralnet.layer[data#0].store_conf.path=broken", code=65)
    equal(case.steps(), [5, 10], "checkpoints")
    case.train("job.conf", "-resume", "-set", "train_steps=12")
    equal(case.steps(), [5, 10, 12], "checkpoints")


@check
def a_run_that_fails_in_its_first_step_leaves_the_last_one_in_place(case):
    for seed in (1, 2):
        case.write("job.conf", mlp(case.site.data, TEN + f" seed: {seed}"))
        case.train("job.conf")
    before = (case.newest() / "model.safetensors").read_bytes()
    rows = case.path("ws/metrics.jsonl").read_bytes()
    old = (case.newest("ws/previous") / "model.safetensors").read_bytes()
    case.path("broken").write_bytes(b"no idx file")
    store = "neuralnet.layer[data#{}].store_conf"
    for code, setting in ((65, "neuralnet.layer[data].store_conf.shape=785"),  # found in the first record
                          (65, store.format(1) + ".path=broken"),  # after a row of a test
                          (65, "neuralnet.layer[fc2].innerproduct_conf.num_output=2"),
                          (79, store.format(0) + ".std_value=1e-38")):
        for words in ([], ["-set", "cluster.nworkers_per_group=2"], processes(2)):
            err = case.train("job.conf", "-set", setting, *words, code=code).err
            has(err, "ws", setting)
            equal(case.steps(), [5, 10], f"checkpoints after {setting}")
            true((case.newest() / "model.safetensors").read_bytes() == before, "other values")
            true(case.path("ws/metrics.jsonl").read_bytes() == rows, "other rows")
            true((case.newest("ws/previous") / "model.safetensors").read_bytes() == old,
                 "another run before it")
            true(not case.path("ws/previous.old").exists(), "previous.old/ is left")
    case.train("job.conf", "-resume", "-set", "train_steps=12")
    equal(case.steps(), [5, 10, 12], "checkpoints")


@check
def a_run_with_a_checkpoint_of_its_own_leaves_one_generation_before_it(case):
    for seed in (1, 2, 3):
        case.write("job.conf", mlp(case.site.data, TEN + f" seed: {seed}"))
        case.train("job.conf")
        equal(case.path("ws/previous").exists(), seed > 1, "previous/")
        true(not case.path("ws/previous.old").exists(), "previous.old/ is left")
