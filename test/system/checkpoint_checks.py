"""Checks checkpoints: their content, which of them stay, commands on them, and starts from them."""
import shutil

from case import check, close, equal, has, learned, same_bytes, tensors, true
from job import ADAM, dense, mlp

SHAPES = {"w1": (16, 784), "b1": (16,), "w2": (10, 16), "b2": (10,)}
TEN = "train_steps: 10 checkpoint_freq: 5 test_freq: 10"


def flip(path, at=-9):
    data = bytearray(path.read_bytes())
    data[at] ^= 0x10
    path.write_bytes(data)


def model(case, workspace="ws"):
    return tensors(case.newest(workspace) / "model.safetensors")


def trained(case, settings=TEN, **net):
    conf = mlp(case.site.data, settings, **net)
    case.train(conf)
    return conf


@check
def a_checkpoint_holds_every_param_as_float32_in_the_shapes_of_v03(case):
    trained(case, updater=ADAM)
    equal({name: (kind, shape) for name, (kind, shape, _) in model(case).items()},
          {name: ("F32", shape) for name, shape in SHAPES.items()}, "params")
    names = sorted(entry.name for entry in case.newest().iterdir())
    equal(names, ["manifest.json", "model.safetensors", "state.safetensors"], "files")


@check
def a_param_without_a_name_is_called_after_its_layer(case):
    conf = mlp(case.site.data, "train_steps: 1").replace('name: "w1"', "").replace('name: "b2"', "")
    case.train(conf)
    equal(sorted(model(case)), ["b1", "fc1_0", "fc2_1", "w2"], "params")


@check
def checkpoint_keep_leaves_the_newest(case):
    trained(case, "train_steps: 23 checkpoint_freq: 3 checkpoint_keep: 2")
    equal(case.steps(), [21, 23], "checkpoints")
    case.run("ckpt", "verify", "ws")


@check
def checkpoint_keep_0_leaves_all(case):
    trained(case, "train_steps: 8 checkpoint_freq: 3")
    equal(case.steps(), [3, 6, 8], "checkpoints")


BEST = "train_steps: 60 test_freq: 4 checkpoint_best: '{}'"
JUMPY = ADAM.replace("0.003", "0.1")


@check
def checkpoint_best_links_the_best_by_the_metric_of_the_test(case):
    for metric, best_of in (("accuracy", max), ("bits", min), ("loss", min)):
        conf = mlp(case.site.data, BEST.format(metric) + "checkpoint_keep: 1", updater=JUMPY)
        bits = "neuralnet.layer[loss].softmaxloss_conf.bits=true"
        case.train(conf, "-set", bits, workspace=metric)
        rows = [row for row in case.rows(metric, "test") if row["step"] > 0]
        best = best_of(rows, key=lambda row: row[metric])["step"]
        equal((case.best(metric), case.steps(metric)), (f"step{best}", sorted({best, 60})), metric)
        has(case.run("ckpt", "ls", metric).out, "ok, best", "ckpt ls")
    start_from(case, "loss/checkpoint/best")
    equal(model(case, "second"), tensors(case.path("loss/checkpoint/best/model.safetensors")),
          "params started from checkpoint/best")


@check
def a_job_killed_before_it_linked_its_best_checkpoint_links_it_when_resumed(case):
    trained(case, BEST.format("accuracy"), updater=JUMPY)
    best = case.best()
    # The kill came after the rename of this checkpoint and before that of the link.
    for step in case.steps():
        if step > int(best[4:]):
            shutil.rmtree(case.path(f"ws/checkpoint/step{step}"))
    case.path("ws/checkpoint/best").unlink()
    case.train("job.conf", "-resume")
    equal(case.best(), best, "best checkpoint")


