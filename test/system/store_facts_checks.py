"""What a store says of itself is compared with the conf, and with what training reads."""
from bad_record_checks import png
from case import check, equal, has, true
from record_order_checks import job as pair_job, layer as pair_layer, numbers

COLOURS = {"blue": (20, 40, 190), "red": (190, 40, 20)}


def pictures(case, folder, classes=COLOURS, count=12):
    for number, (name, colour) in enumerate(classes.items()):
        for i in range(count):
            part = [min(255, c + i) for c in colour]
            case.write(f"{folder}/{name}/{i:02}.png", png(tuple(part)))


def stores(case):
    """The same pictures as raw Datums, as Datums of image files, and as a folder."""
    pictures(case, "folder")
    case.run("data", "convert", "-to", "lmdb", "folder", "raw")
    case.run("data", "convert", "-encoded", "-to", "lmdb", "folder", "encoded")


def data(phase, path, backend="lmdb", more="", shape=(3, 8, 8)):
    sizes = " ".join(f"shape: {size}" for size in shape)
    return f"""  layer {{ name: "data" type: kRecordInput include: {phase}
    store_conf {{ backend: "{backend}" path: "{path}" batchsize: 6 {sizes} {more} }} }}
"""


def job(inputs, classes=2, settings="train_steps: 4 test_freq: 4"):
    return f"""name: "facts" {settings}
train_one_batch {{ alg: kBP }}
updater {{ type: kSGD learning_rate {{ type: kFixed base_lr: 0.001 }} }}
neuralnet {{
{inputs}
  layer {{ name: "fc" type: kInnerProduct srclayers: "data"
    innerproduct_conf {{ num_output: {classes} }}
    param {{ name: "w" init {{ type: kGaussian std: 0.01 }} }}
    param {{ name: "b" init {{ type: kConstant value: 0 }} }} }}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }}
}}
cluster {{ workspace: "ws" }}
"""


def warned(case, conf, text, code=0):
    """In a check, in training and in a test of what was trained."""
    case.write("job.conf", conf)
    has(case.run("check", "job.conf", code=code).err, text, "stderr of a check")
    err = case.train("job.conf", code=code).err
    has(err, text, "stderr of a training")
    equal(err.count(text), 1, "times that a training says it")
    if code == 0:
        has(case.run("-conf", "job.conf", "-test").err, text, "stderr of a test")


def silent(case, conf):
    case.write("job.conf", conf)
    for args in (("check", "job.conf"), ("-conf", "job.conf"), ("-conf", "job.conf", "-test")):
        err = case.run(*args).err
        true("warning" not in err, f"{args} warns:\n{err}")


@check
def raw_datums_and_decoded_pictures_in_one_job_are_warned_of(case):
    stores(case)
    folder = ("folder", "imagefolder")
    for train, test in ((("raw",), ("encoded",)), (("encoded",), ("raw",)), (("raw",), folder)):
        warned(case, job(data("kTrain", *train) + data("kTest", *test)),
               "Caffe's raw Datums have blue first")
    for train, test in ((("raw",), ("raw",)), (("encoded",), folder), (folder, ("encoded",))):
        silent(case, job(data("kTrain", *train) + data("kTest", *test)))


@check
def predicting_decoded_pictures_of_a_net_of_raw_datums_is_warned_of(case):
    stores(case)
    picture = "folder/red/00.png"
    case.train(job(data("kTrain", "raw") + data("kTest", "raw")))
    for given in (picture, "folder", "encoded"):
        has(case.run("predict", "-conf", "job.conf", given).err,
            f"singa: warning: {given}: holds decoded pictures, the net learned from raw Datums",
            "stderr")
    true("warning" not in case.run("predict", "-conf", "job.conf", "raw").err, "raw is warned of")
    case.train(job(data("kTrain", "encoded") + data("kTest", "encoded")))
    true("warning" not in case.run("predict", "-conf", "job.conf", picture).err, "it warns")
    has(case.run("predict", "-conf", "job.conf", "raw").err, "raw: holds raw Datums", "stderr")


