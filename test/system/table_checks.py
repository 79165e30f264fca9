"""Checks jobs over tables as other programs write them: with a header, quotes, and labels in any column."""
import random
import shutil
import subprocess
import sys

from case import check, equal, has, same_bytes, true

NAMES = ["width", "height, cm", "class", "5\" pipe"]
STORE = 'path: "t.csv" batchsize: 8 shape: 3 header: true label_column: "class" shuffle: true'


def rows(count=90):
    """Returns rows of three numbers with the label in column 3."""
    draw = random.Random(4)
    lines = []
    for _ in range(count):
        a, b, c = (round(draw.uniform(-1, 1), 3) for _ in range(3))
        lines.append([a, b, int(a + b > 0), c])
    return lines


def table(case, lines, name="t.csv"):
    """Writes a table as a spreadsheet does, with a mark, quotes and CRLF."""
    def field(value):
        text = str(value)
        return '"' + text.replace('"', '""') + '"' if set(text) & set(',"') else text
    text = "".join(",".join(field(value) for value in line) + "\r\n" for line in [NAMES, *lines])
    case.path(name).write_bytes(b"\xef\xbb\xbf" + text.encode())


def job(store=STORE, kind="kCSVInput", steps=60, loss="kSoftmaxLoss", labels="data"):
    return f"""name: "table"
train_steps: {steps} disp_freq: 20 checkpoint_freq: {steps} num_openblas_threads: 1
train_one_batch {{ alg: kBP }}
updater {{ type: kSGD momentum: 0.9 learning_rate {{ type: kFixed base_lr: 0.1 }} }}
neuralnet {{
  layer {{ name: "data" type: {kind} store_conf {{ {store} }} }}
  layer {{
    name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf {{ num_output: 2 }}
    param {{ name: "w" init {{ type: kGaussian std: 0.1 }} }}
    param {{ name: "b" init {{ type: kConstant value: 0 }} }}
  }}
  layer {{ name: "loss" type: {loss} srclayers: "fc" srclayers: "{labels}" }}
}}
cluster {{ workspace: "ws" }}
"""


@check
def a_table_with_a_header_trains_as_its_plain_lines_do(case):
    lines = rows()
    table(case, lines)
    case.run("check", case.write("job.conf", job()))
    case.train(job())
    true(case.rows("ws", "train")[-1]["accuracy"] > 0.7, "it learned nothing")
    case.write("plain.csv", "".join(f"{c},{a},{b},{d}\n" for a, b, c, d in lines))
    case.train(job('path: "plain.csv" batchsize: 8 shape: 3 shuffle: true'), workspace="plain")
    same_bytes(case.newest("plain"), case.newest())
    case.train(job(STORE.replace('"class"', '"3"')), workspace="number")
    same_bytes(case.newest("number"), case.newest())


@check
def targets_begin_in_the_column_that_is_named(case):
    table(case, [[a, b, a - b, 2 * c] for a, b, _, c in rows()])
    store = STORE.replace("shape: 3", "shape: 2 num_targets: 2")
    case.train(job(store, steps=200, loss="kEuclideanLoss", labels="data:1"))
    case.write("named.conf", job(store, steps=200, loss="kEuclideanLoss", labels="data:1"))
    out = case.run("predict", "-conf", "named.conf", "t.csv").out
    equal(out.splitlines()[0], 'record,label,class,"5"" pipe"', "the header of the predictions")
    case.write("plain.csv", "".join(f"{a - b},{2 * c},{a},{b}\n" for a, b, _, c in rows()))
    plain = 'path: "plain.csv" batchsize: 8 shape: 2 num_targets: 2 shuffle: true'
    case.train(job(plain, steps=200, loss="kEuclideanLoss", labels="data:1"), workspace="plain")
    same_bytes(case.newest("plain"), case.newest())


@check
def a_bad_field_is_named_by_line_and_column(case):
    lines = rows()
    lines[3][1] = "NA"
    table(case, lines)
    err = case.train(job(), code=65).err
    has(err, 't.csv:5: record 3: number 2 in column 2 ("height, cm") is "NA"', "stderr")
    case.train(job(STORE + " on_bad_record: kSkip max_bad_records: 1"), workspace="skips")
    equal(case.rows("skips", "train")[-1]["bad_records"], 1, "bad records")
    err = case.train(job(STORE.replace('"class"', '"klass"')), code=65).err
    has(err, 't.csv:1: the header has no column "klass"; did you mean "class"?', "stderr")


