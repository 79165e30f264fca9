"""Golden numbers of test/nn/neuron/inner_product_test.cc: PyTorch's linear on a flattened image.

Run: python3 tool/golden/inner_product.py   (needs torch)
"""
import torch.nn.functional as F

from golden import pattern, show


x, w, b = pattern(2, 3, 2, 2, step=7), pattern(4, 12, step=5), pattern(4, step=3)
y = F.linear(x.flatten(1), w, b)
y.backward(pattern(2, 4, step=2).detach())
for name, values in (("y", y), ("dx", x.grad), ("dw", w.grad), ("db", b.grad)):
    show(name, values)
