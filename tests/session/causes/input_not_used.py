import torch

a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)  # unreached: b
loss = a * 3
torch.autograd.grad(loss, [a, b])  # fails: UnusedInput of b
