"""Checks nets on sequences: pictures read row by row, and words of uneven length."""
import random

from case import check, equal, has, same_bytes, true
from job import GAUSSIAN, ZERO, dense


def params(number, gates):
    return "".join(f' param {{ name: "p{number}_{i}" {GAUSSIAN if i < 2 * gates else ZERO} }}'
                   for i in range(3 * gates))


def job(settings, layers):
    return f"""{settings}
num_openblas_threads: 1
train_one_batch {{ alg: kBPTT }}
updater {{
  type: kAdam adam_conf {{ beta1: 0.9 beta2: 0.999 }} clip_norm: 5
  learning_rate {{ type: kFixed base_lr: 0.005 }}
}}
neuralnet {{{layers}
}}
cluster {{ workspace: "ws" }}
"""


def rows_of_pictures(data):
    inputs = "".join(f"""
  layer {{
    name: "data" type: kRecordInput include: {phase}
    store_conf {{
      backend: "idx" path: "{data}/{which}-images-idx3-ubyte" shape: 28 shape: 28
      label_path: "{data}/{which}-labels-idx1-ubyte" batchsize: 100 std_value: 255 {more} }}
  }}""" for phase, which, more in (("kTrain", "train", "shuffle: true"), ("kTest", "t10k", "")))
    top = dense("fc", "lstm", 1, 10).replace(
        'srclayers: "lstm"', 'srclayers: "lstm" unroll_conn_type: kUnrollFirstToLast')
    return f"""{inputs}
  layer {{ name: "rows" type: kTimeSteps srclayers: "data" time_steps_conf {{ unroll_len: 28 }} }}
  layer {{
    name: "lstm" type: kLSTM srclayers: "rows" unroll_len: 28 lstm_conf {{ dim_hidden: 48 }}
    {params(0, 4)}
  }}{top}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }}"""


@check
def pictures_are_read_row_by_row(case):
    case.train(job("train_epochs: 10 disp_freq: 50 test_steps: 0 test_epochs: 10 checkpoint_freq: 60",
                   rows_of_pictures(case.site.data)))
    accuracy = case.rows(phase="test")[-1]["accuracy"]
    case.note = f"accuracy {accuracy:.4f} after 10 passes"
    true(accuracy > 0.95, f"accuracy {accuracy}")
    case.train("job.conf", "-set", "train_epochs=0", "-set", "train_steps=75", workspace="again")
    case.train("job.conf", "-resume", workspace="again")
    same_bytes(case.newest("again"), case.newest())


def words(batch):
    """Returns layers that predict a word's next letter at each step. -1 follows a word's end."""
    return f"""
  layer {{
    name: "words" type: kCSVInput unroll_len: 1
    store_conf {{ path: "words.csv" has_label: false batchsize: {batch} shape: 9 }}
  }}
  layer {{
    name: "letters" type: kTimeSteps srclayers: "words"
    time_steps_conf {{ unroll_len: 8 ahead: 1 }}
  }}
  layer {{ name: "next" type: kRNNLabel srclayers: "letters" }}
  layer {{
    name: "embed" type: kEmbedding srclayers: "letters"
    embedding_conf {{ vocab_size: 12 feature_dim: 8 }} param {{ name: "table" {GAUSSIAN} }}
  }}
  layer {{
    name: "gru" type: kGRU srclayers: "embed" gru_conf {{ dim_hidden: 24 }} {params(0, 3)}
  }}{dense("fc", "gru", 1, 12)}
  layer {{
    name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "next"
    softmaxloss_conf {{ ignore_label: -1 }}
  }}"""


def write_words(case, number=400):
    """Writes words: 1, a letter from 2 to 11, and the letters that follow it in a ring."""
    draw = random.Random(4)
    lines = []
    for _ in range(number):
        first, length = draw.randint(2, 11), draw.randint(1, 7)
        word = [1] + [(first + i - 2) % 10 + 2 for i in range(length)]
        lines.append(",".join(map(str, word + [-1] * (9 - len(word)))))
    case.write("words.csv", "\n".join(lines) + "\n")


@check
def words_of_uneven_length_are_learned(case):
    write_words(case)
    settings = "unroll_len: 8" + words(50)
    case.train(job("train_steps: 300 disp_freq: 50", settings))
    # All letters but a word's first follow from the previous one. Padding does not count.
    accuracy = case.rows(phase="train")[-1]["accuracy"]
    letters = [sum(int(cell) > 0 for cell in line.split(",")) - 1
               for line in case.path("words.csv").read_text().split()]
    share = 1 - len(letters) / sum(letters)  # of predictable letters
    case.note = f"accuracy {accuracy:.4f}, of what can be told {share:.4f}"
    true(share - 0.02 < accuracy < share + 0.1, case.note)


@check
def padding_that_is_not_left_out_is_65_with_its_record(case):
    write_words(case)
    lines = case.path("words.csv").read_text().splitlines()
    # Labels are judged step by step: the first word that ends is at fault.
    lengths = [sum(int(cell) > 0 for cell in line.split(",")) for line in lines[:50]]
    record = lengths.index(min(lengths))
    text = job("train_steps: 3", "unroll_len: 8" + words(50)).replace("ignore_label: -1", "")
    message = f'words.csv: record {record}: the label is -1, layer "loss" allows 0 to 11'
    has(case.train(text, code=65).err, message, "stderr")
    case.write("words.csv", "".join(f"5,{line}\n" for line in lines))  # with labels of their own
    has(case.train(text.replace("has_label: false", ""), code=65).err, message, "stderr")


@check
def a_letter_outside_the_table_is_65_with_its_record(case):
    write_words(case, number=70)
    lines = case.path("words.csv").read_text().splitlines()
    lines[61] = "1,2,12,-1,-1,-1,-1,-1,-1"
    case.write("words.csv", "\n".join(lines) + "\n")
    has(case.train(job("train_steps: 3", "unroll_len: 8" + words(50)), code=65).err,
        'words.csv: record 61: the index is 12, layer "embed" allows 0 to 11', "stderr")


@check
def a_layer_of_one_step_that_reads_the_first_is_warned_of(case):
    layers = rows_of_pictures(case.site.data)
    job_text = job("train_steps: 1 test_steps: 1", layers)
    case.write("job.conf", job_text)
    equal(case.run("check", "job.conf").err.count("warning"), 0, "warnings")
    case.write("job.conf", job_text.replace(" unroll_conn_type: kUnrollFirstToLast", ""))
    has(case.run("check", "job.conf").err, 'neuralnet.layer[fc].srclayers: reads the first time step '
        'of layer "lstm"; for the last set unroll_conn_type: kUnrollFirstToLast', "stderr")


@check
def the_guides_net_of_sequences_learns(case):
    guide = (case.site.root / "conf/guide/sequences.md").read_text()
    steps_conf = guide.split("<!-- file: steps.conf -->\n```\n")[1].split("```")[0]
    draw = random.Random(5)
    lines = []
    for _ in range(300):
        label = draw.randrange(3)
        numbers = [x for t in range(6) for x in
                   ((label == 1) - (label == 2) + draw.gauss(0, 0.3) * (t > 0), draw.gauss(0, 0.3))]
        lines.append(",".join(map(str, [label, *numbers])))
    case.write("train.csv", "\n".join(lines) + "\n")
    case.train(steps_conf + 'cluster { workspace: "ws" }\n')
    accuracy = case.rows(phase="train")[-1]["accuracy"]
    true(accuracy > 0.95, f"accuracy {accuracy}")
