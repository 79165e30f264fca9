"""Checks several worker groups, each of several processes."""
from signal import SIGTERM

from case import check, equal, has, same_bytes, true
from consistency_checks import SETTINGS, TOGETHER, expect_same_bytes_after_losses, write_job
from group_checks import workers
from job import mlp
from process_checks import APART
from process_group_checks import SGD
from text_checks import write_deep

GROUPS, PROCESSES, EACH = 2, 2, 2  # processes of a group, workers of a process
KEPT_TOGETHER = {
    "downpour": (APART,),
    "spread": (APART, "cluster.nservers_per_group=3"),
    "separate": ("cluster.nservers_per_group=2", "cluster.server_worker_separate=true"),
    "bounded": (APART, "cluster.max_staleness=2", "warmup_steps=10"),
    "master": ("cluster.nserver_groups=2", "cluster.sync_freq=5"),
    "elastic": ("cluster.nserver_groups=2", "cluster.sync_freq=2", "cluster.group_sync=kElastic",
                "cluster.elastic_alpha=0.3"),
}


def wide(*settings, each=EACH):
    """Returns settings: processes 0 and 1 have group 0, processes 2 and 3 have group 1."""
    return [word for setting in (f"cluster.nworker_groups={GROUPS}",
                                 f"cluster.nworkers_per_group={PROCESSES * each}",
                                 f"cluster.nworkers_per_procs={each}",
                                 "num_openblas_threads=1") + settings
            for word in ("-set", setting)]


def expect_rows(case, workspace, steps, batch):
    for group in range(GROUPS):
        rows = [row for row in case.rows(workspace, "train") if row["group"] == group]
        equal([row["step"] for row in rows], steps, f"{workspace}: rows of group {group}")
        parts = [row for row in case.rows(workspace, "process") if row["group"] == group]
        ranks = [group * PROCESSES + part for part in range(PROCESSES)]
        equal([(row["step"], row["rank"]) for row in parts],
              [(step, rank) for step in steps for rank in ranks], f"{workspace}: rows of processes")
        for first, second in zip(parts[::2], parts[1::2]):
            equal(first["rows"] + second["rows"], batch, "rows of the batch")
            equal((first["workers"], second["workers"]), (EACH, EACH), "workers")


@check
def groups_of_several_processes_learn_and_go_on(case):
    steps = "train_steps: 900 disp_freq: 50 test_freq: 900"
    case.write("job.conf", mlp(case.site.data, steps, updater=SGD, hidden=64, dropout=0, batch=50))
    for name, settings in KEPT_TOGETHER.items():
        args = wide(*settings)
        first = case.train("job.conf", "-set", "train_steps=420", *args, workspace=name)
        has(first.err, "2 groups of 4 workers", "stderr")
        case.train("job.conf", "-resume", *args, workspace=name)
        accuracy = case.rows(name, phase="test")[-1]["accuracy"]
        case.note += f"{name} {accuracy:.4f} "
        true(accuracy > (0.6 if name == "elastic" else 0.85), f"{name} learned {accuracy}")
        expect_rows(case, name, list(range(0, 900, 50)), 50)


@check
def groups_of_several_processes_that_take_steps_together_compute_the_bytes_of_threads(case):
    write_job(case, SETTINGS.replace("disp_freq: 10", "disp_freq: 1"))  # no rows are added up later
    threads = (*workers(PROCESSES, groups=GROUPS), "-set", TOGETHER, "-set",
               "num_openblas_threads=1")
    case.train("job.conf", *threads, workspace="threads")
    for name in ("downpour", "separate"):
        case.train("job.conf", *wide(*KEPT_TOGETHER[name], TOGETHER, each=1), workspace=name)
        same_bytes(case.newest(name), case.newest("threads"))


@check
def groups_of_several_processes_go_on_as_if_nothing_had_been(case):
    args = wide(*KEPT_TOGETHER["spread"], TOGETHER, "updater.clip_norm=2", each=1)
    expect_same_bytes_after_losses(case, args, range(GROUPS * PROCESSES))


# A recurrent layer's state from batch to batch belongs to rows, and so to processes.
@check
def state_of_rows_is_collected_from_all_processes_of_a_group(case):
    write_deep(case, 150)
    args = wide(*KEPT_TOGETHER["downpour"], TOGETHER, each=1)
    case.train("job.conf", *args, workspace="quiet")
    job = case.start_job("job.conf", *args)
    job.wait_until(lambda: case.last_step() > 30, "step 30")
    job.send(SIGTERM)
    job.end(143)
    case.train("job.conf", "-resume", *args)
    same_bytes(case.newest(), case.newest("quiet"))
    rows, quiet = ({(row["group"], row["step"]): row["loss"] for row in case.rows(name, "train")}
                   for name in ("ws", "quiet"))
    equal(sorted(rows), sorted(quiet), "groups and steps of rows")
    for key, loss in quiet.items():
        true(abs(rows[key] - loss) < 1e-6 * loss, f"{key}: {rows[key]}, undisturbed {loss}")
