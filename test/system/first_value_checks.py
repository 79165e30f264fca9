"""Checks errors of `singa check`, and of training, about files that parameters start from."""
from case import check, equal, has, true
from checkpoint_checks import SHAPES, TEN, start_from, trained
from job import dense, mlp


def forms(case):
    """Returns the trained net's files, in each form that checkpoint_path takes."""
    case.run("ckpt", "export", "ws/checkpoint/step10", "out.safetensors")
    case.run("ckpt", "export", "-format", "blobprotos", "ws/checkpoint/step10", "out.bin")
    return ("ws/checkpoint/step10", "out.safetensors", "out.bin", "ws/checkpoint/step10-worker0")


def said_by_both(case, path, code):
    """Returns the errors of check. Expects that training prints the same."""
    err = case.run("check", "job.conf", "-set", f"checkpoint_path={path}", code=code).err
    equal(start_from(case, path, code=code).err, err, "stderr of training")
    true(not case.path("second").exists(), "training has begun")
    return err


@check
def check_names_all_shapes_that_a_file_has_otherwise(case):
    trained(case)
    case.write("job.conf", mlp(case.site.data, TEN, hidden=17))
    for path in forms(case):
        err = said_by_both(case, path, 78)
        for text in ('param "b1" has the shape (16) in "', ', in the net (17)',
                     'param "w1" has the shape (16, 784), in the net (17, 784)',
                     'param "w2" has the shape (10, 16), in the net (10, 17)'):
            has(err, text, "stderr")
        equal(err.count(": error: "), 1, "errors")


@check
def check_names_a_file_with_nothing_of_the_net(case):
    conf = trained(case)
    for name in SHAPES:
        conf = conf.replace(f'"{name}"', f'"new_{name}"')
    case.write("job.conf", conf)
    for path in forms(case):
        has(said_by_both(case, path, 78), f'no param of "{path}" is one of the net\'s: it has "b1", '
            '"b2", "w1", "w2", the net "new_w1", "new_b1", "new_w2", "new_b2"', "stderr")


@check
def check_names_each_file_that_is_missing(case):
    trained(case)
    err = said_by_both(case, "a.safetensors,ws/checkpoint/step10,b.bin,ws/checkpoint/step99-worker0",
                       66)
    for index, name in ((0, "a.safetensors"), (2, "b.bin"), (3, "ws/checkpoint/step99-worker0")):
        has(err, f": error: checkpoint_path[{index}]: {name}: ", "stderr")
    equal(err.count(": error: "), 3, "errors")


@check
def check_names_a_damaged_header(case):
    trained(case)
    case.path("cut.safetensors").write_bytes(
        case.path("ws/checkpoint/step10/model.safetensors").read_bytes()[:100])
    has(said_by_both(case, "cut.safetensors", 65), "cut.safetensors: ", "stderr")


@check
def check_shows_what_is_loaded_new_and_frozen(case):
    conf = trained(case).replace('name: "w1"', 'name: "w1" lr_scale: 0')
    case.write("job.conf", conf.replace('"w2"', '"v2"'))
    out = case.run("check", "job.conf", "-set",
                   "checkpoint_path=ws/checkpoint/step5,ws/checkpoint/step10").out
    has(out, """
first values
  from ws/checkpoint/step10  w1, b1, b2
  initialised           v2
  frozen (lr_scale: 0)  w1
  not in the net        w2
""", "check")
    has(case.run("check", "job.conf").out, "\nfirst values\n", "check without files")


@check
def a_param_that_no_file_gives_needs_an_init(case):
    conf = trained(case).replace('"w2"', '"v2"')
    case.write("job.conf", conf.replace('name: "v2" init { type: kGaussian std: 0.05 }',
                                        'name: "v2" init { type: kUserInit }'))
    has(said_by_both(case, "ws/checkpoint/step10", 78), "param[0].init: the param needs an init",
        "stderr")


@check
def a_resume_needs_no_file_of_checkpoint_path(case):
    trained(case)
    case.train("job.conf", "-resume", "-set", "checkpoint_path=gone", "-set", "train_steps=12")
    case.train("job.conf", "-resume", "-set", "checkpoint_path=gone", code=66, workspace="second")


@check
def a_layer_of_the_test_phase_alone_needs_an_init(case):
    more = dense("fc3", "fc2", 3, 10, "init { type: kUserInit }").replace(
        'type:', 'include: kTest type:', 1)
    tests = mlp(case.site.data, "train_steps: 2 test_freq: 1")
    both = tests.replace('\n  layer { name: "loss"', more + '\n  layer { name: "loss"')
    case.write("job.conf", both)
    for words in (("check", "job.conf"), ("-conf", "job.conf")):
        has(case.run(*words, code=78).err, "neuralnet.layer[fc3].param[0].init: the param needs an "
            "init", "stderr")
