"""Golden numbers of test/nn/pooling_test.cc: PyTorch's max_pool2d and avg_pool2d.

Run: python3 tool/golden/pooling.py   (needs torch)
"""
import torch
import torch.nn.functional as F


def pattern(*shape, step):
    """Quarters from -1.25 to 1.25 in logical order; the test makes the same ones."""
    n = torch.Size(shape).numel()
    values = [((i * step + 3) % 11 - 5) / 4 for i in range(n)]
    return torch.tensor(values).reshape(shape).requires_grad_()


def show(name, values):
    print(name, "{" + ", ".join(f"{v:.8g}f" for v in values.detach().flatten().tolist()) + "}")


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
