"""Checks `singa ckpt import` and `ckpt export -map`: params that come from other programs, and go there."""
import json
import struct

from case import check, close, equal, has, learned, tensors, true
from job import csv, dense

NET = dense("fc1", "data", 1, 6) + """
  layer { name: "relu" type: kReLU srclayers: "fc1" }""" + dense("fc", "relu", 2, 3)


def write_tensors(path, content):
    """Writes name -> (type, shape, bytes) as a safetensors file."""
    header, data = {}, b""
    for name, (kind, shape, values) in content.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def trained(case):
    """Trains a job, and returns its params."""
    case.write("points.csv", "0,1,2,3,4\n1,4,3,2,1\n2,1,1,1,1\n")
    case.write("job.conf", csv("points.csv", "train_steps: 5 disp_freq: 1 checkpoint_freq: 5", 3, layers=NET))
    case.train("job.conf")
    return tensors(case.newest() / "model.safetensors")


def turned(tensor):
    kind, (rows, columns), data = tensor
    return kind, (columns, rows), b"".join(data[4 * (i * columns + j):4 * (i * columns + j) + 4]
                                           for j in range(columns) for i in range(rows))


MAP = """# file  net
a.weight w1 6,2,2
a.bias	b1 1,6
c.weight w2 transpose
"""


@check
def params_go_to_a_file_of_other_names_and_come_back_the_same(case):
    before = trained(case)
    case.write("names.map", MAP)
    case.run("ckpt", "export", "-map", "names.map", "ws", "other.safetensors")
    other = tensors(case.path("other.safetensors"))
    equal(other["a.weight"], ("F32", (6, 2, 2), before["w1"][2]), "a.weight")
    equal(other["a.bias"][1], (1, 6), "shape of a.bias")
    equal(other["c.weight"], turned(before["w2"]), "c.weight")
    equal(other["b2"], before["b2"], "a name that the map does not have")
    case.run("ckpt", "import", "other.safetensors", "came/", "-conf", "job.conf", "-map", "names.map")
    equal(tensors(case.path("came/model.safetensors")), before, "params")
    has(case.run("ckpt", "verify", "came").out, "came: intact", "verify")
    case.run("ckpt", "export", "-map", "names.map", "came", "again.safetensors")
    equal(tensors(case.path("again.safetensors")), other, "the second export")
    for source in ("came", "came/model.safetensors"):
        case.train("job.conf", "-set", f"checkpoint_path={source}", workspace=source.replace("/", "-"))
    equal(learned(case.rows("came")), learned(case.rows("came-model.safetensors")), "rows")


@check
def an_export_like_the_imported_file_gives_its_tensors_back(case):
    before = trained(case)
    like = {"c.weight": ("F32", [6, 3], turned(before["w2"])[2]),
            "count": ("I64", [1], bytes(8)), "a.bias": ("F32", [1, 6], before["b1"][2]),
            "a.weight": ("F32", [6, 2, 2], before["w1"][2]), "b2": ("F32", [3], before["b2"][2])}
    write_tensors(case.path("torch.safetensors"), like)
    case.write("names.map", "a.weight w1\na.bias b1\nc.weight w2 transpose\n")
    case.run("ckpt", "import", "torch.safetensors", "came", "-conf", "job.conf", "-map", "names.map")
    case.train("job.conf", "-set", "checkpoint_path=came", "-set", "train_steps=0", workspace="kept")
    case.run("ckpt", "export", "-map", "names.map", "-like", "torch.safetensors", "kept", "back.safetensors")
    equal(tensors(case.path("back.safetensors")), tensors(case.path("torch.safetensors")), "tensors")


@check
def checkpoint_path_takes_shapes_with_the_same_elements_in_the_same_order(case):
    before = trained(case)
    case.train("job.conf", "-set", "checkpoint_path=ws", workspace="plain")
    other = {name: (kind, (*shape, 1) if len(shape) == 1 else (shape[0], 1, *shape[1:]), data)
             for name, (kind, shape, data) in before.items()}
    write_tensors(case.path("other.safetensors"), other)
    case.train("job.conf", "-set", "checkpoint_path=other.safetensors", workspace="flat")
    equal(tensors(case.newest("flat") / "model.safetensors"), tensors(case.newest("plain") / "model.safetensors"),
          "params")
    other["w1"] = turned(before["w1"])
    write_tensors(case.path("other.safetensors"), other)
    has(case.train("job.conf", "-set", "checkpoint_path=other.safetensors", code=78).err,
        'param "w1" has the shape (4, 6) in "other.safetensors", in the net (6, 4)', "stderr")


