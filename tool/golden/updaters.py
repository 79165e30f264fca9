#!/usr/bin/env python3
"""Golden numbers of test/train/updater_golden.h: python3 tool/golden/updaters.py > that file.

Every rule runs in float64 as proto/updater.proto states it; those that PyTorch has are checked
against torch.optim first. Needs numpy and torch.
"""

import numpy as np
import torch

N, STEPS, LR, MOMENTUM, DECAY, RHO, DELTA = 5, 4, 0.1, 0.9, 0.01, 0.9, 1e-8
ADADELTA_DELTA = 1e-2  # its first steps are of the size of the root
BETA1, BETA2, CLIP_LOW, CLIP_HIGH = 0.9, 0.999, -1.0, 0.75


def f32(x):
    """The value that a float field of the proto holds."""
    return float(np.float32(x))


LR, MOMENTUM, DECAY, RHO, DELTA, ADADELTA_DELTA, BETA1, BETA2 = map(
    f32, (LR, MOMENTUM, DECAY, RHO, DELTA, ADADELTA_DELTA, BETA1, BETA2))
W0 = np.array([0.5, -1.25, 2.0, 0.03125, -0.75])


def gradient(step):
    """Quarters from -1.25 to 1.25; the test computes the same."""
    return np.array([((7 * step + 3 * i) % 11 - 5) / 4 for i in range(N)])


def sgd(w, g, s, t):
    s["h"] = MOMENTUM * s.get("h", 0) - LR * g
    return w + s["h"]


def plain_sgd(w, g, s, t):
    return w - LR * g


def nesterov(w, g, s, t):
    before = s.get("h", 0)
    s["h"] = MOMENTUM * before + LR * g
    return w - ((1 + MOMENTUM) * s["h"] - MOMENTUM * before)


def adagrad(w, g, s, t):
    s["h"] = s.get("h", 0) + g * g
    return w - LR * g / np.sqrt(s["h"] + DELTA)


def rmsprop(w, g, s, t):
    s["h"] = RHO * s.get("h", 0) + (1 - RHO) * g * g
    return w - LR * g / np.sqrt(s["h"] + DELTA)


def adadelta(w, g, s, t):
    s["h"] = RHO * s.get("h", 0) + (1 - RHO) * g * g
    step = g * np.sqrt((s.get("u", 0) + ADADELTA_DELTA) / (s["h"] + ADADELTA_DELTA))
    s["u"] = RHO * s.get("u", 0) + (1 - RHO) * step * step
    return w - LR * step


def adam(w, g, s, t):
    s["m"] = BETA1 * s.get("m", 0) + (1 - BETA1) * g
    s["v"] = BETA2 * s.get("v", 0) + (1 - BETA2) * g * g
    m, v = s["m"] / (1 - BETA1**t), s["v"] / (1 - BETA2**t)
    return w - LR * m / (np.sqrt(v) + DELTA)


def adamw(w, g, s, t):
    return adam(w, g, s, t) - LR * DECAY * w


def adamax(w, g, s, t):
    s["m"] = BETA1 * s.get("m", 0) + (1 - BETA1) * g
    s["u"] = np.maximum(BETA2 * s.get("u", 0), np.abs(g))
    return w - LR / (1 - BETA1**t) * s["m"] / (s["u"] + DELTA)


def run(rule):
    w, state, rows = W0.copy(), {}, []
    for step in range(STEPS):
        g = np.clip(gradient(step), CLIP_LOW, CLIP_HIGH)
        if rule is not adamw:  # it decays the value itself
            g = g + DECAY * w
        w = rule(w, g, state, step + 1)
        rows.append(w.copy())
    return np.array(rows)


def run_torch(make):
    w = torch.nn.Parameter(torch.tensor(W0))
    optimizer, rows = make([w]), []
    for step in range(STEPS):
        w.grad = torch.tensor(np.clip(gradient(step), CLIP_LOW, CLIP_HIGH))
        optimizer.step()
        rows.append(w.detach().numpy().copy())
    return np.array(rows)


RULES = [  # name, ours, the same in torch.optim
    ("kPlainSgd", plain_sgd, lambda p: torch.optim.SGD(p, lr=LR, weight_decay=DECAY)),
    ("kSgd", sgd, lambda p: torch.optim.SGD(p, lr=LR, momentum=MOMENTUM, weight_decay=DECAY)),
    ("kNesterovSgd", nesterov, lambda p: torch.optim.SGD(
        p, lr=LR, momentum=MOMENTUM, weight_decay=DECAY, nesterov=True)),
    ("kAdaGradRule", adagrad, None),  # torch adds eps outside the root
    ("kRmsPropRule", rmsprop, None),  # likewise
    ("kAdaDeltaRule", adadelta, lambda p: torch.optim.Adadelta(
        p, lr=LR, rho=RHO, eps=ADADELTA_DELTA, weight_decay=DECAY)),
    ("kAdamRule", adam, lambda p: torch.optim.Adam(
        p, lr=LR, betas=(BETA1, BETA2), eps=DELTA, weight_decay=DECAY)),
    ("kAdamWRule", adamw, lambda p: torch.optim.AdamW(
        p, lr=LR, betas=(BETA1, BETA2), eps=DELTA, weight_decay=DECAY)),
    ("kAdaMaxRule", adamax, lambda p: torch.optim.Adamax(  # its eps is in the max: 1e-8 apart
        p, lr=LR, betas=(BETA1, BETA2), eps=DELTA, weight_decay=DECAY)),
]

print(f"""// Made by tool/golden/updaters.py: w after each of {STEPS} updates.
#pragma once

namespace singa::golden {{

using Updates = float[{STEPS}][{N}];
""")
for name, rule, make in RULES:
    rows = run(rule)
    if make:
        np.testing.assert_allclose(rows, run_torch(make), rtol=2e-7)
    print(f"inline constexpr Updates {name} = {{")
    for row in rows:
        print("    {" + ", ".join(f"{x:.9g}f" for x in row) + "},")
    print("};")
print("\n}  // namespace singa::golden")
