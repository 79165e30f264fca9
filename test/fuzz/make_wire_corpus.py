#!/usr/bin/env python3
"""Makes the seeds of wire_packet_fuzz and wire_channel_fuzz in corpus/ beside this file. Packets of
another version of the protocol are refused, so seeds are made anew for each version."""
import pathlib
import re
import struct

from make_checkpoint_corpus import save

JOB = b"0123456789abcdef"
PACKET = pathlib.Path(__file__).parents[2] / "src/comm/transport/packet.h"
VERSION = int(re.search(r"kWireVersion = (\d+)", PACKET.read_text(encoding="utf-8"))[1])


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def header(version=VERSION, job=JOB, epoch=1, source=0, incarnation=1, to=2, seq=0, ack=0, message=None,
           challenge=0, answer=0):
    """Returns a PacketHeader. Values 0 and None leave their field out."""
    out = b""
    for number, value in ((1, version), (3, epoch), (4, source), (7, seq), (8, ack),
                          (10, challenge), (11, answer)):
        if value:
            out += varint(number << 3) + varint(value)
    for number, value in ((5, incarnation), (6, to)):
        if value:
            out += varint(number << 3 | 1) + struct.pack("<Q", value)
    for number, value in ((2, job), (9, message)):
        if value is not None:
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def frames(*parts):
    return b"".join(struct.pack("<H", len(part)) + part for part in parts)


