import torch

a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
loss = a * 3
other = a * b  # unreached by MulBackward0: b
torch.autograd.grad(loss, [a, b])  # fails: UnusedInput of b
