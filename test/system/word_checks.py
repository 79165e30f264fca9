"""Checks jobs over tables and lists of pictures whose labels are words."""
import json
import subprocess

import list_checks
from case import check, equal, has, same_bytes, true
from table_checks import STORE, job, rows, table

WORDS = ["n/a", 'say "yes"']  # the words of labels 0 and 1
CLASS_NAMES = r'class_names: ["n/a", "say \"yes\""]'
NAMED = f"{STORE} {CLASS_NAMES}"


def worded(lines):
    return [[a, b, WORDS[c], d] for a, b, c, d in lines]


@check
def words_are_labels_from_the_table_to_the_predictions(case):
    lines = rows()
    table(case, lines)
    case.train(job(), workspace="numbers")
    table(case, worded(lines))
    case.run("check", case.write("job.conf", job(NAMED)))
    case.train(job(NAMED))
    same_bytes(case.newest("numbers"), case.newest())
    predict = ["predict", "-conf", "job.conf"]
    told = [line.split(",") for line in case.run(*predict, "t.csv").out.splitlines()]
    equal(told[0][2:], ["n/a", '"say ""yes"""'], "the header of the predictions")
    equal([line[1] for line in told[1:]], [told[0][2 + c] for _, _, c, _ in lines], "the labels")
    with open(case.path("t.csv"), "rb") as stdin:
        piped = subprocess.run([case.site.binary, *predict, "-"], stdin=stdin, cwd=case.folder, capture_output=True,
                               text=True, check=True)
    equal([line.split(",")[1:] for line in piped.stdout.splitlines()], [line[1:] for line in told],
          "the lines of stdin")
    report = json.loads(case.run(*predict, "-report", "-format", "json", "t.csv").out)
    equal([row["name"] for row in report["classes"]], WORDS, "the classes of the report")
    case.write("new.csv", "width,height,pipe\n1,2,3\n")
    has(case.run(*predict, "-topk", "1", "new.csv").out, 'new.csv:0,,"say ""yes""",', "a row without a label")


@check
def an_unknown_word_is_named_with_the_words_allowed(case):
    lines = worded(rows())
    lines[3][2] = "say yes"
    table(case, lines)
    text = ('t.csv:5: record 3: the label in column 3 ("class") must be one of class_names, "n/a", "say "yes"", is '
            '"say yes"; did you mean "say "yes""?')
    has(case.train(job(NAMED), code=65).err, text, "stderr of the training")
    checked = case.run("check", case.write("job.conf", job(NAMED)), code=65)
    has(checked.out + checked.err, text, "the output of a check")
    case.train(job(NAMED + " on_bad_record: kSkip"), workspace="skips")


@check
def a_job_without_class_names_shows_the_words_to_paste(case):
    table(case, worded(rows()))
    err = case.train(job(), code=65).err
    has(err, f"write classes as numbers from 0, or set class_names; the words of all records are {CLASS_NAMES}",
        "stderr")
    has(case.run("data", "stat", "-header", "-label_column", "class", "t.csv").out, f"\n{CLASS_NAMES}\n",
        "the statistics")
    err = case.run("data", "stat", "t.csv", code=65).err
    stanza = f'path: "t.csv" header: true label_column: "3" batchsize: 32 shape: 3 {CLASS_NAMES}'
    has(err, f"; this reads it: store_conf {{ {stanza} }}", "stderr")
    case.train(job(stanza), workspace="pasted")
    case.write("plain.csv", "1.5,2,dog\n2.5,1,cat\n")
    has(case.run("data", "stat", "plain.csv", code=65).err,
        'set label_column: "3" and class_names; the words of all records are class_names: ["cat", "dog"]', "stderr")
    table(case, [*worded(rows()), [1, "x", WORDS[0], 2]])
    true("this reads it" not in case.run("data", "stat", "t.csv", code=65).err, "no store_conf reads a bad record")


@check
def class_names_fit_the_net_and_the_test(case):
    table(case, worded(rows()))
    three = NAMED.replace("class_names: [", 'class_names: ["other", ')
    checked = case.run("check", case.write("job.conf", job(three)), code=78)
    has(checked.out + checked.err, 'store_conf.class_names: has 3 names, layer "loss" has 2 classes', "the output")
    layer = f'layer {{ name: "data" type: kCSVInput store_conf {{ {NAMED} }} '
    other = layer.replace(CLASS_NAMES, r'class_names: ["say \"yes\"", "n/a"]').replace("shuffle: true", "")
    text = job("", steps=4).replace('layer { name: "data" type: kCSVInput store_conf {  } }',
                                    f"{layer} include: kTrain }}\n  {other} include: kTest }}")
    case.write("job.conf", text.replace("disp_freq", "test_freq: 4 disp_freq"))
    checked = case.run("check", "job.conf")
    has(checked.out + checked.err, 'phase kTest: label 0 is class "say "yes"", in training "n/a": classes are numbered '
        "in the order of class_names", "the output of a check")


@check
def words_of_a_list_are_classes_as_folders_are(case):
    list_checks.pictures(case)
    case.train(list_checks.job(), workspace="numbers")
    list_checks.pictures(case, lambda i: ["red", "green", "blue"][i // 20])
    case.train(list_checks.job(more='class_names: ["red", "green", "blue"]'))
    same_bytes(case.newest("numbers"), case.newest())
    case.write("job.conf", list_checks.job(more='class_names: ["red", "green", "blue"]'))
    out = case.run("predict", "-conf", "job.conf", "pictures/list.txt").out
    equal(out.splitlines()[0], "record,label,red,green,blue", "the header of the predictions")
    true(all(line.split(",")[1] in ("red", "green", "blue") for line in out.splitlines()[1:]), out)
    has(case.run("data", "stat", "pictures/list.txt").out, 'class_names: ["blue", "green", "red"]', "the statistics")
    has(case.train(list_checks.job(), code=65).err,
        'set class_names; the words of all records are class_names: ["blue", "green", "red"]', "stderr")
