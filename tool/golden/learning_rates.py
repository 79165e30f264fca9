#!/usr/bin/env python3
"""Golden numbers of test/train/learning_rate/annealing_test.cc: PyTorch's schedules.

Run: python3 tool/golden/learning_rates.py   (needs torch)
"""
import torch
from torch.optim import lr_scheduler

STEPS, BASE, FINAL, POWER = 20, 0.5, 0.125, 2.5
SHOWN = (0, 1, 7, 10, 19, 20)


def rates(make, base):
    """The rates of steps 0 to STEPS."""
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=base)
    schedule, found = make(optimizer), []
    for _ in range(STEPS + 1):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return found


def show(name, found):
    print(name, "{" + ", ".join(f"{{{step}, {found[step]:.9g}f}}" for step in SHOWN) + "}")


def polynomial(optimizer):
    return lr_scheduler.PolynomialLR(optimizer, total_iters=STEPS, power=POWER)


show("cosine", rates(lambda o: lr_scheduler.CosineAnnealingLR(o, STEPS, eta_min=FINAL), BASE))
show("polynomial", rates(polynomial, BASE))
# PyTorch's ends at 0. What falls from base to final is the same of base - final, plus final.
show("polynomial, final", [FINAL + rate for rate in rates(polynomial, BASE - FINAL)])
