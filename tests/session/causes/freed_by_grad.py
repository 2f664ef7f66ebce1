import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.exp(w)  # saved by ExpBackward0: y, version 0
loss = y.sum()
(g,) = torch.autograd.grad(loss, w)  # freed by ExpBackward0
loss.backward()  # fails: GraphFreed of y, at ExpBackward0
