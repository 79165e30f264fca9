"""Golden numbers of test/nn/neuron/convolution_test.cc and deconvolution_test.cc: PyTorch's conv2d
and conv_transpose2d.

Run: python3 tool/golden/convolution.py   (needs torch)
"""
import torch.nn.functional as F

from golden import pattern, show


def run(title, x_shape, filters, kernel, pad, stride, dilation=1, groups=1, transposed=False):
    x, b = pattern(*x_shape, step=7), pattern(filters, step=3)
    first, second = (x_shape[1], filters) if transposed else (filters, x_shape[1])
    w = pattern(first, second // groups, *kernel, step=5)
    function = F.conv_transpose2d if transposed else F.conv2d
    y = function(x, w, b, padding=pad, stride=stride, dilation=dilation, groups=groups)
    y.backward(pattern(*y.shape, step=2).detach())
    print(f"--- {title}: y {tuple(y.shape)}")
    for name, values in (("y", y), ("dx", x.grad), ("dw", w.grad), ("db", b.grad)):
        show(name, values)


run("square", (1, 2, 4, 3), 2, (3, 3), (1, 1), (2, 2))
run("not square", (1, 1, 4, 5), 2, (2, 3), (0, 1), (1, 2))
run("in groups, dilated", (1, 4, 5, 4), 2, (2, 2), (1, 0), (2, 1), (3, 2), 2)
run("of each channel", (2, 2, 3, 3), 4, (2, 2), 0, 1, 1, 2)
run("transposed", (1, 2, 3, 2), 2, (3, 3), (1, 1), (2, 2), transposed=True)
run("transposed, in groups, dilated", (1, 4, 2, 3), 2, (2, 3), (1, 0), (2, 1), (2, 1), 2, True)
