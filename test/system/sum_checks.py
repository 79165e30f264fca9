"""Checks that one group ends in the same bytes in any processes, and can continue in others.

sum_topologies.py tries all ways; the checks here some of them.
"""
from case import check, equal, learned, same_bytes, tensors, true
from group_checks import CARRIED, LARGE
from job import ADAM, ADAMW, MOMENTUM, csv, mlp

WAYS = {
    "threads": (),
    "memory": (),
    "tcp": ("share_memory=false",),
    "tcp, two servers": ("share_memory=false", "nservers_per_group=2"),
    "servers apart": ("server_worker_separate=true", "nservers_per_group=2"),
    "all_reduce": ("share_memory=false", "all_reduce.compression=kNone"),
}
STEPS = 12
SETTINGS = f"train_steps: {STEPS} disp_freq: 5 test_freq: {STEPS} checkpoint_freq: 5"
# A batch has 47 rows, so workers have unequal parts. The first weight's gradient comes in pieces.
POINTS = "1,1,1,1,1\n2,2,1,1,1\n0,1,2,1,1\n" * 9


def write_nets(case):
    """Writes the jobs. Each has a part that may depend on processes."""
    nets = {
        "pieces": mlp(case.site.data, SETTINGS, **LARGE),
        "clipped": mlp(case.site.data, SETTINGS, updater=MOMENTUM + " clip_norm: 0.5", **LARGE),
        "adam": mlp(case.site.data, SETTINGS, updater=ADAM, **LARGE),
        "adamw": mlp(case.site.data, SETTINGS, updater=ADAMW, **LARGE).replace(
            "type: kSoftmaxLoss", "type: kSoftmaxLoss loss_weight: 0.3"),
        "skipped": csv("points.csv", SETTINGS + " on_nonfinite: kSkip", 11),
        "norm": CARRIED % (STEPS, "param { init { type: kUniform low: -0.5 high: 0.5 } } " * 9),
    }
    case.write("points.csv", "0,3e38,3e38,3e38,3e38\n" + POINTS)
    case.write("text", "abcdeabdce" * 100)
    case.write("vocabulary", "abcde")
    for name, text in nets.items():
        case.write(f"{name}.conf", text)
    return list(nets)


def cluster(way, workers, each):
    """Returns settings of `workers` workers, `each` a process."""
    settings = (f"nworkers_per_group={workers}", f"nworkers_per_procs={each}") + WAYS[way]
    return [word for setting in settings for word in ("-set", f"cluster.{setting}")]


def ways(workers):
    """Returns each topology of a group of `workers`, threads first."""
    return [("threads", workers)] + [(way, each) for way in list(WAYS)[1:] for each in (1, 2, 3)
                                     if each < workers and workers % each == 0]


def expect_same(case, name, workers, others):
    """Expects that `others`, as of ways(), compute the same as threads."""
    case.train(f"{name}.conf", *cluster("threads", workers, workers), workspace="threads")
    for way, each in others:
        case.train(f"{name}.conf", *cluster(way, workers, each), workspace="other")
        try:
            same_bytes(case.newest("other"), case.newest("threads"))
            rows = [learned(case.rows(ws, phase)) for ws in ("other", "threads")
                    for phase in ("train", "test")]
            equal(rows[:2], rows[2:], "rows")
        except Exception as error:
            raise type(error)(f"{name}: {workers} workers, {way}, {each} a process: {error}")


def expect_same_when_moved(case, name, workers, moves):
    """Expects that a job which moves to other processes ends as one that stayed, without a
    warning."""
    case.train(f"{name}.conf", *cluster("threads", workers, workers), workspace="stays")
    for i, (way, each) in enumerate(moves):
        steps = STEPS * (i + 1) // len(moves)
        job = case.train(f"{name}.conf", *(["-resume"] if i else []), "-set", f"train_steps={steps}",
                         *cluster(way, workers, each), workspace="moves")
        true("differs from the checkpoint" not in job.err, f"numbers may differ: {job.err}")
    same_bytes(case.newest("moves"), case.newest("stays"))


@check
def one_group_computes_the_same_bytes_in_any_processes(case):
    nets = write_nets(case)
    some = [("memory", 3), ("tcp", 3), ("tcp, two servers", 2), ("all_reduce", 3)]
    for i, name in enumerate(nets):
        expect_same(case, name, 6, [some[i % 4], some[(i + 1) % 4]])
    expect_same(case, "clipped", 5, [("tcp", 1), ("memory", 1)])
    skipped = tensors(case.newest("threads") / "state.safetensors")
    true("train/skipped" in skipped, "counts of steps")


@check
def one_group_goes_on_in_any_processes_to_the_same_bytes(case):
    write_nets(case)
    for name, moves in {"pieces": [("threads", 6), ("tcp", 3), ("memory", 2)],
                        "norm": [("memory", 3), ("all_reduce", 2), ("threads", 6), ("tcp", 2)]}.items():
        expect_same_when_moved(case, name, 6, moves)
