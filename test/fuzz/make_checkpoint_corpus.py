#!/usr/bin/env python3
"""Makes the seeds of safetensors_fuzz, manifest_fuzz and blobprotos_fuzz in corpus/ beside this file."""
import json
import pathlib
import struct

CORPUS = pathlib.Path(__file__).parent / "corpus"


def save(target, seeds):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in seeds.items():
        (folder / name).write_bytes(data)


def safetensors(header, data=b""):
    text = header if isinstance(header, str) else json.dumps(header)
    text += " " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text.encode() + data


def tensor(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def manifest(**changes):
    fields = {
        "conf_sha256": "c" * 64,
        "files": {"model.safetensors": {"sha256": "0" * 64, "size": 80}},
        "format": 1,
        "run": {"seed": 2**64 - 1, "threads": -2, "topology": "1x1"},
        "step": 20,
        "tensors": {"w1": {"crc32c": "0123abcd"}},
    }
    fields.update(changes)
    return json.dumps(fields, indent=2)[:-2].encode()  # without "\n}": the fuzzer adds the checksum


def field(number, data):  # of wire type 2
    return bytes([number << 3 | 2, len(data)]) + data


def blob(shape, values, packed):
    if packed:
        return field(1, bytes(shape)) + field(2, struct.pack("<%df" % len(values), *values))
    return b"".join(bytes([8, d]) for d in shape) + b"".join(b"\x15" + struct.pack("<f", v) for v in values)


save("safetensors", {
    "empty": safetensors("{}"),
    "two": safetensors({"w": tensor("F32", [2, 1], 0, 8), "b": tensor("U8", [3], 8, 11)}, bytes(11)),
    "types": safetensors({"a": tensor("F64", [], 0, 8), "b": tensor("I64", [1], 8, 16), "c": tensor("BF16", [1], 16, 18)},
                         bytes(18)),
    "metadata": safetensors({"__metadata__": {"format": "pt"}, "z": tensor("F32", [0, 5], 0, 0)}),
    "hole": safetensors({"w": tensor("F32", [1], 4, 8)}, bytes(8)),
    "overflow": safetensors({"w": tensor("F64", [2**61], 0, 0)}),
    "duplicate": safetensors('{"w":%s,"w":%s}' % ((json.dumps(tensor("U8", [1], 0, 1)),) * 2), bytes(1)),
    "huge_header": struct.pack("<Q", 2**63) + b"{}",
})
save("manifest", {
    "good": manifest(),
    "newer": manifest(format=2),
    "negative": manifest(step=-1),
    "no_files": manifest(files={}),
    "nested": manifest(run={"x": [[[[[[[[[]]]]]]]]]}),
})
save("blobprotos", {
    "packed": b"\x18\x07" + field(4, b"0#w1") + field(5, blob([2, 1], [1.0, 2.0], True)),
    "unpacked": field(4, b"b") + field(5, blob([2], [1.0, 2.0], False)),
    "two": (b"\x18\x07" + field(4, b"0#w") + field(5, blob([1], [1.0], False))) * 2,
    "unknown": b"\x48\x07" + field(4, b"w") + field(5, b"\x48\x07" + blob([1], [1.0], True)),
    "group": b"\x4b\x48\x07\x4c" + field(3, b"\x01"),
    "short": field(4, b"w") + b"\x2a\xff\xff\xff\xff\x07\x12",
})
