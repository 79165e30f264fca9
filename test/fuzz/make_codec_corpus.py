#!/usr/bin/env python3
"""Makes the seeds of codec_fuzz in corpus/codec/ beside this file."""
import pathlib
import struct

FOLDER = pathlib.Path(__file__).parent / "corpus" / "codec"
FP16, TOP_K, THRESHOLD, INT8, MOMENTUM = 0, 2, 4, 6, 1


def entries(*gaps):
    return b"".join(bytes(gap) + struct.pack("<f", 1.5) for gap in gaps)


SEEDS = {
    "halves": bytes([FP16, 3, 5]) + struct.pack("<3e", 1, -2, 0.5),
    "halves_not_finite": bytes([FP16, 2, 0]) + struct.pack("<2e", float("inf"), float("nan")),
    "halves_exponent": bytes([FP16, 1, 0x80]) + struct.pack("<e", 1),
    "halves_cut": bytes([FP16, 3, 5, 0]),
    "integers": bytes([INT8, 3]) + struct.pack("<f3b", 0.5, 127, -127, 3),
    "integers_not_finite": bytes([INT8, 2]) + struct.pack("<f2b", float("inf"), 0, -128),
    "integers_cut": bytes([INT8, 3]) + struct.pack("<f2b", 0.5, 1, 2),
    "sparse": bytes([TOP_K, 200]) + entries([3], [0], [0x80, 1]),
    "sparse_momentum": bytes([TOP_K + MOMENTUM, 200]) + entries([3], [0], [0x80, 1]),
    "sparse_none": bytes([THRESHOLD, 9]),
    "sparse_dense": bytes([THRESHOLD, 2]) + struct.pack("<2f", 1, -1),
    "sparse_behind_the_end": bytes([TOP_K, 9]) + entries([9]),
    "sparse_long_gap": bytes([TOP_K, 200]) + entries([0x80, 0x80, 0x80, 0x80, 0]),
    "sparse_cut": bytes([TOP_K, 200]) + entries([3])[:3],
    "sparse_too_many": bytes([TOP_K, 1]) + entries([0], [0]),
}
FOLDER.mkdir(parents=True, exist_ok=True)
for name, seed in SEEDS.items():
    (FOLDER / name).write_bytes(seed)