@check
def class_folders_that_are_numbered_otherwise_are_warned_of(case):
    pictures(case, "train")
    pictures(case, "test", {"azure": COLOURS["blue"], "red": COLOURS["red"]})
    warned(case, job(data("kTrain", "train", "imagefolder") + data("kTest", "test", "imagefolder")),
           'label 0 is class folder "azure", in training "blue"')


@check
def more_class_folders_than_classes_are_65_and_fewer_are_warned_of(case):
    pictures(case, "train", {"a": (9, 9, 9), **COLOURS})
    both = data("kTrain", "train", "imagefolder") + data("kTest", "train", "imagefolder")
    warned(case, job(both), 'store_conf.path: has 3 class folders, layer "loss" has 2 classes',
           code=65)
    case.write("job.conf", job(both, classes=5))
    for args in (("check", "job.conf"), ("-conf", "job.conf")):
        has(case.run(*args).err, "5 classes: the last 2 have no record", "stderr")
    silent(case, job(both, classes=3))


@check
def sizes_of_a_shape_in_another_order_are_78(case):
    case.write("batch.bin", bytes([3] + [7] * 3072) * 6)
    both = "".join(data(phase, "batch.bin", "cifar10", shape=(32, 32, 3))
                   for phase in ("kTrain", "kTest"))
    warned(case, job(both, classes=10),
           "store_conf.shape: is 32, 32, 3, the records' own is 3, 32, 32", code=78)
    for shape in ((3, 32, 32), (3072,), (3, 1024)):
        silent(case, job("".join(data(phase, "batch.bin", "cifar10", shape=shape)
                                 for phase in ("kTrain", "kTest")), classes=10))


@check
def check_finds_a_first_record_of_another_size(case):
    case.write("batch.bin", bytes([3] + [7] * 3072) * 6)
    numbers(case, "x.csv", 1)
    numbers(case, "y.csv", 2)
    both = "".join(data(phase, "batch.bin", "cifar10", shape=(3, 28, 28))
                   for phase in ("kTrain", "kTest"))
    csv = pair_job(pair_layer("x", "", shape="shape: 2") + pair_layer("y", ""))
    for conf, text in ((job(both, classes=10), "is 3, 28, 28, that of the first record 3, 32, 32"),
                       (csv, "layer[x].store_conf.shape: is 2, that of the first record 1")):
        case.write("job.conf", conf)
        has(case.run("check", "job.conf", code=65).err, text, "stderr of a check")
        has(case.train(conf, code=65).err, "record 0: holds", "stderr of a training")


@check
def settings_that_a_test_has_not_as_training_are_warned_of(case):
    stores(case)
    for one, two, field in (("std_value: 255", "", "std_value"),
                            ("mean_value: 127", "mean_value: 128", "mean_value")):
        warned(case, job(data("kTrain", "raw", more=one) + data("kTest", "raw", more=two)),
               f"store_conf.{field}: is not as in training")
    silent(case, job(data("kTrain", "raw", more="std_value: 1") + data("kTest", "raw")))


@check
def check_finds_stores_of_other_lengths(case):
    numbers(case, "x.csv", 1)
    numbers(case, "y.csv", 2, records=9)
    case.write("job.conf", pair_job(pair_layer("x", "") + pair_layer("y", "")))
    has(case.run("check", "job.conf", code=78).err,
        'layer[y].store_conf.path: has 9 records, that of layer "x" 37', "stderr")


@check
def a_resumed_job_whose_class_folders_were_renamed_says_so(case):
    pictures(case, "train")
    both = data("kTrain", "train", "imagefolder") + data("kTest", "train", "imagefolder")
    case.train(job(both))
    true("classes" not in case.train("job.conf", "-resume", "-set", "train_steps=6").err, "it warns")
    case.path("train/blue").rename(case.path("train/azure"))
    has(case.train("job.conf", "-resume", "-set", "train_steps=8").err, '"classes" is not as it was',
        "stderr")
