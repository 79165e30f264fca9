"""Checks that a store's facts are compared with the conf, and with records in training."""
from bad_record_checks import png
from case import check, equal, has, same_bytes, true
from record_order_checks import job as pair_job, layer as pair_layer, numbers

COLOURS = {"blue": (20, 40, 190), "red": (190, 40, 20)}


def pictures(case, folder, classes=COLOURS, count=12):
    for number, (name, colour) in enumerate(classes.items()):
        for i in range(count):
            part = [min(255, c + i) for c in colour]
            case.write(f"{folder}/{name}/{i:02}.png", png(tuple(part)))


def stores(case):
    """Makes the same pictures as raw Datums, as Datums of image files, and as a folder."""
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
    """Expects `text` in a check, in training and in a test of the trained net."""
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


def blue_first(case, source, name):
    """Turns the colours of the raw Datums of `source` round, as Caffe's tools write them."""
    case.run("data", "convert", source, "turned.csv")
    lines = []
    for line in open(case.path("turned.csv")):
        label, *numbers = line.strip().split(",")
        plane = len(numbers) // 3
        lines.append(",".join([label, *numbers[2 * plane:], *numbers[plane:2 * plane],
                               *numbers[:plane]]) + "\n")
    case.write("turned.csv", "".join(lines))
    case.run("data", "convert", "-shape", "3,8,8", "-to", "lmdb", "turned.csv", name)


RED, BLUE = "colour_order: kRedFirst", "colour_order: kBlueFirst"
FOLDER = ("folder", "imagefolder")


@check
def raw_datums_beside_decoded_pictures_are_78_unless_their_order_is_stated(case):
    stores(case)
    for train, test in ((("raw",), ("encoded",)), (("encoded",), ("raw",)), (("raw",), FOLDER)):
        text = "layer[data#{}].store_conf.colour_order: raw holds raw Datums"
        case.write("job.conf", job(data("kTrain", *train) + data("kTest", *test)))
        for args in (("check", "job.conf"), ("-conf", "job.conf")):
            has(case.run(*args, code=78).err, text.format(int(test == ("raw",))), f"{args}")
    for train, test in ((("raw",), ("raw",)), (("encoded",), FOLDER), (FOLDER, ("encoded",))):
        silent(case, job(data("kTrain", *train) + data("kTest", *test)))
    silent(case, job(data("kTrain", "raw", more=RED) + data("kTest", *FOLDER)))
    silent(case, job(data("kTrain", *FOLDER) + data("kTest", "raw", more=RED)))


@check
def raw_datums_with_blue_first_are_turned_round(case):
    stores(case)
    blue_first(case, "raw", "blue")
    mean = case.path("mean.bin")
    case.run("data", "convert", "-to", "kvfile", "-mean", mean, "blue", "blue.kv")
    for more, backend, path in ((BLUE, "lmdb", "blue"), (BLUE, "kvfile", "blue.kv"),
                                (RED, "lmdb", "raw"), ("", *FOLDER[::-1])):
        both = data("kTrain", path, backend, more) + data("kTest", *FOLDER)
        case.train(job(both), workspace=f"of_{path}")
    for name in ("blue", "blue.kv", "raw"):
        same_bytes(case.newest(f"of_{name}"), case.newest("of_folder"))
    case.run("data", "convert", "-to", "kvfile", "-mean", "red.bin", "folder", "red.kv")
    case.train(job(data("kTrain", "blue", more=f'{BLUE} mean_file: "mean.bin"')
                   + data("kTest", *FOLDER, 'mean_file: "red.bin"')), workspace="blue_mean")
    case.train(job(data("kTrain", *FOLDER, 'mean_file: "red.bin"')
                   + data("kTest", *FOLDER, 'mean_file: "red.bin"')), workspace="red_mean")
    same_bytes(case.newest("blue_mean"), case.newest("red_mean"))


@check
def colour_order_is_for_pictures_in_colour(case):
    case.write("job.conf", job(data("kTrain", "raw", more=BLUE, shape=(192,))))
    has(case.run("check", "job.conf", code=78).err,
        "store_conf.colour_order: is for pictures in colour", "stderr")


@check
def predicting_decoded_pictures_of_a_net_of_raw_datums_is_78(case):
    stores(case)
    picture = "folder/red/00.png"
    case.train(job(data("kTrain", "raw") + data("kTest", "raw")))
    setting = "neuralnet.layer[data#{}].store_conf.colour_order"
    for given in (picture, "folder", "encoded"):
        has(case.run("predict", "-conf", "job.conf", given, code=78).err,
            setting.format(0) + ": raw holds raw Datums", "stderr")
        both = [word for layer in (0, 1) for word in ("-set", setting.format(layer) + "=kRedFirst")]
        case.run("predict", "-conf", "job.conf", *both, given)
    true("warning" not in case.run("predict", "-conf", "job.conf", "raw").err, "raw is warned of")
    case.train(job(data("kTrain", "encoded") + data("kTest", "encoded")))
    true("warning" not in case.run("predict", "-conf", "job.conf", picture).err, "it warns")
    has(case.run("predict", "-conf", "job.conf", "raw", code=78).err,
        setting.format(1) + ": raw holds raw Datums", "stderr")
    blue_first(case, "raw", "blue")
    outs = [case.run("predict", "-conf", "job.conf", "-layer", "fc", "-set",
                     f"{setting.format(1)}={order}", given).out.replace("blue/", "raw/")
            for order, given in (("kRedFirst", "raw"), ("kBlueFirst", "blue"), ("kRedFirst", "blue"))]
    equal(outs[1], outs[0], "scores of the turned records")
    true(outs[2] != outs[0], "the order changes no score")


