"""Makes small nets with time steps, whose ONNX form is compared with singa's own on windows of a
text. They have recurrent layers, layers that read them, and states that pass from window to
window."""
import collections

import case
import numpy
import onnx

import onnx_model
from onnx_nets import RANDOM, layer

# `layers`: from "text" up to "top", the last; `looked_at`: layers, other than the scores; `steps`:
# time steps, which layers have but the `single` ones; `free`: whether the model takes texts of any
# length; `carries`: layers whose state goes from window to window.
TextNet = collections.namedtuple("TextNet", "layers looked_at head steps free carries single")
ALPHABET = bytes([10, 0xe9, 98, 0, 97, 99, 120])  # not UTF-8
SEQUENCES, WINDOWS, STEPS = 3, 4, 5
GATES = {"GRU": "zrc", "LSTM": "ifgo", "RNN": "h"}
ONE_HOT = layer("kOneHot", f"onehot_conf {{ vocab_size: {len(ALPHABET)} }}", name="x",
                source="text")
FIRST = "unroll_conn_type: kUnrollFirstToLast"


def recurrent(op, hidden, settings="", name="top", source="x", bias=True, more="", share=""):
    """Returns a recurrent layer. `share`: the layer whose params it uses."""
    names = [f"{kind}{gate}" for kind in ("wx", "wh", "b")[:2 + bias] for gate in GATES[op]]
    params = "".join(
        f' param {{ name: "{name}_{word}" ' +
        (f'share_from: "{share}_{word}" }}' if share else RANDOM + " }") for word in names)
    field = f"{op.lower()}_conf"
    bias_term = "" if bias else " bias_term: false"
    return layer(f"k{op}", f"{field} {{ dim_hidden: {hidden} {settings}{bias_term} }} {more}",
                 name=name, source=source).replace(" }\n", params + " }\n")


def dense(name, source, outputs, more=""):
    return layer("kInnerProduct", f"innerproduct_conf {{ num_output: {outputs} }} {more}",
                 name=name, source=source, params=(f"w_{name}", f"b_{name}"))


def text_net(*layers, looked_at=("top",), single=(), steps=STEPS, free=True, carries=()):
    """Returns a TextNet. Its scores are of the last time step alone if "scores" is `single`."""
    one_step = "scores" in single
    last = "unroll_len: 1 " + FIRST if one_step else ""
    both = "unroll_len: 1 unroll_conn_type: kUnrollOneToOne " + FIRST if one_step else ""
    head = dense("scores", "top", 7, last) + layer(
        "kSoftmaxLoss", both, name="loss", source="scores label")
    return TextNet("".join(layers), looked_at, head, steps, free, carries, single)


CARRY = "carry_state: true"
ENCODED = ONE_HOT + recurrent("GRU", 6, name="enc") + dense(
    "last", "enc", 5, "unroll_len: 1 " + FIRST)
BM = layer("kBM", name="bm", source="low", params=("gamma", "beta", "mean", "variance")).replace(
    '"variance" ' + RANDOM, '"variance" init { type: kConstant value: 1 }')

POSITION = layer("kPositionEmbedding", "position_embedding_conf { max_steps: 7 }", name="position",
                 source="low", params=("table",))

