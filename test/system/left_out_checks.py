"""Checks that files of a picture folder that are no records are named, and end a job."""
import io
import re
import tarfile

from bad_record_checks import png
from case import check, equal, has, true
from store_facts_checks import COLOURS, data, job, pictures

# ImageFolder users have files with these endings beside their data, and folders that are no
# classes.
BESIDE = ["train/README.md", "train/Thumbs.db", "train/.DS_Store", "train/red/.DS_Store",
          "train/red/Thumbs.db", "train/red/README", "train/red/boxes.txt", "train/red/a.xml",
          "train/red/._00.png", "train/.ipynb_checkpoints/00-checkpoint.png", "train/labels.csv",
          "train/__MACOSX/red/00.png", "train/weights.bin"]
SKIP = "on_bad_record: kSkip"


def folder_job(more="", path="train", settings="train_steps: 4 test_freq: 4"):
    return job("".join(data(phase, path, "imagefolder", more) for phase in ("kTrain", "kTest")),
               settings=settings)


def tar(case, name, folder):
    with tarfile.open(case.path(name), "w") as archive:
        archive.add(case.path(folder), arcname=".")


def ends_all(case, text):
    """Expects that every program that reads the store says it and ends."""
    for args in (("check", "job.conf"), ("-conf", "job.conf"), ("bench", "-steps", "2", "job.conf")):
        err = case.run(*args, code=65).err
        has(err, text, f"stderr of {args[0]}")
        has(err, "on_bad_record: kSkip does without them", f"stderr of {args[0]}")


@check
def a_picture_format_without_decoder_ends_every_program(case):
    pictures(case, "train")
    case.write("job.conf", folder_job())
    case.train("job.conf")
    for name in ("blue/a.heic", "blue/b.GIF", "red/c.tga", "red/d.jp2", "red/e.jfif", "red/f"):
        case.write(f"train/{name}", b"GIF89a")
    text = ("train leaves out 6 files: blue/a.heic, blue/b.GIF, red/c.tga, red/d.jp2, red/e.jfif "
            "and 1 more")
    ends_all(case, text)
    has(case.run("-conf", "job.conf", "-test", code=65).err, text, "stderr of a test")
    has(case.run("predict", "-conf", "job.conf", "train", code=65).err, text, "stderr of predict")
    for args in (("stat", "train"), ("convert", "train", "out.bin")):
        err = case.run("data", *args, code=65).err
        has(err, text, f"stderr of data {args[0]}")
        has(err, "-max_bad N does without them", f"stderr of data {args[0]}")
    true(not case.path("out.bin").exists(), "a store was written")


@check
def with_leave_to_skip_they_are_counted_and_named_once_a_store(case):
    pictures(case, "train")
    for name in ("blue/a.heic", "red/b.gif"):
        case.write(f"train/{name}", b"GIF89a")
    text = "train leaves out 2 files: blue/a.heic, red/b.gif"
    case.write("job.conf", folder_job(SKIP))
    for args in (("check", "job.conf"), ("-conf", "job.conf")):
        equal(case.run(*args).err.count(text), 2, f"lines of {args[0]}: training's and the test's")
    for args in (("-conf", "job.conf", "-test"), ("predict", "-conf", "job.conf", "train"),
                 ("bench", "-steps", "2", "job.conf"), ("data", "stat", "-max_bad", "2", "train"),
                 ("data", "convert", "-max_bad", "2", "train", "out.bin")):
        err = case.run(*args).err
        equal(err.count(text), 1, f"lines of {args[0]}")
        true(re.search(f"^warning: .*{text}", err, re.MULTILINE), f"another form: {err}")
    case.write("job.conf", folder_job(SKIP + " max_bad_records: 1"))
    has(case.run("-conf", "job.conf", code=65).err, text, "stderr of a training")
    has(case.run("data", "stat", "-max_bad", "1", "train", code=65).err, "-max_bad allows 1",
        "stderr of data stat")


@check
def what_lies_beside_the_data_is_passed_over_in_silence(case):
    pictures(case, "train")
    case.write("job.conf", folder_job())
    case.train("job.conf", workspace="plain")
    for name in BESIDE:
        case.write(name, b"no picture")
    tar(case, "train.tar", "train")
    for path in ("train", "train.tar"):
        case.write("job.conf", folder_job(path=path))
        for args in (("check", "job.conf"), ("-conf", "job.conf"), ("-conf", "job.conf", "-test"),
                     ("predict", "-conf", "job.conf", path), ("data", "stat", path)):
            err = case.run(*args).err
            true("leaves out" not in err and "arning" not in err, f"{args} warns:\n{err}")
        has(case.run("data", "stat", path).out, "records  24\n", "statistics")


