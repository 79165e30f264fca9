"""What parity.py trains: the examples as PyTorch sees them.

No script of its own.
"""
import dataclasses
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

import parity_nets
from parity_job import (Job, gaussian_sqrt_fan_sum, rule_sets, scale_sets, store_sets, uniform,
                        uniform_sqrt_fan_in, zeros)
from parity_nets import torch_nets
from parity_rules import rule_jobs


def cosine(step):
    """kCosine from 0.002 to 0.0005 in 15 steps, with a warm-up of 4."""
    rate = 0.0005 + 0.0015 * (1 + math.cos(math.pi * min(step, 15) / 15)) / 2
    return rate * min(1, (step + 1) / 4)


MLP = Job("examples/mnist/mlp", torch_nets.mlp, uniform(0.05), uniform(0.05), 127.5, 127.5,
          lambda step: 0.001 * 0.997 ** (step // 60), sets=store_sets("random_skip=0"),
          data="digits")
LENET = Job("examples/mnist/lenet", torch_nets.lenet, uniform_sqrt_fan_in, zeros, 0, 255,
            lambda step: 0.01 * (1 + 0.0001 * step) ** -0.75, 0.9, 0.0005, scales_b=(2, 1),
            sets=store_sets("random_skip=0"), data="digits")
CNN = Job("examples/mnist/cnn", torch_nets.cnn, gaussian_sqrt_fan_sum, zeros, 0, 255,
          lambda step: 0.005, 0.9, 1e-5, sets=store_sets("shuffle=false"), data="digits")
CIFAR_STORE = store_sets("mean_value=120", "std_value=64", "batchsize=64", "shuffle=false")
CONVNET = Job("examples/cifar10/convnet", torch_nets.convnet, uniform_sqrt_fan_in, zeros, 120, 64,
              lambda step: 0.001, 0.9, 0.004, scales_b=(2, 0), scales={"w4": (1, 250)},
              sets=CIFAR_STORE)
NORM = Job("tool/golden/parity_norm", parity_nets.norm, uniform_sqrt_fan_in, zeros, 120, 64,
           lambda step: 0.02, 0.9, 0.0005)


def weighted(scores, classes):
    weights = torch.tensor([1, 2, 0.5, 1, 1, 3, 1, 1, 0.25, 1], dtype=scores.dtype)
    return F.cross_entropy(scores, classes, weights)


def several_labels(scores, targets):
    weights = torch.tensor([1, 2, 0.5, 1, 3], dtype=scores.dtype)
    return F.binary_cross_entropy_with_logits(scores, targets.to(scores.dtype), pos_weight=weights)


WINDOWS = dataclasses.replace(NORM, conf="tool/golden/parity_windows", net=parity_nets.Windows,
                              lr=lambda step: 0.1, loss=weighted)
GPT = Job("tool/golden/parity_gpt",
          lambda: torch_nets.Gpt(characters=20, steps=16, width=24, heads=3, blocks=2),
          uniform_sqrt_fan_in, uniform(0.1), 0, 1, lambda step: 0.05, 0.9, 0.01, data="text")
LABELS = Job("tool/golden/parity_labels",
             lambda: nn.Sequential(nn.Linear(16, 40), nn.GELU(), nn.Linear(40, 5)),
             uniform_sqrt_fan_in, uniform(0.1), 0, 1, lambda step: 0.5, 0.9, 0.0005,
             loss=several_labels, data="table")
RESIDUAL = dataclasses.replace(NORM, conf="tool/golden/parity_residual", net=parity_nets.Residual)


def weighted_smooth(scores, classes):
    weights = torch.tensor([1, 2, 0.5, 1, 3], dtype=scores.dtype)
    return F.cross_entropy(scores, classes, weights, label_smoothing=0.2)


def smooth(scores, classes):
    return 2 * F.cross_entropy(scores, classes, label_smoothing=0.1)


def half_squares(values, targets):
    return 0.5 * (values - targets).square().sum(1).mean()


def without_one(scores, classes):
    """Rows of label 7 count in the divisor, but not in the sum."""
    losses = F.cross_entropy(scores, classes.flatten(), ignore_index=7, reduction="sum")
    return losses / classes.numel()


KINKS = Job("tool/golden/parity_kinks", parity_nets.Kinks,
            lambda shape: 2 * uniform_sqrt_fan_in(shape), uniform(0.1), 0, 1,
            lambda step: 0.02, 0.9, 0.0005, loss=weighted_smooth, data="classes")
PICTURES = dataclasses.replace(
    KINKS, conf="tool/golden/parity_pictures", net=parity_nets.Pictures, init_w=uniform_sqrt_fan_in,
    lr=lambda step: 0.05, loss=smooth)
SEQUENCE = dataclasses.replace(
    PICTURES, conf="tool/golden/parity_sequence", net=parity_nets.Sequence, lr=lambda step: 0.1,
    loss=half_squares, data="table")
RECURRENT = dataclasses.replace(SEQUENCE, conf="tool/golden/parity_recurrent",
                                net=parity_nets.Recurrent, loss=without_one, data="text")

JOBS = {
    "mlp": MLP,
    "mlp, altered": dataclasses.replace(
        MLP, lr=lambda step: 0.01 * 0.5 ** (step // 6), weight_decay=0.1, scales_w=(1, 3),
        sets=(*MLP.sets, "updater.learning_rate.base_lr=0.01",
              "updater.learning_rate.step_conf.gamma=0.5",
              "updater.learning_rate.step_conf.change_freq=6", "updater.weight_decay=0.1",
              *scale_sets([f"fc{i}" for i in range(1, 7)], 0, 1, 3))),
    "lenet": LENET,
    "lenet, altered": dataclasses.replace(
        LENET, lr=lambda step: 0.01 * (1 + 0.1 * step) ** -0.75, weight_decay=0.05,
        scales_w=(0.5, 2), scales_b=(2, 0),
        sets=(*LENET.sets, "updater.learning_rate.inverse_conf.gamma=0.1",
              "updater.weight_decay=0.05",
              *scale_sets(["conv1", "conv2", "ip1", "ip2"], 0, 0.5, 2),
              *scale_sets(["conv1", "conv2", "ip1", "ip2"], 1, 2, 0))),
    "cnn": CNN,
    # eps is large: a small one makes large steps of small gradients, which are mostly rounding.
    "cnn, AdamW, cosine": dataclasses.replace(
        CNN, lr=cosine, momentum=0, weight_decay=0.5, scales_b=(2, 0),
        rule=lambda groups: torch.optim.AdamW(groups, betas=(0.875, 0.96875), eps=1e-3),
        sets=(*CNN.sets,
              *rule_sets("kAdamW", "kCosine", momentum=0, weight_decay=0.5, delta=1e-3,
                         adam_conf__beta1=0.875, adam_conf__beta2=0.96875,
                         learning_rate__base_lr=0.002, learning_rate__warmup_steps=4,
                         learning_rate__cosine_conf__change_freq=15,
                         learning_rate__cosine_conf__final_lr=0.0005),
              *scale_sets(["conv1", "conv2", "ip1", "ip2"], 1, 2, 0))),
    "lenet, polynomial, loss weight": dataclasses.replace(
        LENET, lr=lambda step: 0.001 + 0.009 * max(0, 1 - step / 16) ** 1.5, loss_weight=0.25,
        sets=(*LENET.sets,
              *rule_sets("kSGD", "kPolynomial", learning_rate__polynomial_conf__change_freq=16,
                         learning_rate__polynomial_conf__power=1.5,
                         learning_rate__polynomial_conf__final_lr=0.001),
              "neuralnet.layer[loss].loss_weight=0.25")),
    "convnet": CONVNET,
    "conv, LRN, batch norm": NORM,
    "residual block, GELU, SiLU": RESIDUAL,
    "dilated, grouped, transposed convolutions": WINDOWS,
    "GPT": GPT,
    "several labels": LABELS,
    "kinks, maximum, product, slices, weighted smoothed labels": KINKS,
    "small pictures, smoothed labels": PICTURES,
    "two batches a step, averages": dataclasses.replace(
        PICTURES, accumulate=2, ema_decay=0.75,
        sets=("neuralnet.layer[data].store_conf.batchsize=32", "accumulate_steps=2",
              "ema_decay=0.75")),
    "time steps, GRU, squared distance": SEQUENCE,
    "GRU, LSTM, RNN": RECURRENT,
    **rule_jobs(LABELS),
}