TEXT_NETS = {
    **{op.lower(): text_net(ONE_HOT, recurrent(op, 9)) for op in GATES},
    **{f"{op.lower()}_without_bias": text_net(ONE_HOT, recurrent(op, 4, bias=False))
       for op in GATES},
    **{f"{op.lower()}_that_carries_its_state": text_net(
        ONE_HOT, recurrent(op, 6, CARRY), carries=("top",)) for op in GATES},
    "gru_of_six_params": text_net(ONE_HOT, recurrent("GRU", 4, bias=False).replace(
        "bias_term: false", "")),
    "embedding": text_net(
        layer("kEmbedding", f"embedding_conf {{ vocab_size: {len(ALPHABET)} feature_dim: 3 }}",
              name="x", source="text", params=("table",)),
        recurrent("LSTM", 4), looked_at=("x", "top")),
    **{name: text_net(
        layer("kEmbedding", f"embedding_conf {{ vocab_size: {len(ALPHABET)} feature_dim: 6 }}",
              name="x", source="text", params=("table",)),
        layer("kAttention", f"attention_conf {{ num_heads: {heads} {settings} }}", name="top",
              params=[f"attention{i}" for i in range(4)], source="x"))
       for name, heads, settings in (("causal_attention", 2, ""),
                                     ("attention_on_all_steps", 3, "causal: false"))},
    "stacked": text_net(
        ONE_HOT, recurrent("LSTM", 5, CARRY, name="low"),
        recurrent("GRU", 6, CARRY, name="middle", source="low"),
        recurrent("RNN", 4, source="middle"),
        looked_at=("low", "middle"), carries=("low", "middle")),
    "gru_of_shared_params": text_net(
        ONE_HOT, recurrent("GRU", 7, CARRY, name="low"),
        recurrent("GRU", 7, source="low", share="low"), carries=("low",)),
    "gates_that_share_a_weight": text_net(ONE_HOT, recurrent("LSTM", 4).replace(
        'name: "top_wxf" ' + RANDOM, 'name: "top_wxf" share_from: "top_wxi"')),
    **{f"first_state_of_{op.lower()}": text_net(
        ONE_HOT, recurrent("GRU", 6, name="enc"),
        recurrent(op, 6, source="x enc", more="unroll_conn_type: kUnrollOneToOne " + FIRST))
       for op in GATES},
    "last_step": text_net(ONE_HOT, recurrent("GRU", 6), single=("scores", "loss")),
    "last_step_of_a_split": text_net(
        ONE_HOT, recurrent("LSTM", 6, CARRY), layer("kReLU", name="side", source="top"),
        looked_at=("top", "side"), single=("scores", "loss"), carries=("top",)),
    "all_steps_side_by_side": text_net(
        ONE_HOT, recurrent("GRU", 3, name="low"),
        layer("kConcate", "unroll_len: 1 unroll_conn_type: kUnrollOneToAll "
              "concate_conf { concate_dim: 1 }", source="low", name="top"),
        single=("top", "scores", "loss"), free=False),
    **{f"{op.lower()}_a_node_a_step": text_net(
        ENCODED, recurrent(op, 6, source="last enc",
                           more="unroll_conn_type: kUnrollOneToOne " + FIRST), free=False)
       for op in GATES},
    "nodes_between_sequences": text_net(
        ONE_HOT, recurrent("GRU", 6, CARRY, name="low"), BM, recurrent("LSTM", 4, source="bm"),
        looked_at=("bm", "top"), free=False, carries=("low",)),
    "positions": text_net(
        ONE_HOT, dense("low", "x", 5), POSITION,
        layer("kLayerNorm", name="norm", source="position", params=("scale", "shift")),
        recurrent("GRU", 6, source="norm"), looked_at=("position", "norm", "top")),
    "positions_of_a_node_a_step": text_net(
        ONE_HOT, recurrent("GRU", 6, name="enc"),
        dense("low", "enc", 5, "unroll_len: 1 " + FIRST), POSITION,
        recurrent("GRU", 4, source="position"), looked_at=("position", "top"), free=False),
    "cut_and_joined_steps": text_net(
        ONE_HOT, recurrent("GRU", 6, name="low"),
        layer("kSlice", "slice_conf { slice_dim: 1 num_slices: 3 }", name="s", source="low"),
        layer("kConcate", "concate_conf { concate_dim: 1 }", name="top", source="s:2 x s:0"),
        looked_at=("s:1", "top")),
    "residual_steps": text_net(
        ONE_HOT, recurrent("GRU", 6, name="low"), recurrent("LSTM", 6, name="high", source="low"),
        layer("kEltwise", name="top", source="high low")),
    "one_step": text_net(ONE_HOT, recurrent("GRU", 6, CARRY), steps=1, free=False,
                         carries=("top",)),
    "a_step_of_the_text": text_net(
        layer("kEmbedding", f"embedding_conf {{ vocab_size: {len(ALPHABET)} feature_dim: 3 }}",
              name="low", source="text", params=("table",)),
        BM, recurrent("RNN", 3, source="bm"), looked_at=("bm", "top"), free=False),
}


def conf(net, outputs=""):
    return f"""name: "small"
train_steps: 3
test_steps: {WINDOWS}
num_openblas_threads: 1
train_one_batch {{ alg: kBPTT }}
updater {{ type: kSGD learning_rate {{ type: kFixed base_lr: 0.01 }} }}
neuralnet {{
  unroll_len: {net.steps}
  layer {{ name: "text" type: kCharRNN char_rnn_conf {{ path: "text" vocab_path: "vocabulary"
          unroll_len: {net.steps} batchsize: {SEQUENCES} }} }}
  layer {{ name: "label" type: kRNNLabel srclayers: "text" }}
{net.layers}{net.head}{outputs}}}
cluster {{ workspace: "ws" }}
"""


def read_csv(path, steps):
    """Returns (windows, steps, sequences, units), after labels in a first column, if any."""
    rows = numpy.loadtxt(path, delimiter=",", dtype=numpy.float64, ndmin=2)
    return rows.reshape(WINDOWS, steps, SEQUENCES, -1)


def run_windows(model, name, windows):
    """Returns the output `name` of each window, begun with the states of the previous one."""
    names = [output.name for output in model.get_outputs()]
    states = {source.name: numpy.zeros([1, windows[0].shape[1], source.shape[2]], numpy.float32)
              for source in model.get_inputs()[1:]}
    found = []
    for window in windows:
        given = dict(zip(names, model.run(None, {"text": window, **states})))
        found.append(given[name])
        states = {word: given[word.replace(".", ".next_")] for word in states}
    return found


