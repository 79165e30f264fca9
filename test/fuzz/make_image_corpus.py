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


png_files()
jpeg_files()
