"""Golden numbers of test/nn/neuron/lrn_test.cc, batch_norm_test.cc, layer_norm_test.cc and
euclidean_loss_test.cc.

Run: python3 tool/golden/normalisation.py   (needs torch)
"""
import torch
import torch.nn.functional as F

from golden import pattern, show


def lrn(title, shape, size, alpha, beta, knorm):
    x = pattern(*shape, step=7)
    y = F.local_response_norm(x, size, alpha, beta, knorm)
    y.backward(pattern(*shape, step=2).detach())
    print(f"--- LRN {title}")
    show("y", y)
    show("dx", x.grad)


def batch_norm(title, shape, momentum=0.1, **settings):
    x, c = pattern(*shape, step=7), shape[1]
    gamma, beta = pattern(c, step=5), pattern(c, step=3)
    mean, variance = torch.full((c,), 0.5), torch.full((c,), 2.0)
    y = F.batch_norm(x, mean, variance, gamma, beta, training=True, momentum=momentum,
                     **settings)
    y.backward(pattern(*shape, step=2).detach())
    print(f"--- batch norm {title}")
    for name, values in (("y", y), ("dx", x.grad), ("dgamma", gamma.grad), ("dbeta", beta.grad),
                         ("mean", mean), ("variance", variance),
                         ("test y", F.batch_norm(x, mean, variance, gamma, beta, **settings))):
        show(name, values)


def layer_norm(title, shape, epsilon):
    x, units = pattern(*shape, step=7), shape[1:]
    scale, shift = pattern(*units, step=5), pattern(*units, step=3)
    y = F.layer_norm(x, units, scale, shift, epsilon)
    y.backward(pattern(*shape, step=2).detach())
    print(f"--- layer norm {title}")
    for name, values in (("y", y), ("dx", x.grad), ("dscale", scale.grad), ("dshift", shift.grad)):
        show(name, values)


lrn("of 3", (1, 4, 1, 2), 3, 2, 0.75, 1)
lrn("of 5, other numbers", (2, 3, 1, 1), 5, 0.5, 0.5, 2)
batch_norm("of images", (2, 3, 1, 2))
batch_norm("of a matrix", (3, 2))
layer_norm("of rows", (3, 5), 1e-5)
layer_norm("of images, another epsilon", (2, 3, 2, 1), 0.1)
batch_norm("with momentum 0.25 and epsilon 0.5", (3, 2), 0.75, eps=0.5)
p, t = pattern(2, 3, step=7), pattern(2, 3, step=2)
loss = F.mse_loss(p, t, reduction="sum") / 2
print("--- euclidean")
show("loss", loss)
(loss / 2).backward()
show("dp", p.grad)
show("dt", t.grad)
