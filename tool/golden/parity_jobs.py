"""What parity.py trains: the examples as PyTorch sees them.

No script of its own.
"""
import dataclasses
import math
import pathlib
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "test/bench"))
import torch_nets  # noqa: E402: its folder had to be known first


def uniform(bound):
    return lambda shape: (torch.rand(shape, dtype=torch.float64) * 2 - 1) * bound


def uniform_sqrt_fan_in(shape):
    return uniform((3 / shape[1:].numel()) ** 0.5)(shape)


def gaussian_sqrt_fan_sum(shape):
    return torch.randn(shape, dtype=torch.float64) * (2 / (shape[1:].numel() + shape[0])) ** 0.5


def zeros(shape):
    return torch.zeros(shape, dtype=torch.float64)


def cross_entropy(scores, classes):
    return F.cross_entropy(scores, classes.flatten())  # those of a text have a row for each time step


@dataclasses.dataclass
class Job:
    """What a conf says, read by a person; `sets` alters the conf, the other fields say to what."""
    conf: str
    net: callable
    init_w: callable
    init_b: callable
    mean: float
    std: float
    lr: callable  # of the step
    momentum: float = 0
    weight_decay: float = 0
    adamw: dict = None  # AdamW's betas and eps; None: SGD
    loss_weight: float = 1
    scales_w: tuple = (1, 1)  # lr_scale, wd_scale
    scales_b: tuple = (1, 1)
    scales: dict = dataclasses.field(default_factory=dict)  # of single params, by name
    sets: tuple = ()
    loss: callable = cross_entropy  # of scores and targets

    def optimizer(self, groups):
        if self.adamw:
            return torch.optim.AdamW(groups, **self.adamw)
        return torch.optim.SGD(groups, momentum=self.momentum)

    @property
    def data(self):
        """What it reads: "digits", "text", "table" or "colours"."""
        kinds = {"mnist": "digits", "parity_gpt": "text", "parity_labels": "table"}
        return next((kind for word, kind in kinds.items() if word in self.conf), "colours")

    def scales_of(self, name):
        if name in self.scales:
            return self.scales[name]
        return {"w": self.scales_w, "b": self.scales_b}.get(name[0], (1, 1))


def named_params(net):
    """w1, b1, w2, ..., bn1_0 (gamma), bn1_1 (beta), ..., ln1_0, ln1_1, ..., e1, ..., as the confs
    call them; then what a batch norm keeps: bn1_2 (running mean), bn1_3 (running variance)."""
    names, kept, norms, weights, rows, tables = {}, {}, 0, 0, 0, 0
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            norms += 1
            names[f"bn{norms}_0"], names[f"bn{norms}_1"] = module.weight, module.bias
            kept[f"bn{norms}_2"] = module.running_mean
            kept[f"bn{norms}_3"] = module.running_var
        elif isinstance(module, nn.LayerNorm):
            rows += 1
            names[f"ln{rows}_0"], names[f"ln{rows}_1"] = module.weight, module.bias
        elif isinstance(module, nn.Embedding):
            tables += 1
            names[f"e{tables}"] = module.weight
        elif isinstance(module, (nn.Conv2d, nn.ConvTranspose2d, nn.Linear)):
            weights += 1
            names[f"w{weights}"] = module.weight
            if module.bias is not None:
                names[f"b{weights}"] = module.bias
    return names, kept


def initial_values(job, seed):
    """Gamma of a norm is in [0.5, 1.5] and beta in [-0.5, 0.5]: errors relative to values near 0
    would say nothing."""
    torch.manual_seed(seed)
    names, kept = named_params(job.net())
    init = {"w": job.init_w, "b": job.init_b, "e": uniform(1)}

    def draw(name, shape):
        if name.startswith(("bn", "ln")):
            return uniform(0.5)(shape) + (1 if name.endswith("_0") else 0)
        return init[name[0]](shape)
    return {name: draw(name, param.shape).float() for name, param in names.items()} | kept


