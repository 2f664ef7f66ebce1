import torch

w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
x = torch.tensor([1.0, 1.0, 1.0, 1.0])
y = w * x  # saved by MulBackward0: x, version 0
left, right = x.split(2)
right.zero_()  # changed: right, version 1
y.sum().backward()  # fails: InplaceModified of x, at MulBackward0