@check
def a_checkpoint_that_cannot_be_written_is_74_and_the_older_one_stays(case):
    conf = trained(case)
    limited = "trap '' XFSZ; ulimit -f 30; exec \"$0\" -conf job.conf -resume -set train_steps=20"
    case.write("job.conf", conf)
    job = case.start_program(["bash", "-c", limited, str(case.site.binary)]).end(74)
    has(job.err, "no checkpoint of step 15, training goes on: ws/checkpoint/step15", "stderr")
    equal(case.steps(), [5, 10], "checkpoints")
    case.run("ckpt", "verify", "ws")


@check
def ckpt_ls_lists_the_checkpoints_newest_first(case):
    trained(case)
    lines = case.run("ckpt", "ls", "ws").out.splitlines()
    equal([line.split()[0] for line in lines], ["step", "10", "5"], "first column")
    true(all(line.split()[-1] == "ok" for line in lines[1:]), f"not all are ok: {lines}")


@check
def ckpt_commands_on_a_folder_without_checkpoint_are_66(case):
    case.path("empty").mkdir()
    for command in ("ls", "verify"):
        case.run("ckpt", command, "empty", code=66)
        case.run("ckpt", command, "missing", code=66)


@check
def a_flipped_byte_of_any_file_is_found_by_verify(case):
    trained(case)
    case.run("ckpt", "verify", "ws")
    for name in ("model.safetensors", "state.safetensors", "manifest.json"):
        file = case.newest() / name
        for at in (0, file.stat().st_size // 2, -3):
            flip(file, at)
            job = case.run("ckpt", "verify", "ws", code=65)
            has(job.out + job.err, name, "what verify says")
            has(case.run("ckpt", "ls", "ws").out, "DAMAGED", "ckpt ls")
            flip(file, at)
    case.run("ckpt", "verify", "ws")


@check
def resume_passes_over_a_damaged_checkpoint_with_a_warning(case):
    settings = "train_steps: 20 checkpoint_freq: 5 disp_freq: 4 test_freq: 10"
    conf = trained(case, settings)
    case.train("job.conf", workspace="hurt")
    flip(case.newest("hurt") / "state.safetensors")
    (case.path("hurt/checkpoint/step15") / "model.safetensors").unlink()
    job = case.train(conf, "-resume", workspace="hurt")
    has(job.err, "warning: ", "stderr")
    has(job.err, "step20", "stderr")
    has(job.err, "step15", "stderr")
    has(job.err, "step10 at step 10", "stderr")
    same_bytes(case.newest("hurt"), case.newest())
    equal(learned(case.rows("hurt")), learned(case.rows()), "rows")
    case.run("ckpt", "verify", "hurt")


@check
def resume_where_no_checkpoint_is_intact_is_65_and_leaves_them(case):
    trained(case)
    for step in (5, 10):
        flip(case.path(f"ws/checkpoint/step{step}") / "state.safetensors")
    job = case.train("job.conf", "-resume", code=65)
    has(job.err, "ws/checkpoint: no checkpoint is intact", "stderr")
    equal(case.steps(), [5, 10], "checkpoints")
    true(not case.path("ws/previous").exists(), "they were set aside")
    has(case.train("job.conf", "-test", code=65).err, "no checkpoint in it is intact", "-test")


@check
def resume_passes_over_what_a_killed_writer_left(case):
    conf = trained(case)
    left = case.path("ws/checkpoint/step15.tmp.0123456789abcdef")
    left.mkdir()
    (left / "model.safetensors").write_bytes(b"half")
    case.train(conf, "-resume", "-set", "train_steps=12")
    equal(case.steps(), [5, 10, 12], "checkpoints")
    true(not left.exists(), "the next checkpoint did not clear it away")


def start_from(case, path, *args, code=0):
    """Starts a job of no steps from `path`. Its checkpoint then holds the loaded values."""
    return case.train("job.conf", "-set", f"checkpoint_path={path}", "-set", "train_steps=0",
                      "-set", "seed=9", *args, code=code, workspace="second")


@check
def checkpoint_path_takes_every_form(case):
    trained(case)
    case.run("ckpt", "export", "ws/checkpoint/step10", "out.safetensors")
    case.run("ckpt", "export", "-format", "blobprotos", "ws/checkpoint/step10", "out.bin")
    case.run("ckpt", "export", "-format=safetensors", "out.bin", "again.safetensors")
    for path in ("ws/checkpoint/step10", "ws/checkpoint/step10/", "out.safetensors", "out.bin",
                 "ws/checkpoint/step10/model.safetensors", "again.safetensors",
                 "ws/checkpoint/step10-worker0"):
        start_from(case, path)
        equal(model(case, "second"), model(case), f"params started from {path}")


@check
def an_export_to_blobprotos_and_back_keeps_every_bit(case):
    trained(case)
    case.run("ckpt", "export", "-format", "blobprotos", "ws/checkpoint/step10", "out.bin")
    has(case.path("out.bin").read_bytes().decode("latin1"), "0#w1", "names of v0.3")
    case.run("ckpt", "export", "out.bin", "out.safetensors")
    equal(tensors(case.path("out.safetensors")), model(case), "params")
    job = case.run("ckpt", "verify", "out.safetensors")
    has(job.out, "4 params", "ckpt verify")


@check
def of_two_checkpoint_paths_the_later_wins(case):
    trained(case)
    start_from(case, "ws/checkpoint/step10,ws/checkpoint/step5")
    equal(model(case, "second"), tensors(case.path("ws/checkpoint/step5/model.safetensors")),
          "params")


@check
def params_missing_and_unknown_are_listed(case):
    trained(case)
    more = mlp(case.site.data, "train_steps: 3", layers=dense("extra", "relu", 3, 16), top="extra")
    case.write("job.conf", more.replace('"b1"', '"other"'))
    job = start_from(case, "ws/checkpoint/step10")
    lines = job.err.splitlines()
    missing = next((line for line in lines if "that no file gives" in line), "")
    unknown = next((line for line in lines if "that the net lacks" in line), "")
    equal(missing.split(": ")[-1], "other, w3, b3", f"params missing, of:\n{job.err}")
    equal(unknown.split(": ")[-1], "b1", f"params unknown, of:\n{job.err}")
    for name in ("w1", "w2", "b2"):
        equal(model(case, "second")[name], model(case)[name], f"param {name}")


@check
def a_wrong_shape_is_78_and_names_both(case):
    trained(case)
    case.write("job.conf", mlp(case.site.data, TEN, hidden=17))
    err = start_from(case, "ws/checkpoint/step10", code=78).err
    has(err, "checkpoint_path", "stderr")
    has(err, 'param "b1" has the shape (16) in "ws/checkpoint/step10", in the net (17)', "stderr")


@check
def no_match_at_all_is_78(case):
    conf = trained(case)
    for name in SHAPES:
        conf = conf.replace(f'"{name}"', f'"new_{name}"')
    case.write("job.conf", conf)
    err = start_from(case, "ws/checkpoint/step10", code=78).err
    has(err, "checkpoint_path", "stderr")


@check
def resume_is_strict_about_the_params(case):
    conf = trained(case)
    for changed in (conf.replace("num_output: 16", "num_output: 17"), conf.replace('"w2"', '"v2"')):
        job = case.train(changed, "-resume", code=78)
        has(job.err, "w1" if "num_output: 17" in changed else "v2", "stderr")
    equal(case.steps(), [5, 10], "checkpoints")


@check
def test_takes_its_params_from_checkpoint_path(case):
    trained(case)
    job = case.train("job.conf", "-test", "-set", "checkpoint_path=ws/checkpoint/step10",
                     workspace="second")
    has(job.err, "params from ws/checkpoint/step10", "stderr")
    row, = case.rows("second")
    close(row["accuracy"], case.rows(phase="test")[-1]["accuracy"], 1e-12, "accuracy")
    equal(row["step"], 10, "step of the row")
