"""Checks that a killed job resumes as if undisturbed, and that the same job gives the same
bytes."""
import hashlib
import json
import random
import shutil
from signal import SIGINT, SIGKILL, SIGTERM

from case import check, equal, has, learned, same_bytes, tensors, true
from job import ADAM, MOMENTUM, mlp

# Rows, tests and checkpoints fall on different steps, so a resume is in the middle of each. Batches
# run across the end of the first epoch, which is at step 208.
OFTEN = """train_steps: 400 disp_freq: 10 test_freq: 90 checkpoint_freq: 7 checkpoint_keep: 5
           checkpoint_best: "accuracy" seed: 3"""
KINDS = {
    "momentum": dict(updater=MOMENTUM, batch=48),
    "adam": dict(updater=ADAM, batch=48,
                 reading="shuffle: true random_skip: 900 prefetching: true"),
    # The net has running statistics, and a gradient that is large enough to come in pieces.
    "norm": dict(hidden=256, layers=' layer { name: "norm" type: kBM srclayers: "relu" }',
                 top="norm"),
}


def same_run(case, workspace):
    """Expects that `workspace` equals the undisturbed run in ws."""
    equal(case.steps(workspace), case.steps(), "checkpoints")
    equal(case.best(workspace), case.best(), "best checkpoint")
    same_bytes(case.newest(workspace), case.newest())
    found, expected = learned(case.rows(workspace)), learned(case.rows())
    true(len(found) == len(set(found)), "a row of metrics.jsonl stands there twice")
    equal(found, expected, "rows of metrics.jsonl")


def start(case, workspace, again):
    return case.start_job("job.conf", *["-resume"] * again, workspace=workspace)


def killed_at_random(case, kind):
    case.train(mlp(case.site.data, OFTEN, **KINDS[kind]))
    moments = random.Random(kind)
    kills = 0
    for trial in range(3):
        workspace = f"trial{trial}"
        for attempt in range(4):
            job = start(case, workspace, attempt > 0)
            step = moments.randrange(-1, 400)  # -1: before the first row
            while job.running() and case.last_step(workspace) < step:
                job.ends_within(0.005)
            if not job.running():
                break
            job.kill()
            kills += 1
        else:
            job = start(case, workspace, True)
        job.end(0)
        same_run(case, workspace)
    true(kills > 2, f"only {kills} of the jobs were killed before their end")


@check
def killed_at_random_moments_with_momentum_it_resumes_to_the_same_bytes(case):
    killed_at_random(case, "momentum")


@check
def killed_at_random_moments_with_adam_it_resumes_to_the_same_bytes(case):
    killed_at_random(case, "adam")


@check
def killed_at_random_moments_with_batch_norm_it_resumes_to_the_same_bytes(case):
    killed_at_random(case, "norm")


@check
def killed_while_it_writes_checkpoints_it_resumes_to_the_same_bytes(case):
    often = OFTEN.replace("checkpoint_freq: 7", "checkpoint_freq: 2")
    case.train(mlp(case.site.data, often, batch=48))
    folder = case.path("killed/checkpoint")

    def half_written():
        return {entry.name for entry in folder.iterdir() if ".tmp." in entry.name} \
            if folder.exists() else set()

    moments = random.Random(1)
    left = 0
    for attempt in range(12):
        before = half_written()
        skip = moments.randrange(12)  # how many checkpoints it may write first
        if attempt < 3:  # on any machine these leave a checkpoint
            kill_at = f"SINGA_FAILPOINTS=checkpoint_before_rename=kill@{skip + 1}"
            job = case.start_program(["env", kill_at, case.site.binary, "-conf", "job.conf", "-set",
                                      "cluster.workspace=killed", *["-resume"] * (attempt > 0)])
        else:
            job = start(case, "killed", attempt > 0)
        seen = set()
        while job.running() and len(seen) <= skip:
            seen |= half_written() - before
        job.kill()
        left += bool(half_written())
    true(left > 2, f"only {left} of 12 kills fell into the writing of a checkpoint")
    case.train("job.conf", "-resume", workspace="killed")
    same_run(case, "killed")
    equal(half_written(), set(), "what the killed jobs left half written")


@check
def resume_without_a_checkpoint_trains_from_the_start(case):
    conf = mlp(case.site.data, "train_steps: 20 disp_freq: 5")
    case.train(conf)
    job = case.train("job.conf", "-resume", workspace="fresh")
    has(job.err, "warning: no checkpoint to resume from", "stderr")
    same_run(case, "fresh")


