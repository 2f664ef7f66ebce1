import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([0.0, 0.0])
for _ in range(40):
    x.add_(1)
    x.mul_(0.5)
y = w * x  # saved by MulBackward0: x, version 80
for _ in range(40):
    x.add_(1)  # changed: x, version 81
    x.mul_(0.5)
y.sum().backward()  # fails: InplaceModified of x, at MulBackward0
