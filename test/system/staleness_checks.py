"""Checks the staleness of asynchronous groups' gradients in rows of metrics.jsonl."""
from case import check, close, equal, has, true
from group_checks import served, workers
from job import csv
from process_checks import APART, processes

STEPS, EVERY, GROUPS = 400, 10, 2
SLICES = 2  # one of each param: they are small
FIELDS = ["staleness_mean", "staleness_max", "staleness"]

ASYNCHRONOUS = {
    "threads": (*workers(1, GROUPS), *served()),
    "processes": processes(1, f"cluster.nworker_groups={GROUPS}"),
}


def job(case, steps=STEPS):
    case.write("points.csv", "".join(f"{i % 3},{i},{i % 5},1,{i % 7}\n" for i in range(60)))
    settings = f"train_steps: {steps} disp_freq: {EVERY}"
    case.write("job.conf", csv("points.csv", settings, 3, lr=1e-4))


def rows_of(case, workspace, group):
    return [row for row in case.rows(workspace, "train") if row["group"] == group]


@check
def rows_count_the_staleness_of_each_update_once(case):
    job(case)
    for name, args in ASYNCHRONOUS.items():
        err = case.train("job.conf", *args, workspace=name).err
        has(err, ", staleness ", "stderr")
        for group in range(GROUPS):
            first, *rows = rows_of(case, name, group)
            equal([field for field in FIELDS if field in first], [], "fields before any update")
            equal(len(rows), STEPS // EVERY - 1, f"rows of group {group}")
            for row in rows:
                expect_counts(row)
        case.note += f"{name} {[row.get('staleness') for row in rows_of(case, name, 0)[-3:]]} "


def expect_counts(row):
    counts = row["staleness"]
    equal(sum(counts), SLICES * EVERY, f"updates of the steps since the last row, {row}")
    true(counts[-1] > 0 and len(counts) <= 32, f"counts {row}")
    equal(min(row["staleness_max"], 31), len(counts) - 1, f"the largest of {row}")
    if len(counts) < 32:
        mean = sum(i * n for i, n in enumerate(counts)) / sum(counts)
        close(row["staleness_mean"], mean, 1e-9, f"the mean of {row}")


@check
def a_bound_on_steps_bounds_staleness(case):
    """A group may begin a step while it is at most k ahead. So the other may be k + 1 steps behind
    when it reads values, and k + 1 ahead when its gradient is applied."""
    job(case, 1000)
    for name, args in ASYNCHRONOUS.items():
        for k in (1, 3):
            bounded = f"{name}{k}"
            case.train("job.conf", *args, "-set", f"cluster.max_staleness={k}", workspace=bounded)
            rows = [row for group in range(GROUPS) for row in rows_of(case, bounded, group)]
            most = max(row.get("staleness_max", 0) for row in rows)
            case.note += f"{bounded}: {most} "
            true(most <= 2 * (k + 1), f"{bounded}: staleness {most}")
            equal(sum(sum(row.get("staleness", [])) for row in rows),
                  GROUPS * SLICES * (1000 - EVERY), f"{bounded}: updates")


@check
def rows_are_silent_where_staleness_has_no_meaning(case):
    job(case, 30)
    for name, args in {"alone": served(), "synchronous": processes(2, APART),
                       "hogwild": workers(1, GROUPS),
                       "replicas": (*ASYNCHRONOUS["threads"], "-set",
                                    f"cluster.nserver_groups={GROUPS}")}.items():
        err = case.train("job.conf", *args, workspace=name).err
        true("staleness" not in err, f"{name}: stderr")
        for row in case.rows(name):
            equal([field for field in FIELDS if field in row], [], f"{name}: fields")
