"""Checks `singa import onnx`: nets that come back from an export, nets that other programs write, and
files that are refused."""
import random

import onnx_file as onnx
import onnx_nets
from case import check, equal, has, tensors, true
from onnx_file import model, node, tensor

# Nets that come back from an export and an import in the same form. All have a layer "x".
SAME = ("convolution_in_groups", "deconvolution_in_groups", "max_pooling_of_sides", "mean_pooling_rounded_up", "lrn",
        "batch_norm_of_settings", "layer_norm_of_rows", "stanh", "activation_gelu", "activation_silu", "activation_relu6",
        "activation_hard_sigmoid", "activation_hard_swish", "number_for_each_channel",
        "number_for_each_channel_of_rows", "weighted_sum", "inner_product", "softmax_in_parts", "concate_1",
        "channels_normalised", "one_hot", "embedding_of_records", "position_of_images", "attention_of_one_step",
        "gru_of_one_step", "attention_of_records", "time_steps_of_records", "positions_of_time_steps")


def imported(case, data, *args, code=0, folder="net"):
    case.path("in.onnx").write_bytes(data)
    return case.run("import", "onnx", "in.onnx", folder, *args, code=code)


def refused(case, data, text, *args, code=65):
    has(imported(case, data, *args, code=code).err, text, "stderr")
    true(not case.path("net").exists(), "a folder was written")


def again(case, source, layer, target):
    """Imports a model and exports `layer` of the job. The job's name is that of the folder; the graph
    gets another one."""
    case.run("import", "onnx", source, target, "-loss", "none")
    case.run("export", "onnx", "-conf", f"{target}/job.conf", "-layer", layer, "-set", "name=net",
             f"{target}.onnx")
    return case.path(f"{target}.onnx").read_bytes()


@check
def nets_come_back_the_same_from_an_export_and_an_import(case):
    draw = random.Random(1)
    for name in SAME:
        net = onnx_nets.NETS[name]
        size = 1
        for one in net.shape:
            size *= one
        index = net.shape == onnx_nets.INDEX
        rows = [",".join([str(i % 4)] + [str(i - 1) if index else f"{draw.uniform(-1, 1):.3f}" for _ in range(size)])
                for i in range(8)]
        case.write("data.csv", "\n".join(rows) + "\n")
        case.write("train.conf", onnx_nets.conf(net).replace("batchsize: 100", "batchsize: 8"))
        case.run("-conf", "train.conf")
        case.run("export", "onnx", "-conf", "train.conf", "-layer", "x", "first.onnx")
        first = case.path("first.onnx").read_bytes()
        second = again(case, "first.onnx", "x", f"second-{name}")
        third = again(case, f"second-{name}.onnx", "x", f"third-{name}")
        equal(onnx.ops_of(second), onnx.ops_of(first), f"operators of {name}")
        equal(sorted(onnx.constants_of(second).values()), sorted(onnx.constants_of(first).values()),
              f"numbers of {name}")
        equal(onnx.graph_of(third), onnx.graph_of(second), f"graph of {name}")


def bn(value, to):
    return node("BatchNormalization", f"{value} g b m v", to, epsilon=0.25)


