"""Checks nets with two layers of attention that have to look back."""
import random

from case import check, equal, same_bytes, true
from job import dense

LETTERS, FILLERS, STEPS = 4, 6, 12


def write_sequences(case, number=600):
    """Writes sequences: one letter at any place among fillers. The label is the letter."""
    draw = random.Random(3)
    lines = []
    for _ in range(number):
        letter = draw.randrange(LETTERS)
        sequence = [LETTERS + draw.randrange(FILLERS) for _ in range(STEPS)]
        sequence[draw.randrange(STEPS - 1)] = letter  # the last step, which is read, is no letter
        lines.append(",".join(map(str, [letter] + sequence)))
    case.write("sequences.csv", "\n".join(lines) + "\n")


def attention(name, source, settings=""):
    return f"""
  layer {{ name: "{name}" type: kAttention srclayers: "{source}"
          attention_conf {{ num_heads: 2 {settings} }} }}"""


def job(settings=""):
    """Returns a job whose scores come from the last time step alone."""
    last = dense("scores", "second", 1, LETTERS).replace(
        'srclayers: "second"', 'srclayers: "second" unroll_len: 1 '
        "unroll_conn_type: kUnrollFirstToLast")
    return f"""train_steps: 200 disp_freq: 20 checkpoint_freq: 100
num_openblas_threads: 1
train_one_batch {{ alg: kBPTT }}
updater {{ type: kAdam adam_conf {{ beta1: 0.9 beta2: 0.999 }}
          learning_rate {{ type: kFixed base_lr: 0.01 }} }}
neuralnet {{
  unroll_len: {STEPS}
  layer {{ name: "data" type: kCSVInput unroll_len: 1
          store_conf {{ path: "sequences.csv" batchsize: 50 shape: {STEPS} }} }}
  layer {{ name: "steps" type: kTimeSteps srclayers: "data" unroll_len: 1
          time_steps_conf {{ unroll_len: {STEPS} }} }}
  layer {{ name: "embed" type: kEmbedding srclayers: "steps"
          embedding_conf {{ vocab_size: {LETTERS + FILLERS} feature_dim: 16 }}
          param {{ name: "table" init {{ type: kGaussian std: 1 }} }} }}{
    attention("first", "embed", settings)}
  layer {{ name: "wide" type: kInnerProduct srclayers: "first"
          innerproduct_conf {{ num_output: 32 }} }}
  layer {{ name: "relu" type: kReLU srclayers: "wide" }}
  layer {{ name: "narrow" type: kInnerProduct srclayers: "relu"
          innerproduct_conf {{ num_output: 16 }} }}{
    attention("second", "narrow", settings)}{last}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "scores" srclayers: "data" unroll_len: 1 }}
}}
cluster {{ workspace: "ws" }}
"""


@check
def two_layers_of_attention_find_what_counts(case):
    write_sequences(case)
    case.train(job())
    accuracy = case.rows(phase="train")[-1]["accuracy"]
    case.note = f"accuracy {accuracy:.3f} of 0.25 by chance"
    true(accuracy > 0.97, case.note)


@check
def attention_with_dropout_resumes_with_equal_bytes(case):
    write_sequences(case)
    dropout = job("dropout_ratio: 0.2 causal: false")
    case.train(dropout)
    case.train(dropout, "-set", "train_steps=100", workspace="again")
    case.train(dropout, "-resume", workspace="again")
    same_bytes(case.newest("again"), case.newest())


@check
def two_workers_train_attention_as_one_does(case):
    write_sequences(case)
    text = job("dropout_ratio: 0.2")
    case.train(text, "-set", "train_steps=20")
    alone = [row["loss"] for row in case.rows(phase="train")]
    case.train(text, "-set", "train_steps=20", "-set", "cluster.nworkers_per_group=2",
               workspace="two")
    two = [row["loss"] for row in case.rows("two", phase="train")]
    equal(len(two), len(alone), "rows")
    true(all(abs(a - b) < 1e-4 * a for a, b in zip(alone, two)), f"{alone} {two}")


