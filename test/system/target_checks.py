"""Checks jobs whose records have real targets in place of labels."""
import random

from case import check, close, equal, has, same_bytes, true

LOSS = 'layer { name: "loss" type: kEuclideanLoss srclayers: "fc" srclayers: "data:1" }'
SIGMOID = LOSS.replace("kEuclideanLoss", "kSigmoidCrossEntropyLoss")


def rows(count, shares=False):
    """Returns lines of two targets and three numbers; with `shares` the targets are 0 or 1."""
    draw = random.Random(3)
    lines = []
    for _ in range(count):
        a, b, c = (round(draw.uniform(-1, 1), 3) for _ in range(3))
        targets = (int(a > 0), int(b + c > 0.5)) if shares else (2 * a - b, c + 0.5)
        lines.append(",".join(str(number) for number in (*targets, a, b, c)))
    return lines


def job(path="t.csv", loss=LOSS, cluster="", kind="kCSVInput"):
    return f"""name: "targets"
train_steps: 60 disp_freq: 20 checkpoint_freq: 30 num_openblas_threads: 1
train_one_batch {{ alg: kBP }}
updater {{ type: kSGD momentum: 0.9 learning_rate {{ type: kFixed base_lr: 0.05 }} }}
neuralnet {{
  layer {{
    name: "data" type: {kind}
    store_conf {{ path: "{path}" batchsize: 8 shape: 3 num_targets: 2 shuffle: true }}
  }}
  layer {{
    name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf {{ num_output: 2 }}
    param {{ name: "w" init {{ type: kGaussian std: 0.1 }} }}
    param {{ name: "b" init {{ type: kConstant value: 0 }} }}
  }}
  {loss}
}}
cluster {{ workspace: "ws" {cluster} }}
"""


def table(case, lines, name="t.csv"):
    case.write(name, "\n".join(lines) + "\n")


def metric(case, name, workspace="ws"):
    return case.rows(workspace, "train")[-1][name]


@check
def a_regression_learns_the_targets_of_a_table(case):
    table(case, rows(200))
    case.train(job().replace("train_steps: 60", "train_steps: 300"))
    true(metric(case, "loss") < 0.01, f"the loss is {metric(case, 'loss')}")
    true(metric(case, "mae") < 0.1, f"the mean error is {metric(case, 'mae')}")


def r2(targets, predictions):
    """R2 as the mean over columns."""
    scores = []
    for target, prediction in zip(zip(*targets), zip(*predictions)):
        mean = sum(target) / len(target)
        errors = sum((t - p) ** 2 for t, p in zip(target, prediction))
        scores.append(1 - errors / sum((t - mean) ** 2 for t in target))
    return sum(scores) / len(scores)


@check
def r2_is_that_of_all_rows_whatever_the_batches(case):
    lines = rows(90)
    table(case, lines)
    asked = LOSS.replace(" }", " euclidean_loss_conf { r2: true } }")
    case.train(job(loss=asked))
    out = case.run("predict", "-conf", "job.conf", "t.csv").out.splitlines()
    equal(out[0], "record,label,target0,target1", "the header")
    out = out[-90:]
    predictions = [[float(number) for number in line.split(",")[-2:]] for line in out]
    want = r2([[float(number) for number in line.split(",")[:2]] for line in lines], predictions)
    true(want < 0.9999, f"R2 is {want}, nothing to compare")
    for batch in (8, 45, 90):
        case.run("-conf", "job.conf", "-test", "-set",
                 f"neuralnet.layer[data].store_conf.batchsize={batch}")
        close(case.rows(phase="test")[-1]["r2"], want, 1e-4, f"R2 of batches of {batch}")
    case.train(job(loss=asked, cluster="nworkers_per_group: 2 nworkers_per_procs: 2"),
               workspace="two")
    case.train(job(loss=asked, cluster="nworkers_per_group: 2"), workspace="processes")
    for workspace in ("two", "processes"):
        close(metric(case, "r2", workspace), metric(case, "r2"), 1e-3, f"R2 of {workspace}")
    case.train(job(), workspace="unasked")
    true("r2" not in case.rows("unasked", "train")[-1], "a row has a metric that nobody asked for")


@check
def a_test_shows_the_accuracy_of_each_class(case):
    draw = random.Random(7)
    lines = []
    for _ in range(60):
        a, b = draw.uniform(-1, 1), draw.uniform(-1, 1)
        lines.append(f"{int(a > 0.5)},{a:.3f},{b:.3f}")
    table(case, lines)
    loss = ('layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" '
            "softmaxloss_conf { per_class: true } }")
    case.train(job(loss=loss).replace("shape: 3 num_targets: 2", "shape: 2"))
    true("accuracy_0" not in case.rows(phase="train")[-1], "training shows each class")
    case.run("-conf", "job.conf", "-test")
    row = case.rows(phase="test")[-1]
    ones = sum(line.startswith("1") for line in lines)
    whole = (row["accuracy_0"] * (60 - ones) + row["accuracy_1"] * ones) / 60
    close(row["accuracy"], whole, 1e-6, "the accuracy of both classes")


