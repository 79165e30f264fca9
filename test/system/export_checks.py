"""Checks singa export onnx: files, exit codes, errors. onnx_outputs.py checks the models'
results."""
import json

import generation_checks
from case import check, equal, has, true
from job import dense, mlp


def trained(case, **net):
    conf = mlp(case.site.data, "train_steps: 3", **net)
    case.train(conf)
    return conf


def export(case, *args, checkpoint="ws/checkpoint/step3", out="out.onnx", conf="job.conf", code=0):
    given = ("-checkpoint", checkpoint) if checkpoint else ()
    return case.run("export", "onnx", "-conf", conf, *given, *args, out, code=code)


def values(path):
    """Returns the bytes of each tensor of a .safetensors file."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    return {name: data[start + entry["data_offsets"][0]:start + entry["data_offsets"][1]]
            for name, entry in header.items() if name != "__metadata__"}


@check
def export_writes_one_file_and_nothing_on_stdout(case):
    trained(case)
    before = set(case.folder.iterdir())
    job = export(case)
    equal(job.out, "", "stdout")
    has(job.err, "out.onnx: ", "stderr")
    has(job.err, "12730 numbers in weights; data (N, 784) -> fc2 (N, 10), loss (N, 10)", "stderr")
    equal(set(case.folder.iterdir()) - before, {case.path("out.onnx")}, "new files")
    model = case.path("out.onnx").read_bytes()
    weights = case.path("ws/checkpoint/step3/model.safetensors").read_bytes()
    true(weights[-400:] in model, "the model does not hold the checkpoint's params")
    export(case, "-layer", "relu", out="relu.onnx")
    true(0 < case.path("relu.onnx").stat().st_size < len(model), "size of the part up to relu")


@check
def export_needs_no_records(case):
    conf = trained(case)
    case.write("away.conf", conf.replace(str(case.site.data), "/nowhere"))
    export(case, conf="away.conf")


@check
def export_takes_set_and_every_form_of_checkpoint(case):
    trained(case)
    expected = values(case.path("ws/checkpoint/step3/model.safetensors"))
    equal(sorted(expected), ["b1", "b2", "w1", "w2"], "params")
    case.run("ckpt", "export", "-format", "blobprotos", "ws/checkpoint/step3", "old.bin")
    for form in ("ws/checkpoint/step3", "ws", "ws/checkpoint/step3/model.safetensors", "old.bin"):
        export(case, checkpoint=form, out="form.onnx")
        model = case.path("form.onnx").read_bytes()
        for name, numbers in expected.items():
            true(numbers in model, f"the model from {form} has other numbers in {name}")
    std = "neuralnet.layer[data#1].store_conf.std_value=1"
    has(export(case, "-set", std).err, "out.onnx: 4 nodes", "stderr without a division")


@check
def export_without_checkpoint_takes_what_predict_takes(case):
    trained(case)
    export(case, out="given.onnx")
    job = export(case, checkpoint="", out="newest.onnx")
    has(job.err, "params from ws/checkpoint/step3", "stderr")
    true(case.path("newest.onnx").read_bytes() == case.path("given.onnx").read_bytes(),
         "the files differ")
    path = "checkpoint_path=ws/checkpoint/step3/model.safetensors"
    job = export(case, "-set", path, checkpoint="", out="set.onnx")
    has(job.err, "params from ws/checkpoint/step3/model.safetensors", "stderr")
    case.path("ws").rename(case.path("away"))
    has(export(case, checkpoint="", code=66).err, "ws/checkpoint: holds no checkpoint yet",
        "stderr")


@check
def a_wrong_call_of_export_is_2(case):
    trained(case)
    for args in ((), ("onnx",), ("caffe", "out"), ("onnx", "a.onnx", "b.onnx"), ("onnx", "out")):
        job = case.run("export", "-conf", "job.conf", "-checkpoint", "ws", *args, code=2)
        has(job.err, "see singa export -help", f"stderr of {args}")
    has(export(case, "-layer", "-resume", code=2).err, "-layer needs a value", "stderr")
    has(export(case, "-layer", "fc3", code=2).err, 'did you mean "fc1"', "stderr")
    has(export(case, "-resume", code=2).err, "no flag -resume", "stderr")
    true(not case.path("out.onnx").exists(), "a file was written")


@check
def export_names_what_the_checkpoint_lacks_and_leaves_the_old_file(case):
    conf = trained(case)
    case.write("more.conf", conf.replace('"w2"', '"v2"').replace('"b2"', '"c2"'))
    case.write("out.onnx", "old")
    job = export(case, conf="more.conf", code=65)
    has(job.err, "ws/checkpoint/step3: has no value for these params: ", "stderr")
    has(job.err, "v2", "stderr")
    equal(case.path("out.onnx").read_text(), "old", "the file that was there")
    export(case, "-layer", "relu", conf="more.conf")
    true(case.path("out.onnx").read_bytes() != b"old", "the old file is still there")
    equal([entry.name for entry in case.folder.iterdir() if ".tmp" in entry.name], [], "left files")


@check
def a_mistake_in_the_conf_of_an_export_is_78_at_its_place(case):
    conf = trained(case)
    case.write("wide.conf", mlp(case.site.data, "train_steps: 3", hidden=17))
    err = export(case, conf="wide.conf", code=78).err
    has(err, 'error: -checkpoint: param "b1" has the shape (16) in', "stderr")
    dummy = '\n  layer { name: "own" type: kDummy srclayers: "relu" }'
    case.write("dummy.conf", mlp(case.site.data, "train_steps: 3", layers=dummy, top="own"))
    line = case.path("dummy.conf").read_text().splitlines().index(dummy.strip("\n")) + 1
    err = export(case, conf="dummy.conf", code=78).err
    has(err, f"dummy.conf:{line}:23: error: neuralnet.layer[own].type: kDummy has no form in ONNX; "
             "these have: kAccuracy, kActivation, ", "stderr")
    case.write("broken.conf", conf.replace("kReLU", "kRelu"))
    has(export(case, conf="broken.conf", code=78).err, "is kRelu, which is no LayerType", "stderr")
    extra = dense("side", "data", 7, 3)
    case.write("side.conf", mlp(case.site.data, "train_steps: 3", layers=extra))
    export(case, conf="side.conf")


@check
def a_model_that_cannot_be_written_is_73_and_a_missing_checkpoint_66(case):
    trained(case)
    has(export(case, out="nowhere/out.onnx", code=73).err, "nowhere/out.onnx", "stderr")
    has(export(case, checkpoint="ws/checkpoint/step9", code=66).err, "step9", "stderr")


@check
def a_net_on_a_text_is_exported_for_texts_of_any_length(case):
    generation_checks.trained(case)
    newest = case.newest()
    has(export(case, checkpoint=newest).err, "; text (T, N) -> fc (T, N, 4), loss (T, N, 4)",
        "stderr")
    has(export(case, "-set", "neuralnet.unroll_len=1", "-set",
               "neuralnet.layer[text].char_rnn_conf.unroll_len=1", checkpoint=newest).err,
        "; text (1, N) -> fc (N, 4), loss (N, 4)", "stderr of one step")
    has(export(case, "-set", "neuralnet.layer[gru].gru_conf.carry_state=true",
               checkpoint=newest).err,
        "; text (T, N), gru.state (1, N, 16) -> fc (T, N, 4), loss (T, N, 4), "
        "gru.next_state (1, N, 16)", "stderr with a state")
    case.path("text").unlink()
    export(case, checkpoint=newest)
    case.path("vocabulary").unlink()
    has(export(case, checkpoint=newest, code=66).err, "error: vocabulary: No such file", "stderr")


@check
def a_net_that_reads_its_own_output_is_78_at_the_layer_that_reads_it(case):
    generation_checks.trained(case)
    generation_checks.written(case, "type: kArgSort")
    err = export(case, checkpoint=case.newest(), conf="write.conf", code=78).err
    has(err, "write.conf:6:13: error: neuralnet.layer[first].rnn_dummy_conf.dynamic_srclayer: the "
             'net reads its own output, "next", a batch late, which a model cannot', "stderr")
