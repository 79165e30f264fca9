"""Checks which rows metrics.jsonl has, and their values."""
import time

from case import check, close, equal, has, tensors, true
from job import dense, mlp

TRAIN_FIELDS = ["time", "phase", "step", "group", "layer", "loss", "accuracy", "samples_per_second",
                "step_ms", "data_wait_ms", "bytes_sent", "lr", "epoch"]


def steps(rows):
    return [row["step"] for row in rows]


def train(case, settings, **net):
    case.train(mlp(case.site.data, settings, **net))


@check
def lines_that_others_wrote_stay(case):
    train(case, "train_steps: 4 disp_freq: 1 test_steps: 1")
    path = case.path("ws/metrics.jsonl")
    rows = path.read_text().splitlines(keepends=True)
    path.write_text("".join([rows[0], "# a note\n", *rows[1:]]))
    case.train("job.conf", "-test")
    now = path.read_text().splitlines(keepends=True)
    equal(now[:-1], [rows[0], "# a note\n", *rows[1:]], "rows before")


@check
def a_training_row_has_the_fields_of_the_contract(case):
    before = time.time()
    train(case, "train_steps: 21 disp_freq: 5")
    rows = case.rows(phase="train")
    for row in rows:
        equal([name for name in TRAIN_FIELDS if name not in row], [], "fields that a row lacks")
        true(before - 1 <= row["time"] <= time.time() + 1, f"time {row['time']}")
        equal((row["group"], row["layer"], row["bytes_sent"]), (0, "loss", 0),
              "group, layer, bytes_sent")
        true(0 <= row["accuracy"] <= 1 and row["loss"] > 0, f"loss or accuracy of {row}")
        true(0 <= row["data_wait_ms"] <= row["step_ms"], f"data_wait_ms of {row}")
        close(row["samples_per_second"] * row["step_ms"], 50 * 1000, 1e-3,
              "samples_per_second x step_ms")
    true(all(a["time"] <= b["time"] for a, b in zip(rows, rows[1:])), "time runs backwards")


@check
def training_rows_carry_the_index_of_the_step_just_computed(case):
    train(case, "train_steps: 23 disp_freq: 5")
    equal(steps(case.rows(phase="train")), [0, 5, 10, 15, 20], "steps of training rows")


@check
def a_training_row_is_the_mean_over_the_steps_since_the_last(case):
    train(case, "train_steps: 16 disp_freq: 5")
    case.train("job.conf", "-set", "disp_freq=1", workspace="each")
    each = case.rows("each", "train")
    equal(steps(each), list(range(16)), "steps with disp_freq: 1")
    for row in case.rows(phase="train"):
        last = max(0, row["step"] - 4)
        for field in ("loss", "accuracy"):
            values = [one[field] for one in each[last:row["step"] + 1]]
            close(row[field], sum(values) / len(values), 1e-9, f"{field} at step {row['step']}")


@check
def with_disp_freq_0_there_are_no_training_rows(case):
    train(case, "train_steps: 8 test_steps: 1 disp_freq: 0")
    equal(case.rows(phase="train"), [], "training rows")


@check
def tests_run_at_0_at_each_test_freq_and_once_at_the_end(case):
    train(case, "train_steps: 23 test_freq: 10")
    equal(steps(case.rows(phase="test")), [0, 10, 20, 23], "steps of test rows")
    case.train("job.conf", "-set", "train_steps=20", workspace="even")
    equal(steps(case.rows("even", "test")), [0, 10, 20], "steps of test rows where f divides them")


@check
def test_steps_alone_tests_once_at_the_end(case):
    train(case, "train_steps: 9 test_steps: 2")
    equal(steps(case.rows(phase="test")), [9], "steps of test rows")


