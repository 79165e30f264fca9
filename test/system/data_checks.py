"""Checks that any kind of store gives the same records, and the output of `singa data`."""
import gzip
import re
import shutil
import struct

from case import check, equal, has, learned, same_bytes, true
from job import csv, dense, mlp
from predict_checks import class_folders

JOB = "train_steps: 30 disp_freq: 10 test_freq: 30"
IMAGES, LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"


def same_as_idx(case, conf):
    """Expects that `conf`, which reads another store, trains to the same bytes as one with idx."""
    case.train(mlp(case.site.data, JOB))
    case.train(conf, workspace="other")
    same_bytes(case.newest("other"), case.newest())
    equal(learned(case.rows("other")), learned(case.rows()), "rows")


def zipped(case, name):
    return case.write(name + ".gz", gzip.compress((case.site.data / name).read_bytes(), 1))


@check
def gzipped_idx_trains_to_the_same_bytes(case):
    conf = mlp(case.site.data, JOB)
    for name in (IMAGES, LABELS):
        zipped(case, name)
        conf = conf.replace(f"{case.site.data}/{name}", f"{name}.gz")
    same_as_idx(case, conf)


@check
def a_truncated_gzip_file_is_65_and_named(case):
    whole = zipped(case, IMAGES).read_bytes()
    case.write("cut.gz", whole[:len(whole) // 2])
    conf = mlp(case.site.data, JOB).replace(f"{case.site.data}/{IMAGES}", "cut.gz")
    has(case.train(conf, code=65).err, "cut.gz", "stderr")


def converted(case, form, name):
    job = case.run("data", "convert", "-to", form, "-shape", "784", case.site.data / IMAGES, name)
    equal(job.out, "", "stdout of data convert")
    conf = mlp(case.site.data, JOB)
    conf = conf.replace(f'backend: "idx" path: "{case.site.data}/{IMAGES}"',
                        f'backend: "{form}" path: "{name}"')
    return conf.replace(f'label_path: "{case.site.data}/{LABELS}"', "")


@check
def a_converted_kvfile_trains_to_the_same_bytes(case):
    same_as_idx(case, converted(case, "kvfile", "train.bin"))


@check
def an_incomplete_tail_of_a_kvfile_is_a_warning_with_the_count(case):
    conf = converted(case, "kvfile", "train.bin")
    path = case.path("train.bin")
    path.write_bytes(path.read_bytes()[:-100])
    err = case.train(conf).err
    true(re.search(r"^warning: train.bin: the last \d+ bytes are an incomplete record and are left "
                   "out; 9999 records are used$", err, re.MULTILINE), err)


@check
def a_warning_shows_no_control_character_of_a_files_name(case):
    converted(case, "kvfile", "train.bin")
    name = "a\x1b[2Jb.bin"
    case.write(name, case.path("train.bin").read_bytes()[:-100])
    err = case.run("data", "stat", name).err
    has(err, "warning: a\\x1b[2Jb.bin: the last ", "stderr")
    true("\x1b" not in err, "an escape sequence reaches the terminal")


@check
def a_record_without_numbers_is_65(case):
    key, value = b"0", b"\x08\x00"  # a RecordProto with a shape of (0) and nothing else
    case.path("empty.bin").write_bytes(b"".join(
        len(part).to_bytes(8, "little") + part for part in (key, value)))
    for form in ("textfile", "idx", "kvfile"):
        err = case.run("data", "convert", "-to", form, "-no_labels", "empty.bin", "out",
                       code=65).err
        has(err, "empty.bin", "stderr")


@check
def a_number_that_is_not_finite_in_a_binary_store_is_65_with_its_place(case):
    for text, number in (("nan", float("nan")), ("-inf", float("-inf"))):
        tuples = b""
        for i in range(8):
            numbers = [0.5] * 784
            if i == 5:
                numbers[3] = number
            record = b"\x10\x01" + b"".join(b"\x25" + struct.pack("<f", x) for x in numbers)
            tuples += struct.pack("<Q", 1) + b"k" + struct.pack("<Q", len(record)) + record
        case.write("floats.bin", tuples)
        conf = mlp(case.site.data, JOB).replace(
            f'backend: "idx" path: "{case.site.data}/{IMAGES}"',
            'backend: "kvfile" path: "floats.bin"').replace(
                f'label_path: "{case.site.data}/{LABELS}"', "")
        said = [case.train(conf, code=65).err]
        for command in (["stat", "floats.bin"], ["convert", "floats.bin", "floats.csv"]):
            job = case.run("data", *command, code=65)
            equal(job.out, "", "stdout")
            said.append(job.err)
        for err in said:
            has(err, f"floats.bin: record 5: number 4 is {text}", "stderr")
        true(not case.path("floats.csv").exists(), "data convert left a file")


@check
def data_stat_says_what_a_store_holds(case):
    out = case.run("data", "stat", case.site.data / IMAGES).out
    for part in ("10000", "28", "255"):
        has(out, part, "data stat")


@check
def data_digits_draws_the_same_set_for_the_same_seed(case):
    for name, seed in (("again", 0), ("other", 1)):
        case.run("data", "digits", "-seed", seed, name)
    for name in ("train-images-idx3-ubyte", "t10k-labels-idx1-ubyte"):
        true(case.path(f"again/{name}").read_bytes() == (case.site.data / name).read_bytes(),
             f"{name} differs for the same seed")
        true(case.path(f"other/{name}").read_bytes() != (case.site.data / name).read_bytes(),
             f"{name} is the same for another seed")


def write_shard(case, which, name):
    """Writes the digits as kShardData's store: Records around RecordProtos."""
    images = (case.site.data / f"{which}-images-idx3-ubyte").read_bytes()[16:]
    labels = (case.site.data / f"{which}-labels-idx1-ubyte").read_bytes()[8:]
    tuples = []
    for i, label in enumerate(labels):
        record = bytes([8, 28, 8, 28, 16, label, 0x1a, 0x90, 6]) + images[784 * i:784 * (i + 1)]
        value = bytes([8, 0, 0x2a, len(record) & 0x7f | 0x80, len(record) >> 7]) + record
        for part in (b"%08d" % i, value):
            tuples += [len(part).to_bytes(8, "little"), part]
    case.write(name, b"".join(tuples))


@check
def an_old_conf_on_a_shard_trains_to_the_same_bytes_as_one_on_idx(case):
    job = mlp(case.site.data, JOB, reading="", test_batch=300)  # the last batch is smaller
    case.train(job)
    for which in ("train", "t10k"):
        write_shard(case, which, f"{which}/shard.dat")
        job = re.sub(r'type: kRecordInput (include: \w+)\s+store_conf {[^}]*path: "[^"]*/' + which
                     + r'-images[^}]*batchsize: (\d+)[^}]*}',
                     rf'type: kShardData \1 sharddata_conf {{ path: "{which}" batchsize: \2 }}',
                     job)
    job = job.replace('srclayers: "fc2" srclayers: "data"', 'srclayers: "fc2" srclayers: "label"')
    job = job.replace('type: kInnerProduct srclayers: "data"',
                      'type: kInnerProduct srclayers: "mnist"')
    job = job.replace('  layer {\n    name: "fc1"', """
  layer { name: "mnist" type: kMnist srclayers: "data" mnist_conf { norm_a: 255 norm_b: 0 } }
  layer { name: "label" type: kLabel srclayers: "data" }
  layer {\n    name: "fc1\"""")
    err = case.train(job, workspace="other").err
    for old in ("kShardData", "kMnist", "kLabel"):
        has(err, f"{old} is deprecated: ", "stderr")
    same_bytes(case.newest("other"), case.newest())
    equal(learned(case.rows("other")), learned(case.rows()), "rows")


@check
def a_missing_shard_is_66_at_its_field(case):
    case.write("job.conf", """train_steps: 1
train_one_batch { alg: kBP }
updater { type: kSGD learning_rate { type: kFixed base_lr: 0.1 } }
neuralnet { layer { name: "data" type: kShardData sharddata_conf { path: "none" batchsize: 1 } } }
""")
    for words in (["-conf", "job.conf"], ["check", "job.conf"]):
        err = case.run(*words, code=66).err
        has(err, "job.conf:4:68: error: neuralnet.layer[data].sharddata_conf.path: none", "stderr")


def folders_job():
    """Returns a job that trains on the pictures of "train" and tests on those of "test"."""
    data = "".join(
        f'  layer {{ name: "data" type: kRecordInput include: {phase} store_conf {{ path: "{path}" '
        'backend: "imagefolder" batchsize: 5 shape: 28 shape: 28 } }\n'
        for path, phase in (("train", "kTrain"), ("test", "kTest")))
    return f"""name: "folders" train_steps: 1 test_freq: 1 num_openblas_threads: 1
train_one_batch {{ alg: kBP }}
updater {{ type: kSGD learning_rate {{ type: kFixed base_lr: 0.1 }} }}
neuralnet {{
{data}{dense("fc", "data", 1, 10)}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }}
}}
cluster {{ workspace: "ws" }}
"""


@check
def a_test_whose_labels_mean_other_classes_is_65_and_the_folder_is_named(case):
    for folder in ("train", "test"):
        class_folders(case, folder, lambda n: f"digit {n}")
    true("warning" not in case.train(folders_job()).err, "no warning of equal folders")
    case.path("test/digit 3").rename(case.path("test/other"))
    has(case.train(folders_job(), code=65).err,
        'phase kTest: the class folder "digit 3" of the training is missing, so "digit 4" gets label 3, '
        'in training 4; if the class has no pictures here, make an empty folder "digit 3" and set '
        "on_bad_record: kSkip", "stderr")
    case.path("test/digit 3").mkdir()
    shutil.rmtree(case.path("test/other"))
    skipping = folders_job().replace('path: "test"', 'path: "test" on_bad_record: kSkip')
    true("phase kTest" not in case.train(skipping).err, "the remedy does not help")
    class_folders(case, "test", lambda n: f"digit {n}")
    shutil.rmtree(case.path("test/digit 9"))
    true("warning" not in case.train(folders_job()).err, "no warning of fewer classes")


@check
def a_stored_label_that_the_loss_ignores_takes_no_part(case):
    rows = [(i % 3, [i % 3, (i * 7) % 5 / 4, i % 2, 1]) for i in range(30)]
    def lines(ignored):
        return "".join(",".join(map(str, [ignored if i % 5 == 2 else label] + numbers)) + "\n"
                       for i, (label, numbers) in enumerate(rows))
    conf = csv("rows.csv", "train_steps: 20 disp_freq: 5", 10)
    loss = 'type: kSoftmaxLoss srclayers: "fc" srclayers: "data"'
    for ignored in (-1, 7):
        case.write("rows.csv", lines(ignored))
        case.train(conf.replace(loss, f"{loss} softmaxloss_conf {{ ignore_label: {ignored} }}"),
                   workspace=f"ws{ignored}")
    same_bytes(case.newest("ws-1"), case.newest("ws7"))
    case.write("rows.csv", lines(-1))
    refused = 'rows.csv: record 2: the label is -1, layer "loss" allows 0 to 2'
    has(case.train(conf, code=65).err, refused, "stderr")
    has(case.train(conf.replace(loss, f"{loss} softmaxloss_conf {{ ignore_label: -2 }}"),
                   code=65).err, refused, "stderr")
    has(case.run("data", "stat", "rows.csv").out, "\n-1       6\n", "data stat")
    for name, form in (("rows.bin", "kvfile"), ("rows.lmdb", "lmdb")):
        case.run("data", "convert", "-to", form, "-shape", "4", "rows.csv", name)
        other = conf.replace('kCSVInput store_conf { path: "rows.csv"',
                             f'kRecordInput store_conf {{ backend: "{form}" path: "{name}"')
        case.train(other.replace(loss, f"{loss} softmaxloss_conf {{ ignore_label: -1 }}"),
                   workspace=form)
        same_bytes(case.newest(form), case.newest("ws-1"))
        has(case.train(other, code=65).err, "record 2: the label is -1", "stderr")
