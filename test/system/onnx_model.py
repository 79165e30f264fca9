"""Exports models and runs them in ONNX Runtime."""
import case
import numpy
import onnx
import onnxruntime

TOLERANCE = 1e-5  # of the largest number of an output


def export(one, conf, *args):
    one.run("export", "onnx", "-conf", conf, "-checkpoint", one.newest(), *args, "out.onnx")
    return one.path("out.onnx")


def load(path):
    onnx.checker.check_model(onnx.load(path), full_check=True)
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def compare(found, expected, name):
    """Returns the largest difference, relative to the largest number."""
    case.equal(found.dtype, numpy.float32, f"type of {name}")
    case.equal(found.shape, expected.shape, f"shape of {name}")
    error = float(numpy.abs(found - expected).max() / max(numpy.abs(expected).max(), 1e-30))
    case.true(error <= TOLERANCE, f"{name} is {error:.2g} off")
    return error
