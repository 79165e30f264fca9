"""Runs a job of the examples in the singa binary. Benchmark scripts share this part.

This is no script of its own. It needs SINGA_DATA, a folder with three others: mnist/ with MNIST's
four .gz files, cifar10/ with train.tar and test.tar, and shakespeare/ with input.txt.
"""
import gzip
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PARTS = ("train", "t10k")


def data_folder():
    return pathlib.Path(os.environ.get("SINGA_DATA", "/nowhere")).resolve()


def mnist_folder():
    folder = data_folder() / "mnist"
    if not (folder / "train-images-idx3-ubyte.gz").exists():
        sys.exit(f"MISSING: {folder}/train-images-idx3-ubyte.gz; SINGA_DATA must name the folder "
                 "above mnist")
    return folder


def cifar_folder():
    folder = data_folder() / "cifar10"
    if not (folder / "train.tar").exists():
        sys.exit(f"MISSING: {folder}/train.tar; SINGA_DATA must name the folder above cifar10")
    return folder


def text_file():
    path = data_folder() / "shakespeare/input.txt"
    if not path.exists():
        sys.exit(f"MISSING: {path}; SINGA_DATA must name the folder above shakespeare")
    return path


def make_plain_idx(folder):
    """Inflates MNIST's files into `folder`."""
    for source in mnist_folder().glob("*-ubyte.gz"):
        with gzip.open(source) as packed, open(f"{folder}/{source.stem}", "wb") as plain:
            shutil.copyfileobj(packed, plain)


def make_cifar_batch(folder, records=2000):
    """Makes pictures of noise in CIFAR-10's binary form, for measurements of speed."""
    draw = random.Random(1)
    with open(f"{folder}/cifar.bin", "wb") as file:
        for record in range(records):
            file.write(bytes([record % 10]) + draw.randbytes(3072))


def make_noise_idx(folder, records=768, shape=(3, 227, 227)):
    """Makes pictures of noise of AlexNet's size as IDX files, for measurements of speed."""
    draw = random.Random(1)
    size = shape[0] * shape[1] * shape[2]
    with open(f"{folder}/noise.idx", "wb") as file:
        file.write(struct.pack(">4B4I", 0, 0, 8, 4, records, *shape))
        for _ in range(records):
            file.write(draw.randbytes(size))
    labels = struct.pack(">4BI", 0, 0, 8, 1, records) + draw.randbytes(records)
    pathlib.Path(f"{folder}/noise-labels.idx").write_bytes(labels)


CONFS = {"cifar": "cifar10/convnet", "alexnet": "alexnet/job", "rbm": "rbm/rbm1",
         "gru": "char_rnn/job", "gpt": "gpt/job", "gpt_large": "gpt/large",
         "resnet": "resnet/job"}  # others are of mnist
TEXTS = ("gru", "gpt", "gpt_large")


def store_sets(conf, folder, suffix):
    """Returns the settings of the stores of training and test."""
    if conf == "alexnet":
        # The pictures have the size that the net takes: PyTorch's step includes no cut from larger
        # ones.
        return [[("backend", "idx"), ("path", f"{folder}/noise.idx"),
                 ("label_path", f"{folder}/noise-labels.idx"), ("shape", "3,227,227")]] * 2
    if conf in ("cifar", "resnet"):
        fields = [("backend", "cifar10"), ("path", f"{folder}/cifar.bin")]
        return [fields + ([("mean_file", "")] if conf == "cifar" else [])] * 2
    return [[("path", f"{folder}/{part}-images-idx3-ubyte{suffix}"),
             ("label_path", f"{folder}/{part}-labels-idx1-ubyte{suffix}")] for part in PARTS]


def batch_sets(conf, batch):
    """Returns settings of another batch, for alexnet alone. Other nets keep their conf's."""
    return [f"neuralnet.layer[data#0].store_conf.batchsize={batch}"] if conf == "alexnet" else []


def make_text(folder, characters=65, length=1_000_000):
    """Makes a text of noise, and its vocabulary, for measurements of speed."""
    draw = random.Random(1)
    vocabulary = bytes(range(32, 32 + characters))
    pathlib.Path(f"{folder}/vocab.txt").write_bytes(vocabulary)
    pathlib.Path(f"{folder}/input.txt").write_bytes(bytes(draw.choices(vocabulary, k=length)))


