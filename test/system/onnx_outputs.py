#!/usr/bin/env python3
"""Compares exported models in ONNX Runtime with singa: each example's net, and small nets with each
layer that has a form in ONNX, on 100 records or windows of a text.

usage: onnx_outputs.py BINARY [WORD...]; WORDs choose the nets whose names hold one of them.
Needs numpy, onnx and onnxruntime. Prints a line a net and exits 1 where one failed.
"""
import collections
import pathlib
import sys
import tempfile
import traceback

import case
import numpy

import onnx_model
import onnx_nets
import onnx_text

ROWS = 100
Site = collections.namedtuple("Site", "binary root")
# The dictionary maps an example to its layer of scores.
EXAMPLES = {"digits/job": "ip2", "mnist/mlp": "fc6", "mnist/lenet": "ip2", "mnist/cnn": "ip2",
            "mnist/lstm": "scores",
            "cifar10/convnet": "ip1", "cifar10/bn": "ip", "resnet/job": "scores",
            "alexnet/job": "ip8",
            "rbm/rbm1": "hidden", "rbm/autoencoder": "output1"}
# digits/features trains nothing. The other RBMs have the form of the first one, and take its
# checkpoint. Layers of custom_layer and rnnlm have no form, nor has a net that reads its own
# output. onnx_nets.py has nets as those of tabular, which read tables. The nets of finetune have
# the layers of cifar10/bn, and gpt/large has those of gpt/job.
LEFT_OUT = {"digits/features", "rbm/rbm2", "rbm/rbm3", "rbm/rbm4", "custom_layer/job",
            "rnnlm/job", "char_rnn/sample", "gpt/sample", "gpt/large", "partition/alexnet",
            "partition/mlp", "finetune/pretrain", "finetune/finetune",
            "tabular/houses", "tabular/machines"}
OUTPUT = """  layer {{ name: "output of {0}" type: kCSVOutput include: kTest srclayers: "{0}"
          store_conf {{ path: "{1}.csv" }} }}
"""


def bytes_field(tag, data):
    """Returns a field of bytes of a protobuf message."""
    length, rest = b"", len(data)
    while rest:
        length += bytes([rest & 0x7f | (0x80 if rest > 0x7f else 0)])
        rest >>= 7
    return tag + length + data


def write_kvfile(path, records):
    """Writes RecordProtos: proto/README.md."""
    def prefixed(data):
        return len(data).to_bytes(8, "little") + data
    path.write_bytes(b"".join(prefixed(b"key") + prefixed(record) for record in records))


def record(row, label):
    """Returns a RecordProto of floats."""
    shape = b"".join(bytes([0x08, size]) for size in row.shape)
    return shape + bytes([0x10, label]) + bytes_field(b"\x22", row.astype("<f4").tobytes())


def write_mean_record(path, values):
    write_kvfile(path, [bytes_field(b"\x22", values.astype("<f4").tobytes())])


def write_csv(path, labels, rows):
    columns = [",".join(repr(float(number)) for number in row) for row in rows]
    if labels is not None:
        columns = [f"{label},{text}" for label, text in zip(labels, columns)]
    path.write_text("\n".join(columns) + "\n")


def write_idx(path, array):
    sizes = b"".join(size.to_bytes(4, "big") for size in array.shape)
    path.write_bytes(bytes([0, 0, 8, array.ndim]) + sizes + array.tobytes())


def read_csv(path, shape):
    """Returns rows of `shape`, without the labels that a source may give."""
    rows = numpy.loadtxt(path, delimiter=",", dtype=numpy.float64, ndmin=2)
    units = int(numpy.prod(shape[1:]))
    case.true(rows.shape[0] == ROWS and rows.shape[1] - units in (0, 1),
              f"{path.name} has the shape {rows.shape}, the model's output {shape}")
    return rows[:, rows.shape[1] - units:].reshape(shape)