@check
def rows_tests_validations_and_checkpoints_start_after_their_after(case):
    train(case, """train_steps: 22 disp_freq: 5 disp_after: 2 test_freq: 10 test_after: 3
                   checkpoint_freq: 6 checkpoint_after: 4 validate_freq: 8 validate_after: 5""",
          val=True)
    equal(steps(case.rows(phase="train")), [2, 7, 12, 17], "steps of training rows")
    equal(steps(case.rows(phase="test")), [3, 13, 22], "steps of test rows")
    equal(steps(case.rows(phase="validate")), [5, 13, 21], "steps of validation rows")
    equal(case.steps(), [4, 10, 16, 22], "steps of checkpoints")


@check
def at_step_0_only_tests_run(case):
    train(case, "train_steps: 4 test_freq: 2 validate_freq: 2 checkpoint_freq: 2 disp_freq: 0",
          val=True)
    order = [(row["step"], row["phase"]) for row in case.rows()]
    equal(order, [(0, "test"), (2, "validate"), (2, "test"), (4, "validate"), (4, "test")], "rows")
    equal(case.steps(), [2, 4], "steps of checkpoints")


@check
def train_epochs_counts_steps_over_records_rounded_up(case):
    train(case, "train_epochs: 1 test_epochs: 1", batch=3000, hidden=4)
    equal(case.steps(), [4], "steps of one epoch of 10000 records by 3000")
    case.train("job.conf", "-set", "train_epochs=2", workspace="two")
    equal(case.steps("two"), [7], "steps of two epochs")
    equal(steps(case.rows("two", "test")), [0, 4, 7], "tests after each epoch")


@check
def an_epoch_has_every_record_once_in_any_order(case):
    # With a learning rate that moves nothing, the mean over an epoch is that of the whole store.
    still = "type: kSGD learning_rate { type: kFixed base_lr: 1e-30 }"
    settings = "train_steps: 101 disp_freq: 100 disp_after: 99"
    means = []
    for reading in ("", "shuffle: true", "prefetching: true", "random_skip: 5000"):
        workspace = reading.replace(": ", "_") or "plain"
        case.train(mlp(case.site.data, settings, updater=still, batch=100, dropout=0,
                       reading=reading), workspace=workspace)
        means.append(case.rows(workspace, "train")[0])
    for row in means[1:]:
        close(row["accuracy"], means[0]["accuracy"], 1e-9, "mean accuracy over an epoch")
        close(row["loss"], means[0]["loss"], 1e-6, "mean loss over an epoch")


@check
def test_steps_0_is_the_true_mean_over_the_whole_store(case):
    train(case, "train_steps: 40 test_freq: 40")
    expected = case.rows(phase="test")[-1]
    last = "neuralnet.layer[data#1].store_conf.batchsize="
    for batch in (128, 700, 1999, 2000, 5000):
        case.train("job.conf", "-test", "-set", f"{last}{batch}")
        row = case.rows(phase="test")[-1]
        close(row["accuracy"], expected["accuracy"], 1e-12, f"accuracy by batches of {batch}")
        close(row["loss"], expected["loss"], 1e-5, f"loss by batches of {batch}")
    true(abs(expected["accuracy"] * 2000 - round(expected["accuracy"] * 2000)) < 1e-6,
         f"accuracy {expected['accuracy']} is no count of 2000 records")


@check
def test_steps_counts_batches_from_the_first_record(case):
    train(case, "train_steps: 20 test_steps: 4", test_batch=100)
    case.train("job.conf", "-test", "-set", "neuralnet.layer[data#1].store_conf.batchsize=400",
               "-set", "test_steps=1")
    four, one = case.rows(phase="test")
    close(one["accuracy"], four["accuracy"], 1e-12, "accuracy over 400 records")


@check
def test_appends_a_row_of_the_newest_checkpoint(case):
    train(case, "train_steps: 30 test_freq: 10 disp_freq: 10 checkpoint_freq: 20")
    before = case.rows()
    job = case.train("job.conf", "-test")
    rows = case.rows()
    equal(rows[:-1], before, "rows before the one of -test")
    row = rows[-1]
    equal((row["phase"], row["step"], row["group"], row["layer"]), ("test", 30, 0, "loss"), "row")
    equal((row["loss"], row["accuracy"]), (before[-1]["loss"], before[-1]["accuracy"]),
          "loss and accuracy at the end of training and of -test")
    has(job.err, "test step 30", "stderr")