def copy_text(folder):
    """Copies Shakespeare into `folder`, and makes the vocabulary of the text."""
    text = text_file().read_bytes()
    pathlib.Path(f"{folder}/vocab.txt").write_bytes(bytes(sorted(set(text))))
    pathlib.Path(f"{folder}/input.txt").write_bytes(text)


def text_sets(folder):
    """Returns the settings by which examples/char_rnn and gpt read the text in `folder`."""
    return [f"neuralnet.layer[text#{i}].char_rnn_conf.{field}={folder}/{file}" for i in (0, 1)
            for field, file in (("path", "input.txt"), ("vocab_path", "vocab.txt"))]


def conf_and_sets(conf, folder, workspace, sets, suffix=""):
    """Returns the path of an example on the files <folder>/*<suffix>, and its -set options."""
    path = REPOSITORY / f"examples/{CONFS.get(conf, f'mnist/{conf}')}.conf"
    options = [f"cluster.workspace={workspace}"]
    if conf == "alexnet":
        options.append("neuralnet.layer[image].rgbimage_conf.meanfile=")
    if conf in TEXTS:
        options += [*text_sets(folder), "validate_freq=0", "checkpoint_freq=0", "checkpoint_best="]
    for i, fields in enumerate([] if conf in TEXTS else store_sets(conf, folder, suffix)):
        options += [f"neuralnet.layer[data#{i}].store_conf.{field}={value}"
                    for field, value in fields]
    words = [str(path)]
    for option in [*options, *sets]:
        words += ["-set", option]
    return words


def command(binary, conf, folder, workspace, sets, suffix=""):
    """Returns the command that trains an example."""
    return [os.path.abspath(binary), "-conf", *conf_and_sets(conf, folder, workspace, sets, suffix)]


def run_process(words, **options):
    """Runs a command to its end. Returns (stdout, peak RSS in MiB). Exits if the command fails.

    The peak is the kernel's maxrss: VmHWM, but never less than this Python's own 15 MiB or so.
    """
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(words, stdout=out, stderr=err, **options)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode != 0:
            sys.exit(f"{' '.join(words)}\nended with {process.returncode}:\n{err.read()}")
        return out.read(), usage.ru_maxrss / 1024


def rows_of(words, workspace):
    """Trains as `words` say. Returns (rows of metrics.jsonl, peak RSS in MiB)."""
    _, rss = run_process(words)
    with open(f"{workspace}/metrics.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file], rss


def example_command(binary, conf, workspace, sets):
    """Returns the command that trains a conf of examples/."""
    words = [os.path.abspath(binary), "-conf", str(REPOSITORY / "examples" / conf)]
    for option in [f"cluster.workspace={workspace}", *sets]:
        words += ["-set", option]
    return words


def train_example(binary, conf, workspace, sets):
    """Trains a conf of examples/. Returns the rows of metrics.jsonl."""
    return rows_of(example_command(binary, conf, workspace, sets), workspace)[0]


def bytes_a_step(rows, last):
    """Returns what all processes send in a step, after that of the first row and up to row `last`."""
    first = min(row["step"] for row in rows if row["phase"] == "process")
    sent = sum(row["bytes_sent"] for row in rows
               if row["phase"] == "process" and first < row["step"] <= last)
    return sent / (last - first)


def run(binary, conf, folder, sets, suffix=""):
    """Trains in a fresh workspace. Returns (rows of metrics.jsonl, peak RSS in MiB)."""
    with tempfile.TemporaryDirectory(prefix="singa-bench-") as workspace:
        return rows_of(command(binary, conf, folder, workspace, sets, suffix), workspace)


def bench(binary, conf, folder, sets):
    """Returns (GFLOP of a step, GFLOP/s that the CPU does at most), by `singa bench`."""
    path, *sets = conf_and_sets(conf, folder, "/nowhere", sets)
    out, _ = run_process([os.path.abspath(binary), "bench", "-json", "-steps", "3", path, *sets])
    totals = json.loads(out.splitlines()[-1])
    return 1e-9 * totals["flops"], totals["fma_peak_gflops"]


def idle_rss(binary):
    """Returns the peak RSS in MiB of a process that has loaded the library and does nothing."""
    return run_process([os.path.abspath(binary), "version"])[1]
