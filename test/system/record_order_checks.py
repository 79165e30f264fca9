"""Checks nets with several input layers: record i of one meets record i of the others."""
from case import check, equal, has, true

RECORDS = 37  # no multiple of the batch: batches run across the ends of epochs


def numbers(case, name, factor, records=RECORDS, bad=()):
    """Writes a CSV file: record i is factor i. Records of `bad` have a number too many."""
    case.write(name, "".join(f"{factor * i}{',1' if i in bad else ''}\n" for i in range(records)))


def layer(name, reading, more="", kind="kCSVInput", shape="shape: 1"):
    return f"""  layer {{ name: "{name}" type: {kind} {more}
    store_conf {{ path: "{name}.csv" batchsize: 8 {shape} has_label: false {reading} }} }}
"""


def job(inputs, cluster="", settings="train_steps: 40 disp_freq: 1"):
    """Returns a job. Its loss is 0 on each step in which y is always 2 x."""
    return f"""name: "pairs" {settings}
train_one_batch {{ alg: kBP }}
updater {{ type: kSGD learning_rate {{ type: kFixed base_lr: 1e-30 }} }}
neuralnet {{
{inputs}
  layer {{ name: "twice" type: kInnerProduct srclayers: "x" innerproduct_conf {{ num_output: 1 }}
    param {{ name: "w" init {{ type: kConstant value: 2 }} }}
    param {{ name: "b" init {{ type: kConstant value: 0 }} }} }}
  layer {{ name: "loss" type: kEuclideanLoss srclayers: "twice" srclayers: "y" }}
}}
cluster {{ workspace: "ws" {cluster} }}
"""


def paired(case, workspace="ws", phase="train"):
    rows = case.rows(workspace, phase=phase)
    true(rows, f"no rows of {phase}")
    equal([row["loss"] for row in rows], [0] * len(rows), f"losses of {workspace}")


def pairs(case):
    numbers(case, "x.csv", 1)
    numbers(case, "y.csv", 2)


READINGS = {
    "shuffle": "shuffle: true",
    "skip": "random_skip: 20",
    "both": "shuffle: true random_skip: 5000 decode_threads: 3",
}


@check
def two_readers_stay_paired_whatever_the_order_the_workers_and_groups(case):
    pairs(case)
    clusters = {"one": "", "rows": "nworkers_per_group: 3", "groups": "nworker_groups: 2",
                "processes": "nworkers_per_group: 2 nworkers_per_procs: 1"}
    for kind, reading in READINGS.items():
        for name, cluster in clusters.items():
            workspace = f"{kind}_{name}"
            case.train(job(layer("x", reading) + layer("y", reading), cluster),
                       workspace=workspace)
            paired(case, workspace)


@check
def readers_with_other_numbers_of_decoding_threads_stay_paired(case):
    pairs(case)
    case.train(job(layer("x", "shuffle: true decode_threads: 4") + layer("y", "shuffle: true")))
    paired(case)


@check
def two_kinds_of_input_layer_stay_paired(case):
    pairs(case)
    case.run("data", "convert", "-no_labels", "-shape", "1", "y.csv", "y.bin")
    inputs = (layer("x", "shuffle: true")
              + layer("y", "shuffle: true", kind="kRecordInput").replace("y.csv", "y.bin"))
    case.train(job(inputs))
    paired(case)


@check
def two_readers_that_went_on_at_a_checkpoint_stay_paired(case):
    pairs(case)
    inputs = layer("x", "shuffle: true random_skip: 9") + layer("y", "shuffle: true random_skip: 9")
    case.train(job(inputs, settings="train_steps: 13 disp_freq: 1 checkpoint_freq: 13"))
    case.train(job(inputs), "-resume")
    rows = case.rows()
    equal([row["step"] for row in rows], list(range(40)), "steps")
    paired(case)


@check
def a_test_and_a_validation_read_two_stores_in_their_order(case):
    pairs(case)
    case.train(job(layer("x", "shuffle: true") + layer("y", "shuffle: true"),
                   settings="train_steps: 5 disp_freq: 1 test_freq: 5 validate_freq: 5"))
    for phase in ("train", "test", "validate"):
        paired(case, phase=phase)


@check
def a_record_that_is_bad_in_one_store_is_skipped_in_both(case):
    numbers(case, "x.csv", 1, bad=(3, 20, 36))
    numbers(case, "y.csv", 2, bad=(4, 11))
    skip = "on_bad_record: kSkip"
    for name, reading in (("plain", skip), ("shuffled", f"{skip} shuffle: true decode_threads: 2")):
        for workers in (1, 2):
            case.train(job(layer("x", reading) + layer("y", reading),
                           f"nworkers_per_group: {workers}"), workspace=f"{name}{workers}")
            paired(case, f"{name}{workers}")
    equal(case.rows("plain1")[-1]["bad_records"], 5, "bad records, each of one store")
    numbers(case, "y.csv", 2)
    case.train(job(layer("x", skip) + layer("y", "")), workspace="one")
    paired(case, "one")
    numbers(case, "y.csv", 2, bad=(4,))
    err = case.train(job(layer("x", skip) + layer("y", "")), code=65, workspace="other").err
    has(err, "y.csv", "stderr")