HALF, ALPHABET = 4, 6  # letters of half a word, and letters that there are


def sources(names):
    return " ".join(f'srclayers: "{name}"' for name in names)


def gpt_block(name, source):
    """Returns a block of a transformer whose sum is the layer `name`."""
    sizes = "innerproduct_conf { num_output: %d }"
    return "".join(
        f"""
  layer {{ name: "{name}{word}" type: {kind} {sources(read)} {conf} }}"""
        for word, kind, read, conf in (
            ("_norm1", "kLayerNorm", [source], ""),
            ("_mix", "kAttention", [f"{name}_norm1"],
             "attention_conf { num_heads: 4 dropout_ratio: 0.05 }"),
            ("_sum", "kEltwise", [source, f"{name}_mix"], ""),
            ("_norm2", "kLayerNorm", [f"{name}_sum"], ""),
            ("_wide", "kInnerProduct", [f"{name}_norm2"], sizes % 128),
            ("_gelu", "kActivation", [f"{name}_wide"], "activation_conf { type: GELU }"),
            ("_narrow", "kInnerProduct", [f"{name}_gelu"], sizes % 32),
            ("", "kEltwise", [f"{name}_sum", f"{name}_narrow"], "")))


def gpt(updater, steps, batch=50):
    """Returns a job of a GPT of two blocks, which learns the next letter of words that write_words
    has written."""
    unroll = 2 * HALF - 1  # each step tells the next letter
    return f"""train_steps: {steps} disp_freq: {max(1, steps // 4)}
num_openblas_threads: 1
train_one_batch {{ alg: kBPTT }}
updater {{ {updater} }}
neuralnet {{
  unroll_len: {unroll}
  layer {{ name: "words" type: kCSVInput unroll_len: 1
          store_conf {{ path: "words.csv" has_label: false batchsize: {batch} shape: {2 * HALF} }} }}
  layer {{ name: "letters" type: kTimeSteps srclayers: "words" unroll_len: 1
          time_steps_conf {{ unroll_len: {unroll} ahead: 1 }} }}
  layer {{ name: "next" type: kRNNLabel srclayers: "letters" }}
  layer {{ name: "embed" type: kEmbedding srclayers: "letters"
          embedding_conf {{ vocab_size: {ALPHABET} feature_dim: 32 }} }}
  layer {{ name: "place" type: kPositionEmbedding srclayers: "embed"
          position_embedding_conf {{ max_steps: {unroll} }} }}{gpt_block("one", "place")}{
    gpt_block("two", "one")}
  layer {{ name: "norm" type: kLayerNorm srclayers: "two" }}
  layer {{ name: "scores" type: kInnerProduct srclayers: "norm"
          innerproduct_conf {{ num_output: {ALPHABET} }} }}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "scores" srclayers: "next" }}
}}
cluster {{ workspace: "ws" }}
"""


def write_words(case):
    """Writes words whose second half repeats the first."""
    draw = random.Random(5)
    halves = [[draw.randrange(ALPHABET) for _ in range(HALF)] for _ in range(2000)]
    case.write("words.csv", "".join(",".join(map(str, half + half)) + "\n" for half in halves))


@check
def a_gpt_of_two_blocks_learns_to_repeat(case):
    write_words(case)
    case.train(gpt("type: kAdam adam_conf { beta1: 0.9 beta2: 0.99 } clip_norm: 1 "
                   "learning_rate { type: kFixed base_lr: 0.003 }", 400))
    # All letters of the second half follow from the first; the others are drawn.
    best = (HALF + (HALF - 1) / ALPHABET) / (2 * HALF - 1)
    accuracy = case.rows(phase="train")[-1]["accuracy"]
    case.note = f"accuracy {accuracy:.3f}, of what can be told {best:.3f}"
    true(accuracy > best - 0.03, case.note)
