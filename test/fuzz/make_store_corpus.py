#!/usr/bin/env python3
"""Makes seeds of fuzz targets that read stores, in corpus/ beside this file.

They are all seeds of cifar10, lmdb, imagefolder and image_fuzz, and those of kvfile_fuzz and
textfile_fuzz that hold pictures or Records.
"""
import base64
import io
import pathlib
import struct
import tarfile
import zlib

from make_checkpoint_corpus import save

SIZE = 256  # bytes of an LMDB page, the least that is read
BRANCH, LEAF, OVERFLOW, META = 1, 2, 4, 8
BIG, DATABASE = 1, 2
NO_PAGE = 2**64 - 1

# The pictures have quality 20 and 8 x 6 pixels; the last one has 3 x 2.
GREY_JPEG = base64.b64decode("""
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarYqM
yP/L2u71////m8H////6/+b9//j/wAALCAAGAAgBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QA
tRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0
NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2
t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/AIA9oFHlxMxz0bA/xr//2Q==""")
PROGRESSIVE_JPEG = base64.b64decode("""
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarYqM
yP/L2u71////m8H////6/+b9//j/2wBDASstLTw1PHZBQXb4pYyl+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4
+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj/wgARCAAGAAgDAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQBAQAA
AAAAAAAAAAAAAAAAAAD/2gAMAwEAAhADEAAAAR//xAAWEAEBAQAAAAAAAAAAAAAAAAABABH/2gAIAQEAAQUCDb//xAAU
EQEAAAAAAAAAAAAAAAAAAAAA/9oACAEDAQE/AX//xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oACAECAQE/AX//xAAVEAEB
AAAAAAAAAAAAAAAAAAAAIf/aAAgBAQAGPwKP/8QAFxAAAwEAAAAAAAAAAAAAAAAAAAFBsf/aAAgBAQABPyGAsP/aAAwD
AQACAAMAAAAQn//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQMBAT8Qf//EABURAQEAAAAAAAAAAAAAAAAAAAAh/9oA
CAECAQE/EK//xAAZEAEAAgMAAAAAAAAAAAAAAAABETEAIXH/2gAIAQEAAT8QAEmHQlel5//Z""")

