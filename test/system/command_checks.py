"""Checks the subcommands, and the files and lines that people look at."""
import json
import os
import re
import shutil
import subprocess

from case import LIMIT_S, check, close, equal, has, same_bytes, true
from job import csv, dense, mlp

JOB = "train_steps: 5 test_freq: 5 disp_freq: 1"
MIB = 1 << 20


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def total(text, name):
    """Returns the number that `singa check` prints for a total."""
    found = re.search(rf"^{name} +([0-9.]+)", text, re.MULTILINE)
    true(found, f"no line {name!r} in:\n{text}")
    return float(found.group(1))


@check
def check_prints_layers_and_totals_and_writes_nothing(case):
    case.write("job.conf", mlp(case.site.data, JOB))
    before = files(case.folder)
    job = case.run("check", "job.conf")
    equal(files(case.folder), before, "files")
    equal(job.err, "", "stderr")
    for layer in (r"data +kRecordInput +\(50, 784\)",
                  r"fc1 +kInnerProduct +\(50, 16\) .*w1 \(16, 784\)", r"relu +kReLU",
                  r"drop +kDropout", r"fc2 .*b2 \(10\)", r"loss +kSoftmaxLoss"):
        true(re.search(rf"^{layer}", job.out, re.MULTILINE), f"no layer {layer} in:\n{job.out}")
    equal(total(job.out, "parameters"), 784 * 16 + 16 + 160 + 10, "parameters")
    equal(total(job.out, "samples a step"), 50, "samples a step")
    true(total(job.out, "memory") > 0, "no memory")


@check
def check_v_names_the_kernels(case):
    conf = mlp(case.site.data, JOB).replace("shape: 784", "shape: 1 shape: 28 shape: 28")
    conv = """
  layer {
    name: "conv" type: kConvolution srclayers: "data"
    convolution_conf { num_filters: 16 kernel: 5 } param { name: "w0" init { type: kGaussian } }
  }"""
    conf = conf.replace('srclayers: "data"\n    innerproduct', 'srclayers: "conv"\n    innerproduct')
    case.write("job.conf", conf.replace("neuralnet {", "neuralnet {" + conv))
    vendor = case.run("check", "-v", "job.conf").out
    plain = case.run("check", "-v", "-set", "plain_kernels=true", "job.conf").out
    has(vendor, "\nkernels\n  conv: Convolution by oneDNN", "check -v")
    has(vendor, "\nsynchronisation   alone, 1 process (one worker)\n", "check -v")
    has(plain, "\nkernels\n  conv: Convolution by im2col", "check -v with plain_kernels")
    for line in ("relu: ReluForward by vector", "fc1: Gemm by oneDNN", "fc1: AddBias by plain",
                 "drop: BernoulliMask by plain", "loss: CrossEntropy by plain"):
        has(vendor, f"\n  {line}\n", "check -v")
    for line in ("relu: ReluForward by plain", "fc1: Gemm by plain"):
        has(plain, f"\n  {line}\n", "check -v with plain_kernels")


@check
def check_of_a_mistake_is_78_and_of_a_missing_store_66(case):
    conf = mlp(case.site.data, JOB)
    case.write("job.conf", conf.replace("kDropout", "kDropin"))
    has(case.run("check", "job.conf", code=78).err, "job.conf:", "stderr")
    case.write("job.conf", mlp("nowhere", JOB))
    case.run("check", "job.conf", code=66)
    equal(files(case.folder), ["job.conf"], "files")


@check
def a_field_without_effect_draws_a_warning(case):
    job = case.train(mlp(case.site.data, "train_steps: 5\nwarmup_steps: 3\ncheckpoint_best: 'loss'"))
    has(job.err, "job.conf:3:1: warning: warmup_steps: ", "stderr")
    has(job.err, "job.conf:4:1: warning: checkpoint_best: has no effect", "stderr")


def peak(case, batch):
    """Returns a job's peak resident bytes with large features, and the bytes that check prints."""
    layers = dense("wide", "data", 1, 8192) + """
  layer { name: "sigmoid" type: kSigmoid srclayers: "wide" }
  layer { name: "drop" type: kDropout srclayers: "sigmoid" dropout_conf { dropout_ratio: 0.5 } }
""" + dense("fc", "drop", 2, 3)
    case.write("points.csv", "0,1,2,3,4\n1,4,3,2,1\n" * 1000)
    case.write("job.conf", csv("points.csv", "train_steps: 4", batch, layers=layers))
    said = total(case.run("check", "job.conf").out, "memory") * MIB
    job = case.start_job("job.conf", workspace=f"ws{batch}")
    return job.end_with_peak(), said


