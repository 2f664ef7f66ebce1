import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0])
loss = (w * x).sum()  # saved by MulBackward0: x, version 0
loss.backward(retain_graph=True)  # first pass by MulBackward0
x.mul_(2)  # changed: x, version 1
loss.backward()  # fails: InplaceModified of x, at MulBackward0