@check
def a_table_is_converted_and_predicted_with_or_without_its_labels(case):
    lines = rows()
    table(case, lines)
    case.train(job())
    case.run("data", "convert", "-header", "-label_column", "class", "t.csv", "t.bin")
    case.train(job('path: "t.bin" batchsize: 8 shape: 3 shuffle: true', "kRecordInput"),
               workspace="records")
    same_bytes(case.newest("records"), case.newest())
    case.write("job.conf", job())
    case.write("new.csv", "width,height,pipe\n" + "".join(f"{a},{b},{d}\n" for a, b, _, d in lines))
    told = [case.run("predict", "-conf", "job.conf", name).out.splitlines()[1:]
            for name in ("t.csv", "new.csv")]
    with open(case.path("t.csv"), "rb") as stdin:
        piped = subprocess.run([case.site.binary, "predict", "-conf", "job.conf", "-"], stdin=stdin,
                               cwd=case.folder, capture_output=True, text=True, check=True)
    equal([line.split(",")[1:] for line in piped.stdout.splitlines()[1:]],
          [line.split(",")[1:] for line in told[0]], "the lines of stdin")
    equal([line.split(",")[1] for line in told[0]], [str(line[2]) for line in lines], "the labels")
    equal([line.split(",")[2:] for line in told[0]], [line.split(",")[2:] for line in told[1]],
          "the probabilities")


@check
def new_rows_need_no_labels_in_their_column(case):
    lines = rows()
    table(case, lines)
    case.train(job())
    case.write("job.conf", job())
    told = [line.split(",") for line in case.run("predict", "-conf", "job.conf", "t.csv").out.splitlines()[1:]]
    table(case, [[a, b, "", c] for a, b, _, c in lines], "empty.csv")
    table(case, [[a, b, "?", c] for a, b, _, c in lines], "unknown.csv")
    for words in (["empty.csv"], ["-no_labels", "empty.csv"], ["-no_labels", "t.csv"], ["-no_labels", "unknown.csv"]):
        new = [line.split(",") for line in case.run("predict", "-conf", "job.conf", *words).out.splitlines()[1:]]
        equal([line[1:] for line in new], [["", *line[2:]] for line in told], f"the lines of {words}")
    for words in (["-"], ["-no_labels", "-"]):
        with open(case.path("empty.csv"), "rb") as stdin:
            piped = subprocess.run([case.site.binary, "predict", "-conf", "job.conf", *words], stdin=stdin,
                                   cwd=case.folder, capture_output=True, text=True, check=True)
        equal([line.split(",")[1:] for line in piped.stdout.splitlines()[1:]],
              [["", *line[2:]] for line in told], f"the lines of stdin with {words}")
    has(case.run("predict", "-conf", "job.conf", "unknown.csv", code=65).err,
        'is "?"; write classes as numbers from 0; -no_labels leaves labels out', "stderr")


@check
def a_table_that_lacks_the_label_and_has_another_column_says_so(case):
    table(case, rows())
    case.train(job())
    case.write("job.conf", job())
    case.write("new.csv", "id,width,height,pipe\n7,1,2,3\n")
    err = case.run("predict", "-conf", "job.conf", "new.csv", code=65).err
    has(err, 'the header has no column "class"; there are "id", "width", "height", "pipe"; the net takes 3 numbers: '
             "without a label, a table has 3 columns, and this one has 4", "stderr")


@check
def predictions_go_on_past_bad_rows_as_training_does(case):
    lines = rows()
    table(case, lines)
    case.train(job())
    case.write("job.conf", job())
    lines[3][1] = "NA"
    lines[5] = lines[5][:3]
    table(case, lines, "bad.csv")
    err = case.run("predict", "-conf", "job.conf", "bad.csv", code=65).err
    has(err, 'bad.csv:5: record 3: number 2 in column 2 ("height, cm") is "NA"', "stderr")
    skips = ["-conf", "job.conf", "-set", "neuralnet.layer[data].store_conf.on_bad_record=kSkip"]
    told = case.run("predict", *skips, "bad.csv")
    equal([line.split(",")[0] for line in told.out.splitlines()[1:]],
          [f"bad.csv:{i}" for i in range(90) if i not in (3, 5)], "the records")
    for text in ("bad.csv:5: record 3: number 2", "bad.csv:7: record 5: has 3 fields, the header 4 columns; skipped"):
        has(told.err, text, "stderr")
    true("kSkip (singa" not in told.err, f"a warning of a skipped record advises to skip:\n{told.err}")
    has(case.run("predict", *skips, "-report", "bad.csv").out, "records            88\n", "the report")


@check
def an_empty_field_at_the_end_is_named_and_a_row_of_separators_left_out(case):
    case.write("t.csv", "a,b,class\n1,2,0\n,,\n3,4,\n,,\n")
    table_of = ["-header", "-label_column", "class", "t.csv"]
    has(case.run("data", "stat", *table_of, code=65).err, 't.csv:4: record 1: the label in column 3 ("class") '
        'must be an integer from -2147483647 to 2147483647, is ""; on_bad_record: kSkip (singa data: -max_bad N)', "stderr")
    skipping = case.run("data", "stat", "-max_bad", "1", *table_of)
    has(skipping.out, "records  1\n", "the statistics")
    true("-max_bad N" not in skipping.err, f"a warning of a skipped record advises to skip:\n{skipping.err}")


