"""Writes and reads ONNX files without a library: enough of the format for checks of imports."""
import struct

FLOAT, INT64, FLOAT16, DOUBLE = 1, 7, 10, 11
PACKED = {FLOAT: "<f", INT64: "<q", FLOAT16: "<e", DOUBLE: "<d"}


def varint(number):
    number &= (1 << 64) - 1
    data = b""
    while number > 0x7f:
        data += bytes([number & 0x7f | 0x80])
        number >>= 7
    return data + bytes([number])


def field(number, value):
    """Returns a field of a message: an integer, a float, a text or bytes."""
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def raw(values, kind=FLOAT):
    return b"".join(struct.pack(PACKED[kind], value) for value in values)


def tensor(name, dims, values=None, kind=FLOAT, data=None, more=b""):
    """Returns a TensorProto. `data`: its raw bytes, instead of values; b"" with `more`: none."""
    data = raw(values, kind) if data is None else data
    message = b"".join(field(1, dim) for dim in dims) + field(2, kind) + field(8, name)
    return message + (field(9, data) if data or not more else b"") + more


def external(**entries):
    """Returns the fields of a tensor whose numbers are in another file."""
    pairs = [field(1, key) + field(2, str(value)) for key, value in entries.items()]
    return b"".join(field(13, pair) for pair in pairs) + field(14, 1)


def attribute(name, value):
    message = field(1, name)
    if isinstance(value, float):
        return message + field(2, value) + field(20, 1)
    if isinstance(value, int):
        return message + field(3, value) + field(20, 2)
    if isinstance(value, str):
        return message + field(4, value) + field(20, 3)
    if isinstance(value, bytes):  # a tensor
        return message + field(5, value) + field(20, 4)
    return message + b"".join(field(8, one) for one in value) + field(20, 7)


def node(op, inputs, outputs, name="", domain="", **attributes):
    message = b"".join(field(1, one) for one in inputs.split())
    message += b"".join(field(2, one) for one in outputs.split())
    message += (field(3, name) if name else b"") + field(4, op)
    message += b"".join(field(5, attribute(*item)) for item in attributes.items())
    return message + (field(7, domain) if domain else b"")


def value_info(name, dims, kind=FLOAT):
    """`dims`: numbers, or texts for free sizes."""
    shape = b"".join(field(1, field(2 if isinstance(dim, str) else 1, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def model(nodes, constants=(), inputs=None, outputs=("y",), opset=17, name="net"):
    inputs = [value_info("x", ("N", 3, 8, 8))] if inputs is None else inputs
    graph = b"".join(field(1, one) for one in nodes) + field(2, name)
    graph += b"".join(field(5, one) for one in constants)
    graph += b"".join(field(11, one) for one in inputs)
    graph += b"".join(field(12, value_info(one, ("N",))) for one in outputs)
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, opset))


def fields(message):
    """Yields (number, value) of each field of a message."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        tag = number()
        if tag & 7 == 0:
            yield tag >> 3, number()
            continue
        size = {1: 8, 5: 4}.get(tag & 7) or number()
        yield tag >> 3, message[at:at + size]
        at += size


def graph_of(data):
    """Returns the bytes of the graph of a model."""
    return next(value for number, value in fields(data) if number == 7)


def constants_of(data):
    """Returns the raw bytes of a model's constants by name."""
    found = {}
    for number, value in fields(graph_of(data)):
        if number == 5:
            parts = dict(fields(value))
            found[parts[8].decode()] = parts.get(9, b"")
    return found


def ops_of(data):
    return [dict(fields(value))[4].decode() for number, value in fields(graph_of(data)) if number == 1]
