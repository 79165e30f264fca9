"""Checks `singa predict` on a plain text, by a net on characters."""
import json
import subprocess

from case import LIMIT_S, check, equal, has, true
from generation_checks import GRU, TRAIN, net
from predict_checks import all_close, predict, resident, scores, table

PERIOD = "abac\n"  # the letter after an a needs memory
TEXT = PERIOD * 6 + "ab"  # three windows of 10, and two characters
# These layers write the output of a test. One of them has one step.
OUTPUTS = """
  layer { name: "prob" type: kSoftmax include: kTest srclayers: "fc" }
  layer { name: "csv" type: kCSVOutput include: kTest srclayers: "prob" srclayers: "label"
          store_conf { path: "prob.csv" } }
  layer { name: "last" type: kReLU include: kTest srclayers: "gru" unroll_len: 1
          unroll_conn_type: kUnrollFirstToLast }
  layer { name: "loss" """
STEP_BY_STEP = ("-set", "neuralnet.unroll_len=1", "-set",
                "neuralnet.layer[text].char_rnn_conf.unroll_len=1")


def trained(case, carry="true", steps=300):
    case.write("text", PERIOD * 60)
    case.write("vocabulary", "\ncab")
    conf = TRAIN % net("text", init="init { type: kUniform low: -0.3 high: 0.3 }")
    conf = conf.replace("dim_hidden: 16", f"dim_hidden: 16 carry_state: {carry}") \
        .replace('layer { name: "loss" ', OUTPUTS).replace("train_steps: 300",
                                                           f"train_steps: {steps}")
    case.train(conf)
    case.write("new", TEXT)


def stdin(case, text, *args, code=0):
    job = subprocess.run([case.site.binary, "predict", "-conf", "job.conf", *args, "-"],
                         input=text, cwd=case.folder, capture_output=True, text=True, check=False)
    equal(job.returncode, code, f"exit code ({job.stderr})")
    return job


@check
def predict_says_what_follows_each_character_of_a_text(case):
    trained(case)
    job = predict(case, "new")
    header, lines = table(job.out)
    equal(header, ["record", "label", "\\n", "c", "a", "b"], "header")
    equal([line[0] for line in lines], [f"new:{i}" for i in range(len(TEXT))], "records")
    equal([line[1] for line in lines], [c.replace("\n", "\\n") for c in TEXT[1:]] + [""], "labels")
    best = [header[2:][line.index(max(line))] for line in
            ([float(x) for x in row[2:]] for row in lines)]
    hits = sum(b == line[1] for b, line in zip(best, lines))
    true(hits >= 30, f"{hits} of 31 characters were told")  # the first one has no letter before it
    has(job.err, f"accuracy {hits / 31:.4f}, of 31 characters with a label", "stderr")
    steps = predict(case, *STEP_BY_STEP, "new")
    all_close(scores(job.out), scores(steps.out), "windows and single steps")
    equal(steps.err, job.err, "accuracy")
    plain = predict(case, "-no_labels", "new")
    equal((scores(plain.out), plain.err), (scores(job.out), ""), "without labels")


@check
def predict_of_a_text_agrees_with_the_test_phase(case):
    trained(case)
    case.run("-conf", "job.conf", "-test", "-set",
             "neuralnet.layer[text].char_rnn_conf.batchsize=1")
    tested = [line.split(",") for line in case.path("prob.csv").read_text().splitlines()]
    equal(len(tested), 290, "characters of whole windows")  # of 300, the last has no label
    predicted = table(predict(case, "text").out)[1][:290]
    all_close([line[2:] for line in predicted], [line[1:] for line in tested], "probabilities")
    equal([int(line[0]) for line in tested], ["\ncab".index(c) for c in (PERIOD * 60)[1:291]],
          "labels")


@check
def each_text_begins_anew_and_a_net_without_carried_state_each_window(case):
    trained(case, steps=30)
    alone = scores(predict(case, "new").out)
    equal(scores(predict(case, "new", "new").out), alone * 2, "two texts")
    case.write("part", TEXT[10:])
    true(scores(predict(case, "part").out)[:10] != alone[10:20], "no state was carried")
    forgets = ("-set", "neuralnet.layer[gru].gru_conf.carry_state=false")
    whole = scores(predict(case, *forgets, "-batch", "1", "new").out)
    for batch in ((), ("-batch", "2"), ("-batch", "3"), ("-batch", "9")):
        all_close(scores(predict(case, *forgets, *batch, "new").out), whole, f"{batch}")
    all_close(scores(predict(case, *forgets, "part").out), whole[10:], "windows")
    all_close(whole[:10], alone[:10], "the first window")


@check
def a_text_on_stdin_gives_the_same_in_every_format(case):
    trained(case)
    expected = predict(case, "new")
    job = stdin(case, TEXT)
    equal((scores(job.stdout), job.stderr), (scores(expected.out), expected.err), "stdin")
    lines = [json.loads(line) for line in
             predict(case, "-format", "json", "new").out.splitlines()]
    equal(lines[4]["record"], "new:4", "record")
    equal([line.get("label") for line in lines],
          ["\ncab".index(c) for c in TEXT[1:]] + [None], "labels")
    equal([line["scores"] for line in lines],
          [list(map(float, line)) for line in scores(expected.out)], "scores")
    best = [json.loads(line) for line in
            predict(case, "-format", "json", "-topk", "2", "new").out.splitlines()]
    equal([line["top"][0]["name"] for line in best[1:-1]],
          [c.replace("\n", "\\n") for c in TEXT[2:]], "best characters")
    has(predict(case, "-topk", "2", "new").out, "new:1,a,a,0.", "best, as csv")


