#!/usr/bin/env python3
"""Makes the seeds of onnx_fuzz in corpus/onnx/ beside this file."""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "system"))
import onnx_file as onnx
from onnx_file import field, model, node, tensor, varint

CORPUS = pathlib.Path(__file__).parent / "corpus/onnx"
W = tensor("w", (2, 3, 3, 3), [0.5] * 54)
CONV = node("Conv", "x w", "y", pads=[1, 1, 1, 1])
NUMBERS = [1.0] * 10
ROWS = [onnx.value_info("x", ("N", 5))]


def matrix(**given):
    return model([node("Gemm", "x w b", "y")], [tensor("w", (5, 2), **given), tensor("b", (2,), [1.0, 2.0])], ROWS)


RESHAPE = model(
    [node("Shape", "x", "s"), node("Constant", "", "k", value=tensor("", (), [0], onnx.INT64)),
     node("Gather", "s k", "n"), node("Constant", "", "a", value=tensor("", (1,), [0], onnx.INT64)),
     node("Unsqueeze", "n a", "n1"), node("Constant", "", "m", value_ints=[-1]),
     node("Concat", "n1 m", "t", axis=0), node("Reshape", "x t", "r"), node("Relu", "r", "y")])
BLOCK = model(
    [node("Conv", "x w", "c", pads=[1, 1, 1, 1], strides=[1, 1]),
     node("BatchNormalization", "c g b m v", "n", epsilon=0.1), node("Relu", "n", "r"),
     node("Add", "r x", "s"), node("MaxPool", "s", "p", kernel_shape=[2, 2], strides=[2, 2]),
     node("Sigmoid", "p", "q"), node("Mul", "p q", "u"), node("Pad", "u z", "d"),
     node("AveragePool", "d", "e", kernel_shape=[3, 3]), node("Split", "e", "e1 e2 e3", axis=1),
     node("Concat", "e1 e3", "f", axis=1), node("GlobalAveragePool", "f", "h"),
     node("Flatten", "h", "i"), node("Softmax", "i", "y", name="end")],
    [tensor("w", (3, 3, 3, 3), [0.1] * 81)] + [tensor(name, (3,), [1.0] * 3) for name in "gbmv"] +
    [tensor("z", (8,), [0, 0, 1, 1, 0, 0, 1, 1], onnx.INT64)])
INDICES = [onnx.value_info("x", ("T", "N"), onnx.INT64)]
GRU = tensor("w", (1, 6, 2), [0.5] * 12)
TEXT = model(
    [node("Gather", "t x", "e"), node("GRU", "e w w", "s h", hidden_size=2, linear_before_reset=1),
     node("Reshape", "s r", "f"), node("Gemm", "f g", "y", transB=1)],
    [tensor("t", (4, 2), [0.5] * 8), GRU, tensor("r", (2,), [-1, 2], onnx.INT64), tensor("g", (3, 2), [1.0] * 6)],
    INDICES)
ATTENTION = model(
    [node("Transpose", "x", "s", perm=[1, 0, 2]), node("MatMul", "s w", "p"), node("Add", "p b", "z"),
     node("Reshape", "z r", "h"), node("Transpose", "h", "t", perm=[2, 1, 3, 0, 4]),
     node("Split", "t", "q k v", axis=0),
     node("Transpose", "k", "c", perm=[0, 1, 2, 4, 3]), node("MatMul", "q c", "d"), node("Mul", "d i", "j"),
     node("Softmax", "j", "l"), node("MatMul", "l v", "m"), node("Transpose", "m", "n", perm=[3, 1, 0, 2, 4]),
     node("Reshape", "n u", "o"), node("Gemm", "o a a1", "y")],
    [tensor("w", (4, 12), [0.5] * 48), tensor("b", (12,), [0.5] * 12), tensor("i", (), [0.5 ** 0.5]),
     tensor("r", (5,), [3, -1, 3, 2, 2], onnx.INT64), tensor("u", (2,), [-1, 4], onnx.INT64),
     tensor("a", (4, 4), [0.5] * 16), tensor("a1", (4,), [0.5] * 4)], [onnx.value_info("x", ("N", 3, 4))])