def compute(path, data, names):
    """Returns the outputs `names` for `data`. Its batch differs from the one in singa's conf."""
    session = onnx_model.load(path)
    (source,) = session.get_inputs()
    case.equal(source.name, "data", "name of the input")
    case.equal(source.shape, ["N", *data.shape[1:]], "shape of the input")
    for name in names:
        case.true(name in [output.name for output in session.get_outputs()],
                  f"{path.name} has no output {name}")
    parts = [session.run(list(names), {"data": part}) for part in (data[:37], data[37:])]
    return dict(zip(names, (numpy.concatenate(pair) for pair in zip(*parts))))


def judge(one, conf, data, outputs):
    """Returns the largest difference. `outputs`: (name of an output, file without .csv, more
    arguments of the export)."""
    worst = 0
    for name, file, args in outputs:
        found = compute(onnx_model.export(one, conf, *args), data, [name])[name]
        expected = read_csv(one.path(file + ".csv"), found.shape)
        worst = max(worst, onnx_model.compare(found, expected, name))
    return worst


def small_net(one, net):
    draw = numpy.random.default_rng(1)
    data = draw.normal(size=(ROWS, *net.shape)).astype(numpy.float32)
    if net.shape == onnx_nets.INDEX:
        data = draw.integers(-1, 7, data.shape).astype(numpy.float32)
    size = data[0].size
    labels = draw.integers(0, 4, ROWS)
    write_csv(one.path("data.csv"), labels, data.reshape(ROWS, size))
    write_kvfile(one.path("data.shard"),
                 [bytes_field(b"\x2a", record(*item)) for item in zip(data, labels)])
    if "kLMDBData" in net.data:
        one.run("data", "convert", "-from", "shard", "-to", "lmdb", "data.shard", "data.lmdb")
    mean = draw.normal(size=size).astype(numpy.float32)
    write_csv(one.path("mean.txt"), None, [mean])
    write_csv(one.path("std.txt"), None, [draw.uniform(0.5, 2, size).astype(numpy.float32)])
    write_mean_record(one.path("mean.bin"), mean)
    # An output layer counts as a reader, and a layer with several outputs may have only a few
    # readers.
    looked_at = {name: f"out{i}" for i, name in enumerate(net.looked_at)}
    heads = {"x": "x"} if '"fc"' not in net.loss else {"fc": "fc"}
    if "kSoftmaxLoss" in net.loss or "kSigmoidCrossEntropyLoss" in net.loss:
        heads["loss"] = "probabilities"
    text = "".join(OUTPUT.format(*item) for item in {**looked_at, **heads}.items())
    one.write("train.conf", onnx_nets.conf(net))
    one.write("test.conf", onnx_nets.conf(net, text))
    one.run("-conf", "train.conf")
    one.run("-conf", "test.conf", "-test", "-set", f"checkpoint_path={one.newest()}")
    files = {**looked_at, **heads}
    outputs = [(name, files[name], ("-layer", name.partition(":")[0])) for name in looked_at]
    outputs += [(name, files[name], ()) for name in heads]
    return judge(one, "train.conf", data, outputs)


