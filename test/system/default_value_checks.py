"""Checks jobs whose layers have no param blocks: values, names, divisions, processes, a resume."""
import array

from case import check, equal, has, learned, same_bytes, tensors, true
from group_checks import workers
from job import ADAM, MOMENTUM
from partition_checks import near
from process_checks import PLACES, processes

IMAGES = f"""name: "images" seed: 5 train_steps: 30 disp_freq: 1
train_one_batch {{ alg: kBP }} updater {{ {MOMENTUM} }}
neuralnet {{
  layer {{ name: "data" type: kRecordInput store_conf {{ backend: "synthetic" batchsize: 24
          shape: 3 shape: 10 shape: 10 std_value: 255 synthetic_conf {{ records: 200 classes: 4 }} }} }}
  layer {{ name: "conv" type: kConvolution srclayers: "data"
          convolution_conf {{ num_filters: 6 kernel: 3 }} }}
  layer {{ name: "norm" type: kBM srclayers: "conv" }}
  layer {{ name: "relu" type: kReLU srclayers: "norm" }}
  layer {{ name: "fc" type: kInnerProduct srclayers: "relu" innerproduct_conf {{ num_output: 4 }} }}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }}
}}
cluster {{ workspace: "ws" }}
"""
# Params 2 and 3 of kBM are running statistics.
OF_IMAGES = {"conv_0": (6, 27), "conv_1": (6,), "fc_0": (4, 384), "fc_1": (4,),
             **{f"norm_{i}": (1, 6, 1, 1) for i in range(4)}}

TEXT = f"""name: "text" seed: 5 train_steps: 150 disp_freq: 1
train_one_batch {{ alg: kBPTT }} updater {{ {ADAM} }}
neuralnet {{
  unroll_len: 4
  layer {{ name: "text" type: kCharRNN
          char_rnn_conf {{ path: "text" vocab_path: "vocab" unroll_len: 4 batchsize: 6 }} }}
  layer {{ name: "label" type: kRNNLabel srclayers: "text" }}
  layer {{ name: "in" type: kEmbedding srclayers: "text"
          embedding_conf {{ vocab_size: 5 feature_dim: 7 }} }}
  layer {{ name: "KIND" type: KIND srclayers: "in" CONF {{ dim_hidden: 8 }} }}
  layer {{ name: "fc" type: kInnerProduct srclayers: "KIND" innerproduct_conf {{ num_output: 5 }} }}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "label" }}
}}
cluster {{ workspace: "ws" }}
"""
RECURRENT = {"kGRU": ("gru_conf", 9), "kLSTM": ("lstm_conf", 12), "kRNN": ("rnn_conf", 3)}


def shapes(case, workspace="ws"):
    return {name: entry[1] for name, entry in
            tensors(case.newest(workspace) / "model.safetensors").items()}


def learns(case, workspace="ws"):
    losses = [row["loss"] for row in case.rows(workspace, "train")]
    true(losses[-1] < 0.9 * losses[0], f"losses {losses[0]} to {losses[-1]}")


@check
def a_net_of_images_without_param_blocks_trains(case):
    case.write("job.conf", IMAGES)
    has(case.run("check", "job.conf").out, "conv_0", "check")
    case.train("job.conf")
    equal(shapes(case), OF_IMAGES, "params")
    learns(case)
    case.run("export", "onnx", "-conf", "job.conf", "net.onnx")


@check
def a_net_of_text_without_param_blocks_trains(case):
    case.write("text", "".join("abcde"[i * i % 7 % 5] for i in range(600)))
    case.write("vocab", "abcde")
    for kind, (conf, count) in RECURRENT.items():
        case.write("job.conf", TEXT.replace("KIND", kind).replace("CONF", conf))
        case.train("job.conf", workspace=kind)
        equal(len([name for name in shapes(case, kind) if name.startswith(kind)]), count, kind)
        learns(case, kind)


@check
def first_values_without_param_blocks_are_those_of_the_same_init(case):
    """A rate of almost 0 leaves the first values as they are."""
    still = IMAGES.replace("base_lr: 0.05", "base_lr: 1e-30")
    said = still
    for source, bound in (("conv", 27 ** -0.5), ("fc", 384 ** -0.5)):
        init = f" param {{ init {{ type: kUniform low: {-bound} high: {bound} }} }}" * 2
        said = said.replace(f'layer {{ name: "{source}"', f'layer {{ name: "{source}"{init}')
    true(said != still, "the conf has inits")
    case.train(still, "-set", "train_steps=1", workspace="left_out")
    case.train(said, "-set", "train_steps=1", workspace="said")
    same_bytes(case.newest("left_out"), case.newest("said"))
    first = array.array("f", tensors(case.newest("said") / "model.safetensors")["conv_0"][2])
    true(0.9 * 27 ** -0.5 < max(map(abs, first)) <= 27 ** -0.5, "the bound of conv_0")


@check
def workers_that_divide_a_net_without_param_blocks_train_the_net_of_one(case):
    case.write("job.conf", IMAGES)
    case.train("job.conf", *workers(1), workspace="one")
    for dim in (0, 1):
        divided = ("-set", f"neuralnet.partition_dim={dim}")
        threads = f"threads{dim}"
        case.train("job.conf", *workers(2), "-set", "num_openblas_threads=1", *divided,
                   workspace=threads)
        near(case.newest("one"), case.newest(threads), f"partition_dim {dim}")
        for place, settings in PLACES.items():
            case.train("job.conf", *processes(2, *settings), *divided, workspace=place + str(dim))
            same_bytes(case.newest(threads), case.newest(place + str(dim)))


@check
def a_net_without_param_blocks_resumes_to_the_same_bytes(case):
    case.write("job.conf", IMAGES)
    case.train("job.conf", workspace="whole")
    case.train("job.conf", "-set", "train_steps=12", workspace="parts")
    case.train("job.conf", "-resume", workspace="parts")
    same_bytes(case.newest("whole"), case.newest("parts"))
    equal(learned(case.rows("whole")), learned(case.rows("parts")), "rows")


@check
def a_checkpoint_wins_over_default_values(case):
    case.write("job.conf", IMAGES)
    case.train("job.conf", workspace="first")
    out = case.run("check", "job.conf", "-set", f"checkpoint_path={case.newest('first')}").out
    has(out, "first values\n", "check")
    true("initialised" not in out, "all params come from the checkpoint")