@check
def a_header_of_numbers_is_left_out_with_a_warning(case):
    case.write("t.csv", "0,1,2\n1,2,3\n0,4,5\n")
    err = case.run("data", "stat", "-header", "t.csv").err
    has(err, "t.csv: its first line has only numbers, and is left out as a header", "stderr")
    has(case.run("data", "stat", "-label_column", "x", "t.csv", code=65).err,
        "label_column must be a number from 1 if there is no header", "stderr")


@check
def a_first_line_of_numbers_on_stdin_is_a_record(case):
    table(case, rows())
    case.train(job())
    case.write("job.conf", job())
    for lines in ("1,2,3\n-1,2,1\n", "width,height,pipe\n1,2,3\n-1,2,1\n"):
        piped = subprocess.run([case.site.binary, "predict", "-conf", "job.conf", "-"], input=lines,
                               cwd=case.folder, capture_output=True, text=True, check=True)
        equal(len(piped.stdout.splitlines()), 3, "the lines of a header and two records")


@check
def a_table_with_columns_in_another_order_draws_a_warning(case):
    lines = rows()
    table(case, lines)
    case.write("other.csv", 'class,"height, cm",width,pipe\n' +
               "".join(f"{c},{b},{a},{d}\n" for a, b, c, d in lines))
    layer = f'layer {{ name: "data" type: kCSVInput store_conf {{ {STORE} }} '
    other = layer.replace("t.csv", "other.csv").replace("shuffle: true", "")
    text = job("", steps=4).replace('layer { name: "data" type: kCSVInput store_conf {  } }',
                                    f"{layer} include: kTrain }}\n  {other} include: kTest }}")
    warning = ('column "height, cm" is in the place that "width" has in training: columns go by position, names are '
               "not matched")
    case.write("job.conf", text.replace("disp_freq", "test_freq: 4 disp_freq"))
    out = case.run("check", "job.conf")
    has(out.out + out.err, warning, "the output of a check")
    has(case.run("-conf", "job.conf").err, warning, "stderr of the training")


@check
def predict_reads_columns_by_their_names(case):
    lines = rows()
    table(case, lines)
    case.train(job())
    case.write("job.conf", job())
    same = 'width,"height, cm","5"" pipe",class\n' + "".join(f"{a},{b},{d},{c}\n" for a, b, c, d in lines)
    case.write("same.csv", same)
    other = 'class,note,"5"" pipe","height, cm",width\n' + "".join(f"{c},x,{d},{b},{a}\n" for a, b, c, d in lines)
    case.write("other.csv", other)
    told = [line.split(":", 1)[1] for line in case.run("predict", "-conf", "job.conf", "t.csv").out.splitlines()[1:]]
    for name in ("same.csv", "other.csv"):
        run = case.run("predict", "-conf", "job.conf", name)
        equal([line.split(":", 1)[1] for line in run.out.splitlines()[1:]], told, f"the predictions of {name}")
    has(run.err, 'other.csv: leaves out columns that the training does not have: "note"', "stderr")
    piped = subprocess.run([case.site.binary, "predict", "-conf", "job.conf", "-"], input=other, cwd=case.folder,
                           capture_output=True, text=True, check=True)
    equal([line.split(":", 1)[1] for line in piped.stdout.splitlines()[1:]], told, "the predictions of stdin")


@check
def a_separator_is_a_tab_by_its_name_and_never_a_letter(case):
    case.write("t.tsv", "0\t1\t2\n1\t2\t3\n")
    has(case.run("data", "stat", "-separator", "\\t", "t.tsv").out, "numbers  2\n", "the statistics")
    case.write("empty.tsv", "0\t\t2\n0\t4\t2\n")
    has(case.run("data", "stat", "-separator", "\\t", "empty.tsv").out, '{ name: "2" missing: 4 }', "the statistics")
    err = case.run("data", "convert", "-separator", "\\t", "empty.tsv", "empty.bin", code=65).err
    has(err, 'number 1 in column 2 is ""', "stderr")
    has(case.run("data", "stat", "-separator", "t", "t.tsv", code=2).err, "-separator has the character t", "stderr")
    conf = case.write("job.conf", job('path: "t.tsv" batchsize: 2 shape: 2'))
    field = "neuralnet.layer[data].store_conf.separator="
    case.run("check", conf, "-set", field + "\\t")
    checked = case.run("check", conf, "-set", field + "tab", code=78)
    has(checked.out + checked.err, "has the character t; letters, digits, quotes", "the output of a check")


@check
def the_tables_of_the_example_train(case):
    for file in (case.site.root / "examples/tabular").glob("*.*"):
        case.path("examples/tabular").mkdir(parents=True, exist_ok=True)
        shutil.copy(file, case.path("examples/tabular"))
    subprocess.run([sys.executable, case.path("examples/tabular/make_data.py")], check=True)
    for name in ("houses", "machines"):
        case.run("-conf", f"examples/tabular/{name}.conf", "-set", "train_epochs=4", "-set",
                 f"cluster.workspace={name}", "-set", "num_openblas_threads=1")
        error = [row["mae"] for row in case.rows(name, "test") if "mae" in row][-1]
        true(error < 0.5, f"the mean error of {name} is {error}")
