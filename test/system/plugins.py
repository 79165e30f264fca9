#!/usr/bin/env python3
"""Builds a user's own layers, updaters and schema against the installed tree, and runs them:
examples/custom_layer and examples/rnnlm as plugins and as programs, a project of `singa new layer`, and
plugins that are refused.

usage: plugins.py BUILD [WORD...]; the build folder, whose tree is installed into a folder that is
removed; WORDs choose the checks whose names hold one of them.
Prints a line a check and exits 1 where one failed.
"""
import collections
import os
import pathlib
import shutil
import sys
import tempfile
import traceback

import case
import installed_checks
import new_layer_checks
import plugin_build_checks
import plugin_fault_checks
import rnnlm_checks
import stall_checks
from job import mlp
from plugin_case import HEAD, build, refused, small
from process_group_checks import groups

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOB = ROOT / "examples/custom_layer/job.conf"
LEAST_ACCURACY = 0.97
Site = collections.namedtuple("Site", "binary root prefix built rnnlm")


def trained(one, command, *args):
    (one.folder / "examples/digits").mkdir(parents=True)
    one.run("data", "digits", "examples/digits/data")
    job = one.start_users_program(command, "-conf", JOB, *args, "-set",
                                  "cluster.workspace=ws").end(0)
    accuracy = one.rows(phase="test")[-1]["accuracy"]
    case.true(accuracy >= LEAST_ACCURACY, f"test accuracy {accuracy}")
    return job, case.tensors(one.newest() / "model.safetensors")


def the_plugin_and_the_program_train_the_same(one):
    _, plugin = trained(one, one.site.binary, "-set", f"plugin={one.site.built}/gate.so")
    shutil.rmtree(one.folder / "examples")
    _, program = trained(one, one.site.built / "trainer", "-set", "plugin=")
    case.true(plugin == program, "params of the plugin's job and of the program's differ")
    case.equal(sorted(plugin), ["b1", "b2", "g", "w1", "w2"], "params")


def a_trained_net_of_a_plugin_predicts(one):
    plugin = f"plugin={one.site.built}/gate.so"
    trained(one, one.site.binary, "-set", plugin)
    one.write("job.conf", JOB.read_text().replace('"singa-custom-layer"', '"ws"'))
    out = one.run("predict", "-conf", "job.conf", "-set", plugin, "-topk", "1",
                  "examples/digits/data/t10k-images-idx3-ubyte").out
    case.equal(len(out.splitlines()), 2001, "lines of predict")


def gradients_of_a_plugins_layer_agree_with_differences(one):
    (one.folder / "examples/digits").mkdir(parents=True)
    one.run("data", "digits", "examples/digits/data")
    out = one.run("gradcheck", JOB, "-set", f"plugin={one.site.built}/gate.so", "-layer", "gate").out
    for line in out.splitlines():
        case.true(line.startswith("ok   gate: "), out)
    case.has(out, 'param[0] "g"', "gradcheck")


def a_plugin_is_refused_before_its_code_runs(one):
    gate = one.site.built / "gate.so"
    refused(one, "gone.so", 66,
            'job.conf:2:1: error: plugin[0]: "gone.so" cannot open: No such file or directory')
    refused(one, ".", 66, "is not a regular file")
    one.write("text.so", "no library")
    refused(one, "text.so", 78, "is no plugin of singa")

    ran = 'struct R { R() { std::FILE* f = std::fopen("ran", "w"); std::fclose(f); } } r;'
    other = small(one, "other", "#include <cstdio>\n#include \"singa/driver/plugin.h\"\n"
                  f"SINGA_PLUGIN();\n{ran}\n")
    data = one.path(other).read_bytes()
    for line, text in ((b"protobuf version: ", b"3000000"), (b"singa version: ", b"9.9.9")):
        at = data.index(line) + len(line)
        one.write("changed.so", data[:at] + text + data[at + len(text):])
        refused(one, "changed.so", 78, "was built for another singa: " + line.decode()[:-2])
    one.write("cut.so", data[:data.index(b"hash of singa")] + b"\0" * 5000)
    refused(one, "cut.so", 78, "hash of singa's headers and protos is not given, here ")

    shutil.copy(gate, one.path("open.so"))
    os.chmod(one.path("open.so"), 0o777)
    refused(one, "open.so", 77, "may be written by anybody")
    one.path("folder").mkdir()
    shutil.copy(one.path(other), one.path("folder/gate.so"))
    os.chmod(one.path("folder"), 0o777)
    refused(one, "folder/gate.so", 77, "where anybody may put another in its place")
    case.true(not one.path("ran").exists(), "code of a refused plugin ran")
    os.chmod(one.path("folder"), 0o1777)  # sticky: nobody may replace another's file
    one.write("job.conf", 'name: "x"\nplugin: "folder/gate.so"\n')
    one.run("check", "job.conf", code=78)
    case.true(one.path("ran").exists(), "the plugin's code did not run")


