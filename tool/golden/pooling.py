"""Golden numbers of test/nn/neuron/pooling_test.cc: PyTorch's max_pool2d and avg_pool2d.

Run: python3 tool/golden/pooling.py   (needs torch)
"""
import torch.nn.functional as F

from golden import pattern, show


def run(title, pool, kernel, pad, stride, shape=(1, 2, 5, 4), **settings):
    x = pattern(*shape, step=7)
    y = pool(x, kernel, stride, pad, **settings)
    y.backward(pattern(*y.shape, step=2).detach())
    print(f"--- {title}: y {tuple(y.shape)}")
    show("y", y)
    show("dx", x.grad)


for name, pool in (("max", F.max_pool2d), ("avg", F.avg_pool2d)):
    run(f"{name} square", pool, (3, 3), (1, 1), (2, 2))
    run(f"{name} not square", pool, (2, 3), (0, 1), (2, 1))
    run(f"{name} rounded up", pool, (3, 2), (1, 0), (3, 2), (1, 1, 6, 5), ceil_mode=True)
    run(f"{name} rounded up, stride above kernel", pool, (2, 2), (0, 0), (4, 3), (1, 1, 6, 6),
        ceil_mode=True)
    run(f"{name} of all", pool, (5, 4), (0, 0), (1, 1))
