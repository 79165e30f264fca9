"""Checks examples/rnnlm on text of a known grammar: records, plugin, program, figures."""
import array
import collections
import math
import random
import struct

import case

WORDS, WINDOW, DIM, CLASSES = 40, 5, 12, 6


def text(sentences, seed):
    """Returns sentences. Each word has two followers. Lengths go from 1 to several windows."""
    draw = random.Random(seed)
    lines = []
    for _ in range(sentences):
        word = draw.randrange(4)
        line = [word]
        while draw.random() < 0.85:
            word = (2 * word + draw.choice((1, 2))) % WORDS
            line.append(word)
        lines.append(" ".join(f"w{word}" for word in line))
    return "\n".join(lines) + "\n\n"


def create_data(one, *args, folder="data"):
    one.write("text.txt", text(2000, 7))
    out = one.start_program([str(one.site.rnnlm / "create_data"), *map(str, args), "text.txt",
                             folder]).end(0).out
    pairs = [line.split(": ", 1) for line in out.splitlines()]
    return {name: int(value) for name, value in pairs if value.isdigit()}, out


def varint(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 0x7f) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return number, at


def record(word, index, class_index, start, end):
    """Returns a WordRecord."""
    def number(n):
        return bytes([n & 0x7f | 0x80, n >> 7]) if n > 0x7f else bytes([n])
    return b"\x0a" + number(len(word)) + word.encode() + b"".join(
        bytes([field << 3]) + number(n)
        for field, n in ((2, index), (3, class_index), (4, start), (5, end)))


def kvfile(values):
    return b"".join(len(data).to_bytes(8, "little") + data
                    for i, value in enumerate(values) for data in (b"%08d" % i, value))


def records(path):
    """Returns (word, index, class, start, end) of each record."""
    data, at, found = path.read_bytes(), 0, []
    while at < len(data):
        for part in range(2):
            size = int.from_bytes(data[at:at + 8], "little")
            value, at = data[at + 8:at + 8 + size], at + 8 + size
        size = value[1]
        fields, place = [value[2:2 + size].decode()], 2 + size
        while place < len(value):
            n, place = varint(value, place + 1)
            fields.append(n)
        found.append(tuple(fields))
    return found


def job(settings="train_steps: 12000", *, data="data", vocabulary=WORDS + 1, window=WINDOW,
        classes=CLASSES, of_loss=None, extra=""):
    def store(phase, name):
        return f"""
  layer {{ name: "data" user_type: "kData" include: {phase}
    [data_conf] {{
      path: "{data}/{name}_data.bin"
      max_window: {window} {extra}
    }} }}"""
    init = "init { type: kUniform low: -0.3 high: 0.3 }"
    return f"""name: "rnnlm"
{settings}
num_openblas_threads: 1
train_one_batch {{ alg: kBP }}
updater {{ type: kSGD learning_rate {{ type: kFixed base_lr: 0.1 }} }}
neuralnet {{{store("kTrain", "train")}{store("kVal", "valid")}{store("kTest", "test")}
  layer {{ name: "embedding" user_type: "kEmbedding" srclayers: "data"
    [embedding_conf] {{
      word_dim: {DIM}
      vocab_size: {vocabulary}
    }}
    param {{ name: "table" {init} }} }}
  layer {{ name: "hidden" user_type: "kHidden" srclayers: "embedding"
    param {{ name: "w" {init} }} }}
  layer {{ name: "loss" user_type: "kLoss" srclayers: "hidden" srclayers: "data"
    [loss_conf] {{
      nclass: {classes}
      vocab_size: {of_loss or vocabulary}
    }}
    param {{ name: "v" {init} }} param {{ name: "u" {init} }} }}
}}
cluster {{ workspace: "ws" }}
"""


def plugin(one):
    return ("-plugin", one.site.rnnlm / "rnnlm.so")


def softmax(x):
    e = [math.exp(value) for value in x]
    return [value / sum(e) for value in e]


def perplexity(model, words):
    """Returns the perplexity of a text, by the formulas that the layers state."""
    def matrix(name):
        _, shape, data = model[name]
        rows = array.array("f", data)
        return [rows[i * shape[1]:(i + 1) * shape[1]] for i in range(shape[0])]

    def scores(h, rows):
        return [sum(a * b for a, b in zip(h, row)) for row in rows]
    table, w, v, u = map(matrix, ("table", "w", "v", "u"))
    columns = list(zip(*w))
    total, before, state, length = 0, 0, None, 0
    for _, word, class_index, start, end in words:
        z = table[before] if state is None else [
            x + y for x, y in zip(table[before], scores(state, columns))]
        state = [1 / (1 + math.exp(-value)) for value in z]
        total -= math.log(softmax(scores(state, u))[class_index] *
                          softmax(scores(state, v[start:end]))[word - start])
        before, length = word, length + 1
        if word == 0 or length == WINDOW:
            state, length = None, 0
    return math.exp(total / len(words))


