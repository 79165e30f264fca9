"""Golden numbers of test/nn/neuron/{gru,lstm,rnn}_test.cc: PyTorch's cells over 1, 3 and 50 steps.

Run: python3 tool/golden/recurrent.py   (needs torch)

Our params are a matrix a gate; PyTorch's have the gates one below the other, a GRU's in the order
r, z, n. PyTorch's GRU has a bias within the reset product too, which is 0 here: ours has none.
"""
import torch

from golden import pattern

BATCH, INPUTS, HIDDEN = 2, 3, 2
CELLS = {"Gru": (torch.nn.GRU, [1, 0, 2]), "Lstm": (torch.nn.LSTM, [0, 1, 2, 3]),
         "Rnn": (torch.nn.RNN, [0])}


def literal(values):
    numbers = [f"{v:.8g}" for v in values.detach().flatten().tolist()]
    return "{" + ", ".join(n + ("f" if "." in n or "e" in n else "") for n in numbers) + "}"


def run(cell, steps):
    module, order = CELLS[cell]
    gates = len(order)
    shapes = [(HIDDEN, INPUTS)] * gates + [(HIDDEN, HIDDEN)] * gates + [(HIDDEN,)] * gates
    params = [pattern(*shape, step=i + 1) for i, shape in enumerate(shapes)]
    stacked = [torch.cat([params[k * gates + g] for g in order]) for k in range(3)]
    given = dict(zip(("weight_ih_l0", "weight_hh_l0", "bias_ih_l0"), stacked))
    given["bias_hh_l0"] = torch.zeros(gates * HIDDEN)
    x = pattern(steps, BATCH, INPUTS, step=7)
    h0 = pattern(1, BATCH, HIDDEN, step=3)
    state = (h0, torch.zeros_like(h0)) if cell == "Lstm" else h0
    y, _ = torch.func.functional_call(module(INPUTS, HIDDEN), given, (x, state))
    y.backward(pattern(*y.shape, step=2).detach())
    few = steps > 3  # then the last state and the first step's gradient alone
    print(f"const Golden k{cell}Of{steps} = {{")
    for values in (y[-1] if few else y, x.grad[0] if few else x.grad, h0.grad):
        print(f"    {literal(values)},")
    print("    {" + ",\n     ".join(literal(p.grad) for p in params) + "}};")


for cell_name in CELLS:
    for count in (1, 3, 50):
        run(cell_name, count)
