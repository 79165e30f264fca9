"""Reads TensorBoard's event files without a library: frames, checksums and protobuf's wire format."""
import struct

from case import equal, true

_TABLE = []
for _byte in range(256):
    for _ in range(8):
        _byte = _byte >> 1 ^ (0x82F63B78 if _byte & 1 else 0)
    _TABLE.append(_byte)


def masked_crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17 & 0xFFFFFFFF) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    """Returns the records of a file. Fails unless all of it is intact."""
    found, at = [], 0
    while at < len(data):
        true(len(data) - at >= 16, f"{len(data) - at} bytes behind the last record")
        length, head = struct.unpack_from("<QI", data, at)
        equal(head, masked_crc32c(data[at:at + 8]), "checksum of a length")
        record = data[at + 12:at + 12 + length]
        tail, = struct.unpack_from("<I", data, at + 12 + length)
        equal(tail, masked_crc32c(record), "checksum of a record")
        found.append(record)
        at += length + 16
    return found


def fields(message):
    """Returns (number, value) of each field: an int, a float or bytes."""
    found, at = [], 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        tag = varint()
        if tag & 7 == 0:
            value = varint()
        elif tag & 7 == 2:
            length = varint()
            value, at = message[at:at + length], at + length
        else:
            form, length = {1: ("<d", 8), 5: ("<f", 4)}[tag & 7]
            value, at = struct.unpack_from(form, message, at)[0], at + length
        found.append((tag >> 3, value))
    return found


def doubles(data):
    return struct.unpack(f"<{len(data) // 8}d", data)


class Events:
    """Events holds what the event files of a folder have, in their order."""

    def __init__(self, folder):
        self.paths = sorted(folder.glob("events.out.tfevents.*"))
        self.scalars = []     # (tag, step, value)
        self.histograms = []  # (tag, step, fields)
        self.graphs = []      # serialized
        self.starts = []      # steps
        for path in self.paths:
            read = records(path.read_bytes())
            equal(dict(fields(read[0]))[3], b"brain.Event:2", f"version of {path.name}")
            for record in read[1:]:
                self._add(dict(fields(record)))

    def _add(self, event):
        step = event.get(2, 0)
        if 4 in event:
            self.graphs.append(event[4])
        if 7 in event:
            self.starts.append(step)
        for _, value in fields(event.get(5, b"")):
            parts = dict(fields(value))
            tag = parts[1].decode()
            if 5 in parts:
                self.histograms.append((tag, step, dict(fields(parts[5]))))
            else:
                self.scalars.append((tag, step, parts[2]))
