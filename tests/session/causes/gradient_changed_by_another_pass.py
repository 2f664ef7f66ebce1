import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
scale = torch.tensor([1.0, 1.0], requires_grad=True)
(w * 2).sum().backward()
g = w.grad
y = scale * g  # saved by MulBackward0: g, version 0
(w * 3).sum().backward()  # changed by AccumulateGrad: g, version 1
y.sum().backward()  # fails: InplaceModified of g, at MulBackward0