@check
def targets_follow_their_records_whoever_reads_them(case):
    table(case, rows(90))
    case.train(job())
    case.train("job.conf", "-set", "neuralnet.layer[data].store_conf.decode_threads=3",
               workspace="threads")
    same_bytes(case.newest("threads"), case.newest())
    case.train("job.conf", "-set", "train_steps=30", workspace="resumed")
    case.train("job.conf", "-resume", workspace="resumed")
    same_bytes(case.newest("resumed"), case.newest())
    case.train(job(cluster="nworkers_per_group: 2 nworkers_per_procs: 2"), workspace="two")
    close(metric(case, "loss", "two"), metric(case, "loss"), 1e-4, "the loss of two workers")


@check
def a_kvfile_keeps_the_targets_of_a_table(case):
    table(case, rows(90))
    case.run("data", "convert", "-targets", "2", "t.csv", "t.bin")
    has(case.run("data", "stat", "t.bin").out, "target   min", "the statistics")
    case.train(job())
    case.train(job("t.bin", kind="kRecordInput"), workspace="records")
    same_bytes(case.newest("records"), case.newest())
    case.run("data", "convert", "t.bin", "back.csv")
    case.run("data", "convert", "-targets", "2", "back.csv", "again.bin")
    true(case.path("again.bin").read_bytes() == case.path("t.bin").read_bytes(), "it differs")


@check
def a_bad_target_is_named_by_file_and_line(case):
    for text, message in (("1", "has 1 number; the first 2 are targets"),
                          ("1,x,1,2,3", 'target 2 in column 2 is "x"'),
                          ("1,nan,1,2,3", 'target 2 in column 2 is "nan"')):
        lines = rows(20)
        lines[4] = text
        table(case, lines)
        has(case.train(job(), code=65).err, f"t.csv:5: record 4: {message}", "stderr")


@check
def a_target_outside_of_0_to_1_is_named_by_its_record(case):
    lines = rows(20, shares=True)
    lines[7] = "1,1.5,0,0,0"
    table(case, lines)
    err = case.train(job(loss=SIGMOID).replace("shuffle: true", ""), code=65).err
    has(err, "record 7", "stderr")
    has(err, 'a target is 1.5, layer "loss" allows 0 to 1', "stderr")


@check
def several_labels_are_learned_and_predicted_without_targets(case):
    lines = rows(200, shares=True)
    table(case, lines)
    case.train(job(loss=SIGMOID).replace("base_lr: 0.05", "base_lr: 1"))
    true(metric(case, "accuracy") > 0.9, f"the accuracy is {metric(case, 'accuracy')}")
    true(metric(case, "f1") > 0.9, f"F1 is {metric(case, 'f1')}")
    table(case, [",".join(line.split(",")[2:]) for line in lines], "rows.csv")
    scores = []
    for name in ("t.csv", "rows.csv"):
        out = case.run("predict", "-conf", "job.conf", name).out
        scores.append([line.split(",")[2:] for line in out.splitlines()[1:]])
    equal(scores[0], scores[1], "the probabilities")
    equal(len(scores[0]), 200, "the number of rows")
    true(all(0 <= float(score) <= 1 for row in scores[0] for score in row), "no probability")


@check
def classes_are_weighed_over_the_whole_batch(case):
    draw = random.Random(5)
    lines = []
    for _ in range(60):
        a, b = draw.uniform(-1, 1), draw.uniform(-1, 1)
        lines.append(f"{int(a > 0.8)},{a:.3f},{b:.3f}")
    table(case, lines)
    loss = ('layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" '
            "softmaxloss_conf { class_weight: [1, 9] } }")
    for i, cluster in enumerate((
            "", "nworkers_per_group: 3 nworkers_per_procs: 3", "nworkers_per_group: 2",
            "nworkers_per_group: 2 nservers_per_group: 2 server_worker_separate: true",
            "nworkers_per_group: 2 nworkers_per_procs: 2 all_reduce {}")):
        conf = job(loss=loss, cluster=cluster)
        case.train(conf.replace("shape: 3 num_targets: 2", "shape: 2"), workspace=f"ws{i}")
        close(metric(case, "loss", f"ws{i}"), metric(case, "loss", "ws0"), 1e-4,
              f"the loss with {cluster}")