@check
def a_layer_with_transpose_takes_the_weights_of_other_programs(case):
    before = trained(case)
    other = {**before, "w3": ("F32", (3, 3), floats(*range(9))), "b3": before["b2"]}
    write_tensors(case.path("other.safetensors"), other)
    net = dense("fc1", "data", 1, 6) + dense("fc2", "fc1", 2, 3) + dense("fc", "fc2", 3, 3)
    case.write("plain.conf", csv("points.csv", "train_steps: 1 disp_freq: 1", 3, layers=net))
    case.write("turned.conf", csv("points.csv", "train_steps: 1 disp_freq: 1", 3,
                                  layers=net.replace("num_output", "transpose: true num_output")))
    err = case.run("ckpt", "import", "other.safetensors", "came", "-conf", "turned.conf").err
    has(err, "transposed, as their layers say: w1, w2, w3\n", "stderr")
    equal(tensors(case.path("came/model.safetensors"))["w3"], turned(other["w3"]), "the square weight")
    has(case.run("check", "turned.conf", "-set", "checkpoint_path=other.safetensors").out,
        "  transposed            w1, w2, w3\n", "check")
    losses = []
    for conf, path in (("plain", "other.safetensors"), ("turned", "other.safetensors"), ("turned", "came")):
        workspace = f"{conf}-{path}"
        case.train(f"{conf}.conf", "-set", f"checkpoint_path={path}", workspace=workspace)
        losses.append(case.rows(workspace)[0]["loss"])
    close(losses[1], losses[0], 1e-5, "loss by checkpoint_path")
    equal(losses[2], losses[1], "loss by import")


@check
def all_mismatches_of_an_import_are_listed_and_nothing_is_written(case):
    trained(case)
    write_tensors(case.path("in.safetensors"), {
        "a": ("F32", [4, 6], floats(*range(24))), "b": ("F32", [5], floats(*range(5))),
        "c": ("F32", [2], floats(1, 2)), "count": ("I64", [], bytes(8))})
    case.write("names.map", "a w1\nb b1\nd w2\nc b2 3 transpose\n")
    err = case.run("ckpt", "import", "in.safetensors", "out", "-conf", "job.conf", "-map", "names.map", code=65).err
    for text in ('names.map: line 3: there is no param "d"', 'line 4: "c" has the shape (2), not (3)',
                 'line 4: only a matrix can be transposed; "b2" has the shape (2)',
                 'param "w1" has the shape (4, 6) here, in the net (6, 4)',
                 'param "b1" has the shape (5) here, in the net (6)'):
        has(err, text, "stderr")
    true(not case.path("out").exists(), "a folder was written")
    case.write("names.map", "a w1 transpose\nc\n")
    has(case.run("ckpt", "import", "in.safetensors", "out", "-conf", "job.conf", "-map", "names.map", code=65).err,
        "names.map: line 2: needs two names", "stderr")


@check
def an_import_says_what_it_leaves_out_and_what_is_missing(case):
    before = trained(case)
    write_tensors(case.path("in.safetensors"), {"w1": before["w1"], "head": ("F32", [2], floats(1, 2)),
                                                "count": ("I64", [], bytes(8))})
    err = case.run("ckpt", "import", "in.safetensors", "out", "-conf", "job.conf").err
    has(err, "left out, not of a floating-point type: count\n", "stderr")
    has(err, "not in the net: head\n", "stderr")
    has(err, "not in the file, so they start as the job says: b1, w2, b2\n", "stderr")
    case.train("job.conf", "-set", "checkpoint_path=out", "-set", "train_steps=0", workspace="begun")
    equal(tensors(case.newest("begun") / "model.safetensors")["w1"], before["w1"], "w1")
    has(case.run("ckpt", "import", "in.safetensors", "out", "-conf", "job.conf", code=73).err,
        "out: exists already", "stderr")
    write_tensors(case.path("in.safetensors"), {"head": ("F32", [2], floats(1, 2))})
    has(case.run("ckpt", "import", "in.safetensors", "none", "-conf", "job.conf", code=65).err,
        "no param is one of the net's: it has head, the net w1, b1, w2, b2", "stderr")
    write_tensors(case.path("in.safetensors"), {"b1": ("F32", [6], floats(1, 2, 3, 4, 5, float("nan")))})
    case.run("ckpt", "import", "in.safetensors", "none", "-conf", "job.conf", code=65)
    case.run("ckpt", "import", "in.safetensors", "none", code=2)
    case.run("ckpt", "import", "missing.safetensors", "none", "-conf", "job.conf", code=66)
    true(not case.path("none").exists(), "a folder was written")
    write_tensors(case.path("in.safetensors"),
                  {"w1": before["w1"], **{f"head{i:02}": ("F32", [1], floats(i)) for i in range(23)}})
    has(case.run("ckpt", "import", "in.safetensors", "many", "-conf", "job.conf").err,
        "head18, head19 and 3 more\n", "stderr")
