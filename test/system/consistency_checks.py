"""Checks worker groups under a consistency model (ClusterProto.user_consistency)."""
from signal import SIGKILL, SIGTERM

from case import check, equal, has, same_bytes, true
from group_checks import workers
from job import mlp
from process_checks import disturbed, processes
from process_group_checks import ASYNCHRONOUS, SGD, groups

TOGETHER = "cluster.user_consistency=kSynchronous"
THREADS = (*workers(1, groups=3), "-set", TOGETHER, "-set", "num_openblas_threads=1")
PLACES = {
    "threads": THREADS,
    "processes": groups((TOGETHER,)),
    "separate": groups((*ASYNCHRONOUS["downpour"], TOGETHER)),
}
SETTINGS = ("train_steps: 300 disp_freq: 10 test_freq: 90 test_steps: 2 checkpoint_freq: 70 "
            "checkpoint_keep: 2 seed: 3")


def write_job(case, settings=SETTINGS):
    case.write("job.conf", mlp(case.site.data, settings, updater=SGD, hidden=64, dropout=0))


def expect_together(case, workspace):
    """Expects that group g's gradient is applied after exactly those of the g groups before it."""
    rows = [row for row in case.rows(workspace, "train") if "staleness" in row]
    true(len(rows) >= 3 * 28, f"{len(rows)} rows tell staleness: all but the first of a start")
    for row in rows:
        equal((row["staleness_mean"], row["staleness_max"]), (row["group"],) * 2, f"row {row}")


@check
def groups_that_take_steps_together_compute_the_same_bytes_each_time(case):
    write_job(case)
    for name, args in PLACES.items():
        case.train("job.conf", *args, workspace=name)
        case.train("job.conf", *args, workspace=f"{name}-again")
        same_bytes(case.newest(name), case.newest(f"{name}-again"))
        same_bytes(case.newest(name), case.newest("threads"))
        equal(case.steps(name), [280, 300], "checkpoints")
        expect_together(case, name)


@check
def groups_that_are_stopped_go_on_together(case):
    write_job(case, SETTINGS.replace("checkpoint_freq: 70", "checkpoint_freq: 0"))
    for name, args in PLACES.items():
        case.train("job.conf", *args, workspace=f"quiet-{name}")
        job = case.start_job("job.conf", *args, workspace=name)
        job.wait_until(lambda name=name: case.last_step(name) > 40, "step 40")
        job.send(SIGTERM)
        job.end(143)
        case.train("job.conf", "-resume", *args, workspace=name)
        same_bytes(case.newest(name), case.newest(f"quiet-{name}"))
        expect_together(case, name)


def expect_same_bytes_after_losses(case, args, ranks):
    write_job(case, SETTINGS.replace("300", "900"))
    case.train("job.conf", *args, workspace="quiet")
    for rank in ranks:
        lost = f"lost{rank}"
        job = case.start_job("job.conf", *args, workspace=lost)
        disturbed(case, lost, job, rank, SIGKILL, 70)
        job.end(0)
        has(job.err, f"process {rank} was lost (signal 9); all go on from the last checkpoint",
            "stderr")
        same_bytes(case.newest(lost), case.newest("quiet"))


@check
def groups_that_lose_a_process_end_with_the_same_bytes(case):
    expect_same_bytes_after_losses(case, PLACES["separate"], (1, 3))


@check
def a_bound_on_the_servers_bounds_staleness(case):
    write_job(case)
    bound = ("cluster.user_consistency=kBoundedStaleness", "cluster.max_staleness=1")
    case.train("job.conf", *groups(bound), workspace="bounded")
    # Each of two other groups is at most one step ahead of this group when it reads. Each takes at
    # most two more steps until its gradient arrives.
    most = max(row.get("staleness_max", 0) for row in case.rows("bounded", "train"))
    case.note = f"at most {most:.0f}"
    true(0 < most <= 2 * 3, f"staleness of up to {most}")


@check
def what_groups_cannot_do_together_is_named(case):
    write_job(case)
    args = groups((TOGETHER, "warmup_steps=5"))
    has(case.train("job.conf", *args, code=78).err, "must not be set with warmup_steps", "stderr")
    args = groups(("cluster.user_consistency=kSynchronos",))
    has(case.train("job.conf", *args, code=78).err, "did you mean \"kSynchronous\"", "stderr")
    has(case.train("job.conf", *processes(1, TOGETHER)).err, "has no effect with one worker group",
        "stderr")