@check
def an_empty_class_folder_is_named_and_keeps_its_label(case):
    pictures(case, "train", {"a": (9, 9, 9), "c": (99, 9, 9)})
    case.path("train/b").mkdir()
    tar(case, "train.tar", "train")
    for path in ("train", "train.tar"):
        case.write("job.conf", folder_job(path=path))
        ends_all(case, f"{path} leaves out 1 file: b/ (no picture)")
        lines = case.run("data", "stat", "-max_bad", "1", path).out.splitlines()
        equal([line.split() for line in lines[-2:]], [["0", "12", "a"], ["2", "12", "c"]], "labels")
        case.write("job.conf", folder_job(SKIP, path))
        has(case.run("check", "job.conf", code=65).err, "has 3 class folders", "stderr")


@check
def members_of_a_tar_at_odd_depths_are_named(case):
    def write(name, members):
        with tarfile.open(case.path(name), "w") as archive:
            for member in members:
                info = tarfile.TarInfo(member)
                content = png((9, 90, 190))
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))

    usual = [f"set/{name}/{i}.png" for name in COLOURS for i in range(6)]
    for odd, text in (("top.png", "top.png (in no class folder)"),
                      ("blue/x.png", "blue/x.png (in a folder at another depth than most)"),
                      ("set/red/more/x.png", "set/red/more/x.png (in a folder at another depth"),
                      ("set/blue/x.gif", "set/blue/x.gif"), ("set/blue/x", "set/blue/x")):
        write("train.tar", usual + [odd])
        case.write("job.conf", folder_job(path="train.tar"))
        ends_all(case, f"train.tar leaves out 1 file: {text}")
        case.write("job.conf", folder_job(SKIP, "train.tar"))
        case.train("job.conf")
        has(case.run("data", "stat", "-max_bad", "1", "train.tar").out, "records  12\n", "statistics")


@check
def what_predict_leaves_out_of_a_folder_of_pictures_is_named(case):
    pictures(case, "train")
    case.train(folder_job())
    case.write("some/a.png", png((1, 2, 3)))
    case.write("some/notes.txt", "a note")
    equal(case.run("predict", "-conf", "job.conf", "some").out.count("some/a.png"), 1, "lines")
    case.write("some/b.gif", b"GIF89a")
    case.path("some/more").mkdir()
    text = "some leaves out 2 files: b.gif, more/"
    has(case.run("predict", "-conf", "job.conf", "some", code=65).err, text, "stderr")
    done = case.run("predict", "-conf", "job.conf", "-set",
                    "neuralnet.layer[data].store_conf.on_bad_record=kSkip", "some")
    true(re.search(f"^warning: {text}", done.err, re.MULTILINE), f"another form: {done.err}")
    has(done.out, "some/a.png", "predictions")


@check
def a_store_that_is_only_compared_with_does_not_end_a_test(case):
    pictures(case, "train")
    pictures(case, "test")
    case.train(job(data("kTrain", "train", "imagefolder") + data("kTest", "test", "imagefolder")))
    case.write("train/red/x.gif", b"GIF89a")
    true("leaves out" not in case.run("-conf", "job.conf", "-test").err, "it tells of training's")
    true("leaves out" not in case.run("check", "-test", "job.conf").err, "so does a check")


@check
def a_shape_in_another_order_than_the_records_own_is_65_in_predict_and_data(case):
    case.write("batch.bin", bytes([1] + [7] * 3072) * 6)
    case.run("data", "convert", "-from", "cifar10", "-to", "lmdb", "batch.bin", "own")
    has(case.run("data", "convert", "-from", "cifar10", "-shape", "32,32,3", "batch.bin", "out.bin",
                 code=65).err, "batch.bin: the shape is 32, 32, 3, the records' own is 3, 32, 32",
        "stderr of data convert")
    other = data("kTrain", "other", "kvfile", shape=(32, 32, 3))
    case.run("data", "convert", "-no_labels", "own", "x.csv")
    case.write("other.csv", "".join("0," + line for line in open(case.path("x.csv"))))
    case.run("data", "convert", "-shape", "32,32,3", "other.csv", "other")
    case.train(job(other + data("kTest", "other", "kvfile", shape=(32, 32, 3))))
    has(case.run("predict", "-conf", "job.conf", "own", code=65).err,
        "own: the shape is 32, 32, 3, the records' own is 3, 32, 32", "stderr of predict")
