"""Golden numbers of test/nn/neuron/eltwise_test.cc: PyTorch's features and gradients.

Run: python3 tool/golden/eltwise.py   (needs torch)
"""
import torch

from golden import pattern, show

SOURCES = ([-0.5, 1.25, 0.25, -0.75, 1, 0.5], [1, 0, 0.5, -1, -1.25, -0.75],
           [-0.25, 0.75, -0.75, 0.5, -1, 1.5])
DY = [0.5, -1, 2, 1, -0.25, 3]


def run(name, function):
    x = [torch.tensor(source, requires_grad=True) for source in SOURCES]
    y = function(*x)
    y.backward(torch.tensor(DY))
    show(name, y)
    for i, source in enumerate(x):
        show(f"{name}, dx {i}", source.grad)


run("sum", lambda a, b, c: 2 * a - 0.5 * b + 0.25 * c)
run("product", lambda a, b, c: a * b * c)
x, scale = pattern(2, 3, 1, 2, step=4), pattern(2, 3, 1, 1, step=7)
scaled = x * scale
scaled.backward(pattern(2, 3, 1, 2, step=5).detach())
for name, values in (("scaled channels", scaled), ("dx", x.grad), ("dscale", scale.grad)):
    show(name, values)
run("maximum", lambda a, b, c: torch.maximum(torch.maximum(a, b), c))
