#!/usr/bin/env python3
"""Writes seeds of corpus/image that Pillow makes, or that no library would write.

usage: make_image_corpus.py FOLDER, with Pillow
"""
import io
import pathlib
import struct
import sys
import zlib

from PIL import Image

OUT = pathlib.Path(sys.argv[1])
PNG = b"\x89PNG\r\n\x1a\n"


def write(name, data):
    (OUT / name).write_bytes(data)


def chunk(kind, data):
    check = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + check


def header(width, height, bits, colours, interlaced=0):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colours, 0, 0, interlaced))


def png(width, height, bits, colours, rows, before=b"", interlaced=0):
    """Returns a PNG file. `rows`: each row has its filter's byte, 0, in front."""
    return (PNG + header(width, height, bits, colours, interlaced) + before
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def exif(order, orientation, kind=3):
    """Returns an Exif block. `order`: M, big-endian, or I; `kind`: the type of the entry, 3 a
    short."""
    end = ">" if order == b"M" else "<"
    return order * 2 + struct.pack(end + "HIHHHIHHI", 42, 8, 1, 0x112, kind, 1, orientation, 0, 0)


def png_files():
    write("grey_16", png(2, 2, 16, 0, b"\0\x01\x02\x03\x04\0\xff\xff\x80\x00"))
    write("rgb_16", png(1, 2, 16, 2, b"\0\x03\xe8\x75\x30\xff\xff\0\1\2\3\4\5\6"))
    write("rgb_alpha_16", png(1, 1, 16, 6, b"\0\x03\xe8\x75\x30\xff\xff\x80\x00"))
    write("two_bits", png(4, 1, 2, 0, b"\0\x1b"))
    write("four_bits_interlaced", png(2, 2, 4, 0, b"\0\x10\0\x20\0\x34", interlaced=1))
    colours = chunk(b"PLTE", bytes(range(9)))
    write("palette_transparent",
          png(3, 1, 8, 3, b"\0\0\1\2", colours + chunk(b"tRNS", b"\0\x80")))
    write("palette_beyond", png(3, 1, 8, 3, b"\0\0\1\5", colours))
    for n in range(1, 10):
        turned = chunk(b"eXIf", exif(b"MI"[n % 2:n % 2 + 1], n))
        write(f"turned_{n}", png(3, 2, 8, 0, b"\0\1\2\3\0\4\5\6", turned))
    write("turned_16", png(2, 1, 16, 2, b"\0" + bytes(12), chunk(b"eXIf", exif(b"M", 6))))
    whole = png(2, 2, 8, 0, b"\0\1\2\0\3\4")
    write("wrong_checksum", whole[:-20] + b"\1" * 20)
    write("no_end", whole[:-12])
    write("no_pixels", PNG + header(2, 2, 8, 0) + chunk(b"IEND", b""))


def jpeg(picture, name, **settings):
    file = io.BytesIO()
    picture.save(file, "JPEG", **settings)
    write(name, file.getvalue())
    return file.getvalue()


def jpeg_files():
    picture = Image.frombytes("RGB", (16, 8), bytes(i * 7 % 256 for i in range(16 * 8 * 3)))
    for n, order in ((3, b"M"), (6, b"I"), (9, b"M")):
        jpeg(picture, f"jpeg_turned_{n}", exif=b"Exif\0\0" + exif(order, n))
    jpeg(picture, "jpeg_exif_kind", exif=b"Exif\0\0" + exif(b"M", 6, kind=4))
    jpeg(picture, "jpeg_exif_short", exif=b"Exif\0\0MM\0")
    jpeg(picture.convert("L"), "jpeg_grey")
    jpeg(picture.convert("CMYK"), "jpeg_cmyk")
    plain, frame = jpeg(picture, "jpeg_plain"), b"\xff\xc0\0\x11\x08"
    write("jpeg_12_bits", plain.replace(frame, b"\xff\xc1\0\x11\x0c"))
    write("jpeg_lossless", plain.replace(frame, b"\xff\xc3\0\x11\x08"))
    write("jpeg_cut_in_header", plain[:30])
    write("jpeg_cut_in_scan", plain[:-60])
    write("jpeg_no_frame", plain[:2] + b"\xff\xd9")


def tiff(width, height, bits, samples, blocks, photometric, tags=(), order="<", compression=1,
         tile=None):
    """Returns a TIFF of one directory. blocks: the bytes of its strips, or of its tiles."""
    data = b"".join(blocks)
    places = [8 + sum(map(len, blocks[:i])) for i in range(len(blocks))]
    entries = {256: (4, [width]), 257: (4, [height]), 258: (3, [bits] * samples),
               259: (3, [compression]), 262: (3, [photometric]), 277: (3, [samples])}
    lengths = [len(block) for block in blocks]
    if tile:
        entries.update({322: (4, [tile[0]]), 323: (4, [tile[1]]), 324: (4, places),
                        325: (4, lengths)})
    else:
        rows = -(-height * (samples if dict(tags).get(284) else 1) // len(blocks))
        entries.update({273: (4, places), 278: (4, [rows]), 279: (4, lengths)})
    entries.update({tag: (3, value if isinstance(value, list) else [value])
                    for tag, value in dict(tags).items()})
    at = 8 + len(data) + len(data) % 2
    table, more = b"", b""
    behind = at + 2 + 12 * len(entries) + 4
    for tag, (kind, values) in sorted(entries.items()):
        packed = struct.pack(order + {3: "H", 4: "I"}[kind] * len(values), *values)
        if len(packed) > 4:
            packed, more = struct.pack(order + "I", behind + len(more)), more + packed
        table += struct.pack(order + "HHI", tag, kind, len(values)) + packed.ljust(4, b"\0")
    head = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, at)
    return (head + data + b"\0" * (len(data) % 2) + struct.pack(order + "H", len(entries)) + table
            + bytes(4) + more)


def bmp(width, height, bits, rows, palette=b"", compression=0, size=40, masks=b""):
    """Returns a BMP. rows: the bytes of its pixels, each row filled up to 4 bytes."""
    at = 14 + size + len(masks if size == 40 else b"") + len(palette)
    header = struct.pack("<IiiHHIIiiII", size, width, height, 1, bits, compression, len(rows), 0, 0,
                         len(palette) // 4, 0) + (masks if size > 40 else b"")
    header = header.ljust(size, b"\0") + (masks if size == 40 else b"")
    return b"BM" + struct.pack("<IHHI", at + len(rows), 0, 0, at) + header + palette + rows


def tiff_files():
    grey = bytes(range(1, 7))
    tiles = [bytes(10 * k + i % 16 if i < 256 else 0 for i in range(256)) for k in range(2)]
    palette = ([i * 257 for i in range(256)] + [(255 - i) * 257 for i in range(256)] + [7 * 257] * 256)
    whole = tiff(3, 2, 8, 1, [grey], 1)
    write("tiff_grey", whole)
    write("tiff_cut_off", whole[:-20])
    write("tiff_white", tiff(3, 2, 8, 1, [grey], 0))
    write("tiff_strips", tiff(2, 3, 8, 3, [bytes(range(i, i + 6)) for i in (0, 6, 12)], 2))
    write("tiff_16", tiff(2, 1, 16, 1, [struct.pack("<HH", 257 * 96, 65535)], 1))
    write("tiff_16_big", tiff(2, 1, 16, 1, [struct.pack(">HH", 257 * 96, 65535)], 1, order=">"))
    write("tiff_apart", tiff(2, 2, 8, 3, [bytes(range(i, i + 4)) for i in (1, 5, 9)], 2, {284: 2}))
    write("tiff_plane_missing", tiff(2, 2, 8, 3, [bytes(4)] * 2, 2, {284: 2, 278: 2}))
    write("tiff_alpha", tiff(1, 2, 8, 4, [bytes([1, 2, 3, 99, 4, 5, 6, 99])], 2, {338: [2]}))
    write("tiff_palette", tiff(2, 1, 8, 1, [bytes([0, 255])], 3, {320: palette}))
    write("tiff_tiles", tiff(20, 3, 8, 1, tiles, 1, tile=(16, 16)))
    write("tiff_huge_tile", tiff(20, 3, 8, 1, tiles, 1, tile=(1 << 30, 1 << 30)))
    write("tiff_deflate", tiff(3, 2, 8, 1, [zlib.compress(grey)], 1, compression=8))
    write("tiff_packbits", tiff(3, 2, 8, 1, [bytes([2, 1, 2, 3, 254, 7])], 1, compression=32773))
    write("tiff_lzw_damaged", tiff(3, 2, 8, 1, [b"\xff" * 4], 1, compression=5))
    write("tiff_turned", tiff(3, 2, 8, 1, [grey], 1, {274: 6}))
    write("tiff_no_strip", tiff(3, 200, 8, 1, [grey], 1))
    write("tiff_giant", tiff(60000, 60000, 8, 1, [grey], 1))
    write("tiff_one_bit", tiff(8, 1, 1, 1, [b"\x55"], 1))
    write("tiff_fax", tiff(8, 1, 1, 1, [b"\x55"], 1, compression=3))
    write("tiff_float", tiff(1, 1, 32, 1, [bytes(4)], 1, {339: 3}))
    write("tiff_many_samples", tiff(1, 1, 8, 9, [bytes(9)], 1))
    write("tiff_old_jpeg", tiff(8, 8, 8, 3, [bytes(40)], 6, compression=6))
    write("tiff_jpeg_nothing", tiff(8, 8, 8, 3, [bytes(40)], 6, compression=7))
    picture = Image.new("RGB", (20, 12), (200, 100, 50))
    picture.save(OUT / "tiff_lzw", "TIFF", compression="tiff_lzw")
    picture.save(OUT / "tiff_jpeg", "TIFF", compression="jpeg")


def bmp_files():
    masks = struct.pack("<III", 0xff0000, 0xff00, 0xff)
    palette = bytes([1, 2, 3, 0, 250, 251, 252, 0])
    write("bmp_24", bmp(3, 2, 24, bytes(range(1, 10)) + bytes(3) + bytes(range(11, 20)) + bytes(3)))
    write("bmp_top_first", bmp(1, -2, 32, bytes([1, 2, 3, 9, 4, 5, 6, 9])))
    write("bmp_palette", bmp(3, 1, 8, bytes([0, 1, 1, 0]), palette))
    write("bmp_palette_beyond", bmp(3, 1, 8, bytes([0, 1, 2, 0]), palette))
    write("bmp_rle", bmp(3, 1, 8, bytes([3, 0, 0, 1]), bytes(8), compression=1))
    for name, size, used in (("", 40, masks), ("_v5", 124, masks), ("_odd", 40, masks[::-1])):
        write(f"bmp_masks{name}", bmp(1, 1, 32, bytes([1, 2, 3, 4]), b"", 3, size, used))
    write("bmp_cut_off", bmp(3, 2, 24, bytes(12)))
    write("bmp_header_cut", bmp(3, 2, 24, bytes(24))[:40])
    write("bmp_giant", bmp(0x7fffffff, -0x80000000, 32, bytes(12)))
    write("bmp_no_pixels", bmp(0, 1, 24, b""))


def webp_files():
    def webp(picture, name, **settings):
        file = io.BytesIO()
        picture.save(file, "WEBP", **settings)
        write(name, file.getvalue())
        return file.getvalue()

    picture = Image.frombytes("RGB", (3, 2), bytes(range(0, 252, 14)))
    webp(picture, "webp_lossless", lossless=True)
    write("webp_cut_off", webp(picture, "webp_lossy", quality=90)[:-20])
    webp(Image.frombytes("RGBA", (2, 1), bytes([10, 20, 30, 0, 200, 100, 50, 128])), "webp_alpha",
         lossless=True)
    turned = webp(picture, "webp_turned", lossless=True, exif=exif(b"M", 6))
    write("webp_animated", turned[:20] + b"\2" + turned[21:])


png_files()
jpeg_files()
tiff_files()
bmp_files()
webp_files()