@check
def class_folders_that_are_numbered_otherwise_are_warned_of(case):
    pictures(case, "train")
    pictures(case, "test", {"azure": COLOURS["blue"], "red": COLOURS["red"]})
    warned(case, job(data("kTrain", "train", "imagefolder") + data("kTest", "test", "imagefolder")),
           'label 0 is class "azure", in training "blue"')


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
    for conf, text in ((job(both, classes=10), "batch.bin: record 0: holds 3072 numbers, the shape "
                        "says 2352"),
                       (csv, "x.csv:1: record 0: holds 1 number, the shape says 2")):
        case.write("job.conf", conf)
        has(case.run("check", "job.conf", code=65).err, f"store_conf.shape: {text}",
            "stderr of a check")
        has(case.train(conf, code=65).err, text, "stderr of a training")


@check
def check_finds_a_folder_in_the_place_of_a_store(case):
    case.path("folder").mkdir()
    case.write("labels", "no labels")
    for backend in ("idx", "textfile", "kvfile", "cifar10", "lmdb"):
        more = 'label_path: "labels"' if backend == "idx" else ""
        conf = job("".join(data(phase, "folder", backend, more=more)
                           for phase in ("kTrain", "kTest")))
        case.write("job.conf", conf)
        found = case.run("check", "job.conf", code=66).err
        has(found, "store_conf.path: folder", f"stderr of a check of {backend}")
        case.train(conf, code=66)


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
    has(case.train("job.conf", "-resume", "-set", "train_steps=8").err, '"classes" differs from the checkpoint',
        "stderr")


@check
def labels_beyond_the_classes_are_65_before_training_begins(case):
    pixels = "".join(f"{i % 3},{i},{i + 1}\n" for i in range(12))
    case.write("rows.csv", pixels.replace("2,11,12", "7,11,12"))
    case.write("low.csv", pixels.replace("2,11,12", "-2,11,12"))
    case.run("data", "convert", "-shape", "1,1,2", "rows.csv", "rows.bin")
    case.run("data", "convert", "-shape", "1,1,2", "-to", "lmdb", "rows.csv", "rows")
    case.run("data", "convert", "-shape", "1,1,2", "-to", "idx", "-to_labels", "labels", "rows.csv",
             "pictures")
    kinds = (("rows.csv", "", "path", 7), ("low.csv", "", "path", -2),
             ("rows.bin", 'backend: "kvfile"', "path", 7), ("rows", 'backend: "lmdb"', "path", 7),
             ("pictures", 'backend: "idx" label_path: "labels"', "label_path", 7))
    for path, more, field, label in kinds:
        kind = "kCSVInput" if path.endswith("csv") else "kRecordInput"
        both = "".join(f"""  layer {{ name: "data" type: {kind} include: {phase}
    store_conf {{ path: "{path}" batchsize: 4 shape: 2 {more} }} }}\n"""
                       for phase in ("kTrain", "kTest"))
        file = "labels" if field == "label_path" else path
        text = (f"store_conf.{field}: {file}: record 11: the label is {label}, layer \"loss\" allows "
                "0 to 2")
        case.write("job.conf", job(both, classes=3, settings="train_steps: 1 test_freq: 1"))
        for args in (("check", "job.conf"), ("-conf", "job.conf"), ("bench", "job.conf")):
            has(case.run(*args, code=65).err, text, f"stderr of {args[0]} on {path}")
        for other in ("ignore_label: 7", "ignore_label: -2"):
            loss = f'srclayers: "data" softmaxloss_conf {{ {other} }} }}\n}}'
            case.write("job.conf", job(both, classes=3).replace('srclayers: "data" }\n}', loss))
            true("the label is" not in case.run("check", "job.conf").err, "an ignored label is told")


@check
def classes_that_a_checkpoint_was_trained_on_are_compared(case):
    pictures(case, "train")
    pictures(case, "test")
    both = data("kTrain", "train", "imagefolder") + data("kTest", "test", "imagefolder")
    case.train(job(both))
    case.path("train").rename(case.path("away"))
    case.path("test/blue").rename(case.path("test/tint"))  # behind red
    pictures(case, "train", {"red": COLOURS["red"], "tint": COLOURS["blue"]})
    text = 'label 0 is class "red", in {} "blue"'
    has(case.run("-conf", "job.conf", "-test", code=65).err,
        'the class folder "blue" of the training is missing, so "red" gets label 0, in training 1',
        "stderr of a test")
    err = case.run("predict", "-conf", "job.conf", "test").err
    has(err, text.format("the checkpoint"), "stderr of predict")
    has(err, 'test: "tint" is none of the net\'s classes', "stderr of predict")
    start = job(both, settings='train_steps: 2 checkpoint_path: "ws/checkpoint/step4"')
    has(case.train(start, workspace="tuned").err, text.format("checkpoint_path"), "stderr")
    new = start.replace('name: "w"', 'name: "w2"').replace('name: "b"', 'name: "b"')
    true("class folder" not in case.train(new, workspace="new").err, "it warns of a new last layer")