@check
def memory_grows_by_what_check_says(case):
    # Peaks hold libraries and the store too; the difference of two jobs holds the arena alone.
    (small, said_small), (large, said_large) = peak(case, 100), peak(case, 2000)
    case.note = (f"said {(said_large - said_small) / MIB:.1f} MiB more, "
                 f"took {(large - small) / MIB:.1f}")
    true(said_large - said_small > 80 * MIB, "the jobs are too small for this check")
    close(large - small, said_large - said_small, 0.05, "growth of the peak")


@check
def a_repeated_block_trains_to_the_bytes_of_the_conf_that_check_expand_prints(case):
    case.write("points.csv", "0,1,2,3,4\n1,4,3,2,1\n2,1,1,1,1\n")
    blocks = dense("fc0", "data", 0, 4) + "repeat { times: 3 " + dense("fc{i}", "fc{i-1}", "{i}", 4) + " }"
    blocks += dense("fc", "fc3", 4, 3)
    case.write("job.conf", csv("points.csv", "train_steps: 5 disp_freq: 1", 3, layers=blocks))
    printed = case.run("check", "-expand", "-set", "seed=7", "job.conf").out
    has(printed, 'name: "fc2"', "the printed conf")
    has(printed, 'srclayers: "fc2"', "the printed conf")
    true("repeat" not in printed, f"a repeat in:\n{printed}")
    case.write("plain.conf", printed)
    case.train("job.conf", "-set", "seed=7", workspace="short")
    case.train("plain.conf", workspace="long")
    same_bytes(case.newest("short"), case.newest("long"))
    has(case.run("check", "-set", "neuralnet.repeat[0].times=2", "job.conf", code=78).err,
        'no layer "fc3"', "stderr")


@check
def graph_prints_dot(case):
    case.write("job.conf", mlp(case.site.data, JOB))
    before = files(case.folder)
    job = case.run("graph", "job.conf")
    true(job.out.startswith('digraph "digits" {'), f"no digraph:\n{job.out}")
    equal(job.out.count(" -> "), 3, "edges")
    has(job.out, ">fc1</b>", "fc1")
    true("split(" not in job.out and "split(data)" in case.run("graph", "-v", "job.conf").out, "splits")
    true(case.run("graph", "-test", "job.conf").out.startswith("digraph"), "no net of the test")
    equal(files(case.folder), before, "files")


@check
def graph_is_a_picture_where_graphviz_is_installed(case):
    case.write("job.conf", mlp(case.site.data, JOB))
    if not shutil.which("dot"):
        case.note = "no Graphviz here: -svg must be 66"
        case.run("graph", "-svg", "job.conf", code=66)
        return
    has(case.run("graph", "-svg", "job.conf").out, "<svg", "graph -svg")
    case.train("job.conf")
    for name in ("train_net", "test_net"):
        shown = subprocess.run(["dot", "-Tsvg", case.path(f"ws/visualization/{name}.dot")],
                               capture_output=True, timeout=LIMIT_S, check=True)
        has(shown.stdout.decode(), "fc2", f"{name}.dot as a picture")


@check
def train_net_json_has_the_form_of_v03(case):
    case.train(mlp(case.site.data, JOB))
    for name in ("train_net", "test_net"):
        graph = json.loads(case.path(f"ws/visualization/{name}.json").read_text())
        ids = [node["id"] for node in graph["nodes"]]
        true({"data", "fc1", "relu", "drop", "fc2", "loss"} <= set(ids), f"nodes of {name}: {ids}")
        true(all(node["label"].startswith(node["id"]) for node in graph["nodes"]), "labels")
        for link in graph["links"]:
            true(0 <= link["source"] < len(ids) and 0 <= link["target"] < len(ids), f"link {link}")


@check
def debug_writes_mean_absolute_values_of_the_displayed_steps(case):
    case.train(mlp(case.site.data, "train_steps: 5 disp_freq: 2 debug: true"))
    folder = case.path("ws/visualization")
    equal(sorted(path.name for path in folder.glob("?p-*")),
          [f"{way}-step{step}-loc0.json" for way in ("bp", "fp") for step in (0, 2, 4)], "files")
    means = {}
    for way, names in (("fp", ("data", "w1", "b1")), ("bp", ("grad", "w1", "b1"))):
        graph = json.loads((folder / f"{way}-step4-loc0.json").read_text())
        label, = (node["label"] for node in graph["nodes"] if node["id"] == "fc1")
        for name in names:
            mean = re.search(rf"\b{name}: (\S+)", label)
            true(mean and float(mean.group(1)) > 0, f"no {name} > 0 in {label!r}")
            means[way, name] = mean.group(1)
    true(means["fp", "w1"] != means["bp", "w1"], "gradients are the values")