@check
def an_unrolled_net_has_one_position_for_the_copies_of_its_reader(case):
    case.train(mlp(case.site.data, "train_steps: 4"), "-set", "neuralnet.unroll_len=3")
    case.train("job.conf", "-resume", "-set", "neuralnet.unroll_len=3", "-set", "train_steps=6")
    case.train("job.conf", "-set", "neuralnet.unroll_len=3", "-set", "train_steps=6",
               workspace="whole")
    same_bytes(case.newest("whole"), case.newest())


@check
def what_is_in_previous_is_named_where_there_is_nothing_to_resume(case):
    case.train(mlp(case.site.data, "train_steps: 4"))
    lost = case.start_program(["env", "SINGA_FAILPOINTS=group_begins=kill", case.site.binary,
                               "-conf", "job.conf"])
    equal(lost.popen.wait(), -SIGKILL, "how it ended")
    job = case.train("job.conf", "-resume")
    has(job.err, "warning: no checkpoint to resume from: training starts at step 0; those of the run before are in ws/previous", "stderr")


@check
def resume_of_a_finished_job_changes_nothing(case):
    conf = mlp(case.site.data, "train_steps: 20 disp_freq: 5 test_freq: 20 seed: 1")
    case.train(conf)
    case.train("job.conf", workspace="again")
    case.train("job.conf", "-resume", workspace="again")
    same_run(case, "again")


@check
def resume_with_more_steps_equals_one_longer_run(case):
    settings = "train_steps: {} disp_freq: 7 checkpoint_freq: 100"
    case.train(mlp(case.site.data, settings.format(45)), workspace="longer")
    job = case.train(mlp(case.site.data, settings.format(90)), "-resume", workspace="longer")
    true("the configuration" not in job.err, f"stderr: {job.err}")
    case.train("job.conf")
    same_bytes(case.newest("longer"), case.newest())
    equal(learned(case.rows("longer")), learned(case.rows()), "rows of metrics.jsonl")


@check
def resume_names_the_fields_that_are_not_as_they_were(case):
    case.train(mlp(case.site.data, "train_steps: 10 disp_freq: 5"))
    when = ("-set", "train_steps=11", "-set", "disp_freq=2", "-set", "checkpoint_freq=3")
    job = case.train("job.conf", "-resume", *when, "-set", "updater.weight_decay=0.25",
                     "-set", "neuralnet.layer[data#0].store_conf.shuffle=false")
    has(job.err, "warning: the configuration differs from that of the checkpoint: "
        "neuralnet.layer[data#0].store_conf.shuffle was true, is false; "
        "updater.weight_decay was 0.001, is 0.25\n", "stderr")


@check
def resume_warns_of_another_conf_where_a_checkpoint_does_not_have_its_fields(case):
    case.train(mlp(case.site.data, "train_steps: 10"))
    manifest = case.newest() / "manifest.json"
    kept, _ = manifest.read_text().rsplit(',\n  "manifest_sha256"', 1)
    fields = json.loads(kept + "}")
    true(fields.pop("conf"), "the manifest has no fields of the conf")
    text = json.dumps(fields, indent=2, sort_keys=True)[:-2] + ',\n  "manifest_sha256": "'
    manifest.write_text(text + hashlib.sha256(text.encode()).hexdigest() + '"\n}\n')
    job = case.train("job.conf", "-resume", "-set", "train_steps=11")
    has(job.err, "the configuration differs from that of the checkpoint\n", "stderr")


@check
def resume_warns_where_the_run_is_not_as_it_was(case):
    case.train(mlp(case.site.data, "train_steps: 10"))
    for name, field, is_now in [("seed", "seed=5", 5), ("threads", "num_openblas_threads=2", 2),
                                ("plain_kernels", "plain_kernels=true", 1)]:
        job = case.train("job.conf", "-resume", "-set", "train_steps=11", "-set", field)
        has(job.err, f'warning: "{name}" differs from the checkpoint (was "', "stderr")
        has(job.err, f'is "{is_now}"): the results may differ', "stderr")
        true(case.steps()[-1] == 11, "the job did not go on")
        shutil.rmtree(case.path("ws/checkpoint/step11"))


@check
def resume_warns_of_no_value_that_one_of_the_runs_does_not_have(case):
    conf = mlp(case.site.data, "train_steps: 10 test_steps: 1")
    best = 'checkpoint_best: "accuracy"\n'
    for then, now in ((conf, best + conf), (best + conf, conf)):
        case.train(then)
        job = case.train(now, "-resume", "-set", "train_steps=11")
        true("differs from the checkpoint" not in job.err, f"stderr: {job.err}")


