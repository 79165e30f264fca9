"""The nets of parity_*.conf in PyTorch. GPT's is test/bench/torch_nets.py's.

No script of its own.
"""
import pathlib
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "test/bench"))
import torch_nets  # noqa: E402: its folder had to be known first


def norm():  # parity_norm.conf
    return nn.Sequential(
        nn.Conv2d(3, 16, 5, padding=2, bias=False), nn.BatchNorm2d(16), torch_nets.STanh(),
        nn.AvgPool2d(3, 2), nn.LocalResponseNorm(5, 0.5),
        nn.Conv2d(16, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24), torch_nets.STanh(),
        nn.AvgPool2d(3, 2), nn.Flatten(), nn.Linear(24 * 7 * 7, 10))


class Residual(nn.Module):
    """Residual is parity_residual.conf."""

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


class Windows(nn.Module):
    """Windows is parity_windows.conf."""

    def __init__(self):
        super().__init__()
        self.wide = nn.Conv2d(3, 16, 3, padding=2, dilation=2)
        self.grouped = nn.Conv2d(16, 32, 3, padding=1, groups=4, bias=False)
        self.larger = nn.ConvTranspose2d(32, 8, 4, 2, padding=1)
        self.norm = nn.LayerNorm(8, eps=1e-3)
        self.scores = nn.Linear(8, 10)

    def forward(self, x):
        x = F.silu(self.grouped(F.gelu(self.wide(x))))
        x = torch.tanh(self.larger(F.avg_pool2d(x, 3, 2, ceil_mode=True)))
        return self.scores(self.norm(x.mean((2, 3))))


def stanh(x):
    return torch_nets.STanh()(x)


class Kinks(nn.Module):
    """Kinks is parity_kinks.conf."""

    def __init__(self):
        super().__init__()
        self.x, self.y, self.scores = nn.Linear(48, 24), nn.Linear(48, 24), nn.Linear(72, 5)

    def forward(self, data):
        x, y = self.x(data), self.y(data)
        most = torch.maximum(F.relu6(x), F.leaky_relu(y, 0.25))
        product = F.hardswish(x) * F.hardsigmoid(y)
        first, second = torch.cat([most, product, F.relu(y)], 1).split(36, 1)
        shares = second.view(-1, 4, 9).softmax(2).flatten(1)
        return self.scores(torch.cat([stanh(first), shares], 1))


class Pictures(nn.Module):
    """Pictures is parity_pictures.conf."""

    def __init__(self):
        super().__init__()
        self.sides = nn.Conv2d(2, 8, (3, 2), (2, 1), padding=(2, 1), dilation=(1, 2))
        self.norm1 = nn.BatchNorm2d(8, eps=0.01, momentum=0.25)
        self.norm2 = nn.LocalResponseNorm(3, alpha=2, beta=0.5, k=2)
        self.larger = nn.ConvTranspose2d(8, 6, 3, 2, padding=1, groups=2, dilation=2, bias=False)
        self.scores = nn.Linear(54, 5)

    def forward(self, data):
        x = torch.sigmoid(self.norm1(self.sides(data.view(-1, 2, 6, 4))))
        x = self.larger(self.norm2(x))
        x = x * torch.sigmoid(x.mean((2, 3), keepdim=True))
        x = F.max_pool2d(F.avg_pool2d(x, 3, 2, 1), (2, 3), 2, (0, 1), ceil_mode=True)
        return self.scores(x.flatten(1))


class TransposedLinear(nn.Module):
    """TransposedLinear is kInnerProduct with transpose, without a bias."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.zeros(inputs, outputs)), None

    def forward(self, x):
        return x @ self.weight


class Gates(nn.Module):
    """Gates is an nn.GRU, nn.LSTM or nn.RNN whose params are those of singa: matrices W of the
    input, then U of the state, then biases, one for each gate.

    PyTorch has a second bias beside that of the input. Here it is 0.
    """

    ORDER = {nn.GRU: [1, 0, 2], nn.LSTM: [0, 1, 2, 3], nn.RNN: [0]}  # PyTorch's, of our gates

    def __init__(self, kind, inputs, hidden, bias=True):
        super().__init__()
        self.order = self.ORDER[kind]
        self.cell = [kind(inputs, hidden, bias=bias, batch_first=True)]  # in a list: not trained
        shapes = [(hidden, inputs), (hidden, hidden), (hidden,)][:3 if bias else 2]
        self.gates = nn.ParameterList(torch.zeros(shape) for shape in shapes for _ in self.order)

    def forward(self, x, state=None):
        count = len(self.order)
        stacked = [torch.cat([self.gates[first + gate] for gate in self.order])
                   for first in range(0, len(self.gates), count)]
        given = dict(zip(("weight_ih_l0", "weight_hh_l0", "bias_ih_l0"), stacked))
        if len(stacked) == 3:
            given["bias_hh_l0"] = torch.zeros_like(stacked[2])
        return torch.func.functional_call(self.cell[0], given, (x, state))


class Recurrent(nn.Module):
    """Recurrent is parity_recurrent.conf."""

    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(20, 24)
        self.gru, self.lstm = Gates(nn.GRU, 24, 24), Gates(nn.LSTM, 20, 16)
        self.rnn = Gates(nn.RNN, 40, 24)
        self.gru_state, self.lstm_state = None, None

    def forward(self, text):
        token = self.token(text)
        onehot = F.one_hot(text, 20).to(token.dtype)
        y, last = self.gru(token, self.gru_state)
        z, state = self.lstm(onehot, self.lstm_state)
        self.gru_state, self.lstm_state = last.detach(), tuple(part.detach() for part in state)
        h, _ = self.rnn(torch.cat([y, z], 2), last)
        return F.linear(h, self.token.weight).flatten(0, 1)


class Sequence(nn.Module):
    """Sequence is parity_sequence.conf."""

    def __init__(self):
        super().__init__()
        self.wide = TransposedLinear(2, 12)
        self.into_heads = nn.Linear(12, 36, bias=False)
        self.out_of_heads = nn.Linear(12, 12, bias=False)
        self.gru = Gates(nn.GRU, 12, 10, bias=False)
        self.scores = nn.Linear(10, 5)

    def forward(self, data):
        x = self.wide(data.view(-1, 8, 2))
        q, k, v = (part.view(-1, 8, 2, 6).transpose(1, 2)
                   for part in self.into_heads(x).split(12, 2))
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(-1, 8, 12)
        steps, _ = self.gru(self.out_of_heads(y))
        return self.scores(steps[:, -1])
