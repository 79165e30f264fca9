"""Checks a user's own program around libsinga, and the memory of a long run."""
import pathlib
import shutil
from signal import SIGTERM

from case import check, close, equal, has, tensors, true
from job import mlp

HERE = pathlib.Path(__file__).resolve().parent
MIB = 1 << 20
# The built-in kinds do the same as user_program.cc's.
BUILT_IN = dict(updater="type: kSGD learning_rate { type: kFixed base_lr: 0.1 }", dropout=0,
                reading="")


def compiled(case, name):
    """Builds the program as a user would, with headers, the library, and its generated headers."""
    build = case.site.binary.parent.parent
    program = case.path(name)
    compiler = shutil.which("c++") or shutil.which("g++")
    true(compiler, "no C++ compiler")
    includes = [case.site.root / "include", build / "gen", build / "gen/singa/proto"]
    case.start_program([compiler, "-std=c++20", str(HERE / f"{name}.cc"), "-o", str(program),
                        *(f"-I{folder}" for folder in includes), f"-L{build / 'lib'}",
                        f"-Wl,-rpath,{build / 'lib'}", "-lsinga", "-lprotobuf"]).end(0)
    return str(program)


@check
def a_users_program_trains_a_job_built_in_code_with_kinds_of_its_own(case):
    program = compiled(case, "user_program")
    job = case.start_users_program(program, case.site.data, "user").end(0)
    counts = dict(zip(*[iter(job.out.splitlines()[0].split())] * 2))
    # There are 20 steps, 2 tests of 20 batches, and 4 params. One row of training has the rate,
    # too.
    equal(counts, {"layers": "60", "updates": "80", "rates": "81", "fills": "2", "batches": "20"},
          "calls of the user's kinds")
    equal(job.out.splitlines()[1], "neuralnet.layer[fc1].innerproduct_conf.num_output",
          "path of the mistake that Train throws")

    conf = mlp(case.site.data, "train_steps: 20 test_freq: 20", **BUILT_IN)
    case.train(conf.replace("value: 0 ", "value: 0.25 "))
    user, ours = case.rows("user"), case.rows()
    equal([row["step"] for row in user], [row["step"] for row in ours], "rows")
    for mine, our in zip(user, ours):
        close(mine["loss"], our["loss"], 1e-5, f"test loss at step {our['step']}")
    equal(tensors(case.newest("user") / "model.safetensors").keys(),
          tensors(case.newest() / "model.safetensors").keys(), "params")

    # This program is also the singa command, and a conf may name its kinds.
    own = conf.replace("alg: kBP", 'user_alg: "MyBp"') \
        .replace("type: kReLU", 'user_type: "MyRelu"') \
        .replace("type: kSGD", 'user_type: "MySgd"') \
        .replace("type: kFixed", 'user_type: "MyRate"') \
        .replace("type: kConstant value: 0 ", 'user_type: "MyConstant" value: 0.25 ')
    case.write("job.conf", own)
    case.start_users_program(program, "-conf", "job.conf", "-set",
                             "cluster.workspace=main").end(0)
    equal(tensors(case.newest("main") / "model.safetensors"),
          tensors(case.newest("user") / "model.safetensors"), "params")
    err = case.train(own, code=78).err
    for name in ("MyBp", "MyRelu", "MySgd", "MyRate", "MyConstant"):
        has(err, name, "stderr of `singa`, which lacks the kinds")


@check
def a_users_program_computes_a_trained_net_in_threads_that_share_its_weights(case):
    program = compiled(case, "model_program")
    case.train(mlp(case.site.data, "train_steps: 300", hidden=4096, dropout=0.5))
    images = case.site.data / "t10k-images-idx3-ubyte"
    job = case.start_users_program(program, "job.conf", "ws", images, "100", "8").end(0)
    equal(job.err, "", "stderr")
    sizes, best, others, growth = job.out.splitlines()
    equal(sizes, "loss 784 10", "sizes")
    lines = case.run("predict", "-conf", "job.conf", "-topk", "1", images).out.splitlines()
    equal(best.split(), [line.split(",")[2] for line in lines[1:101]], "best classes")
    equal(others, "others 0", "sessions that gave other numbers")
    case.note = f"8 sessions take {int(growth.split()[1]) / MIB:.1f} MiB, the weights 12.4"
    true(int(growth.split()[1]) < 25 * MIB, f"the sessions took {growth}")
    job = case.start_users_program(program, "job.conf", "gone", images, "1", "1").end(66)
    has(job.err, "gone: ", "stderr")


@check
def memory_is_flat_over_10000_steps(case):
    job = case.start_job(mlp(case.site.data, """train_steps: 10000000 disp_freq: 100 test_freq: 2500
                                                checkpoint_freq: 2500 checkpoint_keep: 1""",
                             hidden=8, batch=32))
    growth = case.growth(job, 1000, 11000)
    job.send(SIGTERM)
    job.end(143)
    true(growth < MIB, f"memory grew by {growth}")
