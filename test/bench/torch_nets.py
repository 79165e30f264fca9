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


class ResidualBlock(nn.Module):
    """ResidualBlock has two convolutions, and one of 1 x 1 where the shape changes."""

    def __init__(self, inputs, filters, stride):
        super().__init__()
        self.first = nn.Conv2d(inputs, filters, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(filters)
        self.second = nn.Conv2d(filters, filters, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(filters)
        self.short = nn.Sequential()
        if stride > 1:
            self.short = nn.Sequential(nn.Conv2d(inputs, filters, 1, stride, bias=False),
                                       nn.BatchNorm2d(filters))

    def forward(self, x):
        branch = self.norm2(self.second(F.relu(self.norm1(self.first(x)))))
        return F.relu(branch + self.short(x))


def resnet():  # examples/resnet/job.conf: ResNet-20
    shapes = [(16, 16, 1)] * 3 + [(16, 32, 2)] + [(32, 32, 1)] * 2 + [(32, 64, 2)] + [(64, 64, 1)] * 2
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
        *(ResidualBlock(*shape) for shape in shapes),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


class GptBlock(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.norm1 = nn.LayerNorm(width)
        self.into_heads, self.out_of_heads = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attention(self, x):
        rows, steps, width = x.shape
        q, k, v = (part.view(rows, steps, self.heads, -1).transpose(1, 2)
                   for part in self.into_heads(x).split(width, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True,
                                           dropout_p=self.dropout if self.training else 0)
        return self.out_of_heads(y.transpose(1, 2).reshape(rows, steps, width))

    def forward(self, x):
        x = x + F.dropout(self.attention(self.norm1(x)), self.dropout, self.training)
        narrow = self.narrow(F.gelu(self.wide(self.norm2(x))))
        return x + F.dropout(narrow, self.dropout, self.training)


class Gpt(nn.Module):
    """Gpt is a conf of examples/gpt: rows of characters, (rows, steps)."""

    def __init__(self, characters=65, steps=64, width=128, heads=4, blocks=4, dropout=0):
        super().__init__()
        self.token, self.place = nn.Embedding(characters, width), nn.Embedding(steps, width)
        self.blocks = nn.Sequential(*(GptBlock(width, heads, dropout) for _ in range(blocks)))
        self.norm = nn.LayerNorm(width)
        self.scores = nn.Linear(width, characters, bias=False)

    def forward(self, x):
        x = self.token(x) + self.place.weight[:x.shape[1]]
        return self.scores(self.norm(self.blocks(x))).flatten(0, 1)


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
