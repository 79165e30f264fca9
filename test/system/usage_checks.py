"""Checks calls of singa: help, versions, wrong calls, and results that cannot be written."""
import os
import re
import subprocess

from case import check, equal, has, learned, tensors, true
from job import mlp

JOB = "train_steps: 5 test_freq: 5 disp_freq: 1"


@check
def version_and_help_go_to_stdout(case):
    for args, part in [(["version"], "singa 0."), (["--help"], "Exit codes"), (["-h"], "-resume"),
                       (["check", "--help"], "usage: singa check"),
                       (["ckpt", "-help"], "verify"), (["data", "--help"], "digits")]:
        job = case.run(*args)
        has(job.out, part, f"singa {' '.join(args)}")
        equal(job.err, "", f"stderr of {args}")


@check
def help_lists_what_exists_and_each_subcommand_has_its_own(case):
    text = case.run("help").out
    equal(text, case.run("--help").out, "singa help")
    block = re.search(r"\nSubcommands:\n(.*?)\n\n", text, re.DOTALL).group(1)
    names = [line.split()[0] for line in block.splitlines()]
    true({"train", "check", "predict", "version", "help"} <= set(names), f"subcommands: {names}")
    has(text.splitlines()[1], " ".join(names), "the usage")
    for name in names:
        page = case.run("help", name).out
        equal(page, case.run(name, "--help").out, f"singa help {name}")
        usage = "usage: singa " + ("-conf" if name == "help" else name)
        true(page.startswith(usage), f"help of {name} begins {page[:60]!r}")
        true("not built" not in page, f"{name} is listed and not built")
        true("not built" not in case.start(name).end().err, f"{name} is listed and not built")


@check
def version_is_the_same_as_option_and_subcommand(case):
    for args in (["--version"], ["-version"]):
        equal(case.run(*args).out, case.run("version").out, f"singa {args}")
    has(case.run("version").out, "\nbuild id ", "singa version")
    has(case.run("help", "version").out, "build id is a hash", "singa help version")


@check
def train_is_the_same_as_conf(case):
    case.write("job.conf", mlp(case.site.data, JOB))
    case.train("job.conf", workspace="conf")
    job = case.run("train", "job.conf", "-set", "cluster.workspace=train")
    equal(job.out, "", "stdout")
    equal(learned(case.rows("train")), learned(case.rows("conf")), "rows")
    has(case.run("train", "-resume", "job.conf", "-set", "cluster.workspace=train").err,
        "resumed from train/checkpoint/step5", "stderr")
    two = ("-set", "cluster.nworkers_per_group=2", "-set", "cluster.workspace=two")
    case.run("train", "job.conf", *two)  # starts processes of its own
    equal(case.steps("two"), [5], "checkpoints of two processes")


@check
def a_wrong_call_names_the_mistake_and_the_help_to_read(case):
    case.write("job.conf", mlp(case.site.data, JOB))
    case.write("job", "name: 'x'")
    for args, mistake, page in (
            (["trian", "job.conf"], 'did you mean "train"?', "singa -help"),
            (["chekc"], 'did you mean "check"?', "singa -help"),
            (["-conf", "job.conf", "-resme"], 'did you mean "-resume"?', "singa -help"),
            (["job.conf"], 'did you mean "-conf job.conf"?', "singa -help"),
            (["job"], 'did you mean "-conf job"?', "singa -help"),
            (["help", "chekc"], 'did you mean "check"?', "singa -help"),
            (["check"], "a file is missing: singa check job.conf", "singa check -help"),
            (["check", "job.conf", "-tes"], 'did you mean "-test"?', "singa check -help"),
            (["predict"], "-conf is missing", "singa predict -help"),
            (["predict", "-chekpoint", "x"], 'did you mean "checkpoint"?', "singa predict -help"),
            (["export"], "the format and the file to write are missing: "
             "singa export onnx -conf job.conf net.onnx", "singa export -help"),
            (["export", "onnx"], "the file to write is missing: "
             "singa export onnx -conf job.conf net.onnx", "singa export -help"),
            (["export", "onnx", "a.onnx"], "-conf, the job whose net it writes, is missing: "
             "singa export onnx -conf job.conf a.onnx", "singa export -help"),
            (["data", "stat"], "needs 1 operand, got 0: singa data stat PATH", "singa data -help"),
            (["data"], "digits, convert, stat", "singa data -help"),
            (["data", "digist"], 'did you mean "digits"?', "singa data -help"),
            (["ckpt", "lss"], 'did you mean "ls"?', "singa ckpt -help"),
            (["graph", "-conf"], "-conf needs a value", "singa graph -help"),
            (["new"], "singa new job DATA DIR, or singa new layer NAME DIR", "singa new -help"),
            (["new", "layer", "Gate"], "needs a name and a folder: singa new layer NAME DIR",
             "singa new -help"),
            (["doctor", "x"], "singa doctor takes no argument", "singa doctor -help"),
            (["bench", "job.conf", "-steps", "0"], "must be >= 1", "singa bench -help"),
            (["version", "-v=x"], "-v must be of type", "singa version -help")):
        job = case.run(*args, code=2)
        equal(job.out, "", f"stdout of {args}")
        true(job.err.startswith("singa: error: "), f"stderr of {args}:\n{job.err}")
        has(job.err, mistake, f"stderr of {args}")
        equal(job.err.splitlines()[-1], f"see {page}", f"last line of {args}")
    true(not case.path("ws").exists(), "a workspace was made")


