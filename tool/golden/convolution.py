"""Golden numbers of test/nn/neuron/convolution_test.cc: PyTorch's conv2d, square and not.

Run: python3 tool/golden/convolution.py   (needs torch)
"""
import torch.nn.functional as F

from golden import pattern, show


def run(title, x_shape, filters, kernel, pad, stride):
    x, b = pattern(*x_shape, step=7), pattern(filters, step=3)
    w = pattern(filters, x_shape[1], *kernel, step=5)
    y = F.conv2d(x, w, b, padding=pad, stride=stride)
    y.backward(pattern(*y.shape, step=2).detach())
    print(f"--- {title}: y {tuple(y.shape)}")
    for name, values in (("y", y), ("dx", x.grad), ("dw", w.grad), ("db", b.grad)):
        show(name, values)


run("square", (1, 2, 4, 3), 2, (3, 3), (1, 1), (2, 2))
run("not square", (1, 1, 4, 5), 2, (2, 3), (0, 1), (1, 2))