def field(number, value):
    """Returns a protobuf field: a number as varint, bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value & 2**64 - 1)
    return varint(number << 3 | 2) + varint(len(value)) + value


def control(*kinds, payload=()):
    """Returns a packet with a ControlMessage of these fields; kinds as numbered in wire.proto."""
    message = field(1, 16) + field(14, b"".join(field(*kind) for kind in kinds))
    return frames(header(seq=1, message=message), *payload)


def numbers(*values):
    return b"".join(varint(value) for value in values)


BEGIN = field(1, numbers(3, 2)) + field(3, field(1, 77) + field(2, b"net.bin"))
ROW = (field(1, 1) + field(2, 5) + field(3, b"train") + field(4, b"loss") + field(5, 2)
       + field(6, field(1, b"loss") + b"\x11" + struct.pack("<d", 0.5)) + field(7, numbers(3, 0, 1)))

UPDATE = b"\x08\x05\x20\x07\x2a\x04\x08\x01\x18\x02"  # type, step, a part
DEEP = b"\x7b" * 40 + b"\x7c" * 40                    # groups within groups

PACKETS = {
    "nothing": b"",
    "hello": frames(header(to=0, challenge=1)),
    "answer": frames(header(challenge=3, answer=1)),
    "message": frames(header(seq=1, ack=5, message=UPDATE, answer=2), b"\0\0\x80\x3f", b""),
    "raw": frames(b"SNGW\1\2\3\4" + header()),
    "short": frames(b"SNGW"),
    "other": frames(b"GET / HTTP/1.1\r\n"),
    "version": frames(header(version=1)),
    "job": frames(header(job=b"short")),
    "incarnation": frames(header(incarnation=0)),
    "no_message": frames(header(seq=1)),
    "no_number": frames(header(message=UPDATE)),
    "payload_alone": frames(header(), b"abcd"),
    "to_nobody": frames(header(to=0, seq=1, message=UPDATE)),
    "deep": frames(header(seq=1, message=UPDATE + DEEP)),
    "cut_off": frames(header()[:-3]),
    "no_header": frames(b"\xff" * 20),
    "many_frames": frames(header(seq=1, message=UPDATE), *[b"a"] * 9),
    "large_head": frames(header(seq=1, message=b"\x42\x00" * 2100)),
    "large_payload": frames(header(seq=1, message=UPDATE), b"a" * 9000),
    "control_none": control(),
    "control_of_later": control((99, b"\1")),
    "control_not_a_message": control((6, 7)),
    "control_two_kinds": control((8, field(1, 4)), (10, b"")),
    "control_beat": control((1, field(1, 12))),
    "control_stop": control((2, field(1, 171) + field(2, b"w is not finite"))),
    "control_gpu_group": control((3, field(1, b"g" * 128))),
    "control_gpu_verdict": control((4, field(1, b"no library"))),
    "control_memory": control((5, field(1, 9) + field(2, 5) + field(3, 4096)
                               + b"\x21" + struct.pack("<Q", 123))),
    "control_begin": control((6, BEGIN)),
    "control_grant": control((8, field(1, -1))),
    "control_hold": control((9, b"")),
    "control_exchange": control((11, field(1, numbers(30, 31)))),
    "control_take_place": control((14, field(1, BEGIN) + field(2, 1))),
    "control_gpus": control((15, field(1, field(1, 0) + field(2, struct.pack("<4I", 1, 2, 3, 4))))),
    "control_held": control((19, field(1, field(1, 1) + field(2, 10)))),
    "control_row": control((22, ROW)),
    "control_state": control((23, field(1, 1)), payload=[b"state"]),
    "control_steps": control((24, field(1, 1) + field(2, 2**63 - 1))),
    "control_group_grant": control((26, field(1, 2**32) + field(2, 8))),
}

# These are the events of wire_channel_fuzz; + 128: of process 1.
SEND, DELIVER, FLIP, FORGE, INVENT, WAIT, RESTART, CONNECT, TALK, WAIT_LONG, OWN, OPEN = range(12)
OTHER = 128


def events(*steps):
    return bytes(steps)


def forge(index, fields):
    return bytes([FORGE, index]) + frames(fields)


def invent(rank, *parts):
    return bytes([INVENT, len(parts)]) + frames(*parts) + bytes([rank & 255])


MET = events(SEND, OTHER | SEND, TALK, TALK, TALK)
SEVEN = events(*[SEND] * 7)

LINKS = {
    "nothing": b"",
    "both": MET,
    "own": events(OWN, OTHER | OWN, WAIT, 1),
    "connect": events(CONNECT, OTHER | CONNECT, TALK, SEND, TALK),
    "again": MET + SEVEN + events(*[DELIVER, 0] * 3, *[DELIVER, 1] * 3, TALK),
    "out_of_order": MET + SEVEN + events(DELIVER, 3, DELIVER, 1, TALK),
    "resend": MET + SEVEN + events(*[WAIT, 250] * 9, TALK),
    "hello_again": SEVEN + events(*[WAIT, 250] * 3, TALK),
    "closed": MET + events(OPEN) + SEVEN + events(WAIT, 250, OPEN, CONNECT, TALK),
    "flip": MET + SEVEN + events(FLIP, 0, 0, 20, 3, FLIP, 1, 1, 0, 7, TALK),
    "restart": MET + SEVEN + events(RESTART, SEND, TALK, TALK, OTHER | SEND, TALK),
    "restart_late": MET + SEVEN + events(OTHER | RESTART, *[DELIVER, 0, DELIVER, 1] * 4, TALK),
    "restart_both": MET + SEVEN + events(RESTART, OTHER | RESTART, SEND, TALK, DELIVER, 0, TALK),
    "give_up": MET + SEVEN + events(WAIT_LONG, WAIT, 1, SEND, TALK),
    "give_up_unknown": SEVEN + events(WAIT_LONG, TALK, SEND, TALK),
    "give_up_refused": SEVEN + invent(1, b"?") + events(WAIT_LONG, RESTART, TALK),
    "invented": MET + invent(1) + invent(0, b"x") + invent(77, b"SNGW") + invent(-1, b"", b"ab"),
    "forged_job": MET + events(SEND) + forge(0, b"\x12\x10" + b"x" * 16),
    "forged_epoch": MET + events(SEND) + forge(0, b"\x18\x09"),
    "forged_rank": MET + events(SEND) + forge(0, b"\x20\x03"),
    "forged_sender": MET + events(SEND) + forge(0, b"\x38\x02\x4a\x00"),
    "forged_receiver": MET + events(SEND) + forge(0, b"\x31" + struct.pack("<Q", 99)),
    "forged_version": MET + events(SEND) + forge(0, b"\x08\x63"),
    "forged_challenge": MET + events(SEND) + forge(0, b"\x50\x07") + events(TALK),
}


def main():
    save("wire_packet", PACKETS)
    save("wire_channel", LINKS)


if __name__ == "__main__":
    main()
