import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.sigmoid(x)  # saved by SigmoidBackward0: y, version 0
frozen = y.detach()
frozen.zero_()  # changed: frozen, version 1
loss = y.sum()
loss.backward()  # fails: InplaceModified of y, at SigmoidBackward0