CMYK_JPEG = base64.b64decode("""
/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAoHB4jHhkoIyEjLSsoMDxkQTw3Nzx7WF1JZJGAmZaPgIyKoLTmw6Cq2q2KjMj/
y9ru9f///5vB////+v/m/f/4/8AAFAgAAgADBEMRAE0RAFkRAEsRAP/EABQAAQAAAAAAAAAAAAAAAAAAAAT/xAAeEAAC
AQQDAQAAAAAAAAAAAAABAgADEiEiETFRE//aAA4EQwBNAFkASwAAPwBlQ/JylPRR0FwI1yablUNq+DAjmJRiFNo74GI8
6apqPBif/9k=""")


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, colours, bits=8, interlaced=0, data=None, more=b""):
    """Returns a PNG file. colours: 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha."""
    numbers = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colours]
    row = b"\0" + bytes(i & 255 for i in range((width * numbers * bits + 7) // 8))
    head = struct.pack(">IIBBBBB", width, height, bits, colours, 0, 0, interlaced)
    palette = chunk(b"PLTE", bytes(range(48))) if colours == 3 else b""
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + palette + more +
            chunk(b"IDAT", zlib.compress(row * height if data is None else data)) +
            chunk(b"IEND", b""))


def datum(data=b"", label=3, encoded=False, floats=()):
    text = b"\x08\x01\x10\x01\x18" + bytes([len(data) & 127]) if not encoded else b""
    if data:
        text += b"\x22" + bytes([len(data) & 127 | 128, len(data) >> 7]) + data
    text += b"\x28" + bytes([label])
    for number in floats:
        text += b"\x35" + struct.pack("<f", number)
    return text + (b"\x38\x01" if encoded else b"")


def node(key, value, flags=0, size=None):
    size = len(value) if size is None else size
    return struct.pack("<IHH", size, flags, len(key)) + key + value


def child(key, page):
    return struct.pack("<IHH", page & 0xffffffff, page >> 32, len(key)) + key


def page(number, flags, nodes):
    end, upper, pointers, body = 16 + 2 * len(nodes), SIZE, b"", b""
    for item in nodes:
        upper -= len(item)
        pointers += struct.pack("<H", upper)
        body = item + body
    head = struct.pack("<QHHHH", number, 0, flags, end, upper) + pointers
    return head.ljust(upper, b"\0") + body


def overflow(number, value):
    pages = (16 + len(value) + SIZE - 1) // SIZE
    return (struct.pack("<QHHI", number, 0, OVERFLOW, pages) + value).ljust(SIZE * pages, b"\0")


def meta(number, root, entries, depth=1, transaction=0, flags=0, magic=0xBEEFC0DE, version=1,
         page_bytes=SIZE):
    free = struct.pack("<IHHQQQQQ", page_bytes, 8, 0, 0, 0, 0, 0, NO_PAGE)
    main = struct.pack("<IHHQQQQQ", 0, flags, depth, 0, 1, 0, entries, root)
    text = struct.pack("<QHHHH", number, 0, META, 0, 0)
    text += struct.pack("<IIQQ", magic, version, 0, 1 << 20) + free + main
    return (text + struct.pack("<QQ", 9, transaction)).ljust(SIZE, b"\0")


def lmdb(pages, entries, root=2, depth=1, **changes):
    return meta(0, NO_PAGE, 0, 0) + meta(1, root, entries, depth, 1, **changes) + b"".join(pages)


def lmdb_seeds():
    small = [node(b"0", datum(b"ab")), node(b"1", datum(floats=[1, 2])), node(b"2", b"\xff\xff")]
    leaf = page(2, LEAF, small)
    big = datum(b"x" * 300)
    picture = datum(png(2, 1, 2), encoded=True)
    two = [page(2, BRANCH, [child(b"", 3), child(b"1", 4)]), page(3, LEAF, small[:1]),
           page(4, LEAF, small[1:])]
    named = page(2, LEAF, [node(b"n", b"\0" * 48, DATABASE)])
    return {
        "three": lmdb([leaf], 3),
        "large": lmdb([page(2, LEAF, [node(b"0", struct.pack("<Q", 3), BIG, len(big))]),
                       overflow(3, big)], 1),
        "cut_off": lmdb([page(2, LEAF, [node(b"0", struct.pack("<Q", 3), BIG, len(big))])], 1),
        "picture": lmdb([page(2, LEAF, [node(b"0", picture)])], 1),
        "negative_label": lmdb([page(2, LEAF, [node(b"0", b"\x28" + b"\xff" * 9 + b"\x01")])], 1),
        "raw_and_encoded": lmdb([page(2, LEAF, [node(b"0", datum(png(1, 1, 2), encoded=True)),
                                                node(b"1", b"\x08\x03\x10\x01\x18\x01\"\x03rgb")])],
                                2),
        "branch": lmdb(two, 3, depth=2),
        "twice": lmdb([page(2, BRANCH, [child(b"", 3), child(b"1", 3)]), two[1]], 2, depth=2),
        "loop": lmdb([page(2, BRANCH, [child(b"", 2)])], 1, depth=9),
        "no_leaf": lmdb([leaf], 3, depth=2),
        "no_branch": lmdb(two, 3),
        "no_nodes": lmdb([page(2, LEAF, [])], 1),
        "other_number": lmdb([page(7, LEAF, small)], 3),
        "fewer": lmdb([leaf], 4),
        "empty": lmdb([leaf], 0, root=NO_PAGE, depth=0),
        "far_root": lmdb([leaf], 3, root=2**40),
        "deep": lmdb([leaf], 3, depth=40),
        "named": lmdb([named], 1),
        "several_values": lmdb([leaf], 3, flags=4),
        "no_value": lmdb([page(2, LEAF, [node(b"0", b"")])], 1),
        "long_value": lmdb([page(2, LEAF, [node(b"0", b"x", size=999)])], 1),
        "bad_pointer": lmdb([leaf[:16] + b"\1\0" + leaf[18:]], 3),
        "version": lmdb([leaf], 3, version=2),
        "magic": lmdb([leaf], 3, magic=0xDEC0EFBE),
        "page_bytes": lmdb([leaf], 3, page_bytes=512),
        "odd_page_bytes": meta(0, 2, 3, page_bytes=300) + leaf,
        "short": lmdb([], 0)[:140],
    }


def tar(files, layout=tarfile.GNU_FORMAT, links=()):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=layout) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for name, kind in links:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "a/x.png"
            archive.addfile(info)
    return out.getvalue().rstrip(b"\0") + b"\0" * 1024


def imagefolder_seeds():
    small = png(2, 1, 2)
    good = tar({"a/x.png": small, "b/y.jpg": GREY_JPEG})
    huge = bytearray(tar({"a/x.png": small}))
    huge[124:136] = b"77777777777\0"
    checksum = sum(huge[:148]) + 8 * 32 + sum(huge[156:512])
    huge[148:156] = b"%06o\0 " % checksum
    return {
        "good": good,
        "cut_off": good[:520],
        "huge": bytes(huge),
        "long_name": tar({"x" * 120 + "/a/x.png": small}),
        "pax": tar({"\u00e4" * 60 + "/x.png": small}, tarfile.PAX_FORMAT),
        "leads_out": tar({"a/../../x.png": small}),
        "absolute": tar({"/a/x.png": small}),
        "symlink": tar({}, links=[("a/y.png", tarfile.SYMTYPE)]),
        "hard_link": tar({"a/x.png": small}, links=[("a/y.png", tarfile.LNKTYPE)]),
        "folder": tar({"a/x.png": small}, links=[("b/", tarfile.DIRTYPE)]),
        "sparse": SPARSE_TAR,
        "no_folder": tar({"x.png": small}),
        "left_out": tar({"set/a/x.png": small, "set/a/y.png": small, "set/a/more/z.png": small,
                         "a/x.png": small, "top.png": small, "set/a/w.webp": b"RIFF", "set/a/n": b"",
                         "set/.h/x.png": small, "__MACOSX/set/a/x.png": small, "set/README": b"text"},
                        links=[("set/b/", tarfile.DIRTYPE), ("set/.c/", tarfile.DIRTYPE)]),
        "no_picture": tar({"a/x.txt": b"text"}),
        "not_one": tar({"a/x.png": b"GIF89a"}),
        "compressed": zlib.compress(good, wbits=31),
        "text": b"no tar at all",
        "in_a_folder": b"\xfe" + small,
        "in_a_folder_cut_off": b"\xfe" + small[:40],
    }


