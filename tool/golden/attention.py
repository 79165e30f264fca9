"""Golden numbers of test/nn/neuron/attention_test.cc: torch.nn.MultiheadAttention on itself, 3 time
steps of 2 rows of 4 numbers, 2 heads; with and without a causal mask and biases.

Run: python3 tool/golden/attention.py   (needs torch)
"""
import torch

from golden import pattern

STEPS, ROWS, UNITS, HEADS = 3, 2, 4, 2


def literal(values):
    numbers = [f"{v:.8g}" for v in values.detach().flatten().tolist()]
    return "{" + ", ".join(n + ("f" if "." in n or "e" in n else "") for n in numbers) + "}"


def run(name, causal, bias):
    shapes = {"in_proj_weight": (3 * UNITS, UNITS), "in_proj_bias": (3 * UNITS,),
              "out_proj.weight": (UNITS, UNITS), "out_proj.bias": (UNITS,)}
    params = {word: pattern(*shape, step=i + 1) for i, (word, shape) in enumerate(
        (word, shape) for word, shape in shapes.items() if bias or "weight" in word)}
    x = pattern(STEPS, ROWS, UNITS, step=7)
    mask = torch.ones(STEPS, STEPS, dtype=torch.bool).triu(1) if causal else None
    module = torch.nn.MultiheadAttention(UNITS, HEADS, bias=bias)
    y, _ = torch.func.functional_call(
        module, params, (x, x, x), {"attn_mask": mask, "need_weights": False})
    y.backward(pattern(*y.shape, step=2).detach())
    print(f"const AttentionGolden {name} = {{")
    for values in (y, x.grad):
        print(f"    {literal(values)},")
    print("    {" + ",\n     ".join(literal(p.grad) for p in params.values()) + "}};")


run("kCausal", True, True)
run("kOfAllSteps", False, True)
run("kWithoutBiases", True, False)