@check
def set_overrides_fields_by_their_path(case):
    conf = mlp(case.site.data, JOB)
    case.write("job.conf", conf)
    out = case.run("check", "job.conf",
                   "-set", "neuralnet.layer[fc1].innerproduct_conf.num_output=7",
                   "-set", "neuralnet.layer[data#1].store_conf.batchsize=33",
                   "--set", "neuralnet.layer[0].store_conf.batchsize=40").out
    has(out, "(7, 784)", "check")
    equal(total(out, "samples a step"), 40, "samples a step")


@check
def progress_is_plain_lines_where_stderr_is_no_terminal(case):
    err = case.train(mlp(case.site.data, JOB)).err
    true("\r" not in err and "\x1b" not in err, "a progress bar in a pipe")
    for line in (r"singa 0\.\S+: job \"digits\", .* workspace ws", r"train step 4: .*loss = .*",
                 r"test step 5: .*accuracy = .*", r"checkpoint committed: ws/checkpoint/step5"):
        true(re.search(rf"^{line}$", err, re.MULTILINE), f"no line {line} in:\n{err}")
    true(re.match(r"done: 5 steps in .*test .*accuracy = 0\.\d+", err.splitlines()[-1]),
         f"the last line is {err.splitlines()[-1]!r}")


@check
def a_reader_of_stderr_that_goes_ends_no_job(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1"))
    command = [case.site.binary, "-conf", "job.conf"]
    job = subprocess.Popen(command, cwd=case.folder, stderr=subprocess.PIPE)
    job.stderr.readline()
    job.stderr.close()
    equal(job.wait(LIMIT_S), 0, "exit code")
    equal(case.steps(), [30], "checkpoints")


@check
def a_job_larger_than_the_machine_is_69_with_both_sizes(case):
    case.write("points.csv", "0,1,2,3,4\n1,4,3,2,1\n")
    layers = dense("huge", "data", 1, 2000000000) + dense("fc", "huge", 2, 3)
    conf = csv("points.csv", "train_steps: 1", 2, layers=layers)
    has(case.train(conf, code=69).err, " MiB of memory, the machine has ", "stderr")
    has(case.run("check", "job.conf").err, "warning: this machine has only ", "stderr of check")


@check
def threads_spin_briefly_and_keep_little_memory_unless_the_user_says_so(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 1000000", hidden=8))
    for given, expected in (({}, b"GOMP_SPINCOUNT=2000"), ({}, b"GLIBC_TUNABLES=glibc.malloc.tcache_max=64"),
                            ({"GOMP_SPINCOUNT": "7"}, b"GOMP_SPINCOUNT=7"),
                            ({"GLIBC_TUNABLES": "a=1"}, b"GLIBC_TUNABLES=a=1")):
        job = subprocess.Popen([case.site.binary, "-conf", "job.conf"], cwd=case.folder,
                               env=os.environ | given, stderr=subprocess.PIPE)
        job.stderr.readline()
        with open(f"/proc/{job.pid}/environ", "rb") as file:
            settings = file.read().split(b"\0")
        job.kill()
        job.communicate()
        true(expected in settings, f"no {expected} in {settings}")


@check
def log_files_lie_in_the_workspace(case):
    case.train(mlp(case.site.data, JOB))
    logs = [path for path in case.path("ws/log").iterdir() if not path.is_symlink()]
    equal(len(logs), 1, "log files")
    has(logs[0].read_text(), "train step 4", "log")


@check
def singa_conf_says_where_log_files_lie(case):
    case.write("singa.conf", 'log_dir: "logs/here"')
    case.train(mlp(case.site.data, JOB), "-singa_conf", "singa.conf")
    logs = "".join(path.read_text() for path in case.path("logs/here").iterdir())
    has(logs, "train step 4", "log")


@check
def the_default_workspace_is_named_after_the_job(case):
    case.write("points.csv", "0,1,2,3,4\n1,4,3,2,1\n")
    case.train(csv("points.csv", "train_steps: 2", 2).replace('workspace: "ws"', ""))
    equal(case.steps("singa-csv"), [2], "checkpoints in ./singa-csv")
