"""Checks that every user of weights and scores reports those that are not finite."""
import json
import math
import struct

from case import check, equal, has, true
from record_order_checks import layer, numbers

LINE = 'param "w": 2 of its 3 values are not finite'


def job(settings="train_steps: 2", value=1, workspace="ws"):
    return f"""name: "finite" {settings}
train_one_batch {{ alg: kBP }}
updater {{ type: kSGD learning_rate {{ type: kFixed base_lr: 1e-30 }} }}
neuralnet {{
{layer("x", "")}{layer("y", "", shape="shape: 3")}
  layer {{ name: "fc" type: kInnerProduct srclayers: "x" innerproduct_conf {{ num_output: 3 }}
    param {{ name: "w" init {{ type: kConstant value: {value} }} }}
    param {{ name: "b" init {{ type: kConstant value: 0 }} }} }}
  layer {{ name: "loss" type: kEuclideanLoss srclayers: "fc" srclayers: "y" }}
}}
cluster {{ workspace: "{workspace}" }}
"""


def stores(case, largest=1):
    case.write("x.csv", "".join(f"{largest if i == 11 else i}\n" for i in range(16)))
    case.write("y.csv", "1,2,3\n" * 16)


def safetensors(case, name, values):
    """Writes a file of the net's params, w with these values."""
    data = struct.pack("<6f", *values, 0, 0, 0)
    header = json.dumps({"w": {"dtype": "F32", "shape": [3, 1], "data_offsets": [0, 12]},
                         "b": {"dtype": "F32", "shape": [3], "data_offsets": [12, 24]}}).encode()
    return case.write(name, struct.pack("<Q", len(header)) + header + data)


def checkpoint(case):
    """Returns a checkpoint whose weights are infinite: its job took one step of a rate that is too
    large. The checkpoint is intact."""
    stores(case)
    case.write("job.conf", job("train_steps: 1").replace("1e-30", "3e38"))
    case.run("-conf", "job.conf")
    return case.newest("ws")


@check
def weights_that_are_not_finite_are_65_and_named_by_all_who_use_them(case):
    stores(case)
    safetensors(case, "bad.safetensors", (math.nan, 1, math.inf))
    case.write("job.conf", job('train_steps: 2 checkpoint_path: "bad.safetensors"'))
    for args in (("-conf", "job.conf"), ("-conf", "job.conf", "-test"),
                 ("predict", "-conf", "job.conf", "-checkpoint", "bad.safetensors", "x.csv"),
                 ("export", "onnx", "-conf", "job.conf", "-checkpoint", "bad.safetensors", "o.onnx"),
                 ("ckpt", "export", "bad.safetensors", "out.safetensors"),
                 ("ckpt", "verify", "bad.safetensors")):
        has(case.run(*args, code=65).err, f"bad.safetensors: {LINE}", f"stderr of {args}")
    for name in ("o.onnx", "out.safetensors"):
        true(not case.path(name).exists(), f"{name} was written")


@check
def an_intact_checkpoint_with_infinite_weights_is_65(case):
    at = checkpoint(case)
    done = case.run("ckpt", "verify", "ws", code=65)
    has(done.out, ": param \"b\": ", "verify")
    has(done.out, "values are not finite", "verify")
    has(case.run("ckpt", "export", at, "out.safetensors", code=65).err, "not finite", "stderr")
    has(case.run("-conf", "job.conf", "-test", code=65).err, "not finite", "stderr of a test")
    has(case.run("predict", "-conf", "job.conf", "x.csv", code=65).err, "not finite",
        "stderr of predict")


@check
def scores_that_are_not_finite_are_79_and_name_layer_and_record(case):
    stores(case, largest="3e38")
    safetensors(case, "w.safetensors", (3e38, 1, 1))
    case.write("job.conf", job('checkpoint_path: "w.safetensors" test_steps: 2'))
    err = case.run("-conf", "job.conf", "-test", code=79).err
    has(err, 'x.csv: record 2: the scores of layer "fc" are not finite; so are those of 13 rows '
        "more", "stderr of a test")
    equal(case.rows(phase="test")[-1]["loss"], "inf", "the row's loss")
    done = case.run("predict", "-conf", "job.conf", "-checkpoint", "w.safetensors", "x.csv", code=79)
    equal(len(done.out.splitlines()), 17, "lines, with the header")
    has(done.err, 'record x.csv:2: the scores of layer "fc" are not finite; so are those of 13 lines more',
        "stderr of predict")


@check
def the_rest_of_a_store_is_looked_at_too(case):
    stores(case, largest="3e38")
    safetensors(case, "w.safetensors", (20, 1, 1))
    text = job('checkpoint_path: "w.safetensors"').replace("batchsize: 8", "batchsize: 10")
    case.write("job.conf", text)
    has(case.run("-conf", "job.conf", "-test", code=79).err,
        'x.csv: record 11: the scores of layer "fc" are not finite\n', "stderr of a test")
