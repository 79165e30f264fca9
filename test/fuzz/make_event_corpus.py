#!/usr/bin/env python3
"""Makes seeds in corpus/events beside this file: event files, whole and damaged, and events."""
import struct

from make_checkpoint_corpus import save


def masked(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def frame(record):
    length = struct.pack("<Q", len(record))
    return length + masked(length) + record + masked(record)


def field(number, data):
    assert len(data) < 128
    return bytes([number << 3 | 2, len(data)]) + data


def event(step, *rest):
    return b"\x09" + struct.pack("<d", 1.5) + bytes([0x10, step]) + b"".join(rest)


def scalar(tag, number):
    return field(1, field(1, tag) + b"\x15" + struct.pack("<f", number))


VERSION = event(0, field(3, b"brain.Event:2"))
START = event(5, field(7, b"\x08\x01"))
ROW = event(5, field(5, scalar(b"train/loss", 0.5) + scalar(b"train/lr", 0.1)))
OTHER = event(6, field(5, scalar(b"group1/train/loss", 0.5)))
HISTOGRAM = event(5, field(5, field(1, field(1, b"values/w") + field(5, field(6, bytes(16))))))
GROUPS = b"\x33\x3b\x3c\x34" + ROW  # fields of the old kind, one in the other
FILES = {
    "version": VERSION, "row": ROW, "other_group": OTHER, "histogram": HISTOGRAM,
    "groups": GROUPS, "long_value": b"\x2a\x05\x0a\x7f", "short": ROW[:-1],
    "long_tag": field(5, field(1, b"\x0a\x40a")),
    "no_tag": field(5, field(1, b"\x15\0\0\0\0")), "end_group": b"\x34",
    "long_step": b"\x10" + b"\xff" * 10,
    "file": frame(VERSION) + frame(START) + frame(ROW) + frame(OTHER) + frame(HISTOGRAM),
    "torn": (frame(VERSION) + frame(ROW))[:-3],
    "damaged": frame(VERSION) + frame(ROW)[:-9] + bytes(9),
    "damaged_length": bytes(12) + frame(ROW),
    "beyond": struct.pack("<Q", 1 << 40) + masked(struct.pack("<Q", 1 << 40)) + bytes(8),
}


def main():
    save("events", FILES)


if __name__ == "__main__":
    main()