def rnnlm_records_are_by_frequency_and_classes_share_the_count(one):
    sizes, out = create_data(one, "-classes", CLASSES)
    del sizes["steps of a pass"]
    case.equal(sizes, {"vocab_size": WORDS + 1, "nclass": CLASSES}, "what it prints")
    train = records(one.path("data/train_data.bin"))
    lines = text(2000, 7).splitlines()
    case.equal([r[0] for r in train][:30],
               [word for line in lines[:30] for word in line.split() + ["</s>"]][:30], "words")
    count = collections.Counter(r[1] for r in train)
    case.equal({r[0] for r in train if r[1] == 0}, {"</s>"}, "word 0")
    case.equal([count[i] for i in range(1, WORDS + 1)], sorted(
        (count[i] for i in range(1, WORDS + 1)), reverse=True), "counts by index")
    classes = {r[2]: r[3:] for r in train}
    case.equal(classes[0][0], 0, "start of the first class")
    case.equal([classes[c][1] for c in range(CLASSES)],
               [classes[c][0] for c in range(1, CLASSES)] + [WORDS + 1], "ends of the classes")
    shares = [sum(count[w] for w in range(*classes[c])) / len(train) for c in range(CLASSES)]
    case.true(max(shares) < 1.5 / CLASSES and min(shares) > 0.5 / CLASSES, f"shares {shares}")
    valid = records(one.path("data/valid_data.bin"))
    unigram = math.exp(-sum(math.log(count[r[1]] / len(train)) for r in valid) / len(valid))
    printed = float(out.split("valid: perplexity by unigrams ")[1].split(",")[0])
    case.close(printed, unigram, 1e-4, "perplexity by unigrams")
    sizes, _ = create_data(one, "-vocab", 10, folder="few")
    case.equal((sizes["vocab_size"], sizes["nclass"]), (10, 10), "of ten words")


def rnnlm_create_data_says_what_is_wrong(one):
    one.write("text.txt", "one line\n")
    for args, code, part in (
            ("", 2, "usage: "), ("-what text.txt data", 2, "usage: "),
            ("-classes 0 text.txt data", 2, "-classes: must be from 1"),
            ("none.txt data", 66, "none.txt: cannot be read"),
            ("text.txt data", 65, "train: the text has no word"),
            ("text.txt text.txt text.txt text.txt/data", 73, "text.txt/data: ")):
        job = one.start_program([str(one.site.rnnlm / "create_data"), *args.split()]).end(code)
        case.has(job.err, part, f"stderr for {args}")


def rnnlm_learns_the_grammar_as_plugin_and_as_program(one):
    _, out = create_data(one, "-classes", CLASSES)
    unigram = float(out.split("valid: perplexity by unigrams ")[1].split(",")[0])
    conf = job("train_epochs: 6 validate_freq: 2000 disp_freq: 1000 checkpoint_best: 'ppl' "
               "checkpoint_keep: 1")
    one.train(conf, *plugin(one), workspace="plugin")
    one.start_program([str(one.site.rnnlm / "rnnlm.bin"), "-conf", "job.conf", "-set",
                       "cluster.workspace=program"]).end(0)
    case.same_bytes(one.newest("plugin"), one.newest("program"))
    rows = one.rows("plugin", "validate")
    for row in rows:
        case.close(row["ppl"], math.exp(row["loss"]), 1e-9, "ppl and loss")
    best = min(rows[1:], key=lambda row: row["ppl"])
    case.true(best["ppl"] < unigram / 4, f"perplexity {best['ppl']}, by unigrams {unigram}")
    case.equal(one.best("plugin"), f"step{best['step']}", "checkpoint/best")
    # The figure must be that of the whole store, and of the formulas.
    model = case.tensors(one.path("plugin/checkpoint/best/model.safetensors"))
    wanted = perplexity(model, records(one.path("data/valid_data.bin")))
    case.close(best["ppl"], wanted, 1e-4, "perplexity")
    one.run("-conf", "job.conf", "-test", *plugin(one), "-set", "cluster.workspace=tested",
            "-set", "checkpoint_path=plugin/checkpoint/best")
    wanted = perplexity(model, records(one.path("data/test_data.bin")))
    case.close(one.rows("tested", "test")[-1]["ppl"], wanted, 1e-4, "perplexity of the test")


def rnnlm_resumes_exactly(one):
    create_data(one, "-classes", CLASSES)
    conf = job("train_steps: 3000 checkpoint_freq: 1234 disp_freq: 500")
    one.train(conf, *plugin(one))
    whole, rows = one.newest().rename(one.path("whole")), one.rows(phase="train")
    one.path("ws/checkpoint/step2468").rename(one.path("later"))
    one.train(conf, "-resume", *plugin(one))
    case.same_bytes(one.newest(), whole)
    case.equal([r["ppl"] for r in one.rows(phase="train")], [r["ppl"] for r in rows], "rows")


