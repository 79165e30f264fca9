#!/usr/bin/env python3
"""Makes the seeds of server_messages_fuzz in corpus/ beside this file.

They are the course of a job of each kind as one of its servers sees it, and messages that do not
fit.
"""
import pathlib

CLIENT, SERVER = 1, 2
PUT, GET, UPDATE, SYNC, REPLY, GATHER, SQUARES = 3, 4, 5, 7, 8, 9, 15
NAN, LESS, MORE, LONG = 8, 1, 2, 4
EXCHANGE = 0xFE
SIZES = [3, 2, 5]


def varint(number):
    number &= 2**64 - 1
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    """Returns a protobuf field: a number as varint, bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def address(role, group=0, end=0):
    return field(1, role) + field(2, group) + field(3, end)


def part(index, version=0, elements=None):
    elements = SIZES[index] if elements is None else elements
    return field(1, index) + field(2, version) + field(3, elements)


def message(kind, rank, sender, parts=(), payload=0x10, to=(SERVER, 0, 0), step=0, group=0, hops=0,
            squares=b""):
    text = field(1, kind) + field(2, address(*sender)) + field(3, address(*to)) + field(4, step)
    text += b"".join(field(5, p) for p in parts)
    text += field(6, squares) if squares else b""
    text += field(10, group) + field(11, hops)
    return bytes([rank, len(text) & 255, len(text) >> 8]) + text + bytes([payload])


def client(kind, rank, slices, group=0, version=0, step=0, payload=0x10, elements=None):
    parts = [part(s, version, 0 if kind in (GET, GATHER) else elements) for s in slices]
    return message(kind, rank, (CLIENT, group, rank), parts, payload, step=step)


def synchronous(job):
    """Returns the messages of two processes. The server has slices 0 and 1, another server slice
    2."""
    text = client(GET, 1, [0, 1]) + client(PUT, 0, [0, 1]) + client(PUT, 0, [0, 1])
    squares = (8 * b"\0") if job else b""
    for step in range(3):
        how = NAN if step == 1 and job == 2 else 0x10
        for rank in (1, 0):
            text += client(UPDATE, rank, [1, 0], version=step, step=step, payload=how)
        text += message(SQUARES, 1, (SERVER, 0, 1), step=step, squares=squares)
    text += client(UPDATE, 0, [0], version=3, step=3) + client(UPDATE, 1, [1], version=3, step=4)
    text += client(UPDATE, 0, [0], version=3, step=3) + client(GET, 1, [0], version=4)
    text += client(GATHER, 0, [0, 1]) + client(GET, 1, [0])
    return bytes([job]) + text


def stale():
    text = client(PUT, 0, [0, 1, 2]) + client(GET, 1, [0, 1, 2], group=1)
    for step in range(4):
        text += client(UPDATE, 0, [0, 1, 2], version=step, step=step)
    return bytes([3]) + text + client(UPDATE, 1, [0], group=1)


def exchanges(job):
    text = message(SYNC, 1, (SERVER, 1, 0), [part(0, 1)], group=1)
    text += client(PUT, 0, [0, 1, 2])
    for step in range(3):
        text += client(UPDATE, 0, [0, 1, 2], version=step, step=step)
        before = 2 if job == 5 else 1
        for origin in (1, 2):
            rank = before if job == 5 else origin
            hops = (0 - origin - 1) % 3 if job == 5 else 0
            text += message(SYNC, rank, (SERVER, rank, 0), [part(0, step + 1), part(1, step + 1)],
                            group=origin, hops=hops)
        for s in range(3):
            master = 2 if job == 5 else s % 3
            answer = part(s, step + 1, 0 if job == 5 else SIZES[s])
            text += message(REPLY, master, (SERVER, master, 0), [answer])
    text += bytes([EXCHANGE]) + bytes([EXCHANGE]) + client(GATHER, 1, [0, 1, 2], group=1)
    text += message(SYNC, 1, (SERVER, 1, 0), [part(0, 9)], payload=NAN, group=1)
    return bytes([job]) + text


def wrong():
    put = client(PUT, 0, [0, 1])
    text = client(PUT, 0, [0], elements=1) + client(PUT, 0, [0], version=-1) + put
    for how in (LESS, MORE, LONG):
        text += client(UPDATE, 0, [0, 1], payload=how)
    text += client(UPDATE, 0, [0], elements=1) + client(UPDATE, 0, [0, 0]) + client(GET, 0, [2])
    text += client(UPDATE, 0, [0], step=-1) + client(UPDATE, 0, [0], version=7)
    text += message(GET, 0, (CLIENT, 0, 0), [part(0)]) + message(GET, 0, (CLIENT, 9, 0))
    text += message(GET, 1, (SERVER, 0, 1)) + message(SYNC, 1, (SERVER, 0, 1))
    text += message(SQUARES, 0, (SERVER, 0, 0)) + message(SQUARES, 1, (SERVER, 0, 1), group=7)
    text += message(GET, 0, (CLIENT, 0, 0), to=(SERVER, 0, 1)) + message(1, 0, (0, 0, 0))
    text += message(SYNC, 1, (SERVER, 9, 9)) + bytes([0, 2, 0, 255, 255, 0, 9])
    return bytes([1]) + text


def main():
    folder = pathlib.Path(__file__).parent / "corpus" / "server_messages"
    folder.mkdir(parents=True, exist_ok=True)
    for job, name in enumerate(["synchronous", "clip_norm", "skip"]):
        (folder / name).write_bytes(synchronous(job))
    (folder / "stale").write_bytes(stale())
    for job, name in [(4, "master"), (5, "ring"), (6, "elastic"), (7, "outer"), (8, "outer_fragments"),
                      (9, "outer_overlap")]:
        (folder / name).write_bytes(exchanges(job))
    (folder / "wrong").write_bytes(wrong())
    bad_sync = message(SYNC, 1, (SERVER, 1, 0), [part(0, 1, 1)], group=1)
    twice = message(SYNC, 1, (SERVER, 1, 0), [part(0), part(0)], group=1)
    early = client(UPDATE, 0, [0, 1, 2], step=1) + client(UPDATE, 0, [0, 1, 2])
    (folder / "early").write_bytes(bytes([3]) + early)
    (folder / "wrong_exchange").write_bytes(bytes([4]) + bad_sync + twice)


if __name__ == "__main__":
    main()
