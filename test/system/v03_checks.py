"""Checks that confs of SINGA 0.3 (test/conf/v03) load unchanged, train and resume. Their sizes and
hyper-parameters are those of 0.3's examples. Their data is made up, in 0.3's formats, at the places
in the confs."""
import pathlib

import case as _case
from case import check, equal, same_bytes, true

CONFS = pathlib.Path(__file__).resolve().parents[1] / "conf/v03"
STEPS = 4
# Each warning about a conf must have one of these texts.
ALLOWED = ("is an old name of", "gpu: this build has no CUDA kernels", "gpu: this machine has no CUDA device",
           "prefetching: has no effect: records are always read ahead")


def varint(number):
    out = b""
    while number > 0x7f:
        out, number = out + bytes([number & 0x7f | 0x80]), number >> 7
    return out + bytes([number])


def kvfile(path, records):
    def prefixed(data):
        return len(data).to_bytes(8, "little") + data
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(prefixed(b"%08d" % i) + prefixed(record)
                              for i, record in enumerate(records)))


def record(shape, label, seed):
    """Returns a RecordProto of bytes: shape, label, pixel."""
    size = 1
    for n in shape:
        size *= n
    pixels = bytes((i * 7 + seed * 31) % 251 for i in range(size))
    return b"".join(b"\x08" + varint(n) for n in shape) + b"\x10" + varint(label) + \
        b"\x1a" + varint(size) + pixels


def mean(shape):
    """Returns image_mean.bin: shape and floats of 0."""
    size = 4
    for n in shape:
        size *= n
    return b"".join(b"\x08" + varint(n) for n in shape) + b"\x22" + varint(size) + bytes(size)


def images(one, folder, shape, names=("train_data", "test_data"), records=20):
    for name in names:
        kvfile(one.path(f"examples/{folder}/{name}.bin"),
               [record(shape, i % 10, i) for i in range(records)])
    kvfile(one.path(f"examples/{folder}/image_mean.bin"), [mean(shape)])


def train(one, name, *args, code=0, steps=STEPS):
    """Runs a conf with another number of steps. Its warnings must be the known ones."""
    err = one.run("-conf", CONFS / f"{name}.conf", "-set", f"train_steps={steps}", "-set",
                  "test_steps=1", "-set", "disp_freq=1", *args, code=code).err
    for line in err.splitlines():
        if "warning:" in line:
            true(any(part in line for part in ALLOWED), f"{name} draws {line}")
    return err


def trains_and_resumes(one, name, workspace, *args, batch=None, steps=STEPS):
    """Trains and resumes a conf. Batches are cut to `batch` rows if the example's take long."""
    if batch:
        args += tuple(word for i in (0, 1) for word in
                      ("-set", f"neuralnet.layer[data#{i}].store_conf.batchsize={batch}"))
    args += ("-set", f"checkpoint_freq={steps - 1}", "-set", "checkpoint_after=0")
    train(one, name, *args, steps=steps)
    rows = one.rows(workspace, "train")
    equal([row["step"] for row in rows], list(range(steps)), "rows")
    whole = one.newest(workspace).rename(one.path(f"{name}-whole"))
    train(one, name, "-resume", *args, steps=steps)
    same_bytes(one.newest(workspace), whole)


def export(one, workspace, name):
    """Writes the params in 0.3's own form to the place that its confs name."""
    one.run("ckpt", "export", "-format", "blobprotos", one.newest(workspace),
            one.path(f"{workspace}/checkpoint/{name}"))


@check
def v03_mlp_and_lenet_train_unchanged(one):
    images(one, "mnist", (28, 28))
    trains_and_resumes(one, "mnist_mlp", "examples/mnist")
    trains_and_resumes(one, "mnist_conv", "examples/mnist/conv")


@check
def v03_cifar_nets_train_unchanged(one):
    images(one, "cifar10", (3, 32, 32))
    for name in ("cifar10_job", "cifar10_cudnn", "cifar10_cudnn_bm", "cifar10_hybrid"):
        trains_and_resumes(one, name, "examples/cifar10", batch=10)


@check
def v03_alexnet_trains_unchanged(one):
    images(one, "alexnet", (3, 256, 256), ("train_record", "val_record"), records=3)
    batch = [word for i in (0, 1) for word in
             ("-set", f"neuralnet.layer[data#{i}].store_conf.batchsize=2")]
    train(one, "alexnet_job", *batch, steps=1)
    equal(one.steps("examples/alexnet"), [1], "checkpoints")
    # 2 GB of checkpoints would show no more than narrow layers do.
    narrow = [word for layer in ("ip6", "ip7") for word in
              ("-set", f"neuralnet.layer[{layer}].innerproduct_conf.num_output=64")]
    trains_and_resumes(one, "alexnet_job", "examples/alexnet", *narrow, batch=2, steps=2)


@check
def v03_rbms_and_the_autoencoder_train_unchanged(one):
    images(one, "rbm", (28, 28))
    for n in (1, 2, 3, 4):
        trains_and_resumes(one, f"rbm{n}", f"examples/rbm/rbm{n}")
        export(one, f"examples/rbm/rbm{n}", "step6000-worker0")
    trains_and_resumes(one, "autoencoder", "examples/rbm/autoencoder")
    encoder = _case.tensors(one.newest("examples/rbm/rbm1") / "model.safetensors")
    equal(sorted(_case.tensors(one.newest("examples/rbm/autoencoder") / "model.safetensors")),
          sorted(f"{kind}{i}{side}" for i in (1, 2, 3, 4)
                 for kind, side in (("b", 1), ("b", 2), ("w", ""))), "params of the autoencoder")
    equal(sorted(encoder), ["b11", "b12", "w1"], "params of the first RBM")


@check
def v03_char_rnn_trains_and_writes_unchanged(one):
    vocabulary = bytes(range(101))
    one.write("examples/char-rnn/vocab.txt", vocabulary)
    one.write("examples/char-rnn/linux_input.txt", vocabulary * 60)
    trains_and_resumes(one, "char_rnn_job", "examples/char-rnn")
    export(one, "examples/char-rnn", "step2000-worker0")
    job = one.run("-conf", CONFS / "char_rnn_sample.conf", "-test")
    equal(len(job.out.encode()), 100, "characters")