def check_interface(net, model, name):
    """Returns the steps and units of the output, and the layers whose state the model carries."""
    text, *states = model.get_inputs()
    case.equal((text.name, text.type), ("text", "tensor(int64)"), "input")
    case.equal(text.shape, ["T" if net.free else net.steps, "N"], "shape of the input")
    carried = {state.name.partition(".")[0] for state in states}
    if name in ("scores", "loss"):
        case.equal(carried, set(net.carries), "layers whose states are inputs")
    output = next(output for output in model.get_outputs() if output.name == name)
    steps = net.steps if len(output.shape) == 3 else 1
    one = name in net.single or net.steps == 1
    case.equal(output.shape[:-1], ["N"] if one else [text.shape[0], "N"], f"shape of {name}")
    return steps, output.shape[-1], carried


def judge_output(one, net, indices, name, job, args):
    """Compares an output. `indices`: (windows, steps, sequences)."""
    path = onnx_model.export(one, job, *args)
    model = onnx_model.load(path)
    steps, units, carried = check_interface(net, model, name)
    operators = [node.op_type for node in onnx.load(path).graph.node]
    expected = read_csv(one.path(f"{name}.csv"), steps)
    expected = expected[..., expected.shape[-1] - units:]
    found = numpy.stack(run_windows(model, name, list(indices)))
    worst = onnx_model.compare(found.reshape(expected.shape), expected, name)
    if not carried:  # all windows at once, as so many sequences
        found = run_windows(model, name, [numpy.concatenate(list(indices), axis=1)])[0]
        found = found.reshape(steps, WINDOWS, SEQUENCES, -1).swapaxes(0, 1)
        worst = max(worst, onnx_model.compare(found, expected, name))
    elif net.free and steps > 1 and len(carried) == sum(operators.count(op) for op in GATES):
        # The text is read as one long window, and a character at a time.
        whole = indices.reshape(-1, SEQUENCES)
        expected = expected.reshape(-1, SEQUENCES, expected.shape[-1])
        for windows in ([whole], [row[None] for row in whole]):
            found = numpy.concatenate(run_windows(model, name, windows))
            worst = max(worst, onnx_model.compare(found, expected, name))
    return worst


def write_text(one, alphabet, steps):
    """Returns the indices that singa reads, (windows, steps, sequences)."""
    segment = WINDOWS * steps + 1
    text = numpy.random.default_rng(3).integers(0, len(alphabet), SEQUENCES * segment)
    one.write("text", bytes(alphabet[index] for index in text))
    one.write("vocabulary", alphabet)
    windows = text.reshape(SEQUENCES, segment)[:, :-1].reshape(SEQUENCES, WINDOWS, steps)
    return windows.transpose(1, 2, 0).copy()


def output_layers(net, names):
    return "".join(
        layer("kCSVOutput", f'include: kTest store_conf {{ path: "{name}.csv" }}' +
              " unroll_len: 1" * (name in net.single), name=f"output of {name}", source=name)
        for name in names)


def judge(one, net):
    """Returns the largest difference."""
    indices = write_text(one, ALPHABET, net.steps)
    looked_at = [*net.looked_at, "scores", "loss"]
    one.write("train.conf", conf(net))
    one.write("test.conf", conf(net, output_layers(net, looked_at)))
    one.run("-conf", "train.conf")
    one.run("-conf", "test.conf", "-test", "-set", f"checkpoint_path={one.newest()}")
    layers = {name: ("-layer", name.partition(":")[0]) for name in net.looked_at}
    return max(judge_output(one, net, indices, name, "train.conf", layers.get(name, ()))
               for name in looked_at)


# The dictionary maps an example to what its test needs to know.
EXAMPLES = {"char_rnn/job": TextNet(None, (), None, 50, True, ("gru",), ()),
            "gpt/job": TextNet(None, (), None, 64, True, (), ())}


def judge_example(one, example):
    """Compares an example, with fewer sequences."""
    net = EXAMPLES[example]
    indices = write_text(one, bytes(range(60, 60 + 65)), net.steps)
    path = one.site.root / f"examples/{example}.conf"
    before, end, after = path.read_text().rpartition("}\n\ncluster")
    one.write("test.conf", before + output_layers(net, ("scores", "loss")) + end + after)
    sets = [f"neuralnet.layer[text#{i}].{field}" for i in (0, 1) for field in (
        "char_rnn_conf.path=text", "char_rnn_conf.vocab_path=vocabulary", "char_rnn_conf.begin=0",
        "char_rnn_conf.end=1", f"char_rnn_conf.batchsize={SEQUENCES}")]
    sets += ["train_steps=3", "train_epochs=0", "validate_freq=0", "checkpoint_best=",
             f"test_steps={WINDOWS}", "num_openblas_threads=1", "cluster.workspace=ws"]
    sets = [word for item in sets for word in ("-set", item)]
    one.run("-conf", path, *sets)
    one.run("-conf", "test.conf", "-test", *sets, "-set", f"checkpoint_path={one.newest()}")
    return max(judge_output(one, net, indices, name, path, sets) for name in ("scores", "loss"))