def store_sets(*fields):
    return tuple(f"neuralnet.layer[data#0].store_conf.{field}" for field in fields)


def rule_sets(kind, rate, **fields):
    """Of `updater`: its type, that of its learning rate, and fields."""
    return (f"updater.type={kind}", f"updater.learning_rate.type={rate}",
            *(f"updater.{path.replace('__', '.')}={value}" for path, value in fields.items()))


def cosine(step):
    """kCosine from 0.002 to 0.0005 in 15 steps, with a warm-up of 4."""
    rate = 0.0005 + 0.0015 * (1 + math.cos(math.pi * min(step, 15) / 15)) / 2
    return rate * min(1, (step + 1) / 4)


def scale_sets(layers, index, lr_scale, wd_scale):
    return [f"neuralnet.layer[{layer}].param[{index}].{field}={value}" for layer in layers
            for field, value in (("lr_scale", lr_scale), ("wd_scale", wd_scale))]


MLP = Job("examples/mnist/mlp", torch_nets.mlp, uniform(0.05), uniform(0.05), 127.5, 127.5,
          lambda step: 0.001 * 0.997 ** (step // 60), sets=store_sets("random_skip=0"))
LENET = Job("examples/mnist/lenet", torch_nets.lenet, uniform_sqrt_fan_in, zeros, 0, 255,
            lambda step: 0.01 * (1 + 0.0001 * step) ** -0.75, 0.9, 0.0005, scales_b=(2, 1),
            sets=store_sets("random_skip=0"))
CNN = Job("examples/mnist/cnn", torch_nets.cnn, gaussian_sqrt_fan_sum, zeros, 0, 255,
          lambda step: 0.005, 0.9, 1e-5, sets=store_sets("shuffle=false"))
CIFAR_STORE = store_sets("mean_value=120", "std_value=64", "batchsize=64", "shuffle=false")
CONVNET = Job("examples/cifar10/convnet", torch_nets.convnet, uniform_sqrt_fan_in, zeros, 120, 64,
              lambda step: 0.001, 0.9, 0.004, scales_b=(2, 0), scales={"w4": (1, 250)},
              sets=CIFAR_STORE)
NORM = Job("tool/golden/parity_norm", torch_nets.norm, uniform_sqrt_fan_in, zeros, 120, 64,
           lambda step: 0.02, 0.9, 0.0005)


def weighted(scores, classes):
    weights = torch.tensor([1, 2, 0.5, 1, 1, 3, 1, 1, 0.25, 1], dtype=scores.dtype)
    return F.cross_entropy(scores, classes, weights)


def several_labels(scores, targets):
    weights = torch.tensor([1, 2, 0.5, 1, 3], dtype=scores.dtype)
    return F.binary_cross_entropy_with_logits(scores, targets.to(scores.dtype), pos_weight=weights)


WINDOWS = dataclasses.replace(NORM, conf="tool/golden/parity_windows", net=torch_nets.Windows,
                              lr=lambda step: 0.1, loss=weighted)
GPT = Job("tool/golden/parity_gpt",
          lambda: torch_nets.Gpt(characters=20, steps=16, width=24, heads=3, blocks=2),
          uniform_sqrt_fan_in, uniform(0.1), 0, 1, lambda step: 0.05, 0.9, 0.01)
LABELS = Job("tool/golden/parity_labels",
             lambda: nn.Sequential(nn.Linear(16, 40), nn.GELU(), nn.Linear(40, 5)),
             uniform_sqrt_fan_in, uniform(0.1), 0, 1, lambda step: 0.5, 0.9, 0.0005,
             loss=several_labels)
RESIDUAL = dataclasses.replace(NORM, conf="tool/golden/parity_residual", net=torch_nets.Residual)

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
        adamw={"betas": (0.875, 0.96875), "eps": 1e-3},
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
}