VOCABULARY = field(14, field(1, "vocabulary") + field(2, "61620a7a"))
SEEDS = {
    "text": TEXT + VOCABULARY,
    "text_of_no_characters": TEXT + field(14, field(1, "vocabulary") + field(2, "6g")),
    "text_of_steps": TEXT + field(14, field(1, "time_steps") + field(2, "any number; the job has 5")),
    "attention": ATTENTION,
    "activations": model([field(1, "x") + field(1, "w") + field(1, "w") + field(2, "y") + field(4, "RNN") +
                          field(5, field(1, "activations") + field(9, "Tanh") + field(9, "Relu"))],
                         [tensor("w", (1, 2, 2), [0.5] * 4)], [onnx.value_info("x", ("N", 3, 2))]),
    "conv": model([CONV], [W]),
    "block": BLOCK,
    "reshape": RESHAPE,
    "out_of_order": model([node("Relu", "a", "y"), node("Relu", "x", "a")]),
    "gelu": model([node("Mul", "x r", "a"), node("Erf", "a", "b"), node("Add", "b o", "c"),
                   node("Mul", "x h", "d"), node("Mul", "d c", "y")],
                  [tensor("r", (), [0.70710678]), tensor("o", (), [1.0]), tensor("h", (), [0.5])]),
    "prepared": model([node("Sub", "x m", "a"), node("Div", "a s", "b"), node("Relu", "b", "y")],
                      [tensor("m", (3, 1, 1), [1.0, 2.0, 3.0]), tensor("s", (), [4.0])]),
    "gemm_float16": matrix(values=NUMBERS, kind=onnx.FLOAT16),
    "gemm_double": matrix(values=NUMBERS, kind=onnx.DOUBLE),
    "gemm_float_data": matrix(data=b"", more=field(4, onnx.raw(NUMBERS))),
    "gemm_unpacked": matrix(data=b"", more=b"".join(field(4, one) for one in NUMBERS)),
    "gemm_float16_list": matrix(kind=onnx.FLOAT16, data=b"", more=field(5, varint(0x3c00) * 10)),
    "gemm_external": matrix(data=b"", more=onnx.external(location="w.bin", offset=0, length=40)),
    "gemm_external_outside": matrix(data=b"", more=onnx.external(location="../w.bin")),
    "gemm_short": matrix(values=NUMBERS[:9]),
    "gemm_of_integers": matrix(values=[1] * 10, kind=onnx.INT64),
    "matmul": model([node("MatMul", "x w", "a"), node("Add", "a b", "y")],
                    [tensor("w", (5, 2), NUMBERS), tensor("b", (2,), [1.0, 2.0])], ROWS),
    "cycle": model([node("Add", "x b", "a"), node("Relu", "a", "b"), node("Relu", "b", "y")]),
    "given_twice": model([node("Relu", "x", "y"), node("Tanh", "x", "y")]),
    "given_by_nobody": model([node("Relu", "z", "y")]),
    "output_of_nobody": model([node("Relu", "x", "z")]),
    "other_operators": model([node("TopK", "x", "z"), node("Relu", "x", "y", domain="own")]),
    "large_dims": model([CONV], [tensor("w", (10**9, 10**9, 10**9), [0.5])]),
    "negative_dims": model([CONV], [tensor("w", (-3, 3), [0.5])]),
    "many_dims": model([CONV], [tensor("w", (1,) * 70, [0.5])]),
    "large_input": model([CONV], [W], [onnx.value_info("x", ("N", 10**9, 10**9, 10**9))]),
    "integer_input": model([CONV], [W], [onnx.value_info("x", ("N", 3, 8, 8), onnx.INT64)]),
    "free_input": model([CONV], [W], [onnx.value_info("x", ("N", 3, "h", "w"))]),
    "two_inputs": model([CONV], [W], [onnx.value_info(name, ("N", 3, 8, 8)) for name in "xz"]),
    "old_opset": model([CONV], [W], opset=3),
    "graph_attribute": model([field(1, "x") + field(2, "y") + field(4, "If") +
                              field(5, field(1, "then_branch") + field(6, b"") + field(8, b"\xff"))]),
    "sparse": field(7, field(15, b"")),
    "long_name": model([node("Relu", "x", "y" * 70000)]),
    "wrong_type": field(7, 3),
    "float_for_text": field(7, field(1, field(4, 1.5))),
    "integer_for_float": field(7, field(1, field(5, field(2, 3)))),
    "text_for_integer": field(7, field(5, field(2, "text"))),
    "fixed64": b"\x41" + b"\0" * 8 + model([CONV], [W]),
    "group": b"\x0b\x0c",
    "no_number": b"\x02\x00",
    "long_varint": b"\x08" + b"\xff" * 11,
    "cut_varint": b"\x08\xff",
    "cut_length": b"\x3a\xff",
    "damaged_integers": field(7, field(1, field(5, field(8, b"\xff")))),
    "cut": model([CONV], [W])[:60],
    "empty": b"",
}

CORPUS.mkdir(parents=True, exist_ok=True)
for name, data in SEEDS.items():
    (CORPUS / name).write_bytes(data)
