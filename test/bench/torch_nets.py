"""Builds the examples' nets in PyTorch: torch_job.py times some, tool/golden/parity.py compares
some.

This is no script of its own. It needs: pip install torch
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class STanh(nn.Module):
    def forward(self, x):
        return 1.7159047 * torch.tanh(0.66666667 * x)


def mlp():
    widths = [784, 2500, 2000, 1500, 1000, 500, 10]
    parts = []
    for v, h in zip(widths, widths[1:]):
        parts += [nn.Linear(v, h), STanh()]
    return nn.Sequential(nn.Flatten(), *parts[:-1])


def lenet():  # no ReLU behind the convolutions: as Caffe has it
    return nn.Sequential(nn.Conv2d(1, 20, 5), nn.MaxPool2d(2), nn.Conv2d(20, 50, 5),
                         nn.MaxPool2d(2), nn.Flatten(), nn.Linear(800, 500), nn.ReLU(),
                         nn.Linear(500, 10))


def cnn():
    return nn.Sequential(nn.Conv2d(1, 20, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(20, 50, 5),
                         nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(800, 500), nn.ReLU(),
                         nn.Linear(500, 10))


def convnet():  # cuda-convnet's
    return nn.Sequential(
        nn.Conv2d(3, 32, 5, padding=2), nn.MaxPool2d(3, 2), nn.ReLU(),
        nn.LocalResponseNorm(3, 5e-5),
        nn.Conv2d(32, 32, 5, padding=2), nn.ReLU(), nn.AvgPool2d(3, 2),
        nn.LocalResponseNorm(3, 5e-5),
        nn.Conv2d(32, 64, 5, padding=2), nn.ReLU(), nn.AvgPool2d(3, 2),
        nn.Flatten(), nn.Linear(576, 10))


def norm():  # tool/golden/parity_norm.conf
    return nn.Sequential(
        nn.Conv2d(3, 16, 5, padding=2, bias=False), nn.BatchNorm2d(16), STanh(),
        nn.AvgPool2d(3, 2), nn.LocalResponseNorm(5, 0.5),
        nn.Conv2d(16, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24), STanh(),
        nn.AvgPool2d(3, 2), nn.Flatten(), nn.Linear(24 * 7 * 7, 10))


class Residual(nn.Module):
    """Residual is tool/golden/parity_residual.conf."""

    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16)
        self.conv2, self.bn2 = nn.Conv2d(16, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16)
        self.conv3, self.bn3 = nn.Conv2d(16, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16)
        self.scores = nn.Linear(16 * 8 * 8, 10)

    def forward(self, x):
        first = F.gelu(self.bn1(self.conv1(x)))
        branch = self.bn3(self.conv3(F.silu(self.bn2(self.conv2(first)))))
        last = F.gelu(branch + first)
        return self.scores(F.avg_pool2d(0.5 * (last * first) - first, 4).flatten(1))


def alexnet():
    return nn.Sequential(
        nn.Conv2d(3, 96, 11, 4), nn.ReLU(), nn.MaxPool2d(3, 2), nn.LocalResponseNorm(5),
        nn.Conv2d(96, 256, 5, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2), nn.LocalResponseNorm(5),
        nn.Conv2d(256, 384, 3, padding=1), nn.ReLU(), nn.Conv2d(384, 384, 3, padding=1),
        nn.ReLU(), nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3, 2), nn.Flatten(),
        nn.Linear(9216, 4096), nn.ReLU(), nn.Dropout(), nn.Linear(4096, 4096), nn.ReLU(),
        nn.Dropout(), nn.Linear(4096, 1000))


class CharRnn(nn.Module):
    """CharRnn is examples/char_rnn/job.conf: rows of characters, (steps, rows, characters)."""

    def __init__(self, characters=65, hidden=512):
        super().__init__()
        self.gru = nn.GRU(characters, hidden)
        self.drop = nn.Dropout(0.4)
        self.scores = nn.Linear(hidden, characters)
        self.state = None

    def forward(self, x):
        h, state = self.gru(x, self.state)
        self.state = state.detach()
        return self.scores(self.drop(h)).flatten(0, 1)


class Rbm:
    """Rbm is examples/rbm/rbm1.conf: one step of contrastive divergence, with momentum."""

    def __init__(self, visible=784, hidden=1000):
        self.weight = torch.randn(hidden, visible) * 0.1
        self.visible_bias, self.hidden_bias = torch.zeros(visible), torch.zeros(hidden)
        self.velocities = [torch.zeros_like(p) for p in self.params()]

    def params(self):
        return [self.weight, self.visible_bias, self.hidden_bias]

    def hidden(self, visible):
        return torch.sigmoid(F.linear(visible, self.weight, self.hidden_bias))

    def step(self, data, lr=0.1, momentum=0.8, decay=0.0002):
        with torch.no_grad():
            first = self.hidden(data)
            visible = torch.sigmoid(torch.bernoulli(first) @ self.weight + self.visible_bias)
            last = self.hidden(visible)
            gradients = [(last.t() @ visible - first.t() @ data) / len(data),
                         (visible - data).mean(0), (last - first).mean(0)]
            gradients[0] += decay * self.weight
            for param, velocity, gradient in zip(self.params(), self.velocities, gradients):
                velocity.mul_(momentum).sub_(gradient, alpha=lr)
                param.add_(velocity)
