"""Checks groups that train by themselves between outer steps (cluster.group_sync: kOuter)."""
from signal import SIGKILL

from case import check, equal, has, learned, same_bytes, true
from job import ADAM, mlp
from process_checks import disturbed, processes

ROUNDS = ("cluster.nworker_groups=2", "cluster.nserver_groups=2", "cluster.group_sync=kOuter")
SGD = "type: kSGD learning_rate { type: kFixed base_lr: 0.06 }"


def rounds(freq, *settings):
    """Returns settings of two processes with a group each."""
    return processes(1, *ROUNDS, f"cluster.sync_freq={freq}", *settings)


@check
def groups_in_rounds_end_with_the_same_bytes_in_threads_and_processes(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 23 disp_freq: 5 test_freq: 7", updater=ADAM))
    case.train("job.conf", *rounds(5), workspace="first")
    case.train("job.conf", *rounds(5), workspace="again")
    threads = [word for setting in (*ROUNDS, "cluster.sync_freq=5", "cluster.nworkers_per_procs=2")
               for word in ("-set", setting)]
    case.train("job.conf", *threads, workspace="threads")
    for name in ("again", "threads"):
        same_bytes(case.newest(name), case.newest("first"))
        equal(learned(case.rows(name, "test")), learned(case.rows("first", "test")), f"tests of {name}")


@check
def checkpoints_and_tests_within_a_round_change_nothing(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1", updater=ADAM))
    case.train("job.conf", *rounds(10), workspace="whole")
    case.train("job.conf", *rounds(10), "-set", "checkpoint_freq=13", "-set", "test_freq=7", workspace="more")
    same_bytes(case.newest("more"), case.newest("whole"))
    equal(sorted(learned(case.rows("more", "train"))), sorted(learned(case.rows("whole", "train"))), "rows")


@check
def a_job_in_rounds_that_loses_a_process_changes_nothing(case):
    """Its checkpoints are within rounds."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 1500 disp_freq: 5 checkpoint_freq: 47",
                               updater=ADAM))
    apart = ("cluster.server_worker_separate=true",)  # servers in processes without workers
    case.train("job.conf", *rounds(20), workspace="undisturbed")
    for rank, settings in ((0, ()), (1, ()), (0, apart)):
        args, lost = rounds(20, *settings), f"lost{rank}{'-apart' if settings else ''}"
        job = case.start_job("job.conf", *args, workspace=lost)
        disturbed(case, lost, job, rank, SIGKILL, 300)
        job.end(0)
        has(job.err, f"process {rank} was lost", "stderr")
        same_bytes(case.newest(lost), case.newest("undisturbed"))


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
def groups_without_servers_of_their_own_cannot_train_in_rounds(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 10"))
    wrong = ("-set", "cluster.nworker_groups=4", "-set", "cluster.nserver_groups=2",
             "-set", "cluster.group_sync=kOuter")
    has(case.train("job.conf", *wrong, code=78).err,
        "cluster.nserver_groups: error: must be nworker_groups, 4, with group_sync: kOuter, is 2", "stderr")
