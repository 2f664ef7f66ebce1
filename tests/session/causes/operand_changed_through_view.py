import torch

a = torch.tensor([1.0, 2.0])
w = torch.tensor([3.0, 4.0], requires_grad=True)
first = a[:1]
y = a * w  # saved by MulBackward0: a, version 0
first.mul_(10)  # changed: first, version 1
y.sum().backward()  # fails: InplaceModified of a, at MulBackward0