@check
def a_conf_that_is_no_text_is_one_clear_error(case):
    case.write("job.conf", b"\x7fELF\x02\x01\x01\0" + bytes(range(256)) * 20)
    case.path("folder").mkdir()
    for args in (["-conf"], ["train"], ["check"], ["graph"], ["bench"],
                 ["predict", "x.png", "-conf"]):
        for file, code, text in (("gone.conf", 66, "gone.conf"), ("folder", 66, "is a folder"),
                                 ("job.conf", 78, "job.conf:1:")):
            job = case.run(*args, file, code=code)
            equal(job.out, "", f"stdout of {args} {file}")
            has(job.err, text, f"stderr of {args} {file}")
            true(len(job.err.splitlines()) < 10 and len(job.err) < 2000,
                 f"stderr of {args} {file}:\n{job.err[:3000]}")


@check
def results_that_cannot_be_written_are_74(case):
    """The disk is full, or the reader has gone."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 5 checkpoint_freq: 1"))
    case.train("job.conf")
    images = f"{case.site.data}/t10k-images-idx3-ubyte"
    for args in (["check", "job.conf"], ["graph", "job.conf"], ["--help"], ["version"],
                 ["doctor"], ["doctor", "-json"], ["data", "stat", images], ["ckpt", "ls", "ws"],
                 ["ckpt", "verify", "ws"], ["predict", "-conf", "job.conf", images],
                 ["predict", "-conf", "job.conf", "-format", "json", images],
                 ["bench", "-steps", "1", "job.conf"], ["board", "ws"],
                 ["predict", "-conf", "job.conf", "-serve", "-port", "0"]):
        reads, writes = os.pipe()
        os.close(reads)
        with open("/dev/full", "wb") as full, open(writes, "wb") as gone:
            for out in (full, gone):
                job = subprocess.run([case.site.binary, *args], cwd=case.folder, stdout=out,
                                     stderr=subprocess.PIPE, text=True, check=False)
                equal(job.returncode, 74, f"exit code of {args}")
                has(job.stderr, "singa: error: stdout: ", f"stderr of {args}")


@check
def every_command_takes_every_form_of_trained_params(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 20 checkpoint_freq: 10"))
    case.train("job.conf")
    case.run("ckpt", "export", "-format", "blobprotos", "ws", "v03-worker0")
    step = "ws/checkpoint/step20"
    images = f"{case.site.data}/t10k-images-idx3-ubyte"
    scores = case.run("predict", "-conf", "job.conf", images).out
    for form in ("ws", "ws/", "ws/checkpoint", step, f"{step}/", f"{step}-worker0",
                 f"{step}/model.safetensors", "v03-worker0"):
        case.run("ckpt", "export", form, "out.safetensors")
        equal(tensors(case.path("out.safetensors")), tensors(case.path(f"{step}/model.safetensors")),
              f"params exported from {form}")
        has(case.run("ckpt", "ls", form).out,
            "  ok" if case.path(form).is_dir() or form.startswith(step + "-") else "  well formed",
            f"ls {form}")
        case.run("ckpt", "verify", form)
        case.run("export", "onnx", "-conf", "job.conf", "-checkpoint", form, "net.onnx")
        equal(case.run("predict", "-conf", "job.conf", "-checkpoint", form, images).out, scores,
              f"scores by {form}")
        case.train("job.conf", "-test", "-set", f"checkpoint_path={form}", workspace="test")
        equal(case.train("job.conf", "-set", f"checkpoint_path={form}", "-set", "train_steps=0",
                         workspace="on").out, "", "stdout")
        equal(tensors(case.path("on/checkpoint/step0/model.safetensors")),
              tensors(case.path(f"{step}/model.safetensors")), f"params of a job from {form}")
    case.path("empty").mkdir()
    for form, text in (("empty", "holds no checkpoint yet"), ("gone", "does not exist")):
        for args in (["ckpt", "ls", form], ["ckpt", "verify", form],
                     ["ckpt", "export", form, "out.safetensors"],
                     ["export", "onnx", "-conf", "job.conf", "-checkpoint", form, "net.onnx"],
                     ["predict", "-conf", "job.conf", "-checkpoint", form, images],
                     ["-conf", "job.conf", "-set", f"checkpoint_path={form}"],
                     ["-conf", "job.conf", "-test", "-set", f"checkpoint_path={form}"]):
            has(case.run(*args, code=66).err, text, f"stderr of {args}")
