"""Checks `singa predict`: the results of a trained net for records of any kind."""
import io
import json
import pathlib
import shutil
import struct
import subprocess
import tarfile
import zlib

from case import LIMIT_S, check, close, equal, has, true
from job import csv, mlp

IMAGES, LABELS = "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"
JOB = "train_steps: 200 test_freq: 200"


def trained(case):
    """Trains a job on the digits. Returns its last row."""
    case.train(mlp(case.site.data, JOB))
    return case.rows(phase="test")[-1]


def predict(case, *args, code=0):
    return case.run("predict", "-conf", "job.conf", *args, code=code)


def table(out):
    lines = [line.split(",") for line in out.splitlines()]
    return lines[0], lines[1:]


def scores(out):
    return [line[2:] for line in table(out)[1]]


def all_close(found, expected, what):
    """Compares rows of probabilities, which may be of batches of other sizes.

    A sum in another order changes the last digits of an input of softmax: by some 1e-5 where it is
    near 20. The probability changes by as much, relative to its size.
    """
    equal(len(found), len(expected), f"{what}: lines")
    for mine, other in zip(found, expected):
        for a, b in zip(map(float, mine), map(float, other), strict=True):
            close(a, b, 1e-4, what)


def digit(case, number):
    start = 16 + number * 784
    return (case.site.data / IMAGES).read_bytes()[start:start + 784]


def label(case, number):
    return (case.site.data / LABELS).read_bytes()[8 + number]


