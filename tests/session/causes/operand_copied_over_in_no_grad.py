import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0], requires_grad=True)
y = x * w  # saved by MulBackward0: w, version 0
with torch.no_grad():
    w.copy_(torch.tensor([0.0, 0.0]))  # changed: w, version 1
y.sum().backward()  # fails: InplaceModified of w, at MulBackward0
