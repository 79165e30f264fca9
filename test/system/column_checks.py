"""Checks jobs over tables with ids, words and gaps, which columns describes."""
import json
import subprocess

from case import check, equal, has, same_bytes
from table_checks import job

COLUMNS = ('columns { name: "id" leave_out: true } columns { name: "width" missing: 0.5 } '
           'columns { name: "city" words: ["Oslo", "Rome"] }')
NAMES = "id,width,city,class"
STORE = f'path: "t.csv" batchsize: 8 shape: 3 label_column: "class" header: true {COLUMNS}'


def lines(count=48):
    """Returns lines with an id, a number with gaps, a word with gaps, and a label that follows from both."""
    made = []
    for i in range(count):
        width, city = ["", "0.5", "2", "NA"][i % 4], ["Oslo", "Rome", "" if i % 4 else "Rome"][i % 3]
        made.append(f"{900 + i},{width},{city},{int(city == 'Rome' or width == '2')}")
    return made


def as_numbers(line):
    """Returns the line as a net reads it: the label, and three numbers."""
    _, width, city, label = line.split(",")
    return f"{label},{width if width[:1].isdigit() else 0.5},{int(city == 'Oslo')},{int(city == 'Rome')}"


def write(case, name, rows):
    return case.write(name, "".join(f"{row}\n" for row in rows))


@check
def ids_words_and_gaps_are_read_as_the_numbers_they_stand_for(case):
    write(case, "t.csv", [NAMES, *lines()])
    write(case, "plain.csv", map(as_numbers, lines()))
    case.train(job('path: "plain.csv" batchsize: 8 shape: 3'), workspace="plain")
    case.run("check", case.write("job.conf", job(STORE)))
    case.train(job(STORE))
    same_bytes(case.newest("plain"), case.newest())
    told = case.run("predict", "-conf", "job.conf", "t.csv").out.splitlines()
    equal([row.split(",")[1] for row in told[1:]], [row[-1] for row in lines()], "the labels")
    scores = [row.split(",")[2:] for row in told[1:]]
    new = [row.split(",") for row in lines()]
    tables = {"unlabelled.csv": ["id,width,city", *(",".join(row[:3]) for row in new)],
              "no_id.csv": ["width,city", *(",".join(row[1:3]) for row in new)],
              "no_id_labelled.csv": ["width,city,class", *(",".join(row[1:]) for row in new)]}
    for name, rows in tables.items():
        write(case, name, rows)
        out = case.run("predict", "-conf", "job.conf", name).out
        equal([row.split(",")[2:] for row in out.splitlines()[1:]], scores, f"the scores of {name}")
        with open(case.path(name), "rb") as stdin:
            piped = subprocess.run([case.site.binary, "predict", "-conf", "job.conf", "-"], stdin=stdin, cwd=case.folder,
                                   capture_output=True, text=True, check=True).stdout
        equal([row.split(",")[2:] for row in piped.splitlines()[1:]], scores, f"the scores of {name} by stdin")


@check
def columns_by_number_follow_a_table_without_labels(case):
    columns = COLUMNS.replace('"id"', '"1"').replace('"width"', '"2"').replace('"city"', '"3"')
    moved = [",".join([row.split(",")[3], *row.split(",")[:3]]) for row in lines()]  # the label first
    columns = columns.replace('"3"', '"4"').replace('"2"', '"3"').replace('"1"', '"2"')
    write(case, "t.csv", moved)
    case.train(job(f'path: "t.csv" batchsize: 8 shape: 3 {columns}'))
    case.write("job.conf", job(f'path: "t.csv" batchsize: 8 shape: 3 {columns}'))
    out = case.run("predict", "-conf", "job.conf", "t.csv").out
    write(case, "new.csv", [row.split(",", 1)[1] for row in moved])
    new = case.run("predict", "-conf", "job.conf", "new.csv").out
    equal([row.split(",")[2:] for row in new.splitlines()[1:]], [row.split(",")[2:] for row in out.splitlines()[1:]],
          "the scores")


