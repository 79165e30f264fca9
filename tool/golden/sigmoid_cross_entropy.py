"""Golden numbers of test/nn/loss/sigmoid_cross_entropy_test.cc: PyTorch's binary_cross_entropy_with_logits.

Run: python3 tool/golden/sigmoid_cross_entropy.py   (needs torch)
"""
import torch
import torch.nn.functional as F
from golden import show

X = [[1.0, -2.0, 0.5, -90.0], [0.0, 0.25, 3.0, 90.0], [-2.0, 4.0, -0.125, 1.0]]
TARGET = [[1.0, 0.0, 0.25, 0.0], [1.0, 0.0, 0.75, 1.0], [0.0, 1.0, 1.0, 0.5]]
WEIGHTS = {"none": None, "one": [3.0], "each": [0.5, 2.0, 1.0, 4.0]}

for name, weight in WEIGHTS.items():
    x, t = torch.tensor(X, requires_grad=True), torch.tensor(TARGET)
    p = None if weight is None else torch.tensor(weight)
    loss = F.binary_cross_entropy_with_logits(x, t, pos_weight=p)
    loss.backward()
    show(f"pos_weight {name}: loss", loss)
    show("dx", x.grad)
show("y", torch.sigmoid(torch.tensor(X)))
positive, wanted = torch.tensor(X) > 0, torch.tensor(TARGET) > 0.5
tp = (positive & wanted).sum()
print("accuracy", (positive == wanted).float().mean().item())
print("f1", (2 * tp / (positive.sum() + wanted.sum())).item())
