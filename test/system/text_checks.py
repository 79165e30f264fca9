"""Checks nets that read a text and print one."""
import subprocess
from signal import SIGTERM

from case import check, equal, has, same_bytes, true

TEXT = "ab\ncd" * 41
VOCABULARY = "dcb\na"

# The net learns which character follows which. A test prints its guesses.
JOB = """
%(settings)s
train_one_batch { alg: kBPTT }
updater { type: kSGD momentum: 0.9 learning_rate { type: kFixed base_lr: 0.2 } }
neuralnet {
  unroll_len: 6
  layer {
    name: "text" type: kCharRNN unroll_len: 1
    char_rnn_conf { path: "text" vocab_path: "vocabulary" unroll_len: 6 batchsize: %(batch)d }
  }
  layer { name: "label" type: kRNNLabel srclayers: "text" unroll_conn_type: kUnrollOneToAll }
  layer {
    name: "onehot" type: kOneHot srclayers: "text" unroll_conn_type: kUnrollOneToAll
    onehot_conf { vocab_size: 5 }
  }
  layer {
    name: "fc" type: kInnerProduct srclayers: "onehot"
    innerproduct_conf { num_output: 5 }
    param { name: "w" init { type: kUniform low: -0.1 high: 0.1 } }
    param { name: "b" init { type: kConstant value: 0 } }
  }
  layer { name: "loss" type: kSoftmaxLoss include: kTrain srclayers: "fc" srclayers: "label" }
  layer { name: "best" type: kArgSort include: kTest srclayers: "fc" }
  layer {
    name: "print" type: kCharRNNOutput include: kTest srclayers: "best"
    char_rnn_conf { vocab_path: "vocabulary" }
  }
}
cluster { workspace: "ws" }
"""


def write(case, settings="train_steps: 100 disp_freq: 20", batch=1, text=TEXT):
    case.write("text", text)
    case.write("vocabulary", VOCABULARY)
    case.write("job.conf", JOB % {"settings": settings, "batch": batch})


@check
def a_test_prints_the_characters_and_nothing_else(case):
    write(case)
    case.train("job.conf")
    # The text has 205 characters: 34 windows of 6. Each is followed by the characters that were
    # guessed right.
    equal(case.run("-conf", "job.conf", "-test").out, TEXT[1:205], "stdout")


@check
def the_rows_of_a_batch_are_printed_step_by_step(case):
    write(case, batch=2)  # rows of 102 characters: "ab\ncd..." and "\ncdab..."
    case.train("job.conf")
    printed = case.run("-conf", "job.conf", "-test", "-set", "test_steps=2").out
    rows = TEXT[:102], TEXT[102:204]
    equal(printed, "".join(rows[0][i] + rows[1][i] for i in range(1, 13)), "stdout")


@check
def characters_that_cannot_be_printed_are_74(case):
    write(case)
    case.train("job.conf")
    command = [case.site.binary, "-conf", "job.conf", "-test"]
    job = subprocess.Popen(command, cwd=case.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True)
    job.stdout.close()
    err = job.communicate()[1]
    equal(job.returncode, 74, "exit code")
    has(err, "stdout: ", "stderr")


@check
def a_closed_stdout_is_74_and_no_file_gets_what_is_printed(case):
    write(case)
    case.train("job.conf")
    files = [file for file in case.path("ws").rglob("*") if file.is_file()]
    job = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", case.site.binary, "-conf", "job.conf",
                          "-test"], cwd=case.folder, stderr=subprocess.PIPE, text=True, check=False)
    equal(job.returncode, 74, "exit code")
    has(job.stderr, "stdout: ", "stderr")
    for file in files:
        true(b"b\ncd" not in file.read_bytes(), f"characters are in {file}")


@check
def a_resumed_run_goes_on_in_the_text(case):
    # 34 windows: the run is interrupted in the second pass.
    write(case, "train_steps: 60 disp_freq: 1 checkpoint_freq: 41")
    case.train("job.conf")
    case.train("job.conf", "-set", "train_steps=41", workspace="again")
    case.train("job.conf", "-resume", workspace="again")
    same_bytes(case.newest("again"), case.newest())


@check
def passes_over_a_text_are_counted(case):
    write(case, "train_epochs: 2 disp_freq: 1")
    case.train("job.conf")
    equal(len(case.rows(phase="train")), 2 * 34, "steps")


@check
def a_character_that_the_vocabulary_lacks_is_65_with_its_place(case):
    write(case, text=TEXT[:13] + "x" + TEXT[13:])
    job = case.train("job.conf", code=65)
    has(job.err, 'text: byte 13, in line 4, is "x", which the vocabulary vocabulary lacks',
        "stderr")
    true(not case.path("ws/checkpoint").exists(), "a checkpoint was made")


@check
def a_text_that_is_too_short_or_missing_is_named(case):
    write(case, batch=50)
    has(case.train("job.conf", code=65).err, "windows longer than the text", "stderr")
    case.path("text").unlink()
    has(case.train("job.conf", code=66).err, "neuralnet.layer[text].char_rnn_conf.path: ", "stderr")


# A state passes from step to step, through layers that fold and one that does not.
DEEP = """
train_steps: %(steps)d disp_freq: 10 seed: 7
train_one_batch { alg: kBPTT }
updater { type: kAdam adam_conf { beta1: 0.9 beta2: 0.999 } clip_norm: 5
          learning_rate { type: kFixed base_lr: 0.001 } }
neuralnet {
  unroll_len: 20
  layer { name: "text" type: kCharRNN char_rnn_conf {
    path: "text" vocab_path: "vocabulary" unroll_len: 20 batchsize: 4 } }
  layer { name: "label" type: kRNNLabel srclayers: "text" }
  layer { name: "embed" type: kEmbedding srclayers: "text" param { %(param)s }
          embedding_conf { vocab_size: 5 feature_dim: 16 } }
  layer { name: "gru" type: kGRU srclayers: "embed" %(params9)s
          gru_conf { dim_hidden: 32 carry_state: true } }
  layer { name: "lstm" type: kLSTM srclayers: "gru" %(params12)s
          lstm_conf { dim_hidden: 32 carry_state: true } }
  layer { name: "norm" type: kBM srclayers: "lstm" param { %(param)s } param { %(param)s }
          param { %(param)s } param { init { type: kConstant value: 1 } } }
  layer { name: "fc" type: kInnerProduct srclayers: "norm" innerproduct_conf { num_output: 5 }
          param { %(param)s } param { %(param)s } }
  layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "label" }
}
cluster { workspace: "ws" }
"""


def write_deep(case, steps):
    param = "init { type: kUniform low: -0.1 high: 0.1 }"
    params = {f"params{n}": f"param {{ {param} }} " * n for n in (9, 12)}
    case.write("text", TEXT * 10)
    case.write("vocabulary", VOCABULARY)
    case.write("job.conf", DEEP % {"param": param, "steps": steps, **params})


@check
def memory_of_an_unrolled_net_is_flat_over_1000_steps(case):
    write_deep(case, 1000000)
    job = case.start_job("job.conf")
    growth = case.growth(job, 100, 1100)
    job.send(SIGTERM)
    job.end(143)
    true(growth < 2**18, f"memory grew by {growth}")
    rows = case.rows(phase="train")
    true(rows[-1]["loss"] < rows[0]["loss"] / 2, "the net learned nothing")
