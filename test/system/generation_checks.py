"""Checks text that a trained net writes, a character a test step."""
from case import check, equal, has, true

PERIOD = "abac\n"  # the letter after an a needs memory
GRU = "".join(f' param {{ name: "{name}" INIT }}' for name in
              ("zx", "rx", "cx", "zh", "rh", "ch", "bz", "br", "bc"))
NET = """
  layer { name: "onehot" type: kOneHot srclayers: "SOURCE" ONEHOT }
  layer { name: "gru" type: kGRU srclayers: "onehot" gru_conf { dim_hidden: 16 }PARAMS }
  layer {
    name: "fc" type: kInnerProduct srclayers: "gru" innerproduct_conf { num_output: 4 }
    param { name: "w" INIT } param { name: "b" INIT }
  }
"""
TRAIN = """
train_steps: 300
train_one_batch { alg: kBPTT }
updater { type: kAdam adam_conf { beta1: 0.9 beta2: 0.999 }
          learning_rate { type: kFixed base_lr: 0.02 } }
neuralnet {
  unroll_len: 10
  layer { name: "text" type: kCharRNN
          char_rnn_conf { path: "text" vocab_path: "vocabulary" unroll_len: 10 batchsize: 4 } }
  layer { name: "label" type: kRNNLabel srclayers: "text" }
  %s
  layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "label" }
}
cluster { workspace: "ws" }
"""
# The windows of 8 characters begin anywhere in a period.
ATTENTION = """
  layer { name: "token" type: kEmbedding srclayers: "SOURCE"
          embedding_conf { vocab_size: 4 feature_dim: 16 } }
  layer { name: "x0" type: kPositionEmbedding srclayers: "token"
          position_embedding_conf { max_steps: 8 } }
  layer { name: "mix" type: kAttention srclayers: "x0" attention_conf { num_heads: 2 } }
  layer { name: "x1" type: kEltwise srclayers: "mix" srclayers: "x0" }
  layer { name: "norm" type: kLayerNorm srclayers: "x1" }
  layer { name: "fc" type: kInnerProduct srclayers: "norm" innerproduct_conf { num_output: 4 } }
"""
WRITE = """
test_steps: 40
train_one_batch { alg: kBPTT }
neuralnet {
  layer { name: "first" type: kRNNDummy rnn_dummy_conf {
            dynamic_srclayer: "next" shape: 1 prime: "aba" vocab_path: "vocabulary" } }
  %s
  layer { name: "prob" type: kSoftmax srclayers: "fc" }
  layer { name: "next" NEXT srclayers: "prob" }
  layer { name: "print" type: kCharRNNOutput srclayers: "first"
          char_rnn_conf { vocab_path: "vocabulary" } }
}
cluster { workspace: "written" }
"""


def net(source, one_hot="onehot_conf { vocab_size: 4 }", init=""):
    return NET.replace("PARAMS", GRU).replace("INIT", init).replace("SOURCE", source) \
        .replace("ONEHOT", one_hot)


def trained(case):
    case.write("text", PERIOD * 60)
    case.write("vocabulary", "\ncab")
    case.train(TRAIN % net("text", init="init { type: kUniform low: -0.3 high: 0.3 }"))


def trained_with_attention(case):
    case.write("text", PERIOD * 60)
    case.write("vocabulary", "\ncab")
    conf = TRAIN % ATTENTION.replace("SOURCE", "text")
    case.train(conf.replace("unroll_len: 10", "unroll_len: 8").replace("0.02", "0.01"))


def written(case, layer, *args, layers=None):
    # The conf does not give the size of the one-hot rows, as in SINGA 0.3's sample.conf.
    layers = layers or net("first", one_hot="")
    case.write("write.conf", (WRITE % layers).replace("NEXT", layer))
    return case.run("-conf", "write.conf", "-test", "-set",
                    f"checkpoint_path={case.newest()}", *args).out


@check
def a_net_goes_on_with_a_text_by_what_it_remembers(case):
    trained(case)
    equal(written(case, "type: kArgSort"), (PERIOD * 9)[:40], "text")
    equal(written(case, "type: kArgSort", "-set", "test_steps=12", "-set",
                  "neuralnet.layer[first].rnn_dummy_conf.prime=abac"), (PERIOD * 3)[:12], "text")


