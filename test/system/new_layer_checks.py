"""Checks the project that `singa new layer` writes, on the installed tree."""
import json
import os
import shutil

import case
from plugin_case import build


def has_cuda(prefix):
    """Returns whether the installed singa has kernels for GPUs and nvcc is found."""
    config = next(prefix.glob("**/singa-config.cmake")).read_text()
    path = os.pathsep.join([os.environ["PATH"], "/usr/local/cuda/bin"])
    return 'singa_CUDA_ARCHITECTURES ""' not in config and shutil.which("nvcc", path=path) is not None


def a_new_layer_builds_has_right_gradients_and_trains(one):
    one.run("new", "layer", "GateUnit", "mine")
    built = one.path("mine/build")
    build("cmake", "-S", one.path("mine"), "-B", built, "-G", "Ninja",
          f"-DCMAKE_PREFIX_PATH={one.site.prefix}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
          "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
    build("cmake", "--build", built)
    commands = json.loads((built / "compile_commands.json").read_text())
    case.true(all(" -O3" in command["command"] for command in commands), "a file is not optimised")
    plugin = built / "gate_unit_layer.so"
    case.equal(b"ScaleKernel" in plugin.read_bytes(), has_cuda(one.site.prefix), "kernels for GPUs")
    build("ctest", "--test-dir", built, "--output-on-failure")

    settings = ("-set", f"plugin={plugin}")
    out = one.run("gradcheck", "mine/job.conf", *settings, "-layer", "gate_unit_layer").out
    for part in ('ok   gate_unit_layer: srclayers[0] "fc1": ',
                 'ok   gate_unit_layer: param[0] "gate_unit_layer_0": '):
        case.has(out, part, "gradcheck")
    one.train("mine/job.conf", *settings, workspace="ws")
    losses = [row["loss"] for row in one.rows(phase="train")]
    case.true(losses[0] > 0.5 and losses[-1] < 0.1, f"losses {losses}")
    # The settings are checked.
    err = one.run("check", "mine/job.conf", *settings, "-set",
                  "neuralnet.layer[gate_unit_layer].[gate_unit_layer.gate_unit_conf].start=0",
                  code=78).err
    case.has(err, "[gate_unit_layer.gate_unit_conf].start: error: must not be 0, is 0", "check")


CHECKS = [a_new_layer_builds_has_right_gradients_and_trains]