def a_plugin_that_cannot_be_loaded_is_an_error(one):
    lacking = small(one, "lacking", HEAD + "void Gone(); struct C { C() { Gone(); } } c;\n")
    refused(one, lacking, 78, "cannot be loaded: ", "undefined symbol")
    # Two plugins that extend LayerProto under one number end the process in protobuf.
    gate = one.site.built / "gate.so"
    shutil.copy(gate, one.path("again.so"))
    one.write("job.conf", f'name: "x"\nplugin: "{gate}"\nplugin: "again.so"\n')
    case.has(one.run("check", "job.conf", code=78).err,
             '"again.so" ends the process while it is loaded', "stderr")


def without_its_plugin_the_job_says_what_is_unknown(one):
    err = one.run("check", JOB, "-set", "plugin=", code=78).err
    case.has(err, "error: neuralnet.layer[gate]", "stderr")
    case.has(err, "no such extension of LayerProto", "stderr")
    # A mistake in the extension is shown at its place.
    one.write("job.conf", JOB.read_text().replace("open: 0.9", "open: 1.5"))
    err = one.run("check", "-plugin", one.site.built / "gate.so", "-set", "plugin=",
                  "-plugin", one.site.built / "gate.so", "job.conf", code=78).err
    case.has(err, "neuralnet.layer[gate].[gate.gate_conf].open: must be > 0 and < 1, is 1.5",
             "stderr")


LAST_FIRST = """
#include "singa/cluster/consistency.h"
struct LastFirst : singa::Consistency {
  using Clocks = std::span<const singa::GroupClock>;
  bool MayApply(Clocks clocks, int group) const override {
    for (int g = 0; g < static_cast<int>(clocks.size()); ++g)
      if (clocks[g].step < clocks[group].step + (g > group)) return false;
    return true;
  }
  bool MayAnswer(Clocks clocks, int group) const override {
    for (const singa::GroupClock& clock : clocks)
      if (clock.step < clocks[group].step) return false;
    return true;
  }
};
SINGA_REGISTER_CONSISTENCY(LastFirst, LastFirst);
"""


def a_consistency_model_of_a_plugin_orders_the_groups(one):
    plugin = small(one, "last_first", HEAD + LAST_FIRST)
    one.run("data", "digits", "data")
    conf = mlp("data", "train_steps: 200 disp_freq: 20", hidden=32, dropout=0)
    one.write("job.conf", conf + f'\nplugin: "{plugin}"\n')
    args = groups(("cluster.user_consistency=LastFirst",))
    one.train("job.conf", *args)
    rows = [row for row in one.rows(phase="train") if "staleness" in row]
    case.equal(len(rows), 3 * 9, "rows that tell staleness")
    for row in rows:  # of three groups the last one's update comes first
        case.equal(row["staleness"], [0] * (2 - row["group"]) + [row["staleness"][-1]], "staleness")


CHECKS = [the_plugin_and_the_program_train_the_same, a_trained_net_of_a_plugin_predicts,
          gradients_of_a_plugins_layer_agree_with_differences,
          a_plugin_is_refused_before_its_code_runs, a_plugin_that_cannot_be_loaded_is_an_error,
          without_its_plugin_the_job_says_what_is_unknown,
          a_consistency_model_of_a_plugin_orders_the_groups, *plugin_build_checks.CHECKS,
          *installed_checks.CHECKS, *new_layer_checks.CHECKS,
          *plugin_fault_checks.CHECKS,
          *rnnlm_checks.CHECKS, *stall_checks.CHECKS]


def build_example(name, prefix, built, generator):
    build("cmake", "-S", ROOT / "examples" / name, "-B", built, "-G", generator,
          f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release",
          "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
    build("cmake", "--build", built)


def main(folder, words):
    checks = [check for check in CHECKS
              if not words or any(word in check.__name__ for word in words)]
    passed = 0
    with tempfile.TemporaryDirectory(prefix="singa-plugins-") as place:
        place = pathlib.Path(place)
        prefix, built, rnnlm = place / "prefix", place / "built", place / "rnnlm"
        build("cmake", "--install", folder, "--prefix", prefix)
        make = "Unix Makefiles" if shutil.which("make") else "Ninja"
        build_example("custom_layer", prefix, built, make)
        build_example("rnnlm", prefix, rnnlm, "Ninja")
        site = Site(prefix / "bin/singa", ROOT, prefix, built, rnnlm)
        for check in checks:
            one = case.Case(site, place / check.__name__)
            one.folder.mkdir()
            try:
                check(one)
                passed += 1
                print(f"ok   {check.__name__}", flush=True)
            except Exception:  # case.Failure, or any other error of a check
                print(f"FAIL {check.__name__}\n{traceback.format_exc()}", flush=True)
            finally:
                one.end()
    print(f"{passed} passed, {len(checks) - passed} failed")
    return passed < len(checks) or not checks


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