def stopped_by(case, number, code):
    settings = "train_steps: 4000 disp_freq: 50 test_freq: 1000"
    conf = mlp(case.site.data, settings, hidden=8)
    case.write("job.conf", conf)
    job = case.start_job("job.conf", workspace="stopped")
    job.wait_until(lambda: case.last_step("stopped") >= 300,
                   "the row of step 300")
    job.send(number)
    job.end(code)
    equal(len(case.steps("stopped")), 1, "number of checkpoints")
    step = case.steps("stopped")[0]
    true(300 < step < 4000, f"the checkpoint is of step {step}")
    case.run("ckpt", "verify", "stopped")
    has(job.err, f"step {step}", "stderr")
    case.train("job.conf", "-resume", workspace="stopped")
    shutil.rmtree(case.path(f"stopped/checkpoint/step{step}"))  # the undisturbed run has none there
    case.train("job.conf")
    same_run(case, "stopped")


@check
def sigterm_commits_a_checkpoint_and_exits_143_and_the_job_can_go_on(case):
    stopped_by(case, SIGTERM, 143)


@check
def sigint_commits_a_checkpoint_and_exits_130_and_the_job_can_go_on(case):
    stopped_by(case, SIGINT, 130)


@check
def sigterm_ends_a_long_test_and_the_resumed_job_starts_with_it(case):
    settings = "train_steps: 10 disp_freq: 1 test_freq: 5 test_after: 5 test_steps: 1000000000"
    job = case.start_job(mlp(case.site.data, settings))
    job.wait_until(lambda: case.last_step() == 4, "the row of step 4")
    true(not job.ends_within(0.2), "the test was too short for this check")
    job.send(SIGTERM)
    job.end(143)
    equal(case.steps(), [5], "checkpoints")
    case.train("job.conf", "-resume", "-set", "test_steps=2")
    equal([row["step"] for row in case.rows(phase="test")], [5, 10], "tests")


@check
def a_signal_at_any_moment_of_a_step_ends_with_an_intact_checkpoint(case):
    # A signal handler on the stack of oneDNN's sgemm, which lies in the heap, would break the heap.
    conf = mlp(case.site.data, "train_steps: 1000000 disp_freq: 20", hidden=8)
    moments = random.Random(2)
    for trial in range(30):
        workspace = f"trial{trial}"
        job = case.start_job(conf, workspace=workspace)
        job.wait_until(lambda: case.has_rows(workspace), "the first row")
        job.ends_within(moments.uniform(0, 0.05))
        job.send(SIGTERM)
        job.end(143)
        equal(len(case.steps(workspace)), 1, "number of checkpoints")
    case.run("ckpt", "verify", "trial0")


@check
def two_runs_of_one_job_give_the_same_bytes(case):
    settings = "train_steps: 60 disp_freq: 10 test_freq: 20 seed: 11"
    case.train(mlp(case.site.data, settings, updater=ADAM))
    case.train("job.conf", workspace="second")
    same_run(case, "second")


@check
def two_runs_on_two_threads_give_the_same_bytes(case):
    settings = "train_steps: 60 disp_freq: 10 test_freq: 20 seed: 11"
    case.train(mlp(case.site.data, settings, hidden=64), "-set", "num_openblas_threads=2")
    case.train("job.conf", "-set", "num_openblas_threads=2", workspace="second")
    same_run(case, "second")


@check
def another_seed_gives_other_values(case):
    case.train(mlp(case.site.data, "train_steps: 3 disp_freq: 1"))
    case.train("job.conf", "-set", "seed=1", workspace="other")
    one, other = (tensors(case.newest(name) / "model.safetensors") for name in ("ws", "other"))
    equal(one.keys(), other.keys(), "params")
    for name, (_, shape, values) in one.items():
        equal(other[name][1], shape, f"shape of {name}")
        true(other[name][2] != values, f"param {name} is the same for both seeds")


@check
def a_checkpoint_beyond_the_last_step_names_the_field_that_ends_the_job(case):
    case.train(mlp(case.site.data, "train_epochs: 2"))
    step = case.steps()[-1]
    refused = case.train("job.conf", "-resume", "-set", "train_epochs=1", code=78).err
    has(refused, f"-set train_epochs: error: the checkpoint to resume from is of step {step}, beyond the last, "
        f"{step // 2} (1 pass)", "stderr")
    equal(refused.count("resumed from"), 0, "lines that say that it has resumed")
