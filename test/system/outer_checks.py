"""Checks groups that train by themselves between outer steps (cluster.group_sync: kOuter)."""
import shutil
from signal import SIGKILL

from case import check, differing_tensors, equal, has, learned, same_bytes, tensors, true
from job import ADAM, mlp
from process_checks import disturbed, processes

ROUNDS = ("cluster.nworker_groups=2", "cluster.nserver_groups=2", "cluster.group_sync=kOuter")
# Exchanges of 8 bits, three in each round.
STREAMED = ("cluster.outer_compression=kInt8", "cluster.outer_fragments=3")
# The last takes outer steps four steps after their rounds have ended.
KINDS = {"": (), "-streamed": STREAMED, "-overlapped": (*STREAMED, "cluster.outer_overlap=4")}
# The least and the most bytes that are sent, of those of kNone.
SHARES = {"kNone": (1, 1), "kFp16": (0.49, 0.52), "kInt8": (0.24, 0.28)}
SGD = "type: kSGD learning_rate { type: kFixed base_lr: 0.06 }"


def rounds(freq, *settings):
    """Returns settings of two processes with a group each."""
    return processes(1, *ROUNDS, f"cluster.sync_freq={freq}", *settings)


@check
def groups_in_rounds_end_with_the_same_bytes_in_threads_and_processes(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 23 disp_freq: 5 test_freq: 7", updater=ADAM))
    for kind, more in KINDS.items():
        first = f"first{kind}"
        err = case.train("job.conf", *rounds(5, *more), workspace=first).err
        has(err, ", 2 groups of 1 worker of 1 thread, in 2 processes, gradients by ", "stderr")
        case.train("job.conf", *rounds(5, *more), workspace=f"again{kind}")
        threads = [word for setting in (*ROUNDS, "cluster.sync_freq=5", "cluster.nworkers_per_procs=2", *more)
                   for word in ("-set", setting)]
        case.train("job.conf", *threads, workspace=f"threads{kind}")
        for name in (f"again{kind}", f"threads{kind}"):
            same_bytes(case.newest(name), case.newest(first))
            equal(learned(case.rows(name, "test")), learned(case.rows(first, "test")), f"tests of {name}")
    models = [case.newest(f"first{kind}") / "model.safetensors" for kind in KINDS]
    true(differing_tensors(*models[:2]), "kInt8 changes nothing")
    true(differing_tensors(*models[1:]), "the overlap changes nothing")


@check
def checkpoints_and_tests_within_a_round_change_nothing(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1", updater=ADAM))
    for kind, more in KINDS.items():
        whole, often, args = f"whole{kind}", f"often{kind}", rounds(10, *more)
        case.train("job.conf", *args, workspace=whole)
        case.train("job.conf", *args, "-set", "checkpoint_freq=13", "-set", "test_freq=7", workspace=often)
        same_bytes(case.newest(often), case.newest(whole))
        equal(sorted(learned(case.rows(often, "train"))), sorted(learned(case.rows(whole, "train"))), "rows")


@check
def a_job_that_resumes_within_a_round_ends_with_the_same_bytes(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1 checkpoint_freq: 13", updater=ADAM))
    jobs = {"kNone": ("cluster.outer_fragments=3",), "kInt8": STREAMED,
            "overlapped": (*STREAMED, "cluster.outer_overlap=7")}  # from step 7 to 14
    for kind, more in jobs.items():
        args = rounds(10, *more)
        case.train("job.conf", *args, workspace=kind)
        shutil.copytree(case.path(kind), case.path(f"{kind}-two"))
        for step in (26, 30):
            shutil.rmtree(case.path(f"{kind}-two/checkpoint/step{step}"))
        state = tensors(case.newest(f"{kind}-two") / "state.safetensors")
        early = any(name.endswith("/step") for name in state)
        equal(early, kind == "overlapped", "the checkpoint has outer steps that are not due")
        job = case.train("job.conf", *args, "-resume", workspace=f"{kind}-two")
        true("exactly" not in job.err, f"a warning:\n{job.err}")
        same_bytes(case.newest(f"{kind}-two"), case.newest(kind))
        equal(sorted(learned(case.rows(f"{kind}-two", "train"))), sorted(learned(case.rows(kind, "train"))), "rows")


@check
def a_job_that_resumes_at_its_last_step_ends_the_round(case):
    """The job that wrote the checkpoint had more steps. With an overlap, an outer step is under way at its step."""
    case.write("job.conf", mlp(case.site.data, "disp_freq: 1 checkpoint_freq: 14 test_freq: 100", updater=ADAM))
    last = ("-set", "train_steps=14")
    for kind, more in KINDS.items():
        args, whole, name = rounds(10, *more), f"whole{kind}", f"cut{kind}"
        case.train("job.conf", *args, *last, workspace=whole)
        case.train("job.conf", *args, "-set", "train_steps=16", workspace=name)
        shutil.rmtree(case.path(f"{name}/checkpoint/step16"))
        models = [case.newest(each) / "model.safetensors" for each in (whole, name)]
        true(differing_tensors(*models), "the last round changes nothing")
        for again in (False, True):
            job = case.train("job.conf", *args, *last, "-resume", workspace=name)
            equal("checkpoint committed" in job.err, not again, "a checkpoint is written")
            same_bytes(case.newest(name), case.newest(whole))
            equal(learned(case.rows(name, "test"))[-1], learned(case.rows(whole, "test"))[-1], "tests")


@check
def a_job_in_rounds_that_loses_a_process_changes_nothing(case):
    """Its checkpoints are within rounds."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 1500 disp_freq: 5 checkpoint_freq: 47",
                               updater=ADAM))
    apart = ("cluster.server_worker_separate=true",)  # servers in processes without workers
    for kind, more in KINDS.items():
        case.train("job.conf", *rounds(20, *more), workspace=f"undisturbed{kind}")
        for rank, settings in ((0, ()), (1, ()), (0, apart)):
            args, lost = rounds(20, *settings, *more), f"lost{rank}{'-apart' if settings else ''}{kind}"
            job = case.start_job("job.conf", *args, workspace=lost)
            disturbed(case, lost, job, rank, SIGKILL, 300)
            job.end(0)
            has(job.err, f"process {rank} was lost", "stderr")
            same_bytes(case.newest(lost), case.newest(f"undisturbed{kind}"))


@check
def rare_rounds_send_few_bytes(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 301 disp_freq: 300", updater=SGD, hidden=256))
    sent = {}
    for freq in (1, 100):
        case.train("job.conf", *rounds(freq), workspace=f"each{freq}")
        rows = [row for row in case.rows(f"each{freq}", "process") if row["step"] == 300]
        sent[freq] = sum(row["bytes_sent"] for row in rows)
    case.note = f"{sent[100] / sent[1]:.4f}"
    true(sent[100] < 0.015 * sent[1], f"every 100 steps: {sent[100]} bytes, each step: {sent[1]}")


@check
def compressed_rounds_send_fewer_bytes_and_learn_as_well(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 401 disp_freq: 400", updater=SGD, hidden=256))
    sent, accuracy = {}, {}
    for name, (least, most) in SHARES.items():
        args = rounds(10, f"cluster.outer_compression={name}")
        case.train("job.conf", *args, "-set", "test_freq=400", workspace=name)
        sent[name] = sum(row["bytes_sent"] for row in case.rows(name, "process") if row["step"] == 400)
        accuracy[name] = case.rows(name, "test")[-1]["accuracy"]
        share = sent[name] / sent["kNone"]
        case.note += f"{name} {share:.4f}, {accuracy[name]:.4f}; "
        true(least <= share <= most, f"{name} sends {share:.4f} of all bytes, not {least} to {most}")
        true(accuracy[name] > accuracy["kNone"] - 0.005, f"{name}: accuracy {accuracy[name]}, not {accuracy['kNone']}")


@check
def fragments_spread_the_bytes_over_a_round(case):
    """A round has 40 steps and 4 fragments. The bytes of a fragment are in one or two rows of 5 steps, those of others
    in other rows."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 201 disp_freq: 5", updater=SGD, hidden=256))
    most, total = {}, {}
    for fragments in (1, 4):
        args = rounds(40, f"cluster.outer_fragments={fragments}")
        case.train("job.conf", *args, workspace=f"of{fragments}")
        sent = {}
        for row in case.rows(f"of{fragments}", "process"):
            if 65 < row["step"] <= 185:  # three rounds
                sent[row["step"]] = sent.get(row["step"], 0) + row["bytes_sent"]
        most[fragments], total[fragments] = max(sent.values()), sum(sent.values())
    case.note = f"the most of a row {most[4] / most[1]:.3f}, all bytes {total[4] / total[1]:.3f}"
    true(most[4] < 0.4 * most[1], f"most bytes of a row: {most}")
    true(abs(total[4] / total[1] - 1) < 0.05, f"bytes of all rows: {total}")


@check
def more_fragments_than_slices_take_no_memory_or_time(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 5"))
    most = 2 ** 31 - 1
    case.train("job.conf", *rounds(most, f"cluster.outer_fragments={most}"), workspace="ws")
    equal(case.steps("ws"), [5], "checkpoints")


@check
def the_last_step_of_a_job_that_counts_in_epochs_ends_a_round(case):
    case.write("job.conf", mlp(case.site.data, "train_epochs: 1", batch=300, updater=ADAM))
    by_steps = ("-set", "train_epochs=0", "-set")
    apart = ("cluster.server_worker_separate=true",)  # servers that know no records
    for kind, more in KINDS.items():
        args, epochs, steps = rounds(5, *more), f"epochs{kind}", f"steps{kind}"
        case.train("job.conf", *args, workspace=epochs)
        equal(case.steps(epochs), [17], "steps of half of 10000 records by 300")
        case.train("job.conf", *rounds(5, *apart, *more), workspace=f"apart{kind}")
        case.train("job.conf", *args, *by_steps, "train_steps=17", workspace=steps)
        for name in (f"apart{kind}", steps):
            same_bytes(case.newest(name), case.newest(epochs))
    case.train("job.conf", *rounds(5), *by_steps, "train_steps=15", workspace="rounds")
    models = [case.newest(name) / "model.safetensors" for name in ("epochs", "rounds")]
    true(differing_tensors(*models), "the last two steps change nothing")


@check
def groups_in_rounds_take_equally_many_steps_of_an_epoch(case):
    """Three groups have 3333 or 3334 of 10000 records. A share of 3334 alone has a fourth batch. The first group's share,
    3333, sets the number of steps."""
    case.write("job.conf", mlp(case.site.data, "train_epochs: 1", batch=1111, updater=ADAM))
    three = ("cluster.nworker_groups=3", "cluster.nserver_groups=3")
    case.train("job.conf", *rounds(3, *three), workspace="processes")
    equal(case.steps("processes"), [3], "steps")
    case.train("job.conf", *rounds(3, *three, "cluster.nworkers_per_procs=3"), workspace="threads")
    same_bytes(case.newest("threads"), case.newest("processes"))


@check
def groups_without_servers_of_their_own_cannot_train_in_rounds(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 10"))
    wrong = ("-set", "cluster.nworker_groups=4", "-set", "cluster.nserver_groups=2",
             "-set", "cluster.group_sync=kOuter")
    for words, count in ((wrong, 2), ((*wrong, "-set", "cluster.nserver_groups=1"), 1)):
        has(case.train("job.conf", *words, code=78).err,
            f"cluster.nserver_groups: error: must be nworker_groups, 4, with group_sync: kOuter, is {count}", "stderr")
