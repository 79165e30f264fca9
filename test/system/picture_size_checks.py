"""Checks pictures of several formats and sizes, as people have them, in whole jobs."""
import struct

from case import check, equal, has
from predict_checks import png
from store_facts_checks import job


def bmp(width, height, colour):
    """Returns a BMP of one colour: red, green, blue."""
    row = bytes(reversed(colour)) * width
    rows = (row + bytes(-len(row) % 4)) * height
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(rows), 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(rows), 0, 0, 54) + head + rows


def pictures_of_many_sizes(case):
    for i in range(6):
        case.write(f"set/blue/{i}.bmp", bmp(30 + 7 * i, 20, (20, 40, 190)))
        case.write(f"set/red/{i}.bmp", bmp(12, 16 + 5 * i, (190, 40, 20)))
    case.write("set/red/grey.png", png(bytes([99]) * 800, 40, 20))


def data(phase, more):
    return f"""  layer {{ name: "data" type: kRecordInput include: {phase}
    store_conf {{ backend: "imagefolder" path: "set" batchsize: 6 shape: [3, 8, 10] {more} }} }}
"""


def folder_job(more):
    return job("".join(data(phase, more) for phase in ("kTrain", "kTest")))


@check
def pictures_of_many_sizes_are_trained_on_with_short_side(case):
    pictures_of_many_sizes(case)
    case.train(folder_job("short_side: 12"))
    equal([row["step"] for row in case.rows(phase="test")], [0, 4], "steps of the tests")
    out = case.run("predict", "-conf", "job.conf", "set").out
    equal(out.count("set/"), 13, "predictions")
    out = case.run("predict", "-conf", "job.conf", "set/blue/3.bmp").out
    equal(out.count("set/blue/3.bmp"), 1, "predictions of a picture")


@check
def without_short_side_another_size_is_an_error(case):
    pictures_of_many_sizes(case)
    err = case.train(folder_job(""), code=65).err
    has(err, "is a picture of ", "stderr")
    has(err, "; set short_side: 10 to scale pictures", "stderr")


@check
def a_damaged_picture_is_named(case):
    pictures_of_many_sizes(case)
    case.write("set/blue/3.bmp", bmp(30, 20, (1, 2, 3))[:500])
    has(case.train(folder_job("short_side: 12"), code=65).err, "set/blue/3.bmp: damaged BMP", "stderr")


@check
def a_store_without_pictures_refuses_short_side(case):
    text = 'store_conf.short_side: is for picture files'
    conf = folder_job("short_side: 12").replace("imagefolder", "kvfile")
    case.write("job.conf", conf)
    has(case.run("check", "job.conf", code=78).err, text, "stderr")
