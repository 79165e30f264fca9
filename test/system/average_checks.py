"""Checks averages of values (ema_decay), early stopping, and schedules in epochs."""
from case import check, equal, has, same_bytes, tensors, true
from group_checks import served, workers
from job import ADAM, csv, mlp
from process_checks import PLACES, processes
from process_group_checks import ASYNCHRONOUS, groups

SETTINGS = "train_steps: 20 disp_freq: 1 ema_decay: 0.75"


@check
def a_job_with_averages_resumes_to_the_same_bytes(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS, batch=13))
    for place, args in (("alone", []), ("threads", workers(2)), ("servers", processes(2, *PLACES["spread"]))):
        case.train("job.conf", *args, workspace=place)
        case.train("job.conf", *args, "-set", "train_steps=9", workspace="halves")
        case.train("job.conf", *args, "-resume", workspace="halves")
        same_bytes(case.newest(place), case.newest("halves"))


@check
def what_reads_a_checkpoint_gets_the_averages(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS, batch=13))
    case.train("job.conf", workspace="ws")
    case.run("ckpt", "export", "ws", "out.safetensors")
    averages, values = tensors(case.path("out.safetensors")), tensors(case.newest("ws") / "model.safetensors")
    state = tensors(case.newest("ws") / "state.safetensors")
    for name, average in averages.items():
        equal(average, state[f"updater/{name}/ema_decay"], f"average of {name}")
        true(average != values[name], f"the average of {name} is its value")


@check
def averages_leave_the_training_as_it_is(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS, batch=13))
    case.train("job.conf", workspace="with")
    case.train("job.conf", "-set", "ema_decay=0", workspace="without")
    equal(tensors(case.newest("with") / "model.safetensors"), tensors(case.newest("without") / "model.safetensors"),
          "values")


@check
def a_resumed_job_without_averages_drops_only_these(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS, updater=ADAM, batch=13))
    case.train("job.conf", "-set", "train_steps=2", workspace="ws")
    err = case.train("job.conf", "-resume", "-set", "ema_decay=0", "-set", "train_steps=3", workspace="ws").err
    has(err, "the averages in ws/checkpoint/step2 are dropped: ema_decay is 0", "stderr")
    true("are not used" not in err, "the states of kAdam are used")


PATIENCE = 'train_steps: 400 validate_freq: 2 validate_steps: 1 checkpoint_best: "accuracy" stop_patience: 3'


@check
def a_training_ends_early_and_a_resumed_one_at_the_same_step(case):
    case.write("job.conf", mlp(case.site.data, PATIENCE, batch=13, val=True))
    for place, args in (("alone", []), ("shared", processes(2))):
        ended = case.train("job.conf", *args, workspace=place)
        has(ended.err, "stopped early at step", "stderr")
        has(ended.err, "done: ", "stderr")
        true(case.steps(place)[-1] < 400, "the training did not end early")
        case.train("job.conf", *args, "-set", "train_steps=4", workspace="halves")
        case.train("job.conf", *args, "-resume", workspace="halves")
        same_bytes(case.newest(place), case.newest("halves"))
        again = case.train("job.conf", *args, "-resume", workspace=place)
        has(again.err, "stopped early at step", "stderr")
        has(again.err, "; a larger stop_patience goes on", "stderr")
        same_bytes(case.newest(place), case.newest("halves"))


# So small a rate changes no value, so the first evaluation, at step 2, is the best.
STILL = ("train_steps: 4000 disp_freq: 1 checkpoint_best: 'accuracy' stop_patience: 3", 5)


def ends_at_step_8(case, workspace, *args):
    err = case.train("job.conf", *args, workspace=workspace).err
    has(err, "stopped early at step 8: the accuracy was not better in 3 tests; the best is ", "stderr")
    equal(case.steps(workspace), [2, 8], f"{workspace}: checkpoints")
    equal(case.best(workspace), "step2", f"{workspace}: best")


@check
def tests_end_a_training_early_if_there_are_no_validations(case):
    case.write("points.csv", "".join(f"{i % 3},{i},{-i},1,2\n" for i in range(10)))
    case.write("job.conf", csv("points.csv", *STILL, lr=1e-30))
    ends_at_step_8(case, "steps", "-set", "test_freq=2")
    ends_at_step_8(case, "epochs", "-set", "test_epochs=1")
    equal(case.rows("epochs", "test")[-1]["step"], 8, "step of the last test")


@check
def worker_groups_and_processes_end_early_together(case):
    case.write("points.csv", "".join(f"{i % 3},{i},{-i},1,2\n" for i in range(30)))
    case.write("job.conf", csv("points.csv", *STILL, lr=1e-30))
    outer = [*workers(1, 2), *served("nserver_groups=2", "sync_freq=5", "group_sync=kOuter")]
    for name, args in {"hogwild": workers(1, 3), "outer": outer, "downpour": groups(ASYNCHRONOUS["downpour"]),
                       "master": groups(ASYNCHRONOUS["master"])}.items():
        args = [*args, "-set", "test_freq=2"]
        ends_at_step_8(case, name, *args)
        has(case.train("job.conf", "-resume", *args, workspace=name).err, "; a larger stop_patience goes on", "stderr")
        equal(case.steps(name), [2, 8], f"{name}: checkpoints of the resumed run")
    for group in range(2):  # these groups take their steps together
        steps = [row["step"] for row in case.rows("outer", "train") if row["group"] == group]
        equal(steps, list(range(8)), f"rows of group {group}")


@check
def a_schedule_in_epochs_is_the_one_in_steps(case):
    case.write("points.csv", "".join(f"{i % 3},{i},{-i},1,2\n" for i in range(10)))
    net = csv("points.csv", "train_steps: 12 disp_freq: 1", 5, lr=1e-4)
    case.write("job.conf", net)
    epochs = ["-set", "updater.learning_rate.unit=kEpochs", "-set", "updater.learning_rate.warmup_steps=2"]
    case.train("job.conf", *epochs, workspace="epochs")
    case.train("job.conf", "-set", "updater.learning_rate.warmup_steps=4", workspace="steps")
    equal([row["lr"] for row in case.rows("epochs", "train")], [row["lr"] for row in case.rows("steps", "train")],
          "rates")