@check
def three_readers_stay_paired_or_are_refused(case):
    pairs(case)
    numbers(case, "z.csv", 0)
    more = """  layer { name: "sum" type: kEuclideanLoss srclayers: "twice" srclayers: "z2" }
  layer { name: "z2" type: kInnerProduct srclayers: "z" innerproduct_conf { num_output: 1 }
    param { name: "w2" init { type: kConstant value: 2 } }
    param { name: "b2" init { type: kConstant value: 0 } } }
"""
    numbers(case, "z.csv", 1)
    three = "".join(layer(name, "shuffle: true random_skip: 3") for name in "xyz") + more
    case.train(job(three))
    true(all(row.get("loss", 0) == 0 for row in case.rows()), "a pair is broken")
    numbers(case, "z.csv", 1, records=RECORDS + 1)
    err = case.train(job(three), code=78, workspace="longer").err
    has(err, f"layer[z].store_conf.path: has {RECORDS + 1} records", "stderr")


@check
def stores_of_other_lengths_are_78_in_every_phase(case):
    pairs(case)
    numbers(case, "y.csv", 2, records=RECORDS - 1)
    both = layer("x", "") + layer("y", "")
    err = case.train(job(both), code=78).err
    has(err, f"layer[y].store_conf.path: has {RECORDS - 1} records, that of layer \"x\" {RECORDS}",
        "stderr")
    numbers(case, "y.csv", 2)
    numbers(case, "t.csv", 2, records=5)
    tested = (layer("x", "") + layer("y", "", "include: kTrain")
              + layer("y", "", "include: kTest").replace("y.csv", "t.csv"))
    err = case.train(job(tested, settings="train_steps: 5 test_freq: 5"), code=78).err
    has(err, "has 5 records", "stderr")


@check
def input_layers_that_ask_for_other_orders_are_78(case):
    pairs(case)
    for one, two, field in (("shuffle: true", "", "layer[y].store_conf.shuffle: must be true"),
                            ("", "shuffle: true", "layer[x].store_conf.shuffle: must be true"),
                            ("random_skip: 9", "", "layer[y].store_conf.random_skip: must be 9"),
                            ("random_skip: 9", "random_skip: 8", "random_skip: must be 9")):
        err = case.train(job(layer("x", one) + layer("y", two)), code=78).err
        has(err, field, "stderr")
    other = layer("y", "").replace("batchsize: 8", "batchsize: 9")
    has(case.train(job(layer("x", "") + other), code=78).err, "store_conf.batchsize", "stderr")


@check
def orders_that_only_training_has_may_differ_in_a_test(case):
    pairs(case)
    inputs = (layer("x", "shuffle: true") + layer("y", "shuffle: true", "include: kTrain")
              + layer("y", "", "include: kTest"))
    case.train(job(inputs, settings="train_steps: 5 disp_freq: 1 test_freq: 5"))
    paired(case)
    paired(case, phase="test")


def cut_job(cutting, cluster=""):
    """Returns a job. Its loss is 0 on each step in which the cuts of y are 2 times those of x. The
    second loss is always 0, and has the params."""
    images = "".join(layer(name, "shuffle: true", shape="shape: 1 shape: 6 shape: 6")
                     for name in "xy")
    return f"""name: "cuts" train_steps: 20 disp_freq: 1 train_one_batch {{ alg: kBP }}
updater {{ type: kSGD learning_rate {{ type: kFixed base_lr: 1e-30 }} }}
neuralnet {{
{images}
  layer {{ name: "a" type: kImagePreprocess srclayers: "x" rgbimage_conf {{ scale: 2 {cutting} }} }}
  layer {{ name: "b" type: kImagePreprocess srclayers: "y" rgbimage_conf {{ {cutting} }} }}
  layer {{ name: "loss" type: kEuclideanLoss srclayers: "a" srclayers: "b" }}
  layer {{ name: "fc" type: kInnerProduct srclayers: "a" innerproduct_conf {{ num_output: 1 }}
    param {{ name: "w" init {{ type: kConstant value: 0 }} }}
    param {{ name: "c" init {{ type: kConstant value: 0 }} }} }}
  layer {{ name: "none" type: kInnerProduct srclayers: "b" innerproduct_conf {{ num_output: 1 }}
    param {{ name: "w2" init {{ type: kConstant value: 0 }} }}
    param {{ name: "c2" init {{ type: kConstant value: 0 }} }} }}
  layer {{ name: "second" type: kEuclideanLoss srclayers: "fc" srclayers: "none" }}
}}
cluster {{ workspace: "ws" {cluster} }}
"""


@check
def pictures_and_their_masks_are_cut_alike(case):
    for name, factor in (("x", 1), ("y", 2)):
        case.write(f"{name}.csv", "".join(",".join(str(factor * (37 * i + k)) for k in range(36))
                                          + "\n" for i in range(RECORDS)))
    for number, cutting in enumerate(("cropsize: 4", "mirror: true",
                                      "cropsize: 3 mirror: true pad: 2")):
        for workers in (1, 2):
            workspace = f"cut{number}by{workers}"
            case.train(cut_job(cutting, f"nworkers_per_group: {workers}"), workspace=workspace)
            rows = [row for row in case.rows(workspace, phase="train") if row["layer"] == "loss"]
            true(rows, "no rows of the loss")
            equal([row["loss"] for row in rows], [0] * len(rows), f"losses with {cutting}")