# The file has GNU's old sparse format: 4 bytes at 0 of 4096.
def sparse_tar():
    head = bytearray(512)
    head[0:7] = b"a/x.png"
    head[100:108] = b"0000644\0"
    head[124:136] = b"00000000004\0"
    head[156:157] = b"S"
    head[257:265] = b"ustar  \0"
    head[386:410] = b"00000000000\0" + b"00000000004\0"
    head[483:495] = b"00000010000\0"
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head) + b"abcd".ljust(512, b"\0") + b"\0" * 1024


SPARSE_TAR = sparse_tar()


def field(number, data):
    return bytes([number << 3 | 2, len(data) & 127 | 128, len(data) >> 7]) + data


def record(pixel, shape, label=3):
    return b"".join(b"\x08" + bytes([d]) for d in shape) + b"\x10" + bytes([label]) + field(3, pixel)


def kvfile(*values):
    return b"".join(struct.pack("<Q", 1) + b"k" + struct.pack("<Q", len(value)) + value
                    for value in values)


def kvfile_seeds():
    planes = record(bytes(range(24)), [2, 3, 4])
    return {
        "encoded": kvfile(record(png(3, 2, 2), []), record(GREY_JPEG, [1])),
        "encoded_cut_off": kvfile(record(png(3, 2, 2)[:50], [])),
        "picture": kvfile(planes, record(bytes(24), [2, 100, 100]), record(b"", [1, 1, 1])),
        "shard": kvfile(field(5, planes), field(5, record(b"ab", []))),
        "shard_without_image": kvfile(b"\x08\x00"),
        "no_shard": kvfile(b"\xff\xff"),
    }


def textfile_seeds():
    def line(picture):
        return 'label: 1 pixel: "' + "".join(f"\\{byte:03o}" for byte in picture) + '"\n'
    return {
        "encoded": (line(png(3, 2, 2)) + line(GREY_JPEG)).encode(),
        "encoded_cut_off": line(png(3, 2, 2)[:50]).encode(),
        "label_of_a_picture": b"label: -1 pixel: 'ab'\n",
    }


def image_seeds():
    giant = zlib.compress(b"\0" * 4)
    return {
        "rgb": png(3, 2, 2),
        "grey": png(3, 2, 0),
        "one_bit": png(9, 2, 0, bits=1),
        "palette": png(3, 2, 3, bits=4),
        "alpha": png(3, 2, 6),
        "grey_alpha": png(3, 2, 4, bits=16),
        "interlaced": png(1, 1, 0, interlaced=1),
        "transparent": png(3, 2, 2, more=chunk(b"tRNS", b"\0\1\0\2\0\3")),
        "gamma": png(3, 2, 2, more=chunk(b"gAMA", struct.pack(">I", 45455))),
        "cut_off.png": png(3, 2, 2)[:50],
        "few_rows": png(3, 200, 2, data=b"\0" * 10),
        "giant": png(65000, 65000, 0, data=giant),
        "bomb": png(8000, 8000, 0, data=giant),
        "jpeg": GREY_JPEG,
        "cmyk": CMYK_JPEG,
        "progressive": PROGRESSIVE_JPEG,
        "cut_off.jpg": PROGRESSIVE_JPEG[:-30],
        "giant.jpg": GREY_JPEG.replace(b"\x00\x06\x00\x08", b"\xfd\xe8\xfd\xe8", 1),
        "scans": GREY_JPEG.replace(b"\x00\x06\x00\x08", b"\x1f\x40\x1f\x40", 1) + b"\xff\xda" * 20,
        "gif": b"GIF89a",
        "nothing": b"",
    }


def main():
    record = b"\3" + bytes(range(256)) * 12
    save("cifar10", {"one": record, "label": b"\x0a" + record[1:], "nothing": b"",
                     "cut_off": record[:100], "two": record * 2,
                     "folder": b"\xfe" + record})
    save("lmdb", lmdb_seeds())
    save("imagefolder", imagefolder_seeds())
    save("image", image_seeds())
    save("kvfile", kvfile_seeds())
    save("textfile", textfile_seeds())


if __name__ == "__main__":
    main()