def noise(one, example):
    """Writes records of noise; returns them and the -set options that read them."""
    draw = numpy.random.default_rng(2)
    labels = draw.integers(0, 10, ROWS).astype(numpy.uint8)
    more = []
    if example.startswith("alexnet"):
        data = draw.integers(0, 256, (ROWS, 3, 256, 256)).astype(numpy.uint8)
        write_kvfile(one.path("records"),
                     [b"\x10" + bytes([label]) + bytes_field(b"\x1a", row.tobytes())
                      for label, row in zip(labels, data)])
        write_mean_record(one.path("mean.bin"), data.mean(axis=0))
        store = ["path=records"]
        more = ["neuralnet.layer[image].rgbimage_conf.meanfile=mean.bin", "train_steps=1"]
    elif example.startswith(("cifar10", "resnet")):
        data = draw.integers(0, 256, (ROWS, 3, 32, 32)).astype(numpy.uint8)
        records = numpy.concatenate([labels[:, None], data.reshape(ROWS, -1)], axis=1)
        one.path("cifar.bin").write_bytes(records.tobytes())
        write_mean_record(one.path("mean.bin"), data.mean(axis=0))
        store = ["backend=cifar10", "path=cifar.bin"]
        if example == "cifar10/convnet":
            store.append("mean_file=mean.bin")
    else:
        data = draw.integers(0, 256, (ROWS, 28, 28)).astype(numpy.uint8)
        write_idx(one.path("images"), data)
        write_idx(one.path("labels"), labels)
        if example == "mnist/mlp" or example.startswith("rbm"):
            data = data.reshape(ROWS, 784)
        elif example != "mnist/lstm":
            data = data[:, None]
        store = ["path=images", "label_path=labels"]
    sets = [f"neuralnet.layer[data#{i}].store_conf.{field}"
            for i in (0, 1) for field in (*store, "batchsize=100")]
    if example == "rbm/autoencoder":  # its first values are other jobs' checkpoints
        more = ["checkpoint_path="] + [
            f"neuralnet.layer[{side}{i}].param[{param}].init.{field}"
            for side in ("encode", "decode") for i in (1, 2, 3, 4) for param in (0, 1)
            if (side, param) != ("decode", 0)
            for field in ("type=kGaussian", "std=0.1")]
    sets += ["train_steps=5", "train_epochs=0", "test_freq=0", "test_epochs=0", "test_steps=1",
             "num_openblas_threads=1", "cluster.workspace=ws", *more]
    return data.astype(numpy.float32), [word for item in sets for word in ("-set", item)]


def example_net(one, example):
    data, sets = noise(one, example)
    path = one.site.root / f"examples/{example}.conf"
    before, end, after = path.read_text().rpartition("}\n\ncluster")
    files = {EXAMPLES[example]: "scores"}
    if "kSoftmaxLoss" in before:
        files["loss"] = "probabilities"
    outputs = "".join(OUTPUT.format(*item) for item in files.items())
    one.write("test.conf", before + outputs + end + after)
    one.run("-conf", path, *sets)
    one.run("-conf", "test.conf", "-test", *sets, "-set", f"checkpoint_path={one.newest()}")
    more = ("-layer", "hidden") if example == "rbm/rbm1" else ()
    return judge(one, path, data, [(name, file, (*sets, *more)) for name, file in files.items()])


def check_that_none_is_forgotten(root):
    there = {f"{path.parent.name}/{path.stem}" for path in root.glob("examples/*/*.conf")}
    case.equal(sorted(there), sorted(EXAMPLES.keys() | onnx_text.EXAMPLES.keys() | LEFT_OUT), "examples")


def main(binary, words):
    root = pathlib.Path(__file__).resolve().parents[2]
    check_that_none_is_forgotten(root)
    nets = {name: lambda one, name=name: example_net(one, name) for name in EXAMPLES}
    nets |= {name: lambda one, name=name: onnx_text.judge_example(one, name)
             for name in onnx_text.EXAMPLES}
    nets |= {name: lambda one, net=net: small_net(one, net)
             for name, net in onnx_nets.NETS.items()}
    nets |= {name: lambda one, net=net: onnx_text.judge(one, net)
             for name, net in onnx_text.TEXT_NETS.items()}
    chosen = [name for name in nets if not words or any(word in name for word in words)]
    passed = 0
    for name in chosen:
        with tempfile.TemporaryDirectory(prefix="singa-onnx-") as folder:
            one = case.Case(Site(pathlib.Path(binary).resolve(), root), folder)
            try:
                print(f"ok   {name}: {nets[name](one):.1e}", flush=True)
                passed += 1
            except case.Failure as failure:
                print(f"FAIL {name}\n     {failure}", flush=True)
            except Exception:  # the runtime's error about a model
                print(f"FAIL {name}\n{traceback.format_exc()}", flush=True)
            finally:
                one.end()
    print(f"{passed} passed, {len(chosen) - passed} failed")
    return passed < len(chosen) or not chosen


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
