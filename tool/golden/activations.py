"""Golden numbers of test/nn/neuron/activation_test.cc, softmax_test.cc: PyTorch's features and gradients.

Run: python3 tool/golden/activations.py   (needs torch)
"""
import torch
import torch.nn.functional as F

X = [-3.0, -1.25, -0.5, 0.0, 0.75, 2.5]
DY = [0.5, -1.0, 2.0, 1.0, -0.25, 3.0]


def show(name, function, shape=(2, 3), dtype=torch.float32, x=X):
    x = torch.tensor(x, dtype=dtype).reshape(shape).requires_grad_()
    y = function(x)
    y.backward(torch.tensor(DY, dtype=dtype).reshape(y.shape))
    for what, values in (("y", y), ("dx", x.grad)):
        print(name, what, [float(f"{v:.8g}") for v in values.detach().flatten().tolist()])


show("relu, slope 0.25", lambda x: F.leaky_relu(x, 0.25))
show("sigmoid", torch.sigmoid)
show("tanh", torch.tanh)
show("stanh", lambda x: 1.7159047 * torch.tanh(0.66666667 * x))
show("gelu", F.gelu, dtype=torch.float64)  # its float32 loses digits below 0
show("silu", F.silu, dtype=torch.float64)
show("relu6 of numbers about its ends", F.relu6, x=[-4.0, -0.5, 0.0, 3.0, 5.5, 7.0])
show("hardsigmoid", F.hardsigmoid)
show("hardswish", F.hardswish)
show("softmax of rows of 3", lambda x: F.softmax(x, dim=1))
show("softmax, two parts of 3", lambda x: F.softmax(x.reshape(2, 3), dim=1), (1, 6))
show("softmax over (c, h, w) = (3, 1, 2)", lambda x: F.softmax(x.flatten(1), dim=1), (1, 3, 1, 2))