def resnet_block():
    """A residual block and a classifier, with the names and forms that PyTorch writes."""
    nodes = [node("Conv", "input onnx::Conv_1", "/c/Conv_output_0", kernel_shape=[3, 3], pads=[1, 1, 1, 1],
                  strides=[2, 2], dilations=[1, 1], group=1),
             bn("/c/Conv_output_0", "/b/BatchNormalization_output_0"),
             node("Relu", "/b/BatchNormalization_output_0", "/Relu_output_0"),
             node("Conv", "/Relu_output_0 c2.weight c2.bias", "/c2/Conv_output_0", pads=[1, 1, 1, 1]),
             node("Add", "/c2/Conv_output_0 /Relu_output_0", "/Add_output_0"),
             node("Relu", "/Add_output_0", "/Relu_1_output_0"),
             node("ReduceMean", "/Relu_1_output_0", "/m_output_0", axes=[2, 3], keepdims=0),
             node("Shape", "/m_output_0", "/s_output_0"),
             node("Constant", "", "zero", value=tensor("", (), [0], onnx.INT64)),
             node("Gather", "/s_output_0 zero", "n", axis=0),
             node("Constant", "", "axes", value=tensor("", (1,), [0], onnx.INT64)),
             node("Unsqueeze", "n axes", "n1"),
             node("Constant", "", "rest", value=tensor("", (1,), [-1], onnx.INT64)),
             node("Concat", "n1 rest", "shape", axis=0),
             node("Reshape", "/m_output_0 shape", "flat"),
             node("Gemm", "flat fc.weight fc.bias", "output", alpha=1.0, beta=1.0, transB=1)]
    constants = [tensor("onnx::Conv_1", (4, 3, 3, 3), [i / 100 for i in range(108)]),
                 tensor("c2.weight", (4, 4, 3, 3), [-i / 100 for i in range(144)]),
                 tensor("c2.bias", (4,), [0.5] * 4), tensor("fc.weight", (5, 4), [0.25] * 20),
                 tensor("fc.bias", (5,), [1.0] * 5)]
    constants += [tensor(name, (4,), [1.0 + i] * 4) for i, name in enumerate("gbmv")]
    return model(nodes, constants, [onnx.value_info("input", ("n", 3, 8, 8))], ("output",))


@check
def a_residual_net_becomes_plain_layers_that_run(case):
    imported(case, resnet_block(), "-mean", "123,117,104", "-std", "58")
    conf = case.path("net/job.conf").read_text()
    for text in ('name: "c.Conv"', 'name: "c.Conv_0"', 'name: "fc.weight"', "global_pooling: true",
                 "channel_mean: [123, 117, 104]", "std_value: 58", 'checkpoint_path: "net/model.safetensors"',
                 "type: kSoftmaxLoss", 'name: "output"'):
        has(conf, text, "job.conf")
    equal(tensors(case.path("net/model.safetensors"))["fc.bias"], ("F32", (5,), onnx.raw([1.0] * 5)), "fc.bias")
    has(case.run("check", "net/job.conf").out, "output", "check")
    case.run("-conf", "net/job.conf", "-test")
    case.run("export", "onnx", "-conf", "net/job.conf", "out.onnx")
    values = onnx.constants_of(case.path("out.onnx").read_bytes())
    equal(values["c2.weight"], onnx.raw([-i / 100 for i in range(144)]), "c2.weight")


@check
def functions_of_several_nodes_become_one_layer(case):
    silu = model([node("Sigmoid", "x", "s"), node("Mul", "x s", "y")])
    gelu = model([node("Div", "x r", "a"), node("Erf", "a", "b"), node("Add", "b o", "c"), node("Mul", "x c", "d"),
                  node("Mul", "d h", "y")],
                 [tensor("r", (), [2 ** 0.5]), tensor("o", (), [1.0]), tensor("h", (), [0.5])])
    biased = model([node("Flatten", "x", "f"), node("MatMul", "f w", "a"), node("Add", "b a", "y")],
                   [tensor("w", (192, 2), [0.5] * 384), tensor("b", (2,), [1.0, 2.0])])
    padded = model([node("Pad", "x p", "a"), node("Conv", "a w", "y")],
                   [tensor("p", (8,), [0, 0, 1, 2, 0, 0, 1, 2], onnx.INT64), tensor("w", (2, 3, 3, 3), [0.5] * 54)])
    six = [tensor("low", (), [0.0]), tensor("six", (), [6.0])]
    relu6 = model([node("Clip", "x low six", "y")], six)
    hard = [node("Add", "x three", "a"), node("Clip", "a low six", "b")]
    six.append(tensor("three", (), [3.0]))
    gate = model(hard + [node("Div", "b six", "y")], six)
    swish = model(hard + [node("Mul", "x b", "c"), node("Div", "c six", "y")], six)
    gated = model([node("HardSigmoid", "x", "s", alpha=1 / 6), node("Mul", "s x", "y")])
    for name, data, text in (("silu", silu, "type: SILU"), ("gelu", gelu, "type: GELU"),
                             ("relu6", relu6, "type: RELU6"), ("gate", gate, "type: HARD_SIGMOID"),
                             ("swish", swish, "type: HARD_SWISH"), ("gated", gated, "type: HARD_SWISH"),
                             ("biased", biased, "transpose: true"), ("padded", padded, "pad_x: 2")):
        imported(case, data, "-loss", "none", folder=name)
        conf = case.path(f"{name}/job.conf").read_text()
        has(conf, text, "job.conf")
        equal(conf.count("  layer {"), 2, f"layers of {name}")
        case.run("check", f"{name}/job.conf")


