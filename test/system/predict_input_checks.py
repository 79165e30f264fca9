"""Checks `singa predict` on other INPUTs than the net's own store, and on INPUTs with mistakes."""
from case import check, equal, has, true
from job import dense
from predict_checks import (IMAGES, LABELS, all_close, class_folders, digit, png, predict, scores,
                            table, trained)

WORKSPACE = 'cluster { workspace: "ws" }'


def encoded_job(path):
    """Returns a net on records that are image files, of two classes."""
    return f"""name: "encoded" train_steps: 3 num_openblas_threads: 1
train_one_batch {{ alg: kBP }}
updater {{ type: kSGD learning_rate {{ type: kFixed base_lr: 0.1 }} }}
neuralnet {{
  layer {{ name: "data" type: kRecordInput
          store_conf {{ path: "{path}" batchsize: 5 shape: 28 shape: 28 encoded: true }} }}
{dense("fc", "data", 1, 10)}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }}
}}
{WORKSPACE}
"""


@check
def predict_decodes_records_that_are_image_files(case):
    class_folders(case, "classes", lambda n: f"digit {n}")
    case.run("data", "convert", "-encoded", "classes", "files.kv")
    case.run("data", "convert", "-encoded", "-to", "lmdb", "classes", "files.lmdb")
    case.train(encoded_job("files.kv"))
    expected = predict(case, "classes")
    true(len(table(expected.out)[1]) == 60, "pictures")
    for source in ("files.kv", "files.lmdb"):
        job = predict(case, source)
        equal(scores(job.out), scores(expected.out), f"scores by {source}")
        equal(job.err, expected.err, f"accuracy by {source}")
    case.run("data", "convert", "-shape", "28,28", "classes", "plain.csv", "-to", "textfile")
    equal(scores(predict(case, "plain.csv").out), scores(expected.out), "scores by numbers")


@check
def predict_needs_no_names_of_classes(case):
    case.write("torn.tar", "no tar")
    trained(case)
    idx = case.site.data / IMAGES
    expected = predict(case, idx)
    sets = [word for item in ("backend=imagefolder", "path=torn.tar", "label_path=")
            for word in ("-set", f"neuralnet.layer[data#0].store_conf.{item}")]
    job = predict(case, *sets, idx)
    has(job.err, "warning: the names of the classes are not known: ", "stderr")
    equal(job.out, expected.out, "scores")


@check
def predict_prints_what_stands_before_a_bad_record(case):
    trained(case)
    idx = case.site.data / IMAGES
    expected = scores(predict(case, idx).out)
    case.run("data", "convert", "-to", "textfile", idx, "records.csv")
    lines = case.path("records.csv").read_text().splitlines()
    for count in (3, 100, 130):
        case.write("bad.csv", "\n".join([*lines[:count], "1,2", *lines[count:200]]) + "\n")
        job = predict(case, "bad.csv", code=65)
        has(job.err, f"bad.csv:{count + 1}: record {count}: ", "stderr")
        all_close(scores(job.out), expected[:count], f"scores of {count} records")


@check
def a_flag_of_predict_that_makes_no_sense_is_2(case):
    trained(case)
    idx = case.site.data / IMAGES
    labels = case.site.data / LABELS
    has(predict(case, "-layer", "fc", idx, code=2).err, 'did you mean "fc1"?', "stderr")
    has(predict(case, "-set", "foo", idx, code=2).err, "-set needs path=value", "stderr")
    has(predict(case, "-from", "synthetic", idx, code=2).err, "-from: ", "stderr")
    has(predict(case, "-from", "nonsense", idx, code=2).err, "-from: ", "stderr")
    has(case.run("predict", "-conf", "-topk", "3", idx, code=2).err, "-conf needs a value",
        "stderr")
    has(predict(case, "-layer", "-no_labels", idx, code=2).err, "-layer needs a value", "stderr")
    has(predict(case, "-topk", "-1", idx, code=2).err, "must be >= 1, is -1", "stderr")
    case.write("one.png", png(digit(case, 0)))
    case.write("one.csv", ",".join(["0"] * 784) + "\n")
    for source in ("one.png", "one.csv", "-"):
        has(predict(case, "-labels", labels, source, code=2).err, "-labels is for records of idx",
            "stderr")
    has(predict(case, "-labels", labels, idx, idx, code=2).err, "-labels is of one INPUT", "stderr")
    predict(case, "-labels", labels, idx)


@check
def predict_and_export_of_a_net_too_large_for_the_machine_are_69(case):
    trained(case)
    wide = "neuralnet.layer[fc1].innerproduct_conf.num_output=1000000000"
    idx = case.site.data / IMAGES
    has(predict(case, "-set", wide, idx, code=69).err, "MiB of memory", "stderr")
    job = case.run("export", "onnx", "-conf", "job.conf", "-checkpoint", "ws", "-set", wide,
                   "out.onnx", code=69)
    has(job.err, "MiB of memory", "stderr")
    has(case.run("-conf", "job.conf", "-test", "-set", wide, code=69).err, "MiB of memory",
        "stderr")
