"""Checks worker groups in processes of their own, asynchronous to each other."""
from signal import SIGKILL, SIGTERM

from case import check, equal, has, tensors, true
from group_checks import workers
from job import csv, mlp
from process_checks import disturbed, processes

SGD = "type: kSGD learning_rate { type: kFixed base_lr: 0.06 }"

# Each worker group has one worker in one process. The settings say how groups are kept in sync.
ASYNCHRONOUS = {
    "downpour": ("cluster.nservers_per_group=2", "cluster.server_worker_separate=true"),
    "bounded": ("cluster.max_staleness=2", "warmup_steps=10"),
    "master": ("cluster.nserver_groups=3", "cluster.sync_freq=5"),
    "ring": ("cluster.nserver_groups=3", "cluster.sync_freq=5", "cluster.group_sync=kRing"),
    "elastic": ("cluster.nserver_groups=3", "cluster.sync_freq=2",
                "cluster.group_sync=kElastic", "cluster.elastic_alpha=0.3"),
}


def groups(settings):
    return processes(1, "cluster.nworker_groups=3", *settings)


@check
def groups_in_processes_learn_and_go_on(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 900 disp_freq: 50 test_freq: 900",
                               updater=SGD, hidden=64, dropout=0))
    for name, settings in ASYNCHRONOUS.items():
        args = groups(settings)
        case.train("job.conf", "-set", "train_steps=420", *args, workspace=name)
        case.train("job.conf", "-resume", *args, workspace=name)
        accuracy = case.rows(name, phase="test")[-1]["accuracy"]
        case.note += f"{name} {accuracy:.4f} "
        # With a centre each group takes its own steps alone, a third as many as together.
        true(accuracy > (0.6 if name == "elastic" else 0.85), f"{name} learned {accuracy}")
        if name in ("master", "ring"):  # each group of servers counts its own updates
            for counted, (_, _, data) in tensors(case.newest(name) / "state.safetensors").items():
                if counted.endswith("/count"):
                    equal(int.from_bytes(data, "little"), 900, f"{name}: {counted}")
        for phase in ("train", "process"):
            for group in range(3):
                steps = [row["step"] for row in case.rows(name, phase) if row["group"] == group]
                equal(steps, list(range(0, 900, 50)), f"{name}: {phase} rows of group {group}")


@check
def the_best_checkpoint_of_groups_is_of_the_values_that_were_tested(case):
    best = "train_steps: 400 disp_freq: 100 test_freq: 40 checkpoint_best: 'accuracy'"
    case.write("job.conf", mlp(case.site.data, best, updater=SGD, hidden=64, dropout=0))
    kinds = {name: groups(ASYNCHRONOUS[name]) for name in ("downpour", "master", "elastic")}
    for name, args in {"hogwild": workers(1, 3), **kinds}.items():
        case.train("job.conf", *args, workspace=name)
        step = int(case.best(name)[4:])
        tested = [row for row in case.rows(name, "test") if row["step"] == step]
        case.run("-conf", "job.conf", "-test", "-set", f"cluster.workspace={name}-best",
                 "-set", f"checkpoint_path={name}/checkpoint/best")
        again = case.rows(f"{name}-best", "test")
        for key in ("accuracy", "loss"):
            equal(again[0][key], tested[0][key], f"{name}: {key} of the best checkpoint")


@check
def a_resumed_run_leaves_the_checkpoint_of_its_start_as_it_was(case):
    steps = "train_steps: 40 disp_freq: 10 checkpoint_freq: 20"
    case.write("job.conf", mlp(case.site.data, steps, updater=SGD, hidden=64, dropout=0))
    for name in ("downpour", "master"):
        args = groups(ASYNCHRONOUS[name])
        case.train("job.conf", *args, workspace=name)
        before = {file.name: file.read_bytes() for file in case.newest(name).iterdir()}
        case.train("job.conf", "-resume", "-set", "train_steps=60", *args, workspace=name)
        equal(case.steps(name), [20, 40, 60], "checkpoints")
        for file, content in before.items():
            again = case.path(f"{name}/checkpoint/step40/{file}").read_bytes()
            true(again == content, f"{name}: {file} of step 40 was written again")


@check
def a_lost_group_goes_on_with_the_others(case):
    steps = "train_steps: 900 disp_freq: 10 test_freq: 900 checkpoint_freq: 50 checkpoint_keep: 2"
    case.write("job.conf", mlp(case.site.data, steps, updater=SGD, hidden=64, dropout=0))
    for rank in range(3):
        lost = f"lost{rank}"
        job = case.start_job("job.conf", *groups(ASYNCHRONOUS["master"]), workspace=lost)
        disturbed(case, lost, job, rank, SIGKILL, 150)
        job.end(0)
        has(job.err, f"process {rank} was lost", "stderr")
        for group in range(3):
            steps = [row["step"] for row in case.rows(lost, "train") if row["group"] == group]
            equal(steps, list(range(0, 900, 10)), f"rows of group {group}")
        true(case.rows(lost, "test")[-1]["accuracy"] > 0.85, "accuracy")


@check
def groups_in_processes_stop_for_a_signal_and_go_on_from_their_own_steps(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 2000 disp_freq: 20", batch=20))
    for name in ("downpour", "bounded", "ring"):
        job = case.start_job("job.conf", *groups(ASYNCHRONOUS[name]), workspace=name)
        job.wait_until(lambda name=name: case.last_step(name) > 100, "step 100")
        job.send(SIGTERM)
        job.end(143)
        case.train("job.conf", "-resume", *groups(ASYNCHRONOUS[name]), workspace=name)
        for group in range(3):
            steps = [row["step"] for row in case.rows(name, "train") if row["group"] == group]
            equal(sorted(set(steps)), steps, f"{name}: rows of group {group}")
            equal(steps[-1], 1980, f"{name}: last row of group {group}")


@check
def names_of_any_length_may_be_sent(case):
    long = "n" * 70_000
    case.write("points.csv", "0,3,1,1,1\n1,1,3,1,1\n2,1,1,3,1\n")
    conf = csv("points.csv", "train_steps: 20 disp_freq: 10", 1)
    conf = conf.replace('"loss"', f'"{long}loss"').replace('"fc"', f'"{long}fc"')
    case.train(conf, *groups(ASYNCHRONOUS["downpour"]))
    for group in range(3):
        rows = [row for row in case.rows(phase="train") if row["group"] == group]
        equal([row["step"] for row in rows], [0, 10], f"rows of group {group}")
        expected = f"{long}loss" if group == 0 else "n" * 997 + "..."
        true(all(row["layer"] == expected and row["loss"] > 0 for row in rows),
             f"rows of group {group}")
    case.write("points.csv", "0,900,1,1,1\n1,1,800,1,1\n2,1,1,700,1\n")
    case.train("job.conf", *groups(ASYNCHRONOUS["downpour"]), "-set",
               "updater.learning_rate.base_lr=1e37", code=79)


@check
def groups_in_processes_that_diverge_end_the_job(case):
    case.write("points.csv", "0,900,1,1,1\n1,1,800,1,1\n2,1,1,700,1\n")
    conf = csv("points.csv", "train_steps: 50 disp_freq: 1", 1, lr=1e37)
    has(case.train(conf, *groups(ASYNCHRONOUS["downpour"]), code=79).err, " is not finite", "stderr")