@check
def a_drawn_text_depends_on_the_seed_and_the_temperature_alone(case):
    trained(case)
    hot = "type: kSample sample_conf { temperature: 50 }"
    texts = [written(case, hot, "-set", f"seed={seed}") for seed in (1, 1, 2)]
    equal(texts[0], texts[1], "the text of one seed")
    true(texts[0] != texts[2], "two seeds give one text")
    true(all(text.startswith("aba") and len(text) == 40 for text in texts), f"texts {texts}")
    equal(written(case, "type: kSample sample_conf { temperature: 0.01 }"), (PERIOD * 9)[:40],
          "cold text")


@check
def a_net_with_attention_writes_more_than_it_keeps(case):
    trained_with_attention(case)
    layers = ATTENTION.replace("SOURCE", "first")
    window = "neuralnet.layer[first].rnn_dummy_conf.window="
    for more in ([], ["-set", window + "5"]):
        equal(written(case, "type: kArgSort", *more, layers=layers), (PERIOD * 9)[:40], "text")
    drawn = written(case, "type: kSample sample_conf { temperature: 0.05 }", layers=layers)
    equal(drawn, (PERIOD * 9)[:40], "drawn text")
    for wrong, text in (("0", "must be from 1 to 100000, is 0"),
                        ("9", 'must be <= 8, the max_steps of layer "x0", is 9')):
        err = case.run("-conf", "write.conf", "-test", "-set", window + wrong, code=78).err
        has(err, text, "stderr")


@check
def predict_writes_a_text(case):
    for train in (trained, trained_with_attention):
        train(case)
        write = ("predict", "-conf", "job.conf", "-generate")
        cold = case.run(*write, "40", "-prime", "aba", "-temperature", "0.05").out
        equal(cold, (PERIOD * 9)[3:43], "text")
        texts = [case.run(*write, "30", "-temperature", "50", "-seed", seed).out
                 for seed in ("1", "1", "2")]
        equal(texts[0], texts[1], "the text of one seed")
        true(texts[0] != texts[2], "two seeds give one text")
        equal([len(text) for text in texts], [30, 30, 30], "characters")
    for args, code, text in ((("0",), 2, "-generate must be >= 1, is 0"),
                             (("5", "-temperature", "0"), 2, "-temperature must be > 0"),
                             (("5", "-topk", "2"), 2, "-generate has no -topk"),
                             (("5", "-prime", "q"), 65, 'vocabulary: lacks "q", which -prime has')):
        has(case.run(*write, *args, code=code).err, text, "stderr")
    case.write("other", "abc")
    err = case.run(*write, "5", "-set", "neuralnet.layer[text].char_rnn_conf.vocab_path=other", code=65).err
    has(err, "other: has 3 characters, layer ", "stderr")
    has(err, "gives 4 scores", "stderr")


@check
def a_prime_that_the_vocabulary_lacks_is_65(case):
    trained(case)
    case.write("write.conf", (WRITE % net("first")).replace("NEXT", "type: kArgSort"))
    err = case.run("-conf", "write.conf", "-test", "-set", f"checkpoint_path={case.newest()}",
                   "-set", "neuralnet.layer[first].rnn_dummy_conf.prime=q", code=65).err
    has(err, 'vocabulary: lacks "q", which prime of layer "first" has', "stderr")


@check
def each_record_of_a_test_is_drawn_by_numbers_of_its_own(case):
    case.write("rows.csv", "0,1,1\n" * 6)  # a batch of 4, and one of 2
    case.train("""
train_steps: 1 test_steps: 0
train_one_batch { alg: kBP }
updater { type: kSGD learning_rate { type: kFixed base_lr: 1e-9 } }
neuralnet {
  layer { name: "data" type: kCSVInput store_conf { path: "rows.csv" batchsize: 4 shape: 2 } }
  layer { name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 10000 }
          param { init { type: kConstant value: 0 } } param { init { type: kConstant value: 0 } } }
  layer { name: "loss" type: kSoftmaxLoss include: kTrain srclayers: "fc" srclayers: "data" }
  layer { name: "prob" type: kSoftmax include: kTest srclayers: "fc" }
  layer { name: "draw" type: kSample include: kTest srclayers: "prob" }
  layer { name: "csv" type: kCSVOutput include: kTest srclayers: "draw"
          store_conf { path: "drawn.csv" } }
}
cluster { workspace: "ws" }
""")
    case.run("-conf", "job.conf", "-test")
    drawn = case.path("drawn.csv").read_text().split()
    equal((len(drawn), len(set(drawn))), (6, 6), "numbers drawn, and different ones")