@check
def squeeze_and_excitation_becomes_a_product(case):
    """The factor may come first, and be a row of numbers that a Reshape turns to (N, c, 1, 1)."""
    mean = node("ReduceMean", "x", "m", axes=[-1, -2], keepdims=1)
    images = model([mean, node("Conv", "m w", "c"), node("Sigmoid", "c", "s"), node("Mul", "s x", "y")],
                   [tensor("w", (3, 3, 1, 1), [0.5] * 9)])
    rows = model([mean, node("Flatten", "m", "f"), node("Gemm", "f w", "g"), node("Reshape", "g sizes", "s"),
                  node("Mul", "x s", "y")],
                 [tensor("w", (3, 3), [0.5] * 9), tensor("sizes", (4,), [-1, 3, 1, 1], onnx.INT64)])
    for name, data, layers in (("images", images, 5), ("rows", rows, 4)):
        imported(case, data, "-loss", "none", folder=name)
        conf = case.path(f"{name}/job.conf").read_text()
        equal(conf.count("  layer {"), layers, f"layers of {name}")
        has(conf, "operation: PROD", "job.conf")
        case.run("check", f"{name}/job.conf")
    refused(case, model([node("ReduceMean", "x", "m", axes=[2, 3]), node("Add", "x m", "y")]),
            "joins (N, 3, 8, 8) and (N, 3, 1, 1)")


@check
def nodes_without_a_layer_are_all_listed(case):
    data = model([node("Clip", "x low high", "a", name="five"), node("TopK", "a", "b"), node("Hardmax", "x", "y")],
                 [tensor("low", (), [0.0]), tensor("high", (), [5.0])])
    refused(case, data, 'in.onnx: 3 nodes cannot become layers: node "five" (Clip): cuts values off at 0 and 5')
    refused(case, data, 'node "b" (TopK): no layer computes this operator')
    refused(case, data, 'node "y" (Hardmax)')
    refused(case, model([node("HardSigmoid", "x", "y")]), "has alpha 0.2 and beta 0.5; a layer has 1/6 and 1/2")
    three = [tensor("three", (), [3.0])]
    refused(case, model([node("Add", "x three", "y")], three), "no layer adds a number in this place")
    refused(case, model([node("Conv", "x w", "y", pads=[0, 0, 1, 1])], [tensor("w", (2, 3, 3, 3), [0.5] * 54)]),
            "pads differ on opposite sides of the picture")


@check
def damaged_models_are_65_and_nothing_is_written(case):
    conv = [node("Conv", "x w", "y")]
    relu = [node("Relu", "x", "y")]
    good = model(conv, [tensor("w", (2, 3, 3, 3), [0.5] * 54)])
    refused(case, good[:-30], "is no ONNX model, or damaged: the model ends early")
    refused(case, b"", "it has no graph")
    refused(case, model([node("Add", "x b", "a", name="add"), node("Relu", "a", "b"), node("Relu", "b", "y")]),
            'the graph has a cycle; node "add" (Add) is in it')
    refused(case, model([node("Relu", "z", "y")]), 'reads "z", which nothing gives')
    refused(case, model(conv, [tensor("w", (10**9, 10**9, 3, 3), [0.5])]), 'tensor "w" has more than 2^40 numbers')
    refused(case, model(conv, [tensor("w", (1000, 3, 1000, 1000), [0.5])]), "is larger than the picture")
    refused(case, model(conv, [tensor("w", (2, 3, 3, 3), [0.5] * 53)]), 'tensor "w" has 212 bytes; its 54 numbers')
    for number, text in ((7, "has more numbers than its shape, which has 1"), (4, "in the list of another type")):
        sizes = tensor("p", (1,), kind=onnx.INT64, data=b"", more=onnx.field(number, bytes([1, 2, 3, 4])))
        refused(case, model([node("Reshape", "x p", "y")], [sizes]), text)
    refused(case, model(relu, inputs=[onnx.value_info("x", ("N", 10**9, 10**9, 10**9))]),
            'input "x" has rows of (1000000000, 1000000000, 1000000000)')
    refused(case, model(relu, inputs=[onnx.value_info("x", ("N", 3, "h", "w"))]), "-shape c,h,w gives it")
    refused(case, model(relu, opset=3), "is of opset 3")
    refused(case, model(relu), "-mean: has 2 numbers", "-mean", "1,2", code=2)
    refused(case, model(relu), "-mean and -std must be finite numbers", "-std", "inf", code=2)
    refused(case, model(relu), 'input "x" has rows of (3, 8, 8)', "-shape", "3,8,9", code=2)
    imported(case, model(relu, inputs=[onnx.value_info("x", ("N", 3, "h", "w"))]), "-shape", "3,4,4")
    has(imported(case, good, code=73).err, "net: exists already", "stderr")


