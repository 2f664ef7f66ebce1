import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()  # saved by ExpBackward0: y, version 0
y.add_(1)  # changed by AddBackward0: y, version 1
loss = y.sum()
loss.backward()  # fails: InplaceModified of y, at ExpBackward0
