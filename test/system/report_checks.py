"""Checks `singa predict -report` against plain arithmetic on the net's own predictions."""
import json
import math

from case import check, close, equal, has, true
from job import mlp
from predict_checks import IMAGES, LABELS, class_folders, digit, png, predict, table, trained
from target_checks import LOSS, SIGMOID, job, rows
from target_checks import table as write_table


def report(case, *args):
    """Returns the JSON of a report."""
    out = predict(case, "-report", "-format", "json", *args)
    equal(out.err, "", "stderr")
    return json.loads(out.out)


def predictions(case, *args):
    """Returns names, labels and scores of the records."""
    lines = table(predict(case, *args).out)[1]
    return ([line[0] for line in lines], [line[1] for line in lines],
            [[float(score) for score in line[2:]] for line in lines])


def ratio(part, whole):
    return part / whole if whole else None


def compare(found, expected, what):
    if expected is None or found is None:
        equal(found, expected, what)
    else:
        true(abs(found - expected) < 1e-6 + 1e-5 * abs(expected), f"{what}: found {found}, expected {expected}")


def rates(pairs, number):
    """Returns precision, recall, F1 and support of a class, of pairs of label and prediction."""
    hits = sum(label == number == predicted for label, predicted in pairs)
    predicted = sum(said == number for _, said in pairs)
    support = sum(label == number for label, _ in pairs)
    return {"precision": ratio(hits, predicted), "recall": ratio(hits, support),
            "f1": ratio(2 * hits, predicted + support), "support": support}


def calibration_error(scores, pairs):
    """Returns the error of Guo et al., arXiv:1706.04599, with 15 bins."""
    bins = [[] for _ in range(15)]
    for row, (label, predicted) in zip(scores, pairs):
        bins[min(14, max(0, math.ceil(max(row) * 15) - 1))].append((max(row), label == predicted))
    return sum(abs(sum(p for p, _ in part) - sum(right for _, right in part)) for part in bins) / len(pairs)


def check_classes(found, names, labels, scores):
    pairs = [(int(label), max(range(10), key=lambda i, row=row: (row[i], i)))
             for label, row in zip(labels, scores)]
    equal(found["records"], len(pairs), "records")
    close(found["accuracy"], sum(a == b for a, b in pairs) / len(pairs), 1e-9, "accuracy")
    equal(found["confusion"], [[pairs.count((a, b)) for b in range(10)] for a in range(10)], "confusion")
    of_classes = [rates(pairs, number) for number in range(10)]
    for shown, expected in zip(found["classes"], of_classes, strict=True):
        for rate, value in expected.items():
            compare(shown[rate], value, f"{rate} of class {shown['name']}")
    for rate in ("precision", "recall", "f1"):
        known = [of[rate] for of in of_classes if of[rate] is not None]
        compare(found["macro"][rate], sum(known) / len(known), f"macro {rate}")
        equal(found["macro"][f"{rate}_classes"], len(known), "classes of a macro mean")
        compare(found["micro"][rate], found["accuracy"], f"micro {rate}")
    compare(found["calibration_error"], calibration_error(scores, pairs), "calibration error")
    losses = [-math.log(max(row[label], 1.2e-38)) for row, (label, _) in zip(scores, pairs)]
    compare(found["loss"], sum(losses) / len(losses), "loss")
    worst = sorted(range(len(losses)), key=lambda i: (-losses[i], i))[:len(found["worst"])]
    equal([line["record"] for line in found["worst"]], [names[i] for i in worst], "worst records")


@check
def a_report_of_classes_has_the_numbers_of_its_predictions(case):
    trained(case)
    idx = case.site.data / IMAGES
    names, labels, scores = predictions(case, idx)
    found = report(case, "-topk", "3", "-worst", "5", idx)
    check_classes(found, names, labels, scores)
    equal(len(found["worst"]), 5, "worst records")
    best = [sorted(range(10), key=lambda i, row=row: (row[i], i))[-3:] for row in scores]
    compare(found["top_k_accuracy"], sum(int(label) in top for label, top in zip(labels, best)) / len(best),
            "accuracy of the best 3")
    equal(report(case, "-topk", "3", "-worst", "5", "-batch", "7", idx)["confusion"], found["confusion"],
          "confusion of other batches")
    text = predict(case, "-report", idx).out
    has(text, f"accuracy           {found['accuracy']:.4f}\n", "text")
    has(text, "class \\ predicted", "text")
    # All records of one class: the others have no recall.
    lines = [",".join(["3", *map(str, digit(case, i))]) for i in range(40)]
    case.write("threes.csv", "\n".join(lines) + "\n")
    found = report(case, "threes.csv")
    check_classes(found, *predictions(case, "threes.csv"))
    equal(found["macro"]["recall_classes"], 1, "classes with a recall")
    equal(found["classes"][4]["recall"], None, "recall of a class without a record")


@check
def numpy_finds_the_numbers_of_a_report(case):
    try:
        import numpy
    except ImportError:
        return  # the check above computes them without it
    trained(case)
    idx = case.site.data / IMAGES
    _, labels, scores = predictions(case, idx)
    labels, scores = numpy.array(labels, int), numpy.array(scores)
    found, predicted = report(case, idx), scores.argmax(axis=1)
    matrix = numpy.zeros((10, 10), int)
    numpy.add.at(matrix, (labels, predicted), 1)
    equal(found["confusion"], matrix.tolist(), "confusion")
    for name, sums in (("precision", matrix.sum(axis=0)), ("recall", matrix.sum(axis=1))):
        for shown, hits, count in zip(found["classes"], matrix.diagonal(), sums):
            compare(shown[name], ratio(float(hits), float(count)), name)