@check
def features_of_a_text_are_of_each_character_or_window(case):
    trained(case, steps=5)
    header, lines = table(predict(case, "-layer", "gru", "new").out)
    equal((len(header), len(lines)), (2 + 16, len(TEXT)), "columns, lines")
    equal(lines[0][:2], ["new:0", "3"], "its label is an index: it has no scores of classes")
    job = predict(case, "-layer", "last", "new")
    windows = table(job.out)[1]
    equal([line[:2] for line in windows], [["new:0", ""], ["new:10", ""], ["new:20", ""]],
          "windows")
    has(job.err, "warning: new: its last 2 characters are left out", "stderr")
    for k, window in enumerate(windows):
        equal([float(x) for x in window[2:]],
              [max(0.0, float(x)) for x in lines[10 * k + 9][2:]], "the last step")


@check
def a_character_that_is_unknown_is_65_after_what_stood_before(case):
    trained(case, steps=5)
    expected = scores(predict(case, "new").out)
    for at in (0, 7, 10, 13, 31):  # T is 10
        case.write("bad", TEXT[:at] + "q" + TEXT[at:])
        job = predict(case, "bad", code=65)
        line = TEXT[:at].count("\n") + 1
        has(job.err, f'bad: byte {at}, in line {line}, is "q", which the vocabulary vocabulary lacks',
            "stderr")
        equal(scores(job.out), expected[:at], f"scores of {at} characters")
    job = stdin(case, "ab\xff", code=65)
    has(job.stderr, "standard input: byte 2, in line 1", "stderr")
    case.write("vocabulary", "\ncabq")
    case.write("bad", TEXT[:13] + "q" + TEXT[13:])
    forgets = ("-set", "neuralnet.layer[gru].gru_conf.carry_state=false")
    for more, before in (((), expected), (forgets, scores(predict(case, *forgets, "new").out))):
        job = predict(case, *more, "bad", code=65)
        has(job.err, 'bad: byte 13: the index is 4, layer "onehot" allows 0 to 3', "stderr")
        all_close(scores(job.out), before[:13], "scores before it")
    job = predict(case, *forgets, "-layer", "last", "bad", code=65)
    equal([line[0] for line in table(job.out)[1]], ["bad:0"], "windows before it")


@check
def texts_that_are_empty_missing_or_no_text(case):
    trained(case, steps=5)
    case.write("empty", "")
    job = predict(case, "empty")
    equal(job.out, "record,label,\\n,c,a,b\n", "of an empty text")
    equal(job.err, "warning: empty: holds no record\n", "stderr")
    equal(len(table(predict(case, "empty", "new", "empty").out)[1]), len(TEXT), "lines")
    has(predict(case, "none", code=66).err, "none: does not exist", "stderr")
    has(predict(case, "ws", code=66).err, "ws: is a folder", "stderr")
    has(predict(case, "-from", "kvfile", "new", code=2).err, "-from is for stores", "stderr")
    has(predict(case, "-labels", "new", "new", code=2).err, "-labels is for stores", "stderr")
    has(predict(case, "-batch", "2", "new", code=2).err, "-batch must be 1", "stderr")
    has(predict(case, "-topk", "5", "new", code=2).err, "at most 4", "stderr")
    has(predict(case, "-layer", "label", "new", code=78).err, "the step behind the last", "stderr")
    case.path("vocabulary").unlink()
    has(predict(case, "new", code=66).err, "vocabulary", "stderr")


@check
def a_text_takes_no_memory_and_its_windows_are_answered_as_they_come(case):
    trained(case, steps=5)
    command = [case.site.binary, "predict", "-conf", "job.conf", "-topk", "1", "-"]
    with subprocess.Popen(command, cwd=case.folder, stdin=subprocess.PIPE, bufsize=0,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as job:
        def feed(characters):
            job.stdin.write((PERIOD * (characters // 5)).encode())
            for _ in range(characters):
                true(job.stdout.readline(), "no line for a character")
        equal(job.stdout.read(0), b"", "stdout")
        job.stdin.write(b"abac\nabac\na")  # a window, and the label of its last
        equal(job.stdout.readline(), b"record,label,class1,score1\n", "header")
        for _ in range(10):
            true(job.stdout.readline().startswith(b"-:"), "no line for a character")
        job.stdin.write(b"bac\n")
        feed(1000)
        status = case.path(f"/proc/{job.pid}/status")
        before = resident(status)
        for _ in range(300):
            feed(1000)
        growth = resident(status) - before
        job.stdin.close()
        job.stdout.read()
        equal(job.wait(LIMIT_S), 0, "exit code")
    true(growth < 1 << 20, f"300000 characters took {growth} bytes")


@check
def a_net_whose_steps_need_later_ones_takes_whole_windows(case):
    init = "init { type: kUniform low: -0.3 high: 0.3 }"
    decoder = """layer { name: "decoder" type: kGRU srclayers: "onehot" srclayers: "gru"
      unroll_conn_type: kUnrollOneToOne unroll_conn_type: kUnrollFirstToLast
      gru_conf { dim_hidden: 16 }%s }
  layer { name: "fc" """ % GRU.replace('name: "', 'name: "d').replace("INIT", init)
    conf = TRAIN % net("text", init=init).replace('srclayers: "gru"', 'srclayers: "decoder"')
    case.write("text", PERIOD * 60)
    case.write("vocabulary", "\ncab")
    case.train(conf.replace('layer {\n    name: "fc" ', decoder)
               .replace("train_steps: 300", "train_steps: 5"))
    case.write("new", TEXT)  # three windows of 10, and two characters
    job = predict(case, "new")
    equal(len(scores(job.out)), 30, "lines")
    has(job.err, "new: its last 2 characters are left out", "stderr")
    case.write("whole", TEXT[:30])
    all_close(scores(job.out), scores(predict(case, "whole").out), "of the whole windows")
