"""Golden numbers of test/nn/neuron/pooling_test.cc: PyTorch's max_pool2d and avg_pool2d.

Run: python3 tool/golden/pooling.py   (needs torch)
"""
import torch.nn.functional as F

from golden import pattern, show


def run(title, pool, kernel, pad, stride):
    x = pattern(1, 2, 5, 4, step=7)
    y = pool(x, kernel, stride, pad)
    y.backward(pattern(*y.shape, step=2).detach())
    print(f"--- {title}: y {tuple(y.shape)}")
    show("y", y)
    show("dx", x.grad)


for name, pool in (("max", F.max_pool2d), ("avg", F.avg_pool2d)):
    run(f"{name} square", pool, (3, 3), (1, 1), (2, 2))
    run(f"{name} not square", pool, (2, 3), (0, 1), (2, 1))
