"""Checks `singa import onnx` of nets that read texts: those of an export, and the forms that PyTorch writes."""
import onnx_file as onnx
from case import check, equal, has, tensors
from onnx_file import model, node, tensor
from onnx_nets import layer


def sequence(kind, settings, name, source):
    return layer(kind, settings, name, source)


TOKENS = sequence("kEmbedding", "embedding_conf { vocab_size: 5 feature_dim: 6 }", "token", "text")
BLOCK = [("kPositionEmbedding", "position_embedding_conf { max_steps: 9 }", "x0", "token"),
         ("kLayerNorm", "layer_norm_conf { epsilon: 0.1 }", "norm", "x0"),
         ("kAttention", "attention_conf { num_heads: 2 }", "attention", "norm"),
         ("kEltwise", "", "y", "attention x0"),
         ("kInnerProduct", "innerproduct_conf { num_output: 9 }", "wide", "y"),
         ("kActivation", "activation_conf { type: GELU }", "gelu", "wide"),
         ("kInnerProduct", "innerproduct_conf { num_output: 6 }", "narrow", "gelu"),
         ("kEltwise", "", "top", "narrow y")]
LAST = "unroll_len: 1 unroll_conn_type: kUnrollFirstToLast"
TEXTS = {
    "gpt": TOKENS + "".join(sequence(*one) for one in BLOCK),
    "attention_on_all_steps": TOKENS + sequence(
        "kAttention", "attention_conf { causal: false bias_term: false }", "top", "token"),
    **{kind: sequence("kOneHot", "onehot_conf { vocab_size: 5 }", "one", "text") + sequence(
        f"k{kind}", f"{kind.lower()}_conf {{ dim_hidden: 4 carry_state: true }}", "low", "one") + sequence(
            f"k{kind}", f"{kind.lower()}_conf {{ dim_hidden: 3 bias_term: false }}", "top", "low")
       for kind in ("GRU", "LSTM", "RNN")},
}


def text_job(layers, last):
    """`last`: whether the scores are those of the last time step."""
    one = " unroll_conn_type: kUnrollOneToOne" if last else ""
    return f"""name: "net"
train_steps: 1
num_openblas_threads: 1
train_one_batch {{ alg: kBPTT }}
updater {{ type: kSGD learning_rate {{ type: kFixed base_lr: 0.01 }} }}
neuralnet {{
  unroll_len: 7
  layer {{ name: "text" type: kCharRNN
          char_rnn_conf {{ path: "text" vocab_path: "letters" unroll_len: 7 batchsize: 2 }} }}
  layer {{ name: "label" type: kRNNLabel srclayers: "text" }}
{layers}{sequence("kInnerProduct", "innerproduct_conf { num_output: 5 } " + LAST * last, "scores", "top")}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "scores" srclayers: "label"
          {("unroll_len: 1" + one + " unroll_conn_type: kUnrollFirstToLast") * last} }}
}}
cluster {{ workspace: "ws" }}
"""


@check
def texts_come_back_the_same_from_an_export_and_an_import(case):
    case.write("letters", "abcde")
    case.write("text", "abcdeedcba" * 5)
    for name, layers in TEXTS.items():
        last = name == "LSTM"
        case.write("train.conf", text_job(layers, last))
        case.run("-conf", "train.conf")
        case.run("export", "onnx", "-conf", "train.conf", "first.onnx")
        first = case.path("first.onnx").read_bytes()
        before = case.path("first.onnx")
        for turn in ("second", "third"):
            folder = f"{turn}-{name}"
            case.run("import", "onnx", before, folder)
            case.run("export", "onnx", "-conf", f"{folder}/job.conf", "-set", "name=net", f"{folder}.onnx")
            before = case.path(f"{folder}.onnx")
        equal(case.path(f"second-{name}/vocabulary").read_bytes(), b"abcde", "vocabulary")
        second = case.path(f"second-{name}.onnx").read_bytes()
        equal(onnx.ops_of(second), onnx.ops_of(first), f"operators of {name}")
        equal(sorted(onnx.constants_of(second).values()), sorted(onnx.constants_of(first).values()),
              f"numbers of {name}")
        equal(onnx.graph_of(before.read_bytes()), onnx.graph_of(second), f"graph of {name}")
        case.run("-conf", f"second-{name}/job.conf", "-test", "-set", "test_steps=1")


def torch_text():
    """A net of the forms that PyTorch writes: an embedding, a GRU with batch_first, and its last step."""
    nodes = [node("Gather", "embed.weight x", "e"), node("Transpose", "e", "t", perm=[1, 0, 2]),
             node("GRU", "t W R B", "s", hidden_size=2, linear_before_reset=1),
             node("Squeeze", "s one", "q"), node("Transpose", "q", "b", perm=[1, 0, 2]),
             node("Gather", "b last", "l", axis=1), node("Gemm", "l fc.weight fc.bias", "y", transB=1)]
    constants = [tensor("embed.weight", (5, 3), [i / 8 for i in range(15)]),
                 tensor("W", (1, 6, 3), [i / 4 for i in range(18)]), tensor("R", (1, 6, 2), [i / 2 for i in range(12)]),
                 tensor("B", (1, 12), [1.0] * 10 + [0.0] * 2), tensor("one", (1,), [1], onnx.INT64),
                 tensor("last", (), [-1], onnx.INT64), tensor("fc.weight", (5, 2), [0.5] * 10),
                 tensor("fc.bias", (5,), [0.25] * 5)]
    return model(nodes, constants, [onnx.value_info("x", ("N", "T"), onnx.INT64)])


@check
def a_text_net_of_pytorch_becomes_layers_that_run(case):
    case.path("in.onnx").write_bytes(torch_text())
    case.run("import", "onnx", "in.onnx", "net", "-shape", "6")
    conf = case.path("net/job.conf").read_text()
    for text in ("type: kCharRNN", "type: kEmbedding", "type: kGRU", "unroll_conn_type: [kUnrollFirstToLast]",
                 "type: kRNNLabel", "vocab_size: 5", "unroll_len: 6"):
        has(conf, text, "job.conf")
    values = {name: value[2] for name, value in tensors(case.path("net/model.safetensors")).items()}
    equal(values["s_6"], onnx.raw([2.0] * 2), "the biases of z are added")
    equal(values["s_8"], onnx.raw([1.0] * 2), "the biases of c")
    case.run("check", "net/job.conf")
    case.run("-conf", "net/job.conf", "-test", "-set", "test_steps=1")
    has(case.run("import", "onnx", "in.onnx", "other", "-mean", "1", code=2).err, "the model reads a text", "stderr")