@check
def stat_prints_the_columns_to_paste(case):
    write(case, "t.csv", [NAMES, *lines()])
    out = case.run("data", "stat", "-header", "-label_column", "class", "t.csv").out
    has(out, 'columns { name: "id" leave_out: true }  # it seems to be an id\n'
        'columns { name: "width" missing: 1.25 }  # the mean, for 24 empty fields\n'
        'columns { name: "city" words: ["Oslo", "Rome"] }  # 2 words\n', "the statistics")
    has(out, "numbers  3\n", "the statistics")
    pasted = [row for row in out.splitlines() if row.startswith(("columns", "channel_"))]
    case.train(job("\n".join(['path: "t.csv" batchsize: 8 shape: 3 label_column: "class" header: true', *pasted, ""])))
    prices = write(case, "prices.csv", ["price,width", *(f"{i},1" for i in range(150))])
    has(case.run("data", "stat", "-header", prices).err, "say -targets 1", "stderr of many labels")
    err = case.run("data", "stat", "-header", "t.csv", code=2).err
    has(err, 't.csv: the first column, "id", would be read as the label, and it seems to be an id: name the label\'s '
        "column with -label_column", "stderr")
    err = case.train(job(STORE.replace(COLUMNS, "")), code=65).err
    has(err, 'columns { name: "width" missing: NUMBER } fills gaps', "stderr")


@check
def a_word_that_is_not_listed_is_named(case):
    write(case, "t.csv", [NAMES, *lines(), "1,2,Paris,0"])
    err = case.train(job(STORE), code=65).err
    has(err, 't.csv:50: record 48: the word in column 3 ("city") must be one of words, "Oslo", "Rome", is '
        '"Paris"', "stderr")
    case.train(job(STORE + " on_bad_record: kSkip"), workspace="skips")
    checked = case.run("check", case.write("job.conf", job(STORE.replace('"city"', '"town"'))), code=65)
    has(checked.out + checked.err, 't.csv:1: the header has no column "town"', "the output of a check")


@check
def predictions_read_a_word_that_is_not_listed_as_a_gap(case):
    write(case, "t.csv", [NAMES, *lines()])
    case.train(job(STORE))
    case.write("job.conf", job(STORE))
    write(case, "gaps.csv", ["width,city", "2,", "2,Oslo", "1,"])
    scores = [row.split(",")[2:] for row in case.run("predict", "-conf", "job.conf", "gaps.csv").out.splitlines()]
    write(case, "new.csv", ["width,city", "2,Paris", "2,Oslo", "1,Bern"])
    new = case.run("predict", "-conf", "job.conf", "new.csv")
    equal([row.split(",")[2:] for row in new.out.splitlines()], scores, "the scores")
    warning = 'column 2 ("city") is "Paris", which the job does not list: it is read as a gap; the column has 2 such words'
    has(new.err, f"new.csv:2: record 0: the word in {warning}", "stderr")
    equal(new.err.count("does not list"), 1, "the number of warnings")
    with open(case.path("new.csv"), "rb") as stdin:
        piped = subprocess.run([case.site.binary, "predict", "-conf", "job.conf", "-"], stdin=stdin, cwd=case.folder,
                               capture_output=True, text=True, check=True)
    has(piped.stderr, f"standard input:2: record 0: the word in {warning}", "stderr of stdin")
    write(case, "number.csv", ["width,city", "2,7"])
    has(case.run("predict", "-conf", "job.conf", "number.csv", code=65).err, 'must be one of words, "Oslo", "Rome"',
        "stderr of a number among words")


@check
def ids_stand_beside_predictions(case):
    write(case, "t.csv", [NAMES, *lines()])
    case.train(job(STORE))
    case.write("job.conf", job(STORE))
    predict = ["predict", "-conf", "job.conf", "-topk", "1", "-id"]
    write(case, "new.csv", ["city,note,width,id", 'Oslo,a,2,"x, 7"', "Rome,b,1,"])
    out = case.run(*predict, "id", "new.csv").out.splitlines()
    equal(out[0], "record,id,label,class1,score1", "the header")
    equal([row.rsplit(",", 3)[0] for row in out[1:]], ['new.csv:0,"x, 7"', "new.csv:1,"], "names and ids")
    said = [json.loads(row) for row in case.run(*predict, "note", "-format", "json", "new.csv").out.splitlines()]
    equal([row["id"] for row in said], ["a", "b"], "the ids in JSON")
    with open(case.path("new.csv"), "rb") as stdin:
        piped = subprocess.run([case.site.binary, *predict, "4", "-"], stdin=stdin, cwd=case.folder,
                               capture_output=True, text=True, check=True).stdout.splitlines()
    equal(piped[1].rsplit(",", 3)[0], '-:0,"x, 7"', "the first line for stdin")
    has(case.run(*predict, "customer", "new.csv", code=2).err, '-id: new.csv: the header has no column "customer"; there '
        'are "city", "note", "width", "id"', "stderr of a column that is not there")
    has(case.run(*predict, "id", "-report", "t.csv", code=2).err, "-id is for predictions",
        "stderr of a report")
