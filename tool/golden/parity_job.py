"""How parity.py describes a job: the conf of singa, and what PyTorch must do to train alike.

No script of its own.
"""
import dataclasses

import torch
import torch.nn as nn
import torch.nn.functional as F

from parity_nets import Gates, TransposedLinear


def uniform(bound):
    return lambda shape: (torch.rand(shape, dtype=torch.float64) * 2 - 1) * bound


def uniform_sqrt_fan_in(shape):
    return uniform((3 / shape[1:].numel()) ** 0.5)(shape)


def gaussian_sqrt_fan_sum(shape):
    return torch.randn(shape, dtype=torch.float64) * (2 / (shape[1:].numel() + shape[0])) ** 0.5


def zeros(shape):
    return torch.zeros(shape, dtype=torch.float64)


def cross_entropy(scores, classes):
    # A text has a row of scores for each time step.
    return F.cross_entropy(scores, classes.flatten())


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
    rule: callable = None  # makes the optimizer of the groups of params; None: SGD with momentum
    clip: callable = None  # clips the gradients of a list of params
    ema_decay: float = 0
    accumulate: int = 1  # batches of a step
    loss_weight: float = 1
    scales_w: tuple = (1, 1)  # lr_scale, wd_scale
    scales_b: tuple = (1, 1)
    scales: dict = dataclasses.field(default_factory=dict)  # of single params, by name
    sets: tuple = ()
    loss: callable = cross_entropy  # of scores and targets
    data: str = "colours"  # or "digits", "text", "table", "classes"

    def optimizer(self, groups):
        if self.rule:
            return self.rule(groups)
        return torch.optim.SGD(groups, momentum=self.momentum)

    def scales_of(self, name):
        if name in self.scales:
            return self.scales[name]
        return {"w": self.scales_w, "b": self.scales_b}.get(name[0], (1, 1))


def named_params(net):
    """w1, b1, w2, ..., bn1_0 (gamma), bn1_1 (beta), ..., ln1_0, ln1_1, ..., e1, ..., r1_0, r1_1,
    ... (the gates of a recurrent layer), as the confs call them; then what a batch norm keeps:
    bn1_2 (running mean), bn1_3 (running variance)."""
    names, kept, norms, weights, rows, tables, cells = {}, {}, 0, 0, 0, 0, 0
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
        elif isinstance(module, Gates):
            cells += 1
            names |= {f"r{cells}_{index}": gate for index, gate in enumerate(module.gates)}
        elif isinstance(module, (nn.Conv2d, nn.ConvTranspose2d, nn.Linear, TransposedLinear)):
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
    init = {"w": job.init_w, "b": job.init_b, "e": uniform(1), "r": uniform(0.3)}

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


def scale_sets(layers, index, lr_scale, wd_scale):
    return [f"neuralnet.layer[{layer}].param[{index}].{field}={value}" for layer in layers
            for field, value in (("lr_scale", lr_scale), ("wd_scale", wd_scale))]