def png(pixels, width=28, height=28):
    """Returns a grey picture's file."""
    def part(kind, data):
        sum_ = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + sum_
    rows = b"".join(b"\0" + pixels[y * width:(y + 1) * width] for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def class_folders(case, folder, name, count=60):
    """Writes pictures into folders named after their labels by name(label)."""
    for i in range(count):
        case.write(f"{folder}/{name(label(case, i))}/{i}.png", png(digit(case, i)))


@check
def predict_agrees_with_the_test_phase(case):
    row = trained(case)
    job = predict(case, case.site.data / IMAGES)
    header, lines = table(job.out)
    equal(header, ["record", "label"] + [str(i) for i in range(10)], "header")
    equal(len(lines), 2000, "lines")
    equal(lines[7][0], f"{case.site.data}/{IMAGES}:7", "name of a record")
    equal([int(line[1]) for line in lines], list((case.site.data / LABELS).read_bytes()[8:]),
          "labels")
    has(job.err, f"accuracy {row['accuracy']:.4f}, of 2000 records with a label", "stderr")
    for line in lines[:20]:
        close(sum(map(float, line[2:])), 1, 1e-5, "sum of the probabilities")


@check
def every_kind_of_record_gives_the_same_scores(case):
    trained(case)
    idx = case.site.data / IMAGES
    expected = predict(case, idx)
    for form, name in (("textfile", "records.csv"), ("kvfile", "records.kv")):
        case.run("data", "convert", "-to", form, idx, name)
        job = predict(case, name)
        equal(scores(job.out), scores(expected.out), f"scores by {form}")
        equal(job.err, expected.err, "accuracy")
    with open(case.path("records.csv"), "rb") as lines:
        job = subprocess.run([case.site.binary, "predict", "-conf", "job.conf", "-"], stdin=lines,
                             cwd=case.folder, capture_output=True, text=True, check=True)
    equal(scores(job.stdout), scores(expected.out), "scores by stdin")
    equal(job.stderr, expected.err, "accuracy")
    plain = predict(case, "-no_labels", idx)
    equal((scores(plain.out), plain.err), (scores(expected.out), ""), "without labels")


@check
def any_form_of_checkpoint_gives_the_same(case):
    trained(case)
    idx = case.site.data / IMAGES
    expected = predict(case, idx).out
    case.run("ckpt", "export", "-format", "blobprotos", "ws/checkpoint/step200", "v03-worker0")
    for form in ("ws", "ws/checkpoint/step200", "ws/checkpoint/step200/model.safetensors",
                 "v03-worker0"):
        equal(predict(case, "-checkpoint", form, idx).out, expected, f"scores by {form}")
    case.path("empty").mkdir()
    has(predict(case, "-checkpoint", "empty", idx, code=66).err, "holds no checkpoint yet", "stderr")
    model = case.path("ws/checkpoint/step200/model.safetensors")
    model.write_bytes(model.read_bytes()[:-1] + b"\x55")
    has(predict(case, "-checkpoint", "ws", idx, code=65).err, "ws/checkpoint", "stderr")
    has(predict(case, "-checkpoint", "ws/checkpoint/step200", idx, code=65).err,
        "model.safetensors", "stderr")


@check
def what_the_job_was_trained_to_goes_before_what_it_began_with(case):
    trained(case)
    idx = case.site.data / IMAGES
    expected = predict(case, idx).out
    shutil.copytree(case.path("ws"), case.path("first"))
    case.write("job.conf", "checkpoint_path: 'first'\n" + case.path("job.conf").read_text())
    case.train("job.conf", "-set", "train_steps=20")
    job = predict(case, idx)
    equal(job.err.splitlines()[0], "params from ws/checkpoint/step20", "stderr")
    true(job.out != expected, "scores are those of checkpoint_path")
    job = predict(case, "-set", "checkpoint_path=first", idx)  # the test asks for this file
    equal((job.out, job.err.splitlines()[0]),
          (expected, "params from first/checkpoint/step200"), "asked for")
    shutil.rmtree(case.path("ws"))
    equal(predict(case, idx).out, expected, "scores without a checkpoint in the workspace")


@check
def pictures_give_what_their_pixels_do(case):
    trained(case)
    expected = scores(predict(case, case.site.data / IMAGES).out)
    for i in range(12):
        case.write(f"flat/{i:02}.png", png(digit(case, i)))
    job = predict(case, "flat")
    equal([line[:2] for line in table(job.out)[1]], [[f"flat/{i:02}.png", ""] for i in range(12)],
          "names and labels")
    all_close(scores(job.out), expected[:12], "scores of a folder")
    equal(job.err, "", "stderr")
    all_close(scores(predict(case, "flat/03.png", "flat/01.png").out), [expected[3], expected[1]],
              "scores of files")

    class_folders(case, "classes", lambda n: f"digit {n}")
    with tarfile.open(case.path("classes.tar"), "w") as tar:
        tar.add(case.path("classes"), "classes")
    for source in ("classes", "classes.tar"):
        job = predict(case, source)
        for name, shown, *numbers in table(job.out)[1]:
            number = int(pathlib.Path(name).stem)
            all_close([numbers], [expected[number]], f"scores of {name}")
            equal(int(shown), label(case, number), f"label of {name}")
        has(job.err, "of 60 records with a label", "stderr")


@check
def classes_have_the_names_of_the_folders_that_the_net_learned_from(case):
    class_folders(case, "train", lambda n: f"n{9 - n}, or so")
    conf = mlp("DATA", "train_steps: 30").replace('backend: "idx"', 'backend: "imagefolder"')
    for which in ("train", "t10k"):
        conf = conf.replace(f'"DATA/{which}-images-idx3-ubyte"', '"train"') \
            .replace(f'label_path: "DATA/{which}-labels-idx1-ubyte"', "")
    case.train(conf)
    has(predict(case, "train").out.splitlines()[0], 'record,label,"n0, or so","n1, or so"',
        "header")
    # Two of the ten folders are used: labels follow names, not places.
    for name in ("n4, or so", "n7, or so"):
        for path in case.path(f"train/{name}").iterdir():
            case.write(f"two/{name}/{path.name}", path.read_bytes())
    case.write("two/unknown/1.png", png(digit(case, 1)))
    job = predict(case, "-format", "json", "-topk", "2", "two")
    has(job.err, '"unknown" is none of the net\'s classes', "stderr")
    for line in map(json.loads, job.out.splitlines()):
        folder = line["record"].split("/")[1]
        equal(line.get("label"), {"n4, or so": 4, "n7, or so": 7}.get(folder), line["record"])
        for top in line["top"]:
            equal(top["name"], f"n{top['class']}, or so", "name of a class")


@check
def json_and_topk_show_the_same_as_csv(case):
    trained(case)
    idx = case.site.data / IMAGES
    full = predict(case, idx)
    lines = [json.loads(line) for line in predict(case, "-format", "json", idx).out.splitlines()]
    for (name, shown, *numbers), line in zip(table(full.out)[1], lines, strict=True):
        equal((line["record"], line["label"]), (name, int(shown)), "record")
        equal(line["scores"], list(map(float, numbers)), "scores")
    job = predict(case, "-topk", "3", idx)
    header, best = table(job.out)
    equal(header, "record,label,class1,score1,class2,score2,class3,score3".split(","), "header")
    for line, (_, _, *pairs) in zip(lines, best, strict=True):
        ranked = sorted(range(10), key=lambda i: line["scores"][i], reverse=True)[:3]
        equal([int(c) for c in pairs[::2]], ranked, "best classes")
        equal([float(s) for s in pairs[1::2]], [line["scores"][i] for i in ranked], "best scores")
    has(job.err, ", among the best 3 ", "stderr")
    logits = predict(case, "-layer", "fc2", "-topk", "1", idx)
    equal([line[2] for line in table(logits.out)[1]], [line[2] for line in best], "by the scores")


@check
def a_bad_record_is_65_and_named(case):
    trained(case)
    case.write("small.png", png(bytes(20 * 30), 20, 30))
    has(predict(case, "small.png", code=65).err, "small.png: is a picture of 20 x 30", "stderr")
    case.write("folder/torn.png", png(digit(case, 0))[:100])
    has(predict(case, "folder", code=65).err, "folder/torn.png: ", "stderr")
    case.write("no.jpg", "text")
    has(predict(case, "no.jpg", code=65).err, "no.jpg: is no JPEG", "stderr")
    case.write("short.csv", "1,2,3\n")
    has(predict(case, "short.csv", code=65).err, "short.csv:1: record 0: ", "stderr")
    case.write("class.csv", ",".join(["12"] + ["0"] * 784))
    has(predict(case, "class.csv", code=65).err, "must be below 10", "stderr")
    case.write("class.csv", ",".join(["-3"] + ["0"] * 784))
    has(predict(case, "class.csv", code=65).err, "the label must be >= 0, is -3", "stderr")


@check
def wrong_use_of_predict_has_the_right_code(case):
    trained(case)
    idx = case.site.data / IMAGES
    has(predict(case, "nothing", code=66).err, "nothing: does not exist", "stderr")
    has(predict(case, "-topk", "11", idx, code=2).err, "at most 10", "stderr")
    has(predict(case, "-formt", "csv", idx, code=2).err, 'did you mean "format"?', "stderr")
    has(predict(case, "-layer", "fc", idx, code=2).err, 'did you mean "fc1"?', "stderr")
    has(predict(case, "-set", "seed=x", idx, code=78).err, "-set seed: error: ", "stderr")
    size = "neuralnet.layer[fc1].innerproduct_conf.num_output=20"
    has(predict(case, "-set", size, idx, code=78).err, "does not fit the net", "stderr")
    predict(case, code=2)
    case.run("predict", idx, code=2)
    true("usage: singa predict" in case.run("predict", "-help").out, "no help")
    with open("/dev/full", "w", encoding="utf-8") as full:
        job = subprocess.run([case.site.binary, "predict", "-conf", "job.conf", idx], stdout=full,
                             cwd=case.folder, stderr=subprocess.PIPE, check=False)
    equal(job.returncode, 74, "exit code")
    has(job.stderr.decode(), "singa: error: stdout: ", "stderr")


@check
def no_record_on_stdin_is_a_warning(case):
    case.write("points.csv", "0,1,2,3,4\n1,4,3,2,1\n")
    case.train(csv("points.csv", "train_steps: 2", 2))
    job = subprocess.run([case.site.binary, "predict", "-conf", "job.conf", "-"], cwd=case.folder, input="",
                         capture_output=True, text=True, check=False)
    equal((job.returncode, job.stdout), (0, "record,label,0,1,2\n"), "exit code and stdout")
    has(job.stderr, "warning: standard input: holds no record", "stderr")


@check
def lines_on_stdin_are_answered_as_they_come_and_take_no_memory(case):
    case.write("points.csv", "0,1,2,3,4\n1,4,3,2,1\n")
    case.train(csv("points.csv", "train_steps: 2", 2))
    command = [case.site.binary, "predict", "-conf", "job.conf", "-batch", "1", "-"]
    with subprocess.Popen(command, cwd=case.folder, stdin=subprocess.PIPE, bufsize=0,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as job:
        out = io.TextIOWrapper(job.stdout)
        for i in range(3):
            job.stdin.write(b"1,2,3,4\n")
            if i == 0:
                equal(out.readline(), "record,label,0,1,2\n", "header")
            true(out.readline().startswith(f"-:{i},,"), f"no answer to line {i}")
        status = pathlib.Path(f"/proc/{job.pid}/status")
        before = resident(status)
        for _ in range(20):
            job.stdin.write(b"1,2,3,4\n" * 500)
            for _ in range(500):
                out.readline()
        growth = resident(status) - before
        job.stdin.close()
        equal(job.wait(LIMIT_S), 0, "exit code")
    true(growth < 1 << 20, f"10000 lines took {growth} bytes")


def resident(status):
    lines = [line for line in status.read_text().splitlines() if line.startswith("VmRSS:")]
    return int(lines[0].split()[1]) * 1024