def rnnlm_gradients_are_exact(one):
    out = one.start_program([str(one.site.rnnlm / "check_gradients")]).end(0).out
    case.equal([line.split()[:2] for line in out.splitlines()],
               [["ok", "kEmbedding"], ["ok", "kHidden"], ["ok", "kLoss"]], "layers")


GOOD = [record("</s>", 0, 0, 0, 1), record("a", 1, 1, 1, 3), record("b", 2, 1, 1, 3),
        record("c", 3, 2, 3, 4)]


def rnnlm_names_the_record_that_is_damaged(one):
    for name in ("valid", "test"):
        one.write(f"data/{name}_data.bin", kvfile(GOOD))
    for damage, part in ((b"\x0a\x7f", "no WordRecord"), (b"\x0a\x01a", "lacks word_index"),
                         (record("a", 3, 1, 1, 3), "word 3 of class 1"),
                         (record("a", 1, 1, 1, 2), "class 1 has the words [1, 2), in record 1"),
                         (record("c", 2, 3, 2, 5), "but the class before has those up to 2")):
        one.write("data/train_data.bin", kvfile(GOOD + [damage]))
        err = one.train(job(vocabulary=5, classes=4), *plugin(one), code=65).err
        case.has(err, "data/train_data.bin: record 4: ", "stderr")
        case.has(err, part, "stderr")
    # The classes' numbers need not rise with their words.
    falling = [GOOD[0], record("a", 1, 2, 1, 3), record("c", 3, 1, 3, 4)]
    one.write("data/train_data.bin", kvfile(falling))
    one.train(job(vocabulary=5, classes=4), *plugin(one))
    one.write("data/train_data.bin", kvfile(GOOD)[:20])
    case.has(one.train(job(), *plugin(one), code=65).err, "holds no complete record", "stderr")
    one.path("data/train_data.bin").unlink()
    case.has(one.train(job(), *plugin(one), code=66).err,
             "neuralnet.layer[data#0].[data_conf].path: there is no file", "stderr")


def rnnlm_names_the_line_of_a_wrong_setting(one):
    for name in ("train", "valid", "test"):
        one.write(f"data/{name}_data.bin", kvfile(GOOD))
    for layer, field, text_of, settings in (
            ("data#0", "[data_conf].max_window", "must be from 1 to 10000, is 0", {"window": 0}),
            ("data#0", "[data_conf].backend", 'must be "kvfile", is "x"',
             {"extra": 'backend: "x"'}),
            ("embedding", "[embedding_conf].vocab_size", "must be from 1 to 16777216, is 0",
             {"vocabulary": 0}),
            ("embedding", "[embedding_conf].vocab_size", "must be > 3, a word of the data, is 3",
             {"vocabulary": 3, "classes": 3}),
            ("loss", "[loss_conf].vocab_size", "must be >= 4, where class 2 of the data ends, is 3",
             {"of_loss": 3, "classes": 3}),
            ("loss", "[loss_conf].nclass", "must be from 1 to 41, the words, is 42",
             {"classes": 42}),
            ("loss", "[loss_conf].nclass", "must be > 2, a class of the data, is 2",
             {"classes": 2})):
        conf = job(**settings)
        err = one.train(conf, *plugin(one), code=78).err
        case.has(err, f"error: neuralnet.layer[{layer}].{field}: {text_of}", "stderr")
        line = int(err.split("job.conf:")[1].split(":")[0])
        case.has(conf.splitlines()[line - 1], field.split(".")[1] + ":", "the line that it names")


def rnnlm_of_singa_03_trains_unchanged(one):
    conf = one.site.root / "test/conf/v03/rnnlm_job.conf"
    create_data(one, "-classes", 100, folder="examples/rnnlm")
    args = ("-conf", conf, *plugin(one), "-set", "train_steps=50", "-set", "checkpoint_freq=49",
            "-set", "validate_freq=25")
    case.true("warning:" not in one.run(*args).err, "a warning is drawn")
    whole = one.newest("examples/rnnlm").rename(one.path("whole"))
    one.run("-resume", *args)
    case.same_bytes(one.newest("examples/rnnlm"), whole)
    case.equal([row["step"] for row in one.rows("examples/rnnlm", "validate")], [25, 50],
               "validations")


CHECKS = [rnnlm_records_are_by_frequency_and_classes_share_the_count,
          rnnlm_create_data_says_what_is_wrong,
          rnnlm_learns_the_grammar_as_plugin_and_as_program, rnnlm_resumes_exactly,
          rnnlm_gradients_are_exact, rnnlm_names_the_record_that_is_damaged,
          rnnlm_names_the_line_of_a_wrong_setting, rnnlm_of_singa_03_trains_unchanged]
