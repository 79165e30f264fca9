"""Golden numbers of test/nn/loss/softmax_loss_test.cc: PyTorch's cross_entropy, scaled by 0.5, or smoothed.

Run: python3 tool/golden/softmax_loss.py   (needs torch)
"""
import torch
import torch.nn.functional as F

X = [[1.0, 2.0, 0.5, -1.0], [0.0, 0.25, 3.0, 1.5], [-2.0, 4.0, 0.0, 1.0]]
LABEL = [1, 3, 0]

x = torch.tensor(X, requires_grad=True)
loss = 0.5 * F.cross_entropy(x, torch.tensor(LABEL))
loss.backward()


def show(name, values):
    print(name, [float(f"{v:.8g}") for v in values.detach().flatten().tolist()])


show("p", F.softmax(x, dim=1))
show("loss", loss)
show("dx", x.grad)
x.grad = None
loss = F.cross_entropy(x, torch.tensor(LABEL), label_smoothing=0.2)
loss.backward()
show("smoothed loss", loss)
show("smoothed dx", x.grad)
WEIGHT = [0.5, 2.0, 1.0, 3.0]
for smoothing in (0.0, 0.2):
    for ignored in (-100, 3):
        x.grad = None
        loss = F.cross_entropy(x, torch.tensor(LABEL), weight=torch.tensor(WEIGHT), label_smoothing=smoothing,
                               ignore_index=ignored)
        loss.backward()
        show(f"weighted loss, smoothing {smoothing}, ignored {ignored}", loss)
        show("dx", x.grad)
for k in (1, 2):
    best = x.topk(k, dim=1).indices
    hits = (best == torch.tensor(LABEL)[:, None]).any(dim=1)
    print(f"accuracy, top {k}:", hits.float().mean().item())
