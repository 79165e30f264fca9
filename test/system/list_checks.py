"""Checks jobs over lists of pictures, with labels and with targets."""
from bad_record_checks import PICTURES, name_of, png
from case import check, equal, has, same_bytes, true

NET = """name: "list"
train_steps: {steps} disp_freq: 10 checkpoint_freq: {steps} num_openblas_threads: 1
train_one_batch {{ alg: kBP }}
updater {{ type: kSGD momentum: 0.9 learning_rate {{ type: kFixed base_lr: 0.01 }} }}
neuralnet {{
  layer {{
    name: "data" type: kRecordInput
    store_conf {{ backend: "{backend}" path: "{path}" batchsize: 7 shape: 3 shape: 8 shape: 8
                 std_value: 255 shuffle: true {more} }}
  }}
  layer {{
    name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf {{ num_output: 3 }}
    param {{ name: "w" init {{ type: kGaussian std: 0.05 }} }}
    param {{ name: "b" init {{ type: kConstant value: 0 }} }}
  }}
  {loss}
}}
cluster {{ workspace: "ws" }}
"""
SOFTMAX = 'layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }'
SIGMOID = ('layer { name: "loss" type: kSigmoidCrossEntropyLoss srclayers: "fc" '
           'srclayers: "data:1" }')


def job(backend="imagelist", path="pictures/list.txt", more="", loss=SOFTMAX, steps=200):
    return NET.format(backend=backend, path=path, more=more, loss=loss, steps=steps)


def pictures(case, behind=lambda i: i // 20):
    """Makes a folder of pictures of three classes, and a list of them; returns its lines."""
    lines = []
    for i in range(PICTURES):
        colour = [3 * i % 60] * 3
        colour[i // 20] = 180
        case.write(f"pictures/{name_of(i)}", png(tuple(colour)))
        lines.append(f"{name_of(i)} {behind(i)}")
    case.write("pictures/list.txt", "\n".join(lines) + "\n")
    return lines


@check
def a_list_trains_as_the_folder_of_its_pictures_does(case):
    lines = pictures(case)
    case.run("check", case.write("job.conf", job()))
    case.train(job())
    true(case.rows("ws", "train")[-1]["accuracy"] > 0.9, "it learned nothing")
    case.run("data", "convert", "pictures/list.txt", "list.bin")
    case.train(job("kvfile", "list.bin"), workspace="records")
    same_bytes(case.newest("records"), case.newest())
    case.write("elsewhere.txt", "\r\n".join(lines))
    case.train(job(path="elsewhere.txt", more='root_folder: "pictures" decode_threads: 3'),
               workspace="root")
    same_bytes(case.newest("root"), case.newest())
    case.path("pictures/list.txt").unlink()
    case.train(job("imagefolder", "pictures"), workspace="folder")
    same_bytes(case.newest("folder"), case.newest())


@check
def a_list_is_recognised_and_measured(case):
    pictures(case)
    out = case.run("data", "stat", "pictures/list.txt").out
    has(out, "records  60\nnumbers  192\nshape    3, 8, 8\n", "the statistics")
    case.path("pictures/list.txt").rename(case.path("list.txt"))
    has(case.run("data", "stat", "list.txt", code=65).err,
        "list.txt:1: class0/00.png: No such file or directory", "stderr")
    has(case.run("data", "stat", "-root", "pictures", "list.txt").out, "records  60\n", "with a root")
    has(case.run("data", "stat", "-root", "x", "pictures", code=2).err,
        "-root is for an imagelist, not for records of imagefolder", "stderr")


@check
def a_picture_that_is_missing_is_a_bad_record(case):
    lines = pictures(case)
    lines[4] = "class0/none.png 0"
    lines[9] = "class0/09.png"
    case.write("pictures/list.txt", "\n".join(lines) + "\n")
    err = case.train(job(), code=65).err
    true("pictures/list.txt:5: pictures/class0/none.png: No such file or directory" in err or
         "pictures/list.txt:10: record 9: has no label behind the name of its picture" in err, err)
    case.train(job(more="on_bad_record: kSkip"), workspace="skips")
    equal(case.rows("skips", "train")[-1]["bad_records"], 2, "bad records")


@check
def several_labels_of_pictures_are_learned_and_predicted(case):
    lines = pictures(case, lambda i: f"{int(i < 20)} {int(i < 40)} {int(i >= 40)}")
    case.train(job(more="num_targets: 3 has_label: false", loss=SIGMOID).replace("base_lr: 0.01", "base_lr: 0.05"))
    true(case.rows("ws", "train")[-1]["f1"] > 0.9, "it learned nothing")
    names = [line.split()[0] for line in lines]
    case.write("pictures/names.txt", "\n".join(names) + "\n")
    told = [case.run("predict", "-conf", "job.conf", f"pictures/{name}.txt").out.splitlines()[1:]
            for name in ("list", "names")]
    equal(told[0], told[1], "predictions with targets and without")
    equal([line.split(",")[0] for line in told[0]], [f"pictures/{name}" for name in names], "names")
