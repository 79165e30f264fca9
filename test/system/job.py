"""Makes texts of job.conf for the checks: small nets on the digits."""

MOMENTUM = """type: kSGD momentum: 0.9 weight_decay: 0.001
  learning_rate { type: kFixed base_lr: 0.05 }"""
ADAM = """type: kAdam adam_conf { beta1: 0.9 beta2: 0.999 } clip_norm: 5
  learning_rate { type: kLinear base_lr: 0.003 linear_conf { change_freq: 500 final_lr: 0.001 } }"""
ADAMW = """type: kAdamW weight_decay: 0.1 clip_norm: 5
  learning_rate { type: kCosine base_lr: 0.003 warmup_steps: 3
                  cosine_conf { change_freq: 10 final_lr: 0.001 } }"""
GAUSSIAN = "init { type: kGaussian std: 0.05 }"
WIDE = "init { type: kGaussian std: 5 }"
FIVES = "init { type: kConstant value: 5 }"  # 3.4e38 times these is infinite in every score
ZERO = "init { type: kConstant value: 0 }"


def store(data, which, batch, settings=""):
    return f"""backend: "idx" path: "{data}/{which}-images-idx3-ubyte"
      label_path: "{data}/{which}-labels-idx1-ubyte"
      batchsize: {batch} shape: 784 std_value: 255 {settings}"""


def dense(name, source, number, outputs, init=GAUSSIAN):
    return f"""
  layer {{
    name: "{name}" type: kInnerProduct srclayers: "{source}"
    innerproduct_conf {{ num_output: {outputs} }}
    param {{ name: "w{number}" {init} }}
    param {{ name: "b{number}" {ZERO} }}
  }}"""


def mlp(data, settings, *, updater=MOMENTUM, batch=50, test_batch=100, hidden=16, dropout=0.3,
        reading="shuffle: true", layers="", top="relu", val=False):
    """Returns a net of two dense layers with dropout. `settings`: fields of JobProto, train_steps
    among them; `reading`: of the training store; `layers`: more layers; `top`: the last layer's
    source."""
    phases = [("kTest", "t10k", test_batch, "")] + [("kVal", "t10k", test_batch, "")] * val
    inputs = "".join(f"""
  layer {{
    name: "data" type: kRecordInput include: {phase}
    store_conf {{ {store(data, which, rows, more)} }}
  }}""" for phase, which, rows, more in [("kTrain", "train", batch, reading)] + phases)
    return f"""name: "digits"
{settings}
num_openblas_threads: 1
train_one_batch {{ alg: kBP }}
updater {{ {updater} }}
neuralnet {{{inputs}{dense("fc1", "data", 1, hidden)}
  layer {{ name: "relu" type: kReLU srclayers: "fc1" }}{layers}
  layer {{
    name: "drop" type: kDropout srclayers: "{top}" dropout_conf {{ dropout_ratio: {dropout} }}
  }}
{dense("fc2", "drop", 2, 10)}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "fc2" srclayers: "data" }}
}}
cluster {{ workspace: "ws" }}
"""


def csv(path, settings, batch, *, lr=0.1, layers=dense("fc", "data", 1, 3)):
    """Returns a net on a file of lines label,number,... with 4 numbers and labels 0, 1, 2. The net
    is linear unless `layers` from "data" to "fc" say otherwise."""
    return f"""name: "csv"
{settings}
num_openblas_threads: 1
train_one_batch {{ alg: kBP }}
updater {{ type: kSGD learning_rate {{ type: kFixed base_lr: {lr} }} }}
neuralnet {{
  layer {{
    name: "data" type: kCSVInput store_conf {{ path: "{path}" batchsize: {batch} shape: 4 }}
  }}
{layers}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }}
}}
cluster {{ workspace: "ws" }}
"""
