"""Checks the features from `-test` and from `singa predict -layer`, for unrolled nets and RBMs."""
import json

from case import check, close, equal, has
from job import csv, dense
from predict_checks import IMAGES, all_close, predict, scores, table

POINTS = ["0,1,2,3,4", "1,4,3,2,1", "2,0,1,0,2", "1,1,1,1,1", "0,2,0,0,3", "2,5,1,2,0", "1,0,0,4,0"]
BATCH, STEPS = 3, 4  # 7 records: two batches and one of one row


def unrolled(outputs):
    """Returns a recurrent net that reads each record of points.csv at every step."""
    params = " ".join(f'param {{ name: "{name}" init {{ type: kUniform low: -0.5 high: 0.5 }} }}'
                      for name in ("u", "v", "c"))
    layers = f"""
  layer {{ name: "rnn" type: kRNN srclayers: "data" rnn_conf {{ dim_hidden: 5 }} {params} }}
{dense("fc", "rnn", 1, 3)}{outputs}"""
    return csv("points.csv", "train_steps: 20 test_freq: 20", BATCH, layers=layers) \
        .replace("neuralnet {", f"neuralnet {{ unroll_len: {STEPS}")


def written(path):
    return [line.split(",") for line in path.read_text().splitlines()]


def output(name, kind, sources, path, settings=""):
    read = " ".join(f'srclayers: "{source}"' for source in sources)
    return f"""
  layer {{ name: "{name}" type: {kind} include: kTest {read}
          store_conf {{ path: "{path}" {settings} }} }}"""


@check
def a_test_writes_the_rows_of_a_batch_step_by_step(case):
    case.write("points.csv", "\n".join(POINTS) + "\n")
    best = """
  layer { name: "best" type: kArgSort include: kTest srclayers: "fc" argsort_conf { topk: 2 } }
  layer { name: "right" type: kAccuracy include: kTest srclayers: "fc" srclayers: "data" }"""
    case.train(unrolled(
        output("w1", "kCSVOutput", ["fc", "data"], "fc.csv")
        + output("w2", "kRecordOutput", ["rnn", "data"], "rnn.csv", 'backend: "textfile"')
        + best + output("w3", "kCSVOutput", ["best"], "best.csv")))
    case.run("-conf", "job.conf", "-test")
    job = predict(case, "-layer", "fc", "points.csv")
    header, lines = table(job.out)
    equal(header, ["record", "step", "label", "0", "1", "2"], "header")
    equal([line[:3] for line in lines],
          [[f"points.csv:{r}", str(t), POINTS[r][0]] for r in range(7) for t in range(STEPS)],
          "records, steps and labels")
    hidden = table(predict(case, "-layer", "rnn", "points.csv").out)[1]
    fc, rnn, top = (written(case.path(f"{name}.csv")) for name in ("fc", "rnn", "best"))
    equal((len(fc), len(rnn), len(top)), (7 * STEPS,) * 3, "lines")
    for r in range(7):
        rows = min(BATCH, 7 - r // BATCH * BATCH)
        for t in range(STEPS):
            at = r // BATCH * BATCH * STEPS + t * rows + r % BATCH
            mine, other = lines[r * STEPS + t], hidden[r * STEPS + t]
            equal((fc[at][0], rnn[at][0]), (mine[2], mine[2]), "labels")
            all_close([mine[3:], other[3:]], [fc[at][1:], rnn[at][1:]], f"record {r}, step {t}")
            ranked = sorted(range(3), key=lambda i, row=mine: float(row[3 + i]), reverse=True)
            equal([int(x) for x in top[at]], ranked[:2], "best")
    row = [row for row in case.rows(phase="test") if row["layer"] == "right"][-1]
    has(job.err, f"accuracy {row['accuracy']:.4f}, of {7 * STEPS} time steps with a label", "stderr")


@check
def predict_shows_time_steps_in_every_format(case):
    case.write("points.csv", "\n".join(POINTS) + "\n")
    case.train(unrolled(""))
    lines = table(predict(case, "points.csv").out)[1]
    shown = [json.loads(line) for line in
             predict(case, "-format", "json", "points.csv").out.splitlines()]
    equal([[line["record"], str(line["step"]), str(line["label"])] for line in shown],
          [line[:3] for line in lines], "records, steps and labels")
    equal([line["scores"] for line in shown], [list(map(float, line[3:])) for line in lines],
          "scores")
    for line in shown:
        close(sum(line["scores"]), 1, 1e-5, "sum of the probabilities")
    has(predict(case, "-topk", "2", "points.csv").out,
        "record,step,label,class1,score1,class2,score2\npoints.csv:0,0,0,", "best")
    case.write("bad.csv", "1,2\n")
    has(predict(case, "bad.csv", code=65).err, "bad.csv:1: record 0: ", "stderr")


RBM = """name: "rbm"
train_steps: 30
num_openblas_threads: 1
train_one_batch { alg: kCD }
updater { type: kSGD learning_rate { type: kFixed base_lr: 0.1 } }
neuralnet {
  layer {
    name: "data" type: kRecordInput
    store_conf { backend: "idx" path: "DATA/t10k-images-idx3-ubyte"
                 label_path: "DATA/t10k-labels-idx1-ubyte" batchsize: 300 shape: 784 std_value: 255 }
  }
  layer {
    name: "visible" type: kRBMVis srclayers: "data" srclayers: "hidden" rbm_conf { hdim: 6 }
    param { name: "w" init { type: kGaussian std: 0.1 } }
    param { name: "v" init { type: kConstant value: 0 } }
  }
  layer {
    name: "hidden" type: kRBMHid srclayers: "visible" rbm_conf { hdim: 6 }
    param { share_from: "w" }
    param { name: "h" init { type: kConstant value: 0 } }
  }
  layer { name: "above" type: kSigmoid include: kTest srclayers: "hidden" }OUTPUTS
}
cluster { workspace: "ws" }
"""


@check
def a_test_of_an_rbm_writes_what_predict_prints(case):
    case.train(RBM.replace("DATA", str(case.site.data)).replace(
        "OUTPUTS", output("w1", "kCSVOutput", ["hidden", "data"], "hidden.csv")
        + output("w2", "kCSVOutput", ["visible"], "visible.csv")
        + output("w3", "kCSVOutput", ["above"], "above.csv")))
    has(case.run("-conf", "job.conf", "-test").err, "squared_error", "stderr of a test")
    for layer, labels in (("hidden", 1), ("visible", 0), ("above", 0)):
        lines = table(predict(case, "-layer", layer, case.site.data / IMAGES).out)[1]
        rows = written(case.path(f"{layer}.csv"))
        all_close([line[2:] for line in lines], [row[labels:] for row in rows], layer)
    hidden = written(case.path("hidden.csv"))
    equal([line[1] for line in lines], [row[0] for row in hidden], "labels")
    pixels = (case.site.data / IMAGES).read_bytes()[16:16 + 784]
    all_close(written(case.path("visible.csv"))[:1], [[p / 255 for p in pixels]], "the input")
    equal(scores(predict(case, case.site.data / IMAGES).out), [line[2:] for line in lines],
          "what the net ends in")
