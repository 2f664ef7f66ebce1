import torch


def shift(values):
    values += 1.0  # changed: x, version 3
    return values


w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([0.5, 0.5])
total = torch.tensor(0.0)
for _step in range(3):
    total = total + (w * x).sum()  # saved by MulBackward0: x, version 2
    x = shift(x)
total.backward()  # fails: InplaceModified of x, at MulBackward0
