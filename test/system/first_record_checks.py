"""Checks that `singa check` reads the first record of each store and text, and finds its errors."""
import os

from case import check, equal, has, true
from process_checks import processes
from store_facts_checks import FOLDER, data, job, pictures

CSV = data("kTrain", "x.csv", "textfile", shape=(2,)).replace("kRecordInput", "kCSVInput")


def ends_as_checked(case, conf, field, text):
    """Expects that training ends with 65 and `text` at its place. A check names the field."""
    case.write("job.conf", conf)
    err = case.run("check", "job.conf", code=65).err
    has(err, f"{field}: {text}", "stderr of a check")
    equal(err.count(text), 1, "times that a check says it")
    place = next(line for line in err.splitlines() if text in line)
    err = case.train(conf, code=65).err
    has(err, f"{place}\n", "stderr of a training")
    equal(err.count(text), 1, "times that a training says it")
    err = case.train(conf, *processes(2), code=65).err  # either may have met it
    said = [line for line in err.splitlines() if text in line]
    equal(len(said), 1, "times that two processes say it")
    true(said[0].startswith(place[:place.index(text)]), f"the place of {said[0]}: {place}")


@check
def check_reads_the_first_line_as_training_does(case):
    header = "; is this line a header? Then set header: true (singa data: -header)"
    label = "the label must be an integer from -2147483647 to 2147483647, is "
    for lines, text in (("label,a,b\n0,1,2\n", f'x.csv:1: record 0: {label}"label"{header}'),
                        ("0;1;2\n", f'x.csv:1: record 0: {label}"0;1;2"; the fields seem to be separated by ";": '),
                        ("0\t1\t2\n", f'x.csv:1: record 0: {label}"0?1?2"; the fields seem to be separated by tabs: '),
                        ("0.5,1,2\n", f'x.csv:1: record 0: {label}"0.5"'),
                        ("0,1,x\n", 'x.csv:1: record 0: number 2 in column 3 is "x"'),
                        ("", "x.csv: holds no record")):
        case.write("x.csv", lines)
        ends_as_checked(case, job(CSV, settings="train_steps: 4"), "store_conf.path", text)
    case.write("x.csv", "0,1\n0,1,2\n")
    ends_as_checked(case, job(CSV, settings="train_steps: 4"), "store_conf.shape",
                    "x.csv:1: record 0: holds 1 number, the shape says 2")


@check
def check_leaves_a_bad_first_record_that_is_skipped(case):
    case.write("x.csv", "a,b,c\n" + "0,1,2\n1,2,1\n" * 4)
    skips = "on_bad_record: kSkip max_bad_records: 1 } }"
    case.write("job.conf", job(CSV.replace("} }", skips), settings="train_steps: 4"))
    case.run("check", "job.conf")
    case.run("-conf", "job.conf")


@check
def check_opens_picture_folders_and_texts(case):
    os.makedirs(case.path("folder/only"))
    ends_as_checked(case, job(data("kTrain", *FOLDER), settings="train_steps: 4"),
                    "store_conf.path", "folder: holds no picture (.jpg, .jpeg, .png,")
    case.write("text.txt", "abcabc")
    case.write("vocab.txt", "abc")
    net = job("", classes=3, settings="train_steps: 4").replace("alg: kBP", "alg: kBPTT")
    net = net.replace("neuralnet {", """neuralnet { unroll_len: 5
  layer { name: "text" type: kCharRNN char_rnn_conf { path: "text.txt" vocab_path: "vocab.txt"
    batchsize: 2 unroll_len: 5 } }
  layer { name: "data" type: kOneHot srclayers: "text" onehot_conf { vocab_size: 3 } }
  layer { name: "next" type: kRNNLabel srclayers: "text" }""")
    net = net.replace('srclayers: "fc" srclayers: "data"', 'srclayers: "fc" srclayers: "next"')
    ends_as_checked(case, net, "char_rnn_conf.path", "text.txt: windows longer than the text")


@check
def the_name_of_a_picture_is_told_from_a_store(case):
    case.write("x.gif", "GIF89a")
    text = "x.gif: is a picture by its name, not a store of records; pictures are read from .jpg"
    has(case.run("data", "stat", "x.gif", code=65).err, text, "stderr of stat")
    has(case.run("data", "convert", "x.gif", "x.kv", code=65).err, text, "stderr of convert")
    pictures(case, "folder")
    case.train(job(data("kTrain", *FOLDER) + data("kTest", *FOLDER)))
    has(case.run("predict", "-conf", "job.conf", "x.gif", code=65).err, text, "stderr of predict")
    case.write("header.csv", "label,a\n0,1\n")
    has(case.run("data", "stat", "header.csv", code=65).err, 'is "label"; is this line a header?',
        "stderr of stat")