@check
def training_learns(case):
    train(case, "train_epochs: 4 disp_freq: 100 test_freq: 800", hidden=64, dropout=0)
    accuracy = case.rows(phase="test")[-1]["accuracy"]
    true(accuracy > 0.9, f"test accuracy after 4 epochs is {accuracy}")


@check
def rows_come_each_100_steps_unless_the_job_says_how_often(case):
    conf = mlp(case.site.data, "train_steps: 250", hidden=8)
    err = case.train(conf).err
    equal(steps(case.rows(phase="train")), [0, 100, 200], "steps of rows")
    for step in (0, 100, 200):
        has(err, f"train step {step}: ", "stderr")
    err = case.train("job.conf", "-set", "disp_freq=0", workspace="off").err
    true("train step" not in err, f"a row where disp_freq is 0:\n{err}")
    true('"train"' not in case.path("off/metrics.jsonl").read_text(), "rows of disp_freq 0")


@check
def a_loss_of_weight_0_is_printed_and_trains_nothing(case):
    settings = "train_steps: 20 disp_freq: 5"
    train(case, settings)
    second = dense("side", "relu", 3, 10) + """
  layer { name: "aux" type: kSoftmaxLoss srclayers: "side" srclayers: "data" loss_weight: 0 }"""
    job = case.train(mlp(case.site.data, settings, layers=second), workspace="both")
    has(job.err, "no loss with another loss_weight than 0 depends on the layer", "stderr")
    rows = {name: [(row["step"], row["loss"]) for row in case.rows("both", "train")
                   if row["layer"] == name] for name in ("loss", "aux")}
    equal(rows["loss"], [(row["step"], row["loss"]) for row in case.rows(phase="train")], "rows")
    true(len(rows["aux"]) == 4 and all(1 < loss < 5 for _, loss in rows["aux"]), f"rows {rows}")
    alone, both = (tensors(case.newest(workspace) / "model.safetensors")
                   for workspace in ("ws", "both"))
    equal({name: both[name] for name in alone}, alone, "params")


@check
def rows_say_the_learning_rate_and_the_passes_that_are_done(case):
    decay = """type: kSGD learning_rate { type: kLinear base_lr: 0.1
      linear_conf { change_freq: 100 final_lr: 0.05 } }"""
    conf = mlp(case.site.data, "train_epochs: 2 disp_freq: 50", updater=decay, hidden=8)
    case.train(conf)
    rows = case.rows(phase="train")
    for row in rows:
        close(row["lr"], max(0.1 - 0.0005 * row["step"], 0), 1e-6, f"lr of step {row['step']}")
        close(row["epoch"], (row["step"] + 1) * 50 / 10000, 1e-12, f"epoch of step {row['step']}")
    equal(rows[0]["lr"], 0.1, "lr as the job says it")
    # A resumed run has the rows of an undisturbed one.
    case.train("job.conf", "-set", "train_epochs=1", workspace="two")
    case.train("job.conf", "-resume", workspace="two")
    equal([(row["step"], row["lr"], row["epoch"]) for row in case.rows("two", "train")],
          [(row["step"], row["lr"], row["epoch"]) for row in rows], "rows of a resumed run")
    # Groups of several processes send their rows. Each reads half of the store.
    groups = ("-set", "cluster.nworker_groups=2", "-set", "train_epochs=1")
    case.train("job.conf", *groups, workspace="groups")
    for group in (0, 1):
        sent = [row for row in case.rows("groups", "train") if row["group"] == group]
        equal([(row["step"], row["lr"], row["epoch"]) for row in sent],
              [(0, 0.1, 0.01), (50, 0.075, 0.51)], f"rows of group {group}")
