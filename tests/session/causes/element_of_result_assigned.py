import torch

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.tanh(w)  # saved by TanhBackward0: y, version 0
y[0] = 0.0  # changed by CopySlices: y, version 1
y.sum().backward()  # fails: InplaceModified of y, at TanhBackward0
