"""Checks jobs over stores with records that cannot be read."""
import random
import struct
import zlib

from case import check, equal, has, learned, same_bytes, true

PICTURES = 60  # 20 of each of three classes
DAMAGED = (4, 17, 18, 40)


def png(colour):
    """Returns a picture of 8 x 8, noise around a colour."""
    draw = random.Random(str(colour))
    rows = b"".join(b"\0" + bytes(min(255, draw.randrange(60) + part) for part in colour * 8)
                    for _ in range(8))

    def part(name, content):
        checksum = zlib.crc32(name + content)
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)
    return (b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
            + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b""))


def name_of(i):
    return f"class{i // 20}/{i:02}.png"


def pictures(case):
    """Makes a folder of pictures. Those of DAMAGED end too early."""
    for i in range(PICTURES):
        colour = [3 * i % 60] * 3
        colour[i // 20] = 180
        content = png(tuple(colour))
        case.write(f"pictures/{name_of(i)}", content[:60] if i in DAMAGED else content)


def job(settings, reading, steps=300):
    return f"""name: "pictures"
train_steps: {steps} disp_freq: 10 test_freq: 70 {settings}
num_openblas_threads: 1
train_one_batch {{ alg: kBP }}
updater {{ type: kSGD momentum: 0.9 learning_rate {{ type: kFixed base_lr: 0.01 }} }}
neuralnet {{
  layer {{
    name: "data" type: kRecordInput
    store_conf {{ backend: "imagefolder" path: "pictures" batchsize: 7 shape: 3 shape: 8 shape: 8
                 std_value: 255 shuffle: true {reading} }}
  }}
  layer {{
    name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf {{ num_output: 3 }}
    param {{ name: "w" init {{ type: kGaussian std: 0.05 }} }}
    param {{ name: "b" init {{ type: kConstant value: 0 }} }}
  }}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }}
}}
cluster {{ workspace: "ws" }}
"""


def counts(case, workspace="ws"):
    return [(row["phase"], row["step"], row.get("bad_records", 0)) for row in case.rows(workspace)]


@check
def damaged_pictures_are_skipped_and_each_is_named_once(case):
    pictures(case)
    err = case.train(job("", "on_bad_record: kSkip")).err
    for i in DAMAGED:
        equal(err.count(f"\nwarning: pictures/{name_of(i)}: damaged PNG"), 2,  # training, the test
              f"lines about {name_of(i)}")
    has(err, "done: 300 steps in", "stderr")
    has(err, f"; {2 * len(DAMAGED)} bad records skipped", "the last line")
    for phase in ("train", "test"):
        equal(case.rows(phase=phase)[-1]["bad_records"], len(DAMAGED), f"bad_records of a {phase}")
    true(all(type(row.get("bad_records", 1)) is int for row in case.rows()), "no integer")


@check
def a_damaged_picture_without_leave_to_skip_is_65_and_named(case):
    pictures(case)
    has(case.train(job("", ""), code=65).err, ".png: damaged PNG", "stderr")


@check
def one_damaged_picture_more_than_allowed_is_65_with_the_count(case):
    pictures(case)
    err = case.train(job("", "on_bad_record: kSkip max_bad_records: 3"), code=65).err
    has(err, "with it 4 records are bad; max_bad_records allows 3", "stderr")


@check
def without_damage_nothing_is_said_of_bad_records(case):
    pictures(case)
    for i in DAMAGED:
        case.write(f"pictures/{name_of(i)}", png((i, 180, i)))
    err = case.train(job("", "on_bad_record: kSkip", steps=20)).err
    true("bad records" not in err, f"stderr speaks of bad records:\n{err}")
    true(all("bad_records" not in row for row in case.rows()), "a row has bad_records")


@check
def any_number_of_decoding_threads_trains_to_the_same_bytes(case):
    pictures(case)
    case.train(job("", "on_bad_record: kSkip"))
    for threads in (2, 5):
        case.train("job.conf", "-set", f"neuralnet.layer[data].store_conf.decode_threads={threads}",
                   workspace=f"by{threads}")
        same_bytes(case.newest(f"by{threads}"), case.newest())
        equal(learned(case.rows(f"by{threads}")), learned(case.rows()), "rows")
        equal(counts(case, f"by{threads}"), counts(case), "counts of bad records")


@check
def killed_while_it_skips_it_resumes_to_the_same_bytes_and_counts(case):
    pictures(case)
    conf = job("checkpoint_freq: 30 checkpoint_keep: 3", "on_bad_record: kSkip decode_threads: 2",
               steps=1200)
    case.train(conf)
    for number, step in enumerate((60, 410, 1000)):
        run = case.start_job("job.conf", *["-resume"] * (number > 0), workspace="killed")
        run.wait_until(lambda: (case.steps("killed") or [0])[-1] >= step, f"step {step}")
        run.kill()
    case.train("job.conf", "-resume", workspace="killed")
    same_bytes(case.newest("killed"), case.newest())
    equal(learned(case.rows("killed")), learned(case.rows()), "rows")
    equal(counts(case, "killed"), counts(case), "counts of bad records")
