"""Checks a GPT whose workers divide the heads of its attention (partition_dim: 1)."""
from attention_checks import gpt, write_words
from case import check, equal, learned, same_bytes, true
from group_checks import workers
from job import MOMENTUM
from partition_checks import near
from process_checks import PLACES, processes

BY_UNITS = ("-set", "neuralnet.partition_dim=1")
BATCH = 48  # as many rows for each of four workers


def write(case, updater=MOMENTUM):
    write_words(case)
    case.write("job.conf", gpt(updater, 20, BATCH))


@check
def workers_that_divide_heads_of_attention_train_the_gpt_of_one(case):
    for updater in (MOMENTUM, MOMENTUM + " clip_norm: 0.5"):
        write(case, updater)
        for number, more in enumerate(((), ("-set", "accumulate_steps=2"))):
            case.train("job.conf", *more, workspace=f"one{number}")
            for count in (2, 4):
                divided = f"{count}-{number}"
                case.train("job.conf", *more, *BY_UNITS, *workers(count), workspace=divided)
                # Rounding grows over the steps of two blocks.
                near(case.newest(f"one{number}"), case.newest(divided), f"{count} workers", 1e-4)
                for a, b in zip(case.rows(f"one{number}"), case.rows(divided), strict=True):
                    true(abs(a["loss"] - b["loss"]) < 1e-4, f"rows {a} and {b}")


@check
def processes_that_divide_heads_of_attention_compute_the_bytes_of_threads(case):
    write(case)
    case.train("job.conf", *BY_UNITS, *workers(2), workspace="threads")
    for place, settings in PLACES.items():
        case.train("job.conf", *BY_UNITS, *processes(2, *settings), workspace=place)
        same_bytes(case.newest("threads"), case.newest(place))
        equal(learned(case.rows(place, "train")), learned(case.rows("threads", "train")), place)


@check
def workers_that_divide_heads_of_attention_resume_with_equal_bytes(case):
    write(case)
    for settings, name in ((workers(4), "threads"), (processes(2), "processes")):
        case.train("job.conf", *BY_UNITS, *settings, workspace=name)
        half = f"{name}-half"
        case.train("job.conf", *BY_UNITS, *settings, "-set", "train_steps=10", workspace=half)
        case.train("job.conf", *BY_UNITS, *settings, "-resume", workspace=half)
        same_bytes(case.newest(name), case.newest(half))
