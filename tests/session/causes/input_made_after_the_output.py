import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w * w).sum()
torch.autograd.grad(loss, w[0])  # unreached by SelectBackward0 # fails: UnusedInput
