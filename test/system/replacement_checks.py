"""Checks the loss of a process that has whole worker groups and nothing else. Another takes its
place, and the other groups continue meanwhile."""
from signal import SIGKILL

from case import check, equal, has, tensors, true
from failpoint_checks import start
from job import mlp
from process_checks import children, disturbed
from process_group_checks import ASYNCHRONOUS, SGD, groups

STEPS = 600
SETTINGS = f"train_steps: {STEPS} disp_freq: 1 checkpoint_freq: 200 checkpoint_keep: 1 seed: 3"
DOWNPOUR = groups(ASYNCHRONOUS["downpour"])  # groups in processes 0 to 2, servers in 3 and 4


def gaps(steps, all_steps):
    """Returns the number of runs of steps without a row."""
    ends = [-1, *steps, all_steps]
    return sum(after > before + 1 for before, after in zip(ends, ends[1:]))


def expect_every_step_once(case, workspace, lost, all_steps=STEPS):
    """Expects that each slice has had every step of every group. Rows that had not reached process
    0 before a loss are missing: the last steps before each of the `lost` losses of a group."""
    for group in range(3):
        steps = [row["step"] for row in case.rows(workspace, "train") if row["group"] == group]
        equal(steps, sorted(set(steps)), f"rows of group {group}")
        true(gaps(steps, all_steps) <= lost.get(group, 0), f"group {group} has rows of {steps}")
    counts = [data for name, (_, _, data) in tensors(case.newest(workspace) / "state.safetensors")
              .items() if name.startswith("updater/") and name.endswith("/count")]
    true(counts, "no counts of updates")
    for data in counts:
        equal(int.from_bytes(data, "little"), 3 * all_steps, "updates of a param")


def expect_replaced(job, rank):
    has(job.err, f"process {rank} was lost (signal 9); a new process takes its place", "stderr")
    true("go on from the last checkpoint" not in job.err, f"all were started again: {job.err}")


@check
def another_process_takes_the_place_of_a_lost_group(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS, updater=SGD, hidden=64, dropout=0))
    bounded = groups(ASYNCHRONOUS["bounded"])
    for name, args, rank in (("early", DOWNPOUR, 1), ("late", DOWNPOUR, 2), ("bounded", bounded, 1)):
        job = case.start_job("job.conf", *args, workspace=name)
        job.wait_until(lambda name=name: case.last_step(name) > 100, "step 100")
        others = {r: pid for r, pid in children(job).items() if r != rank}
        disturbed(case, name, job, rank, SIGKILL, 200 if name == "late" else 0)
        job.wait_until(lambda name=name: case.last_step(name) > 500, "step 500")
        now = {r: pid for r, pid in children(job).items() if r != rank}
        equal(now, others, "the other processes")
        job.end(0)
        expect_replaced(job, rank)
        expect_every_step_once(case, name, {rank: 1})


@check
def a_group_that_is_lost_within_a_step_counts_it_once(case):
    kinds = {"plain": dict(updater=SGD), "clipped": dict(updater=SGD + " clip_norm: 0.5")}
    for kind, net in kinds.items():
        case.write("job.conf", mlp(case.site.data, SETTINGS, hidden=64, dropout=0, **net))
        for point, number in {"client_pushed_gradient": 1001, "stub_got_message": 900}.items():
            workspace = f"{kind}-{point}"
            job = start(case, f"{point}/1=kill@{number}", *DOWNPOUR, workspace=workspace).end(0)
            expect_replaced(job, 1)
            expect_every_step_once(case, workspace, {1: 1})


@check
def a_successor_reads_the_batches_that_the_lost_one_had_to_read(case):
    still = "type: kSGD learning_rate { type: kFixed base_lr: 1e-30 }"  # a loss tells the batch
    case.write("job.conf", mlp(case.site.data, SETTINGS, updater=still, hidden=16, dropout=0))
    case.train("job.conf", *DOWNPOUR, workspace="quiet")
    rows = {name: None for name in ("quiet", "before", "after")}
    for name, number in (("before", 300), ("after", 1500)):  # the first checkpoint, at step 200
        start(case, f"client_pushed_gradient/2=kill@{number}", *DOWNPOUR, workspace=name).end(0)
    for name in rows:
        rows[name] = {row["step"]: row["loss"] for row in case.rows(name, "train")
                      if row["group"] == 2}
    for name in ("before", "after"):
        true(len(rows[name]) >= STEPS - 1, f"{name}: {len(rows[name])} rows")
        for step, loss in rows[name].items():
            equal(loss, rows["quiet"][step], f"{name}: loss of step {step}")


@check
def a_successor_may_come_while_the_others_hold(case):
    often = SETTINGS.replace("checkpoint_freq: 200", "checkpoint_freq: 5")
    case.write("job.conf", mlp(case.site.data, often, updater=SGD, hidden=64, dropout=0))
    replaced = 0
    for number in (200, 201, 202, 203, 204, 205, 206, 207):
        workspace = f"told{number}"
        job = start(case, f"follower_told/1=kill@{number}", *DOWNPOUR, workspace=workspace).end(0)
        has(job.err, "process 1 was lost (signal 9); a new process takes its place", "stderr")
        expect_every_step_once(case, workspace, {1: 1})
        replaced += "go on from the last checkpoint" not in job.err
    case.note = f"{replaced} of 8 went on without the others' starting again"
    true(replaced >= 2, case.note)


@check
def a_group_is_replaced_so_often_as_the_job_may_restart(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS, updater=SGD, hidden=64, dropout=0))
    job = start(case, "client_pushed_gradient/1=kill@300", *DOWNPOUR, "-set",
                "cluster.max_restarts=0", workspace="none").end(170)
    has(job.err, "process 1 was lost once (last: signal 9); the job gives up after 0 restarts", "stderr")