@check
def an_imported_job_has_its_own_workspace_and_values(case):
    net = [node("Flatten", "x", "f"), node("Gemm", "f w", "y", transB=1)]
    data = model(net, [tensor("w", (2, 192), [0.5] * 192 + [0.25] * 192)])
    has(imported(case, data).err, "loss: kSoftmaxLoss, as the model does not say; -loss names another", "stderr")
    conf = case.path("net/job.conf").read_text()
    has(conf, 'name: "net"', "job.conf")
    has(conf, 'workspace: "net/run"', "job.conf")
    case.write("one.csv", ",".join(["1"] * 192) + "\n")
    scores = case.run("predict", "-conf", "net/job.conf", "-layer", "y", "one.csv")
    has(scores.out, ",96,48", "the scores of the imported values")
    for loss in ("euclidean", "sigmoid"):
        true("as the model does not say" not in imported(case, data, "-loss", loss, folder=loss).err, loss)
        case.run("check", f"{loss}/job.conf")
        case.run("-conf", f"{loss}/job.conf", "-test")


@check
def records_and_sizes_of_an_import_are_checked(case):
    relu = model([node("Relu", "x", "y")], inputs=[onnx.value_info("x", ("N", 3, "h", "w"))])
    refused(case, relu, "none.bin: No such file", "-shape", "3,4,4", "-store", "none.bin", code=66)
    refused(case, relu, '-backend: no such backend: "csw"', "-store", "in.onnx", "-backend", "csw", code=2)
    for size in ("99999999999", "9" * 30, "0"):
        refused(case, relu, "from 1 to 2147483647", "-shape", f"3,4,{size}", code=2)


@check
def external_data_is_read_from_the_folder_of_the_model_alone(case):
    case.path("models").mkdir()

    def file(**where):
        data = model([node("Conv", "x w", "y")], [tensor("w", (2, 3, 3, 3), data=b"", more=onnx.external(**where))])
        case.path("models/in.onnx").write_bytes(data)

    numbers = onnx.raw([i / 10 for i in range(54)])
    case.path("models/w.bin").write_bytes(b"head" + numbers)
    case.path("w.bin").write_bytes(numbers)
    case.path("models/link.bin").symlink_to(case.path("w.bin"))
    for location, text in (("../w.bin", "leaves the folder"), (str(case.path("w.bin")), "is no relative path"),
                           ("link.bin", "is a link")):
        file(location=location)
        has(case.run("import", "onnx", "models/in.onnx", "net", code=65).err, text, f"stderr of {location}")
    file(location="w.bin", offset=8, length=216)
    has(case.run("import", "onnx", "models/in.onnx", "net", code=65).err, "which has 220 bytes", "stderr")
    file(location="none.bin")
    case.run("import", "onnx", "models/in.onnx", "net", code=66)
    file(location="w.bin", offset=4, length=216)
    case.run("import", "onnx", "models/in.onnx", "net")
    equal(tensors(case.path("net/model.safetensors"))["w"][2], numbers, "w")