@check
def a_report_names_the_classes_of_folders(case):
    class_folders(case, "train", lambda n: f"n{n}")
    conf = mlp("DATA", "train_steps: 30").replace('backend: "idx"', 'backend: "imagefolder"')
    for which in ("train", "t10k"):
        conf = conf.replace(f'"DATA/{which}-images-idx3-ubyte"', '"train"') \
            .replace(f'label_path: "DATA/{which}-labels-idx1-ubyte"', "")
    case.train(conf)
    found = report(case, "train")
    equal([of["name"] for of in found["classes"]], [f"n{i}" for i in range(10)], "names")
    equal(found["worst"][0]["record"].split("/")[1], found["worst"][0]["label_name"], "the worst record")


@check
def a_report_of_labels_has_the_rates_of_each(case):
    lines = rows(200, shares=True)
    write_table(case, lines)
    case.train(job(loss=SIGMOID))
    found = report(case, "t.csv")
    _, _, scores = predictions(case, "t.csv")
    truth = [[int(number) for number in line.split(",")[:2]] for line in lines]
    said = [[int(score > 0.5) for score in row] for row in scores]
    equal(found["records"], 200, "records")
    compare(found["subset_accuracy"], sum(a == b for a, b in zip(truth, said)) / 200, "subset accuracy")
    for i, shown in enumerate(found["labels"]):
        for rate, value in rates([(t[i], s[i]) for t, s in zip(truth, said)], 1).items():
            compare(shown[rate], value, f"{rate} of label {i}")
    units = [pair for t, s in zip(truth, said) for pair in zip(t, s)]
    compare(found["micro"]["f1"], rates(units, 1)["f1"], "micro F1")
    known = [of["f1"] for of in found["labels"] if of["f1"] is not None]
    compare(found["macro"]["f1"], sum(known) / len(known), "macro F1")


@check
def a_report_of_numbers_has_the_errors_of_each_target(case):
    lines = rows(90)
    write_table(case, lines)
    case.train(job(loss=LOSS.replace(" }", " euclidean_loss_conf { r2: true } }")))
    found = report(case, "t.csv")
    _, _, predicted = predictions(case, "t.csv")
    truth = [[float(number) for number in line.split(",")[:2]] for line in lines]
    equal([shown["name"] for shown in found["targets"]], ["target0", "target1"], "names of the targets")
    for i, shown in enumerate(found["targets"]):
        errors = [p[i] - t[i] for p, t in zip(predicted, truth)]
        mean = sum(t[i] for t in truth) / 90
        squares = sum(error ** 2 for error in errors)
        compare(shown["mae"], sum(map(abs, errors)) / 90, "mean absolute error")
        compare(shown["rmse"], math.sqrt(squares / 90), "root mean squared error")
        compare(shown["r2"], 1 - squares / sum((t[i] - mean) ** 2 for t in truth), "R2")
    case.run("-conf", "job.conf", "-test")
    row = case.rows(phase="test")[-1]
    for name in ("loss", "mae", "r2"):
        close(found[name], row[name], 1e-4, f"{name} of a test")


@check
def a_report_takes_the_targets_that_a_loss_reads(case):
    lines = rows(60, shares=True)
    write_table(case, lines)
    sliced = """layer { name: "cut" type: kSlice srclayers: "data:1" slice_conf { slice_dim: 1 num_slices: 2 } }
  layer { name: "one" type: kInnerProduct srclayers: "fc" innerproduct_conf { num_output: 1 } }
  layer { name: "two" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 1 } }
  layer { name: "first" type: kEuclideanLoss srclayers: "one" srclayers: "cut:0" }
  layer { name: "second" type: kSigmoidCrossEntropyLoss srclayers: "two" srclayers: "cut:1" }"""
    case.train(job(loss=sliced))
    present = sum(int(line.split(",")[1]) for line in lines)
    equal(report(case, "-layer", "second", "t.csv")["labels"][0]["support"], present, "support")
    out = predict(case, "-layer", "second", "t.csv").out
    equal(out.splitlines()[0], "record,label,target1", "the header of the second target")
    first = report(case, "-layer", "one", "t.csv")
    _, _, scores = predictions(case, "-layer", "one", "t.csv")
    errors = [abs(row[0] - int(line.split(",")[0])) for row, line in zip(scores, lines)]
    compare(first["mae"], sum(errors) / 60, "mean absolute error")
    has(predict(case, "-report", "-layer", "two", "t.csv", code=2).err, "give -layer second", "stderr")
    has(predict(case, "-report", "-topk", "1", "-layer", "one", "t.csv", code=2).err,
        "-topk is for a -report of classes", "stderr")
    has(predict(case, "-report", "-layer", "fc", "t.csv", code=2).err, "no loss compares layer \"fc\"", "stderr")


@check
def a_report_without_labels_says_where_they_stand(case):
    trained(case)
    case.write("one.png", png(digit(case, 0)))
    case.write("images", (case.site.data / IMAGES).read_bytes())
    for source in ("one.png", "images"):
        job_ = predict(case, "-report", source, code=65)
        has(job_.err, f"{source}: no record has a label, which -report compares with. A label is", "stderr")
        equal(job_.out, "", "stdout")
    equal(report(case, "-labels", case.site.data / LABELS, "images")["records"], 2000, "records")
