"""The update rules that parity.py compares, on the net of several labels.

No script of its own. Where a rule of PyTorch differs by definition, the rule here is that of
proto/updater.proto: PyTorch adds eps of AdaGrad and RMSProp outside the root, and has eps of AdaMax
within the maximum.
"""
import dataclasses
import math

import torch

from parity_job import rule_sets

DELTA, RATE, DECAY = 1e-3, 0.02, 0.01  # a large delta: its place shows


class Rule(torch.optim.Optimizer):
    """A rule in torch operations: `change` is of gradient and state, and lr multiplies it."""

    def __init__(self, groups, change):
        super().__init__(groups, {})
        self.change = change

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for param in group["params"]:
                gradient = param.grad + group["weight_decay"] * param
                param -= group["lr"] * self.change(gradient, self.state[param])


def adagrad(g, state):
    state["h"] = state.get("h", 0) + g * g
    return g / torch.sqrt(state["h"] + DELTA)


def rmsprop(g, state):
    state["h"] = 0.875 * state.get("h", 0) + 0.125 * g * g
    return g / torch.sqrt(state["h"] + DELTA)


def adamax(g, state):
    state["t"] = state.get("t", 0) + 1
    state["m"] = 0.875 * state.get("m", 0) + 0.125 * g
    state["u"] = torch.maximum(0.96875 * state.get("u", torch.zeros_like(g)), g.abs())
    return state["m"] / (1 - 0.875 ** state["t"]) / (state["u"] + DELTA)


def written(change):
    return lambda groups: Rule(groups, change)


def clip_norm(params):
    norm = torch.sqrt(sum((param.grad ** 2).sum() for param in params))
    for param in params:
        param.grad *= min(1, 0.05 / norm.item())


def clip_each(params):
    for param in params:
        param.grad.clamp_(-0.005, 0.01)


def rule(job, kind, schedule, lr, make, **fields):
    """The job with another rule and another schedule."""
    given = {"momentum": 0, "weight_decay": DECAY, "delta": DELTA, "learning_rate__base_lr": RATE}
    return dataclasses.replace(job, momentum=0, weight_decay=DECAY, lr=lr, rule=make,
                               sets=(*job.sets, *rule_sets(kind, schedule, **(given | fields))))


def rule_jobs(job):
    betas = {"adam_conf__beta1": 0.875, "adam_conf__beta2": 0.96875}
    return {
        "Nesterov, fixed steps": rule(
            job, "kNesterov", "kFixedStep", lambda step: 0.2 if step < 8 else 0.05,
            lambda groups: torch.optim.SGD(groups, momentum=0.75, nesterov=True), momentum=0.75,
            learning_rate__fixedstep_conf__step="0,8",
            learning_rate__fixedstep_conf__step_lr="0.2,0.05"),
        "AdaGrad, exponential": rule(
            job, "kAdaGrad", "kExponential", lambda step: RATE * 2 ** (-step / 8), written(adagrad),
            learning_rate__exponential_conf__change_freq=8),
        "RMSProp, inverse": rule(
            job, "kRMSProp", "kInverseT", lambda step: RATE / (1 + step / 8), written(rmsprop),
            rmsprop_conf__rho=0.875, learning_rate__inverset_conf__final_lr=8),
        "AdaDelta, cosine by epochs": rule(
            job, "kAdaDelta", "kCosine",
            lambda step: RATE * (1 + math.cos(math.pi * step / 20)) / 2,
            lambda groups: torch.optim.Adadelta(groups, rho=0.875, eps=DELTA),
            adadelta_conf__rho=0.875, learning_rate__unit="kEpochs",
            learning_rate__cosine_conf__change_freq=1),
        "Adam, linear": rule(
            job, "kAdam", "kLinear", lambda step: max(0, RATE + (0.002 - RATE) * step / 16),
            lambda groups: torch.optim.Adam(groups, betas=(0.875, 0.96875), eps=DELTA), **betas,
            learning_rate__linear_conf__change_freq=16, learning_rate__linear_conf__final_lr=0.002),
        "AdaMax": rule(
            job, "kAdamMax", "kFixed", lambda step: RATE, written(adamax),
            adammax_conf__beta1=0.875, adammax_conf__beta2=0.96875),
        "clip_norm": dataclasses.replace(
            job, clip=clip_norm, sets=(*job.sets, "updater.clip_norm=0.05")),
        "clip_low, clip_high": dataclasses.replace(
            job, clip=clip_each,
            sets=(*job.sets, "updater.clip_low=-0.005", "updater.clip_high=0.01")),
    }
